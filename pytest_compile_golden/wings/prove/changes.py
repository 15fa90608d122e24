"""Proves every distinct change between two recordings, on one case each, and checks the result on others."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pytest_compile_golden.environments.suite import Request
from pytest_compile_golden.recordings.recording import RecordedCase, Recording
from pytest_compile_golden.report import comparing
from pytest_compile_golden.wings.prove.candidates import Differences
from pytest_compile_golden.wings.prove.definitions import Sources
from pytest_compile_golden.wings.prove.laboratory import Laboratory
from pytest_compile_golden.wings.prove.proof import Proof
from pytest_compile_golden.wings.prove.prove import Found, Prover

_CHECKED = 2
"""On how many more cases of the same change a proof is checked."""

Say = Callable[[str], None]


def proved(
    old: Recording, new: Recording | None, versions: tuple[Sources, Sources], suite: Request, say: Say
) -> Iterator[Proof]:
    """The proofs of each distinct change, as they are found; of every case of `old` if there is no recording `new`.

    versions: the sources of both sides; the newer one is that of this interpreter. suite: where the cases are.
    """
    before = {case.nodeid: case for case in old.cases}
    groups = [(case.nodeid,) for case in old.cases] if new is None else [*_distinct(old, new)]
    named = replace(suite, cases=tuple(before[member].nodeid for group in groups for member in group), processes=1)
    with Laboratory(Path(sys.executable), *versions, named) as laboratory:
        prover = Prover(laboratory, Differences(*versions), say)
        for first, *others in groups:
            for proof, found in prover.proofs(before[first]):
                yield _checked(proof, found, [before[other] for other in others[:_CHECKED]], prover)


def _distinct(old: Recording, new: Recording) -> Iterator[tuple[str, ...]]:
    """For each distinct change its cases, those with the fewest changes first; a case with several stands for all."""
    report = comparing.report(old, new, "old", "new", brief=True)
    number = {case.nodeid: len(case.changes) for case in report.cases}
    nodeids = {case.folder: case.nodeid for case in old.cases}
    named = {case.nodeid: nodeids[case.folder] for case in new.cases if case.folder in nodeids}
    done: set[str] = set()
    for group in report.groups:
        members = sorted(group.members, key=lambda member: number[member])
        if group.outcome == "changed" and members and members[0] not in done:
            done.add(members[0])
            yield tuple(named[member] for member in members)


def _checked(proof: Proof, found: Found, others: Sequence[RecordedCase], prover: Prover) -> Proof:
    if not proof.proved:
        return proof
    results = {case.nodeid: prover.holds(found, case, proof.stage) for case in others}
    return replace(
        proof,
        cases=tuple(name for name, holds in results.items() if holds),
        not_in=tuple(name for name, holds in results.items() if holds is False),
    )
