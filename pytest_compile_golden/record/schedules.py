"""What probes record of what a pass changed. Imports no torch."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_compile_golden.facts.schedules import Schedule
from pytest_compile_golden.record.graphs import Graph, GraphKey


@dataclass(frozen=True)
class PassDiff:
    """What one pass worked on, before and after it; only for passes that changed it."""

    key: GraphKey
    phase: str
    name: str
    before: Graph | Schedule
    after: Graph | Schedule
