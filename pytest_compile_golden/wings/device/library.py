"""device.cpp, which puts a device for host memory into torch's dispatcher, as Python calls it."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from pytest_compile_golden.targets import shim
from pytest_compile_golden.targets.properties import CudaProperties, CudaRuntime

_SOURCE = Path(__file__).with_name("device.cpp")
_DECLARATIONS = "packaged/ATen/native/native_functions.yaml"


@dataclass(frozen=True)
class MemoryUsage:
    """What one device has allocated, in bytes, rounded up as its caching allocator would, and in blocks."""

    live: int
    peak: int
    allocated: int
    freed: int
    blocks: int
    peak_blocks: int
    allocations: int
    frees: int
    failures: int
    """How often there was not enough memory."""


@functools.cache
def load() -> Any:
    """The library, built if missing. Raises TargetUnavailable if it cannot be built."""
    library = shim.load_library(_SOURCE)
    library.attach.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_longlong]
    library.set_device_checks.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
    for name in ("attach", "detach", "set_device_checks", "memory_usage", "reset_peak", "reset_accumulated"):
        getattr(library, name).restype = None
    library.set_device_checks(*(text.encode() for text in _device_checks()))
    return library


@contextmanager
def attached(runtime: CudaRuntime, properties: CudaProperties, devices: int) -> Iterator[None]:
    """The process has this many devices with these properties' memory, and operators run on them."""
    library = load()
    library.attach(runtime.cudnn, devices, properties.total_memory)
    try:
        yield
    finally:
        library.detach()


def memory_usage(device: int) -> MemoryUsage:
    """What is allocated on a device."""
    figures = (ctypes.c_longlong * 9)()
    load().memory_usage(device, figures)
    return MemoryUsage(*figures)


def host_view(tensor: torch.Tensor) -> torch.Tensor:
    """A CPU tensor with the memory of this tensor of the device; a CPU tensor unchanged."""
    return torch.ops.compile_golden.host_view(tensor)  # type: ignore[no-any-return]


def device_view(tensor: torch.Tensor, index: int) -> torch.Tensor:
    """A tensor of a device with the memory of this CPU tensor; others unchanged."""
    return torch.ops.compile_golden.device_view(tensor, index)  # type: ignore[no-any-return]


def _device_checks() -> tuple[str, str]:
    """The functions whose CUDA kernels do not check that their tensors are on one device, and those that allow scalars
    of the CPU, a name a line (torchgen: `device_check` in native_functions.yaml, where TensorIterator checks itself).
    """
    spec = importlib.util.find_spec("torchgen")
    path = None if spec is None or spec.origin is None else Path(spec.origin).parent / _DECLARATIONS
    if path is None or not path.is_file():
        return "", ""
    none, scalars = [], []
    for entry in path.read_text(encoding="utf-8").split("\n- func: ")[1:]:
        found = re.search(r"^  device_check: NoCheck *(# TensorIterator)?", entry, re.MULTILINE)
        name = entry.partition("(")[0]
        # A delegate is checked as the function that it is structured by, which comes later or earlier in the file.
        if found is not None:
            (scalars if found.group(1) else none).append(name)
    return "".join(f"{name}\n" for name in none), "".join(f"{name}\n" for name in scalars)
