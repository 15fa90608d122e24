"""Searches for the smallest set of edits with which an artifact is as the old version made it.

`explore` keeps whatever brings the artifact nearer to the old one, and halves a group that matters but does not help as
a whole; `minimise` then leaves out what is not needed. What makes this hard is that an old definition seldom works by
itself among new ones: it lacks a name, or is given what a new function makes. So a try that fails to compile says what
it lacked, and is repeated with that, which is another definition of the old version.
"""

from __future__ import annotations

import ast
import math
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import msgspec

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.regular_expressions import replaced
from pytest_compile_golden.features.prove.prove_protocol import (
    Begun,
    Edit,
    Helper,
    Needs,
    Nothing,
    Reply,
)
from pytest_compile_golden.features.prove.sandbox import Compiled
from pytest_compile_golden.recordings import compare_cases
from pytest_compile_golden.recordings.recording import RecordedCase
from pytest_compile_golden.stages import stages
from pytest_compile_golden.torch_source.definitions import called_in
from pytest_compile_golden.torch_source.installed_sources import Sources

Thing = TypeVar("Thing")
TRAIL = "trail"
"""The stage that sums up what each step did, also those whose own output is not recorded."""
FEW, MANY = 2, 8
"""How often a try that lacks something is repeated with further candidates: at first, and once little else is left."""
_BROUGHT = 4
_without_numbers = replaced(((r"\s+# .*", ""), (r"\b([A-Za-z_]+)\d+_?\b", r"\1#")))
_WORD = re.compile(r"\w+")
_AMOUNT = re.compile(r"\b\d+(\.\d+)?")


@dataclass(frozen=True)
class Distance:
    """How far artifacts are from those of the old version: for each that differs in behaviour, the lines that do."""

    lines: dict[str, Counter[str]]
    words: dict[str, int] = field(default_factory=dict)
    """How many words, in all of these lines, only one side has."""

    def of(self, stem: str) -> int:
        """The number of lines that differ; 0 if it behaves as before."""
        return max(1, self.lines[stem].total()) if stem in self.lines else 0

    def texts(self, stem: str) -> Counter[str]:
        """The lines that only one side has, names of values without their numbers."""
        return self.lines.get(stem, Counter())

    def is_part_of(self, other: Distance, stem: str) -> bool:
        """Whether nothing differs here that does not there; a number that sums up may, by another amount."""
        mine, its = (side.texts(stem) for side in (self, other))
        if stem in ("metrics", "compile_cost"):
            mine, its = (
                Counter(_AMOUNT.sub("#", line) for line in lines.elements())
                for lines in (mine, its)
            )
        return not mine - its


def distance(
    old: RecordedCase, new: RecordedCase, only: Collection[str] = ()
) -> Distance:
    """By stem, in pipeline order. Stages that only the newer side was asked for are left out.

    only: the stems to compare, which takes less time than all.
    """
    if only:
        old, new = (
            msgspec.structs.replace(
                case,
                artifacts=tuple(made for made in case.artifacts if made.stem in only),
            )
            for case in (old, new)
        )
    asked = {artifact.stage for artifact in old.artifacts} | {
        stage.name for stage in stages() if stage.default
    }
    aside = {artifact.stage for artifact in new.artifacts} - asked
    lines, words = {}, {}
    for pair in compare_cases.compared(old, new, None, aside):
        if pair.fails:
            shown = pair.declared.format.significant(pair.old, pair.new)
            sides = (
                (split_lines(pair.old), split_lines(pair.new))
                if shown is None
                else (shown.old, shown.new)
            )
            before, after = (Counter(map(_without_numbers, side)) for side in sides)
            gone, come = before - after, after - before
            lines[pair.stem] = gone + come
            gone, come = (
                Counter(_WORD.findall("\n".join(only.elements())))
                for only in (gone, come)
            )
            words[pair.stem] = ((gone - come) + (come - gone)).total()
    return Distance(lines, words)


