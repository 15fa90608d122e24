"""Which changes of a metric are for better or worse: those caused by torch."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pytest_compile_golden.changes.verdict import Coalescing, CountedOtherwise, Reason, ResultFixed, Undone
from pytest_compile_golden.formats.ledger import compare as ledger
from pytest_compile_golden.formats.metrics.compare import MetricChange, Verdict
from pytest_compile_golden.formats.schedule.coalescing import split_apart
from pytest_compile_golden.formats.schedule.unpacked import equal_except_unpacking
from pytest_compile_golden.goldens.cause import Cause, passes_of
from pytest_compile_golden.goldens.compare import Compared
from pytest_compile_golden.stages import phase

_TORCH = "torch/"
_BYTES = frozenset({"bytes_accessed", "peak_memory"})
"""torch's own numbers, which it sums over its operations."""
_PLACE = re.compile(r"\.py:\d+$")


def judged(
    metrics: Sequence[MetricChange],
    first: Cause | None,
    changes: Sequence[Compared],
    why: Reason | None = None,
) -> tuple[MetricChange, ...]:
    """The changes of metrics, with the verdict `changed` where torch is not the cause, or where there is a reason.

    If the program, or a pass of its project, changed, torch never is; if such a pass does less than it did, a smaller
    number is not a win; and if the same code runs, bytes that torch counts differently are neither.
    first: the case's first divergence. changes: all changes of the case.
    """
    if first is not None and is_users(first):
        aside: set[Verdict] = {"REGRESSION", "WIN"}
    elif any(_does_less(change) for change in changes if change.stage == "passes"):
        aside = {"WIN"}
    else:
        aside = _aside(why)
    counted = _BYTES if isinstance(why, CountedOtherwise) else frozenset[str]()
    return tuple(
        replace(metric, verdict="changed") if metric.verdict in aside or metric.name in counted else metric
        for metric in metrics
    )


def reason(changes: Sequence[Compared], fixed: bool = False) -> Reason | None:
    """Why the numbers of a case are neither better nor worse; None if nothing is known to say so.

    fixed: whether the old side computes something else than eager, and the new one does not.
    """
    failing = [change for change in changes if change.fails and change.kind != "new"]
    # What a trail says is said by others too, and it also has steps that no golden keeps.
    again = [change.again for change in failing if change.stage != "trail"]
    if fixed:
        return ResultFixed()
    if again and all(again):
        return Undone(again[0])
    if _counted_differently(failing):
        return CountedOtherwise()
    for change in failing:
        scheduled = change.stage == "scheduler_nodes" and change.kind == "structural"
        if scheduled and (regained := split_apart(change.old, change.new)):
            return Coalescing(regained)
    return None


def _aside(why: Reason | None) -> set[Verdict]:
    """The verdicts that do not hold for this reason."""
    match why:
        case Undone():
            return {"REGRESSION", "WIN"}
        case ResultFixed() | Coalescing():
            return {"REGRESSION"}
    return set()


def _counted_differently(changes: Sequence[Compared]) -> bool:
    """Whether schedules differ only in which of torch's operations holds the result of a library call."""
    schedules = [change for change in changes if change.stage == "scheduler_nodes" and change.kind == "structural"]
    return bool(schedules) and all(equal_except_unpacking(change.old, change.new) for change in schedules)


def is_users(first: Cause) -> bool:
    """Whether the first divergence is in the program, or in a pass that is not torch's."""
    in_phase = phase(first.phase)
    return first.program or (in_phase is not None and in_phase.passes and _is_outside_torch(first.where))


def _does_less(change: Compared) -> bool:
    """Whether a pass or a pattern of the project matches less than it did, or no longer matches anything."""
    for old, new in ledger.pairs(*passes_of(change)):
        if old is None:
            continue
        its_own = _is_outside_torch(old.row.where)
        if its_own and not old.row.idle and (new is None or new.row.idle):
            return True
        after = {} if new is None else {pattern.name: pattern.count for pattern in new.row.patterns}
        for pattern in old.row.patterns:
            if (its_own or _is_outside_torch(pattern.where)) and after.get(pattern.name, 0) < pattern.count:
                return True
    return False


def _is_outside_torch(where: str | None) -> bool:
    return where is not None and _PLACE.search(where) is not None and not where.startswith(_TORCH)
