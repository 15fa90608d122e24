"""torch.cuda on a device that computes: streams, events, memory, random numbers and storages answer for it."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

import torch

from pytest_compile_golden.targets.cuda_api import replace_legacy_types
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.targets.properties import CudaProperties
from pytest_compile_golden.torch_internals import device as names
from pytest_compile_golden.wings.device import library
from pytest_compile_golden.wings.device.cuda_graphs import CUDAGraph, MemPool, is_capturing

_CUDA = 1
"""The number of the device type in C++ (c10/core/DeviceType.h)."""


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
    patches.answer(torch.cuda, "_maybe_exchange_device", bindings["_cuda_maybeExchangeDevice"])
    patches.answer(torch.cuda, "mem_get_info", lambda device=None: _free_and_total(properties, device))
    patches.answer(torch.cuda, "device_count", lambda: devices)
    patches.answer(torch.cuda, "_device_count_nvml", lambda: devices)
    # Checkpointing restores the states of a device's generators only if it is (torch/utils/checkpoint.py).
    patches.put(torch.cuda, "_initialized", True)
    generators = tuple(torch.ops.compile_golden.generator(index) for index in range(devices))
    patches.put(torch.cuda, "default_generators", generators)
    for module in (torch.cuda, torch.cuda.streams):
        for kind in (Stream, Event, ExternalStream):
            patches.replace_if_present(module, kind.__name__, kind)
    for module in (torch.cuda, torch.cuda.graphs):
        patches.put(module, "CUDAGraph", CUDAGraph)
    for module in (torch.cuda, torch.cuda.memory):
        patches.replace_if_present(module, "MemPool", MemPool)
    with patches.feature("recurrent networks") as own:
        # cuDNN wants the weights of a network in one buffer; here they stay where they are.
        own.replace(*names.FLATTENS_WEIGHTS.resolve(), lambda: False)
    patches.wrap(torch.autograd.profiler.profile, "__init__", _of_the_host)
    _legacy_tensors(patches)
    interface = names.CUDA_INTERFACE.get()
    patches.put(interface, "Stream", Stream)
    patches.put(interface, "Event", Event)
    _storages(patches)


def _index(device: Any) -> int:
    """The index of a device as torch's functions take it: an index, a device, its name, or None for the current one."""
    if device is None:
        return int(library.load().current_device())
    if isinstance(device, int):
        return device if device >= 0 else int(library.load().current_device())
    index = torch.device(device).index
    return int(library.load().current_device()) if index is None else index


def _bindings(properties: CudaProperties, devices: int) -> dict[str, Callable[..., Any]]:
    """C functions of torch._C, as in `targets.cuda_api`."""
    gpus = library.load()

    def set_device(device: int) -> None:
        if device >= 0:
            gpus.exchange_device(device)

    def exchange_device(device: int) -> int:
        return int(gpus.exchange_device(device)) if device >= 0 else -1

    def current_stream(device: int) -> tuple[int, int, int]:
        stream = torch.accelerator.current_stream(device)
        return stream.stream_id, stream.device_index, _CUDA

    def set_stream(stream_id: int, device_index: int, device_type: int) -> None:
        torch.accelerator.set_stream(Stream(stream_id=stream_id, device_index=device_index, device_type=device_type))

    def stats(device: int = 0) -> dict[str, Any]:
        return library.memory_usage(device).stats()

    handles = itertools.count(1)
    return {
        "_cuda_getDevice": lambda: int(gpus.current_device()),
        "_cuda_setDevice": set_device,
        "_cuda_exchangeDevice": exchange_device,
        "_cuda_maybeExchangeDevice": exchange_device,
        "_cuda_getDeviceCount": lambda: devices,
        "_cuda_getCurrentStream": current_stream,
        "_cuda_getDefaultStream": lambda device: (0, device, _CUDA),
        "_cuda_setStream": set_stream,
        "_cuda_getCurrentRawStream": lambda device: current_stream(device)[0],
        "_cuda_getCurrentBlasHandle": lambda: 0,
        "_cuda_memoryStats": stats,
        "_cuda_resetPeakMemoryStats": lambda device: gpus.reset_peak(device),
        "_cuda_resetAccumulatedMemoryStats": lambda device: gpus.reset_accumulated(device),
        "_cuda_isCurrentStreamCapturing": is_capturing,
        "_graph_pool_handle": lambda: (0, next(handles)),
        "_host_emptyCache": lambda: None,
        "_accelerator_getDeviceStats": stats,
        "_accelerator_resetPeakStats": lambda device: gpus.reset_peak(device),
        "_accelerator_resetAccumulatedStats": lambda device: gpus.reset_accumulated(device),
        "_accelerator_getMemoryInfo": lambda device: _free_and_total(properties, device),
        "_accelerator_getDefaultGenerator": lambda device: torch.cuda.default_generators[device],
    }


