"""What probes record of the work done by the compiler. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Work:
    """The work of one phase of the compiler in a whole capture, all graphs together."""

    phase: str
    counts: Mapping[str, int]
    """How often the function for each kind of work was called: `nodes_made`, `patterns_tried` ..."""
    seconds: float
    """How long it took here and now, without nested phases."""
