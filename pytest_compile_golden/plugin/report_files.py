"""The report files of a run (`--compile-golden-report`), written when it has ended."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_compile_golden.common.installed_torch import (
    torch_commit,
    torch_version,
    triton_version,
)
from pytest_compile_golden.errors import ReportError
from pytest_compile_golden.plugin.run_compat_check import CompatCheck
from pytest_compile_golden.plugin.run_progress import RunReport
from pytest_compile_golden.report import cases_in_full, json_report, reporters
from pytest_compile_golden.report.case_groups import grouped, refuted
from pytest_compile_golden.report.model import CaseReport, Report, Side
from pytest_compile_golden.report.styled_lines import Line, write


class ReportFiles:
    """Hooks for a run that writes report files; registered in the controller, never in xdist workers."""

    def __init__(
        self,
        config: pytest.Config,
        run: RunReport,
        compat: CompatCheck,
        paths: Sequence[Path],
        goldens: str,
    ) -> None:
        self._config = config
        self._compat = compat
        self._run = run
        self._paths = paths
        self._goldens = goldens
        self._cases: dict[str, CaseReport] = {}
        self._kept = cases_in_full.Kept()
        self._uncollected: list[CaseReport] = []
        self._skipped: set[str] = set()
        self._torch: str | None = None
        self._lines: list[Line] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        case = getattr(report, "compile_golden_case", None)
        if case is not None:
            # If any plugin reruns a test, its last run counts.
            self._cases[report.nodeid] = self._kept.of(json_report.case(case))
            self._torch = report.compile_golden["torch"] or self._torch
        elif getattr(report, "compile_golden", None) is not None and report.skipped:
            self._skipped.add(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            error = f"cannot be collected: {report.longreprtext.strip()}"
            self._uncollected.append(
                CaseReport(report.nodeid, "", "error", error=error)
            )

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
        gone = {case.nodeid: case for case in self._run.crashed()}
        ran = {**self._cases, **gone}
        # The same order whichever worker finished first.
        cases = refuted(
            sorted([*self._uncollected, *ran.values()], key=lambda case: case.nodeid)
        )
        torch = self._torch or torch_version()
        groups = grouped(cases)
        # This shard of the suite, if pytest-split splits it.
        total, number = (
            self._config.getoption(name, None) for name in ("splits", "group")
        )
        shards = (f"{number}/{total}",) if total and number else ()
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
            cases=cases_in_full.with_examples(cases, groups),
            groups=groups,
            shards=shards,
            skipped=tuple(sorted(self._skipped - ran.keys())),
            reading=self._compat.reading,
        )

    def _error(self, session: pytest.Session, exitstatus: int) -> str | None:
        if exitstatus == pytest.ExitCode.INTERRUPTED:
            return f"the run stopped early: {session.shouldstop or session.shouldfail or 'interrupted'}"
        if exitstatus == pytest.ExitCode.INTERNAL_ERROR:
            return "pytest itself failed; see its output"
        return None
