"""The run as seen from the process that reports: progress while it lasts, a summary at its end."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_compile_golden.report.lines import write
from pytest_compile_golden.report.progress import Progress
from pytest_compile_golden.report.summary import Summary


class RunReport:
    """Hooks of a run with the plugin on; registered in the controller, never in xdist's workers."""

    def __init__(self) -> None:
        self._summary = Summary()
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

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        self._close()
        lines = self._summary.lines()
        if lines:
            terminalreporter.write_sep("-", "compile-golden")
            write(terminalreporter._tw, lines)

    def pytest_sessionfinish(self) -> None:
        self._close()

    def _close(self) -> None:
        if self._progress is not None:
            self._progress.close()
            self._progress = None
