"""What probes write down of generated code, and of what it is compiled to. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from pytest_compile_golden.record.graphs import GraphKey, TensorType


@dataclass(frozen=True)
class Author:
    """A function of torch's, or of the user's, that wrote code or decided something."""

    function: str
    """Its qualified name: `TritonKernel.load`."""
    where: str | None
    """File and line of its definition."""


@dataclass(frozen=True)
class OutputCode:
    """The Python module that Inductor wrote for one graph, and what it counted for it."""

    key: GraphKey
    code: str
    bytes_accessed: int
    unread: frozenset[str] = frozenset()
    """Entries of its kernels' `inductor_meta` that nothing in torch reads when it launches one."""
    devices: frozenset[str] = frozenset()
    """The types of device that the graph's tensors are on, `cuda` and `cpu`; empty where torch does not show it."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """Settings of Inductor's that decide what its C++ compiler is told: `cpp.march`."""


@dataclass(frozen=True)
class Written:
    """A line of generated code, and a function that wrote it."""

    line: str
    """Without indentation; with torch's placeholders for names that are not known yet."""
    author: Author


@dataclass(frozen=True)
class Launch:
    """The configurations that torch would try for one Triton kernel; with one there is nothing to try."""

    key: GraphKey
    kernel: str
    configs: tuple[str, ...]
    """`XBLOCK=256 num_warps=4 num_stages=1`."""
    heuristic: Author | None = None
    """The function that offers them."""


@dataclass(frozen=True)
class MachineCode:
    """One kernel in one configuration, compiled for the target by the Triton or the C++ compiler that is installed."""

    key: GraphKey
    kernel: str
    config: str
    """`XBLOCK=256 num_warps=4 num_stages=1`; of a C++ kernel, which has one, the instruction set: `AVX2`."""
    place: int
    """Which of the kernel's configurations it is, from 0, in the order in which they are offered."""
    compiler: str = ""
    """What compiled it: `Triton 3.7.1, ptxas 12.8 for sm90`, `g++ 12.2.0`."""
    symbol: str = ""
    """What the kernel is called in its texts."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """What each of Triton's stages printed, by its name: `ttir`, `ttgir`, `llir`, `ptx`, and the `sass`; or `assembly`."""
    resources: Resources | CpuResources | None = None
    """None where it does not compile."""
    dropped: str = ""
    """Why torch would not launch it in this configuration, in words; empty where it would."""


@dataclass(frozen=True)
class Resources:
    """What one thread, or one block, of a compiled kernel takes of a multiprocessor."""

    NUMBERS: ClassVar = ("registers", "spills", "stack", "shared", "threads", "occupancy")

    registers: int
    """32-bit registers of a thread."""
    stack: int
    """Bytes of local memory of a thread, which is in the card's memory: what was spilled, and arrays on the stack."""
    shared: int
    """Bytes of a block's shared memory."""
    threads: int
    """Of a block."""
    occupancy: int
    """Percent of the threads that a multiprocessor can hold; 0 where no block fits."""

    @property
    def spills(self) -> int:
        """32-bit words of a thread in local memory, which is how Triton counts spills (third_party/nvidia/driver.c)."""
        return self.stack // 4


@dataclass(frozen=True)
class CpuResources:
    """What a compiled C++ kernel does with the registers of a core. Each number counts places in the code, not runs."""

    NUMBERS: ClassVar = ("vector_bits", "spills", "stack", "loops", "scalar_loops", "libm_calls")

    vector_bits: int
    """Of the widest register by which data is read, written or computed with; 0 where that is done one by one."""
    spills: int
    """Stores of vector registers to the stack frame that are read there again, and these reads."""
    stack: int
    """Bytes of the frame of the function that has most."""
    loops: int
    """Those that touch data and have no other inside."""
    scalar_loops: int
    """Those of them that do one element at a time."""
    libm_calls: int
    """Calls of the C library's mathematical functions, each for one element; Sleef's take a vector."""


RESOURCES: Mapping[str, type[Resources | CpuResources]] = {"cuda": Resources, "cpu": CpuResources}
"""What a compiled kernel takes, by the type of device."""


@dataclass(frozen=True)
class Constant:
    """A parameter, a buffer or another tensor that a package holds."""

    name: str
    type: TensorType
    nbytes: int


@dataclass(frozen=True)
class Package:
    """What AOTInductor packs for one graph, beside its code."""

    key: GraphKey
    inputs: tuple[tuple[str, TensorType | str | None], ...]
    outputs: tuple[TensorType | str | None, ...]
    constants: tuple[Constant, ...]
    files: tuple[tuple[str, int], ...]
    """How many there are of each kind."""
    metadata: tuple[tuple[str, str], ...]
    """What the user's config adds."""
