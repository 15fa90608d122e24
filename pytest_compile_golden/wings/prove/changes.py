"""Proves every distinct change between two recordings, on one case each, and checks the result on others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pytest_compile_golden.environments.suite import Request
from pytest_compile_golden.recordings.recording import RecordedCase, Recording
from pytest_compile_golden.report import comparing
from pytest_compile_golden.report.model import CaseGroup, Proof, Report
from pytest_compile_golden.wings.prove.candidates import Differences
from pytest_compile_golden.wings.prove.definitions import Sources
from pytest_compile_golden.wings.prove.laboratory import Laboratory
from pytest_compile_golden.wings.prove.prove import Found, Prover

_CHECKED = 2
"""On how many more cases of the same change a proof is checked."""

Say = Callable[[str], None]


def proved(
    report: Report,
    recordings: tuple[Recording, Recording],
    versions: tuple[Sources, Sources],
    python: Path,
    suite: Request,
    say: Say,
) -> Report:
    """The report with a proof, or what was tried, in each distinct change.

    recordings, versions: of the older and the newer side. python: the newer side's interpreter. suite: where the cases
    are.
    """
    groups = [group for group in report.groups if _is_change(group)]
    cases = tuple(dict.fromkeys(member for group in groups for member in group.members))
    if not cases:
        return report
    with Laboratory(python, *versions, replace(suite, cases=cases, processes=1)) as laboratory:
        changes = _Changes(report, recordings, Prover(laboratory, Differences(*versions), say))
        done = {id(group): changes.proof(group) for group in groups}
    return replace(report, groups=tuple(_with(group, done.get(id(group))) for group in report.groups))


def _is_change(group: CaseGroup) -> bool:
    return group.outcome in ("changed", "noted")


def _with(group: CaseGroup, proof: Proof | None) -> CaseGroup:
    if proof is None:
        return group
    if proof.proved:
        return replace(group, proof=proof, where=proof.causes[0].where)
    refuted = group.where is not None and group.where in proof.refuted
    return replace(group, proof=proof, where=None if refuted else group.where)


class _Changes:
    """Distinct changes, and what was found out about their cases."""

    def __init__(self, report: Report, recordings: tuple[Recording, Recording], prover: Prover) -> None:
        self._old, self._new = recordings
        self._prover = prover
        self._number = {case.nodeid: len(case.changes) for case in report.cases}
        self._before = {case.folder: case for case in self._old.cases}
        self._after = {case.nodeid: case for case in self._new.cases}
        self._proofs: dict[str, list[tuple[Proof, Found, frozenset[str]]]] = {}

    def proof(self, group: CaseGroup) -> Proof | None:
        """The proof with which the change goes away, or else what was tried; None if it was not searched for."""
        first, *others = sorted(group.members, key=lambda member: self._number[member])
        for proof, found, gone in self._of(first):
            if gone & {*group.keys}:
                return self._checked(proof, found, others[:_CHECKED])
        return next((proof for proof, _, _ in self._of(first) if not proof.proved), None)

    def _of(self, nodeid: str) -> list[tuple[Proof, Found, frozenset[str]]]:
        """The proofs of a case, each with the keys of the changes that go away with its causes."""
        if nodeid not in self._proofs:
            now = self._after[nodeid]
            results = []
            keys = self._keys(now)
            for proof, found in self._prover.proofs(self._before[now.folder]):
                left = keys if found.case is None else self._keys(found.case)
                results.append((proof, found, keys - left))
                keys &= left
            self._proofs[nodeid] = results
        return self._proofs[nodeid]

    def _keys(self, case: RecordedCase) -> frozenset[str]:
        """How a case differs from what the older side compiled."""
        sides = replace(self._old, cases=(self._before[case.folder],)), replace(self._new, cases=(case,))
        compared = comparing.report(*sides, "old", "new", brief=True).cases
        return frozenset(change.key for one in compared for change in (*one.changes, *one.besides))

    def _checked(self, proof: Proof, found: Found, others: Sequence[str]) -> Proof:
        if not proof.proved:
            return proof
        results = {other: self._holds(found, self._after[other], proof.stage) for other in others}
        return replace(
            proof,
            cases=tuple(name for name, holds in results.items() if holds),
            not_in=tuple(name for name, holds in results.items() if holds is False),
        )

    def _holds(self, found: Found, case: RecordedCase, stage: str) -> bool | None:
        return self._prover.holds(found, self._before[case.folder], case, stage)


def of_cases(
    old: Recording, versions: tuple[Sources, Sources], python: Path, suite: Request, say: Say
) -> Iterator[Proof]:
    """The proofs of every case that an older version compiled, stage by stage."""
    named = replace(suite, cases=tuple(case.nodeid for case in old.cases), processes=1)
    with Laboratory(python, *versions, named) as laboratory:
        prover = Prover(laboratory, Differences(*versions), say)
        for case in old.cases:
            yield from (proof for proof, _ in prover.proofs(case))
