"""Changes of the compiler that can be made beside each other: settings, decompositions, rules of the partitioner."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch
import torch._functorch.config
import torch._functorch.partitioners
import torch._inductor.config
import torch._inductor.decomposition
import torch._inductor.fx_passes.joint_graph
import torch._inductor.lowering
from torch import Tensor

aten = torch.ops.aten
_BACKWARD = r"graph_\d_backward"
_REDUCES = r": reduction|reduction$"


@dataclass(frozen=True)
class Toggle:
    """One change, which is made in a process of its own and never undone."""

    name: str
    make: Callable[[], None]
    near: str = ""
    """A pattern for texts of a program that it may change."""

    def may_change(self, texts: Iterable[str]) -> bool:
        return any(re.search(self.near, text) for text in texts)


def _inductor(name: str, value: Any, near: str = "") -> Toggle:
    return Toggle(name, lambda: setattr(torch._inductor.config, name, value), near)


def _functorch(name: str, value: Any) -> Toggle:
    return Toggle(
        name, lambda: setattr(torch._functorch.config, name, value), _BACKWARD
    )


def _decomposed(
    name: str, operator: Any, near: str, function: Callable[..., Any]
) -> Toggle:
    """An operator that is computed in another way."""

    def make() -> None:
        torch._inductor.decomposition.decompositions[operator] = function

    return Toggle(name, make, near)


def _not_decomposed(name: str, operator: Any, near: str) -> Toggle:
    def make() -> None:
        del torch._inductor.decomposition.decompositions[operator]

    return Toggle(name, make, near)


def _gelu(x: Tensor, approximate: str = "none") -> Tensor:
    wide = x.float()
    inner = wide * (1 + 0.044715 * wide * wide) * math.sqrt(2 / math.pi)
    return (0.5 * wide * (1 + torch.tanh(inner))).to(x.dtype)


def _silu(x: Tensor) -> Tensor:
    wide = x.float()
    return (wide / (1 + torch.exp(-wide))).to(x.dtype)


def _silu_backward(gradient: Tensor, x: Tensor) -> Tensor:
    wide = x.float()
    sigmoid = 1 / (1 + torch.exp(-wide))
    return (gradient * sigmoid * (1 + wide - wide * sigmoid)).to(x.dtype)


def _lerp(start: Tensor, end: Tensor, weight: float) -> Tensor:
    return start * (1 - weight) + end * weight


def _recomputes_no(*names: str) -> Callable[[], None]:
    """The partitioner keeps what these operators compute, or has it computed again by what it is made of."""

    def make() -> None:
        original = torch._functorch.partitioners.get_default_op_list

        def get_default_op_list() -> Any:
            types = original()
            types.recomputable_ops.difference_update(
                getattr(aten, name) for name in names
            )
            return types

        torch._functorch.partitioners.get_default_op_list = get_default_op_list

    return make


def _no_exp_to_save() -> None:
    """Where exp is used twice, a heavy function in the place of one that is cheap to repeat."""
    import torch._inductor.ir as ir

    original = ir.StorageBox.should_realize_on_reuse

    def should_realize_on_reuse(self: Any, users: int, **options: bool) -> bool:
        computed = isinstance(self.data, (ir.Pointwise, ir.Reduction))
        if computed and users > 1 and "exp" in self.data.inner_fn_opcount().used_ops:
            return True
        return bool(original(self, users, **options))

    ir.StorageBox.should_realize_on_reuse = should_realize_on_reuse


def _unneeded_nodes_stay() -> None:
    """Products with 1 and sums with 0 are no longer removed."""
    torch._inductor.fx_passes.joint_graph.remove_no_ops = lambda *_, **__: None


TOGGLES = (
    _inductor("pattern_matcher", False),
    _inductor("max_fusion_size", 3),
    _inductor("realize_reads_threshold", 1),
    _inductor("realize_opcount_threshold", 5),
    _inductor("split_reductions", False, _REDUCES),
    _inductor("reorder_for_peak_memory", False),
    _inductor("layout_optimization", False, "convolution"),
    _inductor("unroll_reductions_threshold", 100, _REDUCES),
    _inductor("aggressive_fusion", True),
    _inductor("split_cat_fx_passes", False, r"\.(cat|split|stack|unbind|chunk)\b"),
    _inductor("joint_graph_constant_folding", False),
    _inductor("online_softmax", False, "softmax"),
    _inductor("loop_ordering_after_fusion", False),
    _inductor("delay_realize_cheap_outputs", False),
    _inductor("max_pointwise_cat_inputs", 1, r"aten\.cat"),
    _functorch("activation_memory_budget", 0.5),
    _functorch("ban_recompute_reductions", False),
    _functorch("ban_recompute_used_far_apart", False),
    _functorch("aggressive_recomputation", True),
    _functorch("cse", False),
    _decomposed("gelu in another form", aten.gelu.default, "gelu", _gelu),
    _decomposed("silu in another form", aten.silu.default, "silu", _silu),
    _decomposed(
        "silu_backward", aten.silu_backward.default, "silu_backward", _silu_backward
    ),
    _decomposed("lerp", aten.lerp.Scalar, "lerp", _lerp),
    _not_decomposed(
        "embedding_dense_backward",
        aten.embedding_dense_backward.default,
        "embedding_dense_backward",
    ),
    _not_decomposed("tanh_backward", aten.tanh_backward.default, "tanh_backward"),
    _not_decomposed("native_group_norm", aten.native_group_norm.default, "group_norm"),
    Toggle("nodes without effect stay", _unneeded_nodes_stay),
    Toggle("exp is stored where it is used twice", _no_exp_to_save, r"aten\.exp\b"),
    Toggle(
        "sigmoid and tanh are not recomputed",
        _recomputes_no("sigmoid", "tanh"),
        r"aten\.(sigmoid|tanh)\b",
    ),
)
