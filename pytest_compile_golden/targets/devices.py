"""What the virtual devices are: what a driver reports of each card, and what data sheets promise. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_compile_golden.targets.rates import Rates


@dataclass(frozen=True)
class CudaProperties:
    """A card, with the attributes of `torch.cuda.get_device_properties` under torch's own names."""

    name: str
    """As the driver names it: `NVIDIA H100 80GB HBM3`."""
    major: int
    """Of the compute capability: the 9 of 9.0."""
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
    """Of the multiprocessors, kHz."""
    memory_clock_rate: int = 1_600_000
    """kHz; with the width of the bus, what the card's bandwidth is reckoned from."""
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
    # Where a card is in its machine, and what it is called there: nothing in a kernel depends on it.
    pci_bus_id: int = 0
    pci_device_id: int = 0
    pci_domain_id: int = 0
    uuid: str = "00000000-0000-0000-0000-000000000000"
    gcnArchName: str = ""
    """AMD's name of the architecture; empty on NVIDIA's cards."""

    @property
    def capability(self) -> tuple[int, int]:
        return self.major, self.minor


# Total memory differs by some MiB between drivers; nothing in torch.compile depends on the last digits.
A100_SXM_80GB = CudaProperties(
    name="NVIDIA A100-SXM4-80GB",
    major=8,
    minor=0,
    multi_processor_count=108,
    total_memory=81050 << 20,
    shared_memory_per_block_optin=163 << 10,
    shared_memory_per_multiprocessor=164 << 10,
    L2_cache_size=40 << 20,
    clock_rate=1_410_000,
    memory_clock_rate=1_593_000,
    memory_bus_width=5120,
)

H100_SXM = CudaProperties(
    name="NVIDIA H100 80GB HBM3",
    major=9,
    minor=0,
    multi_processor_count=132,
    total_memory=81079 << 20,
    shared_memory_per_block_optin=227 << 10,
    shared_memory_per_multiprocessor=228 << 10,
    L2_cache_size=50 << 20,
    clock_rate=1_980_000,
    memory_clock_rate=2_619_000,
    memory_bus_width=5120,
)

# As torch prints it on a real card (name, memory, multiprocessors, cache); clocks and bus as its data sheet implies.
H200_SXM = CudaProperties(
    name="NVIDIA H200",
    major=9,
    minor=0,
    multi_processor_count=132,
    total_memory=143_156 << 20,
    shared_memory_per_block_optin=227 << 10,
    shared_memory_per_multiprocessor=228 << 10,
    L2_cache_size=60 << 20,
    clock_rate=1_980_000,
    memory_clock_rate=3_201_000,
    memory_bus_width=6144,
)

B200 = CudaProperties(
    name="NVIDIA B200",
    major=10,
    minor=0,
    multi_processor_count=148,
    total_memory=182_642 << 20,
    shared_memory_per_block_optin=227 << 10,
    shared_memory_per_multiprocessor=228 << 10,
    L2_cache_size=132_644_864,
    clock_rate=1_965_000,
    memory_clock_rate=3_996_000,
    memory_bus_width=7680,
)


# What a kernel with nothing to do takes right behind another one; no data sheet has it.
_GPU_LAUNCH_US = 2.0

GPUS_PER_NODE = 8
"""Of a board as its maker sells it (HGX), joined by NVLink."""

_HOPPER_MATRIX = {"f64": 67, "f32": 67, "tf32": 494.5, "bf16": 989.5, "f16": 989.5, "f8": 1979, "i8": 1979}
_HOPPER_VECTOR = {"f64": 34, "f32": 67}


@dataclass(frozen=True)
class Gpu:
    """A row of the table: a card, and what it can do."""

    properties: CudaProperties
    rates: Rates
    gpus_per_node: int = GPUS_PER_NODE
    """How many of it one machine has, on wires faster than those between machines."""


