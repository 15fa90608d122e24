"""The pytest plugin: hooks that call the layers below. Importing it imports no torch."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from pathlib import Path

import pytest

from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.plugin import options, selection
from pytest_compile_golden.plugin.fixtures import (
    CASE,
    SETTINGS,
    SKIPPED,
    compile_stages,
    compile_target,
    golden,
    numerics,
)
from pytest_compile_golden.plugin.stage_fixtures import StageFixtures, pass_diff

__all__ = ["compile_stages", "compile_target", "golden", "numerics", "pass_diff"]


def pytest_addoption(parser: pytest.Parser) -> None:
    options.add_options(parser)


# A wrapper: it comes before pytest-xdist reads its options.
@pytest.hookimpl(wrapper=True)
def pytest_cmdline_main(config: pytest.Config) -> Generator[None, object, object]:
    if options.needs_worker(config):
        config.option.numprocesses = 1
    return (yield)


# Last: a conftest.py's own pytest_configure may register stages and targets.
@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        f"{selection.MARKER}({', '.join(f'{key}=...' for key in selection.MARKER_KEYS)}): "
        "how a compile-golden case is compiled and for which targets; the nearest of test, class and module wins.",
    )
    settings = config.stash[SETTINGS] = options.settings_of(config)
    config.pluginmanager.register(StageFixtures(config), "compile-golden-stages")
    if not settings.enabled:
        return
    from pytest_compile_golden.report.faces import check as check_report
    from pytest_compile_golden.targets import get_target

    try:
        for path in settings.devices:
            from pytest_compile_golden.targets import description

            description.register(path)
        options.resolve_stages([settings.ini_stages, settings.cli_stages])
        for name in settings.targets:
            get_target(name)
        for path in settings.reports:
            check_report(path)
    except CompileGoldenError as error:
        raise pytest.UsageError(str(error)) from None
    from pytest_compile_golden.plugin.completeness import Completeness

    completeness = Completeness(config, settings)
    config.pluginmanager.register(completeness, "compile-golden-completeness")
    if settings.timeout is not None:
        from pytest_compile_golden.plugin import timeout

        if not timeout.is_on(config):
            config.pluginmanager.register(timeout.Timeout(config, settings.timeout), "compile-golden-timeout")
    if settings.record is not None:
        from pytest_compile_golden.plugin.recorder import Recorder

        config.pluginmanager.register(Recorder(config, settings, completeness), "compile-golden-recorder")
    if not hasattr(config, "workerinput"):
        from pytest_compile_golden.report.terminal import RunReport

        config.pluginmanager.register(RunReport(completeness, settings.record is not None), "compile-golden-report")
        if settings.reports:
            from pytest_compile_golden.report.collecting import ReportFiles

            files = ReportFiles(config, completeness, settings.reports, _named(config, settings.folder))
            config.pluginmanager.register(files, "compile-golden-report-files")
        if (settings.update or settings.prune) and settings.folder.is_dir():
            # Before any worker writes: what is there now is a killed run's.
            from pytest_compile_golden.goldens.files import remove_leftovers

            with contextlib.suppress(CompileGoldenError, OSError):
                remove_leftovers(settings.folder)


def pytest_report_header(config: pytest.Config) -> list[str]:
    settings = config.stash[SETTINGS]
    if not settings.enabled:
        return []
    from pytest_compile_golden.goldens.versions import installed

    shown = _named(config, settings.folder if settings.record is None else settings.record)
    targets = ", ".join(settings.selected or settings.targets)
    what = "goldens" if settings.record is None else "recording into"
    lines = [f"compile-golden: torch {installed('torch') or 'not installed'}, targets: {targets}, {what}: {shown}"]
    if config.inipath is None and not config.getoption("rootdir", None):
        # Goldens' places are relative to rootdir, which pytest then makes up from the arguments.
        lines.append("compile-golden: no pytest.ini or pyproject.toml; add one, or goldens move with the arguments")
    return lines


def _named(config: pytest.Config, folder: Path) -> str:
    """A folder as people name it: relative to the project where it lies in it."""
    return str(folder.relative_to(config.rootpath) if folder.is_relative_to(config.rootpath) else folder)


# Last, so that the target ends a test's id.
@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "compile_target" in metafunc.fixturenames:
        try:
            selection.parametrize(metafunc, metafunc.config.stash[SETTINGS])
        except CompileGoldenError as error:
            raise pytest.Collector.CollectError(str(error)) from None


# Innermost: other plugins' wrappers filter the result, and names must not depend on what a run selects.
@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    enabled = collector.config.stash[SETTINGS].enabled
    if enabled and isinstance(collector, (pytest.Module, pytest.Class)) and report.passed:
        selection.remember_ambiguous(collector, report.result)
    return report


# Last: syrupy must have seen every test there is, or it would take the rest's snapshots for unused.
@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    settings = config.stash[SETTINGS]
    if not settings.enabled:
        for item in items:
            if "compile_target" in getattr(item, "fixturenames", ()):
                # As a mark: other fixtures of the test need not be set up for nothing.
                item.add_marker(pytest.mark.skip(reason=SKIPPED))
        return
    out = [item for item in items if selection.deselected(item, settings)]
    if settings.record is None and any("snapshot" in getattr(item, "fixturenames", ()) for item in out):
        # syrupy takes a deselected parameter's snapshots for unused once another parameter ran; skipped is safe.
        for item in out:
            item.add_marker(pytest.mark.skip(reason="not among the selected compile-golden cases"))
    elif out:
        config.hook.pytest_deselected(items=out)
        gone = set(out)
        items[:] = [item for item in items if item not in gone]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    case = item.stash.get(CASE, None)
    # A case is counted once: by its call, or by the setup that kept it from getting there.
    if case is not None and (report.when == "call" or (report.when == "setup" and not report.passed)):
        from pytest_compile_golden.plugin.outcome import explain

        explain(item, call, report, case, item.config.stash[SETTINGS])
    elif report.failed and "compile_target" in getattr(item, "fixturenames", ()):
        from pytest_compile_golden.plugin.outcome import say_error

        say_error(item, call, report)
    if report.when == "teardown" and case is not None:
        del item.stash[CASE]
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """In the process that reports: bring back the colours that a worker's report lost on its way."""
    lines = getattr(report, "compile_golden_lines", None)
    if lines and isinstance(report.longrepr, str):
        from pytest_compile_golden.report.longrepr import CaseRepr

        report.longrepr = CaseRepr(lines, report.compile_golden_headline)
