"""Products of float16 as a GPU's libraries compute them: accumulated in float32, and rounded once.

The CPU does the same, but element by element: it takes up to eighty times as long as products of float32.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


def _in_float32(func: Any) -> Callable[..., Tensor]:
    """`func`, a product of matrices, with float16 matrices as float32; other matrices are left to it."""

    def product(*matrices: Any, out: Tensor | None = None, **factors: Any) -> Tensor:
        if any(matrix.dtype != torch.float16 for matrix in matrices):
            return func(*matrices, **factors) if out is None else func.out(*matrices, **factors, out=out)
        result = func(*(matrix.float() for matrix in matrices), **factors).half()
        if out is None:
            return result
        return out.resize_(result.size()).copy_(result) if out.shape != result.shape else out.copy_(result)

    return product


STAND_INS: dict[str, Callable[..., Any]] = {
    f"aten::{name}{overload}": _in_float32(getattr(torch.ops.aten, name))
    for name in ("mm", "bmm", "addmm", "baddbmm")
    for overload in ("", ".out")
}
