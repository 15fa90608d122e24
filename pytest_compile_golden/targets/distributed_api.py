"""Answers to what torch.distributed asks of devices and of other ranks when neither exists."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import device_mesh
from torch.nn.parallel import distributed as data_parallel

from pytest_compile_golden.targets import device_caches
from pytest_compile_golden.targets.after_code_generation import NotBuilt
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.targets.target import Target
from pytest_compile_golden.targets.virtual_cuda import VirtualCuda
from pytest_compile_golden.torch_internals import device as of_device
from pytest_compile_golden.torch_internals import distributed as names
from pytest_compile_golden.torch_internals import tensors

unset_fake_temporarily = tensors.UNSET_FAKE.get()


def install(patches: Patches, target: Target) -> None:
    """Let a program of many ranks be built and traced here: meshes, data parallelism, and the machine's links."""
    # The ranks of a program have the same parameters: DistributedDataParallel cannot ask them, and need not.
    for row in names.AGREEMENTS:
        patches.replace(*row.resolve(), _ignore)
    if isinstance(target, VirtualCuda):
        _make_meshes_on_cpu(patches)
        device = _Device()
        patches.answer(
            device_mesh,
            "_get_device_handle",
            lambda device_type="cuda": (
                device if device_type == "cuda" else getattr(torch, device_type, None)
            ),
        )
        patches.replace(dist, "Reducer", _Reducer)
        # It times steps on the GPU.
        patches.replace(dist, "Logger", lambda *args, **kwargs: NotBuilt())
        _answer_communication(patches, target)


def leave_no_trace(patches: Patches) -> None:
    """On leaving, restore what torch remembered about groups before."""
    for row in names.REMEMBERED:
        if row.here:
            before = row.get()
            patches.put(
                *row.resolve(), before.copy() if isinstance(before, dict) else before
            )
    patches.callback(device_caches.forget_shardings)


