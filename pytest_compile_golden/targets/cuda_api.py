"""The Python side of CUDA: torch.cuda, torch.backends and torch._C answer for the virtual GPU, or explain a refusal."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import torch

from pytest_compile_golden.errors import NeedsNativeTarget
from pytest_compile_golden.targets import attention_choice, cuda_streams
from pytest_compile_golden.targets.device_properties import CudaProperties, CudaRuntime
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import device as names
from pytest_compile_golden.torch_internals import tensors

unset_fake_temporarily = tensors.UNSET_FAKE.get()

Answers = dict[str, Callable[..., Any]]

_INSTEAD = {
    "Event": "Leave the measurement out of the test's body: there is nothing running that it could time.",
    "Graph": 'For CUDA graphs, capture with mode="reduce-overhead".',
    "Storage": 'Make a tensor with torch.empty(..., device="cuda") and take its storage.',
    "Tensor": 'Make the tensor with torch.empty or torch.tensor, a dtype and device="cuda".',
    "nccl": "For collectives, use torch.distributed with its fake process group.",
}
# C functions that read and write a setting, with its initial value (a set function may return nothing).
_SETTINGS: dict[str, tuple[str, object]] = {
    "_cuda_get_cudnn_benchmark_limit": ("_cuda_set_cudnn_benchmark_limit", 10),
    "_cuda_get_conv_benchmark_empty_cache": (
        "_cudnn_set_conv_benchmark_empty_cache",
        True,
    ),
    "_cuda_get_sync_debug_mode": ("_cuda_set_sync_debug_mode", 0),
    "_cuda_getMemoryFraction": ("_cuda_setMemoryFraction", 1.0),
    "_cuda_getMemoryMetadata": ("_cuda_setMemoryMetadata", ""),
    "_cuda_cudaCachingAllocator_is_enabled": (
        "_cuda_cudaCachingAllocator_enable",
        True,
    ),
    "_cuda_record_untuned_is_enabled": ("_cuda_record_untuned_enable", False),
    "_cuda_tunableop_is_enabled": ("_cuda_tunableop_enable", False),
    "_cuda_tunableop_tuning_is_enabled": ("_cuda_tunableop_tuning_enable", True),
    "_cuda_tunableop_wildcard_fallback_is_enabled": (
        "_cuda_tunableop_wildcard_fallback_enable",
        False,
    ),
    "_cuda_tunableop_get_max_tuning_duration": (
        "_cuda_tunableop_set_max_tuning_duration",
        30,
    ),
    "_cuda_tunableop_get_max_tuning_iterations": (
        "_cuda_tunableop_set_max_tuning_iterations",
        100,
    ),
    "_cuda_tunableop_get_rotating_buffer_size": (
        "_cuda_tunableop_set_rotating_buffer_size",
        0,
    ),
    "_cuda_tunableop_get_filename": ("_cuda_tunableop_set_filename", ""),
}


def install(
    patches: Patches,
    properties: CudaProperties,
    runtime: CudaRuntime,
    device: attention_choice.AttentionDevice,
    hip: str | None,
    executes: bool = False,
) -> None:
    """Make torch's Python code see the virtual GPU; what only a real device can do raises NeedsNativeTarget.

    executes: whether the caller answers for memory and random numbers itself.
    """
    patches.put(torch.cuda, _CudaDeviceProperties.__name__, _CudaDeviceProperties)
    with patches.feature("properties of the device in compiled code") as own:
        constants: set[type] = names.CONSTANT_TYPES.get()
        constants.add(_CudaDeviceProperties)
        own.callback(constants.discard, _CudaDeviceProperties)
    patches.replace(torch.version, "cuda", None if hip else runtime.cuda)
    patches.replace(torch.version, "hip", hip)
    for name, answer in {
        **_public(properties),
        **({} if executes else _idle(properties)),
    }.items():
        patches.answer(torch.cuda, name, answer)
    patches.answer(torch.backends.cudnn, "version", lambda: runtime.cudnn)
    patches.answer(torch.backends.cudnn, "is_available", lambda: True)
    patches.answer(torch.backends.cudnn, "_init", lambda: True)
    patches.answer(torch.backends.cuda, "is_built", lambda: True)
    _bind(
        patches,
        _bindings(properties, runtime) | cuda_streams.bindings() | _attention(device),
    )
    cuda_streams.install(patches)
    # The CPU wheel's module has a plain None there, which an assignment would replace for good.
    limit = torch.backends.ContextProp(
        torch._C._cuda_get_cudnn_benchmark_limit,
        torch._C._cuda_set_cudnn_benchmark_limit,
    )
    patches.put(type(torch.backends.cudnn), "benchmark_limit", limit)
    if not executes:
        patches.put(torch.cuda, "default_generators", (CudaGenerator(),))
        _refuse_execution(patches)
    _refuse_measurements(patches)


def refusal(name: str) -> Callable[..., Any]:
    """A replacement for `name` that says that a virtual GPU cannot do it, and what to do instead."""
    instead = next(
        (words for part, words in _INSTEAD.items() if part in name),
        "Leave the call out of the test's body",
    )
    words = f"{name} needs a real GPU, and a virtual one runs nothing. {instead.rstrip('.')}"

    def refuse(*args: object, **kwargs: object) -> Any:
        from pytest_compile_golden.targets.target import active_target

        active = active_target()
        where = active.name if active is not None else "virtual GPU targets"
        raise NeedsNativeTarget(
            f"{words}, or run this test on native-cuda only (it was called on {where})."
        )

    return refuse


def _same(value: object, *names: str) -> Answers:
    """Functions that always return this value."""
    return dict.fromkeys(names, lambda *args, **kwargs: value)


def _public(properties: CudaProperties) -> Answers:
    """Python functions of torch.cuda that ask what the device is."""
    return {
        **_same(None, "_lazy_init", "init", "check_error"),
        **_same(True, "is_available", "is_initialized", "_is_compiled"),
        **_same(False, "_is_in_bad_fork", "can_device_access_peer"),
        **_same(
            _CudaDeviceProperties(properties),
            "get_device_properties",
            "_get_device_properties",
        ),
        **_same(properties.name, "get_device_name"),
        **_same(properties.capability, "get_device_capability"),
        **_same("GPU:0\nno processes are running", "list_gpu_processes"),
        "get_arch_list": lambda: [properties.architecture],
        "is_bf16_supported": lambda including_emulation=True: (
            properties.major >= 8 or including_emulation
        ),
        **_same(properties.major >= 8, "is_tf32_supported"),
    }


class _CudaDeviceProperties:
    """What `torch.cuda.get_device_properties` returns: a constant to torch's compiler, and no dataclass to others."""

    def __init__(self, properties: CudaProperties) -> None:
        vars(self).update(asdict(properties))
        # torch gives an NVIDIA card's name where an AMD card has its architecture (torch/csrc/cuda/Module.cpp).
        self.gcnArchName = properties.gcnArchName or properties.name

    def __repr__(self) -> str:
        """As torch/csrc/cuda/Module.cpp writes it: registerCudaDeviceProperties."""
        own = vars(self)
        architecture = "gcnArchName, " if torch.version.hip else ""
        shown = f"name, major, minor, {architecture}total_memory, multi_processor_count, uuid, pci_bus_id, "
        shown += "pci_device_id, pci_domain_id, L2_cache_size"
        in_mib = {
            name: f"{own[name] >> 20}MB" for name in ("total_memory", "L2_cache_size")
        }
        quoted = {name: f"'{own[name]}'" for name in ("name", "gcnArchName")}
        values = own | in_mib | quoted
        return f"_CudaDeviceProperties({', '.join(f'{name}={values[name]}' for name in shown.split(', '))})"


