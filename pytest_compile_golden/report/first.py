"""Which stage of a changed case is looked at first: where its first divergence shows."""

from __future__ import annotations

from pathlib import PurePosixPath

from pytest_compile_golden.report.model import CaseReport, StageReport
from pytest_compile_golden.stages import stage_of


def first_shown(case: CaseReport) -> StageReport | None:
    """The stage that every report shows of a case; None where none of them changed.

    The ledger and the trail tell which step was first, and in digests and rows at that: what it came to shows in the
    first stage behind it that changed.
    """
    if case.divergence is None:
        return None
    named = [each for each in case.stages if each.stage == case.divergence.stage and each.kind != "same"]
    first = next((each for each in named if each.kind in ("structural", "absent")), next(iter(named), None))
    if first is not None and not _spans(first):
        return first
    # In pipeline order: whatever changed is behind the first divergence.
    return next((each for each in case.stages if each.kind == "structural" and not _spans(each)), first)


def _spans(each: StageReport) -> bool:
    return stage_of(each.stage, PurePosixPath(each.file).suffix.removeprefix(".")).spans
