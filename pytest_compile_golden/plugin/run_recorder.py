"""A recording run: keeps artifacts instead of comparing them, and writes each case as it ends, and facts of the run."""

from __future__ import annotations

import platform
import shlex
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from pytest_compile_golden.changes.change import Severities
from pytest_compile_golden.common.format_version import NORMALISER
from pytest_compile_golden.common.installed_torch import (
    torch_commit,
    torch_version,
    triton_version,
)
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.errors import GoldenError, WrongResult, raised_in, reason_of
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.goldens import case_files
from pytest_compile_golden.goldens.case import Case
from pytest_compile_golden.goldens.case_files import StoredArtifact
from pytest_compile_golden.goldens.compare_artifact import Compared, Comparison
from pytest_compile_golden.goldens.golden_store import ABSENT, Store
from pytest_compile_golden.plugin import case_selection
from pytest_compile_golden.plugin.hookspecs import CASE
from pytest_compile_golden.plugin.run_settings import (
    Settings,
    is_worker,
    resolve_stages,
)
from pytest_compile_golden.recordings import recording
from pytest_compile_golden.recordings.recording import Outcome, RecordedCase, Run

if TYPE_CHECKING:
    from pytest_compile_golden.api.captured import Capture
    from pytest_compile_golden.plugin.complete_run import Completeness

_KEY = "compile_golden_recorded"
_LONGEST = 4000
_DIED = "the process that ran it crashed, or hung outside Python code and was killed"
CRASHED = "???"
"""The phase in xdist's own report of a test that crashed its worker."""


@dataclass
class _Outcome:
    """The outcome of a case so far, phase by phase."""

    outcome: Outcome = "passed"
    message: str | None = None
    seconds: float = 0.0
    wrong: bool = False
    raised_in: str = ""


_ENDED = pytest.StashKey[_Outcome]()


