"""Answers for a virtual GPU to what Dynamo, Inductor, AOTInductor and Triton ask; nothing is launched."""

from __future__ import annotations

import ast
import contextlib
import operator
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import torch

from pytest_compile_golden.errors import DataDependentValue
from pytest_compile_golden.targets.build_library import check_autograd
from pytest_compile_golden.targets.device_properties import CudaProperties
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.targets.user_launches import not_loaded
from pytest_compile_golden.torch_internals import device as names
from pytest_compile_golden.torch_internals import settings, tensors

FakeTensor = tensors.FAKE_TENSOR.get()
TorchDispatchMode = tensors.DISPATCH_MODE.get()

_CPU = torch.device("cpu")


def install(patches: Patches, properties: CudaProperties) -> None:
    """Make Dynamo, Inductor and Triton compile for the GPU with these properties, and never look for a real one."""
    _answer_compiler(patches)
    _answer_triton(patches, properties)


def compute_on_cpu(patches: Patches) -> None:
    """Make the compiler compute on the CPU what it would compute on the GPU, whose tensors have no memory."""

    def on_cpu(original: Any) -> Any:
        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            with _FactoriesOnCpu():
                return original(self, *args, **kwargs)

        return run

    patches.wrap(torch.utils, "swap_tensors", _swap_or_set)
    # A graph's constants are computed with real tensors while tracing and folding, which is only possible on the CPU.
    patches.wrap(*names.PROXY_UNSET_FAKE.resolve(), _constants_on_cpu)
    patches.wrap(*names.FOLD_CONSTANTS.resolve(), on_cpu)
    # This one makes the zero of `x * 0` in its constructor (torch/_inductor/fx_passes/joint_graph.py).
    patches.wrap(*names.FOLD_UNIFORM.resolve(), on_cpu)
    patches.wrap(*names.GET_ATTR.resolve(), _frozen)


def _frozen(original: Callable[..., Any]) -> Callable[..., Any]:
    """Inductor writes the values of small constants into kernels (torch/_inductor/graph.py: `can_inline_constant`)."""

    def get_attr(graph: Any, target: str, *args: Any) -> Any:
        try:
            return original(graph, target, *args)
        except (NotImplementedError, RuntimeError) as error:
            if not isinstance(
                names.GETATTR_RECURSIVE.get()(graph.module, target), FakeTensor
            ):
                raise
            raise DataDependentValue(
                f"Inductor writes the values of constants of up to 8 numbers into its kernels, here those of {target}, "
                "and tensors on a virtual GPU have no values. Capture it without freezing, with more channels, or on a "
                'CPU target: @pytest.mark.compile_golden(target="cpu-avx2").'
            ) from error

    return get_attr


def adopt_backward_threads(patches: Patches, library: Any) -> None:
    """Make each thread that starts a backward pass also run the virtual GPU's part of it."""

    def in_this_thread(original: Callable[..., Any]) -> Callable[..., Any]:
        def run_backward(*args: Any, **kwargs: Any) -> Any:
            check_autograd(library.adopt_thread())
            return original(*args, **kwargs)

        # Like torch's own, which is in a file that Dynamo skips (torch/_dynamo/trace_rules.py: MOD_SKIPLIST).
        names.SKIP_CODE.get()(run_backward.__code__)
        return run_backward

    for row in (names.RUN_BACKWARD, names.RUN_BACKWARD_TOO):
        patches.wrap(*row.resolve(), in_this_thread)


def _answer_compiler(patches: Patches) -> None:
    """Answer Dynamo's and Inductor's own device layers."""
    patches.replace(*names.AVOID_DEVICE_INIT.resolve(), property(lambda self: True))
    # torch 2.11 asks torch.cuda whether there is a GPU, later versions ask the accelerator that torch is built for.
    patches.replace(*names.INIT_GPU.resolve(), lambda device: None)
    names.REGISTER_INTERFACES.get()()  # registers torch's own on first use
    # torch's own interface asks torch.cuda, except for what it has bound to C++ functions at import.
    interface = names.CUDA_INTERFACE.get()
    patches.put_item(names.INTERFACES.get(), "cuda:0", interface)
    for name in ("get_raw_stream", "exchange_device", "maybe_exchange_device"):
        patches.replace(interface, name, staticmethod(lambda device: 0))
    for row in names.WORKER_CACHES:
        cache: dict[str, Any] = row.get()
        known = dict(cache)
        cache.clear()
        patches.callback(cache.update, known)
        patches.callback(cache.clear)


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
            if not all(isinstance(tensor, FakeTensor) for tensor in (first, second)):
                raise
            first.data = second
            first.fake_device = second.fake_device

    return swap_tensors


class _FactoriesOnCpu(TorchDispatchMode):  # type: ignore[misc,valid-type]
    @classmethod
    def is_infra_mode(cls) -> bool:
        return True

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        args = tuple(_on_cpu(value) for value in args)
        kwargs = {name: _on_cpu(value) for name, value in (kwargs or {}).items()}
        return func(*args, **kwargs)


