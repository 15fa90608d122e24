"""What kernels move and compute, what graphs hold and keep, what ranks exchange, and what compiling took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from pytest_compile_golden.facts.graphs import GraphKey

Counts = tuple[tuple[str, int], ...]
"""Numbers by name, in order."""


class KernelCost(msgspec.Struct, frozen=True):
    """What one kernel, or one library call, has to move and compute."""

    kind: str
    """`pointwise`, `reduction`, `foreach`, `template`, `extern` ..."""
    numbers: Counts
    """`launches`; `read` and `written` in bytes, counting each element of a buffer once; and `flops`, unless it is a
    library call that has no formula."""
    operands: str = ""
    """The type that a matrix product multiplies, `bf16`; `tf32` if float32 is rounded to that. Else empty."""
    operators: tuple[str, ...] = ()
    """Operators of the post-grad graph that it computes; the text shortens them."""
    least_ns: int | None = None
    """The minimum time on the target, in nanoseconds; None if its rates are not known. Not compared."""
    bound: str = ""
    """What limits that time: `memory`, `compute` or `launch`."""

    def number(self, name: str) -> int | None:
        """One of its `numbers`; None if it is not known."""
        return dict(self.numbers).get(name)


class GraphCost(msgspec.Struct, frozen=True):
    """The costs of one graph's kernels, in the order in which they run."""

    name: str
    numbers: Counts
    """Sums over its kernels; `peak_memory`, the most bytes held at any one time by what the graph allocates and may
    free; and, for a forward graph, `saved`, the bytes that it computes and keeps for backward."""
    kernels: tuple[KernelCost, ...] = ()
    least_ns: int | None = None

    @property
    def peak_memory(self) -> int:
        """torch's own estimate, in bytes."""
        return dict(self.numbers)["peak_memory"]


class BufferLifetime(msgspec.Struct, frozen=True, array_like=True):
    """When a graph holds the memory of one buffer, or of an input that it may free, by `Liveness.steps`."""

    name: str
    made: int
    """Bytes that it adds before its first step; 0 for a part of a library call's result."""
    freed: int
    """Bytes that it gives back after its last step; 0 for a library call's result that consists of parts."""
    first: int
    last: int | None
    """None if it outlives the graph."""

    def at(self, step: int) -> int:
        """Its share of what is held while a step runs, in bytes; less than 0 for a part of what is held as a whole."""
        begun, ended = self.first <= step, self.last is not None and self.last < step
        return self.made * begun - self.freed * ended


class Liveness(msgspec.Struct, frozen=True, array_like=True, tag="liveness"):
    """What one graph holds while each of its kernels and calls runs, which its peak is the maximum of."""

    graph: str
    steps: tuple[str, ...]
    """The operations of each, whose names are joined with underscores, in the order in which they run."""
    buffers: tuple[BufferLifetime, ...]

    def total(self, step: int) -> int:
        """The bytes that are held while a step runs."""
        return sum(buffer.at(step) for buffer in self.buffers)

    @property
    def most(self) -> int:
        """The bytes that are held at most."""
        return max(map(self.total, range(len(self.steps))), default=0)


class KernelShares(msgspec.Struct, frozen=True, array_like=True, tag="shares"):
    """What one kernel moves of each buffer, and computes in each of its operations: its `KernelCost`, taken apart."""

    graph: str
    kernel: str
    """Its operations, whose names are joined with underscores."""
    moved: Counts
    """Bytes that it reads or writes of each buffer."""
    flops: Counts
    """By operation, without those of which it is not known."""
    counted: Counts = ()
    """torch's own number of bytes for each buffer of which that is another one."""


class Activation(msgspec.Struct, frozen=True):
    """A value of the forward graph that backward reads, or computes again."""

    kind: str
    """`saved`, `input` (the caller keeps it) or `recomputed`."""
    type: str
    """`f32[512, 4096]`."""
    nbytes: int
    """The cost of keeping it. The first of several views has that of the whole tensor, and an input is the caller's."""
    operator: str = ""
    """Empty for an input."""
    why: str = ""
    """The partitioner's reason: `minimum cut` if other values would have done and this one was cheapest; empty if
    something else split the graph."""
    comment: str = ""
    """Its name and the user's line; not compared."""


class Saved(msgspec.Struct, frozen=True):
    """What a forward graph keeps for backward, and what backward recomputes instead."""

    name: str
    """The graph's."""
    activations: tuple[Activation, ...]

    @property
    def nbytes(self) -> int:
        """Bytes of what it computed itself: its inputs exist in any case."""
        return sum(
            activation.nbytes
            for activation in self.activations
            if activation.kind == "saved"
        )


class Work(msgspec.Struct, frozen=True):
    """The work of one phase of the compiler in a whole capture, all graphs together."""

    phase: str
    counts: Counts
    """How often the function for each kind of work was called: `nodes_made`, `patterns_tried` ..."""
    milliseconds: int | None = None
    """How long it took here and now, without nested phases; not compared."""


class Collective(msgspec.Struct, frozen=True, tag=True):
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


class Communication(msgspec.Struct, frozen=True):
    """The collectives of one graph, or those called while no graph runs: `eager before graph_0_forward`."""

    name: str
    requested: Counts
    """How many there are of each kind; for a graph, before the post-grad passes, which may merge, split, fuse and drop
    some."""
    collectives: tuple[Collective, ...] = ()
    """In the order in which they start."""

    @property
    def kinds(self) -> list[str]:
        """The kind of each collective in the order of the calls, one for each call: `["all_reduce", "all_gather"]`."""
        return [collective.kind for collective in self.collectives]


@dataclass(frozen=True)
class BufferSize:
    """Bytes of one buffer of a graph."""

    made: int
    """When it is allocated: 0 for a part of a library call's result, and for a buffer that stands in for another."""
    freed: int
    """When it is freed: 0 for a library call's result that consists of parts."""


@dataclass(frozen=True)
class BufferSizes:
    """The sizes of one graph's buffers, however the wrapper uses them."""

    key: GraphKey
    made: Mapping[str, BufferSize]
    """For the graph's own buffers."""
    given: Mapping[str, int]
    """Bytes of the inputs that the graph may free: what was saved for it."""
