"""Proves why cases changed: which definitions of the newer version make their first differing stage differ.

Stage by stage from the first: once its causes are found they stay undone, so that what still differs in a later stage
has causes of its own. If a cause cannot be undone in the newer version, such as a new class that everything uses, the
older version is searched instead, for what has to be as in the newer one to make the change.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from pytest_compile_golden.features.prove import candidates
from pytest_compile_golden.features.prove.candidate_order import (
    ALONE,
    COLD,
    TOGETHER,
    explore,
    likeliest,
)
from pytest_compile_golden.features.prove.candidates import Pool
from pytest_compile_golden.features.prove.edit_search import (
    MANY,
    TRAIL,
    Search,
    Tried,
    distance,
    reached,
)
from pytest_compile_golden.features.prove.proof import cause, smaller_edit, turned_edit
from pytest_compile_golden.features.prove.prove_protocol import (
    Begun,
    Edit,
    Helper,
    Reply,
)
from pytest_compile_golden.features.prove.sandbox import (
    Compiled,
    Sandbox,
    SearchTimeout,
)
from pytest_compile_golden.features.prove.source_differences import (
    Differences,
    Differing,
)
from pytest_compile_golden.recordings.recording import RecordedCase
from pytest_compile_golden.report.model import Proof, ProvedCause
from pytest_compile_golden.stages import rank
from pytest_compile_golden.torch_source.definitions import called_in

_SUMMARIES = (
    "passes",
    "pass_diffs",
    "cost",
    "memory",
    "cache_key",
    "specialisations",
    "compile_cost",
    "metrics",
)
"""Stages that are searched last: they mostly say what the others show."""
_MOST, _COLD = 100, 15
"""Compiles, for each stage of a case, and then in new processes: how far a search gets does not depend on how fast the
machine is, nor on what else runs."""
_AGAIN = "the same command goes on from there"


@dataclass(frozen=True)
class Found:
    """The edits of a proof, to be made in other cases of the same change."""

    stem: str = ""
    """What they were found for."""
    edits: tuple[Edit, ...] = ()
    helpers: tuple[Helper, ...] = ()
    now: RecordedCase | None = None
    """What the newer version compiles without them."""
    case: RecordedCase | None = None
    """What the newer version compiles with them; if they are turned, what the older one does."""
    turned: bool = False
    """Whether they are edits of the older version."""
    parts: tuple[Edit, ...] = ()
    """Those of the edits that are its causes, in their order."""

    def only(self, parts: Sequence[Edit]) -> Found:
        """With a part of its causes."""
        edits = tuple(
            edit for edit in self.edits if edit in parts or edit not in self.parts
        )
        return replace(self, edits=edits, parts=tuple(parts))


@dataclass(eq=False)
class Prover:
    """Proves one case after another between two versions of a package."""

    _sandbox: Sandbox
    _differences: Differences
    _say: Callable[[str], None]
    _turned: Callable[[], Prover | None] = lambda: None
    """What proves the other way round, in the older version, if that can be run."""
    _known: list[Edit] = field(default_factory=list)
    """What made other changes; the likeliest of it are tried first, and it grows."""
    _until: float = math.inf
    """By `time.monotonic`, when to end."""
    _doing: str = ""
    """What the next tries are for, in words."""
    _unfit: set[Edit] = field(default_factory=set)
    _lacking: set[Edit] = field(default_factory=set)
    _helpers: list[Helper] = field(default_factory=list)

    def proofs(
        self, goal: RecordedCase, differing: Collection[str] | None = None
    ) -> Iterator[tuple[Proof, Found]]:
        """A proof for the first stage of a case that differs, and for each that still differs without its causes; what
        comes after a stage that was not proved may only follow from that.

        goal: the case as the older version compiled it. differing: the stems of what the report says differs; another
        compile may differ in more, such as in what torch only says once, which is not searched. Without it, stages that
        sum up others are left out unless only they differ. Nothing if both versions do the same. Other cases may be
        searched before the next proof is asked for.
        """
        self._say(f"{goal.nodeid}: compiled as it is now{self._left}")
        try:
            started = self._sandbox.enter(goal.folder)
        except SearchTimeout:
            yield (
                unproved(goal.nodeid, f"not searched before the time was up; {_AGAIN}"),
                Found(),
            )
            return
        if started.case is None:
            yield (
                unproved(
                    goal.nodeid, f"the case cannot be compiled: {started.answer.error}"
                ),
                Found(),
            )
            return
        base: tuple[Edit, ...] = ()
        made = Tried((), (), started)
        stems = _stems(goal, started.case)
        if differing is None:
            stems = [stem for stem in stems if _sums_up(stem) == _sums_up(stems[0]) < 2]
        else:
            stems = [stem for stem in stems if stem in differing]
        for stem in stems:
            if self.late:
                yield (
                    unproved(
                        goal.nodeid,
                        f"not searched before the time was up; {_AGAIN}",
                        _stage(stem),
                    ),
                    Found(),
                )
                return
            if (case := made.compiled.case) is None or not distance(
                goal, case, (stem,)
            ).of(stem):
                continue
            began = time.monotonic()
            try:
                self._sandbox.enter(goal.folder)
                other = self._turned()  # whose process starts while this one searches
                search, start, cold = self._searched(goal, started, stem, base, made)
                proof, edits = self._judged(goal, search, start, began)
            except SearchTimeout:
                self._differences.keep()
                yield (
                    unproved(
                        goal.nodeid,
                        f"not found before the time was up; {_AGAIN}",
                        _stage(stem),
                    ),
                    Found(),
                )
                return
            with suppress(SearchTimeout):
                if proof.proved:
                    proof = replace(
                        proof, agrees=self._is_made_by(edits, goal, started.case)
                    )
                elif other is not None and (
                    unfit := {(edit.file, edit.name) for edit in search.unfit}
                ):
                    proof, edits = other.turned_proof(
                        goal, started.case, stem, base, unfit
                    ) or (proof, edits)
            self._differences.keep()
            last = cold or edits.turned
            if proof.proved and not last:
                base, made = edits.edits, search.best
                self._known += [edit for edit in base if edit not in self._known]
            yield proof, replace(edits, now=started.case)
            if last:
                return

    @property
    def late(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() > self._until

    @property
    def _left(self) -> str:
        """How much of the time is left, in words; empty if there is no end."""
        return (
            ""
            if self._until == math.inf
            else f", {max(0.0, self._until - time.monotonic()):.0f} s left"
        )

    def holds(
        self, found: Found, goal: RecordedCase, has: Callable[[RecordedCase], bool]
    ) -> bool | None:
        """Whether a change goes away with the same edits in another case, and no other comes; None if it does not show
        there anyway.

        has: whether a compile of the case has the change.
        """
        if found.turned:
            other = self._turned()
            back = replace(found, turned=False)
            return (
                None
                if other is None
                else other.holds(back, goal, lambda case: not has(case))
            )
        for _ in self._sandbox.starts():
            now = self._sandbox.as_now(goal)
            if now is None or not has(now):
                continue
            tried = self._sandbox.attempt(goal, found.edits, found.helpers)
            then = reached(tried, goal, found.stem)
            if then is None or has(then):
                return False
            before, after = (
                distance(goal, case, (found.stem,)) for case in (now, then)
            )
            return after.is_part_of(before, found.stem)
        return None

    def turned_proof(
        self,
        before: RecordedCase,
        now: RecordedCase,
        stem: str,
        base: Sequence[Edit],
        only: Collection[tuple[str, str]],
    ) -> tuple[Proof, Found] | None:
        """The proof, by this prover of the older version, that newer definitions make a stage as it is now.

        base: what was undone in the newer version. only: the definitions that could not be, by file and name.
        """
        began = time.monotonic()
        started = self._sandbox.enter(before.folder)
        if started.case is None:
            return None
        theirs = tuple(
            filter(None, (turned_edit(edit, self._differences.old) for edit in base))
        )
        search, start, _ = self._searched(
            now, started, stem, theirs, None if theirs else Tried((), (), started), only
        )
        self._differences.keep()
        if not start.left:
            return None
        proof, found = self._judged(now, search, start, began, turned=True)
        return (proof, replace(found, turned=True)) if proof.proved else None

    def _is_made_by(
        self, found: Found, goal: RecordedCase, now: RecordedCase
    ) -> bool | None:
        """Whether the same definitions, in the older version, make the stage as it is now."""
        other = self._turned()
        edits = [turned_edit(edit, self._differences.new) for edit in found.edits]
        stem = found.stem
        if (
            other is None
            or None in edits
            or not (before := distance(now, goal, (stem,)).of(stem))
        ):
            return None
        other._sandbox.begin(goal.folder)
        other._doing = "in the older version"
        left = None
        for _ in other._sandbox.starts():
            search = Search(now, other._differences.old, other._run(now, stem), stem)
            left = search.tried(
                [edit for edit in edits if edit is not None], grow=0
            ).left
            if left is not None and left < before:
                return True
        return None if left is None else False

    def _searched(
        self,
        goal: RecordedCase,
        entered: Compiled,
        stem: str,
        base: tuple[Edit, ...],
        made: Tried | None,
        only: Collection[tuple[str, str]] = (),
    ) -> tuple[Search, Tried, bool]:
        """The search with its best result, how it began, and whether each of its tries began in a fresh process.

        made: the try of the base, if there was one.
        """
        run = self._run(goal, stem)
        old, new = self._differences.old, self._differences.new
        search = Search(goal, old, run, stem, base, most=_MOST, until=self._until)
        search.unfit, search.lacking, search.helpers = (
            self._unfit,
            self._lacking,
            self._helpers,
        )
        start = search.begin(made)
        if start.left == 0:
            return search, start, False
        texts = [
            f"{case.text(name)}"
            for case in (goal, start.compiled.case)
            if case
            for name in (stem, TRAIL)
        ]
        begun = search.begun = Begun(
            self._differences.folder,
            (old, new),
            str(goal.folder),
            stem,
            str(base),
            *texts,
        )
        finished = False
        try:
            cold = self._explored(goal, search, start, entered, only)
            finished = not search.unfinished
        except SearchTimeout:
            search.interrupted, cold = True, False
        finally:
            begun.end(finished)
        return search, start, cold

    def _explored(
        self,
        goal: RecordedCase,
        search: Search,
        start: Tried,
        entered: Compiled,
        only: Collection[tuple[str, str]],
    ) -> bool:
        """Try candidates until the search ends; whether each of the tries began in a fresh process."""
        stem, base = search.stem, search.base
        self._say(
            f"{goal.nodeid}: {stem}, comparing the sources of both versions{self._left}"
        )
        self._doing = f"undoing what differs, at most {_MOST} tries"
        pools: dict[tuple[Edit, ...], Pool] = {}

        def pool_of(tried: Tried) -> Pool:
            """By what ran in a try, and what still differs after it."""
            if tried.edits not in pools:
                answer = entered.answer
                if tried.edits:  # old code calls what the new does not
                    answer = self._sandbox.attempt(
                        goal, tried.edits, tried.helpers, covered=True
                    ).answer
                report = candidates.said(goal, tried.compiled.case)
                shown = () if report is None else report.changes or report.secondary
                near, others = (
                    candidates.ran(self._differences, places, answer.names, self._until)
                    for places in candidates.until(
                        answer.ran, _stage(stem), [change.stage for change in shown]
                    )
                )
                every = near | others
                every = {
                    edit: every[edit]
                    for edit in every
                    if not only or (edit.file, edit.name) in only
                }
                blamed = candidates.blamed(report)
                pools[tried.edits] = Pool(
                    every,
                    frozenset(near),
                    blamed,
                    candidates.subjects(report),
                    self._called_at(blamed),
                )
            return pools[tried.edits]

        pool = pool_of(start)
        settings = (
            []
            if only
            else candidates.settings(self._differences.old, self._differences.new)
        )
        search.candidates = list(
            dict.fromkeys(
                [*base, *settings, *pool.edits, *self._all_that_ran(entered.answer)]
            )
        )
        known = [edit for edit in likeliest(search, pool) if edit in self._known][
            :ALONE
        ]
        if _sums_up(stem) or not known:  # numbers name nothing
            known = list(
                dict.fromkeys(
                    [*known, *(edit for edit in pool.edits if edit in self._known)]
                )
            )[:TOGETHER]
        search.explore(
            [*(edit for edit in settings if edit in self._known), *known], grow=MANY
        )
        search.explore(settings)
        explore(search, pool_of, TOGETHER)
        search.cut = search.exhausted
        if search.best.left == start.left and not self.late and not only:
            search.most = search.compiles + _COLD
            self._doing = f"in new processes, at most {_COLD} tries"
            unfit = [edit for edit in pool.edits if edit in self._unfit]
            if self._explored_cold(goal, search, pool, unfit):
                return True
        if search.best.left != start.left and not search.unfinished:
            self._doing = "leaving out what is not needed"
            search.minimise()
        return False

    def _explored_cold(
        self, goal: RecordedCase, search: Search, pool: Pool, unfit: Sequence[Edit]
    ) -> bool:
        """Try what runs once per process, and what could not be replaced after it had run; whether that helped."""
        once = self._all_that_ran(self._sandbox.first_compile(goal.folder))
        new = {
            edit: one
            for edit, one in once.items()
            if edit not in pool.edits or edit in unfit
        }
        search.candidates = [
            *search.candidates,
            *(edit for edit in new if edit not in search.candidates),
        ]
        search.unfit, search.lacking, search.begun = set(), set(), None
        start = search.begin()
        explore(search, lambda _: Pool(new, frozenset(new), pool.blamed), COLD, alone=0)
        if search.best.left == start.left or search.unfinished:
            return False
        search.minimise()
        return True

    def _all_that_ran(self, answer: Reply) -> dict[Edit, Differing]:
        """Also after the artifact was made: what is undone may need that."""
        places = itertools.chain.from_iterable(answer.ran.values())
        return candidates.ran(self._differences, places, answer.names, self._until)

    def _run(
        self, goal: RecordedCase, stem: str
    ) -> Callable[[Sequence[Edit], Sequence[Helper]], Compiled]:
        tries = itertools.count(1)

        def run(edits: Sequence[Edit], helpers: Sequence[Helper]) -> Compiled:
            self._say(
                f"{goal.nodeid}: {stem}, {self._doing}, try {next(tries)}{self._left}"
            )
            return self._sandbox.attempt(goal, edits, helpers)

        return run

    def _judged(
        self,
        goal: RecordedCase,
        search: Search,
        start: Tried,
        began: float,
        turned: bool = False,
    ) -> tuple[Proof, Found]:
        best, stage = search.best, _stage(search.stem)
        self._doing = "checking what was found"
        added = [edit for edit in best.edits if edit not in search.base]
        lines = start.left or 0
        why_not = _why_not(search, start) or self._failed_inside(
            goal, best, search.base
        )
        if why_not:
            blamed = candidates.blamed(candidates.said(goal, start.compiled.case))
            refuted = tuple(
                where for where in blamed if self._is_refuted(search, where)
            )
            seconds = time.monotonic() - began
            proof = Proof(
                goal.nodeid,
                stage,
                (),
                lines,
                lines,
                search.tries,
                seconds,
                why_not=why_not,
                refuted=refuted,
            )
            return proof, Found()
        causes = tuple(
            self._cause(search, start, edit, len(added) == 1, turned) for edit in added
        )
        then = best.compiled.case
        shown = [
            name
            for name in _stems(goal, start.compiled.case)
            if name == search.stem or not _sums_up(name)
        ]
        gone = [name for name in shown if then and not distance(goal, then).of(name)]
        seconds = time.monotonic() - began
        left = best.left or 0
        proof = Proof(
            goal.nodeid,
            stage,
            causes,
            lines,
            left,
            search.tries,
            seconds,
            tuple(gone),
            turned=turned,
        )
        return proof, Found(
            search.stem, best.edits, best.helpers, case=then, parts=tuple(added)
        )

    def _at(self, where: str) -> tuple[str, str]:
        """The file and the name of the definition at a place."""
        file, _, at = where.rpartition(":")
        return file, self._differences.new.function_at(where) or at

    def _called_at(self, places: Iterable[str]) -> set[tuple[str, str]]:
        """What the functions at these places call, in the same file: the file and the last part of the name."""
        found = (
            (file, self._differences.new.function(file, name))
            for file, name in map(self._at, places)
        )
        return {
            (file, called)
            for file, function in found
            if function is not None
            for called in called_in(function)
        }

    def _is_refuted(self, search: Search, where: str) -> bool:
        """Whether the definition at a place was undone, and nothing was any different."""
        file, name = self._at(where)
        its = [
            tried
            for tried in search.done.values()
            if any((e.file, e.name) == (file, name) for e in tried.edits)
        ]
        return bool(its) and all(
            tried.distance and tried.left == search.best.left for tried in its
        )

    def _failed_inside(
        self, goal: RecordedCase, best: Tried, base: tuple[Edit, ...]
    ) -> str:
        """Why the result does not count, if old code failed in the new version and something caught the error."""
        added = [edit for edit in best.edits if edit not in base]
        watched = [(edit.file, edit.there) for edit in added] + [
            (helper.file, helper.name) for helper in best.helpers
        ]
        caught = self._sandbox.attempt(
            goal, best.edits, best.helpers, watched
        ).answer.caught
        if caught:  # unless the new code fails in the same way
            as_now = set(self._sandbox.attempt(goal, base, (), watched).answer.caught)
            caught = tuple(text for text in caught if text not in as_now)
        names = ", ".join(edit.name for edit in added)
        return (
            f"without {names} it goes away, but the old code fails there: {caught[0]}"
            if caught
            else ""
        )

    def _cause(
        self, search: Search, start: Tried, edit: Edit, alone: bool, turned: bool
    ) -> ProvedCause:
        old, new = self._differences.old, self._differences.new
        others = [other for other in search.best.edits if other != edit]
        explains = 0
        if not alone:
            by_itself = search.tried([*search.base, edit], grow=0)
            if by_itself.explains_part_of(start):
                explains = (start.left or 0) - (by_itself.left or 0)

        def enough(some: Edit) -> bool:
            result = search.tried([*others, some], grow=0).left
            return result is not None and result <= (search.best.left or 0)

        part = smaller_edit(edit, old, new, enough)
        smaller = "" if part is edit else part.text
        if turned:
            return cause(
                turned_edit(edit, new) or edit,
                new,
                old,
                explains=explains,
                larger=smaller,
            )
        return cause(edit, old, new, smaller, explains)


def _why_not(search: Search, start: Tried) -> str:
    best = search.best
    differ = f"of {len(search.candidates)} Python functions, constants and settings that differ"
    fails = f" ({len(search.failed)} tries did not compile)" if search.failed else ""
    if search.unfinished:
        late = search.interrupted or time.monotonic() > search.until
        limit = (
            "before the time was up"
            if late
            else f"in {search.compiles} compiles, after which a search ends"
        )
        return f"not found {limit}, {differ}{fails}; {_AGAIN}"
    if best.edits == search.base or best.left == start.left:
        return f"none {differ} made it go away{fails}"
    if best.left and not best.explains_part_of(start):
        names = ", ".join(edit.name for edit in best.edits if edit not in search.base)
        return f"without {names} it becomes another change, {differ}{fails}"
    return ""


def unproved(nodeid: str, why_not: str, stage: str = "") -> Proof:
    """For what was not searched."""
    return Proof(nodeid, stage, (), 0, 0, 0, 0.0, why_not=why_not)


def _stems(goal: RecordedCase, now: RecordedCase | None) -> list[str]:
    """What differs: the stages in pipeline order, then those that sum them up, the trail of all steps last of all."""
    differing = [] if now is None else distance(goal, now).lines
    return sorted(differing, key=lambda stem: (_sums_up(stem), rank(_stage(stem))))


def _sums_up(stem: str) -> int:
    return 2 if _stage(stem) == TRAIL else int(_stage(stem) in _SUMMARIES)


def _stage(stem: str) -> str:
    return stem.partition(".")[0]
