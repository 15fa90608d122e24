"""Proves every distinct change between two recordings, on one case each, and checks the result on others.

A search takes many compiles, and a hundred cases may have one change: so it is searched in the case that is cheapest to
search, and what is found there is tried in a few others. Where it does not hold, the cases have the change for several
reasons, and the rest are searched again by themselves.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import cache
from itertools import tee
from pathlib import PurePosixPath
from typing import cast

from pytest_compile_golden.environments.run_suite import Request, SuiteInterrupted
from pytest_compile_golden.features.prove.edit_search import smallest
from pytest_compile_golden.features.prove.prove_protocol import Edit
from pytest_compile_golden.features.prove.prover import Found, Prover, unproved
from pytest_compile_golden.features.prove.sandbox import Sandbox, SearchTimeout
from pytest_compile_golden.features.prove.source_differences import Differences, Kind
from pytest_compile_golden.goldens.golden_paths import folder_of_id
from pytest_compile_golden.recordings.recording import RecordedCase, Recording
from pytest_compile_golden.report import compare_recordings
from pytest_compile_golden.report.case_groups import (
    changes_of,
    corrected,
    grouped,
    unexplained_in,
)
from pytest_compile_golden.report.model import CaseGroup, CaseReport, Proof, Report
from pytest_compile_golden.stages import rank
from pytest_compile_golden.torch_source.installed_sources import Sources

CHECKED = 2
"""On how many more cases of the same change a proof is checked."""
_MOST_CHECKED = 30
"""On how many if the change has several causes."""
_PARTS = 3
"""How many causes are looked for, one after the other, for the cases of one change."""

_NOT_IN_PYTHON = {
    "attention-backend": "the library for attention is chosen in C++ (transformers/cuda/sdp_utils.cpp)",
    "global-state-listed": "what belongs to the global state is listed in C++ (torch/csrc/dynamo/guards.cpp)",
    "compilers": "it is another compiler, which is not part of torch",
}
"""The codes of changes that no definition in Python makes, and what does."""

_COSTS = "metrics"
"""The stage that shows what is unexplained."""
Say = Callable[[str], None]
Place = tuple[str, str]
"""A case and the key of one of its changes."""


def proved(
    report: Report,
    old: Recording,
    versions: tuple[Sources, Sources],
    suite: Request,
    say: Say,
    until: float = math.inf,
    told: Callable[[Proof], Proof] = lambda proof: proof,
) -> Report:
    """The report with a proof, or what was tried, in each distinct change that has no proof yet: changes with the same
    proved causes are one, and one that has others in some of its cases is several.

    old: what the older version compiled. versions: the older and the newer one. suite: where the cases are. until: by
    `time.monotonic`, when the search ends; an interrupt ends the search, too, and keeps what was
    found. told: adds to a proof what else is to be said.
    """
    cases = Cases(report, old)
    # What is first searched in one case is searched by one prover.
    by_case: dict[str, list[CaseGroup]] = {}
    for group in unknown(report):
        by_case.setdefault(
            next((case.nodeid for case in cases.of(group)), ""), []
        ).append(group)
    if not by_case:
        return report
    waiting = iter(by_case.values())
    at_once = min(suite.processes, len(by_case))
    suite = replace(suite, cases=cases_of(report), processes=1)
    found = known_of(report)
    # Tried anyway.
    causes = (
        cause
        for proof in found.values()
        for cause in proof.causes
        if cause.kind != "setting"
    )
    known = list(
        dict.fromkeys(
            Edit(cast(Kind, cause.kind), cause.file, cause.name) for cause in causes
        )
    )
    stopped = threading.Event()

    def go_on(text: str) -> None:
        if stopped.is_set():
            raise SuiteInterrupted
        say(text)

    def search(_: int) -> None:
        with _prover(versions, suite, go_on, cases.folders, known, until) as prover:
            changes = Changes(cases, prover)
            for group in (group for its in waiting for group in its):
                proofs: dict[str, Proof] = {}
                with suppress(SearchTimeout):
                    proofs = changes.proofs(group) if not prover.late else {}
                found.update(
                    {
                        (member, key): told(proof)
                        for member, proof in proofs.items()
                        for key in group.keys
                    }
                )

    with ThreadPoolExecutor(at_once) as pool:
        try:
            with suppress(KeyboardInterrupt):
                list(pool.map(search, range(at_once)))
        finally:
            stopped.set()
    return with_proofs(report, found)


def known_of(report: Report) -> dict[Place, Proof]:
    """The proofs that a report has."""
    return {
        (member, key): group.proof
        for group in report.groups
        if group.proof is not None and group.proof.proved
        for member in group.members
        for key in group.keys
    }


def with_proofs(report: Report, found: Mapping[Place, Proof]) -> Report:
    """The report grouped by what is proved, with the proofs in its groups: by the lines of a function that matter. A
    case in which nothing was tried is with the others that have the change if these all have one cause."""
    causes = {
        place: "\n".join(
            sorted(
                "\n".join((cause.kind, cause.file, cause.name, *cause.diff))
                for cause in proof.causes
            )
        )
        for place, proof in found.items()
        if proof.proved
    }
    of_change: dict[str, set[str]] = {}
    for (_, key), cause in causes.items():
        of_change.setdefault(key, set()).add(cause)
    for case in report.cases:
        for change in (*changes_of(case), *case.secondary):
            only = of_change.get(change.key, ())
            if len(only) == 1 and (case.nodeid, change.key) not in found:
                causes[case.nodeid, change.key] = next(iter(only))
    measured: dict[str, dict[str, Mapping[str, float]]] = {}
    for (nodeid, key), proof in found.items():
        if nodeid == proof.nodeid and proof.proved and proof.moves is not None:
            measured.setdefault(nodeid, {})[key] = dict(proof.moves)
    cases = tuple(
        corrected(case, measured.get(case.nodeid, {})) for case in report.cases
    )
    return replace(
        report,
        cases=cases,
        groups=tuple(_with(group, found) for group in grouped(cases, causes)),
    )


@contextmanager
def _prover(
    versions: tuple[Sources, Sources],
    suite: Request,
    say: Say,
    folders: Sequence[PurePosixPath],
    known: list[Edit],
    until: float,
) -> Iterator[Prover]:
    """Proves in the newer version, and the other way round in the older one if that can be run.

    folders: of the cases, the smallest first. known: what made other changes, which is tried first and added to.
    """
    old, new = versions
    with ExitStack() as stack:

        @cache
        def turned() -> Prover | None:
            if old.python is None:
                return None
            older = stack.enter_context(Sandbox(new, old, suite, folders, until=until))
            return Prover(older, Differences(new, old), say, _until=until)

        newer = stack.enter_context(Sandbox(old, new, suite, folders, until=until))
        yield Prover(newer, Differences(old, new), say, turned, known, until)


def cases_of(report: Report, most: int | None = None) -> tuple[str, ...]:
    """The cases of the distinct changes that have no proof; `most` of each."""
    by_id = {case.nodeid: case for case in report.cases}
    chosen: dict[str, None] = {}
    for group in unknown(report):
        # Those with the fewest changes first.
        cases = sorted(
            (by_id[nodeid] for nodeid in group.members),
            key=lambda case: len(case.changes),
        )
        chosen |= {case.nodeid: None for case in varied(cases)[:most]}
    return tuple(chosen)


def varied(cases: Sequence[CaseReport], keys: Collection[str] = ()) -> list[CaseReport]:
    """First those whose change the report places elsewhere than that of the ones before, or that are of other tests.

    keys: of the change; the first of all changes, if not given.
    """
    before = Counter[object]()
    ranks = {}
    for case in cases:
        every = (*case.changes, *case.secondary)
        where = next(
            (
                change.where or change.defined
                for change in every
                if not keys or change.key in keys
            ),
            None,
        )
        kinds = (where, _test(case))
        there, of_test = (before[kind] for kind in kinds)
        ranks[case.nodeid] = min(there, of_test), there
        before.update(kinds)
    return sorted(cases, key=lambda case: ranks[case.nodeid])


def _test(case: CaseReport) -> PurePosixPath:
    """Equal for the cases of one test, which are for different targets."""
    return folder_of_id(case.nodeid, case.target).parent


def not_searched(group: CaseGroup) -> Proof | None:
    """What is said of a change that no definition in Python makes; None for any other."""
    if group.code not in _NOT_IN_PYTHON:
        return None
    return unproved(
        group.members[0], f"not searched: {_NOT_IN_PYTHON[group.code]}", group.stage
    )


def _nothing_left(nodeid: str, group: CaseGroup, found: Sequence[Proof]) -> Proof:
    """That a change could not be searched, and why not."""
    causes = ", ".join(cause.name for proof in found for cause in proof.causes)
    why_not = (
        f"it stays without {causes}, after which every stage that a search compares is as before"
        if causes
        else "a second compile in the same process does not show it"
    )
    return unproved(nodeid, why_not, group.stage)


def changed(report: Report) -> list[CaseGroup]:
    """The distinct changes of a report that have a cause, and what its cases cost for no known reason."""
    return [
        group
        for group in report.groups
        if group.is_change or group.is_unexplained or group.outcome == "noted"
    ]


def unknown(report: Report) -> list[CaseGroup]:
    """Those of them that are not proved."""
    return [
        group
        for group in changed(report)
        if group.proof is None or not group.proof.proved
    ]


def _with(group: CaseGroup, found: Mapping[Place, Proof]) -> CaseGroup:
    places = ((member, key) for member in group.members for key in group.keys)
    # Of several proofs with the same causes, the one with the most cases.
    proofs = [found[place] for place in places if place in found]
    proof = max(proofs, key=lambda proof: len(proof.cases), default=None)
    if proof is None:
        return group
    if proof.proved:  # what was searched again by itself has the same causes
        proof = replace(
            proof,
            not_in=tuple(other for other in proof.not_in if other not in group.members),
        )
        return replace(group, proof=proof, where=proof.causes[0].where)
    refuted = group.where is not None and group.where in proof.refuted
    return replace(group, proof=proof, where=None if refuted else group.where)


_Result = tuple[Proof, Found, frozenset[str]]
"""A proof of a case, with the keys of its changes that go away."""


class Cases:
    """The cases of a report that the older version has compiled."""

    def __init__(self, report: Report, old: Recording) -> None:
        self._old = old
        self._unexplained = frozenset(
            key for group in report.groups if group.is_unexplained for key in group.keys
        )
        by_id = {case.nodeid: case for case in old.cases}
        by_folder = {case.folder: case for case in old.cases}
        self.before = {}
        for case in report.cases:
            before = by_id.get(case.nodeid) or by_folder.get(
                folder_of_id(case.nodeid, case.target)
            )
            if before is not None:
                self.before[case.nodeid] = before
        known = [case for case in report.cases if case.nodeid in self.before]
        self._reports = {case.nodeid: case for case in sorted(known, key=self._size)}

    @property
    def folders(self) -> list[PurePosixPath]:
        """Those of the cases as the older version has them."""
        return [self.before[nodeid].folder for nodeid in self._reports]

    def _size(self, case: CaseReport) -> tuple[int, int]:
        return len(case.changes), sum(
            len(artifact.text) for artifact in self.before[case.nodeid].artifacts
        )

    def of(self, group: CaseGroup) -> list[CaseReport]:
        """Those of a change: first those that have its stage and in which the fewest before it differ, which would have
        to be searched first; of these those with the fewest changes, then the smallest."""
        members = set(group.members)

        shown = group.stage or _COSTS

        def earlier(case: CaseReport) -> tuple[bool, int]:
            differ = [
                made.stage
                for made in case.stages
                if made.kind not in ("same", "cosmetic", "unavailable")
            ]
            return shown not in differ, sum(
                rank(stage) < rank(shown) for stage in differ
            )

        return sorted(
            (case for nodeid, case in self._reports.items() if nodeid in members),
            key=earlier,
        )

    def stems(self, nodeid: str) -> set[str]:
        """Of the artifacts that differ."""
        return {
            PurePosixPath(stage.file).stem for stage in self._reports[nodeid].stages
        }

    def moves(
        self, old: RecordedCase, new: RecordedCase
    ) -> tuple[tuple[str, float], ...]:
        """By how much the metrics differ between two compiles of a case, by name."""
        before, after = (replace(self._old, cases=(side,)) for side in (old, new))
        found = []
        for case in compare_recordings.report(
            before, after, "old", "new", detail="terse"
        ).cases:
            for metric in case.metrics:
                if isinstance(metric.old, (int, float)) and isinstance(
                    metric.new, (int, float)
                ):
                    found.append((metric.name, float(metric.new - metric.old)))
        return tuple((name, amount) for name, amount in found if amount)

    def explained(
        self, nodeid: str, moves: Sequence[tuple[str, float]]
    ) -> frozenset[str]:
        """The key of what is unexplained in a case, if some of that moves so."""
        left = unexplained_in(self._reports[nodeid])
        return (
            self._unexplained
            if any(amount * left.get(name, 0) > 0 for name, amount in moves)
            else frozenset()
        )

    def keys(self, nodeid: str, case: RecordedCase) -> frozenset[str]:
        """How a case differs from what the older version compiled."""
        old, new = (
            replace(self._old, cases=(side,)) for side in (self.before[nodeid], case)
        )
        compared = compare_recordings.report(
            old, new, "old", "new", detail="brief"
        ).cases
        return frozenset(
            change.key for one in compared for change in (*one.changes, *one.secondary)
        )


class Changes:
    """Distinct changes, and what was found out about their cases."""

    def __init__(self, cases: Cases, prover: Prover) -> None:
        self._cases = cases
        self._prover = prover
        self._proofs: dict[str, Iterator[_Result]] = {}

    def proofs(self, group: CaseGroup) -> dict[str, Proof]:
        """For each case of the change, the proof with which it goes away there, or else what was tried.

        A proof is checked in two more cases, and holds for all if it does there. If it does not, more are checked, and
        then it holds in those and in the cases of the same tests; the others are searched by themselves, and what is
        found for them is checked as often.
        """
        if (proof := not_searched(group)) is not None:
            return dict.fromkeys(group.members, proof)
        left = self._cases.of(group)
        done: dict[str, Proof] = {}
        several = False
        for _ in range(_PARTS):
            if not left or (done and self._prover.late):
                break
            first, *others = varied(left, group.keys)
            proof, found = self._with_which_it_goes(first.nodeid, group)
            # Another test may show it with less beside it.
            several = several or not proof.proved
            holds: dict[str, bool | None] = {}
            if found is not None:
                holds = self._checked(found, group, others[:CHECKED])
                several = several or False in holds.values() or self._prover.late
                if several:
                    holds |= self._checked(found, group, others[CHECKED:_MOST_CHECKED])
            without = [other for other, held in holds.items() if held is False]
            its = {first.nodeid, *(other for other, held in holds.items() if held)}
            proof = replace(
                proof,
                cases=tuple(other for other in holds if other in its),
                not_in=tuple(without),
            )
            tests = {_test(case) for case in left if case.nodeid in its}
            alike = [
                case
                for case in left
                if case.nodeid not in without and (not several or _test(case) in tests)
            ]
            done |= {case.nodeid: proof for case in alike}
            left = [case for case in left if case not in alike]
            if not proof.proved:
                done = dict.fromkeys((case.nodeid for case in left), proof) | done
        proofs = set(done.values())
        return (
            dict.fromkeys(group.members, proofs.pop())
            if len(proofs) == 1 and not left
            else done
        )

    def _with_which_it_goes(
        self, nodeid: str, group: CaseGroup
    ) -> tuple[Proof, Found | None]:
        proofs = []
        for proof, found, gone in self._of(nodeid):
            # Stages are searched in order, and the causes of each go on being undone. So the first proof with which the
            # change goes away may have causes of other changes, too.
            if gone & set(group.keys):
                # And each of its causes is needed for that.
                alone = gone <= set(group.keys)
                return (
                    (proof, found)
                    if alone
                    else self.of_change(group, nodeid, proof, found)
                )
            proofs.append(proof)
            if not proof.proved and rank(proof.stage) >= rank(group.stage or _COSTS):
                break
        failed = (proof for proof in reversed(proofs) if not proof.proved)
        return next(failed, None) or _nothing_left(nodeid, group, proofs), None

    def of_change(
        self, group: CaseGroup, nodeid: str, proof: Proof, found: Found
    ) -> tuple[Proof, Found]:
        """Of the causes of a stage those with which alone this change goes away, and no other comes."""
        if found.turned or len(found.parts) < 2:
            return proof, found
        parts = smallest(
            found.parts,
            lambda part: self._holds(found.only(part), group, nodeid) is True,
        )
        if len(parts) == len(found.parts):
            return proof, found
        causes = tuple(
            cause
            for cause, edit in zip(proof.causes, found.parts, strict=True)
            if edit in parts
        )
        # The stage has the others, too: what is said of it is not true of these alone.
        return replace(
            proof, causes=causes, stage=group.stage, gone=(), moves=None
        ), found.only(parts)

    def _of(self, nodeid: str) -> Iterator[_Result]:
        """The proofs of a case, each with the keys of the changes that go away with its causes, searched as needed."""
        its, self._proofs[nodeid] = tee(
            self._proofs.get(nodeid) or self._searched(nodeid)
        )
        return its

    def _searched(self, nodeid: str) -> Iterator[_Result]:
        told: set[str] = set()
        before = self._cases.before[nodeid]
        last: RecordedCase | None = None
        for proof, found in self._prover.proofs(before, self._cases.stems(nodeid)):
            gone = frozenset[str]()
            if found.now is not None and found.case is not None:
                now, then = (
                    self._cases.keys(nodeid, case) for case in (found.now, found.case)
                )
                # If it is turned, what the newer definitions make.
                gone = (now & then if found.turned else now - then) - told
                sides = (
                    (before, found.case)
                    if found.turned
                    else (found.case, last or found.now)
                )
                moves = self._cases.moves(*sides)
                proof = replace(proof, moves=moves)
                gone |= self._cases.explained(nodeid, moves)
                last = found.case
            yield proof, found, gone
            told |= gone

    def _checked(
        self, found: Found, group: CaseGroup, others: Sequence[CaseReport]
    ) -> dict[str, bool | None]:
        """Whether it goes away in other cases, too, and it takes all of the causes; None for those in which it does not
        show."""
        several = found.parts if len(found.parts) > 1 and not found.turned else ()
        fewer = [
            found.only([edit for edit in several if edit != one]) for one in several
        ]
        held: dict[str, bool | None] = {}
        with suppress(SearchTimeout):
            for name in (other.nodeid for other in others):
                if self._prover.late:
                    break
                holds = self._holds(found, group, name)
                held[name] = holds and not any(
                    self._holds(some, group, name) for some in fewer
                )
        return held

    def _holds(self, found: Found, group: CaseGroup, nodeid: str) -> bool | None:
        def has(case: RecordedCase) -> bool:
            return not self._cases.keys(nodeid, case).isdisjoint(group.keys)

        return self._prover.holds(found, self._cases.before[nodeid], has)


def of_cases(
    old: Recording,
    versions: tuple[Sources, Sources],
    suite: Request,
    say: Say,
    until: float,
) -> Iterator[Proof]:
    """The proofs of every case that an older version compiled, stage by stage."""
    named = replace(suite, cases=tuple(case.nodeid for case in old.cases), processes=1)
    with _prover(
        versions, named, say, [case.folder for case in old.cases], [], until
    ) as prover:
        for case in old.cases:
            for proof, _ in prover.proofs(case):
                yield proof
                if not proof.proved:
                    break
