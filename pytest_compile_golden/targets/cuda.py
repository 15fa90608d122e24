"""An NVIDIA GPU that is not there: tensors are fake, properties are data, code generation is real."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pytest_compile_golden.errors import CompileGoldenError, TargetUnavailable
from pytest_compile_golden.targets import (
    attention,
    autotune,
    caches,
    cpu,
    cuda_api,
    dynamo,
    interpret,
    known,
    loading,
    operators,
    patterns,
    shim,
)
from pytest_compile_golden.targets.devices import AVX2, WITHOUT_A_GPU, CudaProperties, CudaRuntime, cuda_runtime
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.targets.placement import Placement
from pytest_compile_golden.targets.policy import DEFAULT_POLICY, policy_in_words
from pytest_compile_golden.targets.rates import Rates
from pytest_compile_golden.targets.target import T, Target, active_policy, active_target
from pytest_compile_golden.targets.versions import torch_release

if TYPE_CHECKING:
    from torch._subclasses import FakeTensorMode

_PINS: dict[str, object] = {
    "compile_threads": 1,
    "worker_start_method": "subprocess",
    "use_static_triton_launcher": False,
    "use_static_cuda_launcher": False,
}


class VirtualCuda(Target):
    """A GPU with the given properties. Any CUDA card of capability 7.0 or newer can be described.

    `runtime` says which CUDA libraries drive it; by default those of the installed torch release's own wheel. `rates`
    is what it does at most in a second: without, costs have no times.
    """

    device_type = "cuda"
    virtual = True

    def __init__(
        self, name: str, properties: CudaProperties, runtime: CudaRuntime | None = None, rates: Rates | None = None
    ) -> None:
        self.name = name
        self.properties = properties
        self.runtime = runtime
        self.rates = rates

    @property
    def policy(self) -> str:
        return policy_in_words(DEFAULT_POLICY if active_target() is not self else active_policy())

    @contextlib.contextmanager
    def _enter(self) -> Iterator[FakeTensorMode]:
        _require_triton()
        release = torch_release()
        runtime = self.runtime or cuda_runtime(release)
        library = shim.load()
        with loading.compiler(), Patches() as patches:
            import torch
            import torch._inductor.config

            dynamo.make_tables()
            patches.callback(caches.clear_device_caches)
            patches.callback(library.disarm)
            library.arm(runtime.cudnn)
            _adopt_backward_threads(patches, library)
            device = attention.Device(self.properties, runtime, release)
            cuda_api.install(patches, self.properties, runtime, device)
            _answer_compiler(patches)
            _answer_triton(patches, self.properties)
            patches.configure(torch._inductor.config, _PINS)
            cpu.answer_code_generation(patches, AVX2)  # for what a program does on the host
            autotune.install(patches)
            interpret.install(patches)
            operators.install(patches)
            attention.install(patches, device)
            patterns.install(patches, self.name)
            caches.clear_device_caches()
            known.install_initialisers(patches)
            mode = known.mode()
            dynamo.install(patches, mode)
            patches.enter_context(mode)
            patches.enter_context(torch.device("cuda"))
            yield mode

    def place(self, tree: T) -> T:
        mode: FakeTensorMode | None = self._entered
        if mode is None:
            raise CompileGoldenError(f"place() needs {self.name} to be active: use it inside `with target.active():`.")
        placed: T = Placement("cuda", mode).tree(tree)
        return placed


def _require_triton() -> None:
    try:
        import triton  # noqa: F401
    except ImportError as error:
        raise TargetUnavailable(
            "virtual GPU targets generate Triton code and need the triton package; install the version that this torch "
            "wants (pip install triton==3.7.1 for torch 2.13). "
            f"{WITHOUT_A_GPU}"
        ) from error


def _adopt_backward_threads(patches: Patches, library: Any) -> None:
    """Have each thread that starts a backward pass run the virtual GPU's part of it too."""
    import torch

    original = torch.autograd.graph._engine_run_backward

    def run_backward(*args: Any, **kwargs: Any) -> Any:
        library.adopt_thread()
        return original(*args, **kwargs)

    for module in (torch.autograd.graph, torch.autograd):
        patches.replace(module, "_engine_run_backward", run_backward)


def _answer_compiler(patches: Patches) -> None:
    """What Dynamo's and Inductor's own device layers ask, and the places where they would make real device tensors."""
    import torch
    from torch._dynamo import device_interface
    from torch._inductor import constant_folding
    from torch._inductor.fx_passes import joint_graph
    from torch._subclasses import FakeTensorMode, fake_tensor
    from torch.fx.experimental import proxy_tensor

    patches.replace(FakeTensorMode, "avoid_device_init", property(lambda self: True))
    # 2.11 asks torch.cuda whether there is a GPU, later ones the accelerator that torch is built for.
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
    # Constants of a graph are computed with real tensors, while tracing and folding: there is only the CPU for them.
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
    from torch._subclasses.fake_tensor import FakeTensor

    def swap_tensors(first: Any, second: Any) -> None:
        try:
            original(first, second)
        except RuntimeError:
            if not (isinstance(first, FakeTensor) and isinstance(second, FakeTensor)):
                raise
            first.data = second
            first.fake_device = second.fake_device

    return swap_tensors


def _FactoriesOnCpu() -> Any:
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    cpu = torch.device("cpu")

    def on_cpu(argument: Any) -> Any:
        return cpu if isinstance(argument, torch.device) and argument.type == "cuda" else argument

    class FactoriesOnCpu(TorchDispatchMode):  # type: ignore[misc]
        @classmethod
        def is_infra_mode(cls) -> bool:
            return True

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            args = tuple(on_cpu(each) for each in args)
            kwargs = {name: on_cpu(each) for name, each in (kwargs or {}).items()}
            return func(*args, **kwargs)

    return FactoriesOnCpu()


def _answer_triton(patches: Patches, properties: CudaProperties) -> None:
    """Triton's active driver: compiles for the target, never loads the CUDA driver."""
    from triton.backends.compiler import GPUTarget
    from triton.backends.nvidia.driver import CudaDriver
    from triton.runtime import driver as drivers

    class VirtualDriver(CudaDriver):  # type: ignore[misc]
        def __init__(self) -> None:
            self.get_current_device = lambda: 0
            self.set_current_device = lambda device: None
            self.get_current_stream = lambda device: 0
            self.get_device_capability = lambda device=0: properties.capability

        @staticmethod
        def is_active() -> bool:
            return True

        def get_current_target(self) -> Any:
            return GPUTarget("cuda", properties.major * 10 + properties.minor, properties.warp_size)

    driver = VirtualDriver()
    for name in ("_active", "_default"):
        patches.put(drivers, name, driver)
