"""Which kernel is the first to write a wrong value: each buffer against the node of the graph that it stands for."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from pytest_compile_golden.correctness.compare import Tolerance, differences
from pytest_compile_golden.correctness.copies import Copies, NoReference, Precise
from pytest_compile_golden.correctness.interpreter.graphs import Graphs
from pytest_compile_golden.correctness.interpreter.kernels import Kernel
from pytest_compile_golden.correctness.reference import Reference, in_float64
from pytest_compile_golden.correctness.result import Finding
from pytest_compile_golden.correctness.run import Observation, see
from pytest_compile_golden.targets.cuda_operators import on_cpu
from pytest_compile_golden.targets.evaluation import GraphProgram
from pytest_compile_golden.targets.interpret import PostGrad

_CPU = torch.device("cpu")


class Blame:
    """Watches the launches of a program and keeps the first store of a wrong value."""

    def __init__(self, graphs: Graphs, tolerance: Tolerance) -> None:
        self._graphs = graphs
        self._tolerance = tolerance
        self._graph: _GraphValues | None = None
        self.found: Finding | None = None

    @contextmanager
    def watching(self) -> Iterator[None]:
        machine = self._graphs.machine
        self._graphs.before_call, machine.after_launch = self._before_call, self._after_launch
        try:
            yield
        finally:
            self._graphs.before_call = machine.after_launch = None

    def _before_call(self, program: GraphProgram, inputs: list[Any]) -> None:
        self._graph = None if self.found else _GraphValues(program, inputs)

    def _after_launch(self, kernel: Kernel, written: Mapping[int, int]) -> None:
        if self._graph is None or self.found is not None:
            return
        for name, tensor in self._buffers(written):
            text = self._graph.wrong(name, tensor, self._tolerance)
            if text is not None:
                line = written[tensor.untyped_storage().data_ptr()]
                self.found = kernel.finding("value", f"{name} is not the value of {text}", line)
                return

    def _buffers(self, written: Mapping[int, int]) -> Iterator[tuple[str, torch.Tensor]]:
        """What the wrapper calls the tensors that this launch wrote into."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename not in self._graphs.paths:
            frame = frame.f_back
        for name, value in {} if frame is None else frame.f_locals.items():
            if isinstance(value, torch.Tensor) and value.untyped_storage().data_ptr() in written:
                yield name, value


class _GraphValues:
    """What a graph's nodes are for the inputs of one call: by eager, and in float64."""

    def __init__(self, program: GraphProgram, inputs: list[Any]) -> None:
        self._program = program
        self._inputs = Copies().tree(inputs)
        self._reference = Reference(self._precise)
        try:
            self._eager: dict[str, Any] = _run(program, Copies().tree(self._inputs))
        except Exception:  # a graph with what only Inductor can run has no values of its own
            self._eager = {}

    def wrong(self, buffer: str, tensor: torch.Tensor, tolerance: Tolerance) -> str | None:
        """Whether a buffer differs from its node: the node's name and how."""
        node = self._program.buffers.get(buffer)
        value = None if node is None else self._eager.get(node)
        if value is None or value.size() != tensor.size() or value.dtype != tensor.dtype:
            return None
        mine, theirs = (Observation("", "", {str(node): see(each)}) for each in (value, tensor))
        only_values = Reference(lambda moved: [_only(str(node), each) for each in self._reference.run(moved) or []])
        for each in differences([mine], [theirs], only_values, tolerance):
            if each.kind == "value" and each.wrong != "eager":
                return f"{node}: {each.text}"
        return None

    def _precise(self, moved: int | None) -> list[Observation]:
        copies = Precise(moved)
        with in_float64([]):
            values = _run(self._program, copies.tree(self._inputs))
        return [Observation("", "", {name: see(value) for name, value in values.items()})]


def _only(node: str, observation: Observation) -> Observation:
    return Observation("", "", {node: observation.values[node]} if node in observation.values else {})


def _run(program: GraphProgram, inputs: list[Any]) -> dict[str, torch.Tensor]:
    wanted = set(program.buffers.values())
    values = _Values(program.graph, wanted)
    with _OnCpu():
        values.run(*inputs)
    return values.kept


class _Values(PostGrad):
    """Keeps the tensors that the wanted nodes are, as they are before anything writes into them."""

    def __init__(self, module: Any, wanted: set[str]) -> None:
        super().__init__(module)
        self._wanted = wanted
        self.kept: dict[str, torch.Tensor] = {}

    def run_node(self, n: Any) -> Any:
        if isinstance(n.target, torch._ops.HigherOrderOperator) and "triton_kernel" in n.target.name():
            raise NoReference("a Triton kernel of the user's has no eager form in a graph")
        result = super().run_node(n)
        if n.name in self._wanted and isinstance(result, torch.Tensor):
            self.kept[n.name] = result.clone()
        return result


class _OnCpu(TorchDispatchMode):  # type: ignore[misc]
    """Has what a graph makes on the GPU made on the CPU."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        args, kwargs = pytree.tree_map_only(torch.device, lambda device: _CPU, (args, kwargs or {}))
        return on_cpu(func)(*args, **kwargs)