@dataclass(frozen=True)
class Tried:
    """A set of edits that was tried."""

    edits: tuple[Edit, ...]
    """With those that had to come along."""
    helpers: tuple[Helper, ...]
    compiled: Compiled
    distance: Distance | None = None
    """None if the compile did not get that far."""
    stem: str = ""

    @property
    def left(self) -> int | None:
        """How many lines of the artifact still differ; None if it was not made."""
        return None if self.distance is None else self.distance.of(self.stem)

    @property
    def rank(self) -> tuple[float, int, int]:
        """Smaller is nearer to the old version.

        Of several that leave as many lines, those are nearer in whose lines less differs, as two changes may make one
        line, and of these those whose earlier steps are: two changes may each be enough to make the new artifact, and
        undoing one of them shows only there.
        """
        if self.distance is None:
            return math.inf, 0, 0
        return (
            self.distance.of(self.stem),
            self.distance.words.get(self.stem, 0),
            self.distance.of(TRAIL),
        )

    def explains_part_of(self, start: Tried) -> bool:
        """Whether what still differs is a part of what differed at the start, and nothing else."""
        if self.distance is None or start.distance is None:
            return False
        nearer = self.distance.of(self.stem) < start.distance.of(self.stem)
        return nearer and self.distance.is_part_of(start.distance, self.stem)


