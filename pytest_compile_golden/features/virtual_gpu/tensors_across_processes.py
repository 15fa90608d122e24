"""Tensors of the device in several processes: handed to workers, and exchanged by ranks over gloo in nccl's place."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from multiprocessing.reduction import ForkingPickler
from typing import Any

import torch
import torch.multiprocessing.reductions
from torch.multiprocessing.reductions import StorageWeakRef

from pytest_compile_golden.features.virtual_gpu.device_library import (
    device_view,
    in_bytes,
)
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import device as names
from pytest_compile_golden.torch_internals import distributed


def install(patches: Patches) -> None:
    """Answer for CUDA's memory of several processes, and for NCCL."""
    picklers = names.EXTRA_REDUCERS.of(ForkingPickler)
    for kind in (torch.Tensor, torch.nn.Parameter):
        patches.put_item(
            picklers,
            kind,
            _shared(picklers.get(kind, torch.multiprocessing.reductions.reduce_tensor)),
        )
    if torch.distributed.is_available():
        _exchange_by_gloo(patches)
        _fuse_with_collectives(patches)


def _shared(original: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Reduces a tensor for another process, which gets the same memory (torch/multiprocessing/reductions.py)."""

    def reduce(tensor: Any) -> Any:
        if not tensor.is_cuda or tensor.layout != torch.strided:
            return original(tensor)
        if tensor.requires_grad and not tensor.is_leaf:
            raise RuntimeError(
                "Cowardly refusing to serialize non-leaf tensor which requires_grad."
            )
        whole = in_bytes(tensor.untyped_storage())
        memory = _known_memory(whole)
        if memory is None:
            memory = whole.cpu().share_memory_()
            torch.ops.compile_golden.take_memory(whole, memory)
            _memories[memory.data_ptr()] = StorageWeakRef(memory.untyped_storage())
        described = (
            tensor.dtype,
            tensor.storage_offset(),
            tuple(tensor.size()),
            tensor.stride(),
        )
        return _rebuilt, (
            memory,
            tensor.device.index,
            *described,
            type(tensor),
            tensor.requires_grad,
        )

    return reduce


_memories: dict[int, StorageWeakRef] = {}
"""Memory of the host that other processes have, by its address here."""


def _known_memory(whole: torch.Tensor) -> torch.Tensor | None:
    """The memory of a storage that other processes have already; None if it is this one's alone."""
    reference = _memories.get(whole.data_ptr())
    storage = (
        None if reference is None else names.STORAGE_OF_REFERENCE.get()(reference.cdata)
    )
    if storage is None:
        _memories.pop(whole.data_ptr(), None)
        return None
    return in_bytes(storage)


def _rebuilt(
    memory: torch.Tensor,
    index: int,
    dtype: torch.dtype,
    offset: int,
    size: tuple[int, ...],
    stride: tuple[int, ...],
    kind: type,
    requires_grad: bool,
) -> Any:
    tensor = torch.empty(0, dtype=dtype, device=f"cuda:{index}")
    tensor.set_(device_view(memory, index).untyped_storage(), offset, size, stride)
    return (
        torch.nn.Parameter(tensor, requires_grad)
        if kind is torch.nn.Parameter
        else tensor.requires_grad_(requires_grad)
    )


def _exchange_by_gloo(patches: Patches) -> None:
    """Groups of ranks that ask for nccl, which is CUDA's default, exchange by gloo, in memory of the host."""
    import torch.distributed as dist

    def initialised(original: Callable[..., Any]) -> Callable[..., Any]:
        def init_process_group(backend: Any = None, *args: Any, **kwargs: Any) -> Any:
            kwargs.pop("device_id", None)  # NCCL would connect at once
            kwargs.pop("pg_options", None)
            return original(_by_gloo(backend), *args, **kwargs)

        return init_process_group

    def made(original: Callable[..., Any]) -> Callable[..., Any]:
        def new_group(*args: Any, backend: Any = None, **kwargs: Any) -> Any:
            kwargs.pop("device_id", None)
            kwargs.pop("pg_options", None)
            return original(
                *args, backend=None if backend is None else _by_gloo(backend), **kwargs
            )

        return new_group

    for module in (dist, dist.distributed_c10d):
        patches.wrap(module, "init_process_group", initialised)
        patches.wrap(module, "new_group", made)
        patches.put(module, "is_nccl_available", lambda: True)


def _by_gloo(backend: Any) -> str:
    return (
        "cpu:gloo,cuda:gloo"
        if backend is None
        else str(backend).replace("nccl", "gloo")
    )


def _fuse_with_collectives(patches: Patches) -> None:
    """Matrix products that are fused with a collective exchange by the group, not by memory that cards share.

    torch has these kernels for shapes and for its own tests (torch/distributed/_symmetric_memory/__init__.py).
    """
    kernels = {
        name: row.get() for name, row in distributed.FUSED_BY_COLLECTIVES.items()
    }
    library: Any = torch.library.Library("symm_mem", "IMPL")
    patches.callback(library._destroy)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # each replaces torch's own
        for name, kernel in kernels.items():
            # Said by name, since torch 2.12 refuses by default.
            library.impl(name, kernel, "CUDA", allow_override=True)
