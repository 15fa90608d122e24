"""Where the two sides of a check run: the machine's own device, or a virtual GPU whose kernels are interpreted."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from pytest_compile_golden.facts.numerics import Finding
from pytest_compile_golden.features.numerics.interpreter import check_numpy
from pytest_compile_golden.features.numerics.program_copies import NUMBERS, Copies
from pytest_compile_golden.features.virtual_gpu.gpu import ComputingGpu
from pytest_compile_golden.targets import Target
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.targets.tensor_placement import Placement

if TYPE_CHECKING:
    from pytest_compile_golden.features.numerics.interpreter.interpreted_graph import (
        Graphs,
    )
    from pytest_compile_golden.features.numerics.judge import Tolerance
    from pytest_compile_golden.targets.run_lowered_graph import Call


IN_CPP = "the wrapper in C++: the same graph was run by its wrapper in Python, and its kernels were compared"


@dataclass(frozen=True)
class Device:
    """A native device: programs run on it, and their results are compared there."""

    target: Target

    def place(self, tree: Any) -> Any:
        """`tree`, of real tensors, as it is passed to a program on the device."""
        return self.target.place(tree)

    def before_call(self, index: int | None) -> None:
        """Called before each call of the compiled program, with the call's index, or None for kernels as they are."""

    def more_values(self, train: bool) -> list[tuple[str, Placement]]:
        """Further inputs that a program is called with, each with a description."""
        return []

    @property
    def launches(self) -> dict[str, int] | None:
        """How often each interpreted kernel was launched; None if kernels are not interpreted."""
        return None

    @property
    def not_run(self) -> list[str]:
        """What of the compiled programs something else was run for, and why."""
        return []

    def findings(
        self, wrong: bool, run: Callable[[], object], tolerance: Tolerance
    ) -> list[Finding]:
        """What kernels do wrong, line by line. wrong: whether results are; run: runs the compiled program again."""
        return []


@dataclass(frozen=True)
class VirtualDevice(Device):
    """A virtual GPU that computes: what is compiled runs as generated code, whose kernels are interpreted."""

    graphs: Graphs

    def before_call(self, index: int | None) -> None:
        """The first call uses the largest blocks, the second several programs, the third random ones."""
        self.graphs.machine.configure(index)

    def more_values(self, train: bool) -> list[tuple[str, Placement]]:
        # Where a softmax saturates, its gradient is nothing but the rounding errors of large numbers.
        return [
            ("negative values", Copies(_negative)),
            *([] if train else [("large values", Copies(_large))]),
        ]

    @property
    def launches(self) -> dict[str, int]:
        return dict(self.graphs.machine.launches)

    @property
    def not_run(self) -> list[str]:
        return [IN_CPP] if self.graphs.in_cpp else []

    def findings(
        self, wrong: bool, run: Callable[[], object], tolerance: Tolerance
    ) -> list[Finding]:
        if not wrong:
            return []
        from pytest_compile_golden.features.numerics.interpreter.blame_kernel import (
            Blame,
        )

        # If loaded values decide which program stores last, it is only a fault if the result is wrong.
        suspicions = list(self.graphs.machine.suspicions.values())
        blame = Blame(self.graphs, tolerance)
        torch.compiler.reset()
        with blame.watching():
            run()
        return suspicions + ([] if blame.found is None else [blame.found])


def _negative(flat: torch.Tensor) -> torch.Tensor:
    return -flat.abs() if flat.dtype in NUMBERS else flat.clone()


def _large(flat: torch.Tensor) -> torch.Tensor:
    return flat * 100 if flat.dtype in NUMBERS else flat.clone()


@contextlib.contextmanager
def device_of(target: Target, seed: int) -> Iterator[Device]:
    """The device of the active target. Raises NotInterpretable if Triton is unsuitable or NumPy is not installed."""
    if not isinstance(target, ComputingGpu):
        yield Device(target)
        return
    with interpreted(target, seed) as graphs, Patches() as patches:
        # An interpreted kernel's operators are small: several threads would mostly wait for each other.
        patches.callback(torch.set_num_threads, torch.get_num_threads())
        torch.set_num_threads(1)
        yield VirtualDevice(target, graphs)


@contextlib.contextmanager
def interpreted(gpu: ComputingGpu, seed: int) -> Iterator[Graphs]:
    """Run what is compiled by its generated code until the block ends, on a machine of its own."""
    check_numpy()
    from pytest_compile_golden.features.numerics.interpreter.interpreted_graph import (
        Graphs,
        program_of,
    )
    from pytest_compile_golden.features.numerics.interpreter.machine import idle_machine

    with idle_machine(seed) as machine:
        graphs = Graphs(machine)

        def run_by(graph: Any, code: str, by_operators: Call) -> Call:
            program = program_of(graph, code)
            return lambda args: graphs.run(program, args)

        with gpu.interpreting(machine, run_by):
            yield graphs
