"""The operators that only CUDA has, computed on the CPU."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from pytest_compile_golden.targets.cuda_operators import (
    attention,
    batch_norm,
    ctc_loss,
    normalization,
    products,
    recurrent,
)
from pytest_compile_golden.torch_names import device as names
from pytest_compile_golden.torch_names import tensors

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
    if not isinstance(func, tensors.OPERATOR.get()):
        return func  # type: ignore[no-any-return]
    return _on_cpu(func)


@functools.cache
def _on_cpu(func: Any) -> Callable[..., Any]:
    name = func.name()
    if name in _STAND_INS:
        return _STAND_INS[name]
    if not names.HAS_COMPUTED_KERNEL.get()(name, "CPU"):
        return names.DECOMPOSITIONS.get().get(func, func)  # type: ignore[no-any-return]
    return func  # type: ignore[no-any-return]