def _free_and_total(properties: CudaProperties, device: Any) -> tuple[int, int]:
    """Bytes."""
    return properties.total_memory - library.memory_usage(_index(device)).live, properties.total_memory


class Stream(torch.Stream):  # type: ignore[misc]
    """torch.cuda.Stream: what is launched on it has run when the launch returns."""

    def __new__(cls, device: Any = None, priority: int = 0, **kwargs: Any) -> Stream:
        if "stream_id" in kwargs:
            return super().__new__(cls, **kwargs)  # type: ignore[no-any-return]
        return super().__new__(cls, device=torch.device("cuda", _index(device)), priority=priority)  # type: ignore[no-any-return]

    @staticmethod
    def priority_range() -> tuple[int, int]:
        return 0, -5

    @property
    def cuda_stream(self) -> int:
        return int(self.stream_id)

    @property
    def priority(self) -> int:
        return 0

    def wait_event(self, event: Any) -> None:
        event.wait(self)

    def wait_stream(self, stream: Any) -> None:
        """Nothing to wait for."""

    def record_event(self, event: Any = None) -> Any:
        event = Event() if event is None else event
        event.record(self)
        return event

    def __repr__(self) -> str:
        return f"<torch.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"


class ExternalStream(Stream):
    """torch.cuda.ExternalStream: a stream by its address."""

    def __new__(cls, stream_ptr: int, device: Any = None, **kwargs: Any) -> ExternalStream:
        where = {"device_index": _index(device), "device_type": _CUDA}
        return super().__new__(cls, stream_id=stream_ptr, **where)


class Event(torch.Event):  # type: ignore[misc]
    """torch.cuda.Event: the time at which it was recorded."""

    def __new__(
        cls,
        enable_timing: bool = False,
        blocking: bool = False,
        interprocess: bool = False,
        external: bool = False,
    ) -> Event:
        made: Event = super().__new__(cls, device="cuda", enable_timing=enable_timing, blocking=blocking)
        return made

    def record(self, stream: Any = None) -> None:
        self._recorded = time.perf_counter()
        super().record(*([] if stream is None else [stream]))

    # torch.Event's own takes no instance of a subclass (torch/csrc/Event.cpp).
    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds."""
        return (end_event._recorded - self._recorded) * 1000

    @property
    def cuda_event(self) -> int:
        return int(self.event_id)


def _storages(patches: Patches) -> None:
    """Make and resize storages of the device, for which the wheel's C++ knows its own devices only."""
    kind = torch.UntypedStorage

    def made(original: Callable[..., Any]) -> Callable[..., Any]:
        def new(cls: type, *args: Any, device: Any = None, **kwargs: Any) -> Any:
            if device is None or torch.device(device).type != "cuda":
                return original(cls, *args, **kwargs, **({} if device is None else {"device": device}))
            if args and isinstance(args[0], int):
                return torch.empty(args[0], dtype=torch.uint8, device=device).untyped_storage()
            content = torch.tensor(args[0] if args else (), dtype=torch.uint8, device="cpu")
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


def _of_the_host(original: Callable[..., Any]) -> Callable[..., Any]:
    """A profile has the host's events: nothing else happens."""

    def init(self: Any, *args: Any, use_device: str | None = None, **kwargs: Any) -> None:
        original(self, *args, use_device=None if use_device == "cuda" else use_device, **kwargs)

    return init


def _legacy_tensors(patches: Patches) -> None:
    """torch.cuda.FloatTensor and the like, which a CPU wheel does not have: types, which make tensors when called."""

    def make(cls: type, *args: Any, **kwargs: Any) -> Any:
        content = args[0] if args and not isinstance(args[0], int) else None
        made = torch.empty(args, device="cuda") if content is None else torch.tensor(content, device="cuda")
        return made.type(getattr(torch, cls.__name__)).cuda()

    replace_legacy_types(patches, torch.cuda, make)
