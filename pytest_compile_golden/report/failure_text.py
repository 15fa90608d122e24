"""A changed case, for people: where it diverged, what followed, metrics, a short diff, how to accept it.

And what several cases share: what changed, one diff, and the list of cases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_compile_golden.common.quantity import listed, quantity
from pytest_compile_golden.formats.line_edits import with_comments_of
from pytest_compile_golden.formats.trail import TrailFormat
from pytest_compile_golden.goldens import evidence_file
from pytest_compile_golden.goldens.change_groups import ChangeGroup
from pytest_compile_golden.goldens.compare_artifact import SAME_MACHINE_CODE, Compared
from pytest_compile_golden.messages.sentences import as_example, sentence
from pytest_compile_golden.report.case_groups import same_machine_code
from pytest_compile_golden.report.metric_columns import table
from pytest_compile_golden.report.model import CaseReport, StageReport
from pytest_compile_golden.report.styled_lines import Line, cut, placed, printable
from pytest_compile_golden.report.text_diff import aligned, diff, to_compare
from pytest_compile_golden.stages import stage_of

_DIFF_LINES = 24
_CASES = 12
_EDITS = 8
_ACCESSES = 2
_GROUP_LINES = 30
_WIDEST = 200


@dataclass(frozen=True)
class Failure:
    """A changed case, and where it changed."""

    case: CaseReport
    torch: str | None
    ci: bool = False
    before: str = "golden since"
    """How to introduce the torch version of the old side."""


def headline(failure: Failure) -> str:
    """The line for pytest's short summary."""
    case = failure.case
    if case.divergence is not None:
        return case.divergence.text  # summaries are cut off after a few words
    return f"missing golden{' in CI' if failure.ci else ''}: {', '.join(_names(_new(case)))}"


def render(failure: Failure, verbosity: int = 0) -> list[Line]:
    """The whole report. `verbosity` 1 shows the diff of every stage, 2 shows the diffs in full."""
    case = failure.case
    lines = [_title(failure), *_causes(case)]
    if _new(case):
        label = "missing in CI" if failure.ci else "missing"
        lines.append(
            ("", _entry(label, f"no golden yet for {', '.join(_names(_new(case)))}"))
        )
    if case.moved_from is not None and case.move is not None:
        lines += [
            ("", _entry("looks moved from", printable(case.moved_from))),
            ("", _entry("move", case.move)),
        ]
    lines += _details(case, verbosity)
    if case.accept is not None:
        lines.append(("", _entry("accept", case.accept)))
    return lines


def render_unchecked(case: CaseReport, verbosity: int = 0) -> list[Line]:
    """How a test that failed for another reason, such as an invariant, differs from its goldens."""
    return [*_causes(case), *_details(case, verbosity)]


def _causes(case: CaseReport) -> list[Line]:
    first = case.divergence
    if first is None:
        return []
    lines = [("", _entry("first divergence", placed(first.text, first.where)))]
    if first.also is not None:
        lines.append(
            ("", _entry("also (unrelated)", placed(first.also, first.also_where)))
        )
    if first.then:
        lines.append(("", _entry("then", ", ".join(first.then))))
    undone = {stage.stage: stage.again for stage in case.stages if stage.again}
    if undone:
        said = ", ".join(
            f"{stage} is as on {torch} again" for stage, torch in undone.items()
        )
        lines.append(("", _entry("undone", said)))
    if case.why:
        lines.append(
            (
                "",
                _entry(
                    "verdict",
                    ": ".join(
                        filter(None, (case.why, listed(case.uncoalesced, _ACCESSES)))
                    ),
                ),
            )
        )
    if same_machine_code(case):
        lines.append(
            (
                "",
                _entry(
                    "machine code",
                    f"the same as before, instruction by instruction, on {case.target}",
                ),
            )
        )
    return lines


def _details(case: CaseReport, verbosity: int) -> list[Line]:
    if case.divergence is None:
        return []
    rows = table([metric for metric in case.metrics if metric.verdict != "same"])
    if case.verdict == "mixed":
        rows.append(("", "mixed: some got better, others worse"))
    lines = [
        (style, _entry("metrics" if number == 0 else "", row))
        for number, (style, row) in enumerate(rows)
    ]
    return lines + _diffs(case, verbosity)


def _title(failure: Failure) -> Line:
    facts = [] if failure.torch is None else [f"torch {failure.torch}"]
    first = failure.case.divergence
    since = next(
        (
            stage.since
            for stage in failure.case.stages
            if first and stage.stage == first.stage
        ),
        None,
    )
    if since is not None:
        facts.append(f"{failure.before} {since}")
    return (
        "title",
        f"{printable(failure.case.nodeid)}          {', '.join(facts)}".rstrip(),
    )


def _entry(label: str, text: str) -> str:
    return f"  {label:<16}  {text}"


def _new(case: CaseReport) -> list[StageReport]:
    return [stage for stage in case.stages if stage.kind == "new"]


def _names(stages: Sequence[StageReport]) -> list[str]:
    return list(dict.fromkeys(stage.stage for stage in stages))


