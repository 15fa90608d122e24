"""Memory of CUDA graphs, as torch's trees of graphs ask the caching allocator for it (torch/csrc/cuda/Module.cpp).

Their graphs are replayed in any order that a program takes, and each needs its memory where it was: before a new graph
is recorded, what is live in the pool is made what it was when the last one had been recorded.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from pytest_compile_golden.features.virtual_gpu import device_library


class _Thread(threading.local):
    pool: int | None = None
    """The one that this thread allocates from."""


_thread = _Thread()


def allocate_from(pool: int) -> None:
    """From now on this thread allocates from a pool, which is there until it is released as often as it was begun."""
    _thread.pool = pool
    device_library.load().begin_pool(pool)


def allocate_as_usual() -> None:
    """From now on this thread allocates from none."""
    _thread.pool = None
    device_library.load().end_pool()


@contextlib.contextmanager
def outside() -> Iterator[None]:
    """Allocate memory that no graph uses, though one is being recorded, or run for the first time."""
    pool = _thread.pool
    if pool is None:
        yield
        return
    allocate_as_usual()
    try:
        yield
    finally:
        allocate_from(pool)
        device_library.load().release_pool(pool)  # begun once more than it is for torch


def live_blocks(pool: tuple[int, int]) -> dict[int, int]:
    """The blocks of a pool that are allocated: bytes by address."""
    gpus = device_library.load()
    count = gpus.pool_blocks(pool[1], 0, None, None)
    addresses, sizes = (ctypes.c_ulonglong * count)(), (ctypes.c_longlong * count)()
    gpus.pool_blocks(pool[1], count, addresses, sizes)
    return dict(zip(addresses, sizes, strict=True))


def bindings() -> dict[str, Callable[..., Any]]:
    """C functions of torch._C; a storage is the address of its StorageImpl."""
    gpus = device_library.load()
    seen: dict[tuple[int, int], int] = {}
    """The device of each pool."""

    def begin(device: int, pool: tuple[int, int]) -> None:
        seen[pool] = device
        allocate_from(pool[1])

    def checkpoint(
        device: int, pool: tuple[int, int]
    ) -> tuple[tuple[int, int], dict[int, int]]:
        seen[pool] = device
        return pool, live_blocks(pool)

    def restore(
        device: int, state: Any, stale: Sequence[int], live: Sequence[int]
    ) -> None:
        pool, blocks = state
        for address in live_blocks(pool):
            if address not in blocks:
                gpus.free_block(address)
        for address, size in blocks.items():
            if not gpus.use_block(address, size, device):
                raise torch.cuda.OutOfMemoryError(
                    f"CUDA out of memory. GPU {device} has no {size} bytes left for what a CUDA graph has allocated."
                )
        for storage in live:
            if gpus.memory_of(storage) in blocks and not gpus.owns_memory(storage):
                gpus.own_memory(storage)

    def free(storage: int) -> None:
        address = gpus.memory_of(storage)
        if not gpus.disown_memory(storage):
            raise RuntimeError("the storage does not free its memory itself")
        gpus.free_block(address)

    def allocate(size: int, stream: int) -> int:
        block = torch.empty(size, dtype=torch.uint8, device="cuda")
        gpus.disown_memory(block.untyped_storage()._cdata)
        address: int = block.data_ptr()
        return address

    def tensor_in(metadata: dict[str, Any], storage: Any) -> torch.Tensor:
        made = torch.empty(0, dtype=metadata["dtype"], device=metadata["device"])
        return made.set_(
            storage, metadata["storage_offset"], metadata["size"], metadata["stride"]
        )

    def same_addresses(
        tensors: Sequence[Any], addresses: Sequence[int | None], places: Sequence[int]
    ) -> bool:
        return all(
            tensors[place].data_ptr() == addresses[place]
            for place in places
            if addresses[place] is not None
        )

    def snapshot(*args: Any) -> dict[str, Any]:
        segments = [
            _segment(device, pool, address, size)
            for pool, device in seen.items()
            for address, size in live_blocks(pool).items()
        ]
        return {"segments": segments, "device_traces": [], "allocator_settings": {}}

    return {
        "_cuda_beginAllocateToPool": begin,
        "_cuda_beginAllocateCurrentThreadToPool": begin,
        "_cuda_beginAllocateCurrentStreamToPool": begin,
        "_cuda_endAllocateToPool": lambda device, pool: allocate_as_usual(),
        "_cuda_endAllocateCurrentStreamToPool": lambda device, pool: (
            allocate_as_usual()
        ),
        "_cuda_releasePool": lambda device, pool: gpus.release_pool(pool[1]),
        "_cuda_getCheckpointState": checkpoint,
        "_cuda_setCheckpointPoolState": restore,
        "_cuda_checkPoolLiveAllocations": lambda device, pool, expected: (
            live_blocks(pool).keys() == expected
        ),
        # Functions, since torch hashes what has these names (torch/_dynamo/trace_rules.py), and a pointer has no hash.
        "_cuda_cudaCachingAllocator_raw_alloc": allocate,
        "_cuda_cudaCachingAllocator_raw_delete": lambda address: gpus.free_block(
            address
        ),
        "_cuda_memorySnapshot": snapshot,
        "_free_And_Remove_DeleterFn": free,
        "_has_Standard_Deleter": lambda storage: gpus.owns_memory(storage),
        "_set_storage_access_error_msg": torch.ops.compile_golden.forbid_storage,
        "_set_storage_data_ptr_access_error_msg": lambda storage, message: (
            gpus.forbid_memory(storage, message.encode())
        ),
        "_construct_CUDA_Tensor_From_Storage_And_Metadata": tensor_in,
        "_tensors_data_ptrs_at_indices_equal": same_addresses,
    }


def _segment(
    device: int, pool: tuple[int, int], address: int, size: int
) -> dict[str, Any]:
    """A block as torch.cuda.memory_snapshot() shows it."""
    block = {
        "address": address,
        "size": size,
        "requested_size": size,
        "state": "active_allocated",
        "frames": [],
    }
    return {
        "device": device,
        "address": address,
        "total_size": size,
        "allocated_size": size,
        "active_size": size,
        "requested_size": size,
        "stream": 0,
        "segment_type": "small",
        "segment_pool_id": pool,
        "is_expandable": False,
        "frames": [],
        "blocks": [block],
    }
