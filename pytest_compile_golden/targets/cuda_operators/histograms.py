"""Histograms of whole numbers, which the CPU's operator refuses (aten/src/ATen/native/cuda/SummaryOps.cu)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


def _histc(self: Tensor, bins: int, min: float, max: float) -> Tensor:
    """How many numbers lie in each of `bins` equal parts of [min, max], in the dtype of the numbers.

    Where both ends are equal, they are those of the numbers. Raises RuntimeError if `min` is above `max`.
    """
    if self.is_floating_point() or self.dtype == torch.bool:
        return torch.histc(self, bins, min, max)
    numbers, start, end = self.flatten().long(), int(min), int(max)
    if start == end and numbers.numel():
        start, end = int(numbers.min()), int(numbers.max())
    if start == end:
        start, end = start - 1, end + 1
    if start > end:
        raise RuntimeError("max must be larger than min")
    inside = numbers[(numbers >= start) & (numbers <= end)]
    # The last part has its upper end, too.
    parts = ((inside - start) * bins // (end - start)).clamp(max=bins - 1)
    return torch.bincount(parts, minlength=bins).to(self.dtype)


STAND_INS: dict[str, Callable[..., Any]] = {"aten::histc": _histc}
