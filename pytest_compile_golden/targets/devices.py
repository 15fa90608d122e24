"""The virtual devices: what the driver of each card reports, and what data sheets promise. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pytest_compile_golden.targets.properties import CpuProperties, CudaProperties, Rates


def _card(
    name: str,
    capability: tuple[int, int],
    multiprocessors: int,
    memory: int,
    shared: tuple[int, int],
    cache: float,
    clocks: tuple[int, int],
    bus: int,
    threads: int = 2048,
) -> CudaProperties:
    """A row of the table below. memory: MiB. shared: KiB of shared memory that a block may ask for, and that a
    multiprocessor has. cache: MiB of L2. clocks: MHz of the multiprocessors and of the memory. bus: bits. threads: of a
    multiprocessor.
    """
    return CudaProperties(
        name,
        *capability,
        multi_processor_count=multiprocessors,
        total_memory=memory << 20,
        shared_memory_per_block_optin=shared[0] << 10,
        shared_memory_per_multiprocessor=shared[1] << 10,
        L2_cache_size=int(cache * (1 << 20)),
        clock_rate=clocks[0] * 1000,
        memory_clock_rate=clocks[1] * 1000,
        memory_bus_width=bus,
        max_threads_per_multi_processor=threads,
    )


# Total memory differs by some MiB between drivers; nothing in torch.compile depends on the last digits.
A100_SXM_80GB = _card("NVIDIA A100-SXM4-80GB", (8, 0), 108, 81_050, (163, 164), 40, (1410, 1593), 5120)
H100_SXM = _card("NVIDIA H100 80GB HBM3", (9, 0), 132, 81_079, (227, 228), 50, (1980, 2619), 5120)
# As torch prints it on a real card (name, memory, multiprocessors, cache); clocks and bus as its data sheet implies.
H200_SXM = _card("NVIDIA H200", (9, 0), 132, 143_156, (227, 228), 60, (1980, 3201), 6144)
B200 = _card("NVIDIA B200", (10, 0), 148, 182_642, (227, 228), 126.5, (1965, 3996), 7680)
# The same chip as a B200 with four more multiprocessors, on which splits of reductions depend.
GB200 = replace(B200, name="NVIDIA GB200", multi_processor_count=152, total_memory=189_471 << 20)

# Cards that are not meant for training: a multiprocessor has less shared memory and fewer threads.
L40S = _card("NVIDIA L40S", (8, 9), 142, 45_589, (99, 100), 96, (2520, 9001), 384, threads=1536)
RTX_4090 = _card("NVIDIA GeForce RTX 4090", (8, 9), 128, 24_217, (99, 100), 72, (2520, 10_501), 384, threads=1536)
RTX_5090 = _card("NVIDIA GeForce RTX 5090", (12, 0), 170, 32_120, (99, 100), 96, (2407, 14_001), 512, threads=1536)

# A multiprocessor is a compute unit, a warp a wavefront, shared memory the local data share.
MI300X = CudaProperties(
    name="AMD Instinct MI300X",
    major=9,
    minor=4,
    multi_processor_count=304,
    total_memory=196_592 << 20,
    shared_memory_per_block=64 << 10,
    shared_memory_per_block_optin=64 << 10,
    shared_memory_per_multiprocessor=64 << 10,
    L2_cache_size=4 << 20,
    clock_rate=2_100_000,
    memory_clock_rate=1_300_000,
    memory_bus_width=8192,
    warp_size=64,
    gcnArchName="gfx942:sramecc+:xnack-",
)

MI355X = replace(
    MI300X,
    name="AMD Instinct MI355X",
    minor=5,
    multi_processor_count=256,
    total_memory=294_896 << 20,
    shared_memory_per_block=160 << 10,
    shared_memory_per_block_optin=160 << 10,
    shared_memory_per_multiprocessor=160 << 10,
    clock_rate=2_400_000,
    memory_clock_rate=2_000_000,
    gcnArchName="gfx950:sramecc+:xnack-",
)


# The time of an empty kernel right after another one; no data sheet gives it.
_GPU_LAUNCH_US = 2.0

GPUS_PER_NODE = 8
"""On a board as the vendor sells it (HGX), connected by NVLink."""

_HOPPER_MATRIX = {"f64": 67, "f32": 67, "tf32": 494.5, "bf16": 989.5, "f16": 989.5, "f8": 1979, "i8": 1979}
_HOPPER_VECTOR = {"f64": 34, "f32": 67}


@dataclass(frozen=True)
class Gpu:
    """A row of the table: a card, and what it can do."""

    properties: CudaProperties
    rates: Rates
    source: str
    """Where the properties come from."""
    gpus_per_node: int = GPUS_PER_NODE
    """How many of these one machine has, on links that are faster than those between machines."""


_QUERIED = "driver queries and NVIDIA's data sheet"
_CAPABILITY = "data sheet and the limits of its compute capability for the rest"
_DECLARED = "AMD's data sheet and the limits of its architecture; compared with no card"
_PRINTED = f"what torch prints of a card; {_CAPABILITY}"

# Data sheets give some rates only with sparsity: the dense rate, half of that, is used here. Cards that are not for
# data centres have one float64 unit for every 64 float32 units.
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
        source=_QUERIED,
    ),
    "cuda-sm89": Gpu(
        L40S,
        Rates(
            matrix={"f64": 1.43, "f32": 91.6, "tf32": 183, "bf16": 362, "f16": 362, "f8": 733, "i8": 733},
            vector={"f64": 1.43, "f32": 91.6},
            bandwidth=864,
            launch_us=_GPU_LAUNCH_US,
            source="NVIDIA L40S data sheet",
        ),
        source=_PRINTED,
    ),
    "cuda-sm90": Gpu(
        H100_SXM,
        Rates(_HOPPER_MATRIX, _HOPPER_VECTOR, 3350, _GPU_LAUNCH_US, source="NVIDIA H100 SXM data sheet"),
        source=_QUERIED,
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
        source=_QUERIED,
    ),
    "cuda-sm120": Gpu(
        RTX_5090,
        Rates(
            matrix={"f64": 1.64, "f32": 104.8, "tf32": 104.8, "bf16": 209.5, "f16": 209.5, "f8": 419, "i8": 838},
            vector={"f64": 1.64, "f32": 104.8},
            bandwidth=1792,
            launch_us=_GPU_LAUNCH_US,
            source="NVIDIA RTX Blackwell architecture paper, sums in float32",
        ),
        source=f"deviceQuery on a card; {_CAPABILITY}",
    ),
    "cuda-h200": Gpu(
        H200_SXM,
        Rates(_HOPPER_MATRIX, _HOPPER_VECTOR, 4800, _GPU_LAUNCH_US, source="NVIDIA H200 SXM data sheet"),
        source=_PRINTED,
    ),
    "cuda-gb200": Gpu(
        GB200,
        Rates(
            matrix={"f64": 40, "f32": 80, "tf32": 1250, "bf16": 2500, "f16": 2500, "f8": 5000, "i8": 5000},
            vector={"f64": 40, "f32": 80},
            bandwidth=8000,
            launch_us=_GPU_LAUNCH_US,
            source="NVIDIA GB200 NVL72 data sheet, a part in 72 of the rack",
        ),
        source="the number of multiprocessors that drivers report, and the memory; else as cuda-sm100",
    ),
    "cuda-rtx4090": Gpu(
        RTX_4090,
        Rates(
            matrix={"f64": 1.29, "f32": 82.6, "tf32": 82.6, "bf16": 165.2, "f16": 165.2, "f8": 330.3, "i8": 660.6},
            vector={"f64": 1.29, "f32": 82.6},
            bandwidth=1008,
            launch_us=_GPU_LAUNCH_US,
            source="NVIDIA Ada architecture paper, sums in float32",
        ),
        source=_PRINTED,
    ),
    "rocm-gfx942": Gpu(
        MI300X,
        Rates(
            matrix={
                "f64": 163.4,
                "f32": 163.4,
                "tf32": 653.7,
                "bf16": 1307.4,
                "f16": 1307.4,
                "f8": 2614.9,
                "i8": 2614.9,
            },
            vector={"f64": 81.7, "f32": 163.4},
            bandwidth=5300,
            launch_us=_GPU_LAUNCH_US,
            source="AMD Instinct MI300X data sheet",
        ),
        source=_DECLARED,
    ),
    "rocm-gfx950": Gpu(
        MI355X,
        Rates(
            matrix={"f64": 78.6, "f32": 157.3, "bf16": 2500, "f16": 2500, "f8": 5000, "i8": 5000},
            vector={"f64": 78.6, "f32": 157.3},
            bandwidth=8000,
            launch_us=_GPU_LAUNCH_US,
            source="AMD Instinct MI355X data sheet",
        ),
        source=_DECLARED,
    ),
}
"""The virtual GPUs, by the name of their target."""


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
    source: str = "declared: a common CPU of that instruction set, without later extensions, 8 threads"
    """Where the properties come from."""


def _nominal(flops_per_cycle: int, bandwidth: float, hardware: str) -> Rates:
    """The rates of 8 cores at 3 GHz with this many float32 operations per cycle, half as many in float64."""
    float32 = 8 * 3.0 * flops_per_cycle / 1000
    rates = {"f64": float32 / 2, "f32": float32}
    # An empty parallel loop costs one barrier of the threads.
    return Rates(rates, rates, bandwidth, launch_us=1.0, source=f"nominal: 8 cores at 3 GHz, {hardware}")


# These represent many machines, so their rates are declared rather than taken from one machine.
CPUS: Mapping[str, Cpu] = {
    "cpu-avx2": Cpu(AVX2, _nominal(32, 50, "two 256-bit FMA units each, two channels of DDR4")),
    "cpu-avx512": Cpu(AVX512, _nominal(64, 100, "two 512-bit FMA units each, a share of a server's memory")),
    "cpu-neon": Cpu(NEON, _nominal(16, 100, "two 128-bit FMA units each, a share of a server's memory")),
}
"""The virtual CPUs, by the name of their target."""

CPU_TARGETS_HINT = f"The targets {', '.join([*CPUS][:-1])} and {[*CPUS][-1]} work without it."
"""The end of messages about something that a virtual GPU needs and lacks."""

UNSUPPORTED_DEVICES: Mapping[str, str] = {"Intel GPUs (xpu)": "Triton has no backend for them here."}
"""Devices that users ask for but that cannot be modelled truthfully, and why; docs/fidelity.md says more."""
