"""Records what each case executed of torch, and takes over from an older recording those that executed nothing that
differs.

Each case runs in a fork of a process that has compiled next to nothing: what torch does once per process and keeps, it
does in each of them, so that it is seen.
"""

from __future__ import annotations

import gc
import os
import re
import sys
import types
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest
from _pytest.runner import runtestprotocol

from pytest_compile_golden.common.constants import SWITCH
from pytest_compile_golden.common.digest import of_texts
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.errors import CaptureFailed, GoldenError
from pytest_compile_golden.observe.executed_functions import Executed, is_watched
from pytest_compile_golden.plugin import case_selection
from pytest_compile_golden.plugin.complete_run import Completeness
from pytest_compile_golden.plugin.run_recorder import CRASHED
from pytest_compile_golden.plugin.run_settings import Settings, is_worker
from pytest_compile_golden.plugin.skip_unchanged import depends, options_of, plugins_of
from pytest_compile_golden.recordings import recording
from pytest_compile_golden.recordings.recording import RecordedCase
from pytest_compile_golden.recordings.test_selection import unaffected_cases
from pytest_compile_golden.recordings.test_selection.file_dependencies import loaded
from pytest_compile_golden.recordings.test_selection.passed_cases import Contents
from pytest_compile_golden.recordings.test_selection.unaffected_cases import (
    CaseExecuted,
    ProcessExecuted,
    Unaffected,
)
from pytest_compile_golden.torch_source.installed_sources import Sources

EXECUTED: pytest.StashKey[Executed] = pytest.StashKey()
_KEY = "compile_golden_executed"
_DIED = "the process that ran it crashed"
_LINE = re.compile(r"(?<=\.py):\d+")
Function = tuple[str, str]
"""The file and the qualified name of a function."""


def start(config: pytest.Config) -> None:
    """Note what is executed from now on. Raises UsageError if some of it was before, or if something else watches."""
    if "torch" in sys.modules:
        raise pytest.UsageError(
            f"torch was imported before {SWITCH}-executed could see it: import it in a conftest.py or in tests, not in "
            "a plugin that is loaded with -p or by an entry point."
        )
    if is_watched():
        raise pytest.UsageError(
            f"{SWITCH}-executed watches what Python runs, which something else does already: leave out the debugger, "
            "the profiler or the measuring of coverage."
        )
    noted = config.stash[EXECUTED] = Executed()
    noted.start()
    config.add_cleanup(noted.stop)


class _CaseOfFork(msgspec.Struct, frozen=True):
    """What a fork says of the case that it ran."""

    reports: list[dict[str, Any]]
    functions: list[Function]
    modules: list[str]
    files: dict[str, str]


class _Summary(msgspec.Struct):
    """What one process, or several, took over."""

    tests: int = 0
    taken: int = 0
    sampled: int = 0
    missed: list[str] = []
    because: list[str] = []

    def add(self, other: _Summary) -> None:
        self.tests += other.tests
        self.taken += other.taken
        self.sampled += other.sampled
        self.missed += other.missed
        self.because = sorted({*self.because, *other.because})


