"""Cases by distinct change, those that matter most first: a person reads forty equal changes once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_compile_golden.formats.edits import TOPICS
from pytest_compile_golden.formats.metrics.write import UNITS
from pytest_compile_golden.goldens.compare import SAME_MACHINE_CODE
from pytest_compile_golden.goldens.grouping import group
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.report.metrics import shown
from pytest_compile_golden.report.model import CaseGroup, CaseReport, DistinctChange, MetricReport, Outcome

_ORDER: tuple[Outcome, ...] = ("error", "missing", "changed", "new")
_TEXTS: dict[Outcome, str] = {"new": "no golden yet", "missing": "does not exist any more"}


def grouped(cases: Iterable[CaseReport]) -> tuple[CaseGroup, ...]:
    """A group for each distinct change: errors and lost compilations first, then what costs more time or memory, then
    by topic, by size, and by the number of cases."""
    every = [(case, changes_of(case), case.besides) for case in cases]
    found = []
    for changes, members in group(each for each in every if each[1]):
        first, outcome = changes[0], members[0].outcome if members[0].outcome != "cosmetic" else "changed"
        numbers = _numbers(members, {each.key for each in changes})
        told, times = costs(numbers), _times(numbers)
        found.append(
            _Ranked(
                CaseGroup(
                    outcome=outcome if outcome in _ORDER else "changed",
                    text=first.text,
                    stage=first.stage,
                    where=first.where,
                    topic=first.topic,
                    edits=tuple(each.text for each in changes[1:]),
                    keys=tuple(each.key for each in changes),
                    consequence=", ".join(map(_cost_text, [*told, *(each for each in times if told and _tells(each))])),
                    worse=any(each.verdict == "REGRESSION" for each in told),
                    same_machine_code=all(map(same_machine_code, members)),
                    members=tuple(case.nodeid for case in members),
                ),
                max((each.relative for each in times or told), default=0.0),
            )
        )
    return tuple(each.group for each in sorted(found, key=_rank))


def same_machine_code(case: CaseReport) -> bool:
    """Whether kernels of the case that are written otherwise became the machine code that they were."""
    return any(each.depth == SAME_MACHINE_CODE for each in case.stages)


def changes_of(case: CaseReport) -> tuple[DistinctChange, ...]:
    """What a case is grouped by: its changes, or that it failed, is new or is gone; empty where it is as before."""
    if case.outcome == "error":
        text = next(iter(split_lines(case.error or "")), "failed")
        return (DistinctChange("", text, f"error: {text}", "error"),)
    if case.outcome in _TEXTS:
        return (DistinctChange("", _TEXTS[case.outcome], case.outcome, case.outcome),)
    first = case.divergence
    if case.outcome != "changed" or case.changes or first is None:
        return case.changes if case.outcome == "changed" else ()
    return (DistinctChange(first.stage, first.text, first.text, "operators", first.where),)


def main_change(case: CaseReport) -> DistinctChange | None:
    """Of a case's changes the one that its numbers follow from: of those that cost most, the first."""
    return min(changes_of(case), key=lambda each: _topic(each.topic), default=None)


_LEAST_TOLD = 0.01
"""A time that changed by less is told as none: it is an estimate."""


@dataclass(frozen=True)
class _Ranked:
    group: CaseGroup
    size: float
    """By how much of what it was the time, or else the metric that changed most, went up or down."""


@dataclass(frozen=True)
class Cost:
    """One metric over the cases whose numbers follow from a change."""

    name: str
    old: float
    new: float
    cases: int
    verdict: str

    @property
    def relative(self) -> float:
        return abs(self.new - self.old) / max(abs(self.old), 1)


def _rank(each: _Ranked) -> tuple[int, bool, bool, int, float, int]:
    """What costs more first, then what costs less, then what no number tells: of that, what is computed is of one rank
    wherever it shows, so that what many cases have stands first.
    """
    its = each.group
    worse = its.worse or its.topic == "lost"
    topic = "arithmetic" if its.topic in ("memory", "operators") else its.topic
    return (
        _ORDER.index(its.outcome),
        not worse,
        not its.consequence,
        _topic(topic),
        -each.size,
        -len(its.members),
    )


def _topic(name: str) -> int:
    return TOPICS.index(name) if name in TOPICS else len(TOPICS)


def _numbers(members: Sequence[CaseReport], keys: set[str]) -> list[MetricReport]:
    """The metrics of cases of which this is the main change."""
    mine = [case for case in members if (first := main_change(case)) is not None and first.key in keys]
    return [metric for case in mine for metric in case.metrics]


def _times(numbers: Sequence[MetricReport]) -> list[Cost]:
    """What the target needs at least, where that changed: it is in no verdict, and ranks."""
    return _sums(each for each in numbers if UNITS.get(each.name.rpartition(".")[2]) == "ns" and each.verdict != "same")


def costs(metrics: Iterable[MetricReport]) -> list[Cost]:
    """Those with a better direction summed by name and verdict, regressions first."""
    return _sums(each for each in metrics if each.verdict in ("REGRESSION", "WIN"))


def verdicts(metrics: Iterable[MetricReport]) -> Counter[str]:
    """How many got better and worse, as `costs` tells them."""
    counts: Counter[str] = Counter()
    for each in costs(metrics):
        counts[each.verdict] += each.cases
    return counts


def _sums(metrics: Iterable[MetricReport]) -> list[Cost]:
    sums: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for metric in metrics:
        old, new = metric.old, metric.new
        if isinstance(old, (int, float)) and isinstance(new, (int, float)):
            sums.setdefault((metric.verdict, metric.name), []).append((old, new))
    return [
        Cost(name, sum(old for old, _ in pairs), sum(new for _, new in pairs), len(pairs), verdict)
        for (verdict, name), pairs in sorted(sums.items())
    ]


def _tells(time: Cost) -> bool:
    return time.relative >= _LEAST_TOLD


def _cost_text(cost: Cost) -> str:
    where = f" in {cost.cases} cases" if cost.cases > 1 else ""
    return f"{cost.name} {shown(cost.name, _number(cost.old))} -> {shown(cost.name, _number(cost.new))}{where}"


def _number(value: float) -> int | float:
    return int(value) if value == int(value) else value
