"""Leaves out cases that are unchanged since they passed, and remembers those that pass.

Every process of a run collects; the one that reports keeps the record, and tells its workers what need not run.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.plugin import case_selection
from pytest_compile_golden.plugin.complete_run import Completeness
from pytest_compile_golden.plugin.run_settings import Settings
from pytest_compile_golden.recordings.test_selection.file_dependencies import (
    Imports,
    Loaded,
    loaded,
    surroundings,
)
from pytest_compile_golden.recordings.test_selection.passed_cases import (
    Contents,
    Passed,
    PassingRecord,
)

KEY = "compile_golden_changed"
"""The key of what the controller and its workers send each other."""
CONFTEST = "conftest.py"


@dataclass(frozen=True)
class Unchanged:
    """What need not run."""

    cases: dict[str, str] = field(default_factory=dict)
    """The folders of their goldens, by nodeid."""
    files: dict[str, dict[str, str]] = field(default_factory=dict)
    """Test files that need not be imported, because no case in them has to run; with all their cases."""


@dataclass
class Seen:
    """What one or more processes saw of the project."""

    folders: dict[str, str] = field(default_factory=dict)
    """By nodeid, the folder of the goldens of each case that can be remembered."""
    whole: dict[str, bool] = field(default_factory=dict)
    """By test file, whether these are all the tests in it."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Unchanged cases that would have run but were left out; with their folders."""
    plugins: list[str] = field(default_factory=list)
    """Files of the project's own plugins."""
    loaded: Loaded = field(default_factory=Loaded)

    def add(self, output: dict[str, Any]) -> None:
        """Add what a worker saw."""
        self.folders.update(output["folders"])
        self.whole.update(output["whole"])
        self.left_out.update(output["left_out"])
        self.plugins = sorted({*self.plugins, *output["plugins"]})
        self.loaded.add(Loaded(**output["loaded"]))