def _on_cpu(argument: Any) -> Any:
    """The CPU in place of a GPU; everything else unchanged."""
    return (
        _CPU
        if isinstance(argument, torch.device) and argument.type == "cuda"
        else argument
    )


def _answer_triton(patches: Patches, properties: CudaProperties) -> None:
    """Set Triton's active driver to one that compiles for the target and never loads a device's driver."""
    # Half a second in each process, for caches that are not used.
    if names.TRITON_HASH.here:
        patches.replace(*names.TRITON_HASH.resolve(), lambda: "")
    gpu_target, drivers = names.GPU_TARGET.get(), names.DRIVERS.get()
    if properties.gcnArchName:
        base = names.HIP_DRIVER.get()
        target = gpu_target("hip", properties.architecture, properties.warp_size)
    else:
        base = names.CUDA_DRIVER.get()
        target = gpu_target(
            "cuda", properties.major * 10 + properties.minor, properties.warp_size
        )

    class VirtualDriver(base):  # type: ignore[misc,valid-type]
        def __init__(self) -> None:
            self.get_current_device = lambda: 0
            self.set_current_device = lambda device: None
            self.get_current_stream = lambda device: 0
            self.get_device_capability = lambda device=0: properties.capability
            table = {  # triton/backends/nvidia/driver.c
                "max_shared_mem": properties.shared_memory_per_block_optin,
                "max_num_regs": properties.regs_per_multiprocessor,
                "multiprocessor_count": properties.multi_processor_count,
                "warpSize": properties.warp_size,
                "sm_clock_rate": properties.clock_rate,
                "mem_clock_rate": properties.memory_clock_rate,
                "mem_bus_width": properties.memory_bus_width,
            }
            self.utils = SimpleNamespace(
                get_device_properties=lambda device: table,
                # Triton 3.9 does when a compiled kernel is forgotten.
                unload_module=lambda module: None,
            )

        @staticmethod
        def is_active() -> bool:
            return True

        def get_current_target(self) -> Any:
            return target

    driver = VirtualDriver()
    for name in ("_active", "_default"):
        patches.put(drivers, name, driver)


@contextlib.contextmanager
def compiling_ahead_of_time(mode: Any) -> Iterator[None]:
    """Until the block ends, AOTInductor needs no GPU. `mode` is the mode of the target's tensors."""

    def known_or_not(original: Callable[..., Any]) -> Callable[..., Any]:
        def deduce(self: Any, node: Any) -> Any:
            value = original(self, node)
            if node.op == "get_attr" and isinstance(value, FakeTensor):
                real = mode.known.value_or_none(value)
                return self.unknown_value if real is None else real
            return value

        return deduce

    def inlined_where_known(original: Callable[..., Any]) -> Callable[..., Any]:
        def get_attr(self: Any, target: str, *args: Any) -> Any:
            value = operator.attrgetter(target)(self.module)
            if not isinstance(value, FakeTensor):
                return original(self, target, *args)
            real = mode.known.value_or_none(value)
            with Patches() as answers:
                if real is None:
                    answers.configure({settings.KEEP_CONSTANTS: True})
                else:
                    answers.put(value, "item", real.item)
                    answers.put(value, "tolist", real.tolist)
                return original(self, target, *args)

        return get_attr

    with Patches() as patches:
        # torch's own default for AOTInductor: it compiles kernels before it writes the calls.
        patches.configure({settings.AUTOTUNE_AT_COMPILE_TIME: None})
        patches.wrap(*names.DEDUCE_VALUE.resolve(), known_or_not)
        patches.wrap(*names.GET_ATTR.resolve(), inlined_where_known)
        patches.wrap(*names.SAME_TENSOR.resolve(), _by_storage)
        patches.replace(*names.AUTOTUNE_BLOCK.resolve(), _compile_kernels)
        patches.replace(*names.INIT_HANDLES.resolve(), not_loaded)
        patches.replace(*names.KERNEL_PARAMETERS.resolve(), {})
        yield


def _by_storage(original: Callable[..., bool]) -> Callable[..., bool]:
    """Two constants are the same if they share memory; fake ones have no address."""

    def is_same_tensor(data: Any, value: Any) -> bool:
        if (
            isinstance(data, FakeTensor)
            and data.untyped_storage()._cdata != value.untyped_storage()._cdata
        ):
            return False
        return original(data, value)

    return is_same_tensor


def _compile_kernels(wrapper: Any) -> None:
    """Save what the calls need to know about each kernel, in its first configuration: torch would run it in all."""
    autotuners = names.AUTOTUNER.get()
    for call in ast.walk(ast.parse(wrapper.kernel_autotune_defs.getvalue())):
        if not (
            isinstance(call, ast.Call)
            and ast.unparse(call.func) == "async_compile.triton"
        ):
            continue
        module = names.CODE_CACHE.get().load(ast.literal_eval(call.args[1]))
        autotuner: Any = next(
            value for value in vars(module).values() if isinstance(value, autotuners)
        )
        compiled = autotuner._precompile_config(autotuner.configs[0])
        autotuner.save_gpu_kernel(0, compiled.make_launcher())
