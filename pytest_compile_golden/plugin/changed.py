"""Cases that are unchanged since they passed are left out: the collecting half, in every process of a run."""

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
"""Of what the controller tells its workers, and they tell it."""
CONFTEST = "conftest.py"


@dataclass(frozen=True)
class Unchanged:
    """What need not run."""

    cases: dict[str, str] = field(default_factory=dict)
    """By nodeid, with the folders of their goldens."""
    files: dict[str, dict[str, str]] = field(default_factory=dict)
    """Test files that nobody has to import, as no case in them need run; with all their cases."""


@dataclass
class Seen:
    """What a process, or several, saw of the project."""

    folders: dict[str, str] = field(default_factory=dict)
    """Of each case that can be remembered, by nodeid, that of its goldens."""
    whole: dict[str, bool] = field(default_factory=dict)
    """By test file, whether these are all that is in it."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Cases that are unchanged, would have run, and did not; with their folders."""
    plugins: list[str] = field(default_factory=list)
    """Files of the project's own plugins."""
    loaded: Loaded = field(default_factory=Loaded)

    def add(self, told: dict[str, Any]) -> None:
        """Take up what a worker saw."""
        self.folders.update(told["folders"])
        self.whole.update(told["whole"])
        self.left_out.update(told["left_out"])
        self.plugins = sorted({*self.plugins, *told["plugins"]})
        self.loaded.add(Loaded(**told["loaded"]))


class ChangedCases:
    """Hooks of a run that may leave cases out; what they see serves to remember those that pass."""

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

    # Around all others: before they take away what is not selected, and after.
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
        # What syrupy's own snapshots hold is not remembered.
        ours = target is not None and "snapshot" not in getattr(item, "fixturenames", ())
        if ours and target is not None:
            self._seen.folders[item.nodeid] = str(selection.folder_of(item, target))
        self._seen.whole[module] = ours and self._seen.whole.get(module, whole_files(self._config))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        told = getattr(node, "workeroutput", {}).get(KEY)
        if told is not None:
            self._seen.add(told)

    # Outermost: our line is there before pytest prints it.
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
        # After syrupy, which puts back the status that pytest came with.
        if self._seen.left_out and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK

    def _plugins(self) -> Iterator[str]:
        """Files of plugins in the project; a conftest.py counts for the tests below it only."""
        root = self._config.rootpath
        for plugin in self._config.pluginmanager.get_plugins():
            file = getattr(plugin, "__file__", None)
            if isinstance(file, str) and Path(file).is_relative_to(root) and Path(file).name != CONFTEST:
                yield Path(file).relative_to(root).as_posix()


def selected(cases: dict[str, str], settings: Settings) -> dict[str, str]:
    """Those of the targets that the command line limits the run to."""
    targets = settings.selected
    return {nodeid: folder for nodeid, folder in cases.items() if not targets or PurePosixPath(folder).name in targets}


def whole_files(config: pytest.Config) -> bool:
    """Whether pytest collects all of each test file that it comes to."""
    return not (any("::" in argument for argument in config.args) or config.getoption("lf", False))
