"""What probes write down of generated code, and of what Triton compiles it to. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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
    """One Triton kernel in one configuration, compiled for the target by the Triton that is installed."""

    key: GraphKey
    kernel: str
    config: str
    """`XBLOCK=256 num_warps=4 num_stages=1`."""
    place: int
    """Which of the kernel's configurations it is, from 0, in the order in which they are offered."""
    compiler: str = ""
    """What compiled it: `Triton 3.7.1, ptxas 12.8 for sm90`."""
    symbol: str = ""
    """What the kernel is called in its texts."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """What each of Triton's stages printed, by its name: `ttir`, `ttgir`, `llir`, `ptx`; and the `sass`."""
    resources: Resources | None = None
    """None where it does not compile."""
    dropped: str = ""
    """Why torch would not launch it in this configuration, in words; empty where it would."""


@dataclass(frozen=True)
class Resources:
    """What one thread, or one block, of a compiled kernel takes of a multiprocessor."""

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
