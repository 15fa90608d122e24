"""Proved causes in words: a remark in a list of changes, and all that was found out about one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_compile_golden.common.quantity import listed, quantity
from pytest_compile_golden.report.model import Proof, ProvedCause, Report
from pytest_compile_golden.report.styled_lines import Line, printable

_REMARKED = 2
_COMMITS = 10


@dataclass(frozen=True)
class Searched:
    """How `prove` is asked to search between two sides."""

    sides: str
    """The options that name the older one: `--old 2.13.0 --texts recorded`."""
    program: str = "compile-golden"
    """What is run, so that the newer side's torch is searched: its interpreter, if the side is one."""
    torch: str = ""
    """The torch that is searched then; empty if that is the newer side's."""


def remark(proof: Proof) -> str:
    """`proved: undoing remove_noop_ops makes it go away`; for what is not proved, what the place shown is."""
    if not proof.proved:
        return "not proved: it shows there"
    names = [_name(cause) for cause in proof.causes]
    what = listed(names, _REMARKED)
    if proof.left:
        return f"proved: undoing {what} explains {proof.lines - proof.left} of {quantity(proof.lines, 'line')}"
    return f"proved: undoing {what} makes it go away"


def render(report: Report, searched: Searched | None = None) -> list[Line]:
    """What was found out about each distinct change, each proof once; if nothing was tried, how to find the causes.

    searched: how `prove` is asked about these two sides; without it, by the older one's version.
    """
    found = dict.fromkeys(
        group.proof for group in report.groups if group.proof is not None
    )
    if found:
        return [
            ("", ""),
            *(line for proof in found for line in lines(proof)),
            summary([*found]),
        ]
    unknown = [
        group
        for group in report.groups
        if group.is_change and group.where is None and group.members
    ]
    if not unknown or report.old.torch in (None, report.new.torch):
        return []
    old, new = (str(side.torch).partition("+")[0] for side in (report.old, report.new))
    searched = searched or Searched(f"--old {old}")
    command = f'{searched.program} prove "{unknown[0].members[0]}" {searched.sides}'
    there = "" if searched.torch in ("", new) else f", where torch {new} is installed"
    return [
        (
            "dim",
            f"cause of {quantity(len(unknown), 'change')} not known; "
            f"to look for the first{there}: {printable(command)}",
        )
    ]


def lines(proof: Proof) -> list[Line]:
    """What was found out about a stage of a case."""
    return [("title", printable(proof.nodeid)), *_found(proof), ("", "")]


def _found(proof: Proof) -> Iterator[Line]:
    effort = f"({_tries(proof.tries)}, {proof.seconds:.0f} s)"
    stage = f"{proof.stage}: " if proof.stage else ""
    if not proof.proved:
        yield "bad", printable(f"  not proved  {stage}{proof.why_not} {effort}")
        if proof.refuted:
            yield "", printable(f"  undone without effect: {', '.join(proof.refuted)}")
        return
    for number, cause in enumerate(proof.causes):
        yield (
            "good",
            printable(
                f"  proved  {proof.stage} / {named(cause)}"
                + ("" if number else f" {effort}")
            ),
        )
        if cause.explains:
            yield (
                "",
                f"      by itself {cause.explains} of {quantity(proof.lines, 'line')}",
            )
        for line in cause.diff:
            style = {"+": "added", "-": "removed"}.get(line[:1], "")
            yield style, printable(f"      {line}")
        if cause.link is not None:
            yield "dim", printable(f"      {cause.link}")
        if cause.commits is not None:
            yield from commit_lines(cause.commits, "      ")
    if proof.turned:
        yield (
            "",
            "  found the other way round: put into the older version, it makes the change",
        )
    if proof.agrees:
        yield "", "  put into the older version, it makes the change there too"
    elif proof.agrees is False:
        yield "", "  put into the older version, it does not make the change by itself"
    if len(proof.causes) > 1 and not any(cause.explains for cause in proof.causes):
        yield (
            "",
            f"  only all {len(proof.causes)} together make it go away: they hide or need each other",
        )
    compared = next((cause.compared for cause in proof.causes if cause.compared), None)
    if compared is not None:
        yield "dim", printable(f"  {compared}")
    if proof.left:
        yield (
            "",
            f"  explains {proof.lines - proof.left} of {quantity(proof.lines, 'line')}; the others have another cause",
        )
    if proof.cases:
        yield "", printable(f"  also in {', '.join(proof.cases)}")
    if proof.not_in:
        yield "", printable(f"  not the cause in {', '.join(proof.not_in)}")


def commit_lines(commits: tuple[str, ...], indent: str) -> Iterator[Line]:
    """The first of the commits that touched a function."""
    yield "", f"{indent}{commits_title(commits)}"
    yield from (
        ("", f"{indent}  {printable(commit)}"[:200]) for commit in commits[:_COMMITS]
    )
    if len(commits) > _COMMITS:
        yield "dim", f"{indent}  ... {len(commits) - _COMMITS} more"


def commits_title(touching: tuple[str, ...]) -> str:
    """The heading of the list of commits that touched a function."""
    if not touching:
        return "no commit between the two touched it"
    return (
        "this commit touched it:"
        if len(touching) == 1
        else f"one of the {len(touching)} commits that touched it:"
    )


def named(cause: ProvedCause) -> str:
    """The definition and where it is."""
    return (
        _name(cause) if cause.kind == "setting" else f"{_name(cause)} in {cause.where}"
    )


def _name(cause: ProvedCause) -> str:
    notes = {"setting": "setting ", "added": "the new ", "template": "template "}
    return f"{notes.get(cause.kind, '')}{cause.name}"


def summary(proofs: Sequence[Proof], not_reached: int = 0) -> Line:
    """How many changes were proved, and how many were not searched because the time was up."""
    proved = sum(proof.proved for proof in proofs)
    style = "good" if proved == len(proofs) else "bad"
    left = (
        f"time is up: {quantity(not_reached, 'change')} {'was' if not_reached == 1 else 'were'} not searched"
        if not_reached
        else ""
    )
    said = (
        f"{proved} of {quantity(len(proofs), 'change')} proved"
        if proofs
        else ""
        if left
        else "nothing changed"
    )
    return style, ", ".join(filter(None, (said, left)))


def _tries(number: int) -> str:
    return "1 try" if number == 1 else f"{number} tries"
