"""Floating-point operations: of library calls and templates by torch's formulas, of loops by counting their bodies."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch.fx import Node as FxNode

from pytest_compile_golden.observe.graphs import dtype_name
from pytest_compile_golden.torch_names import inductor as names
from pytest_compile_golden.torch_names import tensors

# Operations that move, convert, compare or select, which is not arithmetic (torch/_inductor/ops_handler.py).
_FREE = frozenset(
    {
        *("load", "store", "store_reduction", "masked", "output", "load_seed", "partial_accumulate", "bucketize"),
        *("constant", "index_expr", "get_index", "indirect_indexing", "check_bounds", "device_assert_async"),
        *("to_dtype", "to_dtype_bitcast", "identity", "where", "signbit", "isnan", "isinf", "frexp"),
        *("eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_not", "logical_xor"),
        *("and_", "or_", "xor", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"),
        *("lshift", "rshift", "bitwise_left_shift", "bitwise_right_shift"),
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
    **{f"_scaled_dot_product_{name}_backward": ("backward", (0, 1, 2, 3)) for name in _KERNELS},
    "flex_attention": ("forward", (0, 1, 2)),
    "flex_attention_backward": ("backward", (5, 0, 1, 2)),
}
_FORMULAS = {
    "forward": torch.ops.aten._scaled_dot_product_flash_attention,
    "backward": torch.ops.aten._scaled_dot_product_flash_attention_backward,
}

Hint = Callable[[Any], int]
"""Returns the value that a symbolic size has in this compile."""


def of_call(operation: Any, hint: Hint) -> tuple[int, str] | None:
    """FLOPs of a library call or a template, and the dtype that it multiplies; None if there is no formula.

    Uses the formula in `torch.utils.flop_counter.flop_registry` for the operator that the call was made from, as
    `BaseSchedulerNode.estimate_flops` does (torch/_inductor/scheduler.py); that, however, has none for convolutions and
    attention, and increments a counter. Sizes are hints, so no guards are added.
    """
    counts = list(_counted(operation, hint))
    if not counts:
        return None
    return sum(flops for flops, _ in counts), counts[0][1]


def _counted(operation: Any, hint: Hint) -> Iterator[tuple[int, str]]:
    origins = [origin for origin in names.ORIGINS.of(operation) if origin.op == "call_function"]
    overload = names.OVERLOAD.of(operation, None)
    # A call made from several nodes counts as the one that it is named after.
    for node in [origin for origin in origins if origin.target is overload] or origins:
        try:
            flops = _by_formula(node, hint)
        except (AssertionError, TypeError, ValueError, LookupError):
            continue  # torch's formulas reject inputs they were not written for
        if flops is not None:
            yield flops, _operands(node)


def _by_formula(node: FxNode, hint: Hint) -> int | None:
    flop_registry = names.FLOP_REGISTRY.get()
    name = _name(node)
    if name in _ATTENTION:
        kind, indices = _ATTENTION[name]
        shapes = [_shape(node.args[index], hint) for index in indices]
        queries, *others = shapes[-3:]
        # Repeat keys and values that heads share: before 2.13 torch's formula rejects those.
        grouped = [queries, *([shape[0], queries[1], *shape[2:]] for shape in others)]
        return int(flop_registry[_FORMULAS[kind]](*map(torch.Size, [*shapes[:-3], *grouped])))
    if name in ("_int_mm", "_linear_pointwise", "_mkl_linear"):
        return 2 * math.prod(_shape(node, hint)) * _shape(node.args[0], hint)[-1]
    if name == "_convolution_pointwise":
        return 2 * math.prod(_shape(node, hint)) * math.prod(_shape(node.args[1], hint)[1:])
    formula = flop_registry.get(getattr(node.target, "overloadpacket", node.target))
    if formula is None:
        return None

    def meta(value: Any) -> Any:
        return _meta(value, hint)

    args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), lambda argument: argument.meta.get("val"))
    args, kwargs, result = tensors.PYTREE.get().tree_map(meta, (args, kwargs, node.meta.get("val")))
    return int(formula(*args, **kwargs, out_val=result))


def _meta(value: Any, hint: Hint) -> Any:
    """A value with concrete sizes: symbolic ones would be guarded on when a formula compares them."""
    if isinstance(value, torch.Tensor):
        return torch.empty([hint(size) for size in value.shape], dtype=value.dtype, device="meta")
    return hint(value) if isinstance(value, torch.SymInt) else value


def _shape(node: Any, hint: Hint) -> list[int]:
    return [hint(size) for size in node.meta["val"].shape]


def _name(node: FxNode) -> str:
    target: Any = node.target
    return str(getattr(target, "_opname", None) or getattr(target, "__name__", target))


def _operands(node: FxNode) -> str:
    """The dtype that the call multiplies; `tf32` for float32 where a GPU may round it to that."""
    first: Any = node.args[1 if _name(node).startswith(("addmm", "baddbmm")) else 0]
    tensor: torch.Tensor = first.meta["val"]
    name = dtype_name(tensor.dtype)
    convolution = "convolution" in _name(node)
    rounded = torch.backends.cudnn.allow_tf32 if convolution else torch.get_float32_matmul_precision() != "highest"
    return "tf32" if name == "f32" and tensor.device.type == "cuda" and rounded else name


def of_loops(node: Any, hint: Hint) -> int:
    """Arithmetic in the loops of one scheduler node: the operations in the body times the number of iterations.

    Inductor has no such number. Without it, a product computed in a loop of its own would count as free.
    """
    body = names.BODY.of(node, None)
    if body is None:
        return 0
    blocks = (body.root_block, *body.subblocks.values())
    operations = sum(_arithmetic(call) for block in blocks for call in block.graph.nodes if call.op == "call_method")
    sizes, reduced = node.get_ranges()
    return operations * math.prod(hint(size) for size in (*sizes, *reduced))


def _arithmetic(operation: Any) -> int:
    name = operation.target
    if name == "reduction":
        return _REDUCTIONS.get(operation.args[3], 1)
    return 0 if name in _FREE else _FUSED.get(name, 1)
