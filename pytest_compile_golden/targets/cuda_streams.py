"""torch.cuda's streams and events on a virtual GPU, where each launch is done when it returns."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch

from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import device as names

_CUDA = 1
"""The number of the device type in C++ (c10/core/DeviceType.h)."""


def install(patches: Patches) -> None:
    """Make torch.cuda's streams and events those of `virtual_cuda.h`, as torch.accelerator's are."""
    for module in (torch.cuda, torch.cuda.streams):
        for kind in (Stream, Event, ExternalStream):
            patches.replace_if_present(module, kind.__name__, kind)
    interface = names.CUDA_INTERFACE.get()
    patches.put(interface, "Stream", Stream)
    patches.put(interface, "Event", Event)
    with patches.feature("streams and events that compiled code makes") as own:
        # Dynamo keeps the classes of torch.cuda, as they were when it first asked.
        own.wrap(
            *names.IN_GRAPH_CLASSES.resolve(),
            lambda known: lambda: known() | {Stream, Event},
        )


def bindings() -> dict[str, Callable[..., Any]]:
    """C functions of torch._C, as in `cuda_api`."""

    def current_stream(device: int) -> tuple[int, int, int]:
        stream = torch.accelerator.current_stream(device)
        return stream.stream_id, stream.device_index, _CUDA

    def set_stream(stream_id: int, device_index: int, device_type: int) -> None:
        torch.accelerator.set_stream(
            Stream(
                stream_id=stream_id, device_index=device_index, device_type=device_type
            )
        )

    return {
        "_cuda_getCurrentStream": current_stream,
        "_cuda_getDefaultStream": lambda device: (0, device, _CUDA),
        "_cuda_setStream": set_stream,
        "_cuda_getCurrentRawStream": lambda device: current_stream(device)[0],
    }


def device_index(device: Any) -> int:
    """The index of a device as torch's functions take it: an index, a device, its name, or None for the current one."""
    index = (
        device
        if device is None or isinstance(device, int)
        else torch.device(device).index
    )
    return (
        int(torch.accelerator.current_device_index())
        if index is None or index < 0
        else int(index)
    )


_priorities: dict[int, int] = {}
"""Of streams, by their number."""


class Stream(torch.Stream):  # type: ignore[misc]
    """torch.cuda.Stream: what is launched on it has run when the launch returns."""

    def __new__(cls, device: Any = None, priority: int = 0, **kwargs: Any) -> Stream:
        if "stream_id" in kwargs:
            return super().__new__(cls, **kwargs)  # type: ignore[no-any-return]
        made: Stream = super().__new__(
            cls, device=torch.device("cuda", device_index(device)), priority=priority
        )
        highest = cls.priority_range()[1]
        _priorities[made.stream_id] = min(0, max(highest, priority))
        return made

    @staticmethod
    def priority_range() -> tuple[int, int]:
        return 0, -5

    @property
    def cuda_stream(self) -> int:
        return int(self.stream_id)

    @property
    def priority(self) -> int:
        return _priorities.get(self.stream_id, 0)

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

    def __new__(
        cls, stream_ptr: int, device: Any = None, **kwargs: Any
    ) -> ExternalStream:
        where = {"device_index": device_index(device), "device_type": _CUDA}
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
        made: Event = super().__new__(
            cls, device="cuda", enable_timing=enable_timing, blocking=blocking
        )
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
