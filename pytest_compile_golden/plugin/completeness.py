"""Whether a run saw all cases there are: only then can anyone say which goldens have no case."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

import pytest

from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.plugin import selection
from pytest_compile_golden.plugin.options import Settings
from pytest_compile_golden.report.lines import Line, printable
from pytest_compile_golden.report.words import count
from pytest_compile_golden.vocabulary import SWITCH

_KEY = "compile_golden"
_OPTIONS = {
    "keyword": "-k",
    "markexpr": "-m",
    "lf": "--lf",
    "stepwise": "--stepwise",
    "deselect": "--deselect",
    "ignore": "--ignore",
    "ignore_glob": "--ignore-glob",
    "maxfail": "-x or --maxfail",
    "collectonly": "--collect-only",
    "compile_golden_target": f"{SWITCH}-target",
    "compile_golden_case": f"{SWITCH}-case",
}
_SHOWN = 10


class Completeness:
    """Registered in every process of a run; workers tell the controller what they collected when they finish."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        self._worker = hasattr(config, "workerinput")
        self._why: dict[str, None] = {}
        self._modules: set[str] = set()
        self._ran: set[str] = set()
        self._skipped: set[str] = set()
        self._suffixes: dict[str, list[str]] = {}
        self.cases: dict[str, str] = {}
        """Every case there is, selected or not: its nodeid and its folder."""
        self.lines: list[Line] = []
        self._gone: list[PurePosixPath] | None = None

    def gone(self) -> list[PurePosixPath]:
        """The folders of goldens whose case is gone, as far as this process collected; once it has."""
        if self._gone is None:
            from pytest_compile_golden.goldens import unused

            # Of a file that was named with a test, the other tests are not known.
            named = any("::" in each for each in self._config.args)
            modules = {unused.module_folder(PurePosixPath(module)) for module in self._modules}
            used = {PurePosixPath(folder) for folder in self.cases.values()}
            found = [] if named else unused.unused(self._settings.folder, self._config.rootpath, used, modules)
            self._gone = found
        return self._gone

    # First: other plugins take away what this run does not select.
    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            target = selection.target_of(item)
            if target is not None:
                self.cases[item.nodeid] = str(selection.folder_of(item, target))

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        if any(selection.target_of(item) is not None for item in items):
            self._why["cases were deselected"] = None

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self._why[f"{report.nodeid} was skipped"] = None
        elif report.failed:
            self._why[f"{report.nodeid} could not be collected"] = None
        elif report.nodeid.endswith(".py"):
            self._modules.add(report.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._ran.add(report.nodeid)
        if report.skipped:
            self._skipped.add(report.nodeid)
        if report.passed and hasattr(report, _KEY):
            self._suffixes[report.nodeid] = getattr(report, _KEY)["suffixes"]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        told = getattr(node, "workeroutput", {}).get(_KEY)
        if error or told is None:
            self._why["a worker crashed"] = None
        else:
            self.cases.update(told["cases"])
            self._modules.update(told["modules"])
            self._why.update(dict.fromkeys(told["why"]))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        if self._worker:
            told = {"cases": self.cases, "modules": sorted(self._modules), "why": list(self._why)}
            self._config.workeroutput[_KEY] = told  # type: ignore[attr-defined]
            return
        try:
            self._tell(int(exitstatus))
        except (CompileGoldenError, OSError) as error:
            self.lines.append(("bad", printable(f"unused goldens: {error}")))

    def _tell(self, exitstatus: int) -> None:
        why = self._partial()
        failed = [] if exitstatus == 0 else ["it did not pass"]
        if self._settings.record is not None:
            return
        prune = self._settings.prune
        if prune and (why or failed):
            self.lines.append(("bad", f"not pruned, because this run is not complete: {'; '.join(why + failed)}."))
        if why:
            return
        from pytest_compile_golden.goldens import unused

        used = {PurePosixPath(folder) for folder in self.cases.values()}
        modules = {unused.module_folder(PurePosixPath(module)) for module in self._modules}
        goldens = self._settings.folder
        gone = unused.unused(goldens, self._config.rootpath, used, modules)
        cases = {PurePosixPath(self.cases[nodeid]): each for nodeid, each in self._suffixes.items()}
        left = unused.leftovers(goldens, cases)
        if not prune or failed:
            self._list(f"goldens of {count(len(gone), 'case')} that no longer exist", gone)
            self._list(f"{count(len(left), 'golden')} under names that their cases no longer use", left)
        elif gone or left:
            removed, kept = unused.prune(goldens, [*unused.goldens_in(goldens, gone), *left])
            of = len({path.parent for path in removed})
            self.lines.append(("", f"pruned {count(len(removed), 'golden')} of {count(of, 'case')}."))
            self.lines += [("bad", printable(each)) for each in kept]

    def _list(self, what: str, paths: Sequence[PurePosixPath]) -> None:
        if paths:
            self.lines.append(("", f"{what} ({SWITCH}-prune removes them):"))
            self.lines += [("", f"  {printable(str(path))}") for path in paths[:_SHOWN]]
        if len(paths) > _SHOWN:
            self.lines.append(("dim", f"  ... {len(paths) - _SHOWN} more"))

    def _partial(self) -> list[str]:
        """Why this run cannot say which cases there are; empty where it can."""
        config = self._config
        why = [f"{shown} was given" for name, shown in _OPTIONS.items() if config.getoption(name, None)]
        source = config.args_source
        if source == config.ArgsSource.ARGS:
            why.append("paths were given")
        elif source == config.ArgsSource.INVOCATION_DIR and config.invocation_params.dir != config.rootpath:
            why.append(f"it ran below {config.rootpath}")
        why += self._why
        cases = set(self.cases)
        if not cases:
            why.append("it has no cases")
        # In this order: a skipped case is in both.
        for few, what in ((cases & self._skipped, "skipped"), (cases - self._ran, "not run")):
            if few:
                why.append(f"{count(len(few), 'case')} {'was' if len(few) == 1 else 'were'} {what}")
        return why
