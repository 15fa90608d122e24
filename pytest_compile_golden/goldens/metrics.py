"""Metrics against their golden: which number changed, and whether for better or worse."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from pytest_compile_golden.lines import split_lines

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Number = int | float | str | bool
Verdict = Literal["REGRESSION", "WIN", "changed"]


@dataclass(frozen=True)
class MetricChange:
    """One metric that differs; `old` or `new` is None where only one side has it."""

    name: str
    old: Number | None
    new: Number | None
    verdict: Verdict


def read(text: str) -> dict[str, Number] | None:
    """The numbers in a metrics file, tables flattened to dotted names; None where it is not TOML."""
    try:
        return dict(_flat("", tomllib.loads(text)))
    except tomllib.TOMLDecodeError:
        return None


def with_unseen(golden: str, text: str, unseen: Collection[str]) -> str:
    """`text` with the lines of `golden` for metrics that this torch cannot show: neither a change nor to be lost."""
    missing = set(unseen) - {_name(line) for line in split_lines(text)}
    if not missing:
        return text
    lines = [*split_lines(text), *(line for line in split_lines(golden) if _name(line) in missing)]
    return "".join(f"{line}\n" for line in sorted(lines, key=_name))


def _name(line: str) -> str:
    return line.partition(" = ")[0]


def changes(old: Mapping[str, Number], new: Mapping[str, Number]) -> tuple[MetricChange, ...]:
    """Every metric that differs, by name."""
    directions = _directions()
    names = [name for name in sorted({*old, *new}) if old.get(name) != new.get(name)]
    return tuple(
        MetricChange(name, old.get(name), new.get(name), _verdict(old.get(name), new.get(name), directions.get(name)))
        for name in names
    )


def _verdict(old: Number | None, new: Number | None, direction: str | None) -> Verdict:
    if direction is None or not isinstance(old, (int, float)) or not isinstance(new, (int, float)):
        return "changed"
    better = new < old if direction == "lower" else new > old
    return "WIN" if better else "REGRESSION"


def _directions() -> Mapping[str, str | None]:
    """Which direction is better, as the metrics stage declares it."""
    try:
        from pytest_compile_golden.stages import metrics
    except ImportError:
        return {}
    directions: Mapping[str, str | None] = getattr(metrics, "DIRECTIONS", {})
    return directions


def _flat(prefix: str, table: Mapping[str, object]) -> list[tuple[str, Number]]:
    found: list[tuple[str, Number]] = []
    for key, value in table.items():
        if isinstance(value, dict):
            found += _flat(f"{prefix}{key}.", value)
        else:
            found.append((prefix + key, value if isinstance(value, (int, float, str)) else str(value)))
    return found
