"""torch.cuda on a device that computes: memory, random numbers and storages answer for it."""

from __future__ import annotations

import enum
import functools
import types
from collections.abc import Callable, Sequence
from typing import Any

import torch

from pytest_compile_golden.features.virtual_gpu import (
    device_library,
    graph_pools,
    jiterator,
)
from pytest_compile_golden.features.virtual_gpu.cuda_graphs import (
    CUDAGraph,
    MemPool,
    is_capturing,
    new_pool,
)
from pytest_compile_golden.targets.cuda_api import replace_legacy_types
from pytest_compile_golden.targets.cuda_streams import device_index
from pytest_compile_golden.targets.device_properties import CudaProperties
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import device as names


def install(patches: Patches, properties: CudaProperties, devices: int) -> None:
    """Answer for the device to what torch.cuda asks while it computes."""
    bindings = _bindings(properties, devices)
    for name, answer in bindings.items():
        patches.put(torch._C, name, answer)
        # A CUDA wheel's modules have imported some by name (torch/cuda/graphs.py).
        for module in (torch.cuda.graphs, torch.cuda.memory, torch.cuda.streams):
            if name in vars(module):
                patches.put(module, name, answer)
    # On the CPU wheel these do not look for the functions above (torch/cuda/__init__.py).
    patches.answer(torch.cuda, "_exchange_device", bindings["_cuda_exchangeDevice"])
    patches.answer(
        torch.cuda, "_maybe_exchange_device", bindings["_cuda_maybeExchangeDevice"]
    )
    patches.answer(
        torch.cuda,
        "mem_get_info",
        lambda device=None: _free_and_total(properties, device),
    )
    cudart = _cudart(properties)
    patches.answer(torch.cuda, "cudart", lambda: cudart)
    patches.answer(torch.cuda, "device_count", lambda: devices)
    patches.answer(torch.cuda, "_device_count_nvml", lambda: devices)
    # Checkpointing restores the states of a device's generators only if it is (torch/utils/checkpoint.py).
    patches.put(torch.cuda, "_initialized", True)
    generators = tuple(
        torch.ops.compile_golden.generator(index) for index in range(devices)
    )
    patches.put(torch.cuda, "default_generators", generators)
    for module in (torch.cuda, torch.cuda.graphs):
        patches.put(module, "CUDAGraph", CUDAGraph)
    for module in (torch.cuda, torch.cuda.memory):
        patches.replace_if_present(module, "MemPool", MemPool)
    with patches.feature("recurrent networks") as own:
        # cuDNN wants the weights of a network in one buffer; here they stay where they are.
        own.replace(*names.FLATTENS_WEIGHTS.resolve(), lambda: False)
    patches.wrap(torch.autograd.profiler.profile, "__init__", _of_the_host)
    patches.replace(torch.autograd.profiler.emit_nvtx, "__enter__", lambda self: self)
    patches.replace(
        torch.autograd.profiler.emit_nvtx, "__exit__", lambda self, *raised: False
    )
    _idle(patches)
    _legacy_tensors(patches)
    _storages(patches)


def _bindings(
    properties: CudaProperties, devices: int
) -> dict[str, Callable[..., Any]]:
    """C functions of torch._C, as in `targets.cuda_api`."""
    gpus = device_library.load()

    def set_device(device: int) -> None:
        exchange_device(device)

    def exchange_device(device: int) -> int:
        if device >= devices:
            raise torch.AcceleratorError(
                "CUDA error: invalid device ordinal\n"
                "GPU device may be out of range, do you have enough GPUs?"
            )
        return int(gpus.exchange_device(device)) if device >= 0 else -1

    def stats(device: int = 0) -> dict[str, Any]:
        return device_library.memory_usage(device).stats()

    return {
        "_cuda_getDevice": lambda: int(gpus.current_device()),
        "_cuda_setDevice": set_device,
        "_cuda_exchangeDevice": exchange_device,
        "_cuda_maybeExchangeDevice": exchange_device,
        "_cuda_getDeviceCount": lambda: devices,
        "_cuda_getCurrentBlasHandle": lambda: 0,
        **_between_devices(),
        "_cuda_jiterator_compile_and_launch_kernel": jiterator.launch,
        "_cuda_memoryStats": stats,
        "_cuda_resetPeakMemoryStats": lambda device: gpus.reset_peak(device),
        "_cuda_resetAccumulatedMemoryStats": lambda device: gpus.reset_accumulated(
            device
        ),
        "_cuda_isCurrentStreamCapturing": is_capturing,
        "_graph_pool_handle": new_pool,
        **graph_pools.bindings(),
        "_host_emptyCache": lambda: None,
        "_accelerator_getDeviceStats": stats,
        "_accelerator_resetPeakStats": lambda device: gpus.reset_peak(device),
        "_accelerator_resetAccumulatedStats": lambda device: gpus.reset_accumulated(
            device
        ),
        "_accelerator_getMemoryInfo": lambda device: _free_and_total(
            properties, device
        ),
        "_accelerator_getDefaultGenerator": lambda device: (
            torch.cuda.default_generators[device]
        ),
    }


