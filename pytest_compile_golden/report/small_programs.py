"""The smallest program of each change, as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.report.model import Report
from pytest_compile_golden.report.styled_lines import Line, printable


def render(report: Report) -> Iterator[Line]:
    """Each change that has one, and its program."""
    for group in report.groups:
        if group.program:
            yield "", ""
            yield "title", printable(group.text)
            yield from (
                ("", printable(f"  {line}"))
                for line in split_lines(group.program.rstrip())
            )
