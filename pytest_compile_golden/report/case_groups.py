"""Cases that came out alike, as one entry: a person reads forty equal changes once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pytest_compile_golden.formats.labels import placeless
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.report.lines import placed
from pytest_compile_golden.report.model import CaseGroup, CaseReport, Outcome


def grouped(cases: Iterable[CaseReport]) -> tuple[CaseGroup, ...]:
    """A group for each distinct change, errors and the largest groups first."""
    found: dict[tuple[str, ...], CaseGroup] = {}
    members: dict[tuple[str, ...], list[str]] = {}
    for case in cases:
        group = _group(case)
        if group is not None:
            its = _key(group)
            found.setdefault(its, group)
            members.setdefault(its, []).append(case.nodeid)
    groups = [replace(each, members=tuple(members[its])) for its, each in found.items()]
    order: tuple[Outcome, ...] = ("error", "changed", "missing", "new")
    return tuple(sorted(groups, key=lambda each: (order.index(each.outcome), -len(each.members))))


def key(case: CaseReport) -> tuple[str, ...] | None:
    """Equal for cases of one group; None for a case that is as before."""
    group = _group(case)
    return None if group is None else _key(group)


def _key(group: CaseGroup) -> tuple[str, ...]:
    also = (group.also or "").partition(": ")[0]
    return (group.outcome, group.text, group.stage, group.where or "", also, *sorted(map(placeless, group.edits)))


def _group(case: CaseReport) -> CaseGroup | None:
    if case.outcome == "error":
        return CaseGroup("error", next(iter(split_lines(case.error or "")), "failed"))
    if case.outcome == "new":
        return CaseGroup("new", "no golden yet")
    if case.outcome == "missing":
        return CaseGroup("missing", "does not exist any more")
    first = case.divergence
    if case.outcome != "changed" or first is None:
        return None
    # How many nodes a pass found and left depends on the case, and makes no distinct change.
    point, _, what = first.text.partition(": ")
    edits = next((each.edits for each in case.stages if each.stage == first.stage), ())
    if first.stage == "trail":
        # Its text is digests, which are equal for no two cases; what it says of the first step is all there is.
        edits = (what,) if what else ()
    also = None if first.also is None else placed(first.also, first.also_where)
    return CaseGroup("changed", point, first.stage, first.where, also, edits)
