"""The run as seen by the reporting process: progress while it runs, a summary at the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, Protocol

import pytest

from pytest_compile_golden.report.canary import Canary
from pytest_compile_golden.report.lines import Line, write
from pytest_compile_golden.report.model import CaseReport
from pytest_compile_golden.report.progress import Progress
from pytest_compile_golden.report.summary import Summary


class CaseRegistry(Protocol):
    """What the run knows about its cases when it ends."""

    cases: dict[str, str]
    lines: list[Line]


class RunReport:
    """Hooks for a run with the plugin enabled; registered in the controller, never in xdist workers."""

    def __init__(self, run_cases: CaseRegistry, canary: Canary, recorded: bool, verbose: bool) -> None:
        self._run_cases = run_cases
        self._canary = canary
        self._summary = Summary(recorded, verbose)
        self._crashed: dict[str, str] = {}
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
            self._summary.add(report.nodeid, case)
        elif str(report.when) == "???":  # xdist's own report for a test that crashed its worker
            self._crashed[report.nodeid] = str(report.longrepr)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._summary.uncollected += report.failed

    # Last, so that the verdict is at the end, where people look.
    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        self._close()
        for case in crashed(self._crashed, self._run_cases.cases):
            self._summary.crashed(case)
        lines = [*self._summary.lines(), *self._canary.lines(), *self._run_cases.lines]
        if lines:
            terminalreporter.write_sep("-", "compile-golden")
            write(terminalreporter._tw, lines)

    def pytest_sessionfinish(self) -> None:
        self._close()

    def _close(self) -> None:
        if self._progress is not None:
            self._progress.close()
            self._progress = None


def crashed(reports: Mapping[str, str], cases: Mapping[str, str]) -> Iterator[CaseReport]:
    """The cases that crashed their worker.

    reports: xdist's own crash reports, by node ID. cases: the folder of each case, by node ID.
    """
    for nodeid, error in reports.items():
        if nodeid in cases:
            yield CaseReport(nodeid, PurePosixPath(cases[nodeid]).name, "error", error=error)
