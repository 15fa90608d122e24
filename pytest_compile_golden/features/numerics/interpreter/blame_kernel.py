"""Find the first kernel that writes a wrong value: compare each buffer with the graph node whose value it holds."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch

from pytest_compile_golden.facts.numerics import Finding
from pytest_compile_golden.features.numerics.interpreter.interpreted_graph import (
    GraphProgram,
    Graphs,
)
from pytest_compile_golden.features.numerics.interpreter.interpreted_kernel import (
    InterpretedKernel,
)
from pytest_compile_golden.features.numerics.judge import Judge, Tolerance
from pytest_compile_golden.features.numerics.observation import (
    Observation,
    take_snapshot,
)
from pytest_compile_golden.features.numerics.program_copies import Copies
from pytest_compile_golden.features.virtual_gpu import graph_pools
from pytest_compile_golden.features.virtual_gpu.graph_operators import (
    PostGradOperators,
    drawn_by_four,
)
from pytest_compile_golden.torch_internals import tensors

pytree = tensors.PYTREE.get()
TorchDispatchMode = tensors.DISPATCH_MODE.get()


@dataclass
class Blame:
    """Watches the launches of a program and keeps the first store of a wrong value."""

    _graphs: Graphs
    _tolerance: Tolerance
    _graph: _GraphValues | None = None
    _writers: dict[int, tuple[InterpretedKernel, int]] = field(default_factory=dict)
    _wrong: dict[str, Finding] = field(default_factory=dict)
    _inputs: set[int] = field(default_factory=set)
    _overwritten: dict[str, str] = field(default_factory=dict)
    found: Finding | None = None

    @contextmanager
    def watching(self) -> Iterator[None]:
        graphs = self._graphs
        graphs.before_call, graphs.after_call = self._before_call, self._after_call
        graphs.machine.after_launch = self._after_launch
        try:
            yield
        finally:
            graphs.before_call = graphs.after_call = graphs.machine.after_launch = None

    def _before_call(self, program: GraphProgram, inputs: list[Any]) -> None:
        self._writers.clear()
        self._wrong.clear()
        self._overwritten.clear()
        self._inputs = {
            tensor.untyped_storage().data_ptr()
            for tensor in inputs
            if isinstance(tensor, torch.Tensor)
        }
        self._graph = None
        if self.found is None:
            self._graph = _GraphValues(program, inputs, self._tolerance)

    def _after_launch(
        self, kernel: InterpretedKernel, written: Mapping[int, int]
    ) -> None:
        self._note_overwritten(kernel)
        self._writers |= {start: (kernel, line) for start, line in written.items()}
        if self._graph is not None and self.found is None:
            for name, tensor in self._buffers(written):
                self._look_at(self._graph.program.buffers.get(name), name, tensor)

    def _after_call(self, outputs: list[Any]) -> None:
        """For results that match no node until the graph returns them, look at the last kernel that wrote them."""
        if self._graph is not None:
            for index, tensor in enumerate(outputs):
                if isinstance(tensor, torch.Tensor) and not self._wrong:
                    self._look_at(f"output {index}", "the returned tensor", tensor)
            self.found = self.found or next(iter(self._wrong.values()), None)

    def _look_at(self, node: str | None, buffer: str, tensor: torch.Tensor) -> None:
        """Several kernels may write a buffer one after another: the value of its node is what the last one leaves."""
        writer = self._writers.get(tensor.untyped_storage().data_ptr())
        if self._graph is None or node is None or writer is None:
            return
        self._wrong.pop(buffer, None)
        text = self._graph.wrong(node, tensor)
        if text is not None:
            kernel, line = writer
            text = f"{buffer} does not have the value of {node}: {text}{self._overwritten.get(kernel.name, '')}"
            self._wrong[buffer] = kernel.finding("value", text, line)

    def _note_overwritten(self, kernel: InterpretedKernel) -> None:
        """Note the inputs of the graph that this launch read and an earlier one had written to."""
        read = self._graphs.machine.memory.read & self._inputs & self._writers.keys()
        for name, tensor in self._buffers(dict.fromkeys(read, 0)):
            by, line = self._writers[tensor.untyped_storage().data_ptr()]
            if by is not kernel:
                note = f"; it reads {name}, which {by.name} (line {line}) had already written to"
                self._overwritten[kernel.name] = note

    def _buffers(
        self, written: Mapping[int, int]
    ) -> Iterator[tuple[str, torch.Tensor]]:
        """The tensors whose memory is in `written`, under their names in the wrapper code."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename not in self._graphs.paths:
            frame = frame.f_back
        for name, value in {} if frame is None else frame.f_locals.items():
            if (
                isinstance(value, torch.Tensor)
                and value.untyped_storage().data_ptr() in written
            ):
                yield name, value


