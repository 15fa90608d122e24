"""What probes write down of Inductor's scheduler, of what it groups and what its kernels cost. Imports no torch."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_compile_golden.record.code import Author
from pytest_compile_golden.record.graphs import Graph, GraphKey


@dataclass(frozen=True)
class SchedulerNode:
    """One Inductor operation: a loop nest, a reduction, an extern kernel ..."""

    name: str
    kind: str
    outputs: tuple[str, ...]
    """Buffers with their layout, as text."""
    computes: tuple[tuple[str, int], ...]
    """Operators of the post-grad graph with how often each: not node names, which mean nothing between versions."""
    operators: tuple[str, ...]
    """These operators, those they were decomposed from, and the user's calls behind them."""
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    body: tuple[str, ...] = ()
    """Loop body, one line each."""


@dataclass(frozen=True)
class FusionGroup:
    """What became one kernel (or one call)."""

    name: str
    kind: str
    nodes: tuple[SchedulerNode, ...]


@dataclass(frozen=True)
class Schedule:
    """The scheduler's nodes at one moment."""

    key: GraphKey
    groups: tuple[FusionGroup, ...]


@dataclass(frozen=True)
class NotFused:
    """A candidate pair and the scheduler's own reason against it."""

    key: GraphKey
    first: str
    second: str
    reason: str
    author: Author | None = None
    """The function that refused."""


@dataclass(frozen=True)
class Autotuned:
    """One choice among kernels for an operator, made by timing or, on a virtual target, by policy."""

    key: GraphKey
    operator: str
    chosen: str
    candidates: int


@dataclass(frozen=True)
class KernelCost:
    """What one kernel, or one call of a library, has to move and to compute."""

    kind: str
    """`pointwise`, `reduction`, `foreach`, `template`, `extern` ..."""
    operators: tuple[str, ...]
    """Operators of the post-grad graph that it computes."""
    read: int
    """Bytes, each element of a buffer once."""
    written: int
    flops: int | None
    """None of a library call for which nobody has a formula."""
    operands: str = ""
    """The type that a matrix product multiplies, `bf16`; `tf32` where float32 is rounded to that. Else empty."""
    launches: int = 1
    least_ns: int | None = None
    """What the target needs at least, nanoseconds; None where its rates are not known."""
    bound: str = ""
    """What that is the time of: `memory`, `compute` or `launch`."""


@dataclass(frozen=True)
class GraphCost:
    """What the kernels of one graph cost, in the order in which they run."""

    key: GraphKey
    kernels: tuple[KernelCost, ...]
    peak_memory: int
    """Bytes that what the graph makes and may free holds at most at any one time."""


@dataclass(frozen=True)
class Collective:
    """One call by which ranks exchange tensors, as it is scheduled."""

    kind: str
    """`all_reduce`, `all_gather` ..., or the fused kernel of a collective and a matmul."""
    reduction: str
    """`sum`, `avg` ...; empty where nothing is reduced."""
    group: str
    """The ranks that take part, `0-7`."""
    dtype: str
    nbytes: int
    """Of the whole message: what an all-gather makes, what a reduce-scatter is given."""
    sent: int
    """Bytes that this rank has to send where the ranks stand in a ring, the least that there is."""
    overlaps: tuple[str, ...] | None
    """What is computed between its start and the wait for it; None where it computes itself what it overlaps."""


@dataclass(frozen=True)
class Communication:
    """The collectives of one graph, in the order in which they start."""

    key: GraphKey
    asked_for: tuple[str, ...]
    """The kinds of those in the graph before the post-grad passes, which may merge, split, fuse and drop some."""
    collectives: tuple[Collective, ...]


@dataclass(frozen=True)
class PassDiff:
    """What one pass worked on before and after it; only of passes that changed it."""

    key: GraphKey
    phase: str
    name: str
    before: Graph | Schedule
    after: Graph | Schedule
