"""Proves every distinct change between two recordings, on one case each, and checks the result on others."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache

from pytest_compile_golden.changes.graphs import AttentionBackendChanged
from pytest_compile_golden.environments.suite import Request, Stopped
from pytest_compile_golden.recordings.recording import RecordedCase, Recording
from pytest_compile_golden.report import comparing
from pytest_compile_golden.report.case_groups import grouped
from pytest_compile_golden.report.model import CaseGroup, Proof, Report
from pytest_compile_golden.wings.prove.candidates import Differences
from pytest_compile_golden.wings.prove.laboratory import Laboratory
from pytest_compile_golden.wings.prove.messages import Edit
from pytest_compile_golden.wings.prove.older import Version
from pytest_compile_golden.wings.prove.prove import Found, Prover, unproved

_CHECKED = 2
"""On how many more cases of the same change a proof is checked."""
_MOST_CHECKED = 10
"""On how many if it does not hold in one of them."""
_PARTS = 3
"""How many causes are looked for, one after the other, for the cases of one change."""

_NOT_IN_PYTHON = {
    AttentionBackendChanged.code: "the library for attention is chosen in C++ (transformers/cuda/sdp_utils.cpp)"
}
"""The codes of changes that no definition in Python makes, and what does."""

Say = Callable[[str], None]
Place = tuple[str, str]
"""A case and the key of one of its changes."""


def proved(
    report: Report,
    recordings: tuple[Recording, Recording],
    versions: tuple[Version, Version],
    suite: Request,
    say: Say,
    within: float = math.inf,
    told: Callable[[Proof], Proof] = lambda proof: proof,
) -> Report:
    """The report with a proof, or what was tried, in each distinct change: changes with the same proved causes are one,
    and one that has others in some of its cases is several.

    recordings, versions: of the older and the newer side. suite: where the cases are. within: seconds, after which no
    further change is searched. told: adds to a proof what else is to be said.
    """
    until = time.monotonic() + within
    groups = changed(report)
    cases = tuple(dict.fromkeys(member for group in groups for member in group.members))
    if not cases:
        return report
    # What is first searched in one case is searched by one prover.
    by_case: dict[str, list[CaseGroup]] = {}
    for group in groups:
        by_case.setdefault(next(iter(_known(group, report, recordings)), ""), []).append(group)
    waiting = iter(by_case.values())
    at_once = min(suite.processes, len(by_case))
    suite = replace(suite, cases=cases, processes=1)
    known: list[Edit] = []
    stopped = threading.Event()

    def go_on(text: str) -> None:
        if stopped.is_set():
            raise Stopped
        say(text)

    def searched(_: int) -> dict[Place, Proof]:
        found: dict[Place, Proof] = {}
        with _prover(versions, suite, go_on, known) as prover:
            changes = Changes(report, recordings, prover)
            for its in waiting:
                for group in its:
                    proofs = changes.proofs(group) if time.monotonic() < until else {}
                    found |= {(member, key): told(proof) for member, proof in proofs.items() for key in group.keys}
        return found

    with ThreadPoolExecutor(at_once) as pool:
        try:
            results = [*pool.map(searched, range(at_once))]
        finally:
            stopped.set()
    return with_proofs(report, {place: proof for found in results for place, proof in found.items()})


def with_proofs(report: Report, found: Mapping[Place, Proof]) -> Report:
    """The report grouped by what is proved, with the proofs in its groups."""
    causes = {place: _named(proof) for place, proof in found.items() if proof.proved}
    return replace(report, groups=tuple(_with(group, found) for group in grouped(report.cases, causes)))


def found_in(report: Report) -> dict[Place, Proof]:
    """The proofs of a report that has some."""
    groups = [(group, group.proof) for group in report.groups if group.proof is not None]
    return {(member, key): proof for group, proof in groups for member in group.members for key in group.keys}


@contextmanager
def _prover(
    versions: tuple[Version, Version], suite: Request, say: Say, known: list[Edit] | None = None
) -> Iterator[Prover]:
    """Proves in the newer version, and the other way round in the older one if that can be run.

    known: what made other changes, which is tried first and added to.
    """
    old, new = versions
    assert new.python is not None
    differences = Differences(old.sources, new.sources)
    with ExitStack() as stack:

        @cache
        def turned() -> Prover | None:
            if old.python is None:
                return None
            older = stack.enter_context(Laboratory(old.python, new.sources, old.sources, suite))
            return Prover(older, Differences(new.sources, old.sources), say)

        newer = stack.enter_context(Laboratory(new.python, old.sources, new.sources, suite))
        yield Prover(newer, differences, say, turned, known)


def _named(proof: Proof) -> str:
    """Equal for proofs with the same causes."""
    return " ".join(sorted(f"{cause.kind}:{cause.file}:{cause.name}" for cause in proof.causes))


def cases_of(report: Report) -> tuple[str, ...]:
    """As many cases of each distinct change as are needed to prove it."""
    number = {case.nodeid: len(case.changes) for case in report.cases}
    groups = (sorted(group.members, key=number.__getitem__) for group in changed(report))
    return tuple(dict.fromkeys(member for members in groups for member in members[: 1 + _CHECKED]))


def not_searched(group: CaseGroup) -> Proof | None:
    """What is said of a change that no definition in Python makes; None for any other."""
    if group.code not in _NOT_IN_PYTHON:
        return None
    return unproved(group.members[0], f"not searched: {_NOT_IN_PYTHON[group.code]}", group.stage)


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
    """The distinct changes of a report that have a cause."""
    return [group for group in report.groups if group.outcome in ("changed", "noted")]


def _with(group: CaseGroup, found: Mapping[Place, Proof]) -> CaseGroup:
    places = ((member, key) for member in group.members for key in group.keys)
    # Of several proofs with the same causes, the one with the most cases.
    proofs = [found[place] for place in places if place in found]
    proof = max(proofs, key=lambda proof: len(proof.cases), default=None)
    if proof is None:
        return group
    if proof.proved:
        return replace(group, proof=proof, where=proof.causes[0].where)
    refuted = group.where is not None and group.where in proof.refuted
    return replace(group, proof=proof, where=None if refuted else group.where)


_Result = tuple[Proof, Found, frozenset[str]]
"""A proof of a case, with the keys of its changes that go away."""


def _known(group: CaseGroup, report: Report, recordings: tuple[Recording, Recording]) -> list[str]:
    """The cases of a change that both sides have: first those with the fewest changes, of these the smallest."""
    before, after = ({case.folder: case for case in recording.cases} for recording in recordings)
    number = {case.nodeid: len(case.changes) for case in report.cases}
    sizes = {
        case.nodeid: sum(len(artifact.text) for artifact in case.artifacts)
        for folder, case in after.items()
        if folder in before and case.nodeid in group.members
    }
    return sorted(sizes, key=lambda member: (number[member], sizes[member]))


class Changes:
    """Distinct changes, and what was found out about their cases."""

    def __init__(self, report: Report, recordings: tuple[Recording, Recording], prover: Prover) -> None:
        self._report = report
        self._old, self._new = recordings
        self._prover = prover
        self._before = {case.folder: case for case in self._old.cases}
        self._after = {case.nodeid: case for case in self._new.cases if case.folder in self._before}
        self._proofs: dict[str, tuple[list[_Result], Iterator[_Result]]] = {}

    def proofs(self, group: CaseGroup) -> dict[str, Proof]:
        """For each case of the change, the proof with which it goes away there, or else what was tried.

        A proof is checked in two more cases, and holds for all if it does there. If it does not, all are checked, and
        those in which it does not hold are searched by themselves.
        """
        if (proof := not_searched(group)) is not None:
            return dict.fromkeys(group.members, proof)
        left = _known(group, self._report, (self._old, self._new))
        done: dict[str, Proof] = {}
        for _ in range(_PARTS):
            if not left:
                break
            first, *others = left
            proof, found = self._with_which_it_goes(first, group)
            holds: dict[str, bool | None] = {}
            if found is not None:
                holds = self._checked(found, others[:_CHECKED])
                if False in holds.values():
                    holds |= self._checked(found, others[_CHECKED:_MOST_CHECKED])
            without = [other for other, held in holds.items() if held is False]
            proof = replace(proof, cases=tuple(other for other, held in holds.items() if held), not_in=tuple(without))
            done |= {member: proof for member in left if member not in without}
            left = without
        proofs = {*done.values()}
        return dict.fromkeys(group.members, proofs.pop()) if len(proofs) == 1 else done

    def _with_which_it_goes(self, nodeid: str, group: CaseGroup) -> tuple[Proof, Found | None]:
        for proof, found, gone in self._of(nodeid):
            if gone & {*group.keys}:
                return self.of_change(group, nodeid, proof, found)
        proofs = [proof for proof, _, _ in self._of(nodeid)]
        return next((proof for proof in proofs if not proof.proved), None) or _nothing_left(nodeid, group, proofs), None

    def of_change(self, group: CaseGroup, nodeid: str, proof: Proof, found: Found) -> tuple[Proof, Found]:
        """Of the causes of a stage those with which, alone, this change goes away, if there are such."""
        its = {*group.keys} & self._keys(self._after[nodeid])
        makes = [case is not None and bool(its - self._keys(case)) for _, case in found.parts]
        if found.turned or not any(makes) or all(makes):
            return proof, found
        causes = tuple(cause for cause, made in zip(proof.causes, makes, strict=True) if made)
        others = {edit for (edit, _), made in zip(found.parts, makes, strict=True) if not made}
        edits = tuple(edit for edit in found.edits if edit not in others)
        return replace(proof, causes=causes), replace(found, edits=edits)

    def _of(self, nodeid: str) -> Iterator[_Result]:
        """The proofs of a case, each with the keys of the changes that go away with its causes, searched as needed."""
        known, more = self._proofs.setdefault(nodeid, ([], self._searched(self._after[nodeid])))
        yield from known
        for proof in more:
            known.append(proof)
            yield proof

    def _searched(self, now: RecordedCase) -> Iterator[_Result]:
        keys = self._keys(now)
        for proof, found in self._prover.proofs(self._before[now.folder], now):
            if found.case is None:
                gone = frozenset[str]()
            elif found.turned:  # what the newer definitions make
                gone = keys & self._keys(found.case)
            else:
                gone = keys - self._keys(found.case)
            yield proof, found, gone
            keys -= gone

    def _keys(self, case: RecordedCase) -> frozenset[str]:
        """How a case differs from what the older side compiled."""
        sides = replace(self._old, cases=(self._before[case.folder],)), replace(self._new, cases=(case,))
        compared = comparing.report(*sides, "old", "new", brief=True).cases
        return frozenset(change.key for one in compared for change in (*one.changes, *one.secondary))

    def _checked(self, found: Found, others: Sequence[str]) -> dict[str, bool | None]:
        """Whether it goes away in other cases, too; None for those whose stage does not differ."""
        cases = {other: self._after[other] for other in others}
        return {other: self._prover.holds(found, self._before[case.folder], case) for other, case in cases.items()}


def of_cases(old: Recording, versions: tuple[Version, Version], suite: Request, say: Say) -> Iterator[Proof]:
    """The proofs of every case that an older version compiled, stage by stage."""
    named = replace(suite, cases=tuple(case.nodeid for case in old.cases), processes=1)
    with _prover(versions, named, say) as prover:
        for case in old.cases:
            yield from (proof for proof, _ in prover.proofs(case))
