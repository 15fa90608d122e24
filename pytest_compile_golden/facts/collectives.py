"""What ranks exchange."""

from __future__ import annotations

import msgspec

from pytest_compile_golden.facts.costs import Counts


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
        return [collective.kind for collective in self.collectives]
