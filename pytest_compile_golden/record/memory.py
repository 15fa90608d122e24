"""What probes record of the memory that graphs hold. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_compile_golden.record.graphs import GraphKey


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


@dataclass(frozen=True)
class Activation:
    """A value of the forward graph that backward reads."""

    kind: str
    """`saved`, `input` (the caller keeps it) or `recomputed`."""
    operator: str
    type: str
    """`f32[512, 4096]`."""
    nbytes: int
    """The cost of keeping it: views of one tensor count once, and an input is the caller's."""
    why: str
    """The partitioner's own reason; empty if something else split the graph."""
    name: str
    """The node's name."""
    code: str | None = None
    """The user's line: `function: source`."""


@dataclass(frozen=True)
class Saved:
    """What a forward graph keeps for backward, and what backward recomputes instead."""

    key: GraphKey
    activations: tuple[Activation, ...]

    @property
    def nbytes(self) -> int:
        """Bytes of what it computed itself: its inputs exist in any case."""
        return sum(activation.nbytes for activation in self.activations if activation.kind == "saved")
