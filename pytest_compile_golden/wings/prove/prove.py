"""Proves why cases changed: which definitions of the newer version make their first differing stage differ."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pytest_compile_golden.goldens.cause import cause as first_divergence
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.recordings import pairing
from pytest_compile_golden.recordings.recording import RecordedCase
from pytest_compile_golden.stages import rank
from pytest_compile_golden.wings.prove import candidates, hunks
from pytest_compile_golden.wings.prove.candidates import Differences
from pytest_compile_golden.wings.prove.laboratory import Compiled, Laboratory
from pytest_compile_golden.wings.prove.messages import Answer, Edit, Helper
from pytest_compile_golden.wings.prove.proof import Proof, cause
from pytest_compile_golden.wings.prove.search import Search, Tried, batches, distance, find

_SUMMARIES = ("passes", "pass_diffs", "cost", "memory", "cache_key", "specialisations", "compile_cost", "trail")
"""Stages that are searched only if no other one differs: they say what the others show."""
_NUMBERS = "metrics"
_TRIES = 150
_LONGEST_S = 60.0
"""For each stage of a case."""
_ALONE = 6
"""How many of the likeliest candidates are tried alone."""
_COLD = 40
"""How many are tried at once if each try has to import and register everything anew."""


@dataclass(frozen=True)
class Found:
    """The edits of a proof, to be made in other cases of the same change."""

    edits: tuple[Edit, ...]
    helpers: tuple[Helper, ...]
    cold: bool


class Prover:
    """Proves one case after another between two versions of a package."""

    def __init__(self, laboratory: Laboratory, differences: Differences, say: Callable[[str], None]) -> None:
        self._laboratory = laboratory
        self._differences = differences
        self._say = say

    def proofs(self, goal: RecordedCase) -> list[tuple[Proof, Found]]:
        """A proof for the first stage of a case that differs, and for each that still differs without its causes.

        goal: the case as the older version compiled it. Empty if both versions do the same.
        """
        started = self._laboratory.enter(goal.folder)
        if started.case is None:
            return [(_unproved(goal, f"the case cannot be compiled: {started.answer.error}"), Found((), (), False))]
        found: list[tuple[Proof, Found]] = []
        base: tuple[Edit, ...] = ()
        for stem in _stems(goal, started.case):
            search, best, seconds = self._searched(goal, started.case, started.answer, stem, base)
            start = search.tried(base)
            if start.left == 0:
                continue
            found.append(self._judged(goal, stem, search, best, start, base, seconds))
            if not found[-1][0].proved or found[-1][1].cold:
                break
            base = found[-1][1].edits
        self._differences.keep()
        return found

    def holds(self, found: Found, goal: RecordedCase, stage: str) -> bool | None:
        """Whether the same edits make a stage of another case as it was; None if it does not differ there."""
        started = self._laboratory.enter(goal.folder)
        if started.case is None or not (before := distance(goal, started.case).of(stage)):
            return None
        if found.cold:
            self._laboratory.leave()
        tried = self._laboratory.attempt(goal, found.edits, found.helpers)
        return tried.case is not None and distance(goal, tried.case).of(stage) < before

    def _searched(
        self, goal: RecordedCase, now: RecordedCase, entered: Answer, stem: str, base: tuple[Edit, ...]
    ) -> tuple[Search, Tried, float]:
        began = time.monotonic()

        def run(edits: Sequence[Edit], helpers: Sequence[Helper]) -> Compiled:
            self._say(f"{goal.nodeid}: {stem}, try {search.tries}")
            return self._laboratory.attempt(goal, edits, helpers)

        search = Search(goal, self._differences.old, run, stem, limit=_TRIES, until=began + _LONGEST_S)
        start = search.tried(base)
        if start.left == 0:
            return search, start, 0.0
        words, blamed = _words(goal, now, stem), _blamed(goal, now)
        split = candidates.until(entered.ran, _stage(stem))
        near, earlier = (candidates.ran(self._differences, places) for places in split)
        earlier = {edit: one for edit, one in earlier.items() if edit not in near}
        first = [edit for edit, one in (near | earlier).items() if candidates.is_blamed(edit, one, blamed)]
        settings = candidates.settings(self._differences.old, self._differences.new)
        here, before = (candidates.ranked(edits, words, blamed) for edits in (near, earlier))
        files = {where.rpartition(":")[0] for where in blamed}
        alone = [*first, *(edit for edit in here[:_ALONE] if edit not in first)]
        # What a pass calls is mostly in its own file.
        others = sorted(
            (edit for edit in [*here, *before] if edit not in alone), key=lambda edit: edit.file not in files
        )
        groups = [settings, *batches(alone, 1), *batches(others)]
        search.candidates = list(dict.fromkeys([*base, *(edit for group in groups for edit in group)]))
        best = find(search, groups, base)
        if best.left == start.left and not search.exhausted:
            first_compile = self._laboratory.enter(goal.folder, first=True).answer.ran
            self._laboratory.leave()
            places = [place for places in first_compile.values() for place in places]
            differing = candidates.ran(self._differences, places)
            only = {edit: one for edit, one in differing.items() if edit not in near | earlier}
            once = candidates.ranked(only, words, blamed)
            search.candidates = [*search.candidates, *once]
            search.cold, search.done = True, {}
            best = find(search, batches(once, _COLD), base)
        return search, best, time.monotonic() - began

    def _judged(
        self,
        goal: RecordedCase,
        stem: str,
        search: Search,
        best: Tried,
        start: Tried,
        base: tuple[Edit, ...],
        seconds: float,
    ) -> tuple[Proof, Found]:
        old, new = self._differences.old, self._differences.new
        lines, left = start.left or 0, lines_left(start, best)
        added = [edit for edit in best.edits if edit not in base]
        why_not = ""
        if not added or left >= lines:
            differ = f"of {len(search.candidates)} Python functions, constants and settings that differ"
            why_not = (
                f"the search ended at its limit, {differ}" if search.exhausted else f"none {differ} made it go away"
            )
            why_not += f" ({len(search.failed)} tries did not compile)"
        else:
            strict = self._laboratory.attempt(goal, best.edits, best.helpers, strict=True)
            if strict.answer.caught:
                names = ", ".join(edit.name for edit in added)
                why_not = f"without {names} it goes away, but the old code fails there: {strict.answer.caught[0]}"
        if why_not:
            proof = Proof(goal.nodeid, _stage(stem), (), lines, lines, search.tries, seconds, why_not=why_not)
            return proof, Found((), (), search.cold)
        causes = []
        for edit in added:
            before, after = old.function(edit.file, edit.name), new.function(edit.file, edit.name)
            part = edit
            if edit.kind == "function" and before is not None and after is not None:
                others = [other for other in best.edits if other != edit]

                def enough(some: Edit, others: list[Edit] = others) -> bool:
                    result = search.tried([*others, some], grow=False).left
                    return result is not None and result <= left

                part = hunks.smaller(edit, before, after, enough)
            causes.append(cause(edit, old, new, part.text if part.kind == "function" else ""))
        then = best.compiled.case
        gone = [name for name in _stems(goal, start.compiled.case) if then and not distance(goal, then).of(name)]
        proof = Proof(goal.nodeid, _stage(stem), tuple(causes), lines, left, search.tries, seconds, tuple(gone))
        return proof, Found(best.edits, best.helpers, search.cold)


def lines_left(start: Tried, best: Tried) -> int:
    left = start.left if best.left is None else best.left
    return left or 0


def _unproved(goal: RecordedCase, why_not: str) -> Proof:
    return Proof(goal.nodeid, "", (), 0, 0, 0, 0.0, why_not=why_not)


def _stems(goal: RecordedCase, now: RecordedCase | None) -> list[str]:
    """What differs, in pipeline order."""
    differing = [] if now is None else [stem for stem in distance(goal, now).lines if _stage(stem) != _NUMBERS]
    shown = [stem for stem in differing if _stage(stem) not in _SUMMARIES]
    return sorted(shown or differing, key=lambda stem: rank(_stage(stem)))


def _stage(stem: str) -> str:
    return stem.partition(".")[0]


def _words(goal: RecordedCase, now: RecordedCase, stem: str) -> frozenset[str]:
    sides = [set(split_lines(case.text(stem) or "")) for case in (goal, now)]
    return candidates.words_of(sides[0] ^ sides[1])


def _blamed(goal: RecordedCase, now: RecordedCase) -> list[str]:
    """The places in torch that the report would name."""
    changes = [pair.change for pair in pairing.compared(goal, now, None) if pair.change is not None]
    named = first_divergence([change for change in changes if change.fails])
    return [found.where for found in (named, named and named.also) if found is not None and found.where]
