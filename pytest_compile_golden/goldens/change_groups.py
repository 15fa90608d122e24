"""Cases and pending changes by distinct change: each change is read, and decided on, once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, TypeVar

import msgspec

from pytest_compile_golden.changes.change import NOTED
from pytest_compile_golden.changes.common_types import Simple
from pytest_compile_golden.common import disk_cache
from pytest_compile_golden.common.digest import of_texts
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.formats.metrics.printed import MetricChange
from pytest_compile_golden.goldens.attribution import parts
from pytest_compile_golden.goldens.case_changes import CaseChanges, case_changes
from pytest_compile_golden.goldens.compare_artifact import Compared, decisive, key_of
from pytest_compile_golden.goldens.distinct_change import (
    DistinctChange,
    SerializedChange,
)
from pytest_compile_golden.goldens.first_divergence import cause
from pytest_compile_golden.goldens.ranking import (
    Cost,
    Keyed,
    Parts,
    costs,
    numbers_of,
    rank,
    times,
)
from pytest_compile_golden.stages import rank as stage_rank

T = TypeVar("T")
K = TypeVar("K", bound=Keyed)
M = TypeVar("M")


@dataclass(frozen=True)
class ChangeGroup(Generic[T]):
    """Everything that has one distinct change; `members` are whatever was grouped."""

    number: int
    """From 1; users refer to the group by it."""
    kind: str
    """`structural`, `metric`, `absent`, `new` or `cosmetic`."""
    changes: tuple[DistinctChange, ...]
    """Presented as one, because the same cases have them."""
    members: tuple[T, ...]
    """Those of the case that changed least come first."""
    noted: bool = False
    """Whether it is noted: it fails no case, or only together with a change that is."""

    @property
    def stage(self) -> str:
        """The stage where it shows first; empty for new goldens, which are of any stage."""
        return self.changes[0].stage

    @property
    def digests(self) -> frozenset[str]:
        """What a case that has other changes too remembers of this one."""
        return frozenset(digest(change.key) for change in self.changes)


@dataclass(frozen=True)
class CaseFound:
    """What it takes time to find about one pending case."""

    changes: CaseChanges
    parts: Mapping[str, Parts]
    """By metric that differs, what moves it."""
    size: int
    """How many lines differ."""


class SerializedFound(msgspec.Struct, frozen=True, array_like=True):
    """The same as JSON holds it."""

    own: tuple[SerializedChange, ...]
    secondary: tuple[SerializedChange, ...]
    parts: dict[str, dict[str, float]]
    size: int

    @classmethod
    def of(cls, found: CaseFound) -> SerializedFound:
        """Raises ValueError or TypeError for what JSON does not hold."""
        own, secondary = (
            tuple(map(SerializedChange.of, side))
            for side in (found.changes.own, found.changes.secondary)
        )
        parts_of = {name: {**of_metric} for name, of_metric in found.parts.items()}
        return cls(own, secondary, parts_of, found.size)

    @property
    def found(self) -> CaseFound:
        """Raises ValueError or KeyError for what no process has written."""
        own, secondary = (
            tuple(each.change for each in side) for side in (self.own, self.secondary)
        )
        return CaseFound(CaseChanges(own, secondary), self.parts, self.size)


def _encoded(found: CaseFound) -> bytes:
    return msgspec.json.encode(SerializedFound.of(found))


def _decoded(said: bytes) -> CaseFound:
    """Raises ValueError or KeyError for what no process has written."""
    return msgspec.json.decode(said, type=SerializedFound).found


def _find(compared: Sequence[Compared]) -> CaseFound:
    changes = decisive([change for change in compared if change.kind != "new"])
    found = case_changes(changes, cause(changes))
    metrics = [metric for change in compared for metric in change.metrics]
    sides = [
        [Counter(split_lines(text)) for text in (one.old, one.new)] for one in compared
    ]
    size = sum(((old - new) + (new - old)).total() for old, new in sides)
    return CaseFound(found, parts(compared, found, metrics), size)


@dataclass(eq=False)
class Waiting(Generic[T]):
    """One pending case. What it takes time to find is found once, however often it is grouped."""

    changes: tuple[tuple[Compared, T], ...]
    """Each change with whatever is grouped by it."""
    accepted: frozenset[str] = frozenset()
    """The digests of its distinct changes that are already accepted."""

    @cached_property
    def found(self) -> CaseFound:
        """The distinct changes of the case, and what they follow from; remembered for the same texts."""
        compared = [change for change, _ in self.changes]
        return disk_cache.found(
            key_of("pending case", compared),
            lambda: _find(compared),
            _encoded,
            _decoded,
        )

    @property
    def metrics(self) -> list[MetricChange]:
        """Its metrics that differ."""
        return [metric for change, _ in self.changes for metric in change.metrics]

    @property
    def fails(self) -> bool:
        """Whether any of them fails its case."""
        return any(change.red for change, _ in self.changes)


def digest(key: str) -> str:
    """A distinct change in a few letters, the same in every process: what `--change` takes."""
    return of_texts([key])[:16]


def change_groups(
    cases: Iterable[Waiting[T]],
) -> tuple[list[ChangeGroup[T]], dict[T, frozenset[str]]]:
    """The groups, those that matter most first, and for each member the digests of everything that it waits for.

    New goldens are one group, and cosmetic differences one per stage: with nothing to decide, they come last, and wait
    for nothing.
    """
    every = list(cases)
    own = {change.key: change for case in every for change in case.found.changes.own}
    minor = {
        change.key
        for case in every
        for change in (*case.found.changes.own, *case.found.changes.secondary)
        if change.what.kind in NOTED
        or (not case.fails and noted_alone(change.what.kind, change.stage))
    }
    needed: dict[T, frozenset[str]] = {}
    left: list[
        tuple[Waiting[T], Sequence[DistinctChange], Sequence[DistinctChange]]
    ] = []
    for case in every:
        keys = {*keys_of(case.found.changes.own, case.found.changes.secondary, own)}
        digests = frozenset(map(digest, keys & _deciding(case.found.changes, minor)))
        needed.update(
            (member, digests) for change, member in case.changes if _follows(change)
        )
        undecided = [
            [change for change in side if digest(change.key) not in case.accepted]
            for side in (case.found.changes.own, case.found.changes.secondary)
        ]
        left.append((case, undecided[0], undecided[1]))
    ranked = [
        (
            rank(
                changes[0].topic,
                changes[0].what.kind,
                *_numbers(members, changes),
                len(members),
            ),
            _group(changes, members, minor),
        )
        for changes, members in group(left)
    ]
    ranked.sort(key=lambda entry: (entry[1].noted, entry[0]))
    ordered = [ready for _, ready in ranked if ready.members]
    ordered += _nothing_to_decide(every)
    return [
        replace(ready, number=number) for number, ready in enumerate(ordered, 1)
    ], needed


def noted_alone(kind: str, stage: str) -> bool:
    """Whether a change that a case passes with is noted too where others have it beside another: a decision about a
    graph may lead nowhere in one case, and to other code in the next."""
    return kind != "decision" or stage_rank(stage) >= stage_rank("codegen")


def _deciding(found: CaseChanges, minor: Collection[str]) -> set[str]:
    """The changes that a case waits for: those that cases pass with, `minor`, are accepted along with any other, and
    what is only noted along with those."""
    changes = (*found.own, *found.secondary)
    keys = {change.key for change in changes}
    return (
        keys.difference(minor)
        or {change.key for change in changes if change.what.kind not in NOTED}
        or keys
    )


def _group(
    changes: Sequence[DistinctChange],
    cases: Sequence[Waiting[T]],
    minor: Collection[str],
) -> ChangeGroup[T]:
    cases = sorted(cases, key=lambda case: case.found.size)
    members = tuple(
        dict.fromkeys(
            member
            for case in cases
            for change, member in case.changes
            if _follows(change)
        )
    )
    keys = {change.key for change in changes}
    noted = not any(
        keys & _deciding(case.found.changes, minor) and case.fails for case in cases
    )
    return ChangeGroup(
        0, _kind(cases[0], changes[0].stage), tuple(changes), members, noted
    )


def _nothing_to_decide(cases: Sequence[Waiting[T]]) -> Iterator[ChangeGroup[T]]:
    for kind, what in (
        ("new", Simple("new-goldens")),
        ("cosmetic", Simple("looks-different")),
    ):
        by_stage: dict[str, list[T]] = {}
        for case in cases:
            for change, member in case.changes:
                if change.kind == kind:
                    by_stage.setdefault(
                        change.stage if kind == "cosmetic" else "", []
                    ).append(member)
        for stage, members in sorted(
            by_stage.items(), key=lambda item: (stage_rank(item[0]), -len(item[1]))
        ):
            distinct = DistinctChange(stage, what, f"{kind} {stage}")
            yield ChangeGroup(0, kind, (distinct,), tuple(members))


def _numbers(
    cases: Sequence[Waiting[T]], changes: Sequence[DistinctChange]
) -> tuple[list[Cost], list[Cost]]:
    """The costs and times that follow from `changes`."""
    keys = {change.key for change in changes}
    numbers = [
        metric
        for case in cases
        for metric in numbers_of(keys, case.metrics, case.found.parts)
    ]
    return costs(numbers), times(numbers)


def _follows(change: Compared) -> bool:
    """Whether it is decided together with the distinct changes of its case."""
    return change.kind not in ("new", "cosmetic")


def _kind(case: Waiting[T], stage: str) -> str:
    changes = [change for change, _ in case.changes if _follows(change)]
    kinds = {change.kind for change in changes if change.stage == stage} or {
        change.kind for change in changes
    }
    return next(
        (kind for kind in ("structural", "absent", "metric") if kind in kinds),
        "structural",
    )


def group(
    cases: Iterable[tuple[M, Sequence[K], Sequence[K]]],
) -> list[tuple[list[K], list[M]]]:
    """The distinct changes, each list with the members that have them, in the order of their first appearance.

    Each case comes with its own changes, and with those that count for it too if another case has them on their own.
    Changes of one stage that exactly the same cases have are one, unless they cannot follow from one another and are of
    other types: nothing else tells them apart.
    """
    every = list(cases)
    # Which changes there are: those that at least one case has of its own. What only ever follows from others is none.
    own: dict[str, list[K]] = {}
    for _, own_changes, _ in every:
        for change in own_changes:
            own.setdefault(change.key, []).append(change)
    wordings: dict[str, list[K]] = {key: list(named) for key, named in own.items()}
    for _, _, secondary in every:
        for change in secondary:
            if change.key in wordings:
                wordings[change.key].append(change)
    # Which cases have them: also those in which they may follow from something else.
    members: dict[str, list[int]] = {key: [] for key in own}
    for number, (_, own_changes, secondary) in enumerate(every):
        for key in dict.fromkeys(change.key for change in (*own_changes, *secondary)):
            if key in own:
                members[key].append(number)
    # And which are read as one: those that always come together.
    together: dict[tuple[str, str, tuple[int, ...]], list[K]] = {}
    for key, named in own.items():
        code = named[0].code if all(change.apart for change in named) else ""
        same = together.setdefault((_stage(named), code, tuple(members[key])), [])
        same.append(plainest(wordings[key], _stage(named)))
    return [
        (changes, [every[number][0] for number in numbers])
        for (*_, numbers), changes in together.items()
    ]


def keys_of(
    own: Sequence[Keyed], secondary: Sequence[Keyed], known: Mapping[str, object]
) -> list[str]:
    """The keys of all changes that a case waits for; `known` are the keys of changes that are a case's own."""
    return list(
        dict.fromkeys(
            [change.key for change in own]
            + [change.key for change in secondary if change.key in known]
        )
    )


def _stage(named: Sequence[Keyed]) -> str:
    """The stage where a change shows first in most of its cases."""
    return Counter(change.stage for change in named).most_common(1)[0][0]


def plainest(named: Sequence[K], stage: str) -> K:
    """The most common wording of a change in its cases, or the shortest of those; as an example if there are others.

    stage: the stage to show it at, if a case with that wording has it there.
    """
    times = Counter(change.wording for change in named)
    locations = Counter(change.where for change in named if change.where is not None)

    def order(change: K) -> tuple[int, int, str, bool, int]:
        wording = change.wording
        return (
            -times[wording],
            len(wording),
            wording,
            change.stage != stage,
            -locations[change.where or ""],
        )

    plainest = min(named, key=order)
    return plainest if len(times) == 1 else plainest.as_example()