def _make_meshes_on_cpu(patches: Patches) -> None:
    """A mesh is a tensor of ranks, whose values are read, so it cannot be fake."""

    def really(original: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            with unset_fake_temporarily(), torch.device("cpu"):
                return original(*args, **kwargs)

        return run

    patches.adapt(device_mesh, "init_device_mesh", really)
    patches.wrap(device_mesh.DeviceMesh, "__init__", really)


class _Event:
    """An event on a device where nothing runs: it has already happened."""

    def __init__(self, *args: object, **kwargs: object) -> None: ...

    def record(self, *args: object) -> None: ...

    def wait(self, *args: object) -> None: ...

    def synchronize(self) -> None: ...

    def query(self) -> bool:
        return True


class _Stream:
    """A stream on a device where nothing runs: it is never behind."""

    stream_id, device_index, device_type = 0, 0, 1
    """Those of the default stream of the first CUDA device."""

    def __init__(self, *args: object, **kwargs: object) -> None: ...

    def record_event(self, event: _Event | None = None) -> _Event:
        return event or _Event()

    def wait_event(self, event: _Event) -> None: ...

    def wait_stream(self, stream: _Stream) -> None: ...

    def synchronize(self) -> None: ...

    def query(self) -> bool:
        return True


class _Device:
    """torch.cuda as the hooks of fully_shard use it, between the graphs and around them."""

    Stream, Event = _Stream, _Event

    def __init__(self) -> None:
        self._stream = _Stream()

    def current_stream(self, device: object = None) -> _Stream:
        return self._stream

    default_stream = current_stream

    @contextlib.contextmanager
    def stream(self, stream: object) -> Iterator[None]:
        yield

    def __getattr__(self, name: str) -> Any:
        return getattr(torch.cuda, name)


_FIND_UNUSED = 6
"""The index of this argument to the reducer (torch/nn/parallel/distributed.py: _ddp_init_helper)."""


class _Reducer(dist.Reducer):  # type: ignore[misc]
    """The C++ object behind DistributedDataParallel, on a GPU that cannot be timed and whose tensors are not read.

    C++ records in the GPU's memory which parameters were used; what it does with unused ones is done here
    (torch/csrc/distributed/c10d/reducer.cpp: autograd_hook, all_reduce_local_used_map).
    """

    def __init__(self, *args: Any) -> None:
        arguments = list(args)
        self.finds_unused, arguments[_FIND_UNUSED] = arguments[_FIND_UNUSED], False
        super().__init__(*arguments)
        self._args = args
        self._came: list[int] = []
        """The numbers of the parameters, in the order in which their gradients arrive."""
        self._edges = [
            torch.autograd.graph.get_gradient_edge(parameter) for parameter in args[0]
        ]
        self._unused: list[Any] = []
        """The edges of parameters that the outputs do not depend on, until the first gradient arrives."""
        for number, edge in enumerate(self._edges):
            edge.node.register_prehook(self._reduce_unused)
            edge.node.register_hook(lambda *_, number=number: self._came.append(number))

    def prepare_for_backward(self, outputs: list[torch.Tensor]) -> None:
        super().prepare_for_backward(outputs)
        if self.finds_unused:
            used = _nodes_below(outputs)
            self._unused = [edge for edge in self._edges if edge.node not in used]

    def _reduce_unused(self, *_: object) -> None:
        edges, self._unused = self._unused, []
        for edge in edges:
            torch.autograd.backward([edge], [torch.zeros_like(edge.node.variable)])

    def reduce_used(self) -> None:
        """Send what follows the last bucket: which parameters this rank used."""
        if self.finds_unused:
            dist.all_reduce(torch.zeros(len(self._edges), dtype=torch.int32))

    def _set_static_graph(self) -> None:
        self.finds_unused = False  # the first step finds them

    # With a static graph, the first step reduces at the very end; later steps are the same as without one.
    def _delay_all_reduce(self) -> None: ...

    def prepare_for_forward(self) -> None: ...  # it counts and times steps

    def set_logger(self, logger: object) -> None: ...

    def _rebuild_buckets(self) -> bool:
        return False  # it reads what rank 0 sends

    def rebuilt(self) -> _Reducer:
        """A reducer with the buckets of a second step (torch/csrc/distributed/c10d/reducer.cpp: rebuild_buckets)."""
        parameters, _, _, group, sparse, largest, *others = self._args
        came = list(dict.fromkeys(self._came))
        if len(came) < len(parameters):
            raise RuntimeError(
                "the buckets of a static graph with parameters that get no gradient are not known on a virtual GPU"
            )
        # torch has no list of limits before 2.11.
        limits = next(iter(others[6:]), None) or [others[3], largest]
        buckets = dist._compute_bucket_assignment_by_size(
            [parameters[number] for number in came], limits, sparse, came
        )
        self._remove_autograd_hooks()
        return _Reducer(parameters, *buckets, group, sparse, largest, *others)


def _nodes_below(outputs: list[torch.Tensor]) -> set[Any]:
    """The autograd nodes that `outputs` depend on."""
    below: set[Any] = set()
    ahead = [output.grad_fn for output in outputs]
    while ahead:
        node = ahead.pop()
        if node is not None and node not in below:
            below.add(node)
            ahead += [after for after, _ in node.next_functions]
    return below


def fill_buckets_in_order(model: data_parallel.DistributedDataParallel) -> None:
    """After a first step, make the buckets those of all later steps, in the order in which gradients arrive."""
    if not isinstance(model.reducer, _Reducer):
        model.reducer._rebuild_buckets()
    elif model.static_graph or not model.find_unused_parameters:
        model.reducer = model.reducer.rebuilt()


def answer_reducer(model: data_parallel.DistributedDataParallel) -> None:
    """Give the reducer a result for each bucket, which a call on the fake group does not return in C++.

    torch/csrc/distributed/c10d/FakeProcessGroup.hpp: FakeWork.getFuture.
    """
    # It already has a hook: the program's, or this one.
    with contextlib.suppress(RuntimeError):
        dist._register_comm_hook(model.reducer, model.reducer, _reduce)


def _reduce(reducer: Any, bucket: Any) -> Any:
    """What C++ does with a full bucket (c10d/default_comm_hooks.cpp: _AllReduceBySumCommHook)."""
    gradients = bucket.buffer()
    dist.all_reduce(gradients)
    if bucket.is_last() and isinstance(reducer, _Reducer):
        reducer.reduce_used()
    done: Any = torch.futures.Future()
    done.set_result(gradients)
    return done


def _ignore(*args: object, **kwargs: object) -> None: ...


def _answer_communication(patches: Patches, target: VirtualCuda) -> None:
    """Answer passes that move or merge communication: is NCCL available, how many GPUs, on what links, how fast."""
    properties = target.properties
    patches.answer(dist, "is_nccl_available", lambda: True)
    patches.answer(torch.cuda, "device_count", lambda: target.gpus_per_node)
    if names.HAS_NVLINK.expected:
        patches.replace(*names.HAS_NVLINK.resolve(), lambda: True)
    patches.answer(
        *names.MAX_CLOCK_RATE.resolve(),
        lambda device=None: properties.clock_rate // 1000,
    )
    # What is registered in C++ stays for the life of the process, and a name may only be registered once.
    answers = {
        "set_group_info": staticmethod(_ignore),
        "get_backend": staticmethod(lambda device: "CUDA"),
    }
    symmetric = names.SYMMETRIC_MEMORY
    patches.put(
        *symmetric.resolve(), type("_SymmetricMemory", (symmetric.get(),), answers)
    )
    patches.answer(
        torch.accelerator,
        "current_accelerator",
        lambda check_available=False: torch.device("cuda"),
    )
    facts = {
        "mem_clock_rate": properties.memory_clock_rate,
        "mem_bus_width": properties.memory_bus_width,
        "multiprocessor_count": properties.multi_processor_count,
        "max_shared_mem": properties.shared_memory_per_block_optin,
        "warpSize": properties.warp_size,
    }
    drivers = of_device.DRIVERS.get()
    patches.put(
        drivers.active,
        "utils",
        types.SimpleNamespace(get_device_properties=lambda device=0: facts),
    )
