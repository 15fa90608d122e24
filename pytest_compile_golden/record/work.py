"""What probes write down of the work that compiling is. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Work:
    """What one phase of the compiler did in a whole capture, all graphs together."""

    phase: str
    counts: Mapping[str, int]
    """How often each function was called that stands for a kind of work: `nodes_made`, `patterns_tried` ..."""
    seconds: float
    """That it took here and now, without the phases inside of it."""
