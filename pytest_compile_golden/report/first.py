"""Which stage of a changed case is looked at first: where its first divergence shows."""

from __future__ import annotations

from pytest_compile_golden.formats.trail import TrailFormat
from pytest_compile_golden.report.model import CaseReport, StageReport
from pytest_compile_golden.stages import stage_of


def first_shown(case: CaseReport) -> StageReport | None:
    """The stage that every report shows of a case; None where none of them changed.

    The trail tells which step was first, but in digests; and in a ledger a change may not count that names the pass
    which changed what does. What such a step came to shows in the first stage behind it.
    """
    if case.divergence is None:
        return None
    named = [stage for stage in case.stages if stage.stage == case.divergence.stage]
    first = next((stage for stage in named if stage.kind in ("structural", "absent", "metric")), None)
    if first is not None and not _digests(first):
        return first
    # In pipeline order: whatever changed is behind the first divergence.
    behind = [stage for stage in case.stages if stage.kind == "structural" and not stage_of(stage.stage, "").spans]
    return next(iter([*behind, *named]), None)


def _digests(stage: StageReport) -> bool:
    """Whether its text is digests, of which a diff says nothing."""
    return isinstance(stage_of(stage.stage, "").format, TrailFormat)