class ExecutedCases:
    """Registered in every process of a recording run; workers tell the controller what they took over."""

    def __init__(
        self, config: pytest.Config, settings: Settings, completeness: Completeness
    ) -> None:
        assert settings.record is not None
        self._config = config
        self._settings = settings
        self._root: Path = settings.record
        self._completeness = completeness
        self._summary = _Summary()
        self._executed: _Process | None = None
        self._old: Unaffected | None = None
        # Before tests and what they import set more.
        self._environment = dict(os.environ)
        if settings.changed_only is not None:
            try:
                unaffected_cases.check(settings.changed_only)
            except GoldenError as error:
                raise pytest.UsageError(str(error)) from None

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        # The controller of workers has none.
        if not session.items or self._config.option.collectonly:
            return
        process = self._executed = _Process(
            self._config, self._settings, session.items, self._environment
        )
        if self._settings.changed_only is not None:
            around = dict(process.around)
            if self._settings.despite_libraries:
                around.pop(unaffected_cases.LIBRARIES)
            try:
                self._old = Unaffected(
                    self._settings.changed_only,
                    process.contents,
                    process.sources,
                    around,
                    process.projects,
                )
            except GoldenError as error:
                raise pytest.UsageError(str(error)) from None
            self._summary.because = sorted(self._old.because)
        gc.collect()
        gc.freeze()  # a fork that collects what already exists would copy it

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        process, old = self._executed, self._old
        if process is None:
            return None
        self._summary.tests += 1
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        case = None if old is None else old.cases.get(item.nodeid)
        if old is None or case is None:
            reports = process.run(item)
        elif item.nodeid in old.sample:
            reports = process.run(item)
            self._summary.sampled += 1
            if not _same(case, recording.read_case(self._root, case.folder)):
                self._summary.missed.append(item.nodeid)
        else:
            recording.write_case(self._root, case)
            process.keep(item.nodeid, *old.executed[item.nodeid])
            phases: tuple[Literal["setup", "call", "teardown"], ...]
            phases = ("setup", "call", "teardown")
            reports = [
                pytest.TestReport(item.nodeid, item.location, {}, "passed", None, when)
                for when in phases
            ]
            self._summary.taken += 1
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        output = getattr(node, "workeroutput", {}).get(_KEY)
        if output is not None:
            self._summary.add(msgspec.convert(output, _Summary))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Any:
        if self._executed is not None:
            worker = getattr(self._config, "workerinput", {}).get("workerid", "main")
            unaffected_cases.write(
                self._root, worker, self._executed.all(), self._executed.sources
            )
        if is_worker(self._config):
            self._config.workeroutput[_KEY] = msgspec.to_builtins(self._summary)  # type: ignore[attr-defined]
        elif self._settings.changed_only is not None:
            self._completeness.lines += _lines(
                self._summary, self._settings.changed_only
            )
        yield
        if self._summary.missed and not is_worker(self._config):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


class _Process:
    """What the cases of this process execute."""

    def __init__(
        self,
        config: pytest.Config,
        settings: Settings,
        items: Sequence[pytest.Item],
        environment: Mapping[str, str],
    ) -> None:
        from pytest_compile_golden.observe.record_compile import prepare
        from pytest_compile_golden.targets import import_torch

        targets = {
            target
            for item in items
            if (target := case_selection.target_of(item))
            not in (None, case_selection.NO_TARGET)
        }
        for target in sorted(map(str, targets)):
            prepare(target)
        import_torch.run_backward()
        self._config = config
        self._noted = config.stash[EXECUTED]
        self.sources = Sources(Path(str(sys.modules["torch"].__file__)).parents[1])
        self._numbers: dict[Function, int] = {}
        self._cases: dict[str, CaseExecuted] = {}
        self._names = tuple(sorted(sys.modules))
        self._modules = _modules(self.sources)
        self._codes = set(self._noted.codes)
        self._always = self._all(_functions(self._noted.codes.values(), self.sources))
        self._more_modules: set[str] = set()
        self.around = unaffected_cases.around(
            options_of(config, settings),
            any(str(name).startswith("native") for name in targets),
        )
        root, found = config.rootpath, loaded(config.rootpath)
        self._files = set(found.files.values())
        files = {item.nodeid.partition("::")[0] for item in items}
        self.contents = Contents(root, settings.folder, settings.bases, environment)
        self.projects = {
            name: self.contents.of_files(sorted(of_file))
            for name, of_file in depends(
                files, files, list(plugins_of(config)), found, root
            ).items()
        }

    def run(self, item: pytest.Item) -> list[pytest.TestReport]:
        """Run a case in a fork, and return its reports."""
        from pytest_compile_golden.common.forks import in_forks

        try:
            (ended,) = in_forks(lambda _: self._ran(item), [None], 1)
        except CaptureFailed:
            return [
                pytest.TestReport(
                    item.nodeid,
                    item.location,
                    {},
                    "failed",
                    _DIED,
                    CRASHED,  # type: ignore[arg-type]
                )
            ]
        self._cases[item.nodeid] = CaseExecuted(
            self._all(ended.functions), tuple(ended.modules), ended.files
        )
        self._more_modules.update(ended.modules)
        hook = self._config.hook
        return [
            hook.pytest_report_from_serializable(config=self._config, data=report)
            for report in ended.reports
        ]

    def _ran(self, item: pytest.Item) -> _CaseOfFork:
        """In a fork: run the case, and say what that was."""
        reports = runtestprotocol(item, log=False, nextitem=None)
        self._noted.stop()
        new = [
            code
            for number, code in list(self._noted.codes.items())
            if number not in self._codes
        ]
        root, hook = self._config.rootpath, self._config.hook
        return _CaseOfFork(
            [
                hook.pytest_report_to_serializable(config=self._config, report=report)
                for report in reports
            ],
            _functions(new, self.sources),
            sorted(_modules(self.sources) - self._modules),
            {
                file: self.contents.of_files([file])
                for file in set(loaded(root).files.values()) - self._files
            },
        )

    def keep(self, nodeid: str, process: ProcessExecuted, case: CaseExecuted) -> None:
        """Keep what an older recording says of a case that executes nothing that differs."""
        places = (
            process.functions[number] for number in (*process.always, *case.functions)
        )
        modules = (*process.modules, *case.modules)
        self._cases[nodeid] = CaseExecuted(
            tuple(
                sorted({self._number(place) for place in places} - set(self._always))
            ),
            tuple(sorted(set(modules) - self._modules)),
            case.files,
        )
        self._more_modules.update(modules)

    def all(self) -> ProcessExecuted:
        """What all cases of this process executed, to be written down."""
        files = self._modules | self._more_modules | {file for file, _ in self._numbers}
        texts = {file: of_texts([self.sources.text(file)]) for file in sorted(files)}
        return ProcessExecuted(
            around=self.around,
            projects=self.projects,
            texts=texts,
            names=self._names,
            modules=tuple(sorted(self._modules)),
            functions=tuple(self._numbers),
            always=self._always,
            cases=self._cases,
        )

    def _all(self, functions: Iterable[Function]) -> tuple[int, ...]:
        return tuple(sorted({self._number(function) for function in functions}))

    def _number(self, function: Function) -> int:
        return self._numbers.setdefault(function, len(self._numbers))


