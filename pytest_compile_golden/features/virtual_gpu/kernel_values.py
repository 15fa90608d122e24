"""Values of compiled graphs from the kernels that Inductor generated for them, on a device that computes."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import torch

from pytest_compile_golden.errors import CompileGoldenError, NotInterpretable
from pytest_compile_golden.features.virtual_gpu.device_library import in_bytes
from pytest_compile_golden.features.virtual_gpu.graph_operators import (
    drawn_by_four,
    has_operators,
)
from pytest_compile_golden.features.virtual_gpu.interpreted_launches import Launches
from pytest_compile_golden.features.virtual_gpu.relowering import LoweredGraph
from pytest_compile_golden.observe.compile_isolation import without_default_device
from pytest_compile_golden.targets.run_lowered_graph import Call
from pytest_compile_golden.torch_internals import eject, tensors

if TYPE_CHECKING:
    from pytest_compile_golden.facts.numerics import Difference
    from pytest_compile_golden.features.numerics.interpreter.interpreted_graph import (
        GraphProgram,
        Graphs,
    )

_disable_current_modes = tensors.DISABLE_MODES.get()

Source = Literal["graph", "kernels", "both"]
"""What the values of a compiled graph come from."""


@dataclass(frozen=True)
class _Twins:
    """What a compiled graph's kernels are compared with."""

    by_operators: Call
    """Runs the graph's operators."""
    without_fusion: Callable[[], GraphProgram]
    """The graph, compiled with no rounding left out; made when it is first asked for."""


class KernelsDisagree(CompileGoldenError):
    """The kernels of a compiled graph give something else than its operators; the message says which, and where."""


