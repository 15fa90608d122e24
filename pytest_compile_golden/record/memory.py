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
