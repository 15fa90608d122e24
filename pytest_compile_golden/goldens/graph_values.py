"""The values of one graph on both sides: what makes, holds and reads each, by what both sides call it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import zip_longest
from typing import NamedTuple

from pytest_compile_golden.facts.schedules import (
    Operation,
    buffer,
    type_of,
    waits_for,
)
from pytest_compile_golden.formats.graphs.equivalence import Pairs, joined
from pytest_compile_golden.formats.graphs.printed import RESULT
from pytest_compile_golden.formats.schedules.roles import called, copies
from pytest_compile_golden.goldens.consequences import base
from pytest_compile_golden.goldens.cost_facts import GraphShares
from pytest_compile_golden.goldens.side_schedule import SideSchedule

Node = tuple[int, str]
"""A node, or an input, by side and name; what both sides have is known by the name of the old side."""


class Value(NamedTuple):
    """What a buffer or an input holds."""

    nodes: frozenset[Node]
    """The nodes whose value it is, by what both sides call them."""
    copy: int = 0
    """Which of several buffers that are made of these nodes: those of one type from the last one on."""


class Access(NamedTuple):
    """What one kernel moves of one value."""

    kernel: int
    """Its index among the shares of its side."""
    nbytes: int
    """As torch counts them."""
    at_most: int
    """Those that its loops access."""
    makes: bool
    operations: tuple[Operation, ...]
    """Those of the kernel that make the value, or read it."""
    waits: bool
    """Whether they read nothing of it, and only run after what made it, or write over it."""


class GraphValues:
    """One graph on both sides."""

    def __init__(
        self,
        graph: str,
        sides: Sequence[SideSchedule],
        matched: Pairs,
        shares: GraphShares,
        in_place: bool,
    ) -> None:
        """in_place: whether the nodes that differ are of the same types, and read as much, as those in whose place they
        are; then nothing is moved because of them."""
        self.graph = graph
        self.sides = sides
        self.matched = matched
        self.shares = shares.moved
        self.launches = shares.launches
        self._names = matched.names_of_both
        # What one side computes twice is one value.
        self.differ = [
            names - {RESULT} - twins.keys()
            for names, twins in zip(matched.differ, matched.doubled, strict=True)
        ]
        for before, after in matched.nodes:
            # Of what reads `x * 1` in the place of `x`, nothing differs.
            if (before.type, before.text) == (after.type, after.text) and [
                self.name(0, read) for read in before.reads
            ] == [self.name(1, read) for read in after.reads]:
                self.differ[0].discard(before.name)
                self.differ[1].discard(after.name)
        self.moving = [set() if in_place else names for names in self.differ]
        """The nodes that differ, and may be why values are moved."""
        self.held = self._held()

    def name(self, side: int, node: str) -> Node:
        """What both sides call a node or an input."""
        node = self.sides[side].same_value(node)
        node = self.matched.doubled[side].get(node, node)
        name = self._names[side].get(node)
        return (side, node) if name is None else (0, name)

    def canonical(self, side: int, nodes: Collection[str]) -> frozenset[Node]:
        return frozenset(self.name(side, node) for node in nodes)

    @cached_property
    def called(self) -> Mapping[Node, set[Node]]:
        """The nodes of both sides by what both call them."""
        found = defaultdict[Node, set[Node]](set)
        for side in (0, 1):
            for node in self.matched.makers[side]:
                found[self.name(side, node)].add((side, node))
        return found

    def computed_by(self, side: int, operations: str) -> set[str]:
        """The nodes that operations compute, whose names are joined with underscores."""
        return {
            node
            for name in operations.split("_")
            for node in self.sides[side].computed.get(name, ())
        }

    def made_by(self, side: int, operations: Iterable[Operation]) -> set[str]:
        """The nodes whose values operations make."""
        return {
            node
            for operation in operations
            for node in self.sides[side].made[operation.name]
        }

    def _held(self) -> list[dict[str, Value]]:
        """By side, the value in each buffer."""
        made = defaultdict[frozenset[Node], tuple[dict[str, str], dict[str, str]]](
            lambda: ({}, {})
        )
        for side, schedule in enumerate(self.sides):
            for name, operation in reversed(schedule.operations.items()):
                for output in reversed(operation.outputs):
                    nodes = self.canonical(
                        side,
                        schedule.stored.get(buffer(output)) or operation.nodes or (),
                    ) or frozenset({(side, name)})
                    made[nodes][side][buffer(output)] = type_of(output)
        held: list[dict[str, Value]] = [{}, {}]
        for nodes, (old, new) in made.items():
            same, left = list[tuple[str, str]](), list(new)
            for was in old:
                now = next((name for name in left if new[name] == old[was]), None)
                if now is not None:
                    left.remove(now)
                    same.append((was, now))
            paired = dict(same)
            rest = [name for name in old if name not in paired]
            for copy, pair in enumerate((*same, *zip_longest(rest, left))):
                for side, name in enumerate(pair):
                    if name is not None:
                        held[side][name] = Value(nodes, copy)
        return held

    def value(self, side: int, name: str) -> Value:
        """What a buffer or an input holds."""
        held = self.held[side].get(name)
        return Value(frozenset({self.name(side, name)})) if held is None else held

    @cached_property
    def accesses(self) -> list[dict[Value, list[Access]]]:
        return [self._accesses(side) for side in (0, 1)]

    def _accesses(self, side: int) -> dict[Value, list[Access]]:
        found = defaultdict[Value, list[Access]](list)
        operations = self.sides[side].operations
        for kernel, share in enumerate(self.shares[side]):
            own = [
                operations[name]
                for name in share.kernel.split("_")
                if name in operations
            ]
            made = {buffer(output) for each in own for output in each.outputs}
            by_torch = dict(share.counted)
            for name, at_most in share.moved:
                using = tuple(
                    each
                    for each in own
                    if name in map(buffer, (*each.outputs, *each.reads, *each.writes))
                )
                found[self.value(side, name)].append(
                    Access(
                        kernel,
                        by_torch.get(name, at_most),
                        at_most,
                        name in made,
                        using,
                        bool(using) and all(waits_for(op, name) for op in using),
                    )
                )
        return found

    @cached_property
    def makers(self) -> Mapping[Value, set[Node]]:
        """The operations of both sides that make each value."""
        found = defaultdict[Value, set[Node]](set)
        for side in (0, 1):
            for name, operation in self.sides[side].operations.items():
                for output in map(buffer, operation.outputs):
                    found[self.held[side][output]].add((side, name))
        return found

    @cached_property
    def made_in(self) -> list[list[set[Value]]]:
        """By side, the values that each kernel makes."""
        return [
            [
                {
                    held[buffer(output)]
                    for name in share.kernel.split("_")
                    if name in schedule.operations
                    for output in schedule.operations[name].outputs
                    if buffer(output) in held
                }
                for share in shares
            ]
            for schedule, held, shares in zip(
                self.sides, self.held, self.shares, strict=True
            )
        ]

    def nodes_of(self, value: Value) -> frozenset[Node]:
        """The nodes of both sides that compute this value."""
        return self.computing(
            node for each in value.nodes for node in self.called[each]
        )

    def computing(self, nodes: Iterable[Node]) -> frozenset[Node]:
        """Those of these nodes that do not only return their operand; all, if they all do."""
        every = frozenset(nodes)
        return (
            frozenset(
                (side, node)
                for side, node in every
                if self.sides[side].same_value(node) == node
            )
            or every
        )

    def is_given_alone(self, value: Value) -> bool:
        """Whether it is an input that only one side has: what forward saves for it."""
        return all(
            name not in self.matched.makers[side]
            and (side == 1 or name not in self.matched.values)
            for side, name in value.nodes
        ) and not any(value in held.values() for held in self.held)

    @cached_property
    def alone(self) -> tuple[set[str], set[str]]:
        """The nodes that only one side has, or whose results are of another type there."""
        alone = (
            self.matched.makers[0].keys() - {old.name for old, _ in self.matched.nodes},
            self.matched.makers[1].keys() - {new.name for _, new in self.matched.nodes},
        )
        for old, new in self.matched.nodes:
            if (old.type, old.text) != (new.type, new.text):
                alone[0].add(old.name)
                alone[1].add(new.name)
        return alone

    def takes_out_alone(self, side: int, node: str) -> bool:
        """Whether only one side has this node, which takes one result out of several."""
        return node in self.alone[side] and self.matched.makers[side][node].is_element

    @cached_property
    def returned_alone(self) -> list[set[str]]:
        """The nodes that only one side returns, or a view of them."""
        returned = [
            self.canonical(side, makers[RESULT].reads if RESULT in makers else ())
            for side, makers in enumerate(self.matched.makers)
        ]
        found = []
        for side, names in enumerate(self.matched.returned_alone):
            others = returned[1 - side]
            alone = {name for name in names if self.name(side, name) not in others}
            found.append(alone | set(map(self.sides[side].viewed, alone)))
        return found

    @cached_property
    def one_sided(self) -> set[Value]:
        """The values that only one side has in a buffer."""
        return {*self.held[0].values()} ^ {*self.held[1].values()}

    @cached_property
    def copies(self) -> list[dict[str, str]]:
        """By side, the buffers that only copy what a library call reads, with the call."""
        return [
            {
                buffer(output): base(call)
                for operation, call in copies([*side.operations.values()])
                for output in operation.outputs
            }
            for side in self.sides
        ]

    @cached_property
    def copied_for(self) -> Mapping[Value, frozenset[str]]:
        """The calls that each value is only a copy for; empty for any other."""
        found = defaultdict[Value, frozenset[str]](frozenset)
        for held, copied in zip(self.held, self.copies, strict=True):
            for name, call in copied.items():
                found[held[name]] |= {call}
        return found

    def calling_alone(self, side: int, buffers: Iterable[str]) -> set[Node]:
        """The nodes that only one side has and that call a library for which these buffers are copies."""
        waiting, found = [*buffers], set[Node]()
        copies, operations = self.copies[side], self.sides[side].operations.values()
        while waiting:
            name = waiting.pop()
            for operation in operations:
                if name not in map(buffer, operation.reads):
                    continue
                if called(operation):
                    found |= {
                        (side, node)
                        for node in self.sides[side].computed[operation.name]
                        if node in self.alone[side]
                    }
                else:
                    # What is copied may be a copy itself.
                    made = map(buffer, operation.outputs)
                    waiting += [each for each in made if each in copies]
        return found

    @cached_property
    def _uncounted_calls(self) -> list[list[Operation]]:
        """By side, the calls for which torch counts nothing: it does not know what a higher-order operator calls."""
        return [
            [
                schedule.operations[name]
                for share in shares
                if not any(nbytes for _, nbytes in share.moved)
                for name in share.kernel.split("_")
                if name in schedule.operations and called(schedule.operations[name])
            ]
            for schedule, shares in zip(self.sides, self.shares, strict=True)
        ]

    @cached_property
    def uncounted(self) -> set[Value]:
        """What these read or make."""
        return {
            self.value(side, buffer(accessed))
            for side, calls in enumerate(self._uncounted_calls)
            for operation in calls
            for accessed in (*operation.reads, *operation.outputs)
        }

    @cached_property
    def uncounted_nodes(self) -> set[Node]:
        return {
            (side, node)
            for side, calls in enumerate(self._uncounted_calls)
            for operation in calls
            for node in self.computed_by(side, operation.name)
        }

    @cached_property
    def readers(self) -> list[Mapping[Value, list[Operation]]]:
        """By side, the operations that read each value, also in the kernel that makes it."""
        found: list[Mapping[Value, list[Operation]]] = []
        for side, schedule in enumerate(self.sides):
            readers = defaultdict[Value, list[Operation]](list)
            for operation in schedule.operations.values():
                for value in {self.value(side, buffer(r)) for r in operation.reads}:
                    readers[value].append(operation)
            found.append(readers)
        return found

    @cached_property
    def read_by(self) -> list[Mapping[str, set[str]]]:
        """By side, the nodes that read the value of each node, or a view of it."""
        found: list[Mapping[str, set[str]]] = []
        for schedule, makers in zip(self.sides, self.matched.makers, strict=True):
            readers = defaultdict[str, set[str]](set)
            for name in makers.keys() - {RESULT}:
                for read, _ in schedule.read_by({name}):
                    readers[read].add(name)
            found.append(readers)
        return found

    @cached_property
    def _regions(self) -> dict[Node, set[Node]]:
        return {
            node: region for region in joined(self.matched.changed) for node in region
        }

    def region(self, nodes: frozenset[Node]) -> frozenset[Node]:
        """The nodes that differ and are connected with these."""
        connected = {other for node in nodes for other in self._regions.get(node, ())}
        return frozenset(connected) - nodes

    def differing_operators(self, nodes: Iterable[Node]) -> frozenset[str]:
        """The operators of those of these nodes that differ."""
        return self.operators(
            self.computing(
                (side, node) for side, node in nodes if node in self.differ[side]
            )
        )

    def operators(self, nodes: Iterable[Node]) -> frozenset[str]:
        return frozenset(
            base(self.matched.makers[side][node].target)
            for side, node in nodes
            if node in self.matched.makers[side] and node != RESULT
        )

    @cached_property
    def used(self) -> list[dict[str, list[str]]]:
        """By side, the buffers and inputs that each kernel moves."""
        return [
            {share.kernel: [name for name, _ in share.moved] for share in shares}
            for shares in self.shares
        ]