def _between_devices() -> dict[str, Callable[..., Any]]:
    """What torch.nn.DataParallel moves tensors with (torch/csrc/cuda/comm.cpp); a negative index is the CPU."""

    def on(tensor: torch.Tensor, index: int | None) -> torch.Tensor:
        return tensor.to(
            torch.device("cuda", device_index(index))
            if index is None or index >= 0
            else "cpu"
        )

    def parts(
        tensor: torch.Tensor,
        devices: Sequence[int],
        sizes: Sequence[int] | None,
        dim: int,
    ) -> list[torch.Tensor]:
        return list(
            tensor.chunk(len(devices), dim)
            if sizes is None
            else tensor.split(sizes, dim)
        )

    def scatter(
        tensor: torch.Tensor, devices: Any, sizes: Any, dim: int, streams: Any = None
    ) -> tuple[torch.Tensor, ...]:
        chunks = parts(tensor, devices, sizes, dim)
        return tuple(
            on(chunk, index) for chunk, index in zip(chunks, devices, strict=False)
        )

    def scatter_out(
        tensor: torch.Tensor, out: list[torch.Tensor], dim: int, streams: Any = None
    ) -> Any:
        sizes = [each.size(dim) for each in out]
        return tuple(
            each.copy_(chunk)
            for each, chunk in zip(out, tensor.split(sizes, dim), strict=True)
        )

    def gather(
        tensors: Sequence[torch.Tensor], dim: int, destination: int | None
    ) -> torch.Tensor:
        return torch.cat([on(tensor, destination) for tensor in tensors], dim)

    def gather_out(
        tensors: Sequence[torch.Tensor], out: torch.Tensor, dim: int
    ) -> torch.Tensor:
        return out.copy_(torch.cat([tensor.to(out.device) for tensor in tensors], dim))

    def broadcast(tensor: torch.Tensor, devices: Sequence[int]) -> list[torch.Tensor]:
        return [on(tensor, index) for index in devices]

    def reduced(inputs: Sequence[torch.Tensor], operation: int) -> torch.Tensor:
        """As nccl.h numbers operations."""
        combine = (torch.add, torch.mul, torch.maximum, torch.minimum)[operation]
        return functools.reduce(
            combine, [tensor.to(inputs[0].device) for tensor in inputs]
        )

    def nccl_reduce(
        inputs: Any, output: torch.Tensor, root: int, operation: int, *rest: Any
    ) -> None:
        output.copy_(reduced(inputs, operation))

    def nccl_all_reduce(inputs: Any, outputs: Any, operation: int, *rest: Any) -> None:
        result = reduced(inputs, operation)
        for output in outputs:
            output.copy_(result)

    def nccl_broadcast(inputs: Any, root: int, *rest: Any) -> None:
        for tensor in inputs:
            tensor.copy_(inputs[root])

    return {
        "_nccl_reduce": nccl_reduce,
        "_nccl_all_reduce": nccl_all_reduce,
        "_nccl_broadcast": nccl_broadcast,
        "_scatter": scatter,
        "_scatter_out": scatter_out,
        "_gather": gather,
        "_gather_out": gather_out,
        "_broadcast": broadcast,
        "_broadcast_out": lambda tensor, out: [each.copy_(tensor) for each in out],
        "_broadcast_coalesced": lambda tensors, devices, size: [
            [on(tensor, index) for tensor in tensors] for index in devices
        ],
    }


class _Status(enum.IntEnum):
    """torch.cuda.cudart().cudaError, with the only member that torch gives it."""

    success = 0


def _cudart(properties: CudaProperties) -> types.SimpleNamespace:
    """torch.cuda.cudart(), with what torch offers of CUDA's runtime (torch/csrc/cuda/shared/cudart.cpp)."""
    gpus = device_library.load()

    def register(start: int, size: int, flags: int) -> _Status:
        gpus.pin(start, size)
        return _Status.success

    def unregister(start: int) -> _Status:
        gpus.unpin(start)
        return _Status.success

    done = dict.fromkeys(
        (
            "cudaProfilerStart",
            "cudaProfilerStop",
            "cudaStreamCreate",
            "cudaStreamDestroy",
        ),
        lambda *args: _Status.success,
    )
    return types.SimpleNamespace(
        cudaError=_Status,
        cudaGetErrorString=lambda status: "no error",
        cudaHostRegister=register,
        cudaHostUnregister=unregister,
        cudaMemGetInfo=lambda device: _free_and_total(properties, device),
        **done,
    )


