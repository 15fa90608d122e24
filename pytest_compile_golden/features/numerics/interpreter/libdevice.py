"""CUDA's libdevice, computed by torch on the CPU: exact where CUDA's own is off by a rounding error or two."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
import triton.language as tl

from pytest_compile_golden.errors import NotInterpretable
from pytest_compile_golden.torch_internals import numerics as torch_names

stock = torch_names.INTERPRETER.get()

_TYPES = {
    torch.float16: tl.float16,
    torch.float32: tl.float32,
    torch.float64: tl.float64,
    torch.int32: tl.int32,
    torch.int64: tl.int64,
    torch.uint32: tl.uint32,
    torch.uint64: tl.uint64,
    torch.bool: tl.int1,
}
_BY_NAME = {
    "double": torch.float64,
    "float": torch.float32,
    "int": torch.int32,
    "uint": torch.uint32,
    "ll": torch.int64,
    "ull": torch.uint64,
    "longlong": torch.int64,
}
_CONVERSION = re.compile(
    r"(double|float|int|uint|ll|ull)2(double|float|int|uint|ll|ull)_(rn|rz|rd|ru)$"
)
_SAME_BITS = re.compile(
    r"(int|uint|longlong|float|double)_as_(int|uint|longlong|float|double)$"
)
_ROUNDINGS = {"rn": torch.round, "rz": torch.trunc, "rd": torch.floor, "ru": torch.ceil}


def _round_half_away(x: torch.Tensor) -> torch.Tensor:
    return torch.trunc(x + torch.copysign(torch.full_like(x, 0.5), x))


def _as_int32(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    return lambda *tensors: function(*tensors).to(torch.int32)


def _fma(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
    return (x.double() * y.double() + z.double()).to(z.dtype)


def _bessel(
    function: Callable[[torch.Tensor], torch.Tensor],
    x: torch.Tensor,
    at_infinity: float | torch.Tensor,
) -> torch.Tensor:
    """In float64: torch's float32 overflows early, loses large arguments and is NaN at infinity, as CUDA's is not."""
    return torch.where(x.isinf(), at_infinity, function(x.double())).to(x.dtype)


def _next_after(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Between zero and the smallest normal number there is nothing: Triton has CUDA's functions flush subnormals."""
    found = torch.nextafter(x, y)
    smallest = torch.copysign(
        torch.full_like(found, torch.finfo(found.dtype).tiny), found
    )
    return torch.where((found != 0) & (found.abs() < smallest.abs()), smallest, found)


def flushed(x: torch.Tensor) -> torch.Tensor:
    """Zero, with its sign, for a subnormal float32: Triton compiles CUDA's library that way (`enable_reflect_ftz` in
    triton/backends/nvidia/compiler.py), and torch compiles eager's kernels without.
    """
    if x.dtype != torch.float32:
        return x
    return torch.where(
        x.abs() < torch.finfo(x.dtype).tiny, torch.copysign(torch.zeros_like(x), x), x
    )


def _norm(sides: Sequence[torch.Tensor]) -> torch.Tensor:
    return torch.stack([side.double() for side in sides]).square().sum(0).sqrt()


def _gamma_below_0(x: torch.Tensor) -> torch.Tensor:
    """By reflection: Γ(x)Γ(1-x) = π/sin(πx)."""
    return math.pi / (torch.sin(math.pi * x) * torch.lgamma(1 - x).exp())


def _bits(x: torch.Tensor, of_number: Callable[[int, int], int]) -> torch.Tensor:
    """An int32 for each element, computed from its bits as one number and how many there are."""
    width = 8 * x.element_size()
    found = [
        of_number(number & ((1 << width) - 1), width) for number in x.ravel().tolist()
    ]
    wrapped = [
        number - (1 << width) if number >> (width - 1) and width == 64 else number
        for number in found
    ]
    return (
        torch.tensor(wrapped, dtype=torch.int64)
        .reshape(x.shape)
        .to(torch.int64 if width == 64 else torch.int32)
    )


