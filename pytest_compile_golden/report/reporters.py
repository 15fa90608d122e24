"""The formats that a report can be written in, by the suffix of the file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol, runtime_checkable

from pytest_compile_golden.errors import ReportError
from pytest_compile_golden.registry import Registry
from pytest_compile_golden.report.model import Report


@runtime_checkable
class Reporter(Protocol):
    """A format of reports."""

    @property
    def suffix(self) -> str:
        """That of its files: `.md`."""
        ...

    def render(self, report: Report) -> str:
        """The whole file."""
        ...


@dataclass(frozen=True)
class _BuiltIn:
    suffix: str
    module: str
    """Has a function `render`."""

    def render(self, report: Report) -> str:
        # Only what is asked for is imported: jinja2 takes a while.
        render: Callable[[Report], str] = import_module(f"pytest_compile_golden.report.{self.module}").render
        return render(report)


_reporters: Registry[Reporter] = Registry(
    "report format",
    group="pytest_compile_golden.reporters",
    fits=lambda item: isinstance(item, Reporter) and not isinstance(item, type),
    name=lambda reporter: reporter.suffix,
    built_in=lambda: (_BuiltIn(".json", "document"), _BuiltIn(".md", "markdown"), _BuiltIn(".html", "html.page")),
)


def register_reporter(reporter: Reporter) -> None:
    """Write files with the suffix of `reporter` with it. CompileGoldenError where another one has that suffix."""
    _reporters.add(reporter)


def suffixes() -> tuple[str, ...]:
    """Those of the files that a report can be written to."""
    return tuple(_reporters.all())


def check(path: Path) -> None:
    """Raises ReportError for a file that no report is written to."""
    _reporter(path)


def write(report: Report, path: Path) -> None:
    """Write the file that the suffix names. Raises ReportError where it cannot be written."""
    text = _reporter(path).render(report)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ReportError(f"cannot write {path}: {error.strerror}. Check the folder and its permissions.") from None


def _reporter(path: Path) -> Reporter:
    reporter = _reporters.get(path.suffix)
    if reporter is None:
        raise ReportError(f"a report is a {', '.join(suffixes())} file, not {path.name!r}.")
    return reporter
