"""Matrices of which half of the numbers in each group of four is zero: pruned and multiplied, as on a card.

Both keep the numbers that are left, (rows, columns / 2), and where they were; cuSPARSELt keeps the two in one tensor
(torch/sparse/semi_structured.py), whose layout is its own secret: here it is the numbers, and then CUTLASS's places.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from pytest_compile_golden.torch_internals import device as names

_PLACES = {1: torch.int32, 2: torch.int16, 4: torch.int16}
"""The type of the places, by the bytes of a number (torch/sparse/_semi_structured_conversions.py)."""


def _half(dense: Tensor) -> tuple[Tensor, Tensor]:
    numbers, places = names.TO_SEMI_STRUCTURED.get()(dense)
    return numbers, places


def _whole(numbers: Tensor, places: Tensor) -> Tensor:
    dense: Tensor = names.FROM_SEMI_STRUCTURED.get()(numbers, places)
    return dense


def _product(half: Tensor, dense: Tensor, out_dtype: torch.dtype | None) -> Tensor:
    """In float64, rounded once: integers are exact. Of bytes, int32."""
    of_bytes = half.dtype == torch.int8
    return (half.double() @ dense.double()).to(
        out_dtype or (torch.int32 if of_bytes else dense.dtype)
    )


def _mm(
    mat1: Tensor, mat1_meta: Tensor, mat2: Tensor, out_dtype: torch.dtype | None
) -> Tensor:
    return _product(_whole(mat1, mat1_meta), mat2, out_dtype)


def _addmm(
    input: Tensor,
    mat1: Tensor,
    mat1_meta: Tensor,
    mat2: Tensor,
    alpha: float,
    beta: float,
    out_dtype: torch.dtype | None,
) -> Tensor:
    """`input` has a number for each row of the result (aten/src/ATen/native/sparse/cuda/SparseSemiStructuredOps.cu)."""
    whole = _whole(mat1, mat1_meta)
    product = (
        alpha * _product(whole, mat2, torch.float64) + beta * input.double()[:, None]
    )
    return product.to(
        out_dtype or (torch.int32 if whole.dtype == torch.int8 else mat2.dtype)
    )


def _linear(
    input: Tensor,
    weight: Tensor,
    meta: Tensor,
    bias: Tensor | None,
    activation: str | None,
    out_dtype: torch.dtype | None,
) -> Tensor:
    whole = _whole(weight, meta).double()
    result = torch.nn.functional.linear(
        input.double(), whole, None if bias is None else bias.double()
    )
    if activation in ("relu", "silu"):
        result = getattr(torch.nn.functional, activation)(result)
    return result.to(
        out_dtype or (torch.int32 if input.dtype == torch.int8 else input.dtype)
    )


def _compress(input: Tensor) -> Tensor:
    """(rows, columns * 9 / 16), of bytes columns * 10 / 16."""
    return _in_one(*_half(input))


def _in_one(numbers: Tensor, places: Tensor) -> Tensor:
    return torch.cat([numbers.flatten(), places.flatten().view(numbers.dtype)]).view(
        numbers.shape[0], -1
    )


def _multiply(
    compressed_A: Tensor,
    dense_B: Tensor,
    bias: Tensor | None,
    alpha: Tensor | None,
    out_dtype: torch.dtype | None,
    transpose_result: bool,
) -> Tensor:
    """The product has the type of its factors, if no other is asked for; `bias` has a number for each row of it."""
    rows, columns = compressed_A.shape[0], dense_B.shape[0]
    numbers, places = compressed_A.flatten().split(
        [rows * columns // 2, compressed_A.numel() - rows * columns // 2]
    )
    places = places.view(_PLACES[places.element_size()]).view(rows, -1)
    product = _product(_whole(numbers.view(rows, -1), places), dense_B, torch.float64)
    if alpha is not None:
        product = product * (
            alpha.double() if alpha.numel() == 1 else alpha.double()[:, None]
        )
    if bias is not None:
        product = product + bias.double()[:, None]
    wanted = out_dtype or dense_B.dtype
    if wanted == torch.int8:
        product = product.round().clamp(-128, 127)
    result = product.to(wanted)
    return result.t().contiguous() if transpose_result else result


# Pruning in squares of 4 x 4, so that it holds for the matrix and for its transpose (torch/sparse/semi_structured.py:
# prune_dense_static_sort).


def _tile(input: Tensor, algorithm: str, use_cutlass: bool) -> tuple[Tensor, ...]:
    """What is kept of the matrix and where, the same of its transpose, and the mask as `_bits` writes it.

    Raises NotImplementedError for other algorithms than the two that take the largest numbers one by one.
    """
    if algorithm not in ("", "largest_values_greedy", "largest_abs_values_greedy"):
        raise NotImplementedError(f"a virtual GPU does not prune by {algorithm}")
    mask = _largest(input.abs() if algorithm == "largest_abs_values_greedy" else input)
    both = [_kept(input, mask), _kept(input.t(), mask.t())]
    if not use_cutlass:
        both = [
            (_in_one(numbers, places), input.new_empty(0)) for numbers, places in both
        ]
    return *both[0], *both[1], _bits(mask)


def _largest(matrix: Tensor) -> Tensor:
    """A mask with at most two numbers in each row and column of a square, which takes the largest first."""
    rows, columns = matrix.shape
    squares = matrix.view(rows // 4, 4, columns // 4, 4).transpose(1, 2).reshape(-1, 16)
    every, mask = (
        torch.arange(len(squares)),
        torch.zeros(len(squares), 4, 4, dtype=torch.bool),
    )
    for place in squares.sort(descending=True, stable=True).indices.unbind(1):
        row, column = place // 4, place % 4
        in_row, in_column = mask[every, row].sum(1), mask[every, :, column].sum(1)
        mask[every, row, column] = (in_row < 2) & (in_column < 2)
    return (
        mask.view(rows // 4, columns // 4, 4, 4).transpose(1, 2).reshape(rows, columns)
    )


def _kept(matrix: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """As `_half` gives them, but zeros in the mask are kept, too."""
    columns = matrix.shape[1]
    from_one = (torch.arange(columns) % 4 + 1).expand_as(mask).to(matrix.dtype) * mask
    kept, places = _half(from_one.contiguous())
    taken = (kept.view(-1, columns // 4, 2) - 1).clamp(0).long()
    numbers = matrix.reshape(-1, columns // 4, 4).gather(2, taken).view_as(kept)
    return numbers * (kept > 0), places


def _bits(mask: Tensor) -> Tensor:
    """(rows / 8, columns / 8, 4, 2): a byte for each half of the four squares in 8 x 8 numbers, the first in bit 0.

    As torch/sparse/_semi_structured_conversions.py: _compute_compressed_swizzled_bitmask.
    """
    rows, columns = mask.shape
    squares = mask.view(rows // 8, 2, 4, columns // 8, 2, 4).permute(0, 3, 1, 4, 2, 5)
    bits = squares.reshape(rows // 8, columns // 8, 4, 2, 8).to(torch.uint8)
    return (bits << torch.arange(8, dtype=torch.uint8)).sum(-1, dtype=torch.uint8)


def _mask(thread_masks: Tensor) -> Tensor:
    """What `_bits` has written."""
    rows, columns = thread_masks.shape[:2]
    bits = (thread_masks[..., None] >> torch.arange(8, dtype=torch.uint8)) & 1
    return (
        bits.view(rows, columns, 2, 2, 4, 4)
        .permute(0, 2, 4, 1, 3, 5)
        .reshape(rows * 8, columns * 8)
        .bool()
    )


def _apply(input: Tensor, thread_masks: Tensor) -> tuple[Tensor, Tensor]:
    mask = _mask(thread_masks)
    return _kept(input, mask)[0], _kept(input.t(), mask.t())[0]


def _apply_dense(input: Tensor, thread_masks: Tensor) -> Tensor:
    return input * _mask(thread_masks)


STAND_INS: dict[str, Callable[..., Any]] = {
    "aten::_sparse_semi_structured_mm": _mm,
    "aten::_sparse_semi_structured_addmm": _addmm,
    "aten::_sparse_semi_structured_linear": _linear,
    "aten::_to_sparse_semi_structured": _half,
    "aten::_cslt_compress": _compress,
    "aten::_cslt_sparse_mm": _multiply,
    "aten::_cslt_sparse_mm_search": lambda: 0,
    "aten::_sparse_semi_structured_tile": _tile,
    "aten::_sparse_semi_structured_apply": _apply,
    "aten::_sparse_semi_structured_apply_dense": _apply_dense,
}
