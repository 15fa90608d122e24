"""What is pending, by distinct change: each is decided once, with the list of its cases."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pytest_compile_golden.formats.edits import TOPICS
from pytest_compile_golden.goldens.cause import cause
from pytest_compile_golden.goldens.compare import Change
from pytest_compile_golden.goldens.distinct import CaseChanges, DistinctChange, case_changes
from pytest_compile_golden.goldens.grouping import group, keys_of
from pytest_compile_golden.stages import rank

T = TypeVar("T")
_Found = tuple[str, tuple[DistinctChange, ...], bool, tuple[T, ...]]


@dataclass(frozen=True)
class ChangeGroup(Generic[T]):
    """All that has one distinct change; `members` are whatever was grouped."""

    number: int
    """From 1, as people name it."""
    kind: str
    """`structural`, `metric`, `absent`, `new` or `cosmetic`."""
    changes: tuple[DistinctChange, ...]
    """Told as one, because the same cases have them."""
    members: tuple[T, ...]

    @property
    def stage(self) -> str:
        """Where it shows first; empty for new goldens, which are of any."""
        return self.changes[0].stage

    @property
    def marks(self) -> frozenset[str]:
        """What a case remembers of it that has it and other changes."""
        return frozenset(mark(each.key) for each in self.changes)


@dataclass(frozen=True)
class Waiting(Generic[T]):
    """One case that is pending."""

    changes: tuple[tuple[Change, T], ...]
    """With whatever is grouped by each."""
    accepted: frozenset[str] = frozenset()
    """The marks of those of its distinct changes that are accepted already."""


def mark(key: str) -> str:
    """A short name of a distinct change, the same in every process."""
    return hashlib.sha256(key.encode()).hexdigest()[:16]


def change_groups(cases: Iterable[Waiting[T]]) -> tuple[list[ChangeGroup[T]], dict[T, frozenset[str]]]:
    """The groups, those that matter most first, and for each member the marks of all that it waits for.

    New goldens are a group, and cosmetic differences are one by stage: with nothing to decide, they come last.
    """
    every = list(cases)
    told = [_changes(case) for case in every]
    own = {each.key: each for its in told for each in its.own}
    needed: dict[T, frozenset[str]] = {}
    left: list[tuple[Waiting[T], Sequence[DistinctChange], Sequence[DistinctChange]]] = []
    for case, its in zip(every, told, strict=True):
        marks = frozenset(map(mark, keys_of(its.own, its.besides, own)))
        needed.update((member, marks) for change, member in case.changes if _follows(change))
        ours = [[each for each in side if mark(each.key) not in case.accepted] for side in (its.own, its.besides)]
        left.append((case, ours[0], ours[1]))
    found = [
        (
            _kind(cases, changes[0].stage),
            tuple(changes),
            _worse(cases),
            tuple(m for case in cases for change, m in case.changes if _follows(change)),
        )
        for changes, cases in group(left)
    ]
    for kind, text in (("new", "new goldens"), ("cosmetic", "names, comments or layout")):
        by_stage: dict[str, list[T]] = {}
        for case in every:
            for change, member in case.changes:
                if change.kind == kind:
                    by_stage.setdefault(change.stage if kind == "cosmetic" else "", []).append(member)
        for stage, members in by_stage.items():
            found.append((kind, (DistinctChange(stage, text, f"{kind} {stage}", "hints"),), False, tuple(members)))
            needed.update(dict.fromkeys(members, frozenset()))

    def order(each: _Found[T]) -> tuple[bool, bool, bool, int, int, int]:
        kind, changes, worse, members = each
        first = changes[0]
        worse = worse or first.topic == "lost"
        return kind == "cosmetic", kind == "new", not worse, TOPICS.index(first.topic), rank(first.stage), -len(members)

    ordered = sorted((each for each in found if each[-1]), key=order)
    return [ChangeGroup(at, kind, changes, its) for at, (kind, changes, _, its) in enumerate(ordered, 1)], needed


def _changes(case: Waiting[T]) -> CaseChanges:
    changes = [change for change, _ in case.changes if change.kind != "new"]
    return case_changes(changes, cause(changes))


def _worse(cases: Sequence[Waiting[T]]) -> bool:
    """Whether it costs more by any metric."""
    return any(each.verdict == "REGRESSION" for case in cases for change, _ in case.changes for each in change.metrics)


def _follows(change: Change) -> bool:
    """Whether it is decided with the distinct changes of its case."""
    return change.kind not in ("new", "cosmetic")


def _kind(cases: Sequence[Waiting[T]], stage: str) -> str:
    changes = [change for change, _ in cases[0].changes if _follows(change)]
    kinds = {change.kind for change in changes if change.stage == stage} or {change.kind for change in changes}
    return next((kind for kind in ("structural", "absent", "metric") if kind in kinds), "structural")
