"""What schedules leave out: an operation's nodes, a group's kernel, who refused to fuse, and most pairs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest

import msgspec
from msgspec.structs import replace

from pytest_compile_golden.facts.generated_code import Author
from pytest_compile_golden.facts.schedules import (
    Counted,
    Group,
    NotFused,
    Operation,
    Schedule,
)
from pytest_compile_golden.facts.schedules import buffer as buffer_of
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.schedules import printed

MOST = 100
"""Pairs that a graph lists. Concatenations of concatenations, as in DenseNet, have tens of thousands."""

_OF_THIS_PAIR = re.compile(
    r"(?<!\w)op\d+(?:_op\d+)*(?!\w)|-?(?<!\w)\d+(?:\.\d+)?(?!\w)"
)


def kind_of(reason: str) -> str:
    """A reason without the operations and numbers of the pair that it was given for."""
    return _OF_THIS_PAIR.sub("…", reason)


def listed(
    pairs: Iterable[NotFused], operations: Iterable[Operation]
) -> tuple[tuple[NotFused, ...], tuple[Counted, ...]]:
    """The pairs to list, in their order, and how many more there are for each kind of reason.

    Every kind of reason gets its share. Within a kind, a pair of which one side reads what the other writes comes
    first, then one whose sides read the same buffer; among these, one pair of each first operation before a second.
    """
    every = tuple(dict.fromkeys(pairs))
    if len(every) <= MOST:
        return every, ()
    by_name = {operation.name: operation for operation in operations}
    by_kind: dict[str, list[NotFused]] = {}
    for pair in every:
        by_kind.setdefault(kind_of(pair.reason), []).append(pair)
    nearest = (_nearest_first(alike, by_name) for alike in by_kind.values())
    in_turns = [
        pair for pair in chain.from_iterable(zip_longest(*nearest)) if pair is not None
    ]
    chosen, others = set(in_turns[:MOST]), in_turns[MOST:]
    more = Counter(kind_of(pair.reason) for pair in others)
    return tuple(pair for pair in every if pair in chosen), tuple(
        Counted(*item) for item in sorted(more.items())
    )


def parts(side: str) -> list[str]:
    """The operations that one side of a pair is made of, whose names torch joins with underscores."""
    return [name for name in side.split("_") if name]


def _nearest_first(
    pairs: Iterable[NotFused], by_name: dict[str, Operation]
) -> list[NotFused]:
    seen: Counter[tuple[int, str]] = Counter()
    ranks: dict[NotFused, tuple[int, int]] = {}
    for pair in pairs:
        distance = _distance(pair, by_name)
        ranks[pair] = distance, seen[distance, pair.first]
        seen[distance, pair.first] += 1
    return sorted(ranks, key=lambda pair: ranks[pair])


def _distance(pair: NotFused, by_name: dict[str, Operation]) -> int:
    reads: list[set[str]] = []
    makes: list[set[str]] = []
    for side in (pair.first, pair.second):
        operations = [by_name[name] for name in parts(side) if name in by_name]
        reads.append(
            {buffer_of(read) for operation in operations for read in operation.reads}
        )
        made = (
            name
            for operation in operations
            for name in (*operation.outputs, *operation.writes)
        )
        makes.append(set(map(buffer_of, made)))
    if makes[0] & reads[1] or makes[1] & reads[0]:
        return 0
    return 1 if reads[0] & reads[1] else 2


class Nodes(msgspec.Struct, frozen=True, array_like=True, tag="nodes"):
    """The post-grad graph's nodes that an operation was made from."""

    schedule: int
    """The index of the schedule in its text."""
    operation: str
    nodes: tuple[str, ...]


class Kernel(msgspec.Struct, frozen=True, array_like=True, tag="kernel"):
    """The kernel that a group became."""

    schedule: int
    group: int
    kernel: str


class Refused(msgspec.Struct, frozen=True, array_like=True, tag="refused"):
    """The function that refused to fuse some pairs."""

    schedule: int
    author: str
    where: str | None
    pairs: tuple[int, ...]


class Refusal(msgspec.Struct, frozen=True, array_like=True, tag="refusal"):
    """A function that refused to fuse anything at any time, and its reasons without operations and numbers."""

    author: str
    where: str | None
    reasons: tuple[str, ...]


Link = Nodes | Kernel | Refused | Refusal


def links(schedules: Sequence[Schedule]) -> Iterator[Link]:
    """What the text of these schedules leaves out."""
    for number, schedule in enumerate(schedules):
        for operation in schedule.operations:
            if operation.nodes is not None:
                yield Nodes(number, operation.name, operation.nodes)
        for at, group in enumerate(schedule.groups):
            if group.kernel is not None:
                yield Kernel(number, at, group.kernel)
        refusals: dict[Author, list[int]] = {}
        for at, pair in enumerate(schedule.apart or ()):
            if pair.author is not None:
                refusals.setdefault(pair.author, []).append(at)
        for author, pairs in refusals.items():
            yield Refused(number, author.function, author.where, tuple(pairs))


def refused(pairs: Iterable[NotFused]) -> Iterator[Refusal]:
    """Who refused to fuse, also operations that became one group in the end."""
    reasons: dict[Author, set[str]] = {}
    for pair in pairs:
        if pair.author is not None:
            reasons.setdefault(pair.author, set()).add(kind_of(pair.reason))
    for author, said in reasons.items():
        yield Refusal(author.function, author.where, tuple(sorted(said)))


def read(text: str, known: str) -> tuple[Schedule, ...]:
    """The schedules of a text, with the links that its evidence knows. Raises Unreadable."""
    found: list[Link] = evidence.read(known, text, Link)
    nodes = {
        (link.schedule, link.operation): link.nodes
        for link in found
        if isinstance(link, Nodes)
    }
    kernels = {
        (link.schedule, link.group): link.kernel
        for link in found
        if isinstance(link, Kernel)
    }
    authors = {
        (link.schedule, pair): Author(link.author, evidence.placed(link.where, known))
        for link in found
        if isinstance(link, Refused)
        for pair in link.pairs
    }

    def linked_group(number: int, at: int, group: Group) -> Group:
        operations = tuple(
            replace(op, nodes=nodes.get((number, op.name))) for op in group.operations
        )
        return replace(group, operations=operations, kernel=kernels.get((number, at)))

    def linked_pair(number: int, at: int, pair: NotFused) -> NotFused:
        return replace(pair, author=authors.get((number, at)))

    return tuple(
        replace(
            schedule,
            groups=tuple(
                linked_group(number, at, group)
                for at, group in enumerate(schedule.groups)
            ),
            apart=schedule.apart
            and tuple(
                linked_pair(number, at, pair) for at, pair in enumerate(schedule.apart)
            ),
        )
        for number, schedule in enumerate(printed.read(text))
    )