def _idle(properties: CudaProperties) -> Answers:
    """Python functions of torch.cuda, for a single device that runs nothing and has nothing in its memory."""
    return {
        **_same(
            None,
            "_lazy_call",
            "set_device",
            "synchronize",
            "empty_cache",
            "reset_peak_memory_stats",
        ),
        **_same(None, "set_rng_state", "set_rng_state_all"),
        **_same(None, "manual_seed", "manual_seed_all", "seed", "seed_all"),
        **_same(False, "is_current_stream_capturing"),
        **_same(
            0,
            "current_device",
            "_exchange_device",
            "_maybe_exchange_device",
            "initial_seed",
        ),
        **_same(
            0,
            "memory_allocated",
            "max_memory_allocated",
            "memory_reserved",
            "max_memory_reserved",
        ),
        **_same(1, "device_count", "_device_count_nvml"),
        **_same((properties.total_memory, properties.total_memory), "mem_get_info"),
        "get_rng_state": lambda device="cuda": _generator_state(),
        "get_rng_state_all": lambda: [_generator_state()],
    }


def _generator_state() -> Any:
    """A real tensor: the state could not be read from a fake one."""
    with unset_fake_temporarily():
        return torch.zeros(16, dtype=torch.uint8, device="cpu")


def _bindings(properties: CudaProperties, runtime: CudaRuntime) -> Answers:
    """C functions of torch._C. Those that are neither here nor in _SETTINGS are refused."""
    version = int(float(runtime.cuda) * 1000)
    major, minor, patch = runtime.nccl
    nothing = (
        "init",
        "setDevice",
        "synchronize",
        "emptyCache",
        "ipc_collect",
        "sleep",
        "record_memory_history",
        "record_memory_history_legacy",
        "resetAccumulatedMemoryStats",
        "resetPeakMemoryStats",
        "lock_mutex",
        "resetAccumulatedHostMemoryStats",
        "resetPeakHostMemoryStats",
        "clearCublasWorkspaces",
        "unlock_mutex",
        "resetCublasWorkspaceSize",
        "resetCublasLtWorkspaceSize",
        "tunableop_clear_all",
    )
    zero = ("getDevice", "exchangeDevice", "maybeExchangeDevice")
    no = (
        "isCurrentStreamCapturing",
        "isInBadFork",
        "isHistoryEnabled",
        "canDeviceAccessPeer",
    )
    # As torch/cuda/nccl.py unpacks it.
    return {
        **_same(None, *(f"_cuda_{name}" for name in nothing)),
        **_same(
            None,
            *(
                f"_accelerator_{name}"
                for name in ("emptyCache", "resetAccumulatedStats", "resetPeakStats")
            ),
        ),
        **_same(0, *(f"_cuda_{name}" for name in zero)),
        **_same(False, *(f"_cuda_{name}" for name in no)),
        **_same(
            True,
            "_cuda_hasPrimaryContext",
            "_is_flash_attention_available",
            "_accelerator_isAllocatorInitialized",
        ),
        **_same(version, "_cuda_getCompiledVersion", "_cuda_getDriverVersion"),
        **_same((), "_cuda_tunableop_get_results", "_cuda_tunableop_get_validators"),
        **_same(
            (properties.total_memory, properties.total_memory),
            "_accelerator_getMemoryInfo",
        ),
        **_remembered(),
        "_cuda_getDeviceCount": lambda: 1,
        "_cuda_getArchFlags": lambda: properties.architecture,
        "_cuda_getAllocatorBackend": lambda: "native",
        "_cuda_memoryStats": lambda device=0: MemoryUsage().stats(),
        "_cuda_hostMemoryStats": dict,
        "_cuda_memorySnapshot": lambda *args: {
            "segments": [],
            "device_traces": [],
            "allocator_settings": {},
        },
        "_nccl_version": lambda: major << 32 | minor << 16 | patch,
        "_nccl_version_suffix": lambda: b"",
        "_accelerator_getDefaultGenerator": lambda index: torch.cuda.default_generators[
            index
        ],
        "_accelerator_getDeviceStats": lambda device=0: MemoryUsage().stats(),
    }


