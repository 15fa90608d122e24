"""device.cpp, which puts a device for host memory into torch's dispatcher, as Python calls it."""

from __future__ import annotations

import ctypes
import functools
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from pytest_compile_golden.targets import build_library
from pytest_compile_golden.targets.cuda_api import MemoryUsage
from pytest_compile_golden.targets.device_properties import CudaProperties, CudaRuntime
from pytest_compile_golden.targets.dispatcher_kernels import declarations
from pytest_compile_golden.torch_internals import device as names

_SOURCE = Path(__file__).with_name("device.cpp")

_ONLY_IN_GRAPHS = ("aten::_functional_assert_async.msg", "aten::_make_dep_token")
"""Operators that Inductor lowers for CUDA, which has no kernels of them."""


@functools.cache
def load() -> Any:
    """The library, built if missing. Raises TargetUnavailable if it cannot be built."""
    library = build_library.load_library(_SOURCE)
    library.attach.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_longlong]
    library.set_rules.argtypes = [ctypes.c_char_p]
    library.block_at.argtypes = [ctypes.c_ulonglong, ctypes.POINTER(ctypes.c_ulonglong)]
    library.block_at.restype = ctypes.c_bool
    storage, block = ctypes.c_ulonglong, ctypes.c_ulonglong
    library.begin_pool.argtypes = library.release_pool.argtypes = [ctypes.c_longlong]
    library.pool_blocks.argtypes = [
        ctypes.c_longlong,
        ctypes.c_int,
        ctypes.POINTER(ctypes.c_ulonglong),
        ctypes.POINTER(ctypes.c_longlong),
    ]
    library.use_block.argtypes = [block, ctypes.c_longlong, ctypes.c_int]
    library.free_block.argtypes = library.is_pooled.argtypes = [block]
    library.forbid_memory.argtypes = [storage, ctypes.c_char_p]
    library.memory_of.restype = ctypes.c_ulonglong
    library.pin.argtypes = [ctypes.c_ulonglong, ctypes.c_ulonglong]
    library.unpin.argtypes = [ctypes.c_ulonglong]
    for name in ("memory_of", "owns_memory", "own_memory", "disown_memory"):
        getattr(library, name).argtypes = [storage]
    for name in ("is_pooled", "use_block", "owns_memory", "disown_memory"):
        getattr(library, name).restype = ctypes.c_bool
    for name in (
        *("begin_pool", "end_pool", "release_pool"),
        *("free_block", "own_memory", "forbid_memory"),
        *("pin", "unpin"),
        "attach",
        "detach",
        "set_rules",
        "memory_usage",
        "reset_peak",
        "reset_accumulated",
    ):
        getattr(library, name).restype = None
    library.set_rules("".join(f"{rule}\n" for rule in _declared_rules()).encode())
    return library


@contextmanager
def attached(
    runtime: CudaRuntime, properties: CudaProperties, devices: int
) -> Iterator[None]:
    """The process has this many devices with these properties' memory, and operators run on them."""
    library = load()
    library.attach(runtime.cudnn, devices, properties.total_memory)
    _forget_resolved_kernels()
    try:
        yield
    finally:
        library.detach()
        _forget_resolved_kernels()


def _forget_resolved_kernels() -> None:
    """Python's dispatcher, which traces with fake tensors, looks kernels up again (torch/_ops.py: _get_dispatch).

    Only a `torch.library.Library` tells it of a kernel that comes or goes. The kernel that it remembers would be called
    although it is gone, which ends the process.
    """
    for operator in names.RESOLVED_OPERATORS.get()():
        names.RESOLVED_KERNELS.of(operator).clear()


def memory_usage(device: int) -> MemoryUsage:
    """What is allocated on a device."""
    figures = (ctypes.c_longlong * 9)()
    load().memory_usage(device, figures)
    return MemoryUsage(*figures)


def block_at(address: int) -> tuple[int, int, int] | None:
    """The block of memory that holds an address: its start, and its size in bytes as asked for and as given."""
    figures = (ctypes.c_ulonglong * 3)()
    return (
        (figures[0], figures[1], figures[2])
        if load().block_at(address, figures)
        else None
    )


def host_view(tensor: torch.Tensor) -> torch.Tensor:
    """A CPU tensor with the memory of this tensor of the device; a CPU tensor unchanged."""
    view: torch.Tensor = torch.ops.compile_golden.host_view(tensor)
    return view


def device_view(tensor: torch.Tensor, index: int) -> torch.Tensor:
    """A tensor of a device with the memory of this CPU tensor; others unchanged."""
    view: torch.Tensor = torch.ops.compile_golden.device_view(tensor, index)
    return view


def in_bytes(storage: torch.UntypedStorage) -> torch.Tensor:
    """All of a storage as a tensor of bytes, with the same memory."""
    whole = torch.empty(0, dtype=torch.uint8, device=storage.device)
    return whole.set_(storage, 0, (storage.nbytes(),), (1,))


def _declared_rules() -> Iterator[str]:
    """What torch declares of its operators, as device.cpp reads it: a letter, a space, and an operator's name.

    It is `device_check`, with a comment where TensorIterator checks instead, and `dispatch`.
    """
    for entry in declarations().split("\n- func: ")[1:]:
        name = f"aten::{entry.partition('(')[0]}"
        unchecked = re.search(
            r"^  device_check: NoCheck *(# TensorIterator)?", entry, re.MULTILINE
        )
        if unchecked is not None:
            # Indices may be the CPU's (aten/src/ATen/native/IndexingUtils.h: expandTensors).
            scalars = unchecked.group(1) and not re.match(
                r"aten::(_unsafe)?_?index(_put\w*)?(\.|$)", name
            )
            yield f"{'s' if scalars else 'n'} {name}"
        kernels = re.findall(
            r"^    ([A-Za-z, ]+):", entry.partition("\n  dispatch:")[2], re.MULTILINE
        )
        keys = {key.strip() for line in kernels for key in line.split(",")}
        composed = any(key.startswith("Composite") for key in keys)
        if (
            "CPU" in keys
            and "CUDA" not in keys
            and not composed
            and name not in _ONLY_IN_GRAPHS
        ):
            yield f"c {name}"
