"""Compares two recorded runs in one report: what the new one does differently, with no goldens involved."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.recordings import pairing
from pytest_compile_golden.recordings.recording import RecordedCase, Recording, Run
from pytest_compile_golden.report.case_groups import grouped
from pytest_compile_golden.report.cases import case_report
from pytest_compile_golden.report.counts import count
from pytest_compile_golden.report.model import CaseReport, Report, Side

_NAMED = 5


def report(
    old: Recording | CompileGoldenError,
    new: Recording | CompileGoldenError,
    old_label: str,
    new_label: str,
    brief: bool = False,
) -> Report:
    """How each case changed between two runs. A case that one of them lacks is `new` or `missing`.

    An error passed instead of a recording says why that side could not run at all. `brief`: see `case_report`.
    """
    if isinstance(old, CompileGoldenError) or isinstance(new, CompileGoldenError):
        return Report(f"{old_label} against {new_label}", _side(old, old_label), _side(new, new_label), ())
    before, after = ({case.folder: case for case in run.cases} for run in (old, new))
    aside = pairing.not_in_both(old.run, new.run)
    cases = []
    with all_kept():
        for folder in sorted({*before, *after}):
            old_case, new_case = before.get(folder), after.get(folder)
            if old_case is not None and new_case is not None:
                cases.append(_case(old_case, new_case, old.run, aside, old_label, new_label, brief))
            elif new_case is not None and not pairing.silent(old, new):
                cases.append(CaseReport(new_case.nodeid, new_case.target, "new", seconds=new_case.seconds))
            elif old_case is not None and not pairing.silent(new, old):
                cases.append(CaseReport(old_case.nodeid, old_case.target, "missing"))
    return Report(
        title=f"{_named(old.run, old_label)} against {_named(new.run, new_label)}",
        old=_side(old, old_label),
        new=_side(new, new_label),
        cases=tuple(cases),
        groups=grouped(cases),
        notes=tuple(_notes(old, new, old_label, new_label, aside)),
    )


@contextmanager
def all_kept() -> Iterator[None]:
    """Turn garbage collection off: nearly every object made here lives as long as the report, and collection takes a
    sixth of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.freeze()  # or the next collection would scan all of it
            gc.enable()


def _case(
    old: RecordedCase,
    new: RecordedCase,
    run: Run,
    aside: frozenset[str],
    old_label: str,
    new_label: str,
    brief: bool,
) -> CaseReport:
    error = None
    if old.verdict != new.verdict:
        worse, label = (old, old_label) if new.verdict == "passed" else (new, new_label)
        error = f"{worse.outcome} on {label} only: {worse.message or 'no reason given'}"
    return case_report(
        new.nodeid,
        new.target,
        pairing.compared(old, new, run.torch, aside),
        unavailable={**old.unavailable, **new.unavailable},
        error=error,
        brief=brief,
        seconds=new.seconds,
    )


def _side(recording: Recording | CompileGoldenError, label: str) -> Side:
    if isinstance(recording, CompileGoldenError):
        return Side(label, error=str(recording))
    run = recording.run
    targets = tuple(sorted({case.target for case in recording.cases}))
    return Side(
        label, run.torch, run.triton, run.python or None, run.platform or None, targets, recording.partial, run.commit
    )


def _named(run: Run, label: str) -> str:
    """A side as named in a title: its torch version, and its label if that says more."""
    if run.torch is None:
        return label
    says_it = label in (run.torch, run.torch.partition("+")[0])
    return f"torch {run.torch}" if says_it else f"torch {run.torch} ({label})"


def _notes(old: Recording, new: Recording, old_label: str, new_label: str, aside: frozenset[str]) -> list[str]:
    notes = []
    if aside:
        notes.append(f"not compared, because one side did not record it: {', '.join(sorted(aside))}")
    if old.run.normaliser != new.run.normaliser:
        notes.append(
            f"the sides were recorded by normaliser {old.run.normaliser} and {new.run.normaliser}: install the same "
            "version of pytest-compile-golden in both, or some differences will come from the normaliser"
        )
    policies = {side.run.options["policy"] for side in (old, new) if "policy" in side.run.options}
    if len(policies) > 1:
        notes.append("the sides were recorded with different --compile-golden-policy")
    for label, side in ((old_label, old), (new_label, new)):
        if side.left_out:
            cases = f"{len(side.cases)} of the {count(side.run.recorded or 0, 'case')}"
            notes.append(f"{label} has only {cases} that its run recorded; the others are not compared")
    before = {case.folder: case for case in old.cases if case.outcome in ("failed", "error")}
    both = [case for case in new.cases if case.outcome in ("failed", "error") and case.folder in before]
    if both:
        named = ", ".join(case.nodeid for case in both[:_NAMED]) + (", ..." if len(both) > _NAMED else "")
        notes.append(f"{count(len(both), 'case')} failed on both sides and may be only partly compared: {named}")
    return notes
