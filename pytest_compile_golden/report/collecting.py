"""Collects a run's cases in the reporting process and writes the report files at the end."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_compile_golden.errors import ReportError
from pytest_compile_golden.installed import torch_commit, torch_version, triton_version
from pytest_compile_golden.report import document, reporters
from pytest_compile_golden.report.canary import Canary
from pytest_compile_golden.report.case_groups import grouped
from pytest_compile_golden.report.lines import Line, write
from pytest_compile_golden.report.model import CaseReport, Report, Side
from pytest_compile_golden.report.terminal import CaseRegistry, crashed


class ReportFiles:
    """Hooks for a run that writes report files; registered in the controller, never in xdist workers."""

    def __init__(
        self, config: pytest.Config, run_cases: CaseRegistry, canary: Canary, paths: Sequence[Path], goldens: str
    ) -> None:
        self._config = config
        self._canary = canary
        self._run_cases = run_cases
        self._paths = paths
        self._goldens = goldens
        self._cases: dict[str, CaseReport] = {}
        self._crashed: dict[str, str] = {}
        self._uncollected: list[CaseReport] = []
        self._torch: str | None = None
        self._lines: list[Line] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        case = getattr(report, "compile_golden_case", None)
        if case is not None:
            # If any plugin reruns a test, its last run counts.
            self._cases[report.nodeid] = document.case(case)
            self._torch = report.compile_golden["torch"] or self._torch
        elif str(report.when) == "???":  # xdist's own report for a test that crashed its worker
            self._crashed[report.nodeid] = str(report.longrepr)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            error = f"cannot be collected: {report.longreprtext.strip()}"
            self._uncollected.append(CaseReport(report.nodeid, "", "error", error=error))

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        try:
            report = self._report(session, int(exitstatus))
            for path in self._paths:
                reporters.write(report, path)
                self._lines.append(("", f"report: {path}"))
        except (ReportError, OSError) as error:
            self._lines.append(("bad", f"the report could not be written: {error}"))
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        write(terminalreporter._tw, self._lines)

    def _report(self, session: pytest.Session, exitstatus: int) -> Report:
        gone = {case.nodeid: case for case in crashed(self._crashed, self._run_cases.cases)}
        ran = {**self._cases, **gone}
        # The same order whichever worker finished first.
        cases = sorted([*self._uncollected, *ran.values()], key=lambda case: case.nodeid)
        torch = self._torch or torch_version()
        return Report(
            title=f"torch {torch} against the goldens",
            old=Side(self._goldens),
            new=Side(
                label="this run",
                torch=torch,
                triton=triton_version(),
                python=platform.python_version(),
                platform=f"{platform.system()} {platform.machine()}",
                targets=tuple(sorted({case.target for case in cases if case.target})),
                error=self._error(session, exitstatus),
                commit=torch_commit(),
            ),
            cases=tuple(cases),
            groups=grouped(cases),
            shards=self._shards(),
            reading=self._canary.reading,
        )

    def _error(self, session: pytest.Session, exitstatus: int) -> str | None:
        if exitstatus == pytest.ExitCode.INTERRUPTED:
            return f"the run stopped early: {session.shouldstop or session.shouldfail or 'interrupted'}"
        if exitstatus == pytest.ExitCode.INTERNAL_ERROR:
            return "pytest itself failed; see its output"
        return None

    def _shards(self) -> tuple[str, ...]:
        """This shard of the suite, if pytest-split splits it."""
        total, number = (self._config.getoption(name, None) for name in ("splits", "group"))
        return (f"{number}/{total}",) if total and number else ()
