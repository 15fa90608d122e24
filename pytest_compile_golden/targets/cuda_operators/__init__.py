"""The operators that only CUDA has, computed on the CPU."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from pytest_compile_golden.targets.cuda_operators import (
    attention,
    batch_norm,
    ctc_loss,
    normalization,
    products,
    recurrent,
)

_STAND_INS: dict[str, Callable[..., Any]] = {
    **attention.STAND_INS,
    **batch_norm.STAND_INS,
    **ctc_loss.STAND_INS,
    **normalization.STAND_INS,
    **products.STAND_INS,
    **recurrent.STAND_INS,
}


def on_cpu(func: Any) -> Callable[..., Any]:
    """`func`, or a function with the same arguments that computes on the CPU what `func` computes on a GPU."""
    if not isinstance(func, torch._ops.OpOverload):
        return func  # type: ignore[no-any-return]
    return _on_cpu(func)


@functools.cache
def _on_cpu(func: Any) -> Callable[..., Any]:
    name = func.name()
    if name in _STAND_INS:
        return _STAND_INS[name]
    if not torch._C._dispatch_has_computed_kernel_for_dispatch_key(name, "CPU"):
        from torch._decomp import decomposition_table

        return decomposition_table.get(func, func)  # type: ignore[no-any-return]
    return func  # type: ignore[no-any-return]
