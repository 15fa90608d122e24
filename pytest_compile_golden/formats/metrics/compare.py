"""Compares metrics with their golden: which numbers changed, and whether for better or worse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pytest_compile_golden.formats.format import Number
from pytest_compile_golden.formats.metrics.table import DIRECTIONS, NOT_COMPARED

Verdict = Literal["REGRESSION", "WIN", "changed"]


@dataclass(frozen=True)
class MetricChange:
    """One metric that differs; `new` is None if only the golden has it."""

    name: str
    old: Number | None
    new: Number | None
    verdict: Verdict


def changes(old: Mapping[str, Number], new: Mapping[str, Number]) -> tuple[MetricChange, ...]:
    """Every metric that differs, sorted by name. Metrics that the old side does not have are left out."""
    names = [name for name in sorted(old) if old[name] != new.get(name)]
    return tuple(
        MetricChange(name, old.get(name), new.get(name), _verdict(old.get(name), new.get(name), _direction(name)))
        for name in names
    )


def _direction(name: str) -> str | None:
    """The better direction of a metric; also None for one that only ranks changes and gets no verdict."""
    return None if name.rpartition(".")[2] in NOT_COMPARED else DIRECTIONS.get(name)


def _verdict(old: Number | None, new: Number | None, direction: str | None) -> Verdict:
    if direction is None or not isinstance(old, (int, float)) or not isinstance(new, (int, float)):
        return "changed"
    better = new < old if direction == "lower" else new > old
    return "WIN" if better else "REGRESSION"
