"""Proofs in words: styled lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_compile_golden.report.counts import count
from pytest_compile_golden.report.lines import Line, printable
from pytest_compile_golden.wings.prove.proof import Cause, Proof


def lines(proof: Proof) -> list[Line]:
    """What was found out about a stage of a case."""
    return [("title", printable(proof.nodeid)), *_found(proof), ("", "")]


def _found(proof: Proof) -> Iterator[Line]:
    effort = f"({_tries(proof.tries)}, {proof.seconds:.0f} s)"
    stage = f"{proof.stage}: " if proof.stage else ""
    if not proof.proved:
        yield "bad", printable(f"  not proved  {stage}{proof.why_not} {effort}")
        return
    for number, cause in enumerate(proof.causes):
        yield "good", printable(f"  proved  {proof.stage} / {named(cause)}" + ("" if number else f" {effort}"))
        for line in cause.diff:
            style = {"+": "added", "-": "removed"}.get(line[:1], "")
            yield style, printable(f"      {line}")
        if cause.link is not None:
            yield "dim", printable(f"      {cause.link}")
    if len(proof.causes) > 1:
        yield "", f"  only all {len(proof.causes)} together make the change"
    if proof.left:
        yield "", f"  explains {proof.lines - proof.left} of {proof.lines} lines; the others have another cause"
    if proof.cases:
        yield "", printable(f"  also in {', '.join(proof.cases)}")
    if proof.not_in:
        yield "", printable(f"  not the cause in {', '.join(proof.not_in)}")


def named(cause: Cause) -> str:
    if cause.kind == "setting":
        return f"setting {cause.name}"
    return f"{cause.name} in {cause.where}"


def summary(proofs: Sequence[Proof]) -> Line:
    """How many changes were proved."""
    proved = sum(proof.proved for proof in proofs)
    style = "good" if proved == len(proofs) else "bad"
    return style, f"{proved} of {count(len(proofs), 'change')} proved" if proofs else "nothing changed"


def _tries(number: int) -> str:
    return "1 try" if number == 1 else f"{number} tries"
