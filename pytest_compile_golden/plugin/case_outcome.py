"""Puts a case's outcome into pytest's report: our text instead of a traceback, and plain data for the summary."""

from __future__ import annotations

import contextlib
import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from _pytest._code.code import TerminalRepr

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.errors import (
    CompileGoldenError,
    GoldenError,
    innermost,
    raised_in,
    reason_of,
)
from pytest_compile_golden.goldens.assertion import GoldenAssertion
from pytest_compile_golden.goldens.case import Case
from pytest_compile_golden.goldens.compare_artifact import Compared
from pytest_compile_golden.goldens.pending_store import PendingStore
from pytest_compile_golden.goldens.pending_verdicts import find_ahead
from pytest_compile_golden.plugin import case_selection
from pytest_compile_golden.plugin.case_selection import (
    pending_command,
    quoted,
    run_command,
)
from pytest_compile_golden.plugin.complete_run import find_goldens_of_earlier_name
from pytest_compile_golden.plugin.run_settings import Settings
from pytest_compile_golden.report import failure_text
from pytest_compile_golden.report.case_groups import changes_of
from pytest_compile_golden.report.case_report import (
    cannot_show,
    case_report,
    metric_history,
    outcome_of,
)
from pytest_compile_golden.report.json_report import plain
from pytest_compile_golden.report.model import CaseReport, Outcome, Point
from pytest_compile_golden.report.styled_lines import Line, printable, write

CaseData = dict[str, object]
_NOT_ASSERTED = (
    "  not asserted      a comparison with golden fails its case even if the test ignores the result: "
    "write `assert ... == golden`"
)


class CaseRepr(TerminalRepr):
    """A report as pytest's `longrepr`: coloured on a terminal, plain as a string."""

    def __init__(self, lines: Sequence[Sequence[str]], headline: str) -> None:
        self.lines = lines
        # Read by pytest's short summary and junitxml.
        self.reprcrash = SimpleNamespace(message=headline)

    def toterminal(self, tw: Any) -> None:
        write(tw, self.lines)


class NotAsserted(AssertionError):
    """A comparison found a change that fails its case, and the test did not fail."""


def explain(
    item: pytest.Item,
    call: pytest.CallInfo[None],
    report: pytest.TestReport,
    case: Case,
    settings: Settings,
) -> None:
    """Explain a case's failure, and attach its data to `report`, which carries it out of an xdist worker.

    A test that passed, but compared nothing with the goldens that it has, fails.
    """
    error = None if call.excinfo is None else call.excinfo.value
    problems: list[Line] = []
    uncompared = ""
    if report.passed and not hasattr(report, "wasxfail") and settings.record is None:
        uncompared = _uncompared(item, report, case)
    if uncompared:
        report.outcome, report.longrepr = "failed", uncompared
    changed = (
        report.failed and isinstance(error, AssertionError) and _is_ours(error, case)
    )
    if report.failed or hasattr(report, "wasxfail"):
        case.unjudged.clear()
    shown = None
    if changed:
        find_goldens_of_earlier_name(item.config, case)
        case.find_same_machine_code()
        shown = _case_report(item, report, case, settings)
        failed = failure_text.Failure(shown, case.torch, settings.ci)
        problems = _remember(item, case, settings)
        lines = failure_text.render(failed, item.config.get_verbosity())
        if isinstance(error, NotAsserted):
            lines.insert(1, ("bad", _NOT_ASSERTED))
        _replace(item, report, lines + problems, failure_text.headline(failed))
    elif report.failed and isinstance(error, AssertionError) and _is_wrong(error, case):
        _say(item, call, report, str(case.asserted))
    elif uncompared or (report.failed and isinstance(error, CompileGoldenError)):
        _say(item, call, report, uncompared or str(error))
    elif report.passed and any(
        change.severity == "note" for change in case.waiting if change.fails
    ):
        problems = _remember(item, case, settings)
    elif report.passed:
        case.passed = True
        # It has nothing to decide. What cannot be cleared is refused later, by name: no reason to fail a passing case.
        with contextlib.suppress(GoldenError, OSError):
            if settings.pending is not None and settings.pending.is_dir():
                PendingStore(settings.pending).clear(case.folder)
    elif report.failed:
        shown = _unchecked(item, report, case, settings, call)
        lines = failure_text.render_unchecked(shown, item.config.get_verbosity())
        if lines:
            report.sections.append(
                ("compile-golden", "\n".join(text for _, text in lines))
            )
    outcome: Outcome | None = None if report.skipped else outcome_of(_compared(case))
    if outcome == "same" and not case.compared and settings.record is None:
        outcome = "unchecked"
    if not report.skipped and (
        report.failed
        or settings.reports
        or outcome not in ("same", "unchecked", "cosmetic")
    ):
        shown = shown or _case_report(
            item, report, case, settings, call, error_text=uncompared
        )
        shown = (
            replace(shown, outcome="unchecked")
            if outcome == "unchecked" and not report.failed
            else shown
        )
        outcome = shown.outcome
    data: CaseData = {
        "torch": case.torch,
        "target": case.target,
        "outcome": outcome,
        "changes": None if shown is None else plain(_counted(shown)),
        "pending": pending_command(settings, "review")
        if changed and settings.pending is not None and not problems
        else "",
        "written": dict(Counter(written.action for written in case.written)),
        "unavailable": case.missing,
        "weights": case.weights(),
        "remarks": sorted(case.remarks),
        "left_out": sorted(case.omitted),
        "passes": case.other_passes(),
        "suffixes": sorted(case.names.suffixes),
    }
    report.compile_golden = data  # type: ignore[attr-defined]
    if settings.reports and shown is not None:
        report.compile_golden_case = plain(shown)  # type: ignore[attr-defined]


