"""Changes grouped by what changed, not by file: read once, with the list of cases."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from pytest_compile_golden.formats.labels import labels
from pytest_compile_golden.goldens.compare import Change
from pytest_compile_golden.stages import rank, stage_of

T = TypeVar("T")


@dataclass(frozen=True)
class DistinctChange:
    """What changed in an artifact, without its names and sizes. Changes that are equal here are reviewed as one."""

    stage: str
    kind: str
    edits: tuple[str, ...]
    """Each in a few words, in the order of the text."""

    @property
    def key(self) -> str:
        """Equal for equal changes, whatever the order of their edits."""
        return "\n".join((self.stage, self.kind, *sorted(self.edits)))

    @property
    def parts(self) -> frozenset[tuple[str, str, str]]:
        """The edits, comparable between two changes."""
        return frozenset((self.stage, self.kind, edit) for edit in self.edits)


@dataclass(frozen=True)
class ChangeGroup(Generic[T]):
    """All artifacts with one distinct change; `members` are whatever was grouped."""

    number: int
    """From 1, as people name it."""
    distinct: DistinctChange
    members: tuple[T, ...]


def distinct_change(change: Change) -> DistinctChange:
    """How an artifact differs from its golden."""
    if change.kind == "new":
        return DistinctChange("", "new", ("new goldens",))
    if change.kind == "absent":
        return DistinctChange(change.stage, "absent", (f"gone: the compile has no {change.stage}",))
    if change.kind == "metric":
        return DistinctChange(
            change.stage, "metric", tuple(f"{each.name} {_direction(each.old, each.new)}" for each in change.metrics)
        )
    stage = stage_of(change.stage, change.path.suffix.removeprefix("."))
    old, new = change.golden_text, change.actual_text
    return DistinctChange(
        change.stage, change.kind, labels(stage.format, stage.comment, old, new, cosmetic=change.kind == "cosmetic")
    )


def group_changes(changes: Iterable[tuple[Change, T]]) -> list[ChangeGroup[T]]:
    """Group what comes with each change, in pipeline order; what has nothing to decide (cosmetic) comes last."""
    found: dict[str, tuple[DistinctChange, list[T]]] = {}
    for change, member in changes:
        its = distinct_change(change)
        found.setdefault(its.key, (its, []))[1].append(member)

    def order(found: tuple[DistinctChange, list[T]]) -> tuple[bool, int, bool, int]:
        its, members = found
        return its.kind == "cosmetic", rank(its.stage), its.kind == "metric", -len(members)

    ordered = sorted(found.values(), key=order)
    return [ChangeGroup(number, its, tuple(members)) for number, (its, members) in enumerate(ordered, 1)]


def _direction(old: object, new: object) -> str:
    if isinstance(old, (int, float)) and isinstance(new, (int, float)):
        return "up" if new > old else "down"
    return "changed"