def _named(name: str) -> Callable[..., torch.Tensor] | None:
    """The function of this name: of the table, a conversion such as float2int_rz, or one that keeps the bits."""
    if (conversion := _CONVERSION.match(name)) is not None:
        target, how = conversion.groups()[1:]
        if target in ("float", "double"):
            # Rounding other than to the nearest is not computed.
            return None if how != "rn" else lambda x: x.to(_BY_NAME[target])
        whole, limits = _ROUNDINGS[how], torch.iinfo(_BY_NAME[target])
        return lambda x: (
            whole(x.double())
            .nan_to_num(0)
            .clamp(limits.min, limits.max)
            .to(_BY_NAME[target])
        )
    if (same := _SAME_BITS.match(name)) is not None:
        return lambda x: x.view(_BY_NAME[same[2]])
    return _FUNCTIONS.get(name)


def _same_name(*names: str) -> dict[str, Callable[..., torch.Tensor]]:
    return {name: getattr(torch, name) for name in names}


_special = torch.special
_FUNCTIONS: dict[str, Callable[..., torch.Tensor]] = {
    **_same_name(
        "exp",
        "exp2",
        "log",
        "log2",
        "log10",
        "log1p",
        "expm1",
        "sqrt",
        "rsqrt",
        "erf",
        "erfc",
        "erfinv",
    ),
    **_same_name(
        "tan", "sin", "cos", "tanh", "asin", "acos", "atan", "asinh", "acosh", "atanh"
    ),
    **_same_name(
        "lgamma",
        "floor",
        "ceil",
        "trunc",
        "abs",
        "pow",
        "atan2",
        "hypot",
        "fmod",
        "copysign",
    ),
    "nextafter": _next_after,
    "erfcx": _special.erfcx,
    "sinh": lambda x: torch.sinh(x.double()).to(x.dtype),
    "cosh": lambda x: torch.cosh(x.double()).to(x.dtype),
    "j0": lambda x: _bessel(_special.bessel_j0, x, 0.0),
    "j1": lambda x: _bessel(_special.bessel_j1, x, 0.0),
    "y0": lambda x: _bessel(_special.bessel_y0, x, 0.0),
    "y1": lambda x: _bessel(_special.bessel_y1, x, 0.0),
    "cyl_bessel_i0": lambda x: _bessel(_special.i0, x, torch.inf),
    "cyl_bessel_i1": lambda x: _bessel(
        _special.i1, x, torch.copysign(torch.full_like(x, torch.inf), x)
    ),
    "nearbyint": torch.round,
    "rint": torch.round,
    "round": _round_half_away,
    "llrint": lambda x: torch.round(x).to(torch.int64),
    "llround": lambda x: _round_half_away(x).to(torch.int64),
    "mul_rn": torch.mul,
    "add_rn": torch.add,
    "sub_rn": torch.sub,
    "div_rn": torch.div,
    "sqrt_rn": torch.sqrt,
    "rsqrt_rn": torch.rsqrt,
    "rcp_rn": torch.reciprocal,
    "fma": _fma,
    "fma_rn": _fma,
    "fast_sinf": torch.sin,
    "fast_cosf": torch.cos,
    "fast_tanf": torch.tan,
    "fast_logf": torch.log,
    "fast_log2f": torch.log2,
    "fast_log10f": torch.log10,
    "fast_expf": torch.exp,
    "fast_exp10f": lambda x: torch.pow(10.0, x),
    "fast_powf": torch.pow,
    "fast_dividef": torch.div,
    "exp10": lambda x: torch.pow(10.0, x),
    "sinpi": lambda x: torch.sin(x.double() * math.pi).to(x.dtype),
    "cospi": lambda x: torch.cos(x.double() * math.pi).to(x.dtype),
    "cbrt": lambda x: torch.copysign(x.double().abs().pow(1 / 3), x.double()).to(
        x.dtype
    ),
    "rcbrt": lambda x: torch.copysign(x.double().abs().pow(-1 / 3), x.double()).to(
        x.dtype
    ),
    "rhypot": lambda x, y: torch.reciprocal(torch.hypot(x, y)),
    "norm3d": lambda *sides: _norm(sides).to(sides[0].dtype),
    "norm4d": lambda *sides: _norm(sides).to(sides[0].dtype),
    "rnorm3d": lambda *sides: _norm(sides).reciprocal().to(sides[0].dtype),
    "rnorm4d": lambda *sides: _norm(sides).reciprocal().to(sides[0].dtype),
    "saturatef": lambda x: x.nan_to_num(0).clamp(0, 1),
    "fdim": lambda x, y: torch.where(
        x > y, x - y, torch.where(x.isnan() | y.isnan(), x + y, 0)
    ),
    "remainder": lambda x, y: x - y * torch.round(x.double() / y.double()).to(x.dtype),
    "tgamma": lambda x: torch.where(
        x > 0, torch.lgamma(x.double()).exp(), _gamma_below_0(x.double())
    ).to(x.dtype),
    "normcdf": lambda x: _special.ndtr(x),
    "normcdfinv": lambda x: _special.ndtri(x),
    "erfcinv": lambda x: torch.erfinv(1 - x.double()).to(x.dtype),
    "logb": lambda x: (torch.frexp(x)[1] - 1).to(x.dtype),
    "scalbn": lambda x, exponent: (x.double() * torch.exp2(exponent.double())).to(
        x.dtype
    ),
    "hadd": lambda x, y: ((x.long() + y.long()) >> 1).to(x.dtype),
    "rhadd": lambda x, y: ((x.long() + y.long() + 1) >> 1).to(x.dtype),
    "sad": lambda x, y, z: ((x.long() - y.long()).abs() + z.long()).to(x.dtype),
    "mul24": lambda x, y: (((x.long() << 40) >> 40) * ((y.long() << 40) >> 40)).to(
        x.dtype
    ),
    "mulhi": lambda x, y: ((x.long() * y.long()) >> 32).to(x.dtype),
    "popc": lambda x: _bits(x, lambda bits, width: bits.bit_count()),
    "clz": lambda x: _bits(x, lambda bits, width: width - bits.bit_length()),
    "ffs": lambda x: _bits(x, lambda bits, width: (bits & -bits).bit_length()),
    "brev": lambda x: _bits(
        x, lambda bits, width: int(f"{bits:0{width}b}"[::-1], 2)
    ).to(x.dtype),
    "signbit": _as_int32(torch.signbit),
    "isnan": _as_int32(torch.isnan),
    "isinf": _as_int32(torch.isinf),
    "finitef": _as_int32(torch.isfinite),
    "isfinited": _as_int32(torch.isfinite),
    "ilogb": _as_int32(lambda x: torch.frexp(x)[1] - 1),
    "ldexp": lambda x, exponent: (x.double() * torch.exp2(exponent.double())).to(
        x.dtype
    ),
}