def _remembered() -> Answers:
    """Functions that read and write the settings, which have their initial values when a target is entered again."""
    values = {read: initial for read, (_, initial) in _SETTINGS.items()}

    def reader(name: str) -> Callable[..., Any]:
        return lambda *args: values[name]

    def writer(name: str) -> Callable[..., None]:
        return lambda value, *args: values.update({name: value})

    readers = {name: reader(name) for name in _SETTINGS}
    return readers | {write: writer(name) for name, (write, _) in _SETTINGS.items()}


@dataclass(frozen=True)
class MemoryUsage:
    """What one device has allocated, in bytes, rounded up as its caching allocator would, and in blocks."""

    live: int = 0
    peak: int = 0
    allocated: int = 0
    freed: int = 0
    blocks: int = 0
    peak_blocks: int = 0
    allocations: int = 0
    frees: int = 0
    failures: int = 0
    """How often there was not enough memory."""

    def stats(self) -> dict[str, Any]:
        """torch.cuda.memory_stats_as_nested_dict (torch/csrc/cuda/Module.cpp): no block is split, none is kept free."""
        none = {"current": 0, "peak": 0, "allocated": 0, "freed": 0}
        in_bytes = {
            "current": self.live,
            "peak": self.peak,
            "allocated": self.allocated,
            "freed": self.freed,
        }
        in_blocks = {
            "current": self.blocks,
            "peak": self.peak_blocks,
            "allocated": self.allocations,
            "freed": self.frees,
        }
        by_kind = {
            **dict.fromkeys(
                (
                    "allocated_bytes",
                    "reserved_bytes",
                    "active_bytes",
                    "requested_bytes",
                ),
                in_bytes,
            ),
            **dict.fromkeys(("allocation", "segment", "active"), in_blocks),
            **dict.fromkeys(("inactive_split", "inactive_split_bytes"), none),
        }
        by_pool = {
            name: {
                "all": dict(stat),
                "small_pool": dict(none),
                "large_pool": dict(stat),
            }
            for name, stat in by_kind.items()
        }
        return {
            **by_pool,
            "oversize_allocations": none,
            "oversize_segments": none,
            "num_alloc_retries": self.failures,
            "num_ooms": self.failures,
            "num_sync_all_streams": 0,
            "num_device_alloc": self.allocations,
            "num_device_free": self.frees,
            "max_split_size": 0,
        }


