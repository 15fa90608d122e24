"""Runs of groups that repeat earlier ones, such as the layers of a model: one line says which, and how often.

A group repeats another if they are the same but for the numbers of operations and buffers, and all groups of a run by
the same distance. A model's layers are mostly not all alike: a sum of several is materialised now and then, and
backward begins otherwise. So what a run repeats may be anywhere before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pytest_compile_golden.formats.outline import Outline

MOST = 100_000
"""Groups of a graph up to which some are written so: lines that repeat each other would otherwise let a text of a
kilobyte fill all memory when it is read. DenseNet-201 has 2,500 operations."""
_FEWEST = 3
"""Groups that are worth a reference."""
_CANDIDATES = 64
"""Earlier groups that a run is compared with; the latest ones, since layers are alike nearby."""
_NAME = re.compile(r"\b(op|buf)(\d+)\b")


@dataclass(frozen=True)
class Repeated:
    """Groups `first` to `last` are groups `of` to `to`, again and again, with higher numbers each time."""

    first: int
    last: int
    of: int
    to: int
    higher: int
    """By how much the number of each operation and buffer is higher than that of the group that it repeats."""
    times: int = 1


LINE = Outline(
    Repeated,
    "  groups {first:int} to {last:int}: as {of:int} to {to:int}< x{times:int}>, numbers +{higher:int}",
)
START = "  groups "


class _Group(NamedTuple):
    shape: str
    """Its lines without the numbers of operations and buffers."""
    numbers: tuple[int, ...]

    @staticmethod
    def of(lines: Iterable[str]) -> _Group:
        text = "\n".join(lines)
        return _Group(
            _NAME.sub(r"\1", text),
            tuple(int(number) for _, number in _NAME.findall(text)),
        )

    def repeats(self, earlier: _Group, higher: int) -> bool:
        return self.shape == earlier.shape and self.numbers == tuple(
            number + higher for number in earlier.numbers
        )


def runs(groups: Sequence[Sequence[str]]) -> Iterator[int | Repeated]:
    """What to write of groups, each given as its lines: the number of one, or a run that repeats earlier ones."""
    read = list(map(_Group.of, groups))
    alike: dict[str, list[int]] = {}
    at = 0
    while at < len(read):
        earlier = alike.get(read[at].shape, [])[-_CANDIDATES:]
        longest = max(
            (_run(read, of, at) for of in reversed(earlier)),
            key=lambda run: run.last,
            default=None,
        )
        following = at + 1
        if longest is None or longest.last - at + 1 < _FEWEST:
            yield at
        else:
            yield longest
            following = longest.last + 1
        for number in range(at, following):
            alike.setdefault(read[number].shape, []).append(number)
        at = following


def _run(groups: Sequence[_Group], of: int, at: int) -> Repeated:
    """The longest run from `at` that repeats what begins at `of`; without a group, if only their shapes are equal."""
    higher = next(
        (
            new - old
            for old, new in zip(groups[of].numbers, groups[at].numbers, strict=True)
        ),
        0,
    )
    end = at
    while end < len(groups) and groups[end].repeats(groups[of + end - at], higher):
        end += 1
    times, length = max((end - at) // (at - of), 1), at - of
    if times == 1:
        length = min(end - at, length)
    return Repeated(at, at + times * length - 1, of, of + length - 1, higher, times)


def renumbered(text: str, higher: int) -> str:
    """A name or a line of a group, as in a group that repeats it."""
    return _NAME.sub(lambda name: f"{name[1]}{int(name[2]) + higher}", text)
