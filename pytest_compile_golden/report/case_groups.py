"""Cases grouped by distinct change, most important first: forty identical changes are read once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby

from pytest_compile_golden.goldens.compare import SAME_MACHINE_CODE
from pytest_compile_golden.goldens.grouping import group
from pytest_compile_golden.goldens.ranking import Cost, Rank, costs, numbers_of, rank, severity_key, times
from pytest_compile_golden.report.common_failures import common_failures, error_of
from pytest_compile_golden.report.metrics import share, step
from pytest_compile_golden.report.model import CaseGroup, CaseReport, DistinctChange, MetricReport, Outcome

_ORDER: tuple[Outcome, ...] = ("error", "missing", "changed", "noted", "failing", "fixed", "new")
# Relative changes in time below this are not reported: times are estimates.
_LEAST_REPORTED = 0.01
_ERROR = "error: "
_TEXTS: dict[Outcome, str] = {"new": "no golden yet", "missing": "no longer exists"}


def grouped(cases: Iterable[CaseReport], causes: Mapping[tuple[str, str], str] | None = None) -> tuple[CaseGroup, ...]:
    """A group for each distinct change: errors first, then missing cases, then in the order of `ranking`; what failed
    before comes after all changes.

    causes: what is proved to have made a change, by case and key: changes with the same cause are one, and one that has
    several is as many.
    """
    cases = list(cases)
    every = [(case, changes_of(case), case.besides) for case in cases]
    common = {f"{_ERROR}{failure.error}": failure.text for failure in common_failures(cases)}
    own_keys = {change.key for _, changes, _ in every for change in changes}
    ranked: list[tuple[tuple[int, Rank], CaseGroup]] = []
    for changes, members in _by_cause(group(entry for entry in every if entry[1]), causes or {}):
        first, outcome = changes[0], members[0].outcome if members[0].outcome in _ORDER else "changed"
        keys = frozenset(change.key for change in changes)
        members = sorted(members, key=lambda case: severity_key(numbers_in(keys, case, own_keys)))
        numbers = [metric for case in members for metric in numbers_in(keys, case, own_keys)]
        totals, least = costs(numbers), times(numbers)
        shown_times = [metric for metric in least if totals and metric.relative >= _LEAST_REPORTED]
        case_group = CaseGroup(
            outcome=outcome,
            text=common.get(first.key, first.text),
            stage=first.stage,
            where=first.where,
            topic=first.topic,
            code=first.code,
            kind=first.kind,
            names=tuple(dict.fromkeys(name for change in changes for name in change.names)),
            edits=tuple(change.text for change in changes[1:]),
            keys=tuple(change.key for change in changes),
            consequence=_consequence([*totals, *shown_times], len(members)) if any(t.weighs for t in totals) else "",
            worse=any(metric.verdict == "REGRESSION" and metric.weighs for metric in totals),
            same_machine_code=all(map(same_machine_code, members)),
            members=tuple(case.nodeid for case in members),
        )
        ranked.append(((_ORDER.index(outcome), rank(first.topic, first.kind, totals, least, len(members))), case_group))
    return tuple(case_group for _, case_group in sorted(ranked, key=lambda entry: entry[0]))


def _by_cause(
    groups: Iterable[tuple[list[DistinctChange], list[CaseReport]]], causes: Mapping[tuple[str, str], str]
) -> Iterable[tuple[list[DistinctChange], list[CaseReport]]]:
    apart: dict[object, tuple[dict[str, DistinctChange], dict[str, CaseReport]]] = {}
    for number, (changes, members) in enumerate(groups):
        for case in members:
            known = (causes.get((case.nodeid, change.key)) for change in changes)
            cause = next(filter(None, known), number)
            texts, cases = apart.setdefault(cause, ({}, {}))
            texts |= {change.key: change for change in changes if change.key not in texts}
            cases[case.nodeid] = case
    return [([*texts.values()], [*cases.values()]) for texts, cases in apart.values()]


def same_machine_code(case: CaseReport) -> bool:
    """Whether kernels of the case that are written differently compile to the same machine code as before."""
    return any(stage.depth == SAME_MACHINE_CODE for stage in case.stages)


def changes_of(case: CaseReport) -> tuple[DistinctChange, ...]:
    """What a case is grouped by: its changes, or that it failed, is new or is missing; empty if it is as before."""
    if case.outcome in ("error", "failing", "fixed"):
        text = error_of(case)
        return (DistinctChange("", text, f"{_ERROR}{text}", "error"),)
    if case.outcome in _TEXTS:
        return (DistinctChange("", _TEXTS[case.outcome], case.outcome, case.outcome),)
    first = case.divergence
    changed = case.outcome in ("changed", "noted")
    if not changed or case.changes or first is None:
        return case.changes if changed else ()
    return (DistinctChange(first.stage, first.text, first.text, "operators", first.where),)


def numbers_in(keys: Collection[str], case: CaseReport, known: Collection[str]) -> list[MetricReport]:
    """The metrics of a case that follow from the distinct changes in `keys`; `known` has the keys of all changes in the
    report."""
    besides = [change.key for change in case.besides if change.key in known]
    return numbers_of(keys, changes_of(case), case.metrics, besides)


def verdicts(metrics: Iterable[MetricReport]) -> Counter[str]:
    """How many metrics that weigh got better and worse."""
    counts: Counter[str] = Counter()
    for metric in costs(metrics):
        counts[metric.verdict] += metric.cases if metric.weighs else 0
    return counts


def _consequence(totals: Sequence[Cost], members: int) -> str:
    """Sums of metrics; if the group has several cases, each list says over how many."""
    parts = []
    for cases, costs_of in groupby(totals, key=lambda cost: cost.cases):
        sums = ", ".join(map(_sum, costs_of))
        parts.append(f"{sums} in {cases} case{'s' * (cases > 1)}" if members > 1 else sums)
    return ", ".join(parts)


def _sum(cost: Cost) -> str:
    return f"{cost.name} {step(cost.name, _number(cost.old), _number(cost.new))}{share(cost)}"


def _number(value: float) -> int | float:
    return int(value) if value == int(value) else value
