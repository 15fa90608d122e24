"""A whole report on a terminal: the verdict, what changed, each distinct change once, and the verdict again."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_compile_golden.report.counts import count
from pytest_compile_golden.report.lines import Line, placed, printable
from pytest_compile_golden.report.metrics import table
from pytest_compile_golden.report.model import CaseGroup, CaseReport, Report
from pytest_compile_golden.report.words import headline, sides, unavailable

_EDITS = 8
_MEMBERS = 12


def render(report: Report, *, cosmetic: bool = False) -> list[Line]:
    """The verdict stands first, and last, where people look; `cosmetic` also tells how many differ in looks."""
    verdict = "bad" if report.differs else "good", f"{printable(headline(report, cosmetic=cosmetic))}."
    lines: list[Line] = [("title", printable(report.title)), verdict]
    lines += [("dim", f"  {printable(line)}") for line in sides(report)]
    lines += [("", f"  {printable(line)}") for line in (*unavailable(report), *report.notes)]
    by_id = {case.nodeid: case for case in report.cases}
    for group in report.groups:
        lines += [("", ""), *_group(group, by_id)]
    return [*lines, ("", ""), verdict] if report.groups else lines


def _group(group: CaseGroup, by_id: dict[str, CaseReport]) -> Iterator[Line]:
    style = "bad" if group.outcome == "error" else "title"
    yield style, f"{count(len(group.members), 'case')}: {printable(placed(group.text, group.where))}"
    if group.also is not None:
        yield "title", f"  and on its own: {printable(group.also)}"
    yield from (("", f"  {printable(edit)}"[:200]) for edit in group.edits[:_EDITS])
    if len(group.edits) > _EDITS:
        yield "dim", f"  ... {count(len(group.edits) - _EDITS, 'more edit')}"
    for nodeid in group.members[:_MEMBERS]:
        yield "", f"    {printable(nodeid)}"
        case = by_id.get(nodeid)
        rows = (
            table([each for each in case.metrics if each.verdict != "same"])
            if case and group.outcome == "changed"
            else []
        )
        yield from ((style, f"      {row}") for style, row in rows)
    if len(group.members) > _MEMBERS:
        yield "dim", f"    ... {count(len(group.members) - _MEMBERS, 'more case')}"
