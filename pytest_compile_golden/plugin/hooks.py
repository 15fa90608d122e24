"""The pytest plugin: hooks that call the layers below. Importing it does not import torch."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_compile_golden.common.constants import CACHE, SWITCH
from pytest_compile_golden.errors import CompileGoldenError, GoldenError, UnknownName
from pytest_compile_golden.extensions import PLUGINS, entry_points
from pytest_compile_golden.plugin import case_selection, hookspecs, pytest_options
from pytest_compile_golden.plugin.fixtures import (
    SKIPPED,
    StageFixtures,
    check_arguments,
    compile_stages,
    compile_target,
    golden,
    pass_diff,
)
from pytest_compile_golden.plugin.hookspecs import CASE, SETTINGS
from pytest_compile_golden.plugin.run_settings import (
    cache_folder,
    is_executed,
    is_worker,
    needs_worker,
    resolve_stages,
    settings_of,
)

if TYPE_CHECKING:
    from pytest_compile_golden.api.captured import Capture
    from pytest_compile_golden.plugin.complete_run import Completeness
    from pytest_compile_golden.plugin.run_settings import Settings

__all__ = ["compile_stages", "compile_target", "golden", "pass_diff"]

_COMPLETENESS = "compile-golden-completeness"


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    pluginmanager.add_hookspecs(hookspecs)


def pytest_addoption(
    parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager
) -> None:
    pytest_options.add_options(parser)
    for point in entry_points(PLUGINS):
        pluginmanager.register(point.load(), f"compile-golden-{point.name}")


@pytest.hookimpl(trylast=True)
def pytest_compile_golden_capture(
    item: pytest.Item,
    fn: Callable[..., Any],
    inputs: tuple[Any, ...],
    options: dict[str, Any],
) -> Capture:
    from pytest_compile_golden.api import capture

    case = item.stash[CASE]
    check_arguments(capture, fn, *inputs, target=case.target, **options)
    captured = capture(fn, *inputs, target=case.target, **options)
    case.captures.append(captured)
    return captured


# A wrapper, so that it runs before pytest-xdist reads its options.
@pytest.hookimpl(wrapper=True)
def pytest_cmdline_main(config: pytest.Config) -> Generator[None, object, object]:
    if needs_worker(config):
        config.option.numprocesses = 1
    return (yield)


# Around the loading of conftest.py, which may import torch, and may declare options; what is unknown then is an error
# without a hint.
@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: list[str]
) -> Generator[None, object, object]:
    if is_executed(early_config):
        from pytest_compile_golden.plugin import skip_unaffected

        skip_unaffected.start(early_config)
    result = yield
    pytest_options.check_options(early_config, parser, args)
    return result


# Last: a conftest.py's own pytest_configure may register stages and targets.
@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        f"{case_selection.MARKER}({', '.join(f'{key}=...' for key in case_selection.MARKER_KEYS)}): "
        "how a compile-golden case is compiled and for which targets; the nearest of test, class and module wins.",
    )
    settings = config.stash[SETTINGS] = settings_of(config)
    if settings.enabled:
        pytest_options.check_ini(config)
    config.pluginmanager.register(StageFixtures(config), "compile-golden-stages")
    if not settings.enabled:
        return
    if not config.pluginmanager.hasplugin("syrupy"):
        raise pytest.UsageError(
            f"{SWITCH} needs syrupy's fixtures: leave out -p no:syrupy."
        )
    try:
        _check(settings)
    except CompileGoldenError as error:
        raise pytest.UsageError(str(error)) from None
    from pytest_compile_golden.plugin.complete_run import Completeness

    completeness = Completeness(config, settings)
    config.pluginmanager.register(completeness, _COMPLETENESS)
    _leave_out_unchanged(config, settings, completeness)
    # Register what keeps cases in one process from affecting each other.
    from pytest_compile_golden.plugin.case_isolation import (
        Garbage,
        SessionState,
        Timeout,
        is_limited,
        release_captured,
    )

    config.add_cleanup(release_captured)  # before pytest's own, which was added earlier
    config.pluginmanager.register(Garbage(), "compile-golden-garbage")
    config.pluginmanager.register(
        SessionState(settings.suite), "compile-golden-session-state"
    )
    if settings.timeout is not None and not is_limited(config):
        config.pluginmanager.register(
            Timeout(config, settings.timeout, settings.suite), "compile-golden-timeout"
        )
    if settings.suite:
        from pytest_compile_golden.plugin.existing_suite import Suite

        config.pluginmanager.register(Suite(settings), "compile-golden-suite")
    if settings.record is not None:
        from pytest_compile_golden.plugin.run_recorder import RunRecorder

        config.pluginmanager.register(
            RunRecorder(config, settings, completeness), "compile-golden-recorder"
        )
    if settings.executed:
        from pytest_compile_golden.plugin.skip_unaffected import ExecutedCases

        config.pluginmanager.register(
            ExecutedCases(config, settings, completeness), "compile-golden-executed"
        )
    if not is_worker(config):
        _prepare_folders(settings)
        _report(config, settings, completeness)


def _check(settings: Settings) -> None:
    """Raises CompileGoldenError for a setting that no case can be run with."""
    from pytest_compile_golden.report.reporters import check as check_report
    from pytest_compile_golden.targets import get_target
    from pytest_compile_golden.targets.autotuning_policy import check_policy

    for path in settings.devices:
        from pytest_compile_golden.targets import target_files

        target_files.register(path)
    resolve_stages([settings.ini_stages, settings.cli_stages])
    for name in settings.targets:
        get_target(name)
    for name in settings.selected or settings.targets:
        get_target(name).prepare()
    case_selection.check_bases(settings.bases)
    assert settings.severities
    if settings.policy is not None:
        check_policy(settings.policy)
    for path in settings.reports:
        check_report(path)


def _prepare_folders(settings: Settings) -> None:
    if settings.pending is not None:
        # So that a missing folder is known to be a mistake.
        with contextlib.suppress(OSError):
            settings.pending.mkdir(parents=True, exist_ok=True)
    if (settings.update or settings.prune) and settings.folder.is_dir():
        # Before any worker writes: leftovers at this point are from a killed run.
        from pytest_compile_golden.common.files import remove_leftovers

        with contextlib.suppress(CompileGoldenError, OSError):
            remove_leftovers(settings.folder)


def _report(
    config: pytest.Config, settings: Settings, completeness: Completeness
) -> None:
    """Register what tells people about the run, in the process that pytest was started as."""
    from pytest_compile_golden.plugin.run_compat_check import CompatCheck
    from pytest_compile_golden.plugin.run_progress import RunReport

    canary = CompatCheck(settings.selected or settings.targets)
    config.pluginmanager.register(canary, "compile-golden-canary")
    recorded, verbose = settings.record is not None, config.get_verbosity() > 0
    report = RunReport(
        completeness.cases, completeness.lines, canary, recorded, verbose
    )
    config.pluginmanager.register(report, "compile-golden-report")
    if settings.reports:
        from pytest_compile_golden.plugin.report_files import ReportFiles

        files = ReportFiles(
            config, report, canary, settings.reports, _named(config, settings.folder)
        )
        config.pluginmanager.register(files, "compile-golden-report-files")


def _leave_out_unchanged(
    config: pytest.Config, settings: Settings, completeness: Completeness
) -> None:
    """Register the plugins that remember the cases that pass, and leave them out if asked to."""
    from pytest_compile_golden.plugin.skip_unchanged import (
        KEY,
        ChangedCases,
        PassedCases,
        Seen,
        Unchanged,
        without_effect,
    )

    if settings.ci or settings.record is not None:
        return
    seen = Seen()
    if hasattr(config, "workerinput"):
        unchanged = Unchanged(*config.workerinput.get(KEY, ()))
    else:
        folder = cache_folder(config, f"{CACHE}-passed")
        if folder is None and settings.changed and without_effect(settings) is None:
            there = config.pluginmanager.hasplugin("cacheprovider")
            step = (
                f"make {config.getini('cache_dir')} writable"
                if there
                else "leave out -p no:cacheprovider"
            )
            raise pytest.UsageError(f"{SWITCH}-changed needs pytest's cache: {step}.")
        if folder is None:
            return
        passed = PassedCases(config, settings, folder, seen)
        config.pluginmanager.register(passed, "compile-golden-passed")
        unchanged = passed.unchanged
    changed = ChangedCases(config, settings, completeness, unchanged, seen)
    config.pluginmanager.register(changed, "compile-golden-changed")


def pytest_report_header(config: pytest.Config) -> list[str]:
    settings = config.stash[SETTINGS]
    if not settings.enabled:
        return []
    from pytest_compile_golden.common.installed_torch import other_triton, torch_version

    shown = _named(
        config, settings.folder if settings.record is None else settings.record
    )
    targets = settings.selected or settings.targets
    mode = "goldens" if settings.record is None else "recording into"
    lines = [
        f"compile-golden: torch {torch_version() or 'not installed'}, targets: {', '.join(targets)}, {mode}: {shown}"
    ]
    if (triton := other_triton()) is not None and any(
        "cpu" not in name for name in targets
    ):
        lines.append(f"compile-golden: {triton}")
    if settings.suite:
        lines.append(
            "compile-golden: each test that compiles something is a case, by what the compiler decides"
        )
    if settings.config:
        lines.append(
            f"compile-golden: every case with {', '.join(settings.config_lines)}"
        )
    if sys.flags.optimize:
        # pytest compiles the asserts of these itself (_pytest/assertion/rewrite.py).
        kept = (
            ""
            if config.getoption("assertmode") == "plain"
            else " outside of test files, conftest.py and plugins"
        )
        lines.append(
            f"compile-golden: Python runs with -O, which leaves out asserts{kept}, with their comparisons and "
            "invariants; a case that compares none of its goldens fails"
        )
    if settings.changed:
        from pytest_compile_golden.plugin.skip_unchanged import without_effect

        why = without_effect(settings)
        lines += (
            []
            if why is None
            else [
                f"compile-golden: {SWITCH}-changed has no effect {why}; every case runs"
            ]
        )
    if config.inipath is None and not config.getoption("rootdir", None):
        # The paths of goldens are relative to rootdir, which pytest then derives from the arguments.
        lines.append(
            "compile-golden: no pytest.ini or pyproject.toml; add one, or goldens move with the arguments"
        )
    return lines


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say which options were given in vain: unlike the header, this is also shown with `-q`."""
    values = vars(config.option).items()
    given = [
        f"--{name.replace('_', '-')}"
        for name, value in values
        if name.startswith("compile_golden_") and value
    ]
    if given and not config.stash[SETTINGS].enabled:
        does = "does" if len(given) == 1 else "do"
        terminalreporter.write_sep("-", "compile-golden")
        terminalreporter.write_line(
            f"{', '.join(given)} {does} nothing without {SWITCH}."
        )
    if config.stash[SETTINGS].enabled and not config.getoption("virtual_gpu", None):
        skipped = terminalreporter.stats.get("skipped", ())
        for_a_gpu = sum(
            bool(_NAMES_A_GPU.search(_skip_reason(report))) for report in skipped
        )
        if for_a_gpu:
            terminalreporter.write_line(
                f"skipped for a reason that names a GPU: {for_a_gpu}. Marks look for one when a module is imported: "
                "--virtual-gpu h100 runs such tests; a case that captures needs no GPU, nor such a mark."
            )


