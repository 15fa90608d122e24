"""The formats in which a report can be written, by file suffix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol, runtime_checkable

from pytest_compile_golden.errors import ReportError
from pytest_compile_golden.extensions import Registry
from pytest_compile_golden.report.model import Report


@runtime_checkable
class Reporter(Protocol):
    """A report format."""

    @property
    def suffix(self) -> str:
        """The suffix of its files, for example `.md`."""
        ...

    def render(self, report: Report) -> str:
        """The contents of the whole file."""
        ...


@dataclass(frozen=True)
class _BuiltIn:
    suffix: str
    module: str
    """A module with a function `render`."""

    def render(self, report: Report) -> str:
        # Import only the module that is needed: jinja2 is slow to import.
        render: Callable[[Report], str] = import_module(
            f"pytest_compile_golden.report.{self.module}"
        ).render
        return render(report)


_reporters: Registry[Reporter] = Registry(
    "report format",
    group="pytest_compile_golden.reporters",
    fits=lambda item: isinstance(item, Reporter) and not isinstance(item, type),
    name=lambda reporter: reporter.suffix,
    built_in=lambda: (
        _BuiltIn(".json", "json_report"),
        _BuiltIn(".md", "markdown"),
        _BuiltIn(".html", "html.page"),
    ),
)


def register_reporter(reporter: Reporter) -> None:
    """Use `reporter` for files with its suffix. Raises CompileGoldenError if another reporter has that suffix."""
    _reporters.add(reporter)


def suffixes() -> tuple[str, ...]:
    """The suffixes of the files that a report can be written to."""
    return tuple(_reporters.all())


def check(path: Path) -> None:
    """Raise ReportError if no reporter writes files with this suffix."""
    _reporter(path)


def write(report: Report, path: Path) -> None:
    """Write the report in the format that the suffix selects. Raises ReportError if the file cannot be written."""
    text = _reporter(path).render(report)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ReportError(
            f"cannot write {path}: {error.strerror}. Check the folder and its permissions."
        ) from None


def _reporter(path: Path) -> Reporter:
    reporter = _reporters.get(path.suffix)
    if reporter is None:
        raise ReportError(
            f"a report file must end in one of {', '.join(suffixes())}; {path.name!r} does not."
        )
    return reporter
