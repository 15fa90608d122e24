"""The cost of guards: a line per guard with its kind and depth, and a mark if it runs Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.changes.common_types import NewOrGone
from pytest_compile_golden.changes.guards import CheckReplaced
from pytest_compile_golden.facts.guards import GuardCheck, GuardTree
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.outline import Outline, OutlineFormat

_MARKED = "DIMENSION_DYNAMIC_MARKING_GUARD"
"""The guard on the marks that Dynamo sets on a tensor, and the one of which it took the place in torch 2.13."""
_LACKS = "NO_HASATTR"


@dataclass(frozen=True, repr=False)
class GuardTreeArtifact(Artifact):
    """Guards and what they cost: `captured["guard_tree"].python == ()`."""

    frames: tuple[GuardTree, ...]

    @property
    def checks(self) -> tuple[GuardCheck, ...]:
        """The guards of all frames."""
        return tuple(check for frame in self.frames for check in frame.checks)

    @property
    def python(self) -> tuple[GuardCheck, ...]:
        """The guards that call a Python function."""
        return tuple(check for check in self.checks if check.python)

    @property
    def depth(self) -> int:
        """The number of accesses between the frame and the most distant value that is checked."""
        return max((check.depth for check in self.checks), default=0)


class GuardTreeFormat(OutlineFormat):
    """A document is a tuple of `GuardTree`."""

    outline = Outline(
        GuardTree,
        "{function:line}: {=guards:int} guards, {=python:int} in Python, {accesses:int} accesses",
        checks=Outline(
            GuardCheck,
            r"  {depth:int} <{python:flag}python >{kind:word}< x{conditions:int}>< {reads:[^\s#].*?}>"
            "<  # {comment:line}>",
        ),
    )

    def render(self, record: Record, stage: str) -> GuardTreeArtifact | None:
        frames: list[GuardTree] = record.get(stage)
        return (
            GuardTreeArtifact(stage, self.write(frames), tuple(frames))
            if frames
            else None
        )

    def form(self, document: Iterable[GuardTree]) -> Hashable:
        """What is checked and how, regardless of who asked for it."""
        return tuple(
            (frame.function, frame.accesses, tuple(map(_counts, frame.checks)))
            for frame in document
        )

    def edits_of(
        self, old: Iterable[GuardTree], new: Iterable[GuardTree]
    ) -> Iterable[Change]:
        """Kinds of guards added and removed, preceded by guards replaced by another on the same value."""
        before, after = (
            Counter(check for frame in side for check in map(_counts, frame.checks))
            for side in (old, new)
        )
        gone, come = (
            list((before - after).elements()),
            list((after - before).elements()),
        )
        for lost in list(gone):
            successor = next(
                (
                    candidate
                    for candidate in come
                    if lost[4] and candidate[4] == lost[4]
                ),
                None,
            )
            if successor is not None:
                gone.remove(lost)
                come.remove(successor)
                marked = {lost[2], successor[2]} == {_LACKS, _MARKED}
                yield (
                    NewOrGone("marks-guarded", (), successor[2] == _MARKED)
                    if marked
                    else _change(lost, successor)
                )
        for new_ones, checks in ((False, gone), (True, come)):
            for check in checks:
                marked = check[2] == _MARKED
                code, what = (
                    ("marks-guarded", ())
                    if marked
                    else ("check-listed", (_kind(check),))
                )
                yield NewOrGone(code, what, new_ones)

    def explains_of(
        self, old: Iterable[GuardTree], new: Iterable[GuardTree], codes: Collection[str]
    ) -> bool:
        """Whether both check the same besides Dynamo's own marks."""
        if set(codes) != {"marks-guarded"}:
            return False
        before, after = (
            [
                (section.function, Counter(map(_counts, section.checks)))
                for section in side
            ]
            for side in (old, new)
        )
        return [function for function, _ in before] == [
            function for function, _ in after
        ] and all(
            all(check[2] in (_LACKS, _MARKED) for check in (was - now) + (now - was))
            for (_, was), (_, now) in zip(before, after, strict=True)
        )


GUARD_TREE = GuardTreeFormat()

_Counts = tuple[int, bool, str, int, str]


def _counts(check: GuardCheck) -> _Counts:
    return check.depth, check.python, check.kind, check.conditions, check.reads


def _kind(counts: _Counts) -> str:
    return f"{counts[2]} in {'Python' if counts[1] else 'C++'}"


def _change(old: _Counts, new: _Counts) -> CheckReplaced:
    if _kind(old) != _kind(new):
        return CheckReplaced(_kind(old), _kind(new))
    if old[0] != new[0]:
        return CheckReplaced(old[2], new[2], accesses=(old[0], new[0]))
    return CheckReplaced(old[2], new[2], conditions=(old[3], new[3]))
