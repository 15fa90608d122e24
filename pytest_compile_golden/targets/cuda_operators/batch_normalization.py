"""Batch norm in the steps that SyncBatchNorm takes, as a GPU computes them; all on the CPU.

Narrow inputs are computed in float32, and their statistics stay in it (aten/src/ATen/native/cuda/Normalization.cuh).
Inputs are (batch, channels, ...), statistics (channels), gathered statistics (ranks, channels).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


def _widened(tensor: Tensor) -> Tensor:
    return tensor if tensor.dtype == torch.float64 else tensor.float()


def _others(tensor: Tensor) -> list[int]:
    return [0, *range(2, tensor.dim())]


def _across(statistics: Tensor, like: Tensor) -> Tensor:
    return _widened(statistics).reshape(-1, *(1,) * (like.dim() - 2))


def _stats(input: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """Mean and inverse standard deviation of each channel."""
    variance, mean = torch.var_mean(_widened(input), _others(input), correction=0)
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
    weights = _widened(counts).reshape(-1, 1)
    total = weights.sum()
    mean, invstd = _widened(mean), _widened(invstd)
    common = (mean * weights).sum(0) / total
    variance = ((invstd**-2 - eps + (mean - common) ** 2) * weights).sum(0) / total
    if running_mean is not None:
        running_mean.lerp_(common.to(running_mean.dtype), momentum)
    if running_var is not None:
        running_var.lerp_(
            (variance * total / (total - 1)).to(running_var.dtype), momentum
        )
    return common, (variance + eps).rsqrt()


def _gather_stats(
    mean: Tensor, count: int, input: Tensor, **given: Any
) -> tuple[Tensor, Tensor]:
    return _gather_stats_with_counts(
        mean, counts=torch.full((mean.shape[0],), float(count)), **given
    )


def _elemt(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    mean: Tensor,
    invstd: Tensor,
) -> Tensor:
    """`input`, normalised."""
    result = (_widened(input) - _across(mean, input)) * _across(invstd, input)
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
    gradient = _widened(grad_out)
    sums = gradient.sum(_others(input))
    of_distances = (gradient * (_widened(input) - _across(mean, input))).sum(
        _others(input)
    )
    dtype = sums.dtype if weight is None else weight.dtype
    return (
        sums if input_g else None,
        of_distances if input_g else None,
        (of_distances * _widened(invstd)).to(dtype) if weight_g else None,
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
    distances = (_widened(input) - _across(mean, input)) * _across(invstd, input) ** 2
    gradient = (
        _widened(grad_out)
        - _across(sum_dy, input) / total
        - distances * _across(sum_dy_xmu, input) / total
    )
    gradient = gradient * _across(invstd, input)
    return (gradient if weight is None else gradient * _across(weight, input)).to(
        input.dtype
    )


STAND_INS: dict[str, Callable[..., Any]] = {
    "aten::batch_norm_stats": _stats,
    "aten::batch_norm_gather_stats": _gather_stats,
    "aten::batch_norm_gather_stats_with_counts": _gather_stats_with_counts,
    "aten::batch_norm_elemt": _elemt,
    "aten::batch_norm_backward_reduce": _backward_reduce,
    "aten::batch_norm_backward_elemt": _backward_elemt,
}
