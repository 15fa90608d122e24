"""What a graph's kernels move and compute, and the memory that the graph holds, by Inductor's own numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch.fx import Node as FxNode

from pytest_compile_golden.facts.costs import (
    BufferLifetime,
    GraphCost,
    KernelCost,
    KernelShares,
    Liveness,
)
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.probes.scheduler import computed, group_kind
from pytest_compile_golden.observe.record_graphs import dtype_name
from pytest_compile_golden.observe.torch_hooks import Hooks
from pytest_compile_golden.targets import active_target
from pytest_compile_golden.torch_internals import dynamo, inductor, kernels, tensors
from pytest_compile_golden.torch_internals import scheduler as scheduler_names

_SUMMED = ("launches", "read", "written", "flops")
# Operations that move, convert, compare or select, which is not arithmetic (torch/_inductor/ops_handler.py).
_FREE = frozenset(
    {
        "load",
        "store",
        "store_reduction",
        "masked",
        "output",
        "load_seed",
        "partial_accumulate",
        "bucketize",
        "constant",
        "index_expr",
        "value_expr",
        "get_index",
        "indirect_indexing",
        "check_bounds",
        "device_assert_async",
        "to_dtype",
        "to_dtype_bitcast",
        "identity",
        "where",
        "signbit",
        "isnan",
        "isinf",
        "frexp",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "logical_and",
        "logical_or",
        "logical_not",
        "logical_xor",
        "and_",
        "or_",
        "xor",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "bitwise_not",
        "lshift",
        "rshift",
        "bitwise_left_shift",
        "bitwise_right_shift",
    }
)
# Operations per input element; a sum or a maximum is one.
_REDUCTIONS = {"welford_reduce": 4, "welford_combine": 4, "online_softmax_reduce": 4}
_FUSED = {"fma": 2}

# Attention operators that torch has formulas for under other names, or only in newer versions
# (torch/utils/flop_counter.py). The numbers are argument indices: queries, keys and values, in a backward preceded by
# the gradient of the output.
_KERNELS = (
    "efficient_attention",
    "flash_attention",
    "cudnn_attention",
    "flash_attention_for_cpu",
    "fused_attention_overrideable",
)
_ATTENTION: Mapping[str, tuple[str, tuple[int, ...]]] = {
    **{f"_scaled_dot_product_{name}": ("forward", (0, 1, 2)) for name in _KERNELS},
    **{
        f"_scaled_dot_product_{name}_backward": ("backward", (0, 1, 2, 3))
        for name in _KERNELS
    },
    "flex_attention": ("forward", (0, 1, 2)),
    "flex_attention_backward": ("backward", (5, 0, 1, 2)),
}
_FORMULAS = {
    "forward": torch.ops.aten._scaled_dot_product_flash_attention,
    "backward": torch.ops.aten._scaled_dot_product_flash_attention_backward,
}

Hint = Callable[[Any], int]
"""Returns the value that a symbolic size has in this compile."""


class CostProbe:
    """Queries the scheduler when the code is written: by then, nothing that is queried can affect the code."""

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        def written(lowering: Any, *args: Any, **kwargs: Any) -> None:
            label, nodes = recorder.key.label, list(lowering.scheduler.nodes)
            planned = _planned(lowering, nodes)
            peak_memory = int(scheduler_names.PEAK.get()(nodes, *planned)[0])
            kernels_and_shares = list(_kernels(lowering, label))
            recorder.add(
                "cost",
                _graph(label, [cost for cost, _ in kernels_and_shares], peak_memory),
            )
            for _, shares in kernels_and_shares:
                recorder.add("kernel_shares", shares)
            if scheduler_names.TIMELINE.here:
                steps = tuple(node.get_name() for node in nodes)
                recorder.add(
                    "liveness",
                    Liveness(
                        label, steps, tuple(_lifetimes(lowering, nodes, *planned))
                    ),
                )

        hooks.before(kernels.COMPILE_TO_MODULE_LINES, written)


def _kernels(lowering: Any, label: str) -> Iterator[tuple[KernelCost, KernelShares]]:
    """The kernels of a graph in the order in which they run, with those of a nested region at each of its calls."""
    for node in lowering.scheduler.nodes:
        if isinstance(node.node, inductor.NESTED_REGION.get()):
            region = node.node.subgraph.graph
            with dynamo.VIRTUALIZED.get().set_graph_handler(region):
                yield from _kernels(region, label)
            continue
        kind = group_kind(node)
        # An operator that only returns a view of its input, as for complex numbers, moves nothing.
        called = inductor.OVERLOAD.of(node.node, None)
        if kind in ("unpack", "nop") or inductor.IS_VIEW.of(called, False):
            continue
        if not any(map(_runs, node.get_nodes())):
            continue
        kernel, shares = _kernel(kind, node, lowering, label)
        # A buffer that exists only for others to write to becomes no kernel, and neither do loops in a template.
        if kernel.kind == "extern" or kernel.number("read") or kernel.number("written"):
            yield kernel, shares


def _runs(node: Any) -> bool:
    """Whether anything is done for a node: not for loops over no elements (torch/_inductor/scheduler.py: is_no_op)."""
    return (
        node.is_extern()
        or node.is_template()
        or inductor.BODY.of(node, None) is not None
    )


def _graph(name: str, kernels: list[KernelCost], peak_memory: int) -> GraphCost:
    sums = (
        (number, sum(kernel.number(number) or 0 for kernel in kernels))
        for number in _SUMMED
    )
    times = [kernel.least_ns for kernel in kernels if kernel.least_ns is not None]
    least = sum(times) if len(times) == len(kernels) else None
    return GraphCost(name, (*sums, ("peak_memory", peak_memory)), tuple(kernels), least)


def _kernel(
    kind: str, node: Any, lowering: Any, label: str
) -> tuple[KernelCost, KernelShares]:
    def hint(size: Any) -> int:
        expression = size.node.expr if isinstance(size, torch.SymInt) else size
        return int(inductor.HINT.of(lowering.sizevars)(expression, fallback=0))

    moved, by_torch = _moved(node, lowering, hint)
    outputs = {dependency.name for dependency in node.read_writes.writes}
    written = sum(size for name, size in moved.items() if name in outputs)
    matrix: dict[str, int] = {}
    vector: dict[str, int] = {}
    operands, unknown = "", False
    flops: dict[str, int] = {}
    for member in node.get_nodes():
        if member.is_extern() or member.is_template():
            counted = of_call(member.node, hint)
            if counted is None:
                unknown = True
            else:
                operands = counted[1]
                matrix[operands] = matrix.get(operands, 0) + counted[0]
                flops[member.get_name()] = counted[0]
        else:
            # Loops compute in float32, whatever they load, unless an output is float64.
            types = {
                dtype_name(buffer.node.get_dtype()) for buffer in member.get_outputs()
            }
            dtype = "f64" if types & {"f64", "c128"} else "f32"
            flops[member.get_name()] = of_loops(member, hint)
            vector[dtype] = vector.get(dtype, 0) + flops[member.get_name()]
    counted_flops = sum(matrix.values()) + sum(vector.values())
    target = active_target()
    rates = None if target is None else target.rates
    least = (
        None
        if rates is None
        else rates.lower_bound(int(sum(moved.values())), matrix, vector, 1)
    )
    cost = KernelCost(
        kind=kind,
        numbers=(
            ("launches", 1),
            ("read", int(sum(moved.values()) - written)),
            ("written", int(written)),
            *(() if unknown and not counted_flops else (("flops", counted_flops),)),
        ),
        operands=operands,
        operators=tuple(
            dict.fromkeys(
                name for member in node.get_nodes() for name in computed(member.node)
            )
        ),
        least_ns=None if least is None else least.ns,
        bound="" if least is None else least.bound,
    )
    return cost, KernelShares(
        label,
        node.get_name(),
        tuple((name, int(size)) for name, size in moved.items()),
        tuple(flops.items()),
        tuple(
            (name, int(size)) for name, size in by_torch.items() if size != moved[name]
        ),
    )


def _moved(
    node: Any, lowering: Any, hint: Hint
) -> tuple[dict[str, int], dict[str, int]]:
    """Bytes that a kernel reads and writes of each buffer at most, each element once; and torch's own number.

    torch's own number for a kernel of several nodes is the whole of each buffer, however little of it the kernel loads
    (torch/_inductor/scheduler.py: get_read_write_buffer_accesses). Here loads and stores count as many elements as
    their loops have: those that the index is computed from, and all loops if the index is itself loaded.
    """
    counted: dict[str, int] = node.get_read_write_buffer_accesses(
        include_reads=True, include_writes=True
    )
    moved = dict(counted)
    memory_access = scheduler_names.MEMORY_ACCESS.get()
    elements: dict[str, dict[Any, int]] = {}
    whole: set[str] = set()
    for member in node.get_nodes():
        for access in (*member.read_writes.reads, *member.read_writes.writes):
            if isinstance(access, memory_access):
                indirect = scheduler_names.IS_INDIRECT.of(access)()
                ranges = (
                    [size for sizes in member.get_ranges() for size in sizes]
                    if indirect
                    else [access.get_numel()]
                )
                # Nodes of one kernel load the same elements once.
                elements.setdefault(access.name, {})[access.normalize()] = math.prod(
                    map(hint, ranges)
                )
            else:
                whole.add(access.name)
    for name in moved.keys() & elements.keys() - whole:
        moved[name] = min(
            moved[name],
            lowering.get_dtype(name).itemsize * sum(elements[name].values()),
        )
    return moved, counted


def _planned(lowering: Any, nodes: list[Any]) -> tuple[Any, Any]:
    """The inputs that the graph may free and its outputs, for `estimate_peak_memory_allocfree` of
    torch/_inductor/memory.py, which gives the most memory that the graph holds.

    `estimate_peak_memory` is the same, but up to torch 2.12 it subtracts a graph's outputs again. The caller's inputs
    do not count; tensors saved for backward do.
    """
    OrderedSet = tensors.ORDERED_SET.get()
    scheduler = lowering.scheduler
    buffers = scheduler.name_to_buf
    outputs = OrderedSet(lowering.get_output_names())
    _, freeable = scheduler_names.PLANNING.get()(
        nodes,
        buffers,
        scheduler.name_to_fused_node,
        OrderedSet(lowering.graph_inputs),
        outputs,
    )
    # The estimate is for a schedule. Code generation knows more: a buffer that stays in registers is never allocated,
    # and one that reuses a buffer that nobody reads again takes over its memory.
    for name in lowering.removed_buffers:
        if name in buffers:
            buffers[name].mpi_buffer.size_alloc = buffers[name].mpi_buffer.size_free = 0
    for name, over in lowering.wrapper_code.reuses.items():
        if name in buffers and over in buffers:
            buffers[name].mpi_buffer.size_alloc = buffers[over].mpi_buffer.size_free = 0
    return freeable, outputs


def _lifetimes(
    lowering: Any, nodes: list[Any], freeable: Any, outputs: Any
) -> Iterator[BufferLifetime]:
    """When the graph holds which buffer: what torch computes the peak from (torch/_inductor/memory.py)."""
    lifetimes = {
        lifetime.buffer.get_name(): lifetime
        for lifetime in scheduler_names.TIMELINE.get()(nodes, freeable, outputs)[0]
    }
    # As for the peak, an input that is written over is held beside what is written, since the graph did not make it.
    own = lifetimes.keys() & lowering.scheduler.name_to_buf.keys()
    reuses = {
        name: over
        for name, over in lowering.wrapper_code.reuses.items()
        if {name, over} <= own
    }
    heirs = {over: name for name, over in reuses.items()}
    for name, lifetime in lifetimes.items():
        made, freed = int(lifetime.size_alloc), int(lifetime.size_free)
        last = None if lifetime.end_step == -1 else int(lifetime.end_step)
        last_heir = name
        while last_heir in heirs:
            last_heir = heirs[last_heir]
        # What is taken over belongs to the buffer that takes it from its first step on, and no longer to the other.
        if name in reuses:
            made = int(lifetimes[last_heir].size_free)
        if name in heirs:
            freed, last = (
                int(lifetimes[last_heir].size_free),
                int(lifetimes[heirs[name]].start_step) - 1,
            )
        if made or freed:
            yield BufferLifetime(name, made, freed, int(lifetime.start_step), last)


def of_call(operation: Any, hint: Hint) -> tuple[int, str] | None:
    """FLOPs of a library call or a template, and the dtype that it multiplies; None if there is no formula.

    Uses the formula in `torch.utils.flop_counter.flop_registry` for the operator that the call was made from, as
    `BaseSchedulerNode.estimate_flops` does (torch/_inductor/scheduler.py); that, however, has none for convolutions and
    attention, and increments a counter. Sizes are hints, so no guards are added.
    """
    for node in _called(operation):
        try:
            flops = _by_formula(node, hint)
        except (AssertionError, TypeError, ValueError, LookupError):
            continue  # torch's formulas reject inputs they were not written for
        if flops is not None:
            return flops, _operands(node)
    return None


def _called(operation: Any) -> list[FxNode]:
    """The nodes that a call may have been made from, the likeliest first: of what is computed for the call alone, torch
    lists the nodes, too."""
    origins = [
        origin
        for origin in inductor.ORIGINS.of(operation)
        if origin.op == "call_function"
    ]
    overload = inductor.OVERLOAD.of(operation, None)
    called = str(inductor.KERNEL_NAME.of(operation, None)).rpartition(".")[2]
    named = [
        origin
        for origin in origins
        if origin.target is overload or _name(origin) == called
    ]
    several = named or origins
    if len(several) < 2:
        return several
    # What a call reads comes before it.
    place = {node: at for at, node in enumerate(several[0].graph.nodes)}
    return sorted(several, key=lambda node: place.get(node, -1), reverse=True)


def _by_formula(node: FxNode, hint: Hint) -> int | None:
    flop_registry = inductor.FLOP_REGISTRY.get()
    name = _name(node)
    if name in _ATTENTION:
        kind, indices = _ATTENTION[name]
        shapes = [_shape(node.args[index], hint) for index in indices]
        queries, *others = shapes[-3:]
        # Repeat keys and values that heads share: before 2.13 torch's formula rejects those.
        grouped = [queries, *([shape[0], queries[1], *shape[2:]] for shape in others)]
        return int(
            flop_registry[_FORMULAS[kind]](*map(torch.Size, [*shapes[:-3], *grouped]))
        )
    if name in ("_int_mm", "_linear_pointwise", "_mkl_linear"):
        return 2 * math.prod(_shape(node, hint)) * _shape(node.args[0], hint)[-1]
    if name == "_convolution_pointwise":
        return (
            2
            * math.prod(_shape(node, hint))
            * math.prod(_shape(node.args[1], hint)[1:])
        )
    formula = flop_registry.get(tensors.PACKET_OF.of(node.target, node.target))
    if formula is None:
        return None

    def meta(value: Any) -> Any:
        # With concrete sizes: symbolic ones would be guarded on when a formula compares them.
        if isinstance(value, torch.Tensor):
            return torch.empty(
                [hint(size) for size in value.shape], dtype=value.dtype, device="meta"
            )
        return hint(value) if isinstance(value, torch.SymInt) else value

    args, kwargs = torch.fx.node.map_arg(
        (node.args, node.kwargs), lambda argument: argument.meta.get("val")
    )
    args, kwargs, result = tensors.PYTREE.get().tree_map(
        meta, (args, kwargs, node.meta.get("val"))
    )
    return int(formula(*args, **kwargs, out_val=result))


def _shape(node: Any, hint: Hint) -> list[int]:
    return [hint(size) for size in node.meta["val"].shape]


def _name(node: FxNode) -> str:
    target: Any = node.target
    return str(getattr(target, "__name__", target)).partition(".")[0]


def _operands(node: FxNode) -> str:
    """The dtype that the call multiplies; `tf32` for float32 where a GPU may round it to that."""
    first: Any = node.args[1 if _name(node).startswith(("addmm", "baddbmm")) else 0]
    tensor: torch.Tensor = first.meta["val"]
    name = dtype_name(tensor.dtype)
    convolution = "convolution" in _name(node)
    rounded = (
        torch.backends.cudnn.allow_tf32
        if convolution
        else torch.get_float32_matmul_precision() != "highest"
    )
    return (
        "tf32" if name == "f32" and tensor.device.type == "cuda" and rounded else name
    )


def of_loops(node: Any, hint: Hint) -> int:
    """Arithmetic in the loops of one scheduler node: the operations in the body times the number of iterations.

    Inductor has no such number. Without it, a product computed in a loop of its own would count as free.
    """
    body = inductor.BODY.of(node, None)
    if body is None:
        return 0
    blocks = (body.root_block, *body.subblocks.values())
    operations = sum(
        _arithmetic(call)
        for block in blocks
        for call in block.graph.nodes
        if call.op == "call_method"
    )
    sizes, reduced = node.get_ranges()
    return operations * math.prod(hint(size) for size in (*sizes, *reduced))


def _arithmetic(operation: Any) -> int:
    name = operation.target
    if name == "reduction":
        return _REDUCTIONS.get(operation.args[3], 1)
    return 0 if name in _FREE else _FUSED.get(name, 1)