def _skip_reason(report: Any) -> str:
    # pytest keeps where and why a test was skipped as three values.
    return (
        str(report.longrepr[2])
        if isinstance(report.longrepr, tuple)
        else str(report.longrepr)
    )


_NAMES_A_GPU = re.compile(
    r"\b(cuda|gpus?|cudnn|nvidia|rocm|hip|[abhl]\d{2,3}s?|sm_?\d{2,3}|triton)\b", re.I
)


def _named(config: pytest.Config, folder: Path) -> str:
    """A folder for display: relative to the project if it is inside it."""
    return str(
        folder.relative_to(config.rootpath)
        if folder.is_relative_to(config.rootpath)
        else folder
    )


# Last, so that the target comes last in a test's id.
@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "compile_target" in metafunc.fixturenames:
        try:
            case_selection.parametrize(metafunc, metafunc.config.stash[SETTINGS])
        except CompileGoldenError as error:
            raise pytest.Collector.CollectError(str(error)) from None


# Innermost: other plugins' wrappers filter the result, and names must not depend on what a run selects.
@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    enabled = collector.config.stash[SETTINGS].enabled
    if (
        enabled
        and isinstance(collector, (pytest.Module, pytest.Class))
        and report.passed
    ):
        case_selection.remember_ambiguous(collector, report.result)
    return report