class _GraphValues:
    """The values of a graph's nodes for the inputs of one call."""

    def __init__(
        self, program: GraphProgram, inputs: list[Any], tolerance: Tolerance
    ) -> None:
        self.program = program
        with graph_pools.outside():
            self._inputs = Copies().tree(inputs)
        self._judge = Judge(self._in_mode, tolerance)
        self._random_states = torch.get_rng_state(), torch.cuda.get_rng_state()
        try:
            self._eager = self._values()
        except Exception:
            # A graph with operators that only Inductor can run has no values in eager.
            self._eager = {}

    def _values(self) -> dict[str, torch.Tensor]:
        # The call itself draws the same random numbers afterwards.
        host, card = self._random_states
        with (
            graph_pools.outside(),
            torch.random.fork_rng([torch.cuda.current_device()]),
        ):
            torch.set_rng_state(host)
            torch.cuda.set_rng_state(card)
            return values_of(self.program, Copies().tree(self._inputs))

    def _in_mode(self, mode: AbstractContextManager[object]) -> list[Observation]:
        with mode:
            values = self._values()
        return [
            Observation(
                "", "", {name: take_snapshot(value) for name, value in values.items()}
            )
        ]

    def wrong(self, node: str, tensor: torch.Tensor) -> str | None:
        """How a tensor differs from the value of a node; None where it is right."""
        value = self._eager.get(node)
        if (
            value is None
            or value.size() != tensor.size()
            or value.dtype != tensor.dtype
        ):
            return None
        mine, theirs = (
            Observation("", "", {node: take_snapshot(side)}) for side in (value, tensor)
        )
        found = self._judge.differences([mine], [theirs])
        return next(
            (each.text for each in found if each.kind == "value" and each.fails), None
        )


def values_of(program: GraphProgram, inputs: list[Any]) -> dict[str, torch.Tensor]:
    """The values of the nodes that buffers hold, as they are before anything writes to them, and of the outputs."""
    wanted = set(program.buffers.values())
    kept: dict[str, torch.Tensor] = {}
    interpreter: Any = PostGradOperators(program.graph, drawn_by_four(program.code))
    run_node = interpreter.run_node

    def keeping(n: Any) -> Any:
        launches = (
            isinstance(n.target, tensors.HIGHER_ORDER.get())
            and "triton_kernel" in n.target.name()
        )
        # The user's own kernels run as the user wrote them.
        result = (
            torch.fx.Interpreter.run_node(interpreter, n) if launches else run_node(n)
        )
        # For the user's kernels to write to.
        allocates = str(n.target).startswith(("aten.empty", "aten.new_empty"))
        if n.name in wanted and isinstance(result, torch.Tensor) and not allocates:
            kept[n.name] = result.clone()
        return result

    interpreter.run_node = keeping
    outputs = pytree.tree_leaves(
        interpreter.run(*inputs), is_leaf=lambda leaf: leaf is None
    )
    returned = {
        f"output {index}": leaf
        for index, leaf in enumerate(outputs)
        if isinstance(leaf, torch.Tensor)
    }
    return {**kept, **returned}
