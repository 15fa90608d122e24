"""Products with weights of four bits, packed for the tensor cores (aten/src/ATen/native/cuda/int4mm.cu)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

_SHIFTS = tuple(range(0, 32, 4))
"""Of the eight numbers in 32 bits, in the order of `_pack`: bits."""


def _pack(self: Tensor, innerKTiles: int) -> Tensor:
    """(n, k / 2) bytes, the number of the even column in their high bits, as (n / 8, k / 16 / innerKTiles, 32,
    innerKTiles / 2) numbers of 32 bits."""
    rows, columns = self.size(0), self.size(1) * 2
    numbers = torch.stack([self >> 4, self & 15], -1).long()
    # A tile has 16 columns: two halves, in which each of four threads has two neighbours.
    tiles = numbers.view(
        rows // 8, 8, columns // 16 // innerKTiles, innerKTiles // 2, 2, 2, 4, 2
    )
    by_thread = tiles.permute(0, 2, 1, 6, 3, 7, 4, 5).reshape(
        rows // 8, columns // 16 // innerKTiles, 32, innerKTiles // 2, 8
    )
    return (by_thread << self.new_tensor(_SHIFTS, dtype=torch.long)).sum(-1).int()


def _unpacked(packed: Tensor) -> Tensor:
    """(n, k) numbers from 0 to 15."""
    rows, outer, _, pairs = packed.shape
    numbers = packed.unsqueeze(-1) >> packed.new_tensor(_SHIFTS) & 15
    tiles = numbers.view(rows, outer, 8, 4, pairs, 2, 2, 2)
    return tiles.permute(0, 2, 1, 4, 6, 7, 3, 5).reshape(rows * 8, -1)


def _mm(self: Tensor, mat2: Tensor, qGroupSize: int, qScaleAndZeros: Tensor) -> Tensor:
    """self: (m, k). mat2: as packed. qScaleAndZeros: (k / qGroupSize, n, 2), for numbers from -8 to 7."""
    scales, zeros = (
        each.t().repeat_interleave(qGroupSize, 1).float()
        for each in qScaleAndZeros.unbind(-1)
    )
    weight = ((_unpacked(mat2) - 8) * scales + zeros).to(self.dtype)
    return torch.mm(self.float(), weight.float().t()).to(self.dtype)


STAND_INS: dict[str, Callable[..., Any]] = {
    "aten::_convert_weight_to_int4pack": _pack,
    "aten::_weight_int4pack_mm": _mm,
}
