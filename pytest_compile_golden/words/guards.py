"""Rows for guards, and for where Dynamo stops."""

from __future__ import annotations

from pytest_compile_golden.changes.guards import (
    CheckListed,
    CheckReplaced,
    GlobalStateGuarded,
    GlobalStateListed,
    GuardsChanged,
    GuardsReordered,
    MarksGuarded,
    SizesListed,
    StopReworded,
    StopsChanged,
)
from pytest_compile_golden.words.table import say

_MOST_ATTRIBUTES = 4
_SUBJECTS = {"sizes": "guards on sizes and strides", "objects": "guards on objects of modules"}


def _guards(change: GuardsChanged) -> str | tuple[str, str]:
    sign = "+" if change.new else "-"
    if change.attributes:
        several = "guard" if len(change.attributes) == 1 else "guards"
        title = f"{sign} {len(change.attributes)} {'new ' if change.new else ''}hasattr {several} for each input"
        return title, ", ".join(change.attributes[:_MOST_ATTRIBUTES])
    more = f" (and {len(change.guards) - 1} more)" if len(change.guards) > 1 else ""
    guards = f"{change.guards[0]}{more}"
    return (f"{sign} {_SUBJECTS[change.subject]}", guards) if change.subject else f"{sign} {guards}"


def _check(change: CheckReplaced) -> str:
    if change.accesses is not None:
        return f"guard {change.after} is {change.accesses[1]} accesses away, was {change.accesses[0]}"
    if change.conditions is not None:
        return f"guard {change.after} has {change.conditions[1]} conditions, had {change.conditions[0]}"
    return f"guard {change.before} is {change.after}"


def _reworded(change: StopReworded) -> tuple[str, str] | str:
    if not change.after:
        return f"the same {change.noun}, reworded"
    return f"the same {change.noun}, reported as", f"{change.after}, previously as: {change.before}"


say(GlobalStateGuarded, lambda change: f"guard on global state compares a different {change.field}")
say(
    GlobalStateListed,
    lambda change: f"guard on global state {'has a new field' if change.new else 'lacks'} {change.field}",
)
say(
    MarksGuarded,
    lambda change: (
        f"Dynamo's own marks on tensors are {'guarded now' if change.new else 'no longer guarded'}",
        ", ".join(change.marks[:_MOST_ATTRIBUTES]),
    ),
)
say(
    SizesListed,
    lambda change: (
        "guards on sizes and strides are "
        + ("now listed and were checked before" if change.listed else "no longer listed but still checked"),
        change.guard,
    ),
)
say(GuardsChanged, _guards)
say(GuardsReordered, lambda _: "guards in a different order")
say(CheckReplaced, _check)
say(CheckListed, lambda change: f"{'+' if change.new else '-'} guard {change.check}")
say(
    StopsChanged,
    lambda change: (
        f"new {change.noun}" if change.new else f"{change.noun} gone",
        f"{change.reason}, at `{change.at}`",
    ),
)
say(StopReworded, _reworded)