# Measured on an H200 with torch 2.11: log10 and what only looks at bits or copies them keep subnormals.
_FLUSHING = frozenset(
    (
        "tan",
        "sin",
        "cos",
        "sinh",
        "cosh",
        "tanh",
        "asin",
        "acos",
        "atan",
        "asinh",
        "acosh",
        "atanh",
        "log1p",
        "expm1",
        "rsqrt",
        "erf",
        "erfc",
        "erfinv",
        "lgamma",
        "floor",
        "ceil",
        "atan2",
        "hypot",
        "fmod",
        "j0",
        "j1",
        "y0",
        "y1",
        "cyl_bessel_i0",
        "cyl_bessel_i1",
        "nextafter",
    )
)


class LibDevice:
    """Replaces the module `libdevice` in a kernel's globals."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        function = _named(name)

        def call(*arguments: Any, _semantic: Any = None) -> Any:
            if function is None:
                raise NotInterpretable(f"libdevice.{name}")
            return _apply(
                name,
                function,
                [
                    stock.interpreter_semantic.to_tensor(argument)
                    for argument in arguments
                ],
            )

        return call


def _apply(
    name: str, function: Callable[..., torch.Tensor], arguments: list[Any]
) -> Any:
    arrays = np.broadcast_arrays(*(argument.handle.data for argument in arguments))
    tensors = [torch.from_numpy(np.array(array)) for array in arrays]
    inexact = [tensor.dtype for tensor in tensors if tensor.is_floating_point()]
    if inexact and name not in ("ldexp", "scalbn"):  # their exponents are integers
        widest = max(inexact, key=lambda dtype: torch.finfo(dtype).bits)
        tensors = [tensor.to(widest) for tensor in tensors]
    result = (
        flushed(function(*map(flushed, tensors)))
        if name in _FLUSHING
        else function(*tensors)
    )
    ty, data = _TYPES[result.dtype], result.numpy()
    blocks = any(argument.shape for argument in arguments)
    return tl.core.tensor(
        stock.TensorHandle(data, ty),
        tl.block_type(ty, list(data.shape)) if blocks else ty,
    )
