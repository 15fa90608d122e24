"""Which library computes the CTC loss on a GPU (aten/src/ATen/native/cudnn/LossCTC.cpp)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


def _use_cudnn(log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor, blank: int) -> bool:
    """Whether a GPU would leave it to cuDNN, as far as types and shapes decide this."""
    suits = blank == 0 and log_probs.dim() == 3 and targets.dim() == 1 and targets.is_contiguous()
    types = (log_probs.dtype, targets.dtype, input_lengths.dtype, target_lengths.dtype)
    if not (torch.backends.cudnn.enabled and suits and types == (torch.float32, *(torch.int32,) * 3)):
        return False
    return bool(((target_lengths < 256) & (target_lengths <= input_lengths)).all())


STAND_INS: dict[str, Callable[..., Any]] = {
    "aten::_use_cudnn_ctc_loss.Tensor": _use_cudnn,
    "aten::_use_miopen_ctc_loss.Tensor": lambda: False,
}
