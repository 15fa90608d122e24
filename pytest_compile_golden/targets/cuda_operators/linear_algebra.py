"""What a GPU leaves to cuBLAS, cuFFT and cuSOLVER, computed on the CPU, and whether it leaves a CTC loss to cuDNN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


def _use_cudnn(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor,
    target_lengths: Tensor,
    blank: int,
) -> bool:
    """Whether a GPU would leave it to cuDNN, as far as types and shapes decide it (aten: native/cudnn/LossCTC.cpp)."""
    suits = (
        blank == 0
        and log_probs.dim() == 3
        and targets.dim() == 1
        and targets.is_contiguous()
    )
    types = (log_probs.dtype, targets.dtype, input_lengths.dtype, target_lengths.dtype)
    if not (
        torch.backends.cudnn.enabled
        and suits
        and types == (torch.float32, *(torch.int32,) * 3)
    ):
        return False
    return bool(((target_lengths < 256) & (target_lengths <= input_lengths)).all())


def _in_float32(func: Any) -> Callable[..., Tensor]:
    """`func`, a product of matrices, with float16 matrices as float32, rounded once; other matrices are left to it.

    The CPU does the same, but element by element: it takes up to eighty times as long as products of float32.
    """

    def product(*matrices: Any, out: Tensor | None = None, **factors: Any) -> Tensor:
        if any(matrix.dtype != torch.float16 for matrix in matrices):
            return (
                func(*matrices, **factors)
                if out is None
                else func.out(*matrices, **factors, out=out)
            )
        result = func(*(matrix.float() for matrix in matrices), **factors).half()
        if out is None:
            return result
        return (
            out.resize_(result.size()).copy_(result)
            if out.shape != result.shape
            else out.copy_(result)
        )

    return product


PRODUCTS: dict[str, Callable[..., Any]] = {
    f"aten::{name}{overload}": _in_float32(getattr(torch.ops.aten, name))
    for name in ("mm", "bmm", "addmm", "baddbmm")
    for overload in ("", ".out")
}


# Products of narrow matrices in a wider type: not rounded in between.


def _mm(self: Tensor, mat2: Tensor, out_dtype: torch.dtype) -> Tensor:
    return torch.mm(self.float(), mat2.float()).to(out_dtype)


def _bmm(self: Tensor, mat2: Tensor, out_dtype: torch.dtype) -> Tensor:
    return torch.bmm(self.float(), mat2.float()).to(out_dtype)


def _addmm(
    self: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    out_dtype: torch.dtype,
    beta: float,
    alpha: float,
) -> Tensor:
    return torch.addmm(
        self.float(), mat1.float(), mat2.float(), beta=beta, alpha=alpha
    ).to(out_dtype)


def _baddbmm(
    self: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    out_dtype: torch.dtype,
    beta: float,
    alpha: float,
) -> Tensor:
    return torch.baddbmm(
        self.float(), batch1.float(), batch2.float(), beta=beta, alpha=alpha
    ).to(out_dtype)


def _written(product: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """`product` with its result in `out`, as the code that Inductor generates calls it."""

    def write(out: Tensor, **given: Any) -> Tensor:
        return out.copy_(product(**given))

    return write


def _scaled_mm(self: Tensor, mat2: Tensor, **given: Any) -> Tensor:
    """cuBLAS takes no other shapes and layouts (aten/src/ATen/native/cuda/ScaledBlas.cpp); the CPU takes any."""
    if self.shape[1] % 16:
        shape = "x".join(map(str, self.shape))
        raise RuntimeError(
            f"Expected trailing dimension of mat1 to be divisible by 16 but got mat1 shape: ({shape})."
        )
    if mat2.shape[0] % 16 or mat2.shape[1] % 16:
        raise RuntimeError(
            f"mat2 shape ({mat2.shape[0]}x{mat2.shape[1]}) must be divisible by 16"
        )
    return torch.ops.aten._scaled_mm.default(self, mat2, **given)


# Fourier transforms, singular values, sums and histograms: of what the CPU does not take.


def _transform(func: Any) -> Callable[..., Tensor]:
    """`func` of numbers of 16 bits, too, which MKL does not take (aten/src/ATen/native/mkl/SpectralOps.cpp)."""

    def transform(self: Tensor, **given: Any) -> Tensor:
        if self.dtype not in (torch.float16, torch.complex32):
            return func(self, **given)
        result = func(
            self.to(torch.complex64 if self.is_complex() else torch.float32), **given
        )
        return result.to(torch.complex32 if result.is_complex() else torch.float16)

    return transform


def _svd(
    A: Tensor, full_matrices: bool, compute_uv: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """Whichever driver of cuSOLVER's is asked for."""
    left, values, right = torch.ops.aten._linalg_svd.default(
        A, full_matrices, compute_uv
    )
    return left, values, right


def _nansum(
    self: Tensor, dim: list[int] | None, keepdim: bool, dtype: torch.dtype | None
) -> Tensor:
    """Of complex numbers, too, which only a GPU's takes (aten/src/ATen/native/ReduceOps.cpp)."""
    known = torch.where(self.isnan(), torch.zeros_like(self), self)
    return torch.ops.aten.sum.dim_IntList(known, dim, keepdim, dtype=dtype)


_WHOLE = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)


def _histogram(self: Tensor, bins: int, min: float, max: float) -> Tensor:
    """Of whole numbers, too, which only a GPU's takes (aten/src/ATen/native/cuda/SummaryOps.cu: _histc_template)."""
    if self.dtype not in _WHOLE:
        return torch.ops.aten.histc.default(self, bins, min, max)
    low, high = int(min), int(max)
    if low == high and self.numel():
        low, high = int(self.min()), int(self.max())
    if low == high:
        low, high = low - 1, high + 1
    if low > high:
        raise RuntimeError("max must be larger than min")
    inside = self[(self >= low) & (self <= high)].long() - low
    place = (inside * bins // (high - low)).clamp(max=bins - 1)
    return torch.bincount(place, minlength=bins).to(self.dtype)


STAND_INS: dict[str, Callable[..., Any]] = {
    "aten::mm.dtype": _mm,
    "aten::bmm.dtype": _bmm,
    "aten::addmm.dtype": _addmm,
    "aten::baddbmm.dtype": _baddbmm,
    "aten::mm.dtype_out": _written(_mm),
    "aten::bmm.dtype_out": _written(_bmm),
    "aten::addmm.dtype_out": _written(_addmm),
    "aten::baddbmm.dtype_out": _written(_baddbmm),
    "aten::_scaled_mm": _scaled_mm,
    "aten::_fft_r2c": _transform(torch.ops.aten._fft_r2c.default),
    "aten::_fft_c2c": _transform(torch.ops.aten._fft_c2c.default),
    "aten::_fft_c2r": _transform(torch.ops.aten._fft_c2r.default),
    "aten::_linalg_svd": _svd,
    "aten::nansum": _nansum,
    "aten::histc": _histogram,
    "aten::_use_cudnn_ctc_loss.Tensor": _use_cudnn,
    "aten::_use_miopen_ctc_loss.Tensor": lambda: False,
    # With lengths on the CPU a card takes cuDNN only for concatenated int32 targets, which are on the CPU, too
    # (aten/src/ATen/native/cudnn/LossCTC.cpp): the loss is the same.
    "aten::_use_cudnn_ctc_loss": lambda: False,
    "aten::_use_miopen_ctc_loss": lambda: False,
}
