"""Metric changes as aligned columns."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_compile_golden.formats.format import Number
from pytest_compile_golden.formats.metrics.compare import MetricChange
from pytest_compile_golden.report.lines import Line, printable
from pytest_compile_golden.report.model import MetricReport

_STYLES = {"REGRESSION": "bad", "WIN": "good"}


def table(changes: Sequence[MetricChange | MetricReport]) -> list[Line]:
    """One line a metric: its name, old -> new, and the verdict."""
    values = [f"{shown(each.name, each.old)} -> {shown(each.name, each.new)}" for each in changes]
    names = max((len(each.name) for each in changes), default=0)
    width = max((len(value) for value in values), default=0)
    return [
        (_STYLES.get(each.verdict, ""), f"{printable(each.name):{names}}  {value:{width}}  {each.verdict}")
        for each, value in zip(changes, values, strict=True)
    ]


def shown(name: str, value: Number | None) -> str:
    """A number as people read it: bytes in a unit that fits."""
    if value is None:
        return "none"
    if "bytes" in name and isinstance(value, (int, float)) and not isinstance(value, bool):
        return _bytes(value)
    return printable(str(value))


def difference(name: str, value: float) -> str:
    """By how much a number went up or down, with its sign."""
    whole = int(value) if value == int(value) else value
    return f"{'+' if value > 0 else '-'}{shown(name, abs(whole))}"


def _bytes(count: float) -> str:
    for unit in ("B", "KiB", "MiB"):
        if abs(count) < 1024:
            return f"{count:g} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} GiB"
