"""How operations are in other groups: what is fused into one kernel, and what no longer is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

from pytest_compile_golden.changes.schedules import GroupsChanged
from pytest_compile_golden.common.surplus import surplus
from pytest_compile_golden.facts.schedules import Group, Operation
from pytest_compile_golden.formats.canonical_text import short
from pytest_compile_golden.formats.graphs.equivalence import joined
from pytest_compile_golden.formats.schedules import form, operation_edits, roles


class GroupEdit(NamedTuple):
    """Groups that were merged or split, or that have each other's operations."""

    change: GroupsChanged
    operations: tuple[frozenset[str], frozenset[str]]
    """The names of theirs on each side."""


def group_edits(old: Sequence[Group], new: Sequence[Group]) -> Iterator[GroupEdit]:
    """Groups that were merged, and groups that were split, each with those that have operations of its own."""
    # Groups that both sides have cancel out, so that what is left is what was merged, split, removed or added.
    gone, come = surplus(old, new, computed_by), surplus(new, old, computed_by)
    copied = [_copied(side) for side in (old, new)]
    for part in _with_operations_in_common(gone, come):
        kernels = _kernels(*part)
        change = _fused(*kernels, copied)
        if change is not None:
            before, after = (
                frozenset(op.name for group in side for op in group.operations)
                for side in kernels
            )
            yield GroupEdit(change, (before, after))


def _kernels(old: list[Group], new: list[Group]) -> tuple[list[Group], list[Group]]:
    """Groups without calls and what takes out their results, if calls are fused with nothing on both sides."""
    without = [
        [group for group in side if _computes_itself(group)] for side in (old, new)
    ]
    fused = any(
        roles.called(operation)
        for side in without
        for group in side
        for operation in group.operations
    )
    return (old, new) if fused else (without[0], without[1])


def _computes_itself(group: Group) -> bool:
    return any(
        not roles.called(operation) and operation.kind != "unpack"
        for operation in group.operations
    )


def _with_operations_in_common(
    gone: Sequence[Group], come: Sequence[Group]
) -> Iterator[tuple[list[Group], list[Group]]]:
    """Groups of both sides, those together that have an operation in common; one that has none, with those of the other
    side that compute most of its operators."""
    # Of equal operations, as many on both sides, each is the one that was made in the same order.
    alike: dict[tuple[object, ...], tuple[list[int], list[int]]] = {}
    for side, groups in enumerate((gone, come)):
        made = (
            (form.number(operation.name), roles.signature(operation), at)
            for at, group in enumerate(groups)
            for operation in group.operations
        )
        for _, does, at in sorted(made, key=itemgetter(0)):
            alike.setdefault(does, ([], []))[side].append(at)
    links: list[set[tuple[int, int]]] = []
    for old, new in alike.values():
        if len(old) == len(new):
            links += ({(0, at), (1, other)} for at, other in zip(old, new, strict=True))
        elif old and new:
            links.append({*((0, at) for at in old), *((1, at) for at in new)})
    operators = [
        [
            Counter(name for op in group.operations for name in roles.operators(op))
            for group in side
        ]
        for side in (gone, come)
    ]
    linked = set[tuple[int, int]]().union(*links)
    for side in (0, 1):
        for at, names in enumerate(operators[side]):
            shared = [(names & others).total() for others in operators[1 - side]]
            if (side, at) not in linked:
                links += [
                    {(side, at), (1 - side, other)}
                    for other, times in enumerate(shared)
                    if times == max(shared) > 0
                ]
    for part in joined(links):
        yield (
            [gone[at] for side, at in sorted(part) if not side],
            [come[at] for side, at in sorted(part) if side],
        )


def _fused(
    gone: Sequence[Group],
    come: Sequence[Group],
    copied: Sequence[Mapping[Operation, str]],
) -> GroupsChanged | None:
    """How these groups became those; None if operations were only added or removed."""
    counts = [sum(len(group.operations) for group in side) for side in (gone, come)]
    fewer, more = len(gone) - len(come), counts[1] - counts[0]
    # A kernel removed along with what it computed was not fused with anything, and a new one did not split another.
    if not gone or not come or (-more >= fewer > 0) or (more >= -fewer > 0):
        return None
    before_names, after_names = (
        tuple(dict.fromkeys(filter(None, (_named(group, of) for group in side))))
        for side, of in zip((gone, come), copied, strict=True)
    )
    operations = [
        operation for group in (*gone, *come) for operation in group.operations
    ]
    if not fewer:
        computed = [
            Counter(map(_computes, (op for group in side for op in group.operations)))
            for side in (gone, come)
        ]
        if computed[0] != computed[1]:
            return None
    code, groups, whole = (
        ("fused", before_names, ())
        if fewer > 0
        else ("fusion-lost" if fewer else "regrouped", after_names, before_names)
    )
    changed = GroupsChanged(code, groups, len(gone), len(come), whole=whole)
    return operation_edits.touching(changed, operations)


def computed_by(group: Group) -> tuple[tuple[str, ...], ...]:
    """What a group computes, regardless of the names of its operations."""
    return tuple(sorted(map(_computes, group.operations)))


def _computes(operation: Operation) -> tuple[str, ...]:
    return operation.kind, *map(str, operation.computes)


def _copied(groups: Iterable[Group]) -> dict[Operation, str]:
    """The operations that only copy an input of a library call, each with the operator of the call."""
    return dict(roles.copies([op for group in groups for op in group.operations]))


def _named(group: Group, copied: Mapping[Operation, str]) -> str:
    """What a group computes; of a copy for a library call, torch says that it computes the call."""
    operators = dict.fromkeys(
        short(computed.operator)
        for op in group.operations
        if op not in copied
        for computed in op.computes
    )
    if not operators:
        calls = dict.fromkeys(
            copied[op].removeprefix("aten.") for op in group.operations if op in copied
        )
        return f"a copy for {' and '.join(calls)}" if calls else ""
    return operation_edits.listed(
        [name.removeprefix("aten.") for name in roles.computing(operators)] or operators
    )
