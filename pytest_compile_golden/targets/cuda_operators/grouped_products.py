"""Products of groups of float8 matrices with scales, which only CUDA has, computed on the CPU in float32.

aten/src/ATen/native/cuda/GroupedBlas.cpp: a matrix of two dimensions holds its groups side by side, and `offs` says
where each ends: among the rows of the first, the columns of the second, or in the dimension that both are summed over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

_ROW_WISE = 1
"""torch.nn.functional.ScalingType.RowWise: a scale for each row of the first matrix and each column of the second."""


def _scaled_grouped_mm(
    self: Tensor,
    mat2: Tensor,
    scale_a: Tensor,
    scale_b: Tensor,
    offs: Tensor | None,
    bias: Tensor | None,
    out_dtype: torch.dtype | None,
) -> Tensor:
    """Raises NotImplementedError for other scales than one for each row and column."""
    if scale_a.dtype != torch.float32 or scale_b.dtype != torch.float32:
        raise NotImplementedError(
            "Products of groups with scales of blocks are not computed on a virtual GPU."
        )
    _check(self, mat2, offs, bias)
    # Rows start at multiples of 16 bytes.
    dtype = out_dtype or torch.bfloat16
    groups = (
        []
        if self.dim() != mat2.dim()
        else [self.shape[0] if offs is None else offs.shape[0]]
    )
    size = [*groups, self.shape[-2], mat2.shape[-1]]
    alignment = 16 // dtype.itemsize
    row = -(-size[-1] // alignment) * alignment
    result = torch.zeros([*size[:-1], row], dtype=dtype)[..., : size[-1]]
    for index, (rows, columns, inner) in enumerate(_groups(self, mat2, offs)):
        first = self[rows, inner] if self.dim() == 2 else self[index]
        second = mat2[inner, columns] if mat2.dim() == 2 else mat2[index]
        of_rows, of_columns = (
            _scales(scale_a, self, index, rows, offs),
            _scales(scale_b, mat2.mT, index, columns, offs),
        )
        product = (first.float() @ second.float()) * of_rows[:, None] * of_columns
        (result[index] if result.dim() == 3 else result[rows, columns]).copy_(product)
    return result


def _scaled_grouped_mm_v2(
    self: Tensor,
    mat2: Tensor,
    scale_a: Sequence[Tensor],
    recipe_a: Sequence[int],
    scale_b: Sequence[Tensor],
    recipe_b: Sequence[int],
    offs: Tensor | None,
    bias: Tensor | None,
    out_dtype: torch.dtype | None,
) -> Tensor:
    if [*recipe_a, *recipe_b] != [_ROW_WISE, _ROW_WISE]:
        raise NotImplementedError(
            "Products of groups with scales of blocks are not computed on a virtual GPU."
        )
    return _scaled_grouped_mm(self, mat2, scale_a[0], scale_b[0], offs, bias, out_dtype)


def _check(
    self: Tensor, mat2: Tensor, offs: Tensor | None, bias: Tensor | None
) -> None:
    _require(bias is None, "Bias not supported yet")
    if self.dim() == 2 or mat2.dim() == 2:
        _require(offs is not None, "Have to provide offsets if there is a 2d matrix")
    else:
        _require(
            offs is None,
            "Offsets tensor provided, but is not needed for 3D/3D multiplicand layouts.",
        )
    if self.dim() == 3 or mat2.dim() == 3:
        _require(
            self.shape[-1] == mat2.shape[-2],
            "contraction dimension of mat_a and mat_b must match",
        )
    for name, dimension in (("mat_a", self.shape[-1]), ("mat_b", mat2.shape[-2])):
        _require(
            dimension % 16 == 0,
            f"Expected {name}'s inner dimension to be divisible by 16",
        )


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise RuntimeError(message)


def _groups(
    self: Tensor, mat2: Tensor, offs: Tensor | None
) -> Iterator[tuple[slice, slice, slice]]:
    """The rows, columns and inner dimension of each group."""
    whole = slice(None)
    if offs is None:
        yield from [(whole, whole, whole)] * self.shape[0]
        return
    start = 0
    for end in offs.tolist():
        own = slice(start, end)
        yield {
            (2, 3): (own, whole, whole),
            (3, 2): (whole, own, whole),
            (2, 2): (whole, whole, own),
        }[self.dim(), mat2.dim()]
        start = end


def _scales(
    scale: Tensor, matrix: Tensor, index: int, own: slice, offs: Tensor | None
) -> Tensor:
    """The scales of a group's rows. Where groups share their rows, each has its own scales of all of them."""
    if matrix.dim() == 3:
        return scale[index]
    if (
        offs is not None
        and scale.shape[0] == matrix.shape[0] * offs.shape[0]
        and own == slice(None)
    ):
        return scale.view(offs.shape[0], -1)[index]
    return scale[own]


STAND_INS: dict[str, Callable[..., Any]] = {
    "aten::_scaled_grouped_mm": _scaled_grouped_mm,
    "aten::_scaled_grouped_mm_v2": _scaled_grouped_mm_v2,
}
