"""Layer and batch norm of narrow inputs as a GPU computes them: in float32, and the statistics stay in float32.

(aten/src/ATen/native/cuda/layer_norm_kernel.cu and Normalization.cuh; a CPU's statistics have the input's dtype, and it
takes no others back.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

_aten = torch.ops.aten


def _wide(*tensors: Tensor | None) -> list[Tensor | None]:
    return [tensor if tensor is None or tensor.dtype == torch.float64 else tensor.float() for tensor in tensors]


def _layer_norm(
    input: Tensor, normalized_shape: list[int], weight: Tensor | None, bias: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    wide, *affine = _wide(input, weight, bias)
    result, mean, rstd = _aten.native_layer_norm(wide, normalized_shape, *affine, eps)
    return result.to(input.dtype), mean, rstd


def _layer_norm_backward(
    grad_out: Tensor,
    input: Tensor,
    normalized_shape: list[int],
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    output_mask: list[bool],
) -> tuple[Tensor | None, ...]:
    gradients = _aten.native_layer_norm_backward(
        *_wide(grad_out, input), normalized_shape, mean, rstd, *_wide(weight, bias), output_mask
    )
    return _like(gradients, (input, weight, bias))


def _batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """Writes the running statistics while training."""
    running = _wide(running_mean, running_var)
    result, mean, invstd = _aten.native_batch_norm(*_wide(input, weight, bias), *running, training, momentum, eps)
    for statistic, wide in zip((running_mean, running_var), running, strict=True):
        if training and statistic is not None and wide is not None:
            statistic.copy_(wide)
    if not training and running[0] is not None and running[1] is not None:
        mean, invstd = running[0], (running[1] + eps).rsqrt()  # a CPU saves none
    return result.to(input.dtype), mean, invstd


def _batch_norm_backward(
    grad_out: Tensor,
    input: Tensor,
    weight: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    save_mean: Tensor | None,
    save_invstd: Tensor | None,
    train: bool,
    eps: float,
    output_mask: list[bool],
) -> tuple[Tensor | None, ...]:
    statistics = _wide(running_mean, running_var, save_mean, save_invstd)
    gradients = _aten.native_batch_norm_backward(*_wide(grad_out, input, weight), *statistics, train, eps, output_mask)
    return _like(gradients, (input, weight, weight))


def _like(gradients: Sequence[Tensor | None], of: Sequence[Tensor | None]) -> tuple[Tensor | None, ...]:
    """Each gradient in the dtype of its tensor."""
    pairs = zip(gradients, of, strict=True)
    return tuple(one if one is None or tensor is None else one.to(tensor.dtype) for one, tensor in pairs)


STAND_INS: dict[str, Callable[..., Any]] = {
    "aten::native_layer_norm": _layer_norm,
    "aten::native_layer_norm_backward": _layer_norm_backward,
    "aten::native_batch_norm": _batch_norm,
    "aten::native_batch_norm_backward": _batch_norm_backward,
}