@dataclass
class Search:
    """Tries for one artifact of one case. `run` makes one."""

    goal: RecordedCase
    old: Sources
    run: Callable[[Sequence[Edit], Sequence[Helper]], Compiled]
    stem: str
    base: tuple[Edit, ...] = ()
    """What is undone in every try."""
    candidates: list[Edit] = field(default_factory=list)
    unfit: set[Edit] = field(default_factory=set)
    """What does not compile when it is undone, whatever else is."""
    lacking: set[Edit] = field(default_factory=set)
    """What does not compile when it is undone alone, in this case or another."""
    helpers: list[Helper] = field(default_factory=list)
    """What old definitions lacked so far, in this case or another: it is there in every try."""
    later: list[Edit] = field(default_factory=list)
    """What of the lacking has not been tried with what it needs."""
    tries: int = 0
    compiles: int = 0
    """The tries but those that were known."""
    most: float = math.inf
    """Compiles after which to give up."""
    done: dict[tuple[frozenset[Edit], int], Tried] = field(default_factory=dict)
    until: float = math.inf
    """By `time.monotonic`, when to give up."""
    cut: bool = False
    """Whether a part of it was given up."""
    interrupted: bool = False
    """Whether the time was over in the middle of it."""
    begun: Begun | None = None
    """What was tried in vain before."""
    best: Tried = Tried((), (), Compiled(Reply(), None))
    start: Tried = best

    def begin(self, made: Tried | None = None) -> Tried:
        """The artifact with only the base undone; whatever was tried before, in other processes, is forgotten.

        made: the try of just that, if there was one for another artifact.
        """
        self.done, self.later = {}, []
        if made is not None:
            base = replace(made, distance=self._distance(made.compiled), stem=self.stem)
            self.done[frozenset(self.base), MANY] = base
        self.best = self.start = self.tried(self.base)
        return self.best

    def tried(self, chosen: Iterable[Edit], grow: int = MANY) -> Tried:
        """The result of a set of edits; up to `grow` times, other candidates that they turn out to need are added."""
        chosen = list(dict.fromkeys(chosen))
        whole = frozenset(chosen)
        if (whole, grow) not in self.done:
            found = self.done.get((whole, 0))
            if found is None or found.left is None:
                found = self._try(chosen, grow)
                if found.left is not None:  # what came along need not come along
                    self.done[frozenset(found.edits), 0] = found
            self.done[whole, grow] = found
        return self.done[whole, grow]

    @property
    def ended(self) -> bool:
        """Whether nothing is left to explain, or no more may be tried."""
        return self.best.left == 0 or self.exhausted

    @property
    def exhausted(self) -> bool:
        """Whether it has had its compiles, or its time."""
        return self.compiles >= self.most or time.monotonic() > self.until

    @property
    def unfinished(self) -> bool:
        """Whether it was given up before anything was found, or, as the time was over, before everything was."""
        late = time.monotonic() > self.until and self.best.left != 0
        return self.interrupted or (
            (self.cut or self.exhausted) and (late or self.best.left == self.start.left)
        )

    @property
    def failed(self) -> list[Tried]:
        """What could not be compiled."""
        return [tried for tried in self.done.values() if tried.left is None]

    def explore(self, chosen: Sequence[Edit], grow: int = 0) -> bool:
        """Try these together, and parts of them if they matter; whether that brought the artifact nearer.

        grow: how often to add what they turn out to need. What lacks something then waits, or else is unfit.
        """
        chosen = [edit for edit in chosen if edit not in self.best.edits]
        # At first without those that are known not to compile alone: each costs a compile for every name that it lacks,
        # and mostly the change is among the others.
        if not grow:
            self._wait([edit for edit in chosen if edit in self.lacking])
            chosen = [edit for edit in chosen if edit not in self.lacking]
        if self.ended or not chosen:
            return False
        tried = self.tried([*self.best.edits, *chosen], grow)
        if tried.rank < self.best.rank:
            self.best = tried
            return True
        if len(chosen) == 1:
            if tried.left is None and grow == MANY:
                self.unfit.update(chosen)
            elif tried.left is None:
                self._wait(chosen)
            return False
        # As a whole the group changed something without helping: a part of it may help, and another part spoil that. If
        # it changed nothing, no part is worth a compile.
        if tried.rank == self.best.rank:
            return False
        nearer = [self.explore(part) for part in _parts(chosen, tried)]
        return any(nearer)

    def _wait(self, chosen: Sequence[Edit]) -> None:
        self.lacking.update(chosen)
        self.later += [edit for edit in chosen if edit not in self.later]

    def explore_later(self, grow: int = MANY) -> bool:
        """Try what waits, each with what it needs; whether one of them brought the artifact nearer."""
        waiting, self.later = self.later, []
        nearer = False
        while waiting and not self.ended and not nearer:
            nearer = self.explore([waiting.pop(0)], grow)
        self._wait(waiting)
        return nearer

    def minimise(self) -> None:
        """Leave out what is not needed for the best result."""
        for grow in (MANY, 0):  # the second time, every part has to work by itself
            least = self.best.left
            added = [edit for edit in self.best.edits if edit not in self.base]

            def enough(
                part: Sequence[Edit], grow: int = grow, least: int | None = least
            ) -> bool:
                left = self.tried([*self.base, *part], grow).left
                return left is not None and least is not None and left <= least

            if added and (len(added) > 1 or not grow):
                smaller = smallest(added, enough)
                if enough(smaller):
                    self.best = self.tried([*self.base, *smaller], grow)
        # The same for what other tries lacked.
        if not all(map(self._is_named, self.best.helpers)):
            known, self.helpers = self.helpers, []
            alone = self._try(list(self.best.edits), 0)
            self.best = alone if alone.left == self.best.left else self.best
            self.helpers = known

    def _is_named(self, helper: Helper) -> bool:
        """Whether old code that is there names it."""
        edits = [(edit.file, edit.there) for edit in self.best.edits]
        others = [
            (other.file, other.name) for other in self.best.helpers if other != helper
        ]
        name = helper.name.rpartition(".")[2]
        for file, defined in (*edits, *others):
            code = self.old.definitions(file).get(defined)
            for node in () if code is None else ast.walk(code):
                if name in (getattr(node, "attr", ""), getattr(node, "id", "")):
                    return True
        return False

    def _try(self, chosen: list[Edit], grow: int) -> Tried:
        # Each round repairs one thing that the last one lacked, from the cheapest on: an edit that cannot be made is
        # left out, a missing name is bound, and only then another function is undone along with these.
        helpers = list(self.helpers)
        for _ in range(MANY):
            self.tries += 1
            known = None if self.begun is None else self.begun.of(chosen, helpers)
            if known is None:
                compiled = self.run(chosen, helpers)
                self.compiles += 1
            else:
                compiled = Compiled(
                    known.answer, self.start.compiled.case if known.reached else None
                )
            asked = list(chosen), list(helpers)
            helpers += [
                helper for helper in compiled.answer.brought if helper not in helpers
            ]
            found = self._distance(compiled)
            if self.begun is not None and (
                found is None or found == self.start.distance
            ):
                self.begun.note(*asked, Nothing(compiled.answer, found is not None))
            needs, unfit = compiled.answer.needs, compiled.answer.unfit
            if found is not None:
                self.helpers += [
                    helper for helper in helpers if helper not in self.helpers
                ]
                break
            if (
                unfit is not None
                and not needs.helpers
                and unfit in chosen
                and len(chosen) > 1
            ):
                self.unfit.add(unfit)
                chosen.remove(unfit)
            elif not self._help(needs, helpers):
                if not grow or not self._grow(needs, chosen):
                    break
                grow -= 1
        return Tried(tuple(chosen), tuple(helpers), compiled, found, self.stem)

    def _distance(self, compiled: Compiled) -> Distance | None:
        case = reached(compiled, self.goal, self.stem)
        return None if case is None else distance(self.goal, case, (self.stem, TRAIL))

    def _help(self, needs: Needs, helpers: list[Helper]) -> bool:
        """Add one that a try lacked; False if there is none."""
        lacks = (helper for helper in needs.helpers if helper not in helpers)
        more = next(
            (
                helper
                for helper in lacks
                if helper.name in self.old.definitions(helper.file)
            ),
            None,
        )
        helpers += [] if more is None else [more]
        return more is not None

    def _grow(self, needs: Needs, chosen: list[Edit]) -> bool:
        """Add candidates that belong together with `chosen`; False if there are none."""
        rest = [
            edit
            for edit in self.candidates
            if edit not in chosen and edit.kind == "function"
        ]
        more = self._named(needs, rest) if needs.words else []
        more = list(dict.fromkeys(more or self._around(needs, chosen, rest)))[:_BROUGHT]
        chosen += more
        return bool(more)

    def _named(self, needs: Needs, rest: Sequence[Edit]) -> list[Edit]:
        """What ran when an argument or an attribute was missing, or else what sets such an attribute."""
        running = [
            edit
            for file, name in needs.functions
            for edit in rest
            if file in ("", edit.file) and f".{edit.name}".endswith(f".{name}")
        ]
        return running or [edit for edit in rest if self._sets(edit, needs.words)]

    def _around(
        self, needs: Needs, chosen: Sequence[Edit], rest: Sequence[Edit]
    ) -> list[Edit]:
        """Where the error arose: a new function that was given what an old one makes, or what an old one calls."""
        if not needs.functions:
            return []
        file, name = needs.functions[0]
        old = self.old.function(file, name)
        if old is None or Edit("function", file, name) not in chosen:
            return [edit for edit in rest if (edit.file, edit.name) == (file, name)]
        called = called_in(old)
        return sorted(
            (edit for edit in rest if edit.name.rpartition(".")[2] in called),
            key=lambda edit: edit.file != file,
        )

    def _sets(self, edit: Edit, attributes: Collection[str]) -> bool:
        """Whether the old function assigns to one of these attributes."""
        function = self.old.function(edit.file, edit.there)
        return function is not None and any(
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and node.attr in attributes
            for node in ast.walk(function)
        )


