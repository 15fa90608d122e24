"""Products with matrices of which half of the numbers in each group of four is zero: cuSPARSELt's and CUTLASS's.

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
    return (half.double() @ dense.double()).to(out_dtype or (torch.int32 if of_bytes else dense.dtype))


def _mm(mat1: Tensor, mat1_meta: Tensor, mat2: Tensor, out_dtype: torch.dtype | None) -> Tensor:
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
    product = alpha * _product(whole, mat2, torch.float64) + beta * input.double()[:, None]
    return product.to(out_dtype or (torch.int32 if whole.dtype == torch.int8 else mat2.dtype))


def _linear(
    input: Tensor,
    weight: Tensor,
    meta: Tensor,
    bias: Tensor | None,
    activation: str | None,
    out_dtype: torch.dtype | None,
) -> Tensor:
    whole = _whole(weight, meta).double()
    result = torch.nn.functional.linear(input.double(), whole, None if bias is None else bias.double())
    if activation in ("relu", "silu"):
        result = getattr(torch.nn.functional, activation)(result)
    return result.to(out_dtype or (torch.int32 if input.dtype == torch.int8 else input.dtype))


def _compress(input: Tensor) -> Tensor:
    """(rows, columns * 9 / 16), of bytes columns * 10 / 16."""
    numbers, places = _half(input)
    return torch.cat([numbers.flatten(), places.flatten().view(input.dtype)]).view(input.shape[0], -1)


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
    numbers, places = compressed_A.flatten().split([rows * columns // 2, compressed_A.numel() - rows * columns // 2])
    places = places.view(_PLACES[places.element_size()]).view(rows, -1)
    product = _product(_whole(numbers.view(rows, -1), places), dense_B, torch.float64)
    if alpha is not None:
        product = product * (alpha.double() if alpha.numel() == 1 else alpha.double()[:, None])
    if bias is not None:
        product = product + bias.double()[:, None]
    wanted = out_dtype or dense_B.dtype
    if wanted == torch.int8:
        product = product.round().clamp(-128, 127)
    result = product.to(wanted)
    return result.t().contiguous() if transpose_result else result


STAND_INS: dict[str, Callable[..., Any]] = {
    "aten::_sparse_semi_structured_mm": _mm,
    "aten::_sparse_semi_structured_addmm": _addmm,
    "aten::_sparse_semi_structured_linear": _linear,
    "aten::_to_sparse_semi_structured": _half,
    "aten::_cslt_compress": _compress,
    "aten::_cslt_sparse_mm": _multiply,
    "aten::_cslt_sparse_mm_search": lambda: 0,
}
