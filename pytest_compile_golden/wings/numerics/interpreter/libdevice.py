"""CUDA's libdevice, computed by torch on the CPU: exact where CUDA's own is off by a rounding error or two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import triton.language as tl

from pytest_compile_golden.errors import NotInterpretable
from pytest_compile_golden.torch_names import numerics as torch_names

stock = torch_names.INTERPRETER.get()

_TYPES = {
    torch.float16: tl.float16,
    torch.float32: tl.float32,
    torch.float64: tl.float64,
    torch.int32: tl.int32,
    torch.int64: tl.int64,
    torch.bool: tl.int1,
}


def _round_half_away(x: torch.Tensor) -> torch.Tensor:
    return torch.trunc(x + torch.copysign(torch.full_like(x, 0.5), x))


def _as_int32(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    return lambda *tensors: function(*tensors).to(torch.int32)


def _same_name(*names: str) -> dict[str, Callable[..., torch.Tensor]]:
    return {name: getattr(torch, name) for name in names}


_special = torch.special
_FUNCTIONS: dict[str, Callable[..., torch.Tensor]] = {
    **_same_name("exp", "exp2", "log", "log2", "log10", "log1p", "expm1", "sqrt", "rsqrt", "erf", "erfc", "erfinv"),
    **_same_name("tan", "sin", "cos", "sinh", "cosh", "tanh", "asin", "acos", "atan", "asinh", "acosh", "atanh"),
    **_same_name("lgamma", "floor", "ceil", "trunc", "abs", "pow", "atan2", "hypot", "fmod", "nextafter", "copysign"),
    "erfcx": _special.erfcx,
    "j0": _special.bessel_j0,
    "j1": _special.bessel_j1,
    "y0": _special.bessel_y0,
    "y1": _special.bessel_y1,
    "cyl_bessel_i0": _special.i0,
    "cyl_bessel_i1": _special.i1,
    "nearbyint": torch.round,
    "rint": torch.round,
    "round": _round_half_away,
    "llrint": lambda x: torch.round(x).to(torch.int64),
    "llround": lambda x: _round_half_away(x).to(torch.int64),
    "mul_rn": torch.mul,
    "add_rn": torch.add,
    "sub_rn": torch.sub,
    "div_rn": torch.div,
    "fma": lambda x, y, z: (x.double() * y.double() + z.double()).to(z.dtype),
    "signbit": _as_int32(torch.signbit),
    "isnan": _as_int32(torch.isnan),
    "isinf": _as_int32(torch.isinf),
    "finitef": _as_int32(torch.isfinite),
    "isfinited": _as_int32(torch.isfinite),
    "ilogb": _as_int32(lambda x: torch.frexp(x)[1] - 1),
    "ldexp": lambda x, exponent: (x.double() * torch.exp2(exponent.double())).to(x.dtype),
}


class LibDevice:
    """Replaces the module `libdevice` in a kernel's globals."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        function = _FUNCTIONS.get(name)

        def call(*arguments: Any, _semantic: Any = None) -> Any:
            if function is None:
                raise NotInterpretable(f"libdevice.{name}")
            return _apply(name, function, [stock.interpreter_semantic.to_tensor(argument) for argument in arguments])

        return call


def _apply(name: str, function: Callable[..., torch.Tensor], arguments: list[Any]) -> Any:
    arrays = np.broadcast_arrays(*(argument.handle.data for argument in arguments))
    tensors = [torch.from_numpy(np.array(array)) for array in arrays]
    inexact = [tensor.dtype for tensor in tensors if tensor.is_floating_point()]
    if inexact and name != "ldexp":  # its exponent is an integer
        widest = max(inexact, key=lambda dtype: torch.finfo(dtype).bits)
        tensors = [tensor.to(widest) for tensor in tensors]
    result = function(*tensors)
    ty, data = _TYPES[result.dtype], result.numpy()
    blocks = any(argument.shape for argument in arguments)
    return tl.core.tensor(stock.TensorHandle(data, ty), tl.block_type(ty, list(data.shape)) if blocks else ty)
