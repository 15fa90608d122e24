"""The virtual devices: what the driver of each card reports, and what data sheets promise. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pytest_compile_golden.targets.device_properties import (
    CpuProperties,
    CudaProperties,
    Rates,
)


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
A100_SXM_80GB = _card(
    "NVIDIA A100-SXM4-80GB", (8, 0), 108, 81_050, (163, 164), 40, (1410, 1593), 5120
)
H100_SXM = _card(
    "NVIDIA H100 80GB HBM3", (9, 0), 132, 81_079, (227, 228), 50, (1980, 2619), 5120
)
# As torch prints it on a real card (name, memory, multiprocessors, cache); clocks and bus as its data sheet implies.
# As the driver reports it: 64 KiB less than 143,156 MiB, and a bus of 47 of its 48 parts.
H200_SXM = replace(
    _card("NVIDIA H200", (9, 0), 132, 143_156, (227, 228), 60, (1980, 3201), 6016),
    total_memory=150_109_880_320,
)
B200 = _card(
    "NVIDIA B200", (10, 0), 148, 182_642, (227, 228), 126.5, (1965, 3996), 7680
)
# The same chip as a B200 with four more multiprocessors, on which splits of reductions depend.
GB200 = replace(
    B200, name="NVIDIA GB200", multi_processor_count=152, total_memory=189_471 << 20
)

# Cards that are not meant for training: a multiprocessor has less shared memory and fewer threads.
L40S = _card(
    "NVIDIA L40S", (8, 9), 142, 45_589, (99, 100), 96, (2520, 9001), 384, threads=1536
)
RTX_4090 = _card(
    "NVIDIA GeForce RTX 4090",
    (8, 9),
    128,
    24_217,
    (99, 100),
    72,
    (2520, 10_501),
    384,
    threads=1536,
)
RTX_5090 = _card(
    "NVIDIA GeForce RTX 5090",
    (12, 0),
    170,
    32_120,
    (99, 100),
    96,
    (2407, 14_001),
    512,
    threads=1536,
)

# A multiprocessor is a compute unit, a warp a wavefront, shared memory the local data share.
MI300X = replace(
    _card("AMD Instinct MI300X", (9, 4), 304, 196_592, (64, 64), 4, (2100, 1300), 8192),
    shared_memory_per_block=64 << 10,
    warp_size=64,
    gcnArchName="gfx942:sramecc+:xnack-",
)
MI355X = replace(
    _card(
        "AMD Instinct MI355X", (9, 5), 256, 294_896, (160, 160), 4, (2400, 2000), 8192
    ),
    shared_memory_per_block=160 << 10,
    warp_size=64,
    gcnArchName="gfx950:sramecc+:xnack-",
)


# The time of an empty kernel right after another one; no data sheet gives it.
_GPU_LAUNCH_US = 2.0

GPUS_PER_NODE = 8
"""On a board as the vendor sells it (HGX), connected by NVLink."""


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
_MATRIX = ("f64", "f32", "tf32", "bf16", "f16", "f8", "i8")
_VECTOR = ("f64", "f32")


def _gpu(
    card: CudaProperties,
    matrix: tuple[float | None, ...],
    vector: tuple[float, float],
    bandwidth: float,
    sheet: str,
    source: str = _QUERIED,
) -> Gpu:
    """A row of the table below. matrix, vector: TFLOP/s of each of the types above; None for one that is not there.

    sheet, source: where the rates and the properties come from.
    """
    products = {
        name: rate
        for name, rate in zip(_MATRIX, matrix, strict=True)
        if rate is not None
    }
    return Gpu(
        card,
        Rates(
            products,
            dict(zip(_VECTOR, vector, strict=True)),
            bandwidth,
            _GPU_LAUNCH_US,
            sheet,
        ),
        source,
    )


_HOPPER = (67, 67, 494.5, 989.5, 989.5, 1979, 1979), (34, 67)

# Data sheets give some rates only with sparsity: the dense rate, half of that, is used here. Cards that are not for
# data centres have one float64 unit for every 64 float32 units.
GPUS: Mapping[str, Gpu] = {
    "cuda-sm80": _gpu(
        A100_SXM_80GB,
        (19.5, 19.5, 156, 312, 312, None, 624),
        (9.7, 19.5),
        2039,
        "NVIDIA A100 80GB SXM data sheet",
    ),
    "cuda-sm89": _gpu(
        L40S,
        (1.43, 91.6, 183, 362, 362, 733, 733),
        (1.43, 91.6),
        864,
        "NVIDIA L40S data sheet",
        _PRINTED,
    ),
    "cuda-sm90": _gpu(H100_SXM, *_HOPPER, 3350, "NVIDIA H100 SXM data sheet"),
    "cuda-sm100": _gpu(
        B200,
        (37, 75, 1100, 2250, 2250, 4500, 4500),
        (37, 75),
        7700,
        "NVIDIA HGX B200 data sheet, an eighth of the board",
    ),
    "cuda-sm120": _gpu(
        RTX_5090,
        (1.64, 104.8, 104.8, 209.5, 209.5, 419, 838),
        (1.64, 104.8),
        1792,
        "NVIDIA RTX Blackwell architecture paper, sums in float32",
        f"deviceQuery on a card; {_CAPABILITY}",
    ),
    "cuda-h200": _gpu(H200_SXM, *_HOPPER, 4800, "NVIDIA H200 SXM data sheet"),
    "cuda-gb200": _gpu(
        GB200,
        (40, 80, 1250, 2500, 2500, 5000, 5000),
        (40, 80),
        8000,
        "NVIDIA GB200 NVL72 data sheet, a part in 72 of the rack",
        "the number of multiprocessors that drivers report, and the memory; else as cuda-sm100",
    ),
    "cuda-rtx4090": _gpu(
        RTX_4090,
        (1.29, 82.6, 82.6, 165.2, 165.2, 330.3, 660.6),
        (1.29, 82.6),
        1008,
        "NVIDIA Ada architecture paper, sums in float32",
        _PRINTED,
    ),
    "rocm-gfx942": _gpu(
        MI300X,
        (163.4, 163.4, 653.7, 1307.4, 1307.4, 2614.9, 2614.9),
        (81.7, 163.4),
        5300,
        "AMD Instinct MI300X data sheet",
        _DECLARED,
    ),
    "rocm-gfx950": _gpu(
        MI355X,
        (78.6, 157.3, None, 2500, 2500, 5000, 5000),
        (78.6, 157.3),
        8000,
        "AMD Instinct MI355X data sheet",
        _DECLARED,
    ),
}
"""The virtual GPUs, by the name of their target."""


# A desktop or cloud CPU of that instruction set without its later extensions (VNNI, AMX), so that one golden fits many.
AVX2 = CpuProperties(
    "AVX2",
    "x86_64",
    "AVX2",
    mkl=True,
    acl=False,
    bf16=False,
    fp16=False,
    flags=frozenset({"avx2"}),
)
AVX512 = CpuProperties(
    "AVX512",
    "x86_64",
    "AVX512",
    mkl=True,
    acl=False,
    bf16=True,
    fp16=False,
    flags=frozenset({"avx2", "avx512"}),
)
NEON = CpuProperties(
    "NEON",
    "aarch64",
    "DEFAULT",
    mkl=False,
    acl=True,
    bf16=True,
    fp16=True,
    flags=frozenset(),
)


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
    return Rates(
        rates,
        rates,
        bandwidth,
        launch_us=1.0,
        source=f"nominal: 8 cores at 3 GHz, {hardware}",
    )


# These represent many machines, so their rates are declared rather than taken from one machine.
CPUS: Mapping[str, Cpu] = {
    "cpu-avx2": Cpu(
        AVX2, _nominal(32, 50, "two 256-bit FMA units each, two channels of DDR4")
    ),
    "cpu-avx512": Cpu(
        AVX512,
        _nominal(64, 100, "two 512-bit FMA units each, a share of a server's memory"),
    ),
    "cpu-neon": Cpu(
        NEON,
        _nominal(16, 100, "two 128-bit FMA units each, a share of a server's memory"),
    ),
}
"""The virtual CPUs, by the name of their target."""

CPU_TARGETS_HINT = (
    f"The targets {', '.join(list(CPUS)[:-1])} and {list(CPUS)[-1]} work without it."
)
"""The end of messages about something that a virtual GPU needs and lacks."""

UNSUPPORTED_DEVICES: Mapping[str, str] = {
    "Intel GPUs (xpu)": "Triton has no backend for them here."
}
"""Devices that users ask for but that cannot be modelled truthfully, and why; docs/fidelity.md says more."""