@dataclass(eq=False)
class KernelValues:
    """Runs compiled graphs by their generated code."""

    launches: Launches
    compare: bool
    """Whether each graph is also run by its operators, and a disagreement is an error."""
    graphs: int = 0
    """How many calls of graphs were computed by kernels."""
    from_operators: Counter[str] = field(default_factory=Counter)
    """How many were not, by the reason."""
    only_kernels: int = 0
    """How many of these have parts that no operator computes."""

    @property
    def in_cpp(self) -> int:
        """How many graphs have a wrapper in C++, instead of which one in Python was run."""
        return self._interpreted.in_cpp if "_interpreted" in vars(self) else 0

    @cached_property
    def _interpreted(self) -> Graphs:
        from pytest_compile_golden.features.numerics.interpreter.interpreted_graph import (
            Graphs,
        )

        return Graphs(self.launches.machine)

    def call_of(self, graph: Any, code: str, by_operators: Call) -> Call:
        """What replaces `by_operators`, the call that runs a graph by its operators. code: the generated module."""
        from pytest_compile_golden.features.numerics.interpreter.interpreted_graph import (
            program_of,
        )

        program = program_of(graph, code)
        # The memory of what forward saved for backward may be reused, as nobody reads it again.
        keeps_inputs = not eject.IS_BACKWARD.of(graph)
        only_kernels = not has_operators(program.graph)
        compare = self.compare and not only_kernels
        twins = None
        if compare:
            lowered = LoweredGraph.now(graph)
            twins = _Twins(
                by_operators,
                functools.cache(lambda: program_of(*lowered.without_fusion())),
            )
        # Several programs and loops show more than one block that holds everything; but numbers that are drawn by four
        # depend on the block where that has fewer elements.
        blocks = itertools.chain(
            () if drawn_by_four(code) else (1, 0, 2),
            itertools.repeat(0),
        )

        def call(args: list[Any]) -> Sequence[Any]:
            inputs = list(args)
            args.clear()
            # As the generated code: whatever modes the caller is in, and with the CPU as the default device.
            with (
                self.launches.lock,
                torch.no_grad(),
                _disable_current_modes(),
                without_default_device(),
            ):
                self.launches.machine.configure(next(blocks))
                try:
                    outputs = self._run(program, inputs, twins, keeps_inputs)
                    self.only_kernels += only_kernels
                    return outputs
                except NotInterpretable as error:
                    self.from_operators[str(error)] += 1
            return by_operators(inputs)

        return call

    def _run(
        self,
        program: GraphProgram,
        inputs: list[Any],
        twins: _Twins | None,
        keeps_inputs: bool,
    ) -> Sequence[Any]:
        """What the kernels return. Raises NotInterpretable, with inputs as they were, KernelFault, KernelsDisagree.

        twins: what to compare it with, if anything.
        """
        from pytest_compile_golden.features.numerics.program_copies import Copies

        graphs = self._interpreted
        before, random = Copies().tree(inputs), _random_states()
        try:
            outputs = graphs.run(program, list(inputs))
        except NotInterpretable:
            for given, copied in zip(inputs, before, strict=True):
                if isinstance(given, torch.Tensor):
                    _contents(given).copy_(_contents(copied))
            _set_random_states(random)
            raise
        self.graphs += 1
        if twins is not None:
            after = _random_states()
            wrong = self._differences(
                program, inputs, outputs, before, random, twins, keeps_inputs
            )
            if wrong:
                raise KernelsDisagree(self._told(program, wrong, before, random))
            _set_random_states(after)
        return outputs

    def _differences(
        self,
        program: GraphProgram,
        inputs: list[Any],
        outputs: list[Any],
        before: list[Any],
        random: list[torch.Tensor],
        twins: _Twins,
        keeps_inputs: bool,
    ) -> list[Difference]:
        from pytest_compile_golden.features.numerics.judge import Judge, Tolerance
        from pytest_compile_golden.features.numerics.observation import (
            Observation,
            take_snapshot,
        )
        from pytest_compile_golden.features.numerics.program_copies import Copies

        def observed(returned: Sequence[Any], given: list[Any]) -> Observation:
            results = {f"output {index}": value for index, value in enumerate(returned)}
            named = results | {
                f"input {index} after the call": given[index] for index in compared
            }
            return Observation(
                "the graph",
                "",
                {
                    name: take_snapshot(value)
                    for name, value in named.items()
                    if isinstance(value, torch.Tensor)
                },
                {
                    name: _shared(value, given)
                    for name, value in results.items()
                    if isinstance(value, torch.Tensor)
                },
            )

        copied = Copies().tree(before)
        _set_random_states(random)
        returned = twins.by_operators(list(copied))
        compared = [
            index
            for index, (old, new) in enumerate(zip(before, copied, strict=True))
            if isinstance(old, torch.Tensor)
            and (keeps_inputs or not torch.equal(_contents(old), _contents(new)))
        ]
        expected = observed(returned, copied)

        def in_mode(
            mode: contextlib.AbstractContextManager[object],
        ) -> list[Observation]:
            given = Copies().tree(before)
            _set_random_states(random)
            with mode:
                return [observed(twins.by_operators(list(given)), given)]

        def emulated() -> list[Observation]:
            given = Copies().tree(before)
            _set_random_states(random)
            return [
                observed(
                    self._interpreted.run(twins.without_fusion(), list(given)), given
                )
            ]

        theirs = observed(outputs, inputs)
        # What is a copy may be written to without consequences.
        theirs.shares = {
            name: memory for name, memory in theirs.shares.items() if memory is not None
        }
        # An operator may return what it was given, where the code returns a view.
        expected.objects.clear()
        theirs.objects.clear()
        found = Judge(in_mode, Tolerance(None, None), emulated).differences(
            [expected], [theirs]
        )
        varies = {
            f"output {index}"
            for index, strides in enumerate(program.strides)
            if strides is None
        }
        return [
            each
            for each in found
            if each.verdict == "compiled"
            and not (each.kind == "strides" and each.what in varies)
        ]

    def _told(
        self,
        program: GraphProgram,
        wrong: list[Difference],
        before: list[Any],
        random: list[torch.Tensor],
    ) -> str:
        """The differences, and the first line of a kernel that stores a wrong value, for which it runs once more."""
        from pytest_compile_golden.features.numerics.interpreter.blame_kernel import (
            Blame,
        )
        from pytest_compile_golden.features.numerics.judge import Tolerance
        from pytest_compile_golden.features.numerics.program_copies import Copies

        blame = Blame(self._interpreted, Tolerance(None, None))
        _set_random_states(random)
        with blame.watching():
            self._interpreted.run(program, Copies().tree(before))
        lines = [f"{each.what}: {each.sentence}" for each in wrong]
        where = "" if blame.found is None else f"\n{blame.found}"
        return (
            "The kernels of a compiled graph disagree with its operators.\n"
            + "\n".join(lines)
            + where
        )


def _contents(tensor: torch.Tensor) -> torch.Tensor:
    """All of the storage of a tensor, in bytes."""
    return in_bytes(tensor.untyped_storage())


def _shared(tensor: torch.Tensor, inputs: list[Any]) -> tuple[str, int] | None:
    """The input whose memory a result has, and the element that it starts at."""
    for index, given in enumerate(inputs):
        if (
            isinstance(given, torch.Tensor)
            and given.untyped_storage()._cdata == tensor.untyped_storage()._cdata
        ):
            return f"input {index}", tensor.storage_offset()
    return None


def _random_states() -> list[torch.Tensor]:
    return [torch.get_rng_state(), *torch.cuda.get_rng_state_all()]


def _set_random_states(states: list[torch.Tensor]) -> None:
    torch.set_rng_state(states[0])
    torch.cuda.set_rng_state_all(states[1:])