@dataclass(eq=False)
class ChangedCases:
    """Hooks of a run that may leave cases out; what they see is used to remember those that pass."""

    _config: pytest.Config
    _settings: Settings
    _completeness: Completeness
    _unchanged: Unchanged
    _seen: Seen

    @pytest.hookimpl(tryfirst=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> pytest.CollectReport | None:
        cases = (
            self._unchanged.files.get(collector.nodeid)
            if isinstance(collector, pytest.Module)
            else None
        )
        if cases is None:
            return None
        self._completeness.leave_out(cases)
        self._seen.left_out.update(selected(cases, self._settings))
        return pytest.CollectReport(collector.nodeid, "passed", None, [])

    # Around all others: before they remove what is not selected, and after.
    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(
        self, items: list[pytest.Item]
    ) -> Generator[None, None, None]:
        for item in items:
            self._note(item)
        yield
        unchanged = self._unchanged.cases
        out = [item for item in items if item.nodeid in unchanged]
        if out:
            self._config.hook.pytest_deselected(items=out)
            self._seen.left_out.update(
                {item.nodeid: unchanged[item.nodeid] for item in out}
            )
            items[:] = [item for item in items if item.nodeid not in unchanged]

    def _note(self, item: pytest.Item) -> None:
        target, module = case_selection.target_of(item), item.nodeid.partition("::")[0]
        if target == case_selection.NO_TARGET:
            return
        # The contents of syrupy's own snapshots are not remembered.
        ours = target is not None and "snapshot" not in getattr(
            item, "fixturenames", ()
        )
        if ours and target is not None:
            self._seen.folders[item.nodeid] = str(
                case_selection.folder_of(item, target)
            )
        self._seen.whole[module] = ours and self._seen.whole.get(
            module, whole_files(self._config)
        )

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        output = getattr(node, "workeroutput", {}).get(KEY)
        if output is not None:
            self._seen.add(output)

    # Outermost: our line is added before pytest prints the lines.
    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(
        self, session: pytest.Session
    ) -> Generator[None, None, None]:
        if self._seen.folders:
            self._seen.loaded.add(loaded(self._config.rootpath))
            self._seen.plugins = sorted(
                {*self._seen.plugins, *plugins_of(self._config)}
            )
        if hasattr(self._config, "workeroutput"):
            self._config.workeroutput[KEY] = asdict(self._seen)
        elif self._seen.left_out:
            number = len(self._seen.left_out)
            they = "it" if number == 1 else "they"
            notice = f"{quantity(number, 'case')} did not run: unchanged since {they} passed."
            self._completeness.lines.append(("good", notice))
        yield
        # After syrupy, which restores pytest's original exit status.
        if (
            self._seen.left_out
            and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED
        ):
            session.exitstatus = pytest.ExitCode.OK


def selected(cases: dict[str, str], settings: Settings) -> dict[str, str]:
    """The cases for the targets that the command line limits the run to."""
    targets = settings.selected
    return {
        nodeid: folder
        for nodeid, folder in cases.items()
        if not targets or PurePosixPath(folder).name in targets
    }


def whole_files(config: pytest.Config) -> bool:
    """Whether pytest collects every test of each file that it visits."""
    return not (
        any("::" in argument for argument in config.args)
        or config.getoption("lf", False)
    )


def without_effect(settings: Settings) -> str | None:
    """Why this run runs every case although only changed ones were requested; None if it does not."""
    reasons = {
        "in CI, which has the last word": settings.ci,
        "when changes are accepted": bool(settings.update),
        "when goldens are pruned": settings.prune,
        "when everything is recorded": settings.record is not None,
    }
    return next(
        (reason for reason, holds in reasons.items() if holds and settings.changed),
        None,
    )


class PassedCases:
    """Hooks of any run that compares, whether it leaves cases out or not."""

    def __init__(
        self, config: pytest.Config, settings: Settings, folder: Path, seen: Seen
    ) -> None:
        self._config = config
        self._settings = settings
        self._seen = seen
        self._since = time.time()
        self._ended: set[str] = set()
        self._failed: set[str] = set()
        # Before tests and what they import set more: the next run is compared when it has got as far as this.
        self._environment = dict(os.environ)
        self._record = PassingRecord(folder, surroundings(options_of(config, settings)))
        self.unchanged = Unchanged()
        if settings.changed and without_effect(settings) is None:
            unchanged = self._record.unchanged(self._contents())
            cases = {
                nodeid: path
                for by_case in unchanged.values()
                for nodeid, path in by_case.items()
            }
            self.unchanged = Unchanged(cases, dict(self._without_work(cases)))

    def _without_work(
        self, unchanged: dict[str, str]
    ) -> Iterator[tuple[str, dict[str, str]]]:
        # Only collected tests can be selected by name or marker.
        chosen = any(
            self._config.getoption(name, None)
            for name in ("keyword", "markexpr", "compile_golden_case")
        )
        if chosen or not whole_files(self._config):
            return
        for name, module in self._record.modules.items():
            if (
                module.cases is not None
                and selected(module.cases, self._settings).keys() <= unchanged.keys()
            ):
                yield name, module.cases

    def _contents(self) -> Contents:
        return Contents(
            self._config.rootpath,
            self._settings.folder,
            self._settings.bases,
            self._environment,
        )

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput[KEY] = (self.unchanged.cases, self.unchanged.files)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed.add(report.nodeid)
        elif report.when == "teardown":
            self._ended.add(report.nodeid)

    # Outermost: what an update removes is gone by then.
    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Generator[None, None, None]:
        yield
        if self._ended or self._failed:
            # A project that cannot be written to can still be compared.
            with suppress(GoldenError, OSError, ValueError):
                self._remember()

    def _remember(self) -> None:
        contents, seen, since = self._contents(), self._seen, self._since
        self._record.forget(self._failed)
        passed: dict[str, dict[str, Passed]] = {}
        for nodeid in self._ended - self._failed:
            folder = seen.folders.get(nodeid)
            # Goldens written during this run may not be those that the case saw, unless the run wrote them.
            if folder is not None and (
                self._settings.update or not contents.newer_goldens(folder, since)
            ):
                by_case = passed.setdefault(nodeid.partition("::")[0], {})
                by_case[nodeid] = Passed(folder, contents.of_goldens(folder))
        found = depends(
            passed, seen.whole, seen.plugins, seen.loaded, self._config.rootpath
        )
        for name, files in found.items():
            if not contents.newer(files, since):
                cases = {
                    nodeid: path
                    for nodeid, path in seen.folders.items()
                    if nodeid.partition("::")[0] == name
                }
                self._record.keep(
                    name,
                    files,
                    passed[name],
                    cases if seen.whole[name] else None,
                    contents,
                )
        self._record.write()


def depends(
    names: Iterable[str],
    tests: Iterable[str],
    plugins: Iterable[str],
    found: Loaded,
    root: Path,
) -> dict[str, set[str]]:
    """For each of the test files `names`, all files of the project that it depends on.

    tests: all test files that were collected; plugins: the project's own; found: what was loaded.
    """
    imports = Imports(root, found)
    # Including those of folders whose tests were all left out: they were loaded all the same.
    conftests = {
        file for file in found.files.values() if PurePosixPath(file).name == CONFTEST
    }
    of_all = imports.of(plugins) | imports.unused({*tests, *plugins, *conftests})
    # Where a conftest.py for a test file may be: adding or removing one is a change too.
    own = {
        name: [(folder / CONFTEST).as_posix() for folder in PurePosixPath(name).parents]
        for name in names
    }
    return {name: imports.of([name, *own[name]]) | of_all for name in names}


def plugins_of(config: pytest.Config) -> Iterator[str]:
    """Files of plugins in the project, without any conftest.py, which only counts for the tests below it."""
    root = config.rootpath
    for plugin in config.pluginmanager.get_plugins():
        file = getattr(plugin, "__file__", None)
        if (
            isinstance(file, str)
            and Path(file).is_relative_to(root)
            and Path(file).name != CONFTEST
        ):
            yield Path(file).relative_to(root).as_posix()


def options_of(config: pytest.Config, settings: Settings) -> Iterator[str]:
    """The options that apply to every case."""
    compiled = (settings.policy, settings.config_lines, settings.kernel_configs)
    compared = (
        settings.ini_stages,
        settings.cli_stages,
        settings.folder,
        settings.base_lines,
    )
    generated = (
        settings.targets,
        settings.any_target,
        config.getoption("override_ini"),
    )
    of_plugins = sorted(config.hook.pytest_compile_golden_settings(config=config))
    yield from map(repr, (*compiled, *compared, *generated, *of_plugins))
    for path in (config.inipath, *settings.devices):
        yield "" if path is None else hashlib.sha256(path.read_bytes()).hexdigest()
