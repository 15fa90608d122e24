"""Leaves out cases that are unchanged since they passed: the collecting half, in every process of a run."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from pytest_compile_golden.plugin import selection
from pytest_compile_golden.plugin.completeness import Completeness
from pytest_compile_golden.plugin.settings import Settings
from pytest_compile_golden.report.counts import count
from pytest_compile_golden.unchanged.imports import Loaded, loaded

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


class ChangedCases:
    """Hooks of a run that may leave cases out; what they see is used to remember those that pass."""

    def __init__(
        self,
        config: pytest.Config,
        settings: Settings,
        completeness: Completeness,
        unchanged: Unchanged,
        seen: Seen,
    ) -> None:
        self._config = config
        self._settings = settings
        self._completeness = completeness
        self._unchanged = unchanged
        self._seen = seen

    @pytest.hookimpl(tryfirst=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> pytest.CollectReport | None:
        cases = self._unchanged.files.get(collector.nodeid) if isinstance(collector, pytest.Module) else None
        if cases is None:
            return None
        self._completeness.leave_out(cases)
        self._seen.left_out.update(selected(cases, self._settings))
        return pytest.CollectReport(collector.nodeid, "passed", None, [])

    # Around all others: before they remove what is not selected, and after.
    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Generator[None, None, None]:
        for item in items:
            self._note(item)
        yield
        unchanged = self._unchanged.cases
        out = [item for item in items if item.nodeid in unchanged]
        if out:
            self._config.hook.pytest_deselected(items=out)
            self._seen.left_out.update({item.nodeid: unchanged[item.nodeid] for item in out})
            items[:] = [item for item in items if item.nodeid not in unchanged]

    def _note(self, item: pytest.Item) -> None:
        target, module = selection.target_of(item), item.nodeid.partition("::")[0]
        if target == selection.NO_TARGET:
            return
        # The contents of syrupy's own snapshots are not remembered.
        ours = target is not None and "snapshot" not in getattr(item, "fixturenames", ())
        if ours and target is not None:
            self._seen.folders[item.nodeid] = str(selection.folder_of(item, target))
        self._seen.whole[module] = ours and self._seen.whole.get(module, whole_files(self._config))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        output = getattr(node, "workeroutput", {}).get(KEY)
        if output is not None:
            self._seen.add(output)

    # Outermost: our line is added before pytest prints the lines.
    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, None, None]:
        if self._seen.folders:
            self._seen.loaded.add(loaded(self._config.rootpath))
            self._seen.plugins = sorted({*self._seen.plugins, *self._plugins()})
        if hasattr(self._config, "workeroutput"):
            self._config.workeroutput[KEY] = asdict(self._seen)
        elif self._seen.left_out:
            number = len(self._seen.left_out)
            notice = f"{count(number, 'case')} did not run: unchanged since {'it' if number == 1 else 'they'} passed."
            self._completeness.lines.append(("good", notice))
        yield
        # After syrupy, which restores pytest's original exit status.
        if self._seen.left_out and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK

    def _plugins(self) -> Iterator[str]:
        """Files of plugins in the project, without any conftest.py, which only counts for the tests below it."""
        root = self._config.rootpath
        for plugin in self._config.pluginmanager.get_plugins():
            file = getattr(plugin, "__file__", None)
            if isinstance(file, str) and Path(file).is_relative_to(root) and Path(file).name != CONFTEST:
                yield Path(file).relative_to(root).as_posix()


def selected(cases: dict[str, str], settings: Settings) -> dict[str, str]:
    """The cases for the targets that the command line limits the run to."""
    targets = settings.selected
    return {nodeid: folder for nodeid, folder in cases.items() if not targets or PurePosixPath(folder).name in targets}


def whole_files(config: pytest.Config) -> bool:
    """Whether pytest collects every test of each file that it visits."""
    return not (any("::" in argument for argument in config.args) or config.getoption("lf", False))
