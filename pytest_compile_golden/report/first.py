"""Which stage of a changed case to show first: the one where its first divergence is visible."""

from __future__ import annotations

from pytest_compile_golden.formats.trail import TrailFormat
from pytest_compile_golden.report.model import CaseReport, StageReport
from pytest_compile_golden.stages import stage_of


def first_shown(case: CaseReport) -> StageReport | None:
    """The stage that every report shows for a case; None if none of its stages changed.

    The trail says which step was first, but only as digests. And the ledger row that names the responsible pass may not
    itself count as a change. The effect of such a step is visible in the first stage after it.
    """
    if case.divergence is None:
        return None
    named = [stage for stage in case.stages if stage.stage == case.divergence.stage]
    first = next((stage for stage in named if stage.kind in ("structural", "absent", "metric")), None)
    if first is not None and not _digests(first):
        return first
    # In pipeline order: everything that changed comes after the first divergence.
    behind = [stage for stage in case.stages if stage.kind == "structural" and not stage_of(stage.stage, "").spans]
    return next(iter([*behind, *named]), None)


def _digests(stage: StageReport) -> bool:
    """Whether its text consists of digests, whose diff says nothing."""
    return isinstance(stage_of(stage.stage, "").format, TrailFormat)
