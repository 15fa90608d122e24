"""A group of identical changes as a person reads it: what changed, one diff, and the list of cases."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_compile_golden.formats.edits import with_comments_of
from pytest_compile_golden.goldens.change_groups import DistinctChange
from pytest_compile_golden.goldens.compare import Change
from pytest_compile_golden.report.counts import count
from pytest_compile_golden.report.diff import diff
from pytest_compile_golden.report.lines import Line, printable
from pytest_compile_golden.report.metrics import table
from pytest_compile_golden.report.texts import aligned

_CASES = 12
_EDITS = 8
_DIFF_LINES = 30


def render(
    title: str, distinct: DistinctChange, members: Sequence[tuple[str, Change]], *, full: bool = False, shown: int = 0
) -> list[Line]:
    """`members` are the cases' names with their changes; the diff is that of number `shown`."""
    lines: list[Line] = [("title", title)]
    edits = distinct.edits if full else distinct.edits[:_EDITS]
    lines += [("", f"  {printable(edit)}"[:200]) for edit in edits]
    if len(edits) < len(distinct.edits):
        lines.append(("dim", f"  ... {count(len(distinct.edits) - len(edits), 'more edit')}"))
    lines += _cases(members, full, distinct.kind)
    name, change = members[shown]
    if distinct.kind in ("structural", "cosmetic") or (full and distinct.kind != "metric"):
        depth = f" ({change.depth})" if change.depth else ""
        lines.append(("title", f"  {printable(name)}  {change.path.name}{depth}"))
        old, new = _texts(change, whole=full or distinct.kind != "structural")
        changed = diff(old, new, limit=None if full else _DIFF_LINES)
        lines += [(style, f"    {text}") for style, text in changed]
    return lines


def _texts(change: Change, *, whole: bool) -> tuple[str, str]:
    """The texts to show: as written, or without what differs cosmetically."""
    old, new = change.golden_text, change.actual_text
    if whole:
        return old, new
    return aligned(change.stage, old, new) or (
        old,
        with_comments_of(old, new, "//" if change.path.suffix == ".cpp" else "#"),
    )


def _cases(members: Sequence[tuple[str, Change]], full: bool, kind: str) -> list[Line]:
    lines: list[Line] = []
    changes: dict[str, list[Change]] = {}
    for name, change in members:
        changes.setdefault(name, []).append(change)
    listed = list(changes.items()) if full else list(changes.items())[:_CASES]
    lines.append(("", f"  in {count(len(changes), 'case')}:"))
    for name, its in listed:
        stages = f"  ({', '.join(dict.fromkeys(each.stage for each in its))})" if kind == "new" else ""
        lines.append(("", f"    {printable(name)}{stages}"))
        # Metrics are grouped by direction: how far each went is part of the verdict.
        lines += [(style, f"      {row}") for each in its for style, row in table(each.metrics)]
    if len(listed) < len(changes):
        lines.append(("dim", f"    ... {count(len(changes) - len(listed), 'more case')}"))
    return lines
