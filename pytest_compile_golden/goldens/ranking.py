"""Distinct changes by importance, in the same order in reports and in reviews."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from pytest_compile_golden.changes.change import MINOR, TOPICS
from pytest_compile_golden.formats.format import Number
from pytest_compile_golden.formats.metrics.table import DIRECTIONS, GUARDED, LISTED, LISTS, NOT_COMPARED, UNITS

_JUDGED = ("REGRESSION", "WIN")


class JudgedNumber(Protocol):
    """A number on both sides, with a verdict."""

    @property
    def name(self) -> str: ...

    @property
    def old(self) -> Number | None: ...

    @property
    def new(self) -> Number | None: ...

    @property
    def verdict(self) -> str: ...


class Keyed(Protocol):
    """The parts of a distinct change by which it is grouped and ranked."""

    @property
    def stage(self) -> str: ...

    @property
    def topic(self) -> str: ...

    @property
    def key(self) -> str: ...

    @property
    def where(self) -> str | None: ...

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

    @property
    def relative(self) -> float:
        """How much it went up or down, relative to the old value."""
        return abs(self.new - self.old) / max(abs(self.old), 1)


Rank = tuple[bool, int, bool, int, float, int]


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
    verdict = verdicts.index(metric.verdict) if metric.verdict in verdicts else len(verdicts)
    cost = next(iter(_sums([metric])), None)
    return verdict, 0.0 if cost is None else -cost.relative, metric.name


def costs(metrics: Iterable[JudgedNumber]) -> list[Cost]:
    """Those with a better direction, summed by name and verdict, regressions first."""
    return _sums(better_or_worse(metrics))


def moved(metrics: Iterable[JudgedNumber]) -> list[Cost]:
    """Those that have a better direction and differ, whatever their verdict, summed by name."""
    names = {name for name, better in DIRECTIONS.items() if better} - GUARDED.keys() - NOT_COMPARED
    return _sums(metric for metric in metrics if metric.old != metric.new and metric_name(metric) in names)


def paid(metrics: Iterable[JudgedNumber]) -> bool:
    """Whether any of them that has a better direction moved to the worse side, whatever its verdict."""
    return any(
        (cost.new > cost.old) == (DIRECTIONS[cost.name.rpartition(".")[2]] == "lower") for cost in moved(metrics)
    )


def _tier(summed: Sequence[Cost]) -> int:
    """What got worse comes first, then what got better or is explained, then what no number shows."""
    if not summed:
        return 2
    return 0 if any(cost.verdict == "REGRESSION" for cost in summed) else 1


def times(metrics: Iterable[JudgedNumber]) -> list[Cost]:
    """The minimum time on the target, where that changed: it has no verdict, but it ranks."""
    return _sums(metric for metric in metrics if UNITS.get(metric_name(metric)) == "ns" and metric.old != metric.new)


def metric_name(metric: JudgedNumber) -> str:
    """Its name without that of its capture."""
    return metric.name.rpartition(".")[2]


def metric_key(metric: JudgedNumber) -> str:
    """The key of a distinct change that consists of this number alone."""
    news = "changed"
    if isinstance(metric.old, (int, float)) and isinstance(metric.new, (int, float)):
        news = "up" if metric.new > metric.old else "down"
    return f"{metric.name} {news}"


def numbers_of(
    keys: Collection[str], changes: Sequence[A], metrics: Sequence[M], secondary: Collection[str] = ()
) -> list[M]:
    """Those of a case's metrics that follow from its changes in `keys`; `secondary` are keys that other cases have.

    A number that is itself a distinct change follows from that change, a number that counts what a stage lists follows
    from what is new or gone there, and any other number follows from the main change.
    """
    listed = next((change.key for change in changes if change.stage == LISTS), None)
    numbers = {metric_key(metric) for metric in metrics} & {*(change.key for change in changes), *secondary}
    # No computation follows from what guards check, or from where the graph ends.
    computed = [change for change in changes if change.topic not in ("guards", "breaks")]
    main = main_change([change for change in changes if change.key not in numbers] or computed)
    others = main is not None and main.key in keys

    def follows(metric: M) -> bool:
        if metric_key(metric) in numbers:
            return metric_key(metric) in keys
        return listed in keys if listed is not None and metric_name(metric) in LISTED else others

    return [metric for metric in metrics if follows(metric)]


def main_change(changes: Sequence[A]) -> A | None:
    """The change that a case's numbers follow from: the first of those that cost most."""
    return min(changes, key=lambda change: _topic_rank(change.topic), default=None)


def rank(topic: str, kind: str, own_costs: Sequence[Cost], least: Sequence[Cost], members: int) -> Rank:
    """The rank of a change: lost compilations, then what costs more, what costs less, or more for a reason, and what no
    number shows; last, what leaves everything that runs as it is.

    `own_costs` are its costs, `least` the times. Within a tier, all computation is one topic wherever it shows, so that
    what many cases have comes first; before the number of cases comes the size of the change: of the time, or else of
    the metric that changed most.
    """
    size = max((cost.relative for cost in least or own_costs), default=0.0)
    topic_rank = _topic_rank("arithmetic" if topic in ("memory", "operators") else topic)
    return topic != "lost", _tier(own_costs), kind in MINOR, topic_rank, -size, -members


def _topic_rank(topic: str) -> int:
    return TOPICS.index(topic) if topic in TOPICS else len(TOPICS)


def _sums(metrics: Iterable[JudgedNumber]) -> list[Cost]:
    sums: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for metric in metrics:
        old, new = metric.old, metric.new
        if isinstance(old, (int, float)) and isinstance(new, (int, float)):
            sums.setdefault((metric.verdict, metric.name), []).append((old, new))
    return [
        Cost(name, sum(old for old, _ in pairs), sum(new for _, new in pairs), len(pairs), verdict)
        for (verdict, name), pairs in sorted(sums.items())
    ]
