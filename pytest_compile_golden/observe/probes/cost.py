"""What a graph's kernels move and compute, and the memory that the graph holds, by Inductor's own numbers."""

from __future__ import annotations

from typing import Any

import torch

from pytest_compile_golden.facts.costs import GraphCost, KernelCost
from pytest_compile_golden.observe import flops
from pytest_compile_golden.observe.graphs import dtype_name
from pytest_compile_golden.observe.hooks import Hooks
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.probes.scheduler import computed, group_kind
from pytest_compile_golden.targets import active_target
from pytest_compile_golden.torch_names import inductor, kernels, tensors
from pytest_compile_golden.torch_names import scheduler as names

_SUMMED = ("launches", "read", "written", "flops")


class CostProbe:
    """Queries the scheduler when the code is written: by then, nothing that is queried can affect the code."""

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        def written(lowering: Any, *args: Any, **kwargs: Any) -> None:
            nodes = list(lowering.scheduler.nodes)
            kinds = [(group_kind(node), node) for node in nodes]
            every = [_kernel(kind, node, lowering) for kind, node in kinds if kind != "unpack" and not _is_view(node)]
            # A buffer that exists only for others to write to becomes no kernel, and neither do loops in a template.
            kernels = [
                kernel
                for kernel in every
                if kernel.kind == "extern" or kernel.number("read") or kernel.number("written")
            ]
            recorder.add("cost", _graph(recorder.key.label, kernels, _peak_memory(lowering, nodes)))

        hooks.before(kernels.COMPILE_TO_MODULE_LINES, written)


def _graph(name: str, kernels: list[KernelCost], peak_memory: int) -> GraphCost:
    sums = ((number, sum(kernel.number(number) or 0 for kernel in kernels)) for number in _SUMMED)
    times = [kernel.least_ns for kernel in kernels if kernel.least_ns is not None]
    least = sum(times) if len(times) == len(kernels) else None
    return GraphCost(name, (*sums, ("peak_memory", peak_memory)), tuple(kernels), least)


def _kernel(kind: str, node: Any, lowering: Any) -> KernelCost:
    def hint(size: Any) -> int:
        expression = size.node.expr if isinstance(size, torch.SymInt) else size
        return int(inductor.HINT.of(lowering.sizevars)(expression, fallback=0))

    moved = node.get_read_write_buffer_accesses(include_reads=True, include_writes=True)
    outputs = {dependency.name for dependency in node.read_writes.writes}
    written = sum(size for name, size in moved.items() if name in outputs)
    matrix: dict[str, int] = {}
    vector: dict[str, int] = {}
    operands, unknown = "", False
    for member in node.get_nodes():
        if member.is_extern() or member.is_template():
            counted = flops.of_call(member.node, hint)
            if counted is None:
                unknown = True
            else:
                operands = counted[1]
                matrix[operands] = matrix.get(operands, 0) + counted[0]
        else:
            dtype = _computed_in(member)
            vector[dtype] = vector.get(dtype, 0) + flops.of_loops(member, hint)
    counted_flops = sum(matrix.values()) + sum(vector.values())
    target = active_target()
    rates = None if target is None else target.rates
    least = None if rates is None else rates.lower_bound(int(sum(moved.values())), matrix, vector, 1)
    return KernelCost(
        kind=kind,
        numbers=(
            ("launches", 1),
            ("read", int(sum(moved.values()) - written)),
            ("written", int(written)),
            *(() if unknown and not counted_flops else (("flops", counted_flops),)),
        ),
        operands=operands,
        operators=tuple(dict.fromkeys(name for member in node.get_nodes() for name in computed(member.node))),
        least_ns=None if least is None else least.ns,
        bound="" if least is None else least.bound,
    )


def _is_view(node: Any) -> bool:
    """Whether `node` calls an operator that only returns a view of its input, as for complex numbers: nothing moves."""
    return bool(inductor.IS_VIEW.of(inductor.OVERLOAD.of(node.node, None), False))


def _computed_in(node: Any) -> str:
    """Loops compute in float32, whatever they load, unless an output is float64."""
    types = {dtype_name(buffer.node.get_dtype()) for buffer in node.get_outputs()}
    return "f64" if types & {"f64", "c128"} else "f32"


def _peak_memory(lowering: Any, nodes: list[Any]) -> int:
    """The most memory that the graph holds, by `estimate_peak_memory_allocfree` of torch/_inductor/memory.py.

    `estimate_peak_memory` is the same, but up to torch 2.12 it subtracts a graph's outputs again. The caller's inputs
    do not count; tensors saved for backward do.
    """
    OrderedSet = tensors.ORDERED_SET.get()
    scheduler = lowering.scheduler
    buffers = scheduler.name_to_buf
    outputs = OrderedSet(lowering.get_output_names())
    _, freeable = names.PLANNING.get()(
        nodes, buffers, scheduler.name_to_fused_node, OrderedSet(lowering.graph_inputs), outputs
    )
    # The estimate is for a schedule. Code generation knows more: a buffer that stays in registers is never allocated,
    # and one that reuses a buffer that nobody reads again takes over its memory.
    for name in lowering.removed_buffers:
        if name in buffers:
            buffers[name].mpi_buffer.size_alloc = buffers[name].mpi_buffer.size_free = 0
    for name, over in lowering.wrapper_code.reuses.items():
        if name in buffers and over in buffers:
            buffers[name].mpi_buffer.size_alloc = buffers[over].mpi_buffer.size_free = 0
    return int(names.PEAK.get()(nodes, freeable, outputs)[0])
