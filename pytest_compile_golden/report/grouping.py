"""Cases that came out alike, as one entry: a person reads forty equal changes once."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.report.model import CaseReport, Group, Outcome

_DEVICE = re.compile(r"\s*\b(?:cpu|cuda)\b(?:: ?\d+)?")
_SHAPE = re.compile(r"\[[\d, #]*\]")


def grouped(cases: Iterable[CaseReport]) -> tuple[Group, ...]:
    """A group for each way in which cases are not as before, errors and the largest groups first."""
    found: dict[tuple[object, ...], Group] = {}
    members: dict[tuple[object, ...], list[str]] = {}
    for case in cases:
        group = _group(case)
        if group is not None:
            key = (group.outcome, group.text, group.stage, group.where, *sorted(map(_placeless, group.edits)))
            found.setdefault(key, group)
            members.setdefault(key, []).append(case.nodeid)
    groups = [
        Group(each.outcome, each.text, each.stage, each.where, each.edits, tuple(members[key]))
        for key, each in found.items()
    ]
    order: tuple[Outcome, ...] = ("error", "changed", "missing", "new")
    return tuple(sorted(groups, key=lambda each: (order.index(each.outcome), -len(each.members))))


def _placeless(edit: str) -> str:
    """An edit without the shapes and the device of the case that it is from."""
    return _SHAPE.sub("[]", _DEVICE.sub("", edit))


def _group(case: CaseReport) -> Group | None:
    if case.outcome == "error":
        return Group("error", next(iter(split_lines(case.error or "")), "failed"))
    if case.outcome == "new":
        return Group("new", "no golden yet")
    if case.outcome == "missing":
        return Group("missing", "does not exist any more")
    first = case.divergence
    if case.outcome != "changed" or first is None:
        return None
    # How many nodes a pass found and left depends on the case, and is no other way to change.
    point, _, what = first.text.partition(": ")
    edits = next((each.edits for each in case.stages if each.stage == first.stage), ())
    if first.stage == "trail":
        # Its text is digests, which are equal for no two cases; what it says of the first step is all there is.
        edits = (what,) if what else ()
    return Group("changed", point, first.stage, first.where, edits)
