"""Whether a run saw every existing case: only then is it known which goldens have no case, or one of another name."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

import pytest

from pytest_compile_golden.common.constants import SWITCH
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.errors import CompileGoldenError, GoldenError
from pytest_compile_golden.goldens import unused_goldens
from pytest_compile_golden.goldens.assertion import RUN, RunGoldens
from pytest_compile_golden.goldens.case import Case
from pytest_compile_golden.goldens.golden_paths import GoldenPath, module_folder
from pytest_compile_golden.plugin import case_selection
from pytest_compile_golden.plugin.hookspecs import TOO_LATE
from pytest_compile_golden.plugin.run_settings import Settings, is_worker
from pytest_compile_golden.report.styled_lines import Line, printable

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
_UNUSED_PASSES = (
    "warn_unused_snapshots",
    "update_snapshots",
    "disable_unused_snapshots",
)
"""syrupy's options under which unused snapshots do not fail the run."""
_SHOWN = 10
_DESELECTED = "cases were deselected"
_UNCOLLECTED = "could not be collected"


class Completeness:
    """Registered in every process of a run; workers tell the controller what they collected when they finish."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        self._worker = is_worker(config)
        self._why: dict[str, None] = {}
        self._modules: set[str] = set()
        self._ran: set[str] = set()
        self._skipped: set[str] = set()
        self._suffixes: dict[str, list[str]] = {}
        self.cases: dict[str, str] = {}
        """Every existing case, selected or not: its nodeid and its folder."""
        self.tests: dict[str, str] = {}
        """Every other test, with the folder of its goldens if it becomes a case: that of any target."""
        self.lines: list[Line] = []
        option = config.getoption
        keeps = any(
            option(name, False) for name in ("no_cleanup", "disable_unused_snapshots")
        )
        self._deletes = bool(option("update_snapshots", False)) and not keeps
        """Whether syrupy's options say to delete unused snapshots."""
        # A worker cannot know whether the run is complete, so it has nothing to offer.
        unused: list[PurePosixPath] | None = [] if self._worker else None
        self._run = config.stash[RUN] = RunGoldens(
            settings.folder, self._deletes and not self._worker, unused
        )
        self._refused: dict[str, None] = {}
        self._too_late = config.stash[TOO_LATE] = []
        self._gone: list[PurePosixPath] | None = None

    @property
    def whole(self) -> bool:
        """Whether everything was collected: otherwise, an unknown case may be where pytest did not look."""
        partly = any(why.endswith(_UNCOLLECTED) for why in self._why)
        return not (partly or self._config.getoption("lf", False))

    def leave_out(self, cases: Mapping[str, str]) -> None:
        """Add cases, each with its folder, that exist although their file is not collected."""
        self.cases.update(cases)
        self._why[_DESELECTED] = None

    def refuse(self, message: str) -> None:
        """End the run with a usage error. Workers select nothing, and leave it to the controller to say why."""
        if not self._worker:
            raise pytest.UsageError(message)
        self._refused[message] = None

    def gone(self) -> list[PurePosixPath]:
        """The folders of goldens whose case is gone, judging by what this process collected; call after collection."""
        if self._gone is None:
            modules = {module_folder(PurePosixPath(module)) for module in self._modules}
            used = {PurePosixPath(folder) for folder in self.cases.values()}
            # Goldens of a target that a case no longer has may be the base of one that it still has.
            used |= {
                below for folder in used for below in self._settings.bases.below(folder)
            }
            # If a file was named with a test, its other tests are not known.
            named = any("::" in argument for argument in self._config.args)
            goldens = self._settings.folder
            gone = (
                []
                if named
                else unused_goldens.unused(
                    goldens, self._config.rootpath, used, modules
                )
            )
            tests = set(map(PurePosixPath, self.tests.values()))
            # A run without the suite does not make cases of other tests.
            self._gone = [
                folder
                for folder in gone
                if folder.parent not in tests
                or not unused_goldens.of_suite(goldens, folder)
            ]
        return self._gone

    # First: other plugins remove what this run does not select.
    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            target = case_selection.target_of(item)
            folder = case_selection.folder_of(item, target or case_selection.NO_TARGET)
            if target is not None:
                self.cases[item.nodeid] = str(folder)
            else:
                self.tests[item.nodeid] = str(folder.parent)

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        if any(case_selection.target_of(item) is not None for item in items):
            self._why[_DESELECTED] = None

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self._why[f"{report.nodeid} was skipped"] = None
        elif report.failed:
            self._why[f"{report.nodeid} {_UNCOLLECTED}"] = None
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
        output = getattr(node, "workeroutput", {}).get(_KEY)
        if error or output is None:
            self._why["a worker crashed"] = None
        else:
            self.cases.update(output["cases"])
            self.tests.update(output["tests"])
            self._modules.update(output["modules"])
            self._why.update(dict.fromkeys(output["why"]))
            self._refused.update(dict.fromkeys(output["refused"]))
            self._too_late += output["too_late"]

    # Around syrupy's hook, which asks for unused goldens when the run is over; inside pytest's, which prints our lines.
    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(
        self, session: pytest.Session, exitstatus: int
    ) -> Generator[None, None, None]:
        if self._worker:
            output = {
                "cases": self.cases,
                "tests": self.tests,
                "modules": sorted(self._modules),
            }
            output |= {
                "why": list(self._why),
                "refused": list(self._refused),
                "too_late": self._too_late,
            }
            self._config.workeroutput[_KEY] = output  # type: ignore[attr-defined]
            yield
            return
        if self._refused:
            self.lines += [
                ("bad", f"ERROR: {printable(message)}") for message in self._refused
            ]
            yield
            session.exitstatus = pytest.ExitCode.USAGE_ERROR
            return
        unused: list[PurePosixPath] = []
        try:
            unused = self._judge(int(exitstatus))
        except (CompileGoldenError, OSError) as error:
            self.lines.append(("bad", printable(f"unused goldens: {error}")))
        self._run.unused = [] if self._settings.prune else unused
        yield
        if self._too_late:
            self.lines += [
                ("bad", printable(each)) for each in dict.fromkeys(self._too_late)
            ]
            session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED
        self.lines += [("bad", printable(problem)) for problem in self._run.problems]
        if unused and (self._settings.prune or not self._run.asked):
            self._settle(session, unused)

    def _judge(self, exitstatus: int) -> list[PurePosixPath]:
        """The goldens that nothing compares any more, if this run can tell; none if it would delete them but must not.

        Adds lines that list them, or say why nothing is pruned.
        """
        why = self._partial()
        failed = [] if exitstatus == 0 else ["it did not pass"]
        if self._settings.record is not None:
            return []
        prune = self._settings.prune
        if prune and (why or failed):
            self.lines.append(
                (
                    "bad",
                    f"not pruned, because this run is not complete: {'; '.join(why + failed)}.",
                )
            )
        if why:
            return []
        from pytest_compile_golden.goldens import unused_goldens

        goldens, gone = self._settings.folder, self.gone()
        # Of other tests, one golden is kept, under one name.
        own = self._suffixes.keys() & self.cases.keys()
        cases = {
            PurePosixPath(self.cases[nodeid]): self._suffixes[nodeid] for nodeid in own
        }
        left = unused_goldens.leftovers(goldens, cases)
        paths, others = unused_goldens.own(
            goldens, [*unused_goldens.goldens_in(goldens, gone), *left]
        )
        removes = (prune or self._deletes) and not failed
        if not removes:
            self._list(
                f"goldens of {quantity(len(gone), 'case')} that no longer exist", gone
            )
            self._list(
                f"{quantity(len(left), 'golden')} under names that their cases no longer use",
                left,
            )
            # A run that updates also deletes: if it failed, it has nothing to offer.
            return [] if prune or self._deletes else paths
        self.lines += [("bad", printable(other)) for other in others]
        return paths

    def _settle(self, session: pytest.Session, unused: Sequence[PurePosixPath]) -> None:
        """Do what syrupy does with unused snapshots, if it did not ask for them: delete them, or fail the run."""
        if self._settings.prune or self._deletes:
            from pytest_compile_golden.goldens.unused_goldens import prune

            problems = prune(self._settings.folder, unused)
            of = len({path.parent for path in unused})
            removed = len(unused) - len(problems)
            self.lines.append(
                ("", f"pruned {quantity(removed, 'golden')} of {quantity(of, 'case')}.")
            )
            self.lines += [("bad", printable(problem)) for problem in problems]
        elif not any(self._config.getoption(name, False) for name in _UNUSED_PASSES):
            session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED

    def _list(self, heading: str, paths: Sequence[PurePosixPath]) -> None:
        if paths:
            self.lines.append(("", f"{heading} (--snapshot-update removes them):"))
            from pytest_compile_golden.goldens import evidence_file

            here, root = self._config.invocation_params.dir, self._settings.folder
            shown = (
                evidence_file.file_of(path) if evidence_file.holds(path) else path
                for path in paths[:_SHOWN]
            )
            self.lines += [
                ("", f"  {printable(os.path.relpath(root / path, here))}")
                for path in shown
            ]
        if len(paths) > _SHOWN:
            self.lines.append(("dim", f"  ... {len(paths) - _SHOWN} more"))

    def _partial(self) -> list[str]:
        """Why this run cannot tell which cases exist; empty if it can."""
        config = self._config
        why = [
            f"{shown} was given"
            for name, shown in _OPTIONS.items()
            if config.getoption(name, None)
        ]
        source = config.args_source
        if source == config.ArgsSource.ARGS:
            why.append("paths were given")
        elif (
            source == config.ArgsSource.INVOCATION_DIR
            and config.invocation_params.dir != config.rootpath
        ):
            why.append(f"it ran below {config.rootpath}")
        why += self._why
        cases = set(self.cases)
        if not (cases or (self._settings.suite and self.tests)):
            why.append("it has no cases")
        # In this order: a skipped case is in both.
        for few, outcome in (
            (cases & self._skipped, "skipped"),
            (cases - self._ran, "not run"),
        ):
            if few:
                why.append(
                    f"{quantity(len(few), 'case')} {'was' if len(few) == 1 else 'were'} {outcome}"
                )
        return why


def find_goldens_of_earlier_name(config: pytest.Config, case: Case) -> None:
    """For a case without any goldens: find out whether they exist under an earlier name of it."""
    completeness = config.pluginmanager.get_plugin("compile-golden-completeness")
    if (
        completeness is None
        or case.torch is None
        or any(one.differs and one.kind != "new" for one in case.compared)
    ):
        return
    texts = {
        GoldenPath(case.folder, change.stem, change.declared.extension): (
            change.stage,
            change.new,
        )
        for change in case.waiting
    }
    # A damaged golden elsewhere is not this case's failure.
    with contextlib.suppress(GoldenError, OSError):
        gone = completeness.gone()
        # A target with a base may have had no goldens of its own.
        implied = [
            above
            for folder in gone
            for above in case.store.bases.above(folder)
            if above not in gone
        ]
        case.moved_from = unused_goldens.origin(
            case.store, texts, case.torch, [*gone, *implied]
        )
