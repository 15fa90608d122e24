"""What operators that only CUDA has compute, on the CPU."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


def on_cpu(func: Any) -> Callable[..., Any]:
    """`func`, or a function of the same arguments that computes on the CPU what `func` does on a GPU."""
    if not isinstance(func, torch._ops.OpOverload):
        return func  # type: ignore[no-any-return]
    return _on_cpu(func)


@functools.cache
def _on_cpu(func: Any) -> Callable[..., Any]:
    name = func.name()
    if name in _STAND_INS:
        return _STAND_INS[name]
    if not torch._C._dispatch_has_computed_kernel_for_dispatch_key(name, "CPU"):
        from torch._decomp import decomposition_table

        return decomposition_table.get(func, func)  # type: ignore[no-any-return]
    return func  # type: ignore[no-any-return]


def _attend(
    query: Tensor, key: Tensor, value: Tensor, bias: Tensor | None, causal: bool, scale: float | None
) -> tuple[Tensor, Tensor]:
    """Attention in float64: the output, and each row's logarithm of the sum of exponentials."""
    groups = query.shape[-3] // key.shape[-3]
    if groups > 1:
        key, value = (each.repeat_interleave(groups, -3) for each in (key, value))
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = query.double() @ key.double().transpose(-1, -2) * factor
    if bias is not None:
        scores = scores + bias.double()
    if causal:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).tril().logical_not(), -math.inf)
    return scores.softmax(-1).nan_to_num(0.0) @ value.double(), scores.logsumexp(-1)


def _like_query(values: Tensor, query: Tensor) -> Tensor:
    """As CUDA's kernels lay them out: (batch, sequence, heads, size), seen as (batch, heads, sequence, size)."""
    return values.to(query.dtype).transpose(1, 2).contiguous().transpose(1, 2)


def _no_dropout(dropout: float) -> None:
    if dropout:
        raise NotImplementedError("attention with dropout draws its numbers inside of the kernel")


def _seeds() -> tuple[Tensor, Tensor]:
    return torch.zeros((), dtype=torch.int64), torch.zeros((), dtype=torch.int64)


def _efficient(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_bias: Tensor | None,
    compute_log_sumexp: bool,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
) -> tuple[Any, ...]:
    """aten::_scaled_dot_product_efficient_attention (aten/src/ATen/native/native_functions.yaml)."""
    _no_dropout(dropout_p)
    output, sums = _attend(query, key, value, attn_bias, is_causal, scale)
    rows = math.ceil(query.shape[-2] / 32) * 32 if compute_log_sumexp else 0
    padded = torch.full((*sums.shape[:-1], rows), math.inf)
    padded[..., : sums.shape[-1]] = sums[..., :rows]
    return _like_query(output, query), padded, *_seeds()


def _efficient_backward(
    grad_out: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_bias: Tensor | None,
    out: Tensor,
    logsumexp: Tensor,
    philox_seed: Tensor,
    philox_offset: Tensor,
    dropout_p: float,
    grad_input_mask: list[bool],
    is_causal: bool = False,
    *,
    scale: float | None = None,
) -> tuple[Any, ...]:
    _no_dropout(dropout_p)
    given = [query, key, value, *([] if attn_bias is None else [attn_bias])]
    found: list[Any] = [*_attention_gradients(grad_out, given, is_causal, scale)]
    found += [None] * (4 - len(found))
    return tuple(each if wanted else None for each, wanted in zip(found, grad_input_mask, strict=True))


def _attention_gradients(grad_out: Tensor, given: list[Tensor], causal: bool, scale: float | None) -> list[Tensor]:
    with torch.enable_grad():
        leaves = [each.detach().double().requires_grad_() for each in given]
        bias = leaves[3] if len(leaves) > 3 else None
        output, _ = _attend(leaves[0], leaves[1], leaves[2], bias, causal, scale)
        found = torch.autograd.grad(output, leaves, grad_out.double())
    return [_like_query(each, like) for each, like in zip(found, given, strict=True)]


def _flash(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    return_debug_mask: bool = False,
    *,
    scale: float | None = None,
) -> tuple[Any, ...]:
    """aten::_scaled_dot_product_flash_attention."""
    _no_dropout(dropout_p)
    output, sums = _attend(query, key, value, None, is_causal, scale)
    seed = torch.zeros(2, dtype=torch.uint64), torch.zeros((), dtype=torch.uint64)
    lengths = query.shape[-2], key.shape[-2]
    return _like_query(output, query), sums.float(), None, None, *lengths, *seed, torch.empty(0, dtype=query.dtype)


def _flash_backward(
    grad_out: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    out: Tensor,
    logsumexp: Tensor,
    cum_seq_q: Tensor | None,
    cum_seq_k: Tensor | None,
    max_q: int,
    max_k: int,
    dropout_p: float,
    is_causal: bool,
    philox_seed: Tensor,
    philox_offset: Tensor,
    *,
    scale: float | None = None,
) -> tuple[Any, ...]:
    _no_dropout(dropout_p)
    return tuple(_attention_gradients(grad_out, [query, key, value], is_causal, scale))


def _cudnn(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_bias: Tensor | None,
    compute_log_sumexp: bool,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    return_debug_mask: bool = False,
    *,
    scale: float | None = None,
) -> tuple[Any, ...]:
    """aten::_scaled_dot_product_cudnn_attention."""
    _no_dropout(dropout_p)
    output, sums = _attend(query, key, value, attn_bias, is_causal, scale)
    lengths = query.shape[-2], key.shape[-2]
    return _like_query(output, query), sums.float().unsqueeze(-1), None, None, *lengths, *_seeds(), torch.empty(0)


def _cudnn_backward(
    grad_out: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    out: Tensor,
    logsumexp: Tensor,
    philox_seed: Tensor,
    philox_offset: Tensor,
    attn_bias: Tensor | None,
    cum_seq_q: Tensor | None,
    cum_seq_k: Tensor | None,
    max_q: int,
    max_k: int,
    dropout_p: float,
    is_causal: bool,
    *,
    scale: float | None = None,
) -> tuple[Any, ...]:
    _no_dropout(dropout_p)
    given = [query, key, value, *([] if attn_bias is None else [attn_bias])]
    return tuple(_attention_gradients(grad_out, given, is_causal, scale)[:3])


_STAND_INS: dict[str, Callable[..., Any]] = {
    "aten::_scaled_dot_product_efficient_attention": _efficient,
    "aten::_scaled_dot_product_efficient_attention_backward": _efficient_backward,
    "aten::_scaled_dot_product_flash_attention": _flash,
    "aten::_scaled_dot_product_flash_attention_backward": _flash_backward,
    "aten::_scaled_dot_product_cudnn_attention": _cudnn,
    "aten::_scaled_dot_product_cudnn_attention_backward": _cudnn_backward,
}
