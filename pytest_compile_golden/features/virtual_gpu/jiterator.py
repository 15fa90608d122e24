"""torch.cuda.jiterator on a virtual GPU: a function of one element in C++ is compiled by the host's compiler.

The rules are those of torch/csrc/cuda/python_torch_functions and aten/src/ATen/native/cuda/jit_utils.cpp: inputs are
broadcast and promoted to one type, numbers of 16 bits are computed in float32, and results have the common type.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import platformdirs
import torch

from pytest_compile_golden.features.virtual_gpu.device_library import host_view
from pytest_compile_golden.targets import build_library

_WIDE = {
    torch.float16: torch.float32,
    torch.bfloat16: torch.float32,
    torch.complex32: torch.complex64,
}
_TYPES = {
    torch.bool: "bool",
    torch.uint8: "uint8_t",
    torch.int8: "int8_t",
    torch.int16: "int16_t",
    torch.int32: "int",
    torch.int64: "int64_t",
    torch.float32: "float",
    torch.float64: "double",
    torch.complex64: "std::complex<float>",
    torch.complex128: "std::complex<double>",
}
_NUMBERS: dict[type, tuple[str, Any]] = {
    bool: ("bool", ctypes.c_bool),
    int: ("int64_t", ctypes.c_int64),
    float: ("double", ctypes.c_double),
}

# What CUDA's compiler knows without a header.
_BEFORE = """
#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <math.h>
#define __device__
#define __host__
#define __forceinline__ inline
namespace thrust = std;
template <typename A, typename B> std::common_type_t<A, B> max(A a, B b) { return a < b ? b : a; }
template <typename A, typename B> std::common_type_t<A, B> min(A a, B b) { return b < a ? b : a; }
template <typename T> T rsqrt(T x) { return T(1) / std::sqrt(x); }
"""


def launch(
    code: str,
    name: str,
    return_by_ref: bool,
    num_outputs: int,
    tensors: Sequence[torch.Tensor],
    numbers: Mapping[str, Any],
) -> Any:
    """What `name`, the last function template of `code`, makes of each element; a tensor, or several.

    Raises RuntimeError if the tensors are not all on one GPU, or if the code cannot be compiled.
    """
    devices = {tensor.device for tensor in tensors}
    if len(devices) != 1 or not tensors[0].is_cuda:
        found = ", ".join(sorted(map(str, devices)))
        raise RuntimeError(
            f"Expected all tensors to be on the same device, a GPU, but they are on {found}: {name}"
        )
    common = _common_type(tensors)
    computed = _WIDE.get(common, common)
    if computed not in _TYPES:
        raise RuntimeError(f"jiterator does not compute {common} ({name})")
    shape = torch.broadcast_shapes(*(tensor.shape for tensor in tensors))
    given = [
        host_view(tensor.detach()).expand(shape).to(computed).contiguous()
        for tensor in tensors
    ]
    results = [
        torch.empty(shape, dtype=computed, device="cpu") for _ in range(num_outputs)
    ]
    kinds = tuple(_NUMBERS[type(number)][0] for number in numbers.values())
    extras = [_NUMBERS[type(number)][1](number) for number in numbers.values()]
    function = _compiled(
        _source(
            code, name, return_by_ref, len(given), num_outputs, kinds, _TYPES[computed]
        )
    )
    function(
        (ctypes.c_void_p * len(given))(*(tensor.data_ptr() for tensor in given)),
        (ctypes.c_void_p * len(results))(*(tensor.data_ptr() for tensor in results)),
        (ctypes.c_void_p * len(extras))(*(ctypes.addressof(extra) for extra in extras)),
        ctypes.c_int64(results[0].numel()),
    )
    same = all(
        tensor.shape == shape and tensor.stride() == tensors[0].stride()
        for tensor in tensors
    )
    like = tensors[0].detach() if same else tensors[0].detach().new_empty(shape)
    made = tuple(
        torch.empty_like(like, dtype=common).copy_(result) for result in results
    )
    return made if return_by_ref and num_outputs > 1 else made[0]


def _common_type(tensors: Sequence[torch.Tensor]) -> torch.dtype:
    """What torch promotes these tensors to; each without dimensions only counts by its category."""
    large = [
        torch.empty(1, dtype=tensor.dtype, device="cpu")
        for tensor in tensors
        if tensor.dim()
    ]
    small = [
        torch.empty((), dtype=tensor.dtype, device="cpu")
        for tensor in tensors
        if not tensor.dim()
    ]
    common = (large or small)[0].dtype
    for tensor in (*large, *small):
        so_far = torch.empty((1,) if large else (), dtype=common, device="cpu")
        common = torch.result_type(so_far, tensor)
    return common


def _source(
    code: str,
    name: str,
    by_reference: bool,
    inputs: int,
    outputs: int,
    kinds: tuple[str, ...],
    computed: str,
) -> str:
    arguments = [
        f"static_cast<const {computed}*>(inputs[{index}])[at]"
        for index in range(inputs)
    ]
    arguments += [
        f"*static_cast<const {kind}*>(numbers[{index}])"
        for index, kind in enumerate(kinds)
    ]
    made = [
        f"static_cast<{computed}*>(outputs[{index}])[at]" for index in range(outputs)
    ]
    if by_reference:
        body = f"{name}<{computed}>({', '.join([*arguments, *made])});"
    else:
        body = f"{made[0]} = {name}<{computed}>({', '.join(arguments)});"
    return f"""{_BEFORE}
{code}

extern "C" void launch(const void* const* inputs, void* const* outputs, const void* const* numbers, int64_t count) {{
  for (int64_t at = 0; at < count; ++at) {body}
}}
"""


@functools.cache
def _compiled(source: str) -> Any:
    """The function `launch` of this text, which is compiled once per machine."""
    digest = hashlib.sha256(source.encode()).hexdigest()[:16]
    path = (
        Path(platformdirs.user_cache_dir("pytest-compile-golden"))
        / "jiterator"
        / f"{digest}.so"
    )
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            library = Path(folder) / path.name
            flags = (
                "-O1",
                "-std=c++20",
                "-shared",
                "-fPIC",
                "-w",
                "-x",
                "c++",
                "-",
                "-o",
                str(library),
            )
            done = subprocess.run(
                [*build_library.find_compiler(), *flags],
                input=source,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise RuntimeError(
                    "jiterator: the host's compiler, which a virtual GPU compiles this code with, refuses it:\n"
                    f"{done.stderr.strip()[-2000:]}"
                )
            library.replace(path)
    return ctypes.CDLL(str(path)).launch
