"""Run a compiled graph by its own wrapper code: kernels are interpreted, library calls run in eager on the CPU."""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.errors import NotInterpretable
from pytest_compile_golden.facts.numerics import Finding
from pytest_compile_golden.features.numerics.interpreter.buffer_reuse import (
    marked,
    part_of,
)
from pytest_compile_golden.features.numerics.interpreter.interpreted_kernel import (
    line_of,
)
from pytest_compile_golden.features.numerics.interpreter.kernel_faults import (
    Fault,
    KernelFault,
)
from pytest_compile_golden.features.numerics.interpreter.machine import Machine
from pytest_compile_golden.features.virtual_gpu.device_operators import as_on_card
from pytest_compile_golden.features.virtual_gpu.relowering import LoweredGraph
from pytest_compile_golden.observe.compile_isolation import without_default_device
from pytest_compile_golden.targets.run_lowered_graph import static_strides
from pytest_compile_golden.torch_internals import device as names
from pytest_compile_golden.torch_internals import numerics as torch_names
from pytest_compile_golden.torch_internals import tensors

run_and_save_rng_state = torch_names.SAVE_RANDOM.get()
run_with_rng_state = torch_names.SAVED_RANDOM.get()
run_with_generator = torch_names.GENERATOR_RANDOM.get()
pytree = tensors.PYTREE.get()
TorchDispatchMode = tensors.DISPATCH_MODE.get()
_disable_current_modes = tensors.DISABLE_MODES.get()


@dataclass(frozen=True)
class GraphProgram:
    """One compiled graph, as passed to the call that replaces it."""

    code: str
    """The module that Inductor wrote."""
    graph: Any
    """The GraphModule that it was lowered from."""
    constants: dict[str, Any]
    """Tensors and other values that the module expects as globals."""
    buffers: dict[str, str]
    """By the name of each buffer that holds a node's value, the name of the node."""
    strides: tuple[tuple[int, ...] | None, ...]
    """Those of each output; None where they are not all numbers."""
    in_cpp: bool
    """Whether the wrapper that Inductor wrote is C++, which is not run: `code` is that of the same graph in Python."""


def program_of(graph: Any, code: str) -> GraphProgram:
    """What it takes to run a lowered graph by its own code, and to compare it with the graph that it was lowered from.

    torch/_inductor/graph.py: `_compile_to_module_lines` gives the module these globals."""
    in_cpp = "CppWrapperCodeCache" in code
    if in_cpp:
        graph, code = LoweredGraph.now(graph).with_python_wrapper()
    constants = {**graph.constants, **names.TORCHBIND_CONSTANTS.of(graph)}
    nodes = {
        name: names.ORIGIN_NODE.of(buffer, None)
        for name, buffer in graph.name_to_buffer.items()
    }
    buffers = {
        name: node().name
        for name, node in nodes.items()
        if node is not None and node() is not None
    }
    strides = tuple(static_strides(output) for output in graph.graph_outputs)
    return GraphProgram(code, graph.orig_gm, constants, buffers, strides, in_cpp)


