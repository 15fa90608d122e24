"""Printed metrics: TOML, one per line, with the reason for accepting a number; and which numbers changed."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.formats.format import Number
from pytest_compile_golden.formats.metrics.metric_table import (
    DIRECTIONS,
    GUARDED,
    LIMITS,
    MEASURED,
    NOT_COMPARED,
    UNITS,
)
from pytest_compile_golden.formats.outline import Outline

Verdict = Literal["REGRESSION", "WIN", "small", "changed"]
"""`small`: it has a better direction, but moved no further than such numbers do from release to release."""
LEAST = 0.01
"""The relative change from which on a measured number counts; docs/severity.md has what goldens say about it, and
`goldens/metric_history.py` what those of a project do."""


if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_REASON = re.compile(r"(?P<fact>[^#\"'\n]+?)\s+# (?P<reason>.*)")


@dataclass(frozen=True)
class MetricLine:
    """One metric."""

    name: str
    value: Number
    reason: str | None = None
    """Why it was accepted."""


LINES = Outline(MetricLine, r"{name:[\w.]+} = {value:json}<  # {reason:.*}>")
"""The metrics in the order of the file. What is JSON is TOML, as far as there are only numbers, texts and switches."""


def numbers(text: str) -> dict[str, Number] | None:
    """The numbers of any TOML file by name, with tables flattened to dotted names; None if it is not TOML."""
    try:
        found = dict(_flat("", tomllib.loads(text)))
    except (ValueError, RecursionError):
        # Also for a number of thousands of digits, or a thousand tables in each other.
        return None
    # TOML's integers have 64 bits; Python reads larger ones, which no float can hold.
    return (
        None
        if any(
            isinstance(number, int) and abs(number) >> 63 for number in found.values()
        )
        else found
    )


def carry_over(golden: str, text: str, unavailable: Collection[str]) -> str:
    """`text` plus the golden's lines for metrics that this torch version cannot show: neither changed nor lost."""
    missing = set(unavailable) - {_name(line) for line in split_lines(text)}
    if not missing:
        return text
    lines = [
        *split_lines(text),
        *(line for line in split_lines(golden) if _name(line) in missing),
    ]
    return "".join(f"{line}\n" for line in sorted(lines, key=_name))


def counted_as(other: str, text: str, names: Collection[str]) -> str:
    """`text` with the lines that `other` has for the metrics `names`."""
    lines = (line for line in split_lines(text) if _name(line) not in names)
    return carry_over(other, "".join(f"{line}\n" for line in lines), names)


def without_newer_parts(golden: str, text: str) -> str:
    """`text` without the metrics that `golden` does not have; all of it if `golden` has none of them.

    What is over its limit is kept: a golden without it says that it was not.
    """
    known = {_name(line) for line in split_lines(golden)}
    lines = [line for line in split_lines(text) if _name(line) in known]
    if not lines:
        return text
    lines = [
        line
        for line in split_lines(text)
        if _name(line) in known or _name(line) in LIMITS
    ]
    return "".join(f"{line}\n" for line in lines)


def with_notes(golden: str, text: str, reason: str | None = None) -> str:
    """`text` with the golden's reasons on unchanged lines, and `reason` on changed ones."""
    before = {}
    for line in split_lines(golden):
        match = _REASON.fullmatch(line)
        before[match["fact"] if match else line.rstrip()] = (
            match["reason"] if match else None
        )
    values = {_name(fact): fact.partition(" = ")[2] for fact in before}
    lines = []
    for line in split_lines(text):
        name, _, value = line.partition(" = ")
        if before.get(line):
            line = f"{line}  # {before[line]}"
        elif reason and value and line not in before and "#" not in line:
            was = f"was {values[name]}" if name in values else "new"
            line = f"{line}  # {was}: {_one_line(reason)}"
        lines.append(line)
    return "".join(f"{line}\n" for line in lines)


def _name(line: str) -> str:
    return line.partition(" = ")[0]


def _one_line(reason: str) -> str:
    return " ".join(
        "".join(char if char.isprintable() else " " for char in reason).split()
    )


def _flat(prefix: str, table: Mapping[str, object]) -> list[tuple[str, Number]]:
    flat: list[tuple[str, Number]] = []
    for key, value in table.items():
        if isinstance(value, dict):
            flat += _flat(f"{prefix}{key}.", value)
        else:
            flat.append(
                (
                    prefix + key,
                    value if isinstance(value, (int, float, str)) else str(value),
                )
            )
    return flat


@dataclass(frozen=True)
class MetricChange:
    """One metric that differs; `new` is None if only the golden has it."""

    name: str
    old: Number | None
    new: Number | None
    verdict: Verdict


def changes(
    old: Mapping[str, Number], new: Mapping[str, Number]
) -> tuple[MetricChange, ...]:
    """Every metric that differs, sorted by name. Metrics that the old side does not have are left out, unless they have
    a limit, which a side without them has not passed."""
    names = sorted({*old, *(name for name in new if limit_of(name) is not None)})
    sides = ((name, number_of(old, name), number_of(new, name)) for name in names)
    return tuple(
        MetricChange(name, before, after, verdict_of(name, before, after))
        for name, before, after in sides
        if before != after
    )


def limit_of(name: str) -> int | None:
    """What a metric is at most on a side that does not have it; None if nothing is known of it there.

    name: with that of its capture in front, if a case has several.
    """
    return LIMITS.get(name.rpartition(".")[2])


def number_of(numbers: Mapping[str, Number], name: str) -> Number | None:
    """A metric on one side: what it is there, or its limit; None if it has neither."""
    return numbers.get(name, limit_of(name))


def hardly_moves(
    name: str, old: Number | None, new: Number | None, least: float = LEAST
) -> bool:
    """Whether a measured number moves by less than `least`, relative to what it was.

    A count never does, nor does a number that passes its limit.
    """
    if old == limit_of(name) or new == limit_of(name):
        return False
    if (
        UNITS.get(name.rpartition(".")[2]) not in MEASURED
        or not isinstance(old, (int, float))
        or not isinstance(new, (int, float))
    ):
        return False
    return abs(new - old) < least * abs(old)


def verdict_of(
    name: str, old: Number | None, new: Number | None, least: float = LEAST
) -> Verdict:
    """`changed` for what has no better direction, for what only ranks changes, and for guards: what Dynamo checks
    before a compiled program runs stands apart from what it costs."""
    last = name.rpartition(".")[2]
    direction = (
        None if last in NOT_COMPARED or last in GUARDED else DIRECTIONS.get(name)
    )
    if (
        direction is None
        or not isinstance(old, (int, float))
        or not isinstance(new, (int, float))
    ):
        return "changed"
    if hardly_moves(name, old, new, least):
        return "small"
    better = new < old if direction == "lower" else new > old
    return "WIN" if better else "REGRESSION"
