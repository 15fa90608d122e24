"""What probes write down of the memory that graphs hold. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_compile_golden.record.graphs import GraphKey


@dataclass(frozen=True)
class BufferSize:
    """Bytes of one buffer of a graph."""

    made: int
    """When it is made: 0 of a part of what a library call gives, and of a buffer that stands for another."""
    freed: int
    """When it is freed: 0 of what a library call gives in parts."""


@dataclass(frozen=True)
class BufferSizes:
    """How large the buffers of one graph are, whatever the wrapper makes of them."""

    key: GraphKey
    made: Mapping[str, BufferSize]
    """Of the graph's own buffers."""
    given: Mapping[str, int]
    """Bytes of the inputs that are the graph's to free: what was saved for it."""


@dataclass(frozen=True)
class Activation:
    """A value of the forward graph that backward reads."""

    kind: str
    """`saved`, `input` (the caller keeps it) or `recomputed`."""
    operator: str
    type: str
    """`f32[512, 4096]`."""
    nbytes: int
    """What keeping it takes: views of one tensor count once, and an input is the caller's."""
    why: str
    """The partitioner's own reason; empty where something else split the graph."""
    name: str
    """The node's."""
    code: str | None = None
    """The user's line: `function: source`."""


@dataclass(frozen=True)
class Saved:
    """What a forward graph keeps for backward, and what backward computes again instead."""

    key: GraphKey
    activations: tuple[Activation, ...]

    @property
    def nbytes(self) -> int:
        """Of what it made itself: its inputs are there anyhow."""
        return sum(activation.nbytes for activation in self.activations if activation.kind == "saved")