def _live(device: Any) -> int:
    """Bytes."""
    return device_library.memory_usage(device_index(device)).live


def _free_and_total(properties: CudaProperties, device: Any) -> tuple[int, int]:
    """Bytes."""
    return properties.total_memory - _live(device), properties.total_memory


def _storages(patches: Patches) -> None:
    """Make and resize storages of the device, for which the wheel's C++ knows its own devices only."""
    kind = torch.UntypedStorage

    def made(original: Callable[..., Any]) -> Callable[..., Any]:
        def new(cls: type, *args: Any, device: Any = None, **kwargs: Any) -> Any:
            if device is None or torch.device(device).type != "cuda":
                return original(
                    cls,
                    *args,
                    **kwargs,
                    **({} if device is None else {"device": device}),
                )
            if args and isinstance(args[0], int):
                return torch.empty(
                    args[0], dtype=torch.uint8, device=device
                ).untyped_storage()
            content = torch.tensor(
                args[0] if args else (), dtype=torch.uint8, device="cpu"
            )
            return content.to(device).untyped_storage()

        return new

    def resized(original: Callable[..., Any]) -> Callable[..., Any]:
        def resize_(self: Any, size: int) -> Any:
            if self.device.type != "cuda":
                return original(self, size)
            holder = torch.empty(0, dtype=torch.uint8, device=self.device)
            holder.set_(self, 0, (0,), (1,))
            torch.ops.compile_golden.resize_storage(holder, size)
            return self

        return resize_

    patches.wrap(kind, "__new__", made)
    patches.wrap(kind, "resize_", resized)


def _idle(patches: Patches) -> None:
    """What the driver measures is zero."""
    for name in (
        "clock_rate",
        "memory_usage",
        "power_draw",
        "temperature",
        "utilization",
        "current_blas_handle",
        "current_solver_handle",
    ):
        patches.answer(torch.cuda, name, lambda *args, **kwargs: 0)
    patches.answer(torch.cuda, "device_memory_used", lambda device=None: _live(device))


def _of_the_host(original: Callable[..., Any]) -> Callable[..., Any]:
    """A profile has the host's events: nothing else happens."""

    def init(
        self: Any,
        *args: Any,
        use_device: str | None = None,
        use_cuda: bool = False,
        **kwargs: Any,
    ) -> None:
        original(
            self,
            *args,
            use_device=None if use_device == "cuda" else use_device,
            **kwargs,
        )

    return init


def _legacy_tensors(patches: Patches) -> None:
    """torch.cuda.FloatTensor and the like, which a CPU wheel does not have: types, which make tensors when called."""

    def options(cls: type) -> dict[str, Any]:
        kind = getattr(torch, cls.__name__.rpartition(".")[2])
        return {"dtype": kind.dtype, "device": "cuda"}

    def size_in(args: tuple[Any, ...]) -> Any:
        """The size that is asked for; None if there is content."""
        if not args:
            return (0,)
        if isinstance(args[0], int):
            return args
        return args[0] if isinstance(args[0], torch.Size) else None

    def make(cls: type, *args: Any) -> Any:
        size = size_in(args)
        if size is not None:
            return torch.empty(size, **options(cls))
        if isinstance(args[0], torch.Tensor):
            return args[0].to(**options(cls))
        return torch.tensor(args[0], **options(cls))

    def make_sparse(cls: type, *args: Any) -> Any:
        size = size_in(args)
        if size is not None:
            return torch.sparse_coo_tensor(size=size, **options(cls))
        return torch.sparse_coo_tensor(*args, **options(cls))

    replace_legacy_types(patches, torch.cuda, make)
    replace_legacy_types(patches, torch.cuda.sparse, make_sparse)
    original, on_card = names.SET_DEFAULT_TYPE.get(), False

    def set_default_type(kind: Any) -> None:
        nonlocal on_card
        name = getattr(kind, "__name__", "")
        if on_card != name.startswith("torch.cuda."):
            on_card = not on_card
            torch.set_default_device("cuda" if on_card else None)
        original(getattr(torch, name.rpartition(".")[2]) if on_card else kind)

    patches.callback(lambda: torch.set_default_device(None) if on_card else None)
    patches.replace(*names.SET_DEFAULT_TYPE.resolve(), set_default_type)
