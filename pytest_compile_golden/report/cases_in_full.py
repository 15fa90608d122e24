"""Which cases of a large report are told in full, so that its size grows with what changed and not with every text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import zip_longest

from pytest_compile_golden.report.model import CaseGroup, CaseReport

MOST = 100
"""So many cases are told in full: more than anybody reads, and each distinct change is among them."""
_OF_EACH = 3
"""So many cases of each change are kept while a run goes on, of which the report chooses."""
_WHILE_RUNNING = 5 * MOST
"""The most that are kept."""


def chosen(cases: Sequence[CaseReport], groups: Iterable[CaseGroup]) -> frozenset[str]:
    """The node IDs of the cases to tell in full: those that are not as before, if there are no more than MOST.

    If there are, the first case of each distinct change, then the second of each, and so on: the changes that matter
    most come first, and of their cases those that got worse.
    """
    changed = {case.nodeid: _has_texts(case) for case in cases if not case.as_before}
    if len(changed) <= MOST:
        return frozenset(changed)
    in_turn = (
        nodeid
        for turn in zip_longest(*(group.members for group in groups))
        for nodeid in turn
        if nodeid
    )
    # Those that were shortened before, in a shard or while the run went on, come last.
    ordered = sorted(
        dict.fromkeys([*in_turn, *changed]), key=lambda nodeid: not changed.get(nodeid)
    )
    return frozenset(ordered[:MOST])


def shortened(case: CaseReport) -> CaseReport:
    """The case without texts, and without what is as before: what it is listed, searched and grouped by."""
    stages = (
        replace(stage, old=None, new=None, old_evidence="", new_evidence="", edits=())
        for stage in case.stages
        if stage.kind != "same"
    )
    metrics = (
        replace(metric, history=())
        for metric in case.metrics
        if metric.old != metric.new
    )
    return replace(
        case, stages=tuple(stages), metrics=tuple(metrics), ledger=(), kernels=()
    )


def with_examples(
    cases: Sequence[CaseReport], groups: Iterable[CaseGroup]
) -> tuple[CaseReport, ...]:
    """The cases of a report; if there are more than MOST, shortened but for its examples."""
    if len(cases) <= MOST:
        return tuple(cases)
    in_full = chosen(cases, groups)
    return tuple(case if case.nodeid in in_full else shortened(case) for case in cases)


class Kept:
    """Decides while a run goes on which of its cases are kept in full, so that it never holds the texts of all."""

    def __init__(self) -> None:
        self._full = 0
        self._of_change: Counter[str] = Counter()

    def of(self, case: CaseReport) -> CaseReport:
        """The case, shortened if MOST are kept and each of its changes has been kept a few times."""
        changes = [change.key for change in case.changes]
        seen = all(self._of_change[change] >= _OF_EACH for change in changes)
        if self._full >= _WHILE_RUNNING or (self._full >= MOST and seen):
            return shortened(case)
        self._full += _has_texts(case)
        self._of_change.update(changes)
        return case


def left_out(cases: Iterable[CaseReport]) -> list[str]:
    """A note on cases that changed and whose texts are left out; none if there are none."""
    changed = [case for case in cases if case.is_change or case.outcome == "noted"]
    told = sum(map(_has_texts, changed))
    if told == len(changed):
        return []
    return [
        f"of the {len(changed)} cases that changed, {told} are told with texts, passes and kernels, chosen from each "
        "distinct change; a report on fewer cases has them of the others"
    ]


def _has_texts(case: CaseReport) -> bool:
    return any(stage.old or stage.new for stage in case.stages)
