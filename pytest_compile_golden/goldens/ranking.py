"""What matters most: distinct changes in one order, in reports and in reviews."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from pytest_compile_golden.formats.edits import TOPICS
from pytest_compile_golden.formats.format import Number
from pytest_compile_golden.formats.metrics.table import LISTED, LISTS, UNITS

_JUDGED = ("REGRESSION", "WIN")


class Metric(Protocol):
    """A number on both sides, and what became of it."""

    @property
    def name(self) -> str: ...

    @property
    def old(self) -> Number | None: ...

    @property
    def new(self) -> Number | None: ...

    @property
    def verdict(self) -> str: ...


class About(Protocol):
    """A distinct change, as far as it matters here."""

    @property
    def stage(self) -> str: ...

    @property
    def topic(self) -> str: ...

    @property
    def key(self) -> str: ...


M = TypeVar("M", bound=Metric)
A = TypeVar("A", bound=About)


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
        """By how much of what it was it went up or down."""
        return abs(self.new - self.old) / max(abs(self.old), 1)


Rank = tuple[bool, bool, bool, int, float, int]


def better_or_worse(metrics: Iterable[M]) -> list[M]:
    """Those that a verdict was given for: regressions and wins."""
    return [metric for metric in metrics if metric.verdict in _JUDGED]


def gravity(metrics: Iterable[Metric]) -> tuple[int, float]:
    """Sorts cases: those that got worse first, then those that got better, each by how much."""
    told = costs(metrics)
    kind = 0 if any(cost.verdict == "REGRESSION" for cost in told) else 1 if told else 2
    return kind, -max((cost.relative for cost in told), default=0.0)


def costs(metrics: Iterable[Metric]) -> list[Cost]:
    """Those with a better direction summed by name and verdict, regressions first."""
    return _sums(better_or_worse(metrics))


def times(metrics: Iterable[Metric]) -> list[Cost]:
    """What the target needs at least, where that changed: it is in no verdict, and ranks."""
    return _sums(metric for metric in metrics if UNITS.get(metric_name(metric)) == "ns" and metric.old != metric.new)


def metric_name(metric: Metric) -> str:
    """Without the name of the capture that it is of."""
    return metric.name.rpartition(".")[2]


def metric_key(metric: Metric) -> str:
    """What a distinct change that is nothing but this number is known by."""
    news = "changed"
    if isinstance(metric.old, (int, float)) and isinstance(metric.new, (int, float)):
        news = "up" if metric.new > metric.old else "down"
    return f"{metric.name} {news}"


def numbers_of(
    keys: Collection[str], changes: Sequence[A], metrics: Sequence[M], besides: Collection[str] = ()
) -> list[M]:
    """Those of a case's metrics that follow from its changes in `keys`; `besides` are those that other cases have.

    A number that is a distinct change by itself follows from that, one of which a stage lists what it counts from what
    came or went there, every other one from the main change.
    """
    listed = next((change.key for change in changes if change.stage == LISTS), None)
    numbers = {metric_key(metric) for metric in metrics} & {*(change.key for change in changes), *besides}
    # Nothing that is computed follows from what guards check, or from where the graph ends.
    computed = [change for change in changes if change.topic not in ("guards", "breaks")]
    main = main_change([change for change in changes if change.key not in numbers] or computed)
    others = main is not None and main.key in keys

    def follows(metric: M) -> bool:
        if metric_key(metric) in numbers:
            return metric_key(metric) in keys
        return listed in keys if listed is not None and metric_name(metric) in LISTED else others

    return [metric for metric in metrics if follows(metric)]


def main_change(changes: Sequence[A]) -> A | None:
    """Of a case's changes the one that its numbers follow from: of those that cost most, the first."""
    return min(changes, key=lambda change: _place(change.topic), default=None)


def rank(topic: str, told: Sequence[Cost], least: Sequence[Cost], members: int) -> Rank:
    """Where a change stands among others: lost compilations, what costs more, what costs less, what no number tells.

    `told` are its costs, `least` the times. Of one tier, what is computed is of one topic wherever it shows, so that
    what many cases have stands first; before their number, the size of what went up or down: the time, or else the
    metric that changed most.
    """
    worse = any(cost.verdict == "REGRESSION" for cost in told)
    size = max((cost.relative for cost in least or told), default=0.0)
    place = _place("arithmetic" if topic in ("memory", "operators") else topic)
    return topic != "lost", not worse, not told, place, -size, -members


def _place(topic: str) -> int:
    return TOPICS.index(topic) if topic in TOPICS else len(TOPICS)


def _sums(metrics: Iterable[Metric]) -> list[Cost]:
    sums: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for metric in metrics:
        old, new = metric.old, metric.new
        if isinstance(old, (int, float)) and isinstance(new, (int, float)):
            sums.setdefault((metric.verdict, metric.name), []).append((old, new))
    return [
        Cost(name, sum(old for old, _ in pairs), sum(new for _, new in pairs), len(pairs), verdict)
        for (verdict, name), pairs in sorted(sums.items())
    ]
