"""Answers for a virtual GPU to what Dynamo, Inductor and Triton ask about the device."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import torch
from torch._dynamo import device_interface
from torch._inductor import constant_folding
from torch._inductor.fx_passes import joint_graph
from torch._inductor.graph import GraphLowering, getattr_recursive
from torch._subclasses import FakeTensor, FakeTensorMode, fake_tensor
from torch.fx.experimental import proxy_tensor
from torch.utils._python_dispatch import TorchDispatchMode

from pytest_compile_golden.errors import DataDependentValue
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.targets.properties import CudaProperties
from pytest_compile_golden.targets.shim import check_autograd

_CPU = torch.device("cpu")


def install(patches: Patches, properties: CudaProperties) -> None:
    """Make Dynamo, Inductor and Triton compile for the GPU with these properties, and never look for a real one."""
    _answer_compiler(patches)
    _answer_triton(patches, properties)
    patches.wrap(GraphLowering, "get_attr", _frozen)


def _frozen(original: Callable[..., Any]) -> Callable[..., Any]:
    """Inductor writes the values of small constants into kernels (torch/_inductor/graph.py: `can_inline_constant`)."""

    def get_attr(graph: Any, target: str, *args: Any) -> Any:
        try:
            return original(graph, target, *args)
        except (NotImplementedError, RuntimeError) as error:
            if not isinstance(getattr_recursive(graph.module, target), FakeTensor):
                raise
            raise DataDependentValue(
                f"Inductor writes the values of constants of up to 8 numbers into its kernels, here those of {target}, "
                "and tensors on a virtual GPU have no values. Capture it without freezing, with more channels, or on a "
                'CPU target: @pytest.mark.compile_golden(target="cpu-avx2").'
            ) from error

    return get_attr


def adopt_backward_threads(patches: Patches, library: Any) -> None:
    """Make each thread that starts a backward pass also run the virtual GPU's part of it."""
    original = torch.autograd.graph._engine_run_backward

    def run_backward(*args: Any, **kwargs: Any) -> Any:
        check_autograd(library.adopt_thread())
        return original(*args, **kwargs)

    # Like torch's own, which is in a file that Dynamo skips (torch/_dynamo/trace_rules.py: MOD_SKIPLIST).
    torch._dynamo.eval_frame.skip_code(run_backward.__code__)
    for module in (torch.autograd.graph, torch.autograd):
        patches.replace(module, "_engine_run_backward", run_backward)


def _answer_compiler(patches: Patches) -> None:
    """Answer Dynamo's and Inductor's own device layers, also where they would make real device tensors."""
    patches.replace(FakeTensorMode, "avoid_device_init", property(lambda self: True))
    # torch 2.11 asks torch.cuda whether there is a GPU, later versions ask the accelerator that torch is built for.
    patches.replace_if_present(fake_tensor, "init_gpu_context", lambda device: None)
    device_interface.get_registered_device_interfaces()  # registers torch's own on first use
    # torch's own interface asks torch.cuda, except for what it has bound to C++ functions at import.
    interface = device_interface.CudaInterface
    patches.put_item(device_interface.device_interfaces, "cuda:0", interface)
    for name in ("get_raw_stream", "exchange_device", "maybe_exchange_device"):
        patches.replace(interface, name, staticmethod(lambda device: 0))
    for name in ("caching_worker_device_properties", "caching_worker_current_devices"):
        cache: dict[str, Any] = getattr(device_interface, name, {})
        known = dict(cache)
        cache.clear()
        patches.callback(cache.update, known)
        patches.callback(cache.clear)

    def on_cpu(original: Any) -> Any:
        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            with _FactoriesOnCpu():
                return original(self, *args, **kwargs)

        return run

    patches.wrap(torch.utils, "swap_tensors", _swap_or_set)
    # A graph's constants are computed with real tensors while tracing and folding, which is only possible on the CPU.
    patches.wrap(proxy_tensor, "unset_fake_temporarily", _constants_on_cpu)
    patches.wrap(constant_folding.ConstantFolder, "run", on_cpu)
    # This one makes the zero of `x * 0` in its constructor (torch/_inductor/fx_passes/joint_graph.py).
    patches.wrap(joint_graph.UniformValueConstantFolder, "__init__", on_cpu)


def _constants_on_cpu(original: Any) -> Any:
    @contextlib.contextmanager
    def unset_fake_temporarily() -> Iterator[Any]:
        with original() as mode, _FactoriesOnCpu():
            yield mode

    return unset_fake_temporarily


def _swap_or_set(original: Any) -> Any:
    """Module conversions (`.half()`, ...) swap fake parameters, which torch's weak references to them prevent."""

    def swap_tensors(first: Any, second: Any) -> None:
        try:
            original(first, second)
        except RuntimeError:
            if not all(isinstance(tensor, fake_tensor.FakeTensor) for tensor in (first, second)):
                raise
            first.data = second
            first.fake_device = second.fake_device

    return swap_tensors


class _FactoriesOnCpu(TorchDispatchMode):  # type: ignore[misc]
    @classmethod
    def is_infra_mode(cls) -> bool:
        return True

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        args = tuple(_on_cpu(value) for value in args)
        kwargs = {name: _on_cpu(value) for name, value in (kwargs or {}).items()}
        return func(*args, **kwargs)


def _on_cpu(argument: Any) -> Any:
    """The CPU in place of a GPU; everything else unchanged."""
    return _CPU if isinstance(argument, torch.device) and argument.type == "cuda" else argument


def _answer_triton(patches: Patches, properties: CudaProperties) -> None:
    """Set Triton's active driver to one that compiles for the target and never loads a device's driver."""
    from triton.backends.compiler import GPUTarget
    from triton.runtime import driver as drivers

    if properties.gcnArchName:
        from triton.backends.amd.driver import HIPDriver as Driver

        target = GPUTarget("hip", properties.architecture, properties.warp_size)
    else:
        from triton.backends.nvidia.driver import CudaDriver as Driver

        target = GPUTarget("cuda", properties.major * 10 + properties.minor, properties.warp_size)

    class VirtualDriver(Driver):  # type: ignore[misc]
        def __init__(self) -> None:
            self.get_current_device = lambda: 0
            self.set_current_device = lambda device: None
            self.get_current_stream = lambda device: 0
            self.get_device_capability = lambda device=0: properties.capability
            # The entry of the driver's table that limits a template's configurations (torch/_inductor/utils.py:
            # get_gpu_shared_memory).
            memory = {"max_shared_mem": properties.shared_memory_per_block_optin}
            self.utils = SimpleNamespace(get_device_properties=lambda device: memory)

        @staticmethod
        def is_active() -> bool:
            return True

        def get_current_target(self) -> Any:
            return target

    driver = VirtualDriver()
    for name in ("_active", "_default"):
        patches.put(drivers, name, driver)
