"""The faces that a report can be written as, by the suffix of the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pytest_compile_golden.errors import ReportError
from pytest_compile_golden.report.model import Report

SUFFIXES = (".json", ".md", ".html")


def check(path: Path) -> None:
    """Raises ReportError for a file that no face is written to."""
    if path.suffix not in SUFFIXES:
        raise ReportError(f"a report is a {', '.join(SUFFIXES)} file, not {path.name!r}.")


def write(report: Report, path: Path) -> None:
    """Write the face that the suffix names. Raises ReportError where the file cannot be written."""
    check(path)
    text = _face(path.suffix)(report)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ReportError(f"cannot write {path}: {error.strerror}. Check the folder and its permissions.") from None


def _face(suffix: str) -> Callable[[Report], str]:
    # Only what is asked for is imported: jinja2 takes a while.
    if suffix == ".json":
        from pytest_compile_golden.report import document

        return document.render
    if suffix == ".md":
        from pytest_compile_golden.report import markdown

        return markdown.render
    from pytest_compile_golden.report.html import page

    return page.render
