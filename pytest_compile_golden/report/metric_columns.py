"""Metric changes as aligned columns."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_compile_golden.formats.format import Number
from pytest_compile_golden.formats.metrics.metric_table import UNITS
from pytest_compile_golden.formats.metrics.printed import MetricChange
from pytest_compile_golden.goldens.ranking import Cost, MovedNumber, whole
from pytest_compile_golden.report.model import MetricReport
from pytest_compile_golden.report.styled_lines import Line, printable

_STYLES = {"REGRESSION": "bad", "WIN": "good"}


def table(changes: Sequence[MetricChange | MetricReport | MovedNumber]) -> list[Line]:
    """One line per metric: its name, what it does, and the verdict."""
    values = [movement(change) for change in changes]
    names = max((len(change.name) for change in changes), default=0)
    width = max((len(value) for value in values), default=0)
    lines: list[Line] = []
    for change, value in zip(changes, values, strict=True):
        verdict = "neutral" if change.verdict == "changed" else change.verdict
        lines.append(
            (
                _STYLES.get(change.verdict, ""),
                f"{printable(change.name):{names}}  {value:{width}}  {verdict}",
            )
        )
    return lines


def movement(change: MetricChange | MetricReport | MovedNumber | Cost) -> str:
    """Old -> new, and by how much of the old; of what is moved by other changes, too, only the part: `+64 B of 2.0 KiB
    (+3.1 %)`, since the new value is not what comes of this change alone."""
    if isinstance(change, (MovedNumber, Cost)):
        old, new = whole(change.old), whole(change.new)
        if not change.whole:
            part = difference(change.name, new - old)
            return f"{part} of {shown(change.name, old)}{share(change)}"
        return step(change.name, old, new) + share(change)
    return step(change.name, change.old, change.new) + share(change)


def share(change: MetricChange | MetricReport | MovedNumber | Cost) -> str:
    """By how much a quantity went up or down, ` (+50 %)`; empty for a count, which says it itself."""
    old, new = change.old, change.new
    if (
        scale(change.name) is None
        or not isinstance(old, (int, float))
        or not isinstance(new, (int, float))
        or not old
    ):
        return ""
    percent = 100 * (new - old) / old
    return f" ({percent:+.2g} %)" if abs(percent) < 99.5 else f" ({percent:+.0f} %)"


def step(name: str, old: Number | None, new: Number | None) -> str:
    """The number before and after, `2 -> 3`, with as many digits as it takes to tell the two apart."""
    for digits in range(1, _MOST_DIGITS):
        before, after = (shown(name, value, digits) for value in (old, new))
        if before != after:
            break
    return f"{before} -> {after}"


def shown(name: str, value: Number | None, digits: int = 1) -> str:
    """A human-readable number: bytes, operations and times in a suitable unit."""
    if value is None:
        return "none"
    steps = scale(name)
    if steps is None or not isinstance(value, (int, float)) or isinstance(value, bool):
        return printable(str(value))
    base, units = steps
    count, unit = float(value), 0
    while abs(count) >= base and unit < len(units) - 1:
        count, unit = count / base, unit + 1
    return f"{count:.{digits}f} {units[unit]}" if unit else f"{count:g} {units[unit]}"


def difference(name: str, value: float) -> str:
    """How much a number went up or down, with its sign."""
    number = int(value) if value == int(value) else value
    return f"{'+' if value > 0 else '-'}{shown(name, abs(number))}"


def scale(name: str) -> tuple[int, tuple[str, ...]] | None:
    """How many of one unit make the next, and a metric's units, smallest first; None for a count."""
    # With several artifacts in a case, `decode.flops`.
    unit = UNITS.get(name.rpartition(".")[2], "bytes" if "bytes" in name else "")
    return _SCALES.get(unit)


_MOST_DIGITS = 10
_SCALES = {
    "bytes": (1024, ("B", "KiB", "MiB", "GiB")),
    "FLOP": (1000, ("FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP")),
    "ns": (1000, ("ns", "us", "ms", "s")),
}
