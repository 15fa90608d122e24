"""What a GPU leaves to cuDNN, computed on the CPU: convolutions, batch norm, sampling of grids, CTC loss.

Arguments are those of aten/src/ATen/native/native_functions.yaml.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from pytest_compile_golden.targets.cuda_operators import normalization

_aten = torch.ops.aten


def _convolution(
    self: Tensor, weight: Tensor, padding: Sequence[int], stride: Sequence[int], dilation: Sequence[int], groups: int
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
    made: Tensor = _aten.convolution(self, weight, bias, stride, padding, dilation, False, none, groups)
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
    made: Tensor = _aten.convolution(self, weight, None, stride, padding, dilation, True, output_padding, groups)
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


def _batch_norm(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    exponential_average_factor: float,
    epsilon: float,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Writes the running statistics while training. The last result is cuDNN's own memory, which is empty here."""
    running = running_mean, running_var
    normalise = normalization.STAND_INS["aten::native_batch_norm"]
    results = normalise(input, weight, bias, *running, training, exponential_average_factor, epsilon)
    return *results, torch.empty(0, dtype=torch.uint8)


def _batch_norm_backward(
    input: Tensor,
    grad_output: Tensor,
    weight: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    save_mean: Tensor | None,
    save_var: Tensor | None,
    epsilon: float,
) -> tuple[Tensor | None, ...]:
    """cuDNN's is only called after training."""
    differentiate = normalization.STAND_INS["aten::native_batch_norm_backward"]
    gradients: tuple[Tensor | None, ...] = differentiate(
        grad_out=grad_output,
        input=input,
        weight=weight,
        running_mean=running_mean,
        running_var=running_var,
        save_mean=save_mean,
        save_invstd=save_var,
        train=True,
        eps=epsilon,
        output_mask=[True, True, True],
    )
    return gradients


def _grid_sampler(self: Tensor, grid: Tensor) -> Tensor:
    """Bilinear, with zeros around the input, and its corners at the grid's."""
    return _aten.grid_sampler_2d(self, grid, 0, 0, True)


def _ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int, zero_infinity: bool
) -> tuple[Tensor, Tensor]:
    """The loss of each sequence, and its gradient with respect to log_probs."""
    loss, alpha = _aten._ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity)
    ones, lengths = torch.ones_like(loss), (input_lengths, target_lengths)
    gradient = _aten._ctc_loss_backward(ones, log_probs, targets, *lengths, loss, alpha, blank, zero_infinity)
    return loss, gradient


STAND_INS: dict[str, Callable[..., Any]] = {
    "aten::cudnn_convolution": _convolution,
    "aten::cudnn_convolution_transpose": _convolution_transpose,
    "aten::cudnn_convolution_relu": _convolution_relu,
    "aten::cudnn_convolution_add_relu": _convolution_add_relu,
    "aten::cudnn_batch_norm": _batch_norm,
    "aten::cudnn_batch_norm_backward": _batch_norm_backward,
    "aten::cudnn_grid_sampler": _grid_sampler,
    "aten::_cudnn_ctc_loss": _ctc_loss,
    "aten::_cudnn_ctc_loss.Tensor": _ctc_loss,
}
