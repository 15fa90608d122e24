"""Which cases of a large report are told in full, so that its size grows with what changed and not with every text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import zip_longest

from pytest_compile_golden.report.model import CaseGroup, CaseReport

MOST = 100
"""So many cases are told in full: more than anybody reads, and each distinct change is among them."""


def chosen(cases: Sequence[CaseReport], groups: Iterable[CaseGroup]) -> frozenset[str]:
    """The node IDs of the cases to tell in full: those that are not as before, if there are no more than MOST.

    If there are, the first case of each distinct change, then the second of each, and so on: the changes that matter
    most come first, and of their cases those that got worse.
    """
    changed = [case.nodeid for case in cases if not case.as_before]
    if len(changed) <= MOST:
        return frozenset(changed)
    in_turn = (nodeid for turn in zip_longest(*(group.members for group in groups)) for nodeid in turn if nodeid)
    return frozenset([*dict.fromkeys([*in_turn, *changed])][:MOST])


def shortened(case: CaseReport) -> CaseReport:
    """The case without texts, and without what is as before: what it is listed, searched and grouped by."""
    stages = (
        replace(stage, old=None, new=None, old_evidence="", new_evidence="", edits=())
        for stage in case.stages
        if stage.kind != "same"
    )
    metrics = (replace(metric, history=()) for metric in case.metrics if metric.old != metric.new)
    return replace(case, stages=tuple(stages), metrics=tuple(metrics), ledger=(), kernels=())


def with_examples(
    cases: Sequence[CaseReport], groups: Sequence[CaseGroup]
) -> tuple[tuple[CaseReport, ...], tuple[str, ...]]:
    """The cases of a report, shortened but for its examples if there are more than MOST; and what to say about that."""
    if len(cases) <= MOST:
        return tuple(cases), ()
    in_full = chosen(cases, groups)
    kept = tuple(case if case.nodeid in in_full else shortened(case) for case in cases)
    return kept, left_out(cases, in_full)


def left_out(cases: Sequence[CaseReport], in_full: frozenset[str]) -> tuple[str, ...]:
    """A note on the cases without texts; none if these are as before."""
    changed = sum(not case.as_before for case in cases)
    if changed <= len(in_full):
        return ()
    return (
        f"of the {changed} cases that are not as before, {len(in_full)} are told with texts, passes and kernels, "
        "chosen from each distinct change; a report on fewer cases has them of the others",
    )
