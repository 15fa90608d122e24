"""What a GPU leaves to cuDNN, computed on the CPU: convolutions, batch norm, sampling of grids, CTC loss.

Arguments are those of aten/src/ATen/native/native_functions.yaml.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

_aten = torch.ops.aten


def _convolution(
    self: Tensor,
    weight: Tensor,
    padding: Sequence[int],
    stride: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Tensor:
    return _with_bias(self, weight, None, stride, padding, dilation, groups)


def _with_bias(
    self: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Tensor:
    none = [0] * len(stride)
    made: Tensor = _aten.convolution(
        self, weight, bias, stride, padding, dilation, False, none, groups
    )
    return made


def _convolution_transpose(
    self: Tensor,
    weight: Tensor,
    padding: Sequence[int],
    output_padding: Sequence[int],
    stride: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Tensor:
    made: Tensor = _aten.convolution(
        self, weight, None, stride, padding, dilation, True, output_padding, groups
    )
    return made


def _convolution_relu(
    self: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Tensor:
    return _with_bias(self, weight, bias, stride, padding, dilation, groups).relu()


def _convolution_add_relu(
    self: Tensor,
    weight: Tensor,
    z: Tensor,
    alpha: float | None,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Tensor:
    made = _with_bias(self, weight, bias, stride, padding, dilation, groups)
    return made.add(z, alpha=1 if alpha is None else alpha).relu()


def _grid_sampler(self: Tensor, grid: Tensor) -> Tensor:
    """Bilinear, with zeros around the input, and its corners at the grid's."""
    return _aten.grid_sampler_2d(self, grid, 0, 0, True)


def _grid_sampler_backward(
    self: Tensor, grid: Tensor, grad_output: Tensor
) -> tuple[Tensor, Tensor]:
    """The gradients of the input and of the grid."""
    made: tuple[Tensor, Tensor] = _aten.grid_sampler_2d_backward(
        grad_output, self, grid, 0, 0, True, [True, True]
    )
    return made


def _ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int,
    zero_infinity: bool,
) -> tuple[Tensor, Tensor]:
    """The loss of each sequence, and its gradient with respect to log_probs."""
    loss, alpha = _aten._ctc_loss(
        log_probs, targets, input_lengths, target_lengths, blank, zero_infinity
    )
    ones, lengths = torch.ones_like(loss), (input_lengths, target_lengths)
    gradient = _aten._ctc_loss_backward(
        ones, log_probs, targets, *lengths, loss, alpha, blank, zero_infinity
    )
    return loss, gradient


STAND_INS: dict[str, Callable[..., Any]] = {
    "aten::cudnn_convolution": _convolution,
    "aten::cudnn_convolution_transpose": _convolution_transpose,
    "aten::cudnn_convolution_relu": _convolution_relu,
    "aten::cudnn_convolution_add_relu": _convolution_add_relu,
    "aten::cudnn_grid_sampler": _grid_sampler,
    "aten::cudnn_grid_sampler_backward": _grid_sampler_backward,
    "aten::_cudnn_ctc_loss": _ctc_loss,
    "aten::_cudnn_ctc_loss.Tensor": _ctc_loss,
}