@dataclass(eq=False)
class Graphs:
    """Runs the graphs of one check on a machine, with tensors of a device that computes."""

    machine: Machine
    _calls: dict[int, tuple[GraphProgram, Any]] = field(default_factory=dict)
    paths: set[str] = field(default_factory=set)
    """The files of the wrapper code."""
    in_cpp: int = 0
    """How many graphs have a wrapper in C++, instead of which one in Python was run."""
    before_call: Callable[[GraphProgram, list[Any]], None] | None = None
    after_call: Callable[[list[Any]], None] | None = None

    def run(self, program: GraphProgram, args: list[Any]) -> list[Any]:
        """What the graph returns; its inputs are taken out of `args`, and those who watch are told.

        Raises KernelFault and NotInterpretable.
        """
        inputs = list(args)
        args.clear()
        # As the generated code: whatever modes the caller is in, and with the CPU as the default device.
        with torch.no_grad(), _disable_current_modes(), without_default_device():
            if self.before_call is not None:
                self.before_call(program, inputs)
            outputs = self._run(program, list(inputs))
            if self.after_call is not None:
                self.after_call(outputs)
        return outputs

    def _run(self, program: GraphProgram, inputs: list[Any]) -> list[Any]:
        memory = self.machine.memory
        for value in inputs:
            if isinstance(value, torch.Tensor):
                memory.start_graph(value)
        if id(program) not in self._calls:
            self._calls[id(program)] = program, self._load(program)
        module = self._calls[id(program)][1]
        try:
            with LibraryCalls(self.machine):
                return list(module.call(inputs))
        except (KernelFault, UnboundLocalError) as error:
            raise _in_wrapper(error, module) from error

    def _load(self, program: GraphProgram) -> Any:
        self.in_cpp += program.in_cpp
        holders = self.machine.memory.holders
        with self.machine.loading(), LibraryCalls(self.machine):
            module = self.machine.module(
                marked(program.code), "graph", **program.constants
            )
        self.paths.add(str(module.__file__))

        def empty_on(device: str) -> Callable[..., torch.Tensor]:
            def empty(size: Any, stride: Any, dtype: torch.dtype) -> torch.Tensor:
                buffer = torch.empty_strided(size, stride, dtype=dtype, device=device)
                self.machine.memory.allocated(buffer)
                return buffer

            return empty

        def reinterpreted(
            tensor: torch.Tensor, size: Any, stride: Any, offset: int = 0
        ) -> torch.Tensor:
            return holders.view(
                tensor,
                part_of(
                    tensor, tensor.dtype, tensor.storage_offset() + offset, size, stride
                ),
            )

        def part_of_pool(
            pool: torch.Tensor, start: int, dtype: torch.dtype, size: Any, stride: Any
        ) -> torch.Tensor:
            return part_of(pool, dtype, start // dtype.itemsize, size, stride)

        for name in [
            name for name in vars(module) if name.startswith("empty_strided_")
        ]:
            setattr(
                module,
                name,
                empty_on("cuda" if name == "empty_strided_cuda" else "cpu"),
            )
        vars(module).update(
            new_holder=holders.new,
            reinterpret_tensor=reinterpreted,
            alloc_from_pool=part_of_pool,
        )
        return module


def _in_wrapper(error: KernelFault | UnboundLocalError, module: Any) -> KernelFault:
    """A kernel's fault unchanged; a fault of a library call or of the wrapper code itself with the wrapper's line."""
    if isinstance(error, KernelFault) and error.finding.line:
        return error
    line = line_of(error, module.__file__)
    source = linecache.getline(module.__file__, line).strip()
    if isinstance(error, KernelFault):
        return KernelFault(replace(error.finding, line=line, source=source))
    name = "".join(re.findall(r"'(\w+)'", str(error))[:1])
    return KernelFault(
        Finding(
            "the wrapper code",
            line,
            source,
            "reused",
            f"reads {name}, which it has already freed",
        )
    )


class LibraryCalls(TorchDispatchMode):  # type: ignore[misc,valid-type]
    """Checks that the operators that the wrapper calls only read what was written."""

    def __init__(self, machine: Machine) -> None:
        super().__init__()
        self.machine = machine

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        memory = self.machine.memory
        schema = func._schema if isinstance(func, tensors.OPERATOR.get()) else None
        declared = [] if schema is None else schema.arguments
        given = (
            dict(zip((argument.name for argument in declared), args, strict=False))
            | kwargs
        )
        for argument, value in (
            (argument, given.get(argument.name)) for argument in declared
        ):
            writes = argument.alias_info is not None and argument.alias_info.is_write
            for tensor in pytree.tree_leaves(value):
                if not isinstance(tensor, torch.Tensor):
                    continue
                if writes:
                    memory.record_write(
                        tensor, f"the library call {func}", not argument.is_out
                    )
                elif not func.is_view and not _asks_for_shapes(func):
                    try:
                        memory.check_read(tensor, str(func))
                    except Fault as error:
                        finding = Finding(
                            f"the library call {func}", 0, "", error.kind, str(error)
                        )
                        raise KernelFault(finding) from error
        try:
            result = func(*args, **kwargs)
            if func.is_view:
                pytree.tree_map_only(
                    torch.Tensor,
                    lambda view: memory.holders.view(args[0], view),
                    result,
                )
            as_it_is = schema is None or func.is_view or schema.is_mutable
            return result if as_it_is else as_on_card(result, func, args, kwargs)
        except (NotImplementedError, RuntimeError) as error:
            message = split_lines(str(error).strip()) or [""]
            # The rest is a page of available kernels and dispatch keys, and a link for those who build for phones.
            why = message[0].partition(" This could be because")[0]
            raise NotInterpretable(f"{func} does not run on a CPU ({why})") from error


@run_and_save_rng_state.py_impl(LibraryCalls)  # type: ignore[untyped-decorator]
def _save_random_state(
    calls: LibraryCalls, func: Any, *args: Any, **kwargs: Any
) -> Any:
    return run_and_save_rng_state(func, *args, **kwargs)


@run_with_rng_state.py_impl(LibraryCalls)  # type: ignore[untyped-decorator]
def _with_random_state(
    calls: LibraryCalls, state: torch.Tensor, func: Any, *args: Any, **kwargs: Any
) -> Any:
    return run_with_rng_state(state, func, *args, **kwargs)


@run_with_generator.py_impl(LibraryCalls)  # type: ignore[untyped-decorator]
def _from_own_generator(
    calls: LibraryCalls, func: Any, *args: Any, **kwargs: Any
) -> Any:
    """A graph's own generators go on from call to call, and the host's have no offsets that they could go on from."""
    raise NotInterpretable(f"{func} draws from a generator of the graph's own")


def _asks_for_shapes(func: Any) -> bool:
    """Whether an operator reads no values of a tensor: `empty_like`, `new_zeros`, `exponential` ..."""
    name = func.name().removeprefix("aten::")
    return (
        "_like" in name
        or name.startswith("new_")
        or torch.Tag.nondeterministic_seeded in func.tags
    )
