"""Two torch versions over a corpus: their rows as recordings, which the reports of every other comparison read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.common.regular_expressions import without_numbers
from pytest_compile_golden.recordings.corpus_rows import Row, Rows, recording
from pytest_compile_golden.report import compare_recordings, terminal_report
from pytest_compile_golden.report.metric_columns import shown, step
from pytest_compile_golden.report.model import CaseGroup, CaseReport, Report
from pytest_compile_golden.report.styled_lines import Line, cut, placed, printable

COSTS = ("least_time", "bytes_accessed", "kernels", "graph_breaks")
_LINES = 50
_NAMED = re.compile(
    r"^\S+ needs the value of a tensor, |^\S+ (?=returned a value )|"
    r"^0 compilations captured: torch.compile compiled nothing in .*?\. |"
    r"(?<=:) at \S+:\d+:"
)
"""What reasons of ours say about the program, instead of about why."""
_WORST = 2
_CAUSES = 8
_PERCENTILES = (0, 5, 50, 95, 100)


def chosen(program: str, globs: Sequence[str]) -> bool:
    """Whether the id of a program matches one of the globs, if there are any."""
    return not globs or any(fnmatchcase(program, glob) for glob in globs)


def compared(
    rows: Rows, old_torch: str, new_torch: str, programs: Sequence[str] = ()
) -> Report:
    """How the newer torch changed the programs that both versions have a row of, or those that match `programs`, globs.

    With texts only of the first program of each change, so that thousands of programs fit into a page.
    """
    mine = [
        row for row in rows.all() if not row.rewrite and chosen(row.program, programs)
    ]
    by_key = {row.key: row for row in mine}
    both = (
        (by_key.get((row.program, old_torch, row.target, row.rewrite)), row)
        for row in mine
        if row.torch == new_torch
    )
    pairs = [(before, row) for before, row in both if before is not None]
    sides = {side.torch: side for side in rows.sides()}
    before, after = (
        recording(
            sides[torch],
            [(of[which], rows.artifacts(of[which], of[1 - which])) for of in pairs],
        )
        for which, torch in enumerate((old_torch, new_torch))
    )
    report = compare_recordings.report(
        before, after, old_torch, new_torch, detail="brief"
    )
    examples = {nodeid for group in report.groups for nodeid in group.members[:1]}
    return replace(
        report,
        cases=tuple(
            case if case.nodeid in examples else _brief(case) for case in report.cases
        ),
        notes=(*report.notes, *outcomes(mine, old_torch, new_torch), *_costs(pairs)),
    )


def _brief(case: CaseReport) -> CaseReport:
    stages = tuple(
        replace(stage, old=None, new=None)
        for stage in case.stages
        if stage.kind not in ("same", "cosmetic")
    )
    return replace(case, stages=stages)


def lines(report: Report, width: int = 160) -> list[Line]:
    """The verdict on a terminal, in at most fifty lines."""
    told = [*terminal_report.render(replace(report, groups=()), width=width), ("", "")]
    groups = [group for group in report.groups if group.outcome != "failing"]
    shown = 0
    while shown < len(groups) and len(told) < _LINES - 2:
        told += _group(groups[shown], width)
        shown += 1
    if rest := groups[shown:]:
        single = sum(len(group.members) == 1 for group in rest)
        told.append(
            (
                "dim",
                f"       {quantity(len(rest), 'more distinct change')}, {single} of them in a single program",
            )
        )
    return told


def _group(group: CaseGroup, width: int) -> Iterator[Line]:
    """A distinct change, and if it costs or saves something, how much, and which programs the most."""
    style = (
        "bad"
        if group.outcome == "error" or group.worse
        else "good"
        if group.outcome == "fixed"
        else ""
    )
    worst = ", ".join(group.members[:_WORST])
    if len(group.members) > _WORST:
        worst += ", ..."
    text = terminal_report.describe(replace(group, consequence=""))
    alone = not (group.consequence or style)
    line = f"{len(group.members):>5}  {text}{f'  ({worst})' if alone else ''}"
    yield style, cut(printable(placed(line, group.where)), width)
    if not alone:
        yield (
            style,
            cut(
                printable(
                    f"       {': '.join(filter(None, (worst, group.consequence)))}"
                ),
                width,
            ),
        )


def outcomes(rows: Sequence[Row], *torches: str) -> Iterator[str]:
    """How many programs ended in which way, and each cause once with its count."""
    for torch in torches:
        ended = Counter(str(row.outcome) for row in rows if row.torch == torch)
        ways = ", ".join(f"{number} {outcome}" for outcome, number in _ordered(ended))
        yield f"torch {torch}: {quantity(ended.total(), 'program')}: {ways}"
    causes = Counter(
        cause(row)
        for row in rows
        if row.torch == torches[-1] and row.outcome != "captured"
    )
    for text, number in _ordered(causes)[:_CAUSES]:
        yield cut(f"{number:>5}  {text}", 160)
    if len(causes) > _CAUSES:
        yield f"       {quantity(len(causes) - _CAUSES, 'more cause')}"


def _ordered(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def cause(row: Row) -> str:
    """Equal for programs that ended in the same way."""
    reason = without_numbers(_NAMED.sub("", row.reason.partition(", at ")[0]))
    return ": ".join(filter(None, (row.outcome, reason, row.frame)))


def _costs(pairs: Sequence[tuple[Row, Row]]) -> Iterator[str]:
    """Each cost as a sum over the programs captured on both sides, and how it changed for each of them."""
    captured = [
        (a.metrics, b.metrics) for a, b in pairs if a.outcome == b.outcome == "captured"
    ]
    for name in COSTS:
        values = [
            (float(a[name]), float(b[name]))
            for a, b in captured
            if name in a and name in b
        ]
        if not values:
            continue
        before, after = (sum(each) for each in zip(*values, strict=True))
        ratios = sorted(b / a for a, b in values if a)
        spread = (
            " ".join(f"{_at(ratios, percent):.3g}" for percent in _PERCENTILES)
            if ratios
            else "-"
        )
        less, more = sum(b < a for a, b in values), sum(b > a for a, b in values)
        changed = before != after
        total = (
            step(name, int(before), int(after)) if changed else shown(name, int(before))
        )
        percent = (
            f" ({100 * (after - before) / before:+.2f} %)" if before and changed else ""
        )
        who = f"{more} more, {less} less; new/old at {'/'.join(map(str, _PERCENTILES))} %: {spread}"
        yield f"{name:<14}  {total}{percent}; {who}"


def _at(ordered: Sequence[float], percent: int) -> float:
    return ordered[min(len(ordered) - 1, round(percent / 100 * (len(ordered) - 1)))]
