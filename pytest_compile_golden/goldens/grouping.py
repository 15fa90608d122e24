"""Changes grouped by what changed, not by file: read once, with the list of cases."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.goldens.compare import Change
from pytest_compile_golden.goldens.edits import Edit, edits, kernel_names
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.stages import get_stage, stages

T = TypeVar("T")
Shown = Callable[[str, str], tuple[list[str], list[str]]]
# Asking for each edit whether it counts parses the text once per edit.
_MOST_ASKED = 40


@dataclass(frozen=True)
class Way:
    """In what way an artifact changed. Two changes of one way are read as one."""

    stage: str
    kind: str
    edits: tuple[str, ...]
    """Each in a few words, in the order of the text."""

    @property
    def key(self) -> str:
        """Equal for equal ways, in whatever order their edits stand."""
        return "\n".join((self.stage, self.kind, *sorted(self.edits)))

    @property
    def parts(self) -> frozenset[tuple[str, str, str]]:
        """The edits, such that those of two ways can be compared."""
        return frozenset((self.stage, self.kind, edit) for edit in self.edits)


@dataclass(frozen=True)
class Group(Generic[T]):
    """All changes of one way; `members` are whatever was grouped."""

    number: int
    """From 1, as people name it."""
    way: Way
    members: tuple[T, ...]


def way(change: Change) -> Way:
    """In what way an artifact differs from its golden."""
    if change.kind == "new":
        return Way("", "new", ("new goldens",))
    if change.kind == "absent":
        return Way(change.stage, "absent", (f"gone: the compile has no {change.stage}",))
    if change.kind == "metric":
        return Way(
            change.stage, "metric", tuple(f"{each.name} {_direction(each.old, each.new)}" for each in change.metrics)
        )
    return Way(change.stage, change.kind, _labels(change))


def group(changes: Iterable[tuple[Change, T]]) -> list[Group[T]]:
    """Group what comes with each change, in pipeline order; what has nothing to decide (cosmetic) comes last."""
    found: dict[str, tuple[Way, list[T]]] = {}
    for change, member in changes:
        its = way(change)
        found.setdefault(its.key, (its, []))[1].append(member)
    order = {stage.name: number for number, stage in enumerate(stages())}

    def place(found: tuple[Way, list[T]]) -> tuple[bool, int, bool, int]:
        its, members = found
        return its.kind == "cosmetic", order.get(its.stage, len(order)), its.kind == "metric", -len(members)

    ordered = sorted(found.values(), key=place)
    return [Group(number, its, tuple(members)) for number, (its, members) in enumerate(ordered, 1)]


def _labels(change: Change) -> tuple[str, ...]:
    comment, canonical, shown = _stage_of(change)
    old, new = change.golden_text, change.actual_text
    if shown is not None and change.kind == "structural":
        before, after = shown(old, new)
        if before != after:
            old, new = _text(before), _text(after)
    found = edits(old, new, comment)
    labels = tuple(edit.label for edit in found)
    if change.kind == "cosmetic":
        return labels or ("names, comments or layout",)
    if canonical is not None and len(found) <= _MOST_ASKED:
        # What alone would be cosmetic is not what changed, and often differs from file to file.
        aside = _cosmetic(found, split_lines(old), split_lines(new), canonical)
        labels = tuple(label for label in labels if label not in aside)
        if found and not labels and kernel_names(old) != kernel_names(new):
            labels = ("kernels are named otherwise",)
        labels = labels or tuple(edit.label for edit in found)
    if labels:
        return labels
    # It counts, and yet no edit shows it: then only the very same texts are the same change.
    digest = hashlib.sha256("\0".join((old, new)).encode()).hexdigest()[:12]
    return (f"differs as a whole ({digest})",)


def _stage_of(change: Change) -> tuple[str, Callable[[str], object] | None, Shown | None]:
    """A stage's comments, canonical form and lines that count; only comments where a conftest.py has the stage."""
    try:
        stage = get_stage(change.stage)
    except CompileGoldenError:
        return ("//" if change.path.suffix == ".cpp" else "#"), None, None
    return stage.comment, stage.canonical, stage.shown


def _cosmetic(
    found: Sequence[Edit], old: Sequence[str], new: Sequence[str], canonical: Callable[[str], object]
) -> set[str]:
    """The labels of edits that, made alone, leave the text's behaviour as it is."""
    aside = set()
    whole: dict[int, object] = {}
    for edit in found:
        base = new if edit.old_line is None else old
        at = edit.new_line if edit.old_line is None else edit.old_line
        if at is None:
            continue
        put = [new[edit.new_line]] if edit.old_line is not None and edit.new_line is not None else []
        try:
            if id(base) not in whole:
                whole[id(base)] = canonical(_text(base))
            if canonical(_text([*base[:at], *put, *base[at + 1 :]])) == whole[id(base)]:
                aside.add(edit.label)
        except Exception:  # a user's canonical form may refuse half a change, and then it counts
            continue
    return aside


def _text(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _direction(old: object, new: object) -> str:
    if isinstance(old, (int, float)) and isinstance(new, (int, float)):
        return "up" if new > old else "down"
    return "changed"