def _attention(device: attention_choice.AttentionDevice) -> Answers:
    """The functions that torch.backends.cuda.can_use_*_attention calls."""

    def by(
        rule: Callable[
            [attention_choice.AttentionDevice, attention_choice.AttentionCall], bool
        ],
    ) -> Callable[..., bool]:
        def can_use(params: Any, debug: bool = False) -> bool:
            tensors = params.query, params.key, params.value, params.attn_mask
            return rule(
                device,
                attention_choice.AttentionCall(
                    *tensors,
                    params.dropout,
                    params.is_causal,
                    enable_gqa=params.enable_gqa,
                ),
            )

        return can_use

    return {
        "_can_use_flash_attention": by(attention_choice.can_use_flash),
        "_can_use_mem_efficient_attention": by(attention_choice.can_use_efficient),
        "_can_use_cudnn_attention": by(attention_choice.can_use_cudnn),
    }


def _bind(patches: Patches, answers: Answers) -> None:
    """Put the answers into torch._C, and refusals in place of all other CUDA names, whether or not they exist."""
    refused = ("_cuda_", "_nccl_")

    def missing(name: str) -> Any:
        if name.startswith(refused):
            return refusal(f"torch._C.{name}")
        raise AttributeError(f"module 'torch._C' has no attribute {name!r}")

    for name, answer in answers.items():
        patches.put(torch._C, name, answer)
    for name, value in list(vars(torch._C).items()):
        # Classes stay: torch's own classes derive from them. On the CUDA wheel the functions would look for the driver.
        if (
            name.startswith(refused)
            and name not in answers
            and not isinstance(value, type)
        ):
            patches.put(torch._C, name, refusal(f"torch._C.{name}"))
    patches.put(torch._C, "__getattr__", missing)


