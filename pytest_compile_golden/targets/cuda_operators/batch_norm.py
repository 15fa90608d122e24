"""Batch norm in the steps that SyncBatchNorm takes (aten/src/ATen/native/cuda/Normalization.cuh), computed on the CPU.

Inputs are (batch, channels, ...), statistics (channels) in at least float32, gathered statistics (ranks, channels).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


def _wide(tensor: Tensor) -> Tensor:
    return tensor if tensor.dtype == torch.float64 else tensor.float()


def _others(tensor: Tensor) -> list[int]:
    return [0, *range(2, tensor.dim())]


def _across(statistics: Tensor, like: Tensor) -> Tensor:
    return _wide(statistics).reshape(-1, *(1,) * (like.dim() - 2))


def _stats(input: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """Mean and inverse standard deviation of each channel."""
    variance, mean = torch.var_mean(_wide(input), _others(input), correction=0)
    return mean, (variance + eps).rsqrt()


def _gather_stats_with_counts(
    mean: Tensor,
    invstd: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    momentum: float,
    eps: float,
    counts: Tensor,
) -> tuple[Tensor, Tensor]:
    """Mean and inverse standard deviation over all ranks; writes the running ones."""
    weights = _wide(counts).reshape(-1, 1)
    total = weights.sum()
    mean, invstd = _wide(mean), _wide(invstd)
    common = (mean * weights).sum(0) / total
    variance = ((invstd**-2 - eps + (mean - common) ** 2) * weights).sum(0) / total
    if running_mean is not None:
        running_mean.lerp_(common.to(running_mean.dtype), momentum)
    if running_var is not None:
        running_var.lerp_((variance * total / (total - 1)).to(running_var.dtype), momentum)
    return common, (variance + eps).rsqrt()


def _gather_stats(
    mean: Tensor,
    invstd: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    momentum: float,
    eps: float,
    count: int,
) -> tuple[Tensor, Tensor]:
    counts = torch.full((mean.shape[0],), float(count))
    return _gather_stats_with_counts(mean, invstd, running_mean, running_var, momentum, eps, counts)


def _elemt(input: Tensor, weight: Tensor | None, bias: Tensor | None, mean: Tensor, invstd: Tensor) -> Tensor:
    """`input`, normalised."""
    result = (_wide(input) - _across(mean, input)) * _across(invstd, input)
    if weight is not None:
        result = result * _across(weight, input)
    if bias is not None:
        result = result + _across(bias, input)
    return result.to(input.dtype)


def _backward_reduce(
    grad_out: Tensor,
    input: Tensor,
    mean: Tensor,
    invstd: Tensor,
    weight: Tensor | None,
    input_g: bool,
    weight_g: bool,
    bias_g: bool,
) -> tuple[Tensor | None, ...]:
    """Sums of the gradient, and of the gradient times the distance from the mean; gradients of weight and bias."""
    gradient = _wide(grad_out)
    sums = gradient.sum(_others(input))
    of_distances = (gradient * (_wide(input) - _across(mean, input))).sum(_others(input))
    dtype = sums.dtype if weight is None else weight.dtype
    return (
        sums if input_g else None,
        of_distances if input_g else None,
        (of_distances * _wide(invstd)).to(dtype) if weight_g else None,
        sums.to(dtype) if bias_g else None,
    )


def _backward_elemt(
    grad_out: Tensor,
    input: Tensor,
    mean: Tensor,
    invstd: Tensor,
    weight: Tensor | None,
    sum_dy: Tensor,
    sum_dy_xmu: Tensor,
    count: Tensor,
) -> Tensor:
    """The gradient of `input`."""
    total = count.sum()
    distances = (_wide(input) - _across(mean, input)) * _across(invstd, input) ** 2
    gradient = _wide(grad_out) - _across(sum_dy, input) / total - distances * _across(sum_dy_xmu, input) / total
    gradient = gradient * _across(invstd, input)
    return (gradient if weight is None else gradient * _across(weight, input)).to(input.dtype)


STAND_INS: dict[str, Callable[..., Any]] = {
    "aten::batch_norm_stats": _stats,
    "aten::batch_norm_gather_stats": _gather_stats,
    "aten::batch_norm_gather_stats_with_counts": _gather_stats_with_counts,
    "aten::batch_norm_elemt": _elemt,
    "aten::batch_norm_backward_reduce": _backward_reduce,
    "aten::batch_norm_backward_elemt": _backward_elemt,
}