def _functions(codes: Iterable[types.CodeType], sources: Sources) -> list[Function]:
    """The functions of torch that these are the code of, or that they are defined in."""
    root = f"{sources.folder}/"
    found = set()
    for code in list(codes):
        if code.co_filename.startswith(f"{root}{sources.package}/"):
            file = code.co_filename[len(root) :]
            # Before Python 3.11, code does not say what it is in.
            name = (
                getattr(code, "co_qualname", None)
                or sources.function_at(f"{file}:{code.co_firstlineno}")
                or ""
            )
            found.add((file, name.partition(".<locals>")[0]))
    return sorted(found)


def _modules(sources: Sources) -> set[str]:
    """The files of torch's modules that are imported."""
    root = f"{sources.folder}/"
    files = (
        str(getattr(module, "__file__", None)) for module in list(sys.modules.values())
    )
    return {
        file[len(root) :]
        for file in files
        if file.startswith(f"{root}{sources.package}/") and file.endswith(".py")
    }


def _same(old: RecordedCase, new: RecordedCase) -> bool:
    """Whether two cases are the same, but for the lines of torch's files, which move with what is above them."""
    texts = [
        {(artifact.name, _LINE.sub("", artifact.text)) for artifact in case.artifacts}
        for case in (old, new)
    ]
    return texts[0] == texts[1] and old.outcome == new.outcome


def _lines(summary: _Summary, old: Path) -> list[tuple[str, str]]:
    lines = []
    if summary.because:
        lines.append(
            (
                "",
                f"every test ran: what {old} was recorded with differs in {', '.join(summary.because)}.",
            )
        )
    if summary.taken:
        lines.append(
            (
                "good",
                f"{summary.taken} of {quantity(summary.tests, 'test')} did not run: nothing of torch that they execute "
                f"differs from {old}, which they are taken from.",
            )
        )
    if summary.sampled:
        proven = summary.sampled - len(summary.missed)
        lines.append(
            (
                "bad" if summary.missed else "good",
                f"{quantity(summary.sampled, 'more test')} like them ran as a sample: "
                f"{proven} of them are as they were.",
            )
        )
    lines += [
        (
            "bad",
            f"{nodeid} differs although nothing that it executes does: record again without {old}, and report this.",
        )
        for nodeid in summary.missed
    ]
    return lines
