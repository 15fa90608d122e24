"""The run as seen from the process that reports: progress while it lasts, a summary at its end."""

from __future__ import annotations

from typing import Any, Protocol

import pytest

from pytest_compile_golden.report.lines import Line, write
from pytest_compile_golden.report.progress import Progress
from pytest_compile_golden.report.summary import Summary


class Seen(Protocol):
    """What the run knows of its cases at its end."""

    cases: dict[str, str]
    lines: list[Line]


class RunReport:
    """Hooks of a run with the plugin on; registered in the controller, never in xdist's workers."""

    def __init__(self, seen: Seen, recorded: bool = False) -> None:
        self._seen = seen
        self._summary = Summary(recorded=recorded)
        self._crashed: list[str] = []
        self._progress: Progress | None = None

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            self._progress = Progress(reporter, lambda: session.testscollected)
            self._progress.start()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        if self._progress is not None:
            self._progress.started(nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        if self._progress is not None:
            self._progress.finished(nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        case = getattr(report, "compile_golden", None)
        if case is not None:
            self._summary.add(case, report.outcome)
        elif str(report.when) == "???":  # xdist's own report of a test that took its worker down
            self._crashed.append(report.nodeid)

    # Last: the verdict stands at the end, where people look.
    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        self._close()
        self._summary.crashed = sum(nodeid in self._seen.cases for nodeid in self._crashed)
        lines = [*self._summary.lines(), *self._seen.lines]
        if lines:
            terminalreporter.write_sep("-", "compile-golden")
            write(terminalreporter._tw, lines)

    def pytest_sessionfinish(self) -> None:
        self._close()

    def _close(self) -> None:
        if self._progress is not None:
            self._progress.close()
            self._progress = None
