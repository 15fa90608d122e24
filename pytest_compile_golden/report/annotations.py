"""A report as GitHub workflow commands: an annotation at the tests whose cases are not as before."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.report.lines import placed, printable
from pytest_compile_golden.report.model import CaseGroup, CaseReport, Report
from pytest_compile_golden.report.overview import describe

_ESCAPED = {"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"}


def render(report: Report) -> str:
    """One annotation per distinct change, at its first case: GitHub shows ten per step."""
    cases = {case.nodeid: case for case in report.cases}
    return "".join(f"{line}\n" for group in report.groups for line in _marks(group, cases))


def _marks(group: CaseGroup, cases: dict[str, CaseReport]) -> Iterator[str]:
    if group.outcome not in ("changed", "error"):
        return
    case = cases[group.members[0]]
    others = len(group.members) - 1
    title = printable(placed(describe(group), group.where)) + (f" (and {others} more)" if others else "")
    message = "\n".join([case.nodeid, *(group.edits or split_lines(case.error or ""))])
    level = "error" if group.outcome == "error" else "warning"
    yield f"::{level} file={_escaped(case.nodeid.partition('::')[0])},title={_escaped(title)}::{_message(message)}"


def _escaped(text: str) -> str:
    return "".join(_ESCAPED.get(char, char) for char in text)


def _message(text: str) -> str:
    """Escape in a command's message only what would end the command."""
    lines = "\n".join(map(printable, split_lines(text)))
    return lines.replace("%", "%25").replace("\n", "%0A")
