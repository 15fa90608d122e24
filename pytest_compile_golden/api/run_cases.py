"""Cases run quietly through pytest, with their fixtures and markers: one for a command, or a suite as a corpus."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_compile_golden.api.captured import Capture
from pytest_compile_golden.api.corpus_program import Program
from pytest_compile_golden.common.constants import DEFAULT_TARGET, SWITCH
from pytest_compile_golden.errors import CaptureFailed, CompileGoldenError
from pytest_compile_golden.extensions import entry_points

_PLUGIN = "pytest_compile_golden.plugin.hooks"
_QUIET = (
    SWITCH,
    "-o",
    "addopts=",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:unraisableexception",
    "-q",
    "-n0",
)


@dataclass(frozen=True)
class CaseRun:
    """The result of running a case through pytest."""

    printed: str
    error: BaseException | None
    """The exception that ended the test early."""
    unknown: bool
    """Whether pytest found no such case."""


def run_case(
    nodeid: str,
    target: str | None,
    loaded: Callable[[], None] = lambda: None,
    *more: str,
    plugins: Sequence[object] = (),
) -> CaseRun:
    """Run the first case that `nodeid` selects; whether its goldens match does not matter.

    `loaded` is called once the case is imported; a CompileGoldenError that it raises ends the run, and is raised here.
    plugins: further plugins of pytest.
    """
    import pytest

    first = _First(loaded)
    on = () if target is None else (f"{SWITCH}-target={target}",)
    status, printed = _pytest([first, *plugins], nodeid, *on, *more)
    if first.refused is not None:
        raise first.refused
    return CaseRun(
        printed,
        first.error,
        status == pytest.ExitCode.USAGE_ERROR and not first.collected,
    )


class _First:
    """A pytest plugin that runs the first of the selected cases."""

    def __init__(self, loaded: Callable[[], None]) -> None:
        self._loaded = loaded
        self.collected = False
        self.refused: CompileGoldenError | None = None
        self.error: BaseException | None = None

    def pytest_collection_finish(self, session: Any) -> None:
        self.collected = bool(session.items)
        try:
            self._loaded()
        except CompileGoldenError as error:
            self.refused = error
        del session.items[0 if self.refused is not None else 1 :]

    def pytest_runtest_makereport(self, call: Any) -> None:
        if call.excinfo is not None and self.error is None:
            self.error = call.excinfo.value


@dataclass(frozen=True)
class _Case(Program):
    """A case of a suite; whether its goldens match, and what it asserts, does not matter."""

    nodeid: str = ""
    """On the default target."""

    @property
    def rewritable(self) -> bool:
        return False  # a test chooses its settings itself, and reads stages

    def captures(
        self,
        target: str,
        config: Mapping[str, Any] | None = None,
        only_metrics: bool = False,
    ) -> list[Capture]:
        from pytest_compile_golden.api import watching

        with watching() as captures:
            raised = run_case(self.nodeid.replace(DEFAULT_TARGET, target), target).error
        if isinstance(raised, CaptureFailed):
            raise raised
        if not captures:
            raise CaptureFailed(f"{self.id} captures nothing for {target}.") from raised
        return captures

    def runs_eagerly(self, target: str) -> bool:
        return True  # a test has no eager run: what it compiles is only known while it runs


@dataclass(frozen=True)
class SuiteOfCases:
    """A test file, or a folder of test files: each test is a program."""

    name: str = "suite of cases"

    def programs(self, source: str) -> Iterator[Program] | None:
        """The programs of a test file or a folder; None if it is neither, or a file of the folder is missing.

        pytest collects them once the first is asked for; until then nothing of them is imported.
        """
        path = Path(source)
        files = (
            sorted(path.rglob("test_*.py"))
            if path.is_dir()
            else [path]
            if path.name.startswith("test_")
            else []
        )
        return (
            _collected(source)
            if files and all(file.is_file() for file in files)
            else None
        )


def _collected(source: str) -> Iterator[Program]:
    collected = _Collected()
    _pytest([collected], source, f"{SWITCH}-target={DEFAULT_TARGET}", "--collect-only")
    for nodeid in collected.nodeids:
        name = re.sub(
            rf"\[{DEFAULT_TARGET}\]|-{DEFAULT_TARGET}|{DEFAULT_TARGET}-", "", nodeid
        )
        yield _Case(name, lambda: None, nodeid=nodeid)


class _Collected:
    def __init__(self) -> None:
        self.nodeids: list[str] = []

    def pytest_collection_finish(self, session: Any) -> None:
        self.nodeids = [
            item.nodeid
            for item in session.items
            if "compile_target" in item.fixturenames
        ]


def _pytest(plugins: Sequence[object], *arguments: str) -> tuple[int, str]:
    """Pytest's exit status, and what it printed."""
    import pytest

    # pytest loads what an installed package declares. Of a checkout that is only on PYTHONPATH it knows nothing.
    declared = any(point.value == _PLUGIN for point in entry_points("pytest11"))
    ours = () if declared else ("-p", _PLUGIN)
    output = io.StringIO()
    # It says there what it cannot run.
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        status = pytest.main([*arguments, *ours, *_QUIET], plugins=list(plugins))
    return int(status), output.getvalue()
