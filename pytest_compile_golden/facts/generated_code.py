"""Generated code: who wrote it, what it is compiled to, and what it is packaged with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import msgspec

from pytest_compile_golden.facts.graphs import GraphKey, TensorType

Setting = str | bool | int | tuple[str | None, ...] | None
"""A setting of torch's, as far as compilers are chosen by it."""


class Author(msgspec.Struct, frozen=True):
    """A function in torch, or in the user's code, that wrote code or decided something."""

    function: str
    """Its qualified name: `TritonKernel.load`."""
    where: str | None
    """File and line of its definition."""


class EmittedBy(msgspec.Struct, frozen=True, array_like=True, tag="author"):
    """The lines of a text that functions of one file wrote."""

    file: str
    """Empty if it is not known."""
    functions: tuple[tuple[str, int, str], ...]
    """Each function with the line of its definition, 0 if unknown, and the lines of the text: `0-3,7`."""


@dataclass(frozen=True)
class OutputCode:
    """The Python module that Inductor wrote for one graph, and what it counted for it."""

    key: GraphKey
    code: str
    bytes_accessed: int
    unread: frozenset[str] = frozenset()
    """Entries of its kernels' `inductor_meta` that nothing in torch reads when it launches one."""
    devices: frozenset[str] = frozenset()
    """The types of device that the graph's tensors are on, `cuda` and `cpu`; empty if torch does not show it."""
    settings: Mapping[str, Setting] = field(default_factory=dict)
    """Inductor settings that decide the options of its C++ compiler: `cpp.march`."""


@dataclass(frozen=True)
class EmittedLine:
    """A line of generated code, and a function that wrote it."""

    line: str
    """Without indentation; with torch's placeholders for names that are not known yet."""
    author: Author


@dataclass(frozen=True)
class Launch:
    """The configurations that torch would try for one Triton kernel; with only one, there is nothing to try."""

    key: GraphKey
    kernel: str
    configs: tuple[str, ...]
    """`XBLOCK=256 num_warps=4 num_stages=1`."""
    heuristic: Author | None = None
    """The function that offers them."""


@dataclass(frozen=True)
class MachineCode:
    """One kernel in one configuration, compiled for the target by the installed Triton or C++ compiler."""

    key: GraphKey
    kernel: str
    config: str
    """`XBLOCK=256 num_warps=4 num_stages=1`; for a C++ kernel, which has only one, the instruction set: `AVX2`."""
    config_index: int
    """The index of the configuration among the kernel's, from 0, in the order in which they are offered."""
    compiler: str = ""
    """What compiled it: `Triton 3.7.1, ptxas 12.8 for sm90`, `g++ 12.2.0`."""
    symbol: str = ""
    """The kernel's name in its texts."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The text of each stage, by the stage's name: `ttir`, `ttgir`, `llir`, `ptx` and `sass`; or `assembly`."""
    resources: Resources | CpuResources | None = None
    """None if it does not compile."""
    dropped: str = ""
    """Why torch would not launch it in this configuration, in words; empty if it would."""


class Resources(msgspec.Struct, frozen=True, tag=True):
    """The multiprocessor resources that one thread, or one block, of a compiled kernel uses."""

    NUMBERS: ClassVar = (
        "registers",
        "spills",
        "stack",
        "shared",
        "threads",
        "occupancy",
    )

    registers: int
    """32-bit registers per thread."""
    stack: int
    """Bytes of local memory per thread, which is in the card's memory: spilled values, and arrays on the stack."""
    shared: int
    """Bytes of shared memory per block."""
    threads: int
    """Threads per block."""
    occupancy: int
    """Percent of the threads that a multiprocessor can hold; 0 if no block fits."""

    @property
    def spills(self) -> int:
        """32-bit words per thread in local memory, which is how Triton counts spills (third_party/nvidia/driver.c)."""
        return self.stack // 4


class CpuResources(msgspec.Struct, frozen=True, tag=True):
    """How a compiled C++ kernel uses the registers of a core. Numbers count occurrences in the code, not executions."""

    NUMBERS: ClassVar = (
        "vector_bits",
        "spills",
        "stack",
        "loops",
        "scalar_loops",
        "libm_calls",
    )

    vector_bits: int
    """Bits of the widest register that data is read, written or computed with; 0 if elements are handled one by one."""
    spills: int
    """Stores of vector registers to the stack frame that are read back from there, and these reads."""
    stack: int
    """Bytes of the largest stack frame of any function."""
    loops: int
    """Innermost loops that touch data."""
    scalar_loops: int
    """Those of them that process one element at a time."""
    libm_calls: int
    """Calls to the C library's mathematical functions, each for one element; Sleef's take a vector."""


RESOURCES: Mapping[str, type[Resources | CpuResources]] = {
    "cuda": Resources,
    "cpu": CpuResources,
}
"""The resources of a compiled kernel, by device type."""


@dataclass(frozen=True)
class Constant:
    """A parameter, a buffer or another tensor that a package holds."""

    name: str
    type: TensorType
    nbytes: int


@dataclass(frozen=True)
class Package:
    """What AOTInductor packages for one graph besides its code."""

    key: GraphKey
    inputs: tuple[tuple[str, TensorType | str | None], ...]
    outputs: tuple[TensorType | str | None, ...]
    constants: tuple[Constant, ...]
    files: tuple[tuple[str, int], ...]
    """The number of files of each kind."""
    metadata: tuple[tuple[str, str], ...]
    """What the user's config adds."""
