"""A whole report on a terminal, the verdict first and last, and as annotations of GitHub's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_compile_golden.changes.change import NOTED, OTHER_RESULTS
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.name_matching import without_path
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.goldens.compare_artifact import SAME_MACHINE_CODE
from pytest_compile_golden.goldens.ranking import told
from pytest_compile_golden.report import proofs
from pytest_compile_golden.report.case_groups import error_of, numbers_in
from pytest_compile_golden.report.metric_columns import table
from pytest_compile_golden.report.model import CaseGroup, CaseReport, Report
from pytest_compile_golden.report.run_summary import headline, sides, unavailable
from pytest_compile_golden.report.styled_lines import Line, cut, placed, printable

_EDITS = 3
_ALSO = 3
_MEMBERS = 6
_WIDEST = 200
_NARROWEST = 60
_ESCAPED = {"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"}


def render(
    report: Report, *, cosmetic: bool = False, width: int | None = None
) -> list[Line]:
    """The verdict comes first, and again last, where people look; `cosmetic` also counts cosmetic differences.

    width: the available columns. A change that costs nothing in any metric gets one line of at most this width, which
    ends with its location in torch if that fits.
    """
    text = f"{printable(headline(report, cosmetic=cosmetic, width=width))}."
    verdict = "bad" if report.differs else "good", text
    lines: list[Line] = [("title", printable(report.title)), verdict]
    lines += [("dim", f"  {printable(line)}") for line in sides(report)]
    lines += [
        ("", f"  {printable(line)}") for line in (*unavailable(report), *report.notes)
    ]
    by_id = {case.nodeid: case for case in report.cases}
    neutral = [group for group in report.groups if is_neutral(group)]
    for group in report.groups:
        if group not in neutral:
            lines += [("", ""), *_group(group, by_id)]
    if neutral:
        lines += [
            ("", ""),
            ("dim", "changes that move no metric by 1 %:"),
            *_neutral(neutral, width),
        ]
    return [*lines, ("", ""), verdict] if report.groups else lines


def is_neutral(group: CaseGroup) -> bool:
    """Whether one line is enough: nothing failed, and it moves no metric by 1 %."""
    return (
        group.outcome == "changed"
        and not group.consequence
        and group.topic != "lost"
        and group.topic not in OTHER_RESULTS
    )


def describe(group: CaseGroup) -> str:
    """What changed, and what it costs or saves, or that the machine code is the same."""
    follows = ", ".join(filter(None, (group.consequence, *remarks(group))))
    return f"{group.text}: {follows}" if follows else group.text


def remarks(group: CaseGroup) -> Iterator[str]:
    """What is known about a change besides its costs."""
    if group.why:
        yield group.why
    if group.same_machine_code and not group.consequence:
        yield SAME_MACHINE_CODE
    if group.proof is not None and (group.proof.proved or group.where):
        yield proofs.remark(group.proof)


def _group(group: CaseGroup, by_id: dict[str, CaseReport]) -> Iterator[Line]:
    bad = group.outcome == "error" or group.worse
    style = "bad" if bad else "good" if group.outcome == "fixed" else "title"
    what = ": ".join(filter(None, (group.text, ", ".join(remarks(group)))))
    yield (
        style,
        f"{quantity(len(group.members), 'case')}: {printable(placed(what, group.where))}",
    )
    if group.consequence:
        yield style, f"  {group.consequence}"
    yield from (
        ("", f"  {cut(printable(edit), _WIDEST)}") for edit in group.edits[:_EDITS]
    )
    if len(group.edits) > _EDITS:
        yield "dim", f"  ... {quantity(len(group.edits) - _EDITS, 'more edit')}"
    for nodeid in group.members[:_MEMBERS]:
        yield "", f"    {printable(nodeid)}"
        case = by_id.get(nodeid)
        if case is None:
            continue
        if group.is_change and case.wrong == "new":
            yield "bad", f"      {printable(error_of(case))}"
        # What else changed in a case, independently of what the group is about; what leaves all that runs as it is
        # stands only in its own entry.
        others = [
            change
            for change in case.changes
            if change.key not in group.keys and change.kind not in NOTED
        ]
        if group.is_change and others:
            more = f" and {len(others) - _ALSO} more" if len(others) > _ALSO else ""
            texts = printable("; ".join(change.text for change in others[:_ALSO]))
            yield "dim", f"      also: {cut(texts, _WIDEST)}{more}"
        # For a single case, the sums above already say it.
        numbers = told(numbers_in(group.keys, case)) if len(group.members) > 1 else []
        yield from ((style, f"      {row}") for style, row in table(numbers))
    if len(group.members) > _MEMBERS:
        yield "dim", f"    ... {quantity(len(group.members) - _MEMBERS, 'more case')}"


def _neutral(groups: Sequence[CaseGroup], width: int | None) -> Iterator[Line]:
    room = max(width or _WIDEST, _NARROWEST) - 1
    widest = max(len(quantity(len(group.members), "case")) for group in groups)
    stages = max(len(group.stage) for group in groups)
    for group in groups:
        alone = (
            f"   {without_path(group.members[0])}" if len(group.members) == 1 else ""
        )
        what = describe(group).removeprefix(f"{group.stage}: ")
        line = f"  {quantity(len(group.members), 'case'):>{widest}}  {group.stage:<{stages}}  {what}{alone}"
        whole = printable(placed(line, group.where))
        yield "", whole if len(whole) <= room else cut(printable(line), room)
        # What the same cases have besides, and need not have to do with it.
        others = [f"also: {text}" for text in group.edits[:_ALSO]]
        if len(group.edits) > _ALSO:
            others.append(f"... {quantity(len(group.edits) - _ALSO, 'more change')}")
        for text in others:
            yield "", cut(printable(f"{'':{widest + stages + 6}}{text}"), room)


def annotated(report: Report) -> str:
    """The report as GitHub workflow commands.

    One annotation per distinct change, at its first case: GitHub shows ten per step.
    """
    cases = {case.nodeid: case for case in report.cases}
    return "".join(
        f"{line}\n" for group in report.groups for line in _marks(group, cases)
    )


def _marks(group: CaseGroup, cases: dict[str, CaseReport]) -> Iterator[str]:
    if group.outcome not in ("changed", "error"):
        return
    nodeid = next(iter(group.members), "")
    case = cases.get(nodeid)
    others = len(group.members) - 1
    title = printable(placed(describe(group), group.where)) + (
        f" (and {others} more)" if others else ""
    )
    error = "" if case is None or case.error is None else case.error
    message = "\n".join([nodeid, *(group.edits or split_lines(error))])
    level = "error" if group.outcome == "error" else "warning"
    file = _escaped(printable(nodeid.partition("::")[0]))
    yield f"::{level} file={file},title={_escaped(title)}::{_in_command(message)}"


def _escaped(text: str) -> str:
    return "".join(_ESCAPED.get(char, char) for char in text)


def _in_command(text: str) -> str:
    """Escape in a command's message only what would end the command."""
    lines = "\n".join(map(printable, split_lines(text)))
    return lines.replace("%", "%25").replace("\n", "%0A")
