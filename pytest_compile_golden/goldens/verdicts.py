"""Which changes of a metric are for better or worse: those that torch is the cause of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pytest_compile_golden.formats.ledger import compare as ledger
from pytest_compile_golden.formats.metrics.compare import MetricChange
from pytest_compile_golden.goldens.cause import Cause
from pytest_compile_golden.goldens.compare import Change
from pytest_compile_golden.stages import phase

_TORCH = "torch/"
_PLACE = re.compile(r"\.py:\d+$")


def judged(metrics: Sequence[MetricChange], found: Cause | None, changes: Sequence[Change]) -> tuple[MetricChange, ...]:
    """The changes of metrics, with `changed` for a verdict that is not for torch.

    Of the program, or of a pass of its project, none is; and where such a pass does less than it did, a smaller number
    is no win. found: the case's first divergence. changes: all of the case.
    """
    if found is not None and yours(found):
        aside = {"REGRESSION", "WIN"}
    elif any(_does_less(change) for change in changes if change.stage == "passes"):
        aside = {"WIN"}
    else:
        aside = set()
    return tuple(replace(metric, verdict="changed") if metric.verdict in aside else metric for metric in metrics)


def yours(found: Cause) -> bool:
    """Whether the first divergence is the program, or a pass that is not torch's."""
    its = phase(found.phase)
    return found.program or (its is not None and its.passes and _not_torchs(found.where))


def _does_less(change: Change) -> bool:
    """Whether a pass or a pattern of the project matches less, or nothing any more."""
    for old, new in ledger.pairs(ledger.runs(change.golden_text), ledger.runs(change.actual_text)):
        if old is None:
            continue
        its_own = _not_torchs(old.row.where)
        if its_own and not old.row.idle and (new is None or new.row.idle):
            return True
        after = {} if new is None else {pattern.name: pattern.count for pattern in new.row.patterns}
        for pattern in old.row.patterns:
            if (its_own or _not_torchs(pattern.where)) and after.get(pattern.name, 0) < pattern.count:
                return True
    return False


def _not_torchs(where: str | None) -> bool:
    return where is not None and _PLACE.search(where) is not None and not where.startswith(_TORCH)