def _uncompared(item: pytest.Item, report: pytest.TestReport, case: Case) -> str:
    """What is wrong with a test that passed and compared nothing although it has goldens; empty if nothing is."""
    if report.when == "call" and not case.compares and _may_compare_later(item):
        case.compares_later = True
        return ""
    try:
        goldens = case.not_compared()
    except GoldenError as error:
        return str(error)
    if not goldens:
        return ""
    folder = goldens[0].parent
    shown = os.path.relpath(case.store.root / folder, item.config.invocation_params.dir)
    why = (
        " (Python runs with -O, which leaves out asserts in helper modules)"
        if sys.flags.optimize
        else ""
    )
    of_base = (
        f"mark it with @pytest.mark.{case_selection.MARKER}(target=...) if it is not for {case.target}"
        if folder != case.folder
        else f"delete {shown} if they are no longer needed"
    )
    return (
        f"the test made no comparison{why}, but has {quantity(len(goldens), 'golden')} in {shown}.\n"
        f"Write `assert ... == golden` where every run gets to it, call pytest.skip(), or {of_base}."
    )


def _may_compare_later(item: pytest.Item) -> bool:
    """Whether a fixture of the test, or its object, has the goldens, and so its teardown may compare."""
    assert isinstance(item, pytest.Function)
    fixtures = item._fixtureinfo.name2fixturedefs.values()
    asks = any(
        "golden" in fixture.argnames for several in fixtures for fixture in several
    )
    held = () if item.instance is None else vars(item.instance).values()
    return asks or any(isinstance(value, GoldenAssertion) for value in held)


def _counted(full: CaseReport) -> CaseReport:
    """The parts of a case's report that counting needs."""
    metrics = tuple(metric for metric in full.metrics if metric.verdict != "same")
    return CaseReport(
        full.nodeid,
        full.target,
        full.outcome,
        changes=changes_of(full),
        secondary=full.secondary,
        metrics=metrics,
        error=full.error,
        raised_in=full.raised_in,
    )


def _unchecked(
    item: pytest.Item,
    report: pytest.TestReport,
    case: Case,
    settings: Settings,
    call: pytest.CallInfo[None],
) -> CaseReport:
    """A case that failed for a reason other than its goldens, with what the compiler did differently."""
    # The test has already failed; a damaged golden, or a stage that cannot be rendered, is not the reason.
    with contextlib.suppress(Exception):
        return _case_report(item, report, case, settings, call, case.unchecked())
    return _case_report(item, report, case, settings, call)