def reached(compiled: Compiled, goal: RecordedCase, stem: str) -> RecordedCase | None:
    """What was compiled, if it got as far as an artifact; a test may end early as it expects something else."""
    case, error = compiled.case, compiled.answer.error
    if case is None or (error and not error.startswith(("AssertionError", "Failed:"))):
        return None
    return None if case.text(stem) is None and goal.text(stem) else case


def _parts(chosen: Sequence[Edit], tried: Tried) -> list[Sequence[Edit]]:
    """What to try next of a group: without those that failed, or that removed what was missing, and each of those; or
    halves."""
    needs = tried.compiled.answer.needs if tried.left is None else Needs()
    failed = [
        edit
        for edit in chosen
        if edit.kind == "added" and edit.name.rpartition(".")[2] in needs.words
    ]
    failed = failed or [
        edit for edit in chosen if (edit.file, edit.name) in needs.functions
    ]
    if 0 < len(failed) < len(chosen):
        return [
            [edit for edit in chosen if edit not in failed],
            *([edit] for edit in failed),
        ]
    middle = len(chosen) // 2
    return [chosen[:middle], chosen[middle:]]


def smallest(
    things: Sequence[Thing], enough: Callable[[Sequence[Thing]], bool]
) -> list[Thing]:
    """A part of `things`, which are enough, that is enough, and from which nothing can be left out (QuickXplain, by
    Junker); no part is tried twice."""
    known = {frozenset(things): True}

    def are_enough(part: list[Thing]) -> bool:
        key = frozenset(part)
        if key not in known:
            known[key] = enough(part)
        return known[key]

    def needed(before: list[Thing], others: list[Thing], grown: bool) -> list[Thing]:
        """Of the others, what is needed beside those before; `grown`: whether these have since they were tried."""
        if grown and are_enough(before):
            return []
        if len(others) == 1:
            return others
        first, last = others[: len(others) // 2], others[len(others) // 2 :]
        last = needed([*before, *first], last, True)
        return [*needed([*before, *last], first, bool(last)), *last]

    left = needed([], list(things), False) if things else []
    left = left if are_enough(left) else list(things)
    # What is needed among many may not be among few.
    for thing in left if len(left) > 1 else ():
        rest = [other for other in left if other != thing]
        left = rest if rest and are_enough(rest) else left
    return left
