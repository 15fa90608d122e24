"""What kernels move and compute, what graphs keep for backward, and what compiling them took."""

from __future__ import annotations

import msgspec

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
        return dict(self.numbers)["peak_memory"]


class Activation(msgspec.Struct, frozen=True):
    """A value of the forward graph that backward reads, or computes again."""

    kind: str
    """`saved`, `input` (the caller keeps it) or `recomputed`."""
    type: str
    """`f32[512, 4096]`."""
    nbytes: int
    """The cost of keeping it: views of one tensor count once, and an input is the caller's."""
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
        return sum(activation.nbytes for activation in self.activations if activation.kind == "saved")


class Work(msgspec.Struct, frozen=True):
    """The work of one phase of the compiler in a whole capture, all graphs together."""

    phase: str
    counts: Counts
    """How often the function for each kind of work was called: `nodes_made`, `patterns_tried` ..."""
    milliseconds: int | None = None
    """How long it took here and now, without nested phases; not compared."""