class RunRecorder:
    """Registered in every process: workers record their cases, the controller the run and the cases that crashed."""

    def __init__(
        self, config: pytest.Config, settings: Settings, completeness: Completeness
    ) -> None:
        assert settings.record is not None
        self._config = config
        self._settings = settings
        self._root: Path = settings.record
        self._completeness = completeness
        self._worker = is_worker(config)
        self._selected: int | None = None
        self._crashed: set[str] = set()
        self._errors: dict[str, str] = {}
        self._since = time.monotonic()
        self._run = _run(config, settings)

    def pytest_sessionstart(self) -> None:
        if not self._worker:
            try:
                recording.write_run(self._root, self._run)
            except GoldenError as error:
                raise pytest.UsageError(str(error)) from None

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if self._worker or session.items:
            self._found(sum(self._is_case(item) for item in session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        # Only with named cases is all that workers collect a case; otherwise the number arrives when they finish.
        if self._settings.cases:
            self._found(len(ids))

    def _found(self, cases: int) -> None:
        """Tell whoever watches the folder how many cases to expect."""
        if not self._worker and self._selected is None:
            recording.write_run(self._root, replace(self._run, cases=cases))
        self._selected = cases

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._errors[report.nodeid] = _cut(str(report.longrepr))

    # Outermost: pytest must decide first whether a failure was expected.
    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        case = item.stash.get(CASE, None)
        report = yield
        if not self._is_case(item):
            return report
        target = case_selection.target_of(item) or (
            _target_now() if case is None else case.target
        )
        if call.when == "setup":
            item.stash[_ENDED] = _Outcome()
        ended = item.stash[_ENDED]
        ended.seconds += report.duration
        if not report.passed and ended.outcome in ("passed", "skipped"):
            outcome = (
                "error" if report.failed and call.when != "call" else report.outcome
            )
            ended.outcome, ended.message = outcome, _message(report, call)
            ended.wrong = call.excinfo is not None and call.excinfo.errisinstance(
                WrongResult
            )
            ended.raised_in = (
                "" if call.excinfo is None else raised_in(call.excinfo.value)
            )
        if call.when == "teardown":
            ended.seconds = round(ended.seconds, 3)
            self._record(item, target, case, ended, report)
        return report

    def _is_case(self, item: pytest.Item) -> bool:
        return self._settings.suite or case_selection.target_of(item) is not None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if str(report.when) == CRASHED:
            self._crashed.add(report.nodeid)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        selected = getattr(node, "workeroutput", {}).get(_KEY)
        if selected is not None:
            self._selected = selected

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        if self._worker:
            self._config.workeroutput[_KEY] = self._selected  # type: ignore[attr-defined]
            return
        try:
            for nodeid in self._crashed:
                folder = self._completeness.cases.get(nodeid)
                if folder is None and self._settings.suite:
                    folder = f"{self._completeness.tests[nodeid]}/{_target_now()}"
                if folder is not None:
                    case_folder = PurePosixPath(folder)
                    recording.write_case(
                        self._root,
                        RecordedCase(
                            case_folder, nodeid, case_folder.name, "error", _DIED, 0.0
                        ),
                    )
            # A shard may be empty if there are few cases.
            if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
                self._selected = 0
            ended = replace(
                self._run,
                seconds=round(time.monotonic() - self._since, 3),
                cases=self._selected,
                errors=self._errors,
                exit_status=int(exitstatus),
                recorded=len(list(case_files.folders(self._root))),
            )
            recording.write_run(self._root, ended)
        except GoldenError as error:
            self._completeness.lines.append(("bad", str(error)))

    def _record(
        self,
        item: pytest.Item,
        target: str,
        case: Case | None,
        ended: _Outcome,
        report: pytest.TestReport,
    ) -> None:
        try:
            if isinstance(case, CaseRecorder):
                case.keep(case.captures)
                recorded = case.recorded(ended.outcome, ended.message, ended.seconds)
            else:  # skipped by a mark, or another fixture failed before the case began
                folder = case_selection.folder_of(item, target)
                recorded = RecordedCase(
                    folder,
                    item.nodeid,
                    target,
                    ended.outcome,
                    ended.message,
                    ended.seconds,
                )
            recording.write_case(
                self._root,
                msgspec.structs.replace(
                    recorded, wrong=ended.wrong, raised_in=ended.raised_in
                ),
            )
        except GoldenError as error:
            report.outcome, report.longrepr = "failed", str(error)


def _target_now() -> str:
    """What a test that compiles nothing would compile for."""
    from pytest_compile_golden.targets import active_target

    active = active_target()
    return "native-cpu" if active is None else active.name


def _run(config: pytest.Config, settings: Settings) -> Run:
    stages = resolve_stages([settings.ini_stages, settings.cli_stages])
    options = {
        "stages": ",".join(stages),
        "policy": settings.policy or "",
        "config": " ".join(settings.config_lines),
        "kernel_configs": settings.kernel_configs,
        "timeout": "" if settings.timeout is None else f"{settings.timeout:g}",
        "arguments": shlex.join(config.invocation_params.args),
    }
    if settings.suite:
        options["suite"] = "every test"
    return Run(
        torch=torch_version(),
        triton=triton_version(),
        python=platform.python_version(),
        platform=platform.platform(),
        normaliser=NORMALISER,
        targets=settings.selected or settings.targets,
        options=options,
        started=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        seconds=None,
        cases=None,
        errors={},
        exit_status=None,
        commit=torch_commit(),
    )


def _message(report: pytest.TestReport, call: pytest.CallInfo[None]) -> str:
    """Why a case did not pass, for people to read: the error without the traceback."""
    xfail = getattr(report, "wasxfail", None)
    if xfail is not None:
        return f"expected to fail: {xfail}".removesuffix(": ")
    if isinstance(report.longrepr, tuple):
        return _cut(str(report.longrepr[2]).removeprefix("Skipped: "))
    # A fixture, which the error itself does not name.
    missing = getattr(report.longrepr, "errorstring", None)
    if missing is not None:
        return _cut(split_lines(missing)[0].removeprefix("E").strip())
    error = None if call.excinfo is None else call.excinfo.value
    return _cut(str(report.longrepr) if error is None else reason_of(error))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\n..."


def begin_case(
    item: pytest.Item, settings: Settings, target: str, severities: Severities
) -> Case:
    """The case of a test on a target, which is compared with its goldens, or in a recording run recorded."""
    make = Case if settings.record is None else CaseRecorder
    case = item.stash[CASE] = make(
        nodeid=item.nodeid,
        target=target,
        folder=case_selection.folder_of(item, target),
        store=Store(settings.folder, settings.bases),
        update=settings.update,
        reason=settings.reason,
        severities=severities,
    )
    return case


@dataclass
class CaseRecorder(Case):
    """A test on a target whose comparisons all pass, and whose artifacts are all kept."""

    artifacts: list[StoredArtifact] = field(default_factory=list)
    _taken: list[Artifact] = field(default_factory=list)

    def check(
        self,
        artifacts: Sequence[tuple[str, Artifact | None]],
        name: str | None,
        assert_snapshot: Callable[[Comparison], None] | None = None,
    ) -> bool:
        """Keep the artifacts under the names that their goldens would have; every comparison passes."""
        for stage, artifact in artifacts:
            # As in a comparison, an absent stage uses up its name, so that those after it keep theirs.
            stem = self.names.stem(stage, name)
            if artifact is not None:
                self.omitted |= artifact.omitted
                recorded = case_files.stored(artifact, stem)
                self.artifacts.append(recorded)
                self._taken.append(artifact)
                path, known = PurePosixPath(recorded.name), ("", recorded.evidence)
                self.compared.append(
                    Compared(
                        stage, "same", ABSENT, recorded.text, None, path, known=known
                    )
                )
        return True

    def keep(self, captures: Sequence[Capture]) -> None:
        """Keep what was captured but not compared: the test has its own asserts on it, or did not get that far."""
        for capture in captures:
            for stage in self.stages:
                try:
                    if stage in capture and not any(
                        capture[stage] is artifact for artifact in self._taken
                    ):
                        self.check([(stage, capture[stage])], None)
                except Exception as error:
                    # An error in rendering costs that stage, not the case.
                    self.unavailable.setdefault(
                        stage, f"{type(error).__name__}: {error}"
                    )
            # Including stages that were not requested: metrics are counted in them.
            self.unavailable.update({**capture.unavailable, **capture.lacks})

    def recorded(
        self, outcome: Outcome, message: str | None, seconds: float
    ) -> RecordedCase:
        """The case as it is written down."""
        return RecordedCase(
            folder=self.folder,
            nodeid=self.nodeid,
            target=self.target,
            outcome=outcome,
            message=message,
            seconds=seconds,
            artifacts=tuple(self.artifacts),
            unavailable=dict(self.unavailable),
        )
