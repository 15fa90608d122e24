"""Where the two sides of a check run: the machine's own device, or a virtual GPU whose kernels are interpreted."""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from pytest_compile_golden.errors import NotInterpretable
from pytest_compile_golden.facts.numerics import Finding
from pytest_compile_golden.targets import Target, context
from pytest_compile_golden.targets.evaluation import Evaluation, suspended
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.targets.placement import Placement
from pytest_compile_golden.torch_internals import dynamo, tensors
from pytest_compile_golden.torch_internals import numerics as torch_names
from pytest_compile_golden.wings.numerics.copies import NUMBERS, Copies

_disable_current_modes = tensors.DISABLE_MODES.get()
FakeTensor = tensors.FAKE_TENSOR.get()

if TYPE_CHECKING:
    from pytest_compile_golden.wings.numerics.interpreter.graphs import Graphs
    from pytest_compile_golden.wings.numerics.judge import Tolerance


@dataclass(frozen=True)
class Device:
    """A native device: programs run on it, and their results are compared there."""

    target: Target

    def place(self, tree: Any) -> Any:
        """`tree`, of real tensors, as it is passed to a program on the device."""
        return self.target.place(tree)

    def running(self) -> contextlib.AbstractContextManager[object]:
        """The context in which programs run."""
        return contextlib.nullcontext()

    def before_call(self, index: int | None) -> None:
        """Called before each call of the compiled program, with the call's index, or None for kernels as they are."""

    def more_values(self, train: bool) -> list[tuple[str, Placement]]:
        """Further inputs that a program is called with, each with a description."""
        return []

    @property
    def launches(self) -> dict[str, int] | None:
        """How often each interpreted kernel was launched; None if kernels are not interpreted."""
        return None

    def findings(self, wrong: bool, run: Callable[[], object], tolerance: Tolerance) -> list[Finding]:
        """What kernels do wrong, line by line. wrong: whether results are; run: runs the compiled program again."""
        return []

    def comparing(self) -> contextlib.AbstractContextManager[object]:
        """The context in which results are real tensors."""
        return contextlib.nullcontext()


@dataclass(frozen=True)
class VirtualDevice(Device):
    """A virtual GPU: its tensors are fake, with real values kept alongside them."""

    graphs: Graphs

    def running(self) -> contextlib.AbstractContextManager[object]:
        evaluation = self.graphs.evaluation
        assert evaluation is not None
        mode: contextlib.AbstractContextManager[object] = evaluation.mode
        return mode

    def comparing(self) -> contextlib.AbstractContextManager[object]:
        return _disable_current_modes()  # type: ignore[no-any-return]

    def before_call(self, index: int | None) -> None:
        """The first call uses the largest blocks, the second several programs, the third random ones."""
        self.graphs.machine.configure(index)

    def more_values(self, train: bool) -> list[tuple[str, Placement]]:
        # Where a softmax saturates, its gradient is nothing but the rounding errors of large numbers.
        return [("negative values", Copies(_negative)), *([] if train else [("large values", Copies(_large))])]

    @property
    def launches(self) -> dict[str, int]:
        return dict(self.graphs.machine.launches)

    def findings(self, wrong: bool, run: Callable[[], object], tolerance: Tolerance) -> list[Finding]:
        if not wrong:
            return []
        from pytest_compile_golden.wings.numerics.interpreter.blame import Blame

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
    if not target.virtual:
        yield Device(target)
        return
    if importlib.util.find_spec("numpy") is None:
        raise NotInterpretable("Triton's interpreter needs NumPy, which is not installed: pip install numpy.")
    evaluation = context.now(Evaluation)
    assert evaluation is not None
    from pytest_compile_golden.wings.numerics.interpreter.graphs import Graphs
    from pytest_compile_golden.wings.numerics.interpreter.machine import machine

    with machine(seed) as virtual_gpu, Patches() as patches:
        # An interpreted kernel's operators are small: several threads would mostly wait for each other.
        patches.callback(torch.set_num_threads, torch.get_num_threads())
        torch.set_num_threads(1)
        # For tensors on a GPU, optimizers process all parameters at once, which may write to gradients.
        optimizers, kinds = torch_names.FOREACH_TYPES.resolve()
        patches.replace(optimizers, kinds, [*getattr(optimizers, kinds), FakeTensor])
        patches.wrap(*dynamo.COMPILE_FRAME.resolve(), _without_values)
        graphs = Graphs(virtual_gpu, evaluation)
        evaluation.run_graph = graphs.run
        patches.callback(setattr, evaluation, "run_graph", None)
        yield VirtualDevice(target, graphs)


def _without_values(original: Callable[..., Any]) -> Callable[..., Any]:
    def compile_frame(*args: Any, **kwargs: Any) -> Any:
        with suspended():
            return original(*args, **kwargs)

    return compile_frame
