"""Which operations of a graph each change of groups is about: a change itself names only operators."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from pytest_compile_golden.facts.schedules import Group
from pytest_compile_golden.formats.graphs.equivalence import Pairs, joined
from pytest_compile_golden.formats.schedules.group_edits import GroupEdit, group_edits
from pytest_compile_golden.goldens.graph_values import Node
from pytest_compile_golden.goldens.same_groups import grouped_otherwise
from pytest_compile_golden.goldens.same_nodes import touched
from pytest_compile_golden.goldens.side_schedule import SideSchedule

_Made = frozenset[tuple[object, ...]]
"""The operations of a group, each by the nodes that it computes."""


def regrouped(
    sides: Sequence[SideSchedule], matched: Pairs
) -> Mapping[str, frozenset[Node]]:
    """By the key of each change of groups, the operations of both sides in these groups."""
    found = defaultdict[str, set[Node]](set)
    for edit in (
        *_of_nodes(sides, matched),
        *group_edits(sides[0].groups, sides[1].groups),
        *grouped_otherwise(sides, matched, touched(sides, matched)),
    ):
        for side, names in enumerate(edit.operations):
            # Two steps of one reduction compute the same nodes, and one may stand for the other.
            computed = sides[side].computed
            alike = {frozenset(computed[name]) for name in names} - {frozenset()}
            found[edit.change.key] |= {
                (side, name)
                for name, nodes in computed.items()
                if name in names or nodes in alike
            }
    return {key: frozenset(operations) for key, operations in found.items()}


def _of_nodes(sides: Sequence[SideSchedule], matched: Pairs) -> Iterator[GroupEdit]:
    """How groups changed, of those together that compute a node in common: of groups that compute the same operators,
    none stands for another."""
    every = [
        [(_made(schedule, group, names, side), group) for group in schedule.groups]
        for side, (schedule, names) in enumerate(
            zip(sides, matched.names_of_both, strict=True)
        )
    ]
    same = Counter(made for made, _ in every[0]) & Counter(made for made, _ in every[1])
    left = [
        [(made, group) for made, group in side if made not in same] for side in every
    ]
    for part in joined({*made} for side in left for made, _ in side):
        yield from group_edits(
            *([group for made, group in side if made <= part] for side in left)
        )


def _made(
    schedule: SideSchedule, group: Group, names: Mapping[str, str], side: int
) -> _Made:
    made = set[tuple[object, ...]]()
    for operation in group.operations:
        nodes = schedule.computed[operation.name]
        if nodes and nodes <= names.keys():
            made |= {(names[node],) for node in nodes}
        else:
            made.add((side, operation.name))
    return frozenset(made)
