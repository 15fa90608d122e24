"""Compares two recorded runs in one report: what the new one does differently, with no goldens involved."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import PurePosixPath
from typing import Any, Literal

import msgspec

from pytest_compile_golden.changes.change import MINOR
from pytest_compile_golden.changes.numbers import ResultChanged
from pytest_compile_golden.common import disk_cache
from pytest_compile_golden.common.garbage_collection import gc_paused
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.common.regular_expressions import without_numbers
from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.goldens.case_files import ArtifactOnDisk
from pytest_compile_golden.goldens.golden_store import ABSENT
from pytest_compile_golden.goldens.metric_history import Thresholds
from pytest_compile_golden.goldens.severity import without_verdict
from pytest_compile_golden.messages.numbers import why
from pytest_compile_golden.recordings import compare_cases
from pytest_compile_golden.recordings.recording import RecordedCase, Recording, Run
from pytest_compile_golden.report import cases_in_full
from pytest_compile_golden.report.case_groups import grouped, refuted
from pytest_compile_golden.report.case_report import Detail, cannot_show, case_report
from pytest_compile_golden.report.model import (
    CaseReport,
    FirstDivergence,
    Outcome,
    Report,
    ReportedChange,
    Side,
    StageReport,
)
from pytest_compile_golden.stages import is_built_in

_NAMED = 5
_FAILED = ("failed", "error")
_IN_SHORT = msgspec.json.Decoder(CaseReport)
# As `observe/torch_errors.py: reason` writes it, within what pytest says of it.
_ERROR = re.compile(
    r"(?P<kind>(?:[\w.]+: )+)(?P<said>.*?)(?P<at>, at [\w.#-]+\.py:.*)?$"
)
_REWORDED = 0.5
"""The least share of words that two wordings of one error have in common."""


@dataclass(frozen=True)
class _Runs:
    """What is the same in the comparison of each case of two runs."""

    old: Run
    aside: frozenset[str]
    """Stages that are not compared, because one side did not record them."""
    old_label: str
    new_label: str
    usual: Thresholds | None


def report(
    old: Recording | CompileGoldenError,
    new: Recording | CompileGoldenError,
    old_label: str,
    new_label: str,
    detail: Detail = "full",
    only_examples: bool = False,
    usual: Thresholds | None = None,
) -> Report:
    """How each case changed between two runs. A case that one of them lacks is `new` or `missing`.

    An error passed instead of a recording says why that side could not run at all. detail: see `Detail`; with
    `only_examples`, that of the cases that a large report tells in full, while others are told in short; with "terse",
    so are all.
    usual: how far a metric must move to count in the project whose cases these are, by `metric_history.thresholds`.
    """
    if isinstance(old, CompileGoldenError) or isinstance(new, CompileGoldenError):
        return Report(
            f"{old_label} against {new_label}",
            _side(old, old_label),
            _side(new, new_label),
            (),
        )
    before, after = ({case.folder: case for case in run.cases} for run in (old, new))
    aside = compare_cases.not_in_both(old.run, new.run)
    runs = _Runs(old.run, aside, old_label, new_label, usual)
    cases: dict[PurePosixPath, CaseReport] = {}
    in_short = only_examples and len(before.keys() | after.keys()) > cases_in_full.MOST

    def case_in(folder: PurePosixPath) -> CaseReport:
        sides = before[folder], after[folder], runs
        if not in_short:
            return _case(*sides, detail)
        return _sharing(_in_short(*sides), shared)

    shared: dict[ReportedChange | StageReport, Any] = {}
    with gc_paused():
        both = sorted(before.keys() & after.keys()) if in_short else []
        disk_cache.find_in_forks(case_in, both)
        for folder in sorted({*before, *after}):
            old_case, new_case = before.get(folder), after.get(folder)
            if old_case is not None and new_case is not None:
                if "suite" not in old.run.options or not _is_no_case(
                    old_case, new_case
                ):
                    cases[folder] = case_in(folder)
            elif new_case is not None and not compare_cases.silent(old, new):
                cases[folder] = CaseReport(
                    new_case.nodeid, new_case.target, "new", seconds=new_case.seconds
                )
            elif old_case is not None and not compare_cases.silent(new, old):
                cases[folder] = CaseReport(old_case.nodeid, old_case.target, "missing")
    found = refuted(_with_results_of_other_targets(cases))
    groups = grouped(found)
    if in_short and detail != "terse":
        in_full = cases_in_full.chosen(found, groups)
        with gc_paused():
            for folder, case in cases.items():
                if case.nodeid in in_full and folder in before and folder in after:
                    cases[folder] = _case(before[folder], after[folder], runs, detail)
        found = refuted(_with_results_of_other_targets(cases))
    return Report(
        title=f"{named(old.run, old_label)} against {named(new.run, new_label)}",
        old=_side(old, old_label),
        new=_side(new, new_label),
        cases=found,
        groups=groups,
        notes=(
            *_notes(old, new, old_label, new_label, aside),
            *_alone(old, new, old_label, new_label),
        ),
    )


def _in_short(old: RecordedCase, new: RecordedCase, runs: _Runs) -> CaseReport:
    """What a large report says of a case that is not told in full, which is kept for the next one."""
    key = None
    if all(
        is_built_in(artifact.stage)
        for side in (old, new)
        for artifact in side.artifacts
    ):
        facts = (
            runs.old.torch,
            sorted(runs.aside),
            runs.old_label,
            runs.new_label,
            sorted((runs.usual or {}).items()),
        )
        key = disk_cache.key(
            "case in short", repr(facts), *_contents(old), *_contents(new)
        )

    def find() -> CaseReport:
        return cases_in_full.shortened(_case(old, new, runs, "terse"))

    case: CaseReport = disk_cache.found(
        key, find, msgspec.json.encode, _IN_SHORT.decode
    )
    return case


def _sharing(
    case: CaseReport, shared: dict[ReportedChange | StageReport, Any]
) -> CaseReport:
    """The case with what is equal in others as the same objects: of thousands of cases, most of what is said is."""
    changes, secondary, stages = (
        tuple(shared.setdefault(each, each) for each in several)
        for several in (case.changes, case.secondary, case.stages)
    )
    return replace(case, changes=changes, secondary=secondary, stages=stages)


def _contents(case: RecordedCase) -> Iterator[str | bytes]:
    """All that is recorded of a case."""
    facts = msgspec.structs.asdict(msgspec.structs.replace(case, artifacts=()))
    yield repr([*facts.items()])
    for artifact in case.artifacts:
        yield from (artifact.stage, artifact.stem, artifact.extension)
        if isinstance(artifact, ArtifactOnDisk):
            yield artifact.digest
        else:
            yield from (artifact.text, artifact.evidence)


def _is_no_case(old: RecordedCase, new: RecordedCase) -> bool:
    """Whether a test of an existing suite compiles nothing, and ends in the same way, on both sides."""
    return (
        not (old.artifacts or new.artifacts) and old.verdict == new.verdict != "failed"
    )


def _case(
    old: RecordedCase, new: RecordedCase, runs: _Runs, detail: Detail
) -> CaseReport:
    compared = compare_cases.compared(old, new, runs.old.torch, runs.aside)
    failure = _failure(old, new, runs.old_label, runs.new_label)
    if failure is not None:
        # A side that failed may not have got as far as the other: only what both made says something about torch.
        compared = [
            artifact
            for artifact in compared
            if ABSENT not in (artifact.old, artifact.new)
        ]
        if failure[0] == "failing" and compare_cases.differs(compared):
            failure = None
    found = case_report(
        new.nodeid,
        new.target,
        compared,
        unavailable=[
            *cannot_show(
                {
                    stage: why
                    for stage, why in old.unavailable.items()
                    if stage not in new.unavailable
                },
                runs.old.torch,
            ),
            *cannot_show(new.unavailable),
        ],
        error=None if failure is None else failure[1],
        raised_in=new.raised_in
        if failure is not None and failure[0] == "error"
        else "",
        failure="error" if failure is None else failure[0],
        detail=detail,
        seconds=new.seconds,
        wrong=_wrong(old, new, failure),
        costs=compare_cases.costs_of_one(old, new) if detail == "full" else (),
        usual=runs.usual,
    )
    if found.outcome in ("same", "cosmetic") and failure is None:
        # What wrapper code checks fails no case by itself, and is a difference between two sides.
        checked = [change for change in found.secondary if change.kind not in MINOR]
        if checked:
            first = FirstDivergence(checked[0].text, checked[0].stage)
            return replace(
                found,
                outcome="changed",
                divergence=first,
                changes=tuple(checked),
                secondary=tuple(
                    each for each in found.secondary if each not in checked
                ),
            )
    if (
        found.outcome != "failing"
        or _reason(old) == _reason(new)
        or _is_reworded(old, new)
    ):
        return found
    text = next(iter(split_lines(found.error or "")))
    return replace(
        found, changes=(ReportedChange("", text, f"error: {text}", "error"),)
    )


def _wrong(
    old: RecordedCase, new: RecordedCase, failure: tuple[Outcome, str] | None
) -> Literal["", "old", "new"]:
    """The side that computes something else than eager, if the other one does not."""
    match failure:
        case ("fixed", _) if old.wrong:
            return "old"
        case ("error", _) if new.wrong:
            return "new"
    return ""


def _with_results_of_other_targets(
    cases: Mapping[PurePosixPath, CaseReport],
) -> tuple[CaseReport, ...]:
    """With what is known of a change from the same test on another target, where its results are computed.

    On a virtual CPU nothing runs: what a pass does there that fixes the result on a GPU is no regression either.
    """
    known = {
        (folder.parent, change.key): ResultChanged(case.wrong, case.target)
        for folder, case in cases.items()
        if case.wrong
        for change in case.changes
    }

    def told(folder: PurePosixPath, case: CaseReport) -> CaseReport:
        reasons = [known.get((folder.parent, change.key)) for change in case.changes]
        if case.outcome != "changed" or case.why or None in reasons:
            return case
        reason = next(iter(reasons), None)
        aside = without_verdict(reason)
        metrics = (
            replace(each, verdict="changed") if each.verdict in aside else each
            for each in case.metrics
        )
        return replace(case, metrics=tuple(metrics), why=why(reason))

    return tuple(told(folder, case) for folder, case in cases.items())


def _failure(
    old: RecordedCase, new: RecordedCase, old_label: str, new_label: str
) -> tuple[Outcome, str] | None:
    """How a case that failed on a side ended, as an outcome and in words; None if it failed on neither."""
    before, after = (case.message or "no reason given" for case in (old, new))
    if old.verdict in _FAILED and new.verdict in _FAILED:
        if _reason(old) == _reason(new):
            return "failing", f"fails on both sides: {after}"
        if _is_reworded(old, new):
            return (
                "failing",
                f"fails on both sides, with the same error in other words: {after}\nbefore: {before}",
            )
        return (
            "failing",
            f"fails on both sides, now with another error: {after}\nbefore: {before}",
        )
    if old.verdict == new.verdict:
        return None
    if new.verdict == "passed":
        return "fixed", f"fixed: {old.outcome} on {old_label} only: {before}"
    return "error", f"{new.outcome} on {new_label} only: {after}"


def _reason(case: RecordedCase) -> str:
    """Equal for two failures of the same kind."""
    return without_numbers(next(iter(split_lines(case.message or "")), ""))


def _is_reworded(old: RecordedCase, new: RecordedCase) -> bool:
    """Whether two failures are of one kind, at the same line of the program if their messages say at which, and say
    much the same."""
    before, after = (_ERROR.match(_reason(case)) for case in (old, new))
    if (
        before is None
        or after is None
        or before.group("kind", "at") != after.group("kind", "at")
    ):
        return False
    words = SequenceMatcher(
        None, before["said"].split(), after["said"].split(), autojunk=False
    )
    return words.ratio() >= _REWORDED


def _side(recording: Recording | CompileGoldenError, label: str) -> Side:
    if isinstance(recording, CompileGoldenError):
        return Side(label, error=str(recording))
    run = recording.run
    targets = tuple(sorted({case.target for case in recording.cases}))
    return Side(
        label,
        run.torch,
        run.triton,
        run.python or None,
        run.platform or None,
        targets,
        recording.partial,
        run.commit,
    )


def named(run: Run, label: str) -> str:
    """A side as it is named to people: its torch version, and its label if that says more."""
    if run.torch is None:
        return label
    says_it = label in (run.torch, run.torch.partition("+")[0])
    return f"torch {run.torch}" if says_it else f"torch {run.torch} ({label})"


def _alone(
    old: Recording, new: Recording, old_label: str, new_label: str
) -> Iterator[str]:
    """What is not compared because only the goldens, or only the run, has it."""
    folders = [{case.folder for case in side.cases} for side in (old, new)]
    for label, alone in (
        (old_label, folders[0] - folders[1]),
        (new_label, folders[1] - folders[0]),
    ):
        if alone and old.of_goldens != new.of_goldens:
            yield f"not compared, because only {label} has them: {quantity(len(alone), 'case')}"


def _notes(
    old: Recording,
    new: Recording,
    old_label: str,
    new_label: str,
    aside: frozenset[str],
) -> list[str]:
    notes = []
    if aside:
        notes.append(
            f"not compared, because one side did not record it: {', '.join(sorted(aside))}"
        )
    if old.run.normaliser != new.run.normaliser:
        notes.append(
            f"the sides were recorded by normaliser {old.run.normaliser} and {new.run.normaliser}: install the same "
            "version of pytest-compile-golden in both, or some differences will come from the normaliser"
        )
    policies = {
        side.run.options["policy"]
        for side in (old, new)
        if "policy" in side.run.options
    }
    if len(policies) > 1:
        notes.append("the sides were recorded with different --compile-golden-policy")
    for label, side in ((old_label, old), (new_label, new)):
        if side.left_out:
            cases = (
                f"{len(side.cases)} of the {quantity(side.run.recorded or 0, 'case')}"
            )
            notes.append(
                f"{label} has only {cases} that its run recorded; the others are not compared"
            )
    before = {case.folder: case for case in old.cases if case.outcome in _FAILED}
    both = [
        case for case in new.cases if case.outcome in _FAILED and case.folder in before
    ]
    if both:
        named = ", ".join(case.nodeid for case in both[:_NAMED]) + (
            ", ..." if len(both) > _NAMED else ""
        )
        notes.append(
            f"{quantity(len(both), 'case')} failed on both sides and may be only partly compared: {named}"
        )
    return notes
