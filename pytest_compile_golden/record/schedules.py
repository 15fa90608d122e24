"""What probes record of the cost of kernels, of collectives and of what a pass changed. Imports no torch."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_compile_golden.facts.schedules import Schedule
from pytest_compile_golden.record.graphs import Graph, GraphKey


@dataclass(frozen=True)
class KernelCost:
    """What one kernel, or one library call, has to move and compute."""

    kind: str
    """`pointwise`, `reduction`, `foreach`, `template`, `extern` ..."""
    operators: tuple[str, ...]
    """Operators of the post-grad graph that it computes."""
    read: int
    """Bytes, counting each element of a buffer once."""
    written: int
    flops: int | None
    """None for a library call that has no formula."""
    operands: str = ""
    """The type that a matrix product multiplies, `bf16`; `tf32` if float32 is rounded to that. Else empty."""
    launches: int = 1
    least_ns: int | None = None
    """The minimum time on the target, in nanoseconds; None if its rates are not known."""
    bound: str = ""
    """What limits that time: `memory`, `compute` or `launch`."""


@dataclass(frozen=True)
class GraphCost:
    """The costs of one graph's kernels, in the order in which they run."""

    key: GraphKey
    kernels: tuple[KernelCost, ...]
    peak_memory: int
    """The most bytes held at any one time by what the graph allocates and may free."""


@dataclass(frozen=True)
class Collective:
    """One call in which ranks exchange tensors, as scheduled."""

    kind: str
    """`all_reduce`, `all_gather` ..., or the fused kernel of a collective and a matmul."""
    group: str
    """The ranks that take part, `0-7`."""
    dtype: str
    nbytes: int
    """Bytes of the whole message: the output of an all-gather, the input of a reduce-scatter."""
    sent: int
    """Bytes that this rank has to send if the ranks form a ring, which is the minimum."""
    reduction: str = ""
    """`sum`, `avg` ...; empty if nothing is reduced."""
    overlaps: tuple[str, ...] = ()
    """What is computed between its start and the wait for it."""
    fused: bool = False
    """Whether it is one kernel with a matmul, and overlaps that."""


@dataclass(frozen=True)
class Communication:
    """The collectives of one graph, in the order in which they start."""

    key: GraphKey
    requested: tuple[str, ...]
    """The kinds of collectives in the graph before the post-grad passes, which may merge, split, fuse and drop some."""
    collectives: tuple[Collective, ...]


@dataclass(frozen=True)
class PassDiff:
    """What one pass worked on, before and after it; only for passes that changed it."""

    key: GraphKey
    phase: str
    name: str
    before: Graph | Schedule
    after: Graph | Schedule
