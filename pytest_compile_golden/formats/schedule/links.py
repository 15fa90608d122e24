"""What the text of schedules leaves out: an operation's nodes, a group's kernel, and who refused to fuse."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from pytest_compile_golden.facts.code import Author
from pytest_compile_golden.facts.schedules import Group, NotFused, Schedule
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.schedule import printed
from pytest_compile_golden.formats.schedule.near_misses import kind_of


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
        for at, pair in enumerate(schedule.apart):
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
    nodes = {(link.schedule, link.operation): link.nodes for link in found if isinstance(link, Nodes)}
    kernels = {(link.schedule, link.group): link.kernel for link in found if isinstance(link, Kernel)}
    authors = {
        (link.schedule, pair): Author(link.author, evidence.placed(link.where, known))
        for link in found
        if isinstance(link, Refused)
        for pair in link.pairs
    }

    def linked_group(number: int, at: int, group: Group) -> Group:
        operations = tuple(replace(op, nodes=nodes.get((number, op.name))) for op in group.operations)
        return replace(group, operations=operations, kernel=kernels.get((number, at)))

    def linked_pair(number: int, at: int, pair: NotFused) -> NotFused:
        return replace(pair, author=authors.get((number, at)))

    return tuple(
        replace(
            schedule,
            groups=tuple(linked_group(number, at, group) for at, group in enumerate(schedule.groups)),
            apart=tuple(linked_pair(number, at, pair) for at, pair in enumerate(schedule.apart)),
        )
        for number, schedule in enumerate(printed.read(text))
    )
