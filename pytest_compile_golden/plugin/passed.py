"""Remembers cases that pass: in the process that reports, which tells its workers what need not run."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.plugin.changed import CONFTEST, KEY, Seen, Unchanged, selected, whole_files
from pytest_compile_golden.plugin.settings import Settings
from pytest_compile_golden.unchanged.contents import Contents
from pytest_compile_golden.unchanged.imports import Imports
from pytest_compile_golden.unchanged.record import Passed, Record
from pytest_compile_golden.unchanged.surroundings import surroundings


def without_effect(settings: Settings) -> str | None:
    """Why this run runs every case although only changed ones were requested; None if it does not."""
    reasons = {
        "in CI, which has the last word": settings.ci,
        "when changes are accepted": bool(settings.update),
        "when goldens are pruned": settings.prune,
        "when everything is recorded": settings.record is not None,
    }
    return next((reason for reason, holds in reasons.items() if holds and settings.changed), None)


class PassedCases:
    """Hooks of any run that compares, whether it leaves cases out or not."""

    def __init__(self, config: pytest.Config, settings: Settings, folder: Path, seen: Seen) -> None:
        self._config = config
        self._settings = settings
        self._seen = seen
        self._since = time.time()
        self._ended: set[str] = set()
        self._failed: set[str] = set()
        self._record = Record(folder, surroundings(_options(config, settings)))
        self.unchanged = Unchanged()
        if settings.changed and without_effect(settings) is None:
            unchanged = self._record.unchanged(self._contents())
            cases = {nodeid: path for by_case in unchanged.values() for nodeid, path in by_case.items()}
            self.unchanged = Unchanged(cases, dict(self._without_work(cases)))

    def _without_work(self, unchanged: dict[str, str]) -> Iterator[tuple[str, dict[str, str]]]:
        # Only collected tests can be selected by name or marker.
        chosen = any(self._config.getoption(name, None) for name in ("keyword", "markexpr", "compile_golden_case"))
        if chosen or not whole_files(self._config):
            return
        for name, module in self._record.modules.items():
            if module.cases is not None and selected(module.cases, self._settings).keys() <= unchanged.keys():
                yield name, module.cases

    def _contents(self) -> Contents:
        return Contents(self._config.rootpath, self._settings.folder, self._settings.bases)

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
            if folder is not None and (self._settings.update or not contents.newer_goldens(folder, since)):
                by_case = passed.setdefault(nodeid.partition("::")[0], {})
                by_case[nodeid] = Passed(folder, contents.of_goldens(folder))
        for name, depends in self._depends(passed).items():
            if not contents.newer(depends, since):
                cases = {nodeid: path for nodeid, path in seen.folders.items() if nodeid.partition("::")[0] == name}
                self._record.keep(name, depends, passed[name], cases if seen.whole[name] else None, contents)
        self._record.write()

    def _depends(self, names: dict[str, Any]) -> dict[str, set[str]]:
        """For each of these test files, all files that it depends on."""
        seen = self._seen
        imports = Imports(self._config.rootpath, seen.loaded)
        # Including those of folders whose tests were all left out: they were loaded all the same.
        conftests = {file for file in seen.loaded.files.values() if PurePosixPath(file).name == CONFTEST}
        of_all = imports.of(seen.plugins) | imports.unused({*seen.whole, *seen.plugins, *conftests})
        return {name: imports.of([name, *_conftests(name)]) | of_all for name in names}


def _conftests(module: str) -> list[str]:
    """Where a conftest.py for this test file may be; adding or removing one is a change too."""
    return [(folder / CONFTEST).as_posix() for folder in PurePosixPath(module).parents]


def _options(config: pytest.Config, settings: Settings) -> Iterator[str]:
    """The options that apply to every case."""
    compiled = (settings.policy, settings.config_lines, settings.kernel_configs)
    compared = (settings.ini_stages, settings.cli_stages, settings.folder, settings.base_lines)
    generated = (settings.targets, settings.any_target, config.getoption("override_ini"))
    of_plugins = sorted(config.hook.pytest_compile_golden_settings(config=config))
    yield from map(repr, (*compiled, *compared, *generated, *of_plugins))
    for path in (config.inipath, *settings.devices):
        yield "" if path is None else hashlib.sha256(path.read_bytes()).hexdigest()
