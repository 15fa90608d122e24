"""Searches for the smallest set of edits with which an artifact is as the old version made it."""

from __future__ import annotations

import ast
import math
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TypeVar

from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.recordings import pairing
from pytest_compile_golden.recordings.recording import RecordedCase
from pytest_compile_golden.stages import stages
from pytest_compile_golden.wings.prove.definitions import Sources
from pytest_compile_golden.wings.prove.laboratory import Compiled
from pytest_compile_golden.wings.prove.messages import Edit, Helper, Needs

Thing = TypeVar("Thing")
_REPAIRS = 8
"""How often a try that lacks something is repeated with it."""
_TOGETHER = 8
"""How many candidates are first tried at once."""
_BROUGHT = 4


@dataclass(frozen=True)
class Distance:
    """How far artifacts are from those of the old version: for each that differs in behaviour, the lines that do."""

    lines: dict[str, int]

    def of(self, stem: str) -> int:
        return self.lines.get(stem, 0)


def distance(old: RecordedCase, new: RecordedCase) -> Distance:
    """By stem, in pipeline order. Stages that only the newer side was asked for are left out."""
    asked = {artifact.stage for artifact in old.artifacts} | {stage.name for stage in stages() if stage.default}
    aside = {artifact.stage for artifact in new.artifacts} - asked
    lines = {}
    for pair in pairing.compared(old, new, None, aside):
        if pair.change is not None and pair.change.fails:
            shown = pair.change.declared.format.significant(pair.old, pair.new)
            sides = (pair.old, pair.new) if shown is None else ("\n".join(shown.old), "\n".join(shown.new))
            before, after = (Counter(split_lines(side)) for side in sides)
            lines[PurePosixPath(pair.file).stem] = max(1, ((before - after) + (after - before)).total())
    return Distance(lines)


@dataclass(frozen=True)
class Tried:
    """A set of edits that was tried."""

    left: int | None
    """How many lines still differ; None if the compile did not get that far."""
    texts: tuple[tuple[str, str], ...]
    edits: tuple[Edit, ...]
    """With those that had to come along."""
    helpers: tuple[Helper, ...]
    compiled: Compiled


@dataclass
class Search:
    """Tries for one artifact of one case. `run` makes one."""

    goal: RecordedCase
    old: Sources
    run: Callable[[Sequence[Edit], Sequence[Helper]], Compiled]
    stem: str
    candidates: list[Edit] = field(default_factory=list)
    tries: int = 0
    limit: int = 200
    until: float = math.inf
    """The time (of time.monotonic) at which to give up."""
    cold: bool = False
    """Whether each try starts in a process that has compiled nothing."""
    done: dict[tuple[frozenset[Edit], bool], Tried] = field(default_factory=dict)

    def tried(self, chosen: Iterable[Edit], grow: bool = True) -> Tried:
        """The result of a set of edits; with `grow`, other candidates that they turn out to need are added."""
        chosen = list(dict.fromkeys(chosen))
        key = frozenset(chosen), grow
        if key not in self.done:
            self.done[key] = self._try(chosen, grow)
        return self.done[key]

    @property
    def exhausted(self) -> bool:
        return self.tries >= self.limit or time.monotonic() > self.until

    @property
    def failed(self) -> list[Tried]:
        """What could not be compiled."""
        return [tried for tried in self.done.values() if tried.left is None]

    def _try(self, chosen: list[Edit], grow: bool) -> Tried:
        helpers: list[Helper] = []
        for _ in range(_REPAIRS):
            self.tries += 1
            compiled = self.run(chosen, helpers)
            left, texts = self._result(compiled)
            if left is not None or not self._repair(compiled.answer.needs, chosen, helpers, grow):
                break
        return Tried(left, texts, tuple(chosen), tuple(helpers), compiled)

    def _result(self, compiled: Compiled) -> tuple[int | None, tuple[tuple[str, str], ...]]:
        case = compiled.case
        if case is None or _failed(compiled.answer.error):
            return None, ()
        if case.text(self.stem) is None and self.goal.text(self.stem):
            return None, ()
        texts = tuple((artifact.stem, artifact.text) for artifact in case.artifacts if artifact.stem == self.stem)
        return distance(self.goal, case).of(self.stem), texts

    def _repair(self, needs: Needs, chosen: list[Edit], helpers: list[Helper], grow: bool) -> bool:
        """Add what a try lacked: a helper, or candidates that belong together with `chosen`; False if there is none."""
        for helper in needs.helpers:
            if helper not in helpers and helper.name in self.old.definitions(helper.file):
                helpers.append(helper)
                return True
        if not grow or not needs.words:
            return False
        rest = [edit for edit in self.candidates if edit not in chosen and edit.kind == "function"]
        called = [
            edit
            for file, name in needs.functions
            for edit in rest
            if file in ("", edit.file) and f".{edit.name}".endswith(f".{name}")
        ]
        more = list(dict.fromkeys(called or [edit for edit in rest if self._sets(edit, needs.words)]))[:_BROUGHT]
        chosen += more
        return bool(more)

    def _sets(self, edit: Edit, attributes: Collection[str]) -> bool:
        """Whether the old function assigns to one of these attributes."""
        function = self.old.function(edit.file, edit.name)
        return function is not None and any(
            isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr in attributes
            for node in ast.walk(function)
        )


