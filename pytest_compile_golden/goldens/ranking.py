"""Distinct changes by importance, in the same order in reports and in reviews."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from pytest_compile_golden.changes.change import MINOR, OTHER_RESULTS, TOPICS
from pytest_compile_golden.formats.format import Number
from pytest_compile_golden.formats.metrics.metric_table import (
    DIRECTIONS,
    GUARDED,
    NOT_COMPARED,
    UNITS,
)
from pytest_compile_golden.formats.metrics.printed import hardly_moves, verdict_of

_JUDGED = ("REGRESSION", "WIN")
_COSTS = (
    {name for name, better in DIRECTIONS.items() if better}
    - GUARDED.keys()
    - NOT_COMPARED
)
"""The metrics that have a better direction and a verdict."""


class JudgedNumber(Protocol):
    """A number on both sides, with a verdict."""

    @property
    def name(self) -> str: ...

    @property
    def old(self) -> Number | None: ...

    @property
    def new(self) -> Number | None: ...

    @property
    def verdict(self) -> str:
        """`REGRESSION` or `WIN` if it moved far enough, `small` if not, `changed` if neither direction is better."""
        ...


class Keyed(Protocol):
    """The parts of a distinct change by which it is grouped and ranked."""

    @property
    def stage(self) -> str: ...

    @property
    def topic(self) -> str: ...

    @property
    def key(self) -> str:
        """Equal for the same change in another case."""
        ...

    @property
    def where(self) -> str | None:
        """File and line in torch or in the user's code, as far as known."""
        ...

    @property
    def code(self) -> str: ...

    @property
    def apart(self) -> bool:
        """Whether it cannot follow from what changed before it in its case."""
        ...

    @property
    def wording(self) -> str:
        """Differs between cases that have the change in different ways."""
        ...

    def as_example(self: A) -> A:
        """The same, as an example: its cases have it in different ways."""
        ...


M = TypeVar("M", bound=JudgedNumber)
A = TypeVar("A", bound=Keyed)


@dataclass(frozen=True)
class Cost:
    """One metric, summed over the cases whose numbers follow from a change."""

    name: str
    old: float
    new: float
    cases: int
    verdict: str
    whole: bool = True
    """Whether it is all that moves these numbers, so that `new` is what they are now."""

    @property
    def relative(self) -> float:
        """How much it went up or down, relative to the old value."""
        return abs(self.new - self.old) / max(abs(self.old), 1)


Rank = tuple[int, bool, bool, int, bool, int, float, int]


def better_or_worse(metrics: Iterable[M]) -> list[M]:
    """Those with a verdict: regressions and wins."""
    return [metric for metric in metrics if metric.verdict in _JUDGED]


CaseVerdict = Literal["", "REGRESSION", "WIN", "mixed", "small"]


def case_verdict(metrics: Iterable[JudgedNumber]) -> CaseVerdict:
    """What the numbers of a case, or of a change, come to: `mixed` if some got better and others worse, `small` if none
    moved by more than such numbers usually do, and empty if none of them is better or worse."""
    found = {metric.verdict for metric in metrics}
    if found >= {*_JUDGED}:
        return "mixed"
    verdicts: tuple[CaseVerdict, ...] = ("REGRESSION", "WIN", "small")
    return next((verdict for verdict in verdicts if verdict in found), "")


def severity_key(metrics: Iterable[JudgedNumber]) -> tuple[int, float]:
    """A sort key for cases: those that got worse first, then those that got better, each by how much."""
    summed = costs(metrics)
    return _tier(summed), -max((cost.relative for cost in summed), default=0.0)


def metric_order(metric: JudgedNumber) -> tuple[int, float, str]:
    """A sort key for a case's metrics: what costs more, what costs less, what moved little, what has no better side."""
    verdicts = (*_JUDGED, "small", "changed")
    verdict = (
        verdicts.index(metric.verdict) if metric.verdict in verdicts else len(verdicts)
    )
    cost = next(iter(sums([metric])), None)
    return verdict, 0.0 if cost is None else -cost.relative, metric.name


def costs(metrics: Iterable[JudgedNumber]) -> list[Cost]:
    """Those with a better direction, summed by name and verdict, regressions first."""
    return sums(better_or_worse(metrics))


@dataclass(frozen=True)
class MovedNumber:
    """What some of a case's changes do to one of its numbers."""

    name: str
    old: float
    new: float
    """What the number would be if nothing else moved it."""
    verdict: str
    """Never better or worse than the case's own: a part that goes the other way is neither."""
    whole: bool
    """Whether nothing else moves it, so that `new` is what the case has."""


def noticeable(metrics: Iterable[M]) -> list[M]:
    """Costs, and FLOPs, that moved further than such numbers usually do, whatever their verdict."""
    names = _COSTS | {"flops"}
    return [
        metric
        for metric in metrics
        if metric.old != metric.new
        and metric_name(metric) in names
        and not hardly_moves(metric.name, metric.old, metric.new)
    ]


def told(metrics: Iterable[M]) -> list[M]:
    """Those that a report says of a change: with a verdict, and FLOPs, which never have one, that moved noticeably; or,
    if none has a verdict, all that moved noticeably."""
    metrics = list(metrics)
    judged = better_or_worse(metrics)
    return [
        *judged,
        *(
            metric
            for metric in noticeable(metrics)
            if not judged or metric_name(metric) == "flops"
        ),
    ]