def _diffs(case: CaseReport, verbosity: int) -> list[Line]:
    """Only the diff of the first divergence, unless more is asked for: the others follow from it."""
    lines: list[Line] = []
    changed = [stage for stage in case.stages if stage.kind == "structural"]
    first = first_shown(case)
    if first not in changed:  # an absent stage has no diff
        first = next(iter(changed), None)
    for stage in changed:
        if stage is not first and verbosity < 1:
            continue
        lines.append(("title", f"  {stage.file}"))
        shown = diff(*to_compare(stage), limit=None if verbosity > 1 else _DIFF_LINES)
        lines += [(style, f"    {text}") for style, text in shown]
    return lines


def first_shown(case: CaseReport) -> StageReport | None:
    """The stage that every report shows for a case; None if none of its stages changed.

    The trail says which step was first, but only as digests. And the ledger row that names the responsible pass may not
    itself count as a change. The effect of such a step is visible in the first stage after it.
    """
    if case.divergence is None:
        return None
    named = [stage for stage in case.stages if stage.stage == case.divergence.stage]
    first = next(
        (stage for stage in named if stage.kind in ("structural", "absent", "metric")),
        None,
    )
    # A diff of digests says nothing.
    if first is not None and not isinstance(
        stage_of(first.stage, "").format, TrailFormat
    ):
        return first
    # In pipeline order: everything that changed comes after the first divergence.
    behind = [
        stage
        for stage in case.stages
        if stage.kind == "structural" and not stage_of(stage.stage, "").spans
    ]
    return next(iter([*behind, *named]), None)


def render_group(
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
        said = (as_example if entry.example else sentence)(entry.what)
        lines.append(("", f"  {cut(printable(placed(said, entry.where)), _WIDEST)}"))
    if len(listed) < len(group.changes):
        lines.append(
            ("dim", f"  ... {quantity(len(group.changes) - len(listed), 'more edit')}")
        )
    named: dict[str, list[Compared]] = {}
    for name, change in members:
        named.setdefault(name, []).extend(part for part in change.parts if part.differs)
    lines += _cases(named, full, group.kind)
    name, change = change_to_show(group, members, shown)
    same = sum(
        any(entry.alike == SAME_MACHINE_CODE for entry in changes)
        for changes in named.values()
    )
    if same:
        lines.append(("dim", f"  {SAME_MACHINE_CODE} in {quantity(same, 'case')}"))
    if change.kind in ("structural", "cosmetic") or (full and change.kind != "metric"):
        about = f" ({change.about})" if change.about else ""
        held = (
            f"{evidence_file.file_of(change.path).name} ({change.stem})"
            if evidence_file.holds(change.path)
            else ""
        )
        lines.append(
            ("title", f"  {printable(name)}  {held or change.path.name}{about}")
        )
        old, new = _texts(change, whole=full or change.kind != "structural")
        changed = diff(old, new, limit=None if full else _GROUP_LINES)
        lines += [(style, f"    {text}") for style, text in changed]
    return lines


def change_to_show(
    group: ChangeGroup[Any], members: Sequence[tuple[str, Compared]], shown: int = 0
) -> tuple[str, Compared]:
    """The case whose diff is shown for a group, by name, and which of its changes that is of. See `render_group`."""
    names = list(dict.fromkeys(name for name, _ in members))
    chosen = names[shown % len(names)]
    changes = [change for name, change in members if name == chosen]
    of_stage = (change for change in changes if change.stage == group.stage)
    # A structural change that spans no stages says by its text alone what changed.
    telling = (
        change
        for change in changes
        if change.kind == "structural" and not change.declared.spans
    )
    return chosen, next(of_stage, None) or next(telling, changes[0])


def _texts(change: Compared, *, whole: bool) -> tuple[str, str]:
    """The texts to show: as written, or without what differs cosmetically."""
    old, new = change.old, change.new
    # Facts in the evidence are for machines.
    if (whole and not evidence_file.holds(change.path)) or not (old and new):
        return old, new
    return aligned(change.stage, old, new) or (
        old,
        with_comments_of(old, new, "//" if change.path.suffix == ".cpp" else "#"),
    )


def _cases(
    changes: Mapping[str, Sequence[Compared]], full: bool, kind: str
) -> list[Line]:
    listed = list(changes.items()) if full else list(changes.items())[:_CASES]
    lines: list[Line] = [("", f"  in {quantity(len(changes), 'case')}:")]
    for name, case_changes in listed:
        stages = (
            f"  ({', '.join(dict.fromkeys(change.stage for change in case_changes))})"
            if kind == "new"
            else ""
        )
        lines.append(("", f"    {printable(name)}{stages}"))
        # Metrics are grouped by direction only, so each case shows its own numbers.
        lines += [
            (style, f"      {row}")
            for change in case_changes
            for style, row in table(change.metrics)
        ]
    if len(listed) < len(changes):
        lines.append(
            ("dim", f"    ... {quantity(len(changes) - len(listed), 'more case')}")
        )
    return lines