def _case_report(
    item: pytest.Item,
    report: pytest.TestReport,
    case: Case,
    settings: Settings,
    call: pytest.CallInfo[None] | None = None,
    unchecked: Sequence[Compared] = (),
    error_text: str = "",
) -> CaseReport:
    """The case for a report; with `call` or an error's text, its failure is an error rather than a change."""
    excinfo = None if call is None else call.excinfo
    run = run_command(item, case.target, settings)
    return case_report(
        case.nodeid,
        case.target,
        [*_compared(case), *unchecked],
        unavailable=cannot_show(case.missing),
        history=_history(case, settings),
        error=error_text or None if excinfo is None else _error_text(excinfo),
        raised_in="" if excinfo is None else raised_in(excinfo.value),
        reproduce=run,
        # Goldens cannot hold what a setting of this run changed.
        accept=None if settings.config else f"{run} --snapshot-update",
        seconds=round(report.duration, 3),
        detail="full" if settings.reports else "brief",
        moved_from=None if case.moved_from is None else str(case.moved_from),
        move=pending_command(
            settings, "accept", "--moved", "--case", quoted(case.nodeid)
        ),
        usual=settings.usual
        if any(artifact.metrics for artifact in case.compared)
        else None,
    )


def _compared(case: Case) -> list[Compared]:
    """Every artifact; what this run accepted, which is the golden now, as the same."""
    return [
        replace(artifact, kind="same", alike="") if artifact.accepted else artifact
        for artifact in case.compared
    ]


def _error_text(excinfo: pytest.ExceptionInfo[BaseException]) -> str:
    if isinstance(excinfo.value, CompileGoldenError):
        return str(excinfo.value)
    return (
        excinfo.exconly()
        if innermost(excinfo.value) is excinfo.value
        else reason_of(excinfo.value)
    )


def _history(case: Case, settings: Settings) -> dict[str, list[Point]]:
    """The metrics of a changed case over its goldens, up to this run."""
    if not any(artifact.fails for artifact in case.compared):
        return {}
    # A damaged golden has been reported as the case's error, or is not one of this run's.
    with contextlib.suppress(GoldenError, OSError):
        return metric_history(settings.folder, case.folder, settings.bases)
    return {}


def _remember(item: pytest.Item, case: Case, settings: Settings) -> list[Line]:
    """Leave a failing case's artifacts in the pending store; returns lines that say so if that is not possible."""
    if settings.pending is None:
        return []
    goldens, root = settings.folder, item.config.rootpath
    named = (
        goldens.relative_to(root).as_posix()
        if goldens.is_relative_to(root)
        else str(goldens)
    )
    try:
        pending = case.pending(named)
        store = PendingStore(settings.pending)
        store.keep(pending)
        find_ahead(store, pending, case.store, lambda: settings.usual)
    except (GoldenError, OSError) as error:
        return [("bad", f"  {'not pending':<16}  {printable(str(error))}")]
    return []


def say_error(
    item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport
) -> None:
    """Replace the traceback of an error meant for the user with its message and the line of the test it came from."""
    error = None if call.excinfo is None else call.excinfo.value
    if isinstance(error, CompileGoldenError):
        _say(item, call, report, str(error) or type(error).__name__)


def _say(
    item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport, text: str
) -> None:
    lines: list[Line] = [("title", printable(item.nodeid))]
    traceback = [] if call.excinfo is None else call.excinfo.traceback
    here = [entry for entry in traceback if str(entry.path) == str(item.path)]
    if here:
        lines.append(
            ("", f"  at                {item.location[0]}:{here[-1].lineno + 1}")
        )
    message = split_lines(text)
    lines += [
        ("bad" if number == 0 else "", f"  {printable(line)}")
        for number, line in enumerate(message)
    ]
    _replace(item, report, lines, printable(message[0]))


def _is_ours(error: AssertionError, case: Case) -> bool:
    """Whether the assertion that failed is the case's last comparison, and not one after it."""
    if isinstance(error, NotAsserted):
        return True
    if not case.failed:
        return False
    # Outside modules whose asserts pytest rewrites, an assertion has no message at all.
    message = str(error)
    return not message or (case.explained != "" and case.explained in message)


def _is_wrong(error: AssertionError, case: Case) -> bool:
    """Whether the assertion that failed is on what a fixture last gave the test to assert."""
    asserted = case.asserted
    message = str(error)
    return (
        asserted is not None
        and not asserted
        and (not message or repr(asserted) in message)
    )


def _replace(
    item: pytest.Item, report: pytest.TestReport, lines: list[Line], headline: str
) -> None:
    report.compile_golden_lines = lines  # type: ignore[attr-defined]
    report.compile_golden_headline = headline  # type: ignore[attr-defined]
    if not item.config.getoption("fulltrace", False):
        report.longrepr = CaseRepr(lines, headline)