# Data sheets give some rates with sparsity only: here is the dense rate, half of that.
GPUS: Mapping[str, Gpu] = {
    "cuda-sm80": Gpu(
        A100_SXM_80GB,
        Rates(
            matrix={"f64": 19.5, "f32": 19.5, "tf32": 156, "bf16": 312, "f16": 312, "i8": 624},
            vector={"f64": 9.7, "f32": 19.5},
            bandwidth=2039,
            launch_us=_GPU_LAUNCH_US,
            source="NVIDIA A100 80GB SXM data sheet",
        ),
    ),
    "cuda-sm90": Gpu(
        H100_SXM,
        Rates(_HOPPER_MATRIX, _HOPPER_VECTOR, 3350, _GPU_LAUNCH_US, source="NVIDIA H100 SXM data sheet"),
    ),
    "cuda-sm100": Gpu(
        B200,
        Rates(
            matrix={"f64": 37, "f32": 75, "tf32": 1100, "bf16": 2250, "f16": 2250, "f8": 4500, "i8": 4500},
            vector={"f64": 37, "f32": 75},
            bandwidth=7700,
            launch_us=_GPU_LAUNCH_US,
            source="NVIDIA HGX B200 data sheet, an eighth of the board",
        ),
    ),
    "cuda-h200": Gpu(
        H200_SXM,
        Rates(_HOPPER_MATRIX, _HOPPER_VECTOR, 4800, _GPU_LAUNCH_US, source="NVIDIA H200 SXM data sheet"),
    ),
}
"""The virtual GPUs, by the name of their target."""


@dataclass(frozen=True)
class CudaRuntime:
    """The CUDA libraries that a torch release's default Linux wheel is built with and depends on."""

    cuda: str
    cudnn: int
    """As `torch.backends.cudnn.version()`: 9.26.0 is 92600."""


# The default (PyPI) wheels' `Requires-Dist` and `torch.version.cuda`. The CPU wheel has no CUDA of its own and other
# builds of the same version may have another one: a virtual GPU answers this, so that all wheels of a version agree.
_RUNTIMES = {
    (2, 11): CudaRuntime("13.0", 91900),
    (2, 12): CudaRuntime("13.0", 92000),
    (2, 13): CudaRuntime("13.0", 92000),
    (2, 14): CudaRuntime("13.0", 92400),
    (2, 15): CudaRuntime("13.2", 92600),
}


def cuda_runtime(torch_version: tuple[int, int]) -> CudaRuntime:
    """The CUDA runtime of that torch release; of the newest known one for a newer nightly."""
    older = [known for known in _RUNTIMES if known <= torch_version]
    return _RUNTIMES[max(older, default=min(_RUNTIMES))]


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
    """Whether oneDNN runs on the Arm Compute Library there."""
    bf16: bool
    """Whether oneDNN has bfloat16 kernels on it."""
    fp16: bool
    flags: frozenset[str]
    """`torch.cpu._is_<flag>_supported()` that answer True."""
    threads: int = 8
    """What kernels are written for: torch's `cpp.threads`, or `torch.get_num_threads()` where `cores` is given."""
    cores: int | None = None
    """`os.cpu_count()` of a machine where nobody set `cpp.threads`; kernels then say less about their threads."""
    l1d_cache_size: int = 32 << 10
    l2_cache_size: int = 1 << 20


# A desktop or cloud CPU of that instruction set without its later extensions (VNNI, AMX), so that one golden fits many.
AVX2 = CpuProperties("AVX2", "x86_64", "AVX2", mkl=True, acl=False, bf16=False, fp16=False, flags=frozenset({"avx2"}))
AVX512 = CpuProperties(
    "AVX512", "x86_64", "AVX512", mkl=True, acl=False, bf16=True, fp16=False, flags=frozenset({"avx2", "avx512"})
)
NEON = CpuProperties("NEON", "aarch64", "DEFAULT", mkl=False, acl=True, bf16=True, fp16=True, flags=frozenset())


@dataclass(frozen=True)
class Cpu:
    """A row of the table: a CPU, and what it can do."""

    properties: CpuProperties
    rates: Rates


def _nominal(flops_per_cycle: int, bandwidth: float, what: str) -> Rates:
    """Of 8 cores at 3 GHz that do so many float32 operations in a cycle, half as many in float64."""
    float32 = 8 * 3.0 * flops_per_cycle / 1000
    rates = {"f64": float32 / 2, "f32": float32}
    # A parallel loop with nothing to do costs the threads one meeting.
    return Rates(rates, rates, bandwidth, launch_us=1.0, source=f"nominal: 8 cores at 3 GHz, {what}")


# These stand for many machines, so their rates are declared and no machine's own.
CPUS: Mapping[str, Cpu] = {
    "cpu-avx2": Cpu(AVX2, _nominal(32, 50, "two 256-bit FMA units each, two channels of DDR4")),
    "cpu-avx512": Cpu(AVX512, _nominal(64, 100, "two 512-bit FMA units each, a share of a server's memory")),
    "cpu-neon": Cpu(NEON, _nominal(16, 100, "two 128-bit FMA units each, a share of a server's memory")),
}
"""The virtual CPUs, by the name of their target."""

WITHOUT_A_GPU = f"The targets {', '.join([*CPUS][:-1])} and {[*CPUS][-1]} work without."
"""Ends what is said where a virtual GPU lacks something."""