def _failed(error: str) -> bool:
    """Whether a case ended early for another reason than that its test expects something else."""
    return bool(error) and not error.startswith(("AssertionError", "Failed:"))


def find(search: Search, groups: Sequence[Sequence[Edit]], base: Sequence[Edit]) -> Tried:
    """The smallest set that brings the artifact closest to the old text, beyond the edits in `base`.

    groups: the candidates, the likeliest group first; those of a group are tried together, and halved if they matter.
    """
    best = search.tried(base)

    def explore(chosen: Sequence[Edit]) -> None:
        nonlocal best
        if best.left == 0 or not chosen or search.exhausted:
            return
        tried = search.tried([*best.edits, *chosen])
        if tried.left is not None and (best.left is None or tried.left < best.left):
            best = tried
        elif len(chosen) > 1 and (tried.left is None or tried.texts != best.texts):
            for part in _parts(chosen, tried):
                explore(part)

    for group in groups:
        explore(group)
    for grow in (True, False):  # the second time, every part has to work by itself
        least = best.left
        added = [edit for edit in best.edits if edit not in base]

        def enough(part: Sequence[Edit], grow: bool = grow, least: int | None = least) -> bool:
            left = search.tried([*base, *part], grow).left
            return left is not None and least is not None and left <= least

        if added and (len(added) > 1 or not grow):
            smaller = smallest(added, enough)
            if enough(smaller):
                best = search.tried([*base, *smaller], grow)
    return best


def _parts(chosen: Sequence[Edit], tried: Tried) -> list[Sequence[Edit]]:
    """What to try next of a group: without those that failed and each of those, or halves."""
    running = tried.compiled.answer.needs.functions if tried.left is None else ()
    failed = [edit for edit in chosen if (edit.file, edit.name) in running]
    if 0 < len(failed) < len(chosen):
        return [[edit for edit in chosen if edit not in failed], *([edit] for edit in failed)]
    middle = len(chosen) // 2
    return [chosen[:middle], chosen[middle:]]


def smallest(things: Sequence[Thing], enough: Callable[[Sequence[Thing]], bool]) -> list[Thing]:
    """A part of `things` that is enough, and from which nothing can be left out (delta debugging, by Zeller)."""
    left, parts = list(things), 2
    while len(left) > 1:
        size = -(-len(left) // parts)
        pieces = [left[start : start + size] for start in range(0, len(left), size)]
        others = [[thing for thing in left if thing not in piece] for piece in pieces] if parts > 2 else []
        choices = [(piece, 2) for piece in pieces] + [(other, max(parts - 1, 2)) for other in others]
        found = next((choice for choice in choices if enough(choice[0])), None)
        if found is not None:
            left, parts = found
        elif size == 1:
            break
        else:
            parts = min(len(left), 2 * parts)
    return left


def batches(edits: Sequence[Edit], size: int = _TOGETHER) -> list[Sequence[Edit]]:
    return [edits[start : start + size] for start in range(0, len(edits), size)]
