"""What describes a virtual device: what drivers, torch and libraries report, and peak rates. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

Bound = Literal["memory", "compute", "launch"]


@dataclass(frozen=True)
class Rates:
    """The peak rates of a device, as its data sheet gives them, without sparsity."""

    matrix: Mapping[str, float]
    """TFLOP/s of matrix products, by the type of the operands: `f64`, `f32`, `tf32`, `bf16`, `f16`, `f8`, `i8`."""
    vector: Mapping[str, float]
    """TFLOP/s of everything else, by the type of the computation: `f64`, `f32`."""
    bandwidth: float
    """GB/s of its memory, where a G is 10**9."""
    launch_us: float
    """Microseconds that an empty kernel takes when it is started right after another one."""
    source: str
    """Where the numbers come from."""

    def lower_bound(
        self,
        moved: int,
        matrix: Mapping[str, int],
        vector: Mapping[str, int],
        launches: int,
    ) -> LowerBound:
        """The least time for `moved` bytes and these operations, by type: memory and both kinds of units overlap."""
        memory = moved / self.bandwidth
        products = sum(
            flops / self._rate(self.matrix, dtype) for dtype, flops in matrix.items()
        )
        others = sum(
            flops / self._rate(self.vector, dtype) for dtype, flops in vector.items()
        )
        compute = max(products, others) / 1000
        launch = self.launch_us * 1000 * launches
        bound: Bound = (
            "launch"
            if launch > max(memory, compute)
            else "memory"
            if memory >= compute
            else "compute"
        )
        return LowerBound(round(launch + max(memory, compute)), bound)

    @staticmethod
    def _rate(rates: Mapping[str, float], dtype: str) -> float:
        """A type that the device has no units for is as fast as float32, to which it is converted."""
        return rates.get("f8" if dtype.startswith("float8") else dtype) or rates["f32"]


@dataclass(frozen=True)
class LowerBound:
    """A least time, and what it is bound by."""

    ns: int
    bound: Bound


@dataclass(frozen=True)
class CudaProperties:
    """A card, with the attributes of `torch.cuda.get_device_properties` under torch's own names."""

    name: str
    """As the driver names it: `NVIDIA H100 80GB HBM3`."""
    major: int
    """Of the compute capability: the 9 in 9.0."""
    minor: int
    multi_processor_count: int
    """Streaming multiprocessors: how many blocks it takes to fill the card."""
    total_memory: int
    """Bytes."""
    shared_memory_per_block_optin: int
    """Bytes that a block may have when its kernel asks for more than the default."""
    shared_memory_per_multiprocessor: int
    """Bytes."""
    L2_cache_size: int
    """Bytes."""
    clock_rate: int = 1_700_000
    """Of the multiprocessors, in kHz."""
    memory_clock_rate: int = 1_600_000
    """In kHz; the card's bandwidth is calculated from it and the width of the bus."""
    memory_bus_width: int = 5120
    """Bits."""
    shared_memory_per_block: int = 48 << 10
    """Bytes that a block may have by default."""
    regs_per_multiprocessor: int = 65536
    """32-bit registers."""
    max_threads_per_multi_processor: int = 2048
    max_threads_per_block: int = 1024
    warp_size: int = 32
    """Threads."""
    is_integrated: int = 0
    """1 where the GPU shares the memory of the machine."""
    is_multi_gpu_board: int = 0
    """1 where several GPUs are on one board."""
    # A card's location and name in its machine: nothing in a kernel depends on them.
    pci_bus_id: int = 0
    pci_device_id: int = 0
    pci_domain_id: int = 0
    uuid: str = "00000000-0000-0000-0000-000000000000"
    gcnArchName: str = ""
    """AMD's name for the architecture, with its features; empty for NVIDIA's cards."""

    @property
    def capability(self) -> tuple[int, int]:
        """Major and minor compute capability, as `torch.cuda.get_device_capability` returns them: (9, 0)."""
        return self.major, self.minor

    @property
    def architecture(self) -> str:
        """AMD's name for it without features, `gfx942`, or NVIDIA's, `sm_90`."""
        return self.gcnArchName.partition(":")[0] or f"sm_{self.major}{self.minor}"

    @property
    def in_words(self) -> str:
        """The card in a line, for people: its name, its generation and its multiprocessors."""
        generation = (
            self.architecture
            if self.gcnArchName
            else f"compute capability {self.major}.{self.minor}"
        )
        return (
            f"{self.name}, {generation}, {self.multi_processor_count} multiprocessors"
        )


@dataclass(frozen=True)
class CudaRuntime:
    """The CUDA libraries that a torch release's default Linux wheel is built with and depends on."""

    cuda: str
    cudnn: int
    """As `torch.backends.cudnn.version()`: 9.26.0 is 92600."""
    nccl: tuple[int, int, int] = (2, 29, 7)


# The default (PyPI) wheels' `Requires-Dist` and `torch.version.cuda`. The CPU wheel has no CUDA and other builds of the
# same version may have a different one: a virtual GPU answers with these, so that all wheels of a version agree.
_RUNTIMES = {
    (2, 11): CudaRuntime("13.0", 91900, (2, 28, 9)),
    (2, 12): CudaRuntime("13.0", 92000, (2, 29, 7)),
    (2, 13): CudaRuntime("13.0", 92000, (2, 29, 7)),
    (2, 14): CudaRuntime("13.0", 92400, (2, 30, 7)),
    (2, 15): CudaRuntime("13.2", 92600, (2, 30, 7)),
}


def cuda_runtime(
    torch_version: tuple[int, int], properties: CudaProperties | None = None
) -> CudaRuntime:
    """The CUDA runtime of that torch release, or of the newest known one for a newer nightly; AMD's have no cuDNN."""
    older = [release for release in _RUNTIMES if release <= torch_version]
    runtime = _RUNTIMES[max(older, default=min(_RUNTIMES))]
    return (
        replace(runtime, cudnn=0)
        if properties is not None and properties.gcnArchName
        else runtime
    )


@dataclass(frozen=True)
class CpuProperties:
    """A CPU as Inductor's C++ backend sees it."""

    isa: str
    """The class in torch/_inductor/cpu_vec_isa.py without `Vec`: AVX2, AVX512, NEON."""
    machine: str
    """`platform.machine()`."""
    capability: str
    """`torch.backends.cpu.get_cpu_capability()`."""
    mkl: bool
    """Whether torch's build for this machine has MKL."""
    acl: bool
    """Whether oneDNN uses the Arm Compute Library there."""
    bf16: bool
    """Whether oneDNN has bfloat16 kernels for it."""
    fp16: bool
    flags: frozenset[str]
    """Those for which `torch.cpu._is_<flag>_supported()` returns True."""
    threads: int = 8
    """What kernels are written for: torch's `cpp.threads`, or `torch.get_num_threads()` if `cores` is given."""
    cores: int | None = None
    """`os.cpu_count()` of a machine where `cpp.threads` is not set; kernels then say less about their threads."""
    l1d_cache_size: int = 32 << 10
    l2_cache_size: int = 1 << 20

    @property
    def in_words(self) -> str:
        """The CPU in a line, for people: its architecture, its vector instructions and its threads."""
        return f"{self.machine} with {self.isa}, {self.threads} threads"