def moved(metrics: Iterable[JudgedNumber]) -> list[Cost]:
    """Those that have a better direction and differ, whatever their verdict, summed by name."""
    return sums(
        metric
        for metric in metrics
        if metric.old != metric.new and metric_name(metric) in _COSTS
    )


def paid(metrics: Iterable[JudgedNumber]) -> bool:
    """Whether any of them that has a better direction moved to the worse side, whatever its verdict."""
    return any(
        (cost.new > cost.old) == (DIRECTIONS[cost.name.rpartition(".")[2]] == "lower")
        for cost in moved(metrics)
    )


def _tier(summed: Sequence[Cost]) -> int:
    """What got worse comes first, then what got better or is explained, then what no number shows."""
    if not summed:
        return 2
    return 0 if any(cost.verdict == "REGRESSION" for cost in summed) else 1


def times(metrics: Iterable[JudgedNumber]) -> list[Cost]:
    """The minimum time on the target, where that changed: it has no verdict, but it ranks."""
    return sums(
        metric
        for metric in metrics
        if UNITS.get(metric_name(metric)) == "ns" and metric.old != metric.new
    )


def metric_name(metric: JudgedNumber) -> str:
    """Its name without that of its capture."""
    return metric.name.rpartition(".")[2]


def metric_key(metric: JudgedNumber) -> str:
    """The key of a distinct change that consists of this number alone."""
    news = "changed"
    if isinstance(metric.old, (int, float)) and isinstance(metric.new, (int, float)):
        news = "up" if metric.new > metric.old else "down"
    return f"{metric.name} {news}"


UNEXPLAINED = "unexplained"
"""In the place of a change's key: what no change of a case explains."""
COUNTED_OTHERWISE = "counted otherwise"
"""The same: what torch counts differently although the same runs."""
Parts = Mapping[str, float]
"""By how much a number of a case is moved by each change, by its key."""


def numbers_of(
    keys: Collection[str],
    metrics: Iterable[JudgedNumber],
    parts: Mapping[str, Parts],
) -> list[MovedNumber]:
    """What the changes with these keys do to a case's numbers: each number that they move, as if nothing else did."""
    found = []
    for metric in metrics:
        of_metric = parts.get(metric.name, {})
        amount = sum(of_metric.get(key, 0) for key in keys)
        if amount and isinstance(metric.old, (int, float)):
            new = whole(metric.old + amount)
            alone = len(of_metric) == 1
            verdict = metric.verdict if alone else _verdict_of_part(metric, new)
            if COUNTED_OTHERWISE in keys:
                verdict = "changed"
            found.append(MovedNumber(metric.name, metric.old, new, verdict, alone))
    return found


def whole(number: float) -> float:
    """A number that is a whole one as such, since it is shown: 12 and not 12.0."""
    return int(number) if number == int(number) else number


def _verdict_of_part(metric: JudgedNumber, new: float) -> str:
    """That of a number of which a part alone would make `new`: what the number came to, if the part goes the same way
    and is not small itself."""
    if metric.verdict not in _JUDGED:
        return metric.verdict
    verdict = verdict_of(metric_name(metric), metric.old, new)
    return verdict if verdict in (metric.verdict, "small") else "changed"


def rank(
    topic: str,
    kind: str,
    own_costs: Sequence[Cost],
    least: Sequence[Cost],
    members: int,
    wrong: Literal["", "old", "new"] = "",
) -> Rank:
    """The rank of a change: results that are wrong now, and those that are mended; results that change, for a seed or
    for infinity; lost compilations; then what costs more, what costs less, or more for a reason, and what no number
    shows; last, what leaves everything that runs as it is.

    `own_costs` are what it explains of its cases' costs, `least` the times. Costs come by size: that of the time, or
    else of the metric that changed most. Where no number shows anything, all computation is one topic wherever it
    shows, so that what many cases have comes first. wrong: the side that computes something else than eager.
    """
    size = max((cost.relative for cost in least or own_costs), default=0.0)
    if topic in ("memory", "operators"):
        topic = "arithmetic"
    topic_rank = TOPICS.index(topic) if topic in TOPICS else len(TOPICS)
    results = ("new", "old", "").index(wrong)
    return (
        results,
        topic not in OTHER_RESULTS,
        topic != "lost",
        _tier(own_costs),
        kind in MINOR,
        0 if own_costs else topic_rank,
        -size,
        -members,
    )


def sums(metrics: Iterable[JudgedNumber]) -> list[Cost]:
    """Numbers summed by name, verdict and direction, regressions first: what some cases have more of and others less is
    no sum of either."""
    pairs_of: dict[tuple[str, str, bool], list[tuple[float, float]]] = {}
    divided: set[tuple[str, str, bool]] = set()
    for metric in metrics:
        old, new = metric.old, metric.new
        if isinstance(old, (int, float)) and isinstance(new, (int, float)):
            key = metric.verdict, metric.name, new < old
            pairs_of.setdefault(key, []).append((old, new))
            if isinstance(metric, MovedNumber) and not metric.whole:
                divided.add(key)
    return [
        Cost(
            name,
            sum(old for old, _ in pairs),
            sum(new for _, new in pairs),
            len(pairs),
            verdict,
            (verdict, name, less) not in divided,
        )
        for (verdict, name, less), pairs in sorted(pairs_of.items())
    ]
