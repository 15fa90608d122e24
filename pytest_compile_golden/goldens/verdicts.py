"""Which changes of a metric are for better or worse: those that torch is the cause of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pytest_compile_golden.goldens import ledger
from pytest_compile_golden.goldens.cause import Cause
from pytest_compile_golden.goldens.compare import Change
from pytest_compile_golden.goldens.metrics import MetricChange

_TORCH = "torch/"


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
    return tuple(replace(each, verdict="changed") if each.verdict in aside else each for each in metrics)


def yours(found: Cause) -> bool:
    """Whether the first divergence is the program, or a pass that is not torch's."""
    return found.program or (found.phase in ledger.MADE_BY and _not_torchs(found.where))


def _does_less(change: Change) -> bool:
    """Whether a pass or a pattern of the project matches less, or nothing any more."""
    for old, new in ledger.pairs(ledger.read(change.golden_text), ledger.read(change.actual_text)):
        if old is None:
            continue
        its_own = _not_torchs(old.where)
        if its_own and not old.idle and (new is None or new.idle):
            return True
        after = {} if new is None else new.patterns
        for name, (count, where) in old.patterns.items():
            if (its_own or _not_torchs(where)) and after.get(name, (0, None))[0] < count:
                return True
    return False


def _not_torchs(where: str | None) -> bool:
    return where is not None and not where.startswith(_TORCH)