# Last: syrupy must have seen every test, or it would consider the others' snapshots unused.
@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    settings = config.stash[SETTINGS]
    if not settings.enabled:
        for item in items:
            if "compile_target" in getattr(item, "fixturenames", ()):
                # As a marker, so that the test's other fixtures are not set up for nothing.
                item.add_marker(pytest.mark.skip(reason=SKIPPED))
        return
    seen: Completeness | None = config.pluginmanager.get_plugin(_COMPLETENESS)
    assert seen is not None
    try:
        out = case_selection.deselected(
            items, settings, seen.cases, seen.tests if settings.suite else {}
        )
    except UnknownName as error:
        if seen.whole:
            seen.refuse(str(error))
        out = list(items)
    if settings.record is None and any(
        "snapshot" in getattr(item, "fixturenames", ()) for item in out
    ):
        # syrupy considers a deselected parameter's snapshots unused once another parameter ran; skipping is safe.
        for item in out:
            item.add_marker(
                pytest.mark.skip(reason="not among the selected compile-golden cases")
            )
    elif out:
        config.hook.pytest_deselected(items=out)
        gone = set(out)
        items[:] = [item for item in items if item not in gone]


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    # A run that compares nothing with goldens has not imported the module that explains.
    assertion = sys.modules.get("pytest_compile_golden.goldens.assertion")
    return None if assertion is None else assertion.explain(op, left, right)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Explain in plain words what a virtual GPU cannot give a test's body; torch's own error talks about backends."""
    try:
        return (yield)
    except Exception as error:
        case = pyfuncitem.stash.get(CASE, None)
        if (
            case is None
            or isinstance(error, CompileGoldenError)
            or "torch" not in sys.modules
        ):
            raise
        from pytest_compile_golden.observe.torch_errors import unsupported_in_test
        from pytest_compile_golden.targets import get_target

        ours = unsupported_in_test(pyfuncitem.name, error, get_target(case.target))
        if ours is None:
            raise
        raise ours.with_traceback(error.__traceback__) from error


# Outermost: whatever the test's fixtures and other plugins do in the phase is done.
@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    with _judging(item):
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    with _judging(item):
        return (yield)


@contextlib.contextmanager
def _judging(item: pytest.Item) -> Iterator[None]:
    """A phase of a test, which fails if a comparison did, whatever the test made of its result."""
    skipped: BaseException | None = None
    try:
        yield
    except pytest.skip.Exception as error:
        skipped = error
    case = item.stash.get(CASE, None)
    if case is not None and case.process == os.getpid() and case.forked[0]:
        from pytest_compile_golden.goldens.assertion import IN_A_FORK

        case.forked[0] = 0
        case.unjudged.append(GoldenError(IN_A_FORK))
    if case is not None and case.unjudged:
        from pytest_compile_golden.plugin.case_outcome import NotAsserted

        raise next(
            (error for error in case.unjudged if isinstance(error, CompileGoldenError)),
            NotAsserted(),
        )
    if skipped is not None:
        raise skipped


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    case = item.stash.get(CASE, None)
    # A case is counted once: by its call, by the setup that prevented the call, or by a teardown that compares.
    if case is not None and (
        report.when == "call"
        or (not report.passed and (report.when == "setup" or case.unjudged))
        or (report.when == "teardown" and case.compares_later)
    ):
        from pytest_compile_golden.plugin.case_outcome import explain

        explain(item, call, report, case, item.config.stash[SETTINGS])
    elif report.failed and "compile_target" in getattr(item, "fixturenames", ()):
        from pytest_compile_golden.plugin.case_outcome import say_error

        say_error(item, call, report)
    if report.when == "teardown" and case is not None:
        case.ended = True
        del item.stash[CASE]
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """In the process that reports: restore the colours that a worker's report lost on its way."""
    lines = getattr(report, "compile_golden_lines", None)
    if lines and isinstance(report.longrepr, str):
        from pytest_compile_golden.plugin.case_outcome import CaseRepr

        report.longrepr = CaseRepr(lines, report.compile_golden_headline)