def _refuse_execution(patches: Patches) -> None:
    """Refuse classes and functions of torch.cuda that are only useful on a device that computes."""
    for name in ("CUDAGraph", "MemPool", "GreenContext"):
        kind = getattr(torch.cuda, name, None)
        if isinstance(kind, type):
            patches.put(kind, "__new__", staticmethod(refusal(f"torch.cuda.{name}")))
    # Refuse torch.cuda.FloatStorage and the like, except when torch wraps one around an existing storage.
    base = torch.cuda.FloatStorage.__base__

    def new(original: Callable[..., Any]) -> Callable[..., Any]:
        def make(cls: type, *args: Any, **kwargs: Any) -> Any:
            if kwargs.get("wrap_storage") is not None:
                return original(cls, *args, **kwargs)
            return refusal(f"torch.cuda.{cls.__name__}")()

        return make

    patches.wrap(base, "__new__", new)
    patches.put(
        cuda_streams.Event, "elapsed_time", refusal("torch.cuda.Event.elapsed_time")
    )
    for name in ("get_stream_from_external", "graph_pool_handle"):
        patches.answer(torch.cuda, name, refusal(f"torch.cuda.{name}"))

    # torch.cuda.FloatTensor and the like: on the CPU wheel (the sparse ones on both), types for type checks only.
    def refuse(cls: type, *args: object, **kwargs: object) -> Any:
        refusal(f"{cls.__module__}.{cls.__name__}")()

    for owner in (torch.cuda.sparse, *(() if names.HAS_CUDA.get() else (torch.cuda,))):
        replace_legacy_types(patches, owner, refuse)


def _refuse_measurements(patches: Patches) -> None:
    """Refuse functions of torch.cuda that only a real device can answer; profiler markers do nothing."""
    import torch.cuda.nvtx

    for name in (
        "current_blas_handle",
        "current_solver_handle",
        "clock_rate",
        "device_memory_used",
        "memory_usage",
        "power_draw",
        "temperature",
        "utilization",
    ):
        patches.answer(torch.cuda, name, refusal(f"torch.cuda.{name}"))
    cudart = types.ModuleType("cudart")
    cudart.__dict__.update(_same(0, "cudaProfilerStart", "cudaProfilerStop"))
    cudart.__dict__["__getattr__"] = lambda name: refusal(f"torch.cuda.cudart().{name}")
    patches.answer(torch.cuda, "cudart", lambda: cudart)
    names = (
        "rangePushA",
        "rangePop",
        "rangeStartA",
        "rangeEnd",
        "markA",
        "deviceRangeStart",
        "deviceRangeEnd",
    )
    patches.put(torch.cuda.nvtx, "_nvtx", types.SimpleNamespace(**_same(0, *names)))
    for name in [name for name in vars(torch) if name.startswith("_cufft_")]:
        patches.put(torch, name, refusal(f"torch.{name}"))
    green = sys.modules.get("torch.cuda.green_contexts")
    for name in ("get_num_locality_domains", "is_localization_supported"):
        patches.answer(green, name, refusal(f"torch.cuda.green_contexts.{name}"))


def replace_legacy_types(
    patches: Patches, owner: types.ModuleType, make: Callable[..., Any]
) -> None:
    """Replace `owner`'s FloatTensor and the like by types for type checks, which `make` instances of when called."""

    class LegacyType(type):
        def __instancecheck__(cls, instance: object) -> bool:
            return (
                isinstance(instance, torch.Tensor) and instance.type() == cls.__name__
            )

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            return make(cls, *args, **kwargs)

    for name in [name for name in vars(owner) if name.endswith("Tensor")]:
        # torch knows them by this name (torch/csrc/autograd/python_variable_methods.cpp: THPVariable_type).
        patches.put(
            owner,
            name,
            LegacyType(f"{owner.__name__}.{name}", (), {"__module__": owner.__name__}),
        )


class CudaGenerator(torch.Generator):  # type: ignore[misc]
    """The generator in `torch.cuda.default_generators`. It draws nothing, so all its states are equal.

    torch/_functorch/partitioners.py (`functionalize_rng_ops`) clones it into the graphs that draw in forward and again
    in backward; torch/_prims/rng_prims.py puts the clones in its place while they run.
    """

    @property
    def device(self) -> torch.device:
        return torch.device("cuda", 0)

    def clone_state(self) -> CudaGenerator:
        return CudaGenerator()

    def graphsafe_get_state(self) -> CudaGenerator:
        return self

    def graphsafe_set_state(self, state: torch.Generator) -> CudaGenerator:
        return self
