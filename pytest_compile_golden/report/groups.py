"""A group of identical changes, for people: what changed, one diff, and the list of cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_compile_golden.formats.edits import with_comments_of
from pytest_compile_golden.goldens.change_groups import ChangeGroup
from pytest_compile_golden.goldens.compare import SAME_MACHINE_CODE, Compared
from pytest_compile_golden.report.counts import count
from pytest_compile_golden.report.lines import Line, placed, printable
from pytest_compile_golden.report.metrics import table
from pytest_compile_golden.report.texts import aligned, diff
from pytest_compile_golden.words.sentences import as_example, sentence

_CASES = 12
_EDITS = 8
_DIFF_LINES = 30
_WIDEST = 200


def render(
    title: str,
    group: ChangeGroup[Any],
    members: Sequence[tuple[str, Compared]],
    *,
    full: bool = False,
    shown: int = 0,
) -> list[Line]:
    """`members` are the cases' names with their changes; `shown` is the index of the case whose diff is shown."""
    lines: list[Line] = [("title", title)]
    listed = group.changes if full else group.changes[:_EDITS]
    for entry in listed:
        lines.append(
            (
                "",
                f"  {printable(placed((as_example if entry.example else sentence)(entry.what), entry.where))}"[
                    :_WIDEST
                ],
            )
        )
    if len(listed) < len(group.changes):
        lines.append(("dim", f"  ... {count(len(group.changes) - len(listed), 'more edit')}"))
    lines += _cases(members, full, group.kind)
    named: dict[str, list[Compared]] = {}
    for name, change in members:
        named.setdefault(name, []).append(change)
    name = list(named)[shown % len(named)]
    changes_of_case = named[name]
    change = next(
        (e for e in changes_of_case if e.stage == group.stage),
        next((e for e in changes_of_case if _readable(e)), changes_of_case[0]),
    )
    same = sum(any(entry.depth == SAME_MACHINE_CODE for entry in changes) for changes in named.values())
    if same:
        lines.append(("dim", f"  {SAME_MACHINE_CODE} in {count(same, 'case')}"))
    if change.kind in ("structural", "cosmetic") or (full and change.kind != "metric"):
        depth = f" ({change.depth})" if change.depth else ""
        lines.append(("title", f"  {printable(name)}  {change.path.name}{depth}"))
        old, new = _texts(change, whole=full or change.kind != "structural")
        changed = diff(old, new, limit=None if full else _DIFF_LINES)
        lines += [(style, f"    {text}") for style, text in changed]
    return lines


def _readable(change: Compared) -> bool:
    """Whether its text alone says what changed."""
    return change.kind == "structural" and not change.declared.spans


def _texts(change: Compared, *, whole: bool) -> tuple[str, str]:
    """The texts to show: as written, or without what differs cosmetically."""
    old, new = change.old, change.new
    if whole or not (old and new):
        return old, new
    return aligned(change.stage, old, new) or (
        old,
        with_comments_of(old, new, "//" if change.path.suffix == ".cpp" else "#"),
    )


def _cases(members: Sequence[tuple[str, Compared]], full: bool, kind: str) -> list[Line]:
    lines: list[Line] = []
    changes: dict[str, list[Compared]] = {}
    for name, change in members:
        changes.setdefault(name, []).append(change)
    listed = list(changes.items()) if full else list(changes.items())[:_CASES]
    lines.append(("", f"  in {count(len(changes), 'case')}:"))
    for name, case_changes in listed:
        stages = f"  ({', '.join(dict.fromkeys(change.stage for change in case_changes))})" if kind == "new" else ""
        lines.append(("", f"    {printable(name)}{stages}"))
        # Metrics are grouped by direction only, so each case shows its own numbers.
        lines += [(style, f"      {row}") for change in case_changes for style, row in table(change.metrics)]
    if len(listed) < len(changes):
        lines.append(("dim", f"    ... {count(len(changes) - len(listed), 'more case')}"))
    return lines
