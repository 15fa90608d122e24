"""What each value of a graph costs more or less than before, and what shows why.

The bytes that kernels move are a sum over values: each is written once, and read by every kernel that uses it. A value
that both sides move alike costs nothing more, in whichever kernels it is. Of every other, the nodes that make and read
it, and the buffers that it is in, show which kind of change moves it. What kernels compute is taken apart the same way,
by the operations that compute the same nodes, and launches by the kernels that make the same values.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from pytest_compile_golden.facts.schedules import Operation, buffer
from pytest_compile_golden.formats.graphs.equivalence import Pairs, joined
from pytest_compile_golden.formats.graphs.printed import RESULT
from pytest_compile_golden.formats.schedules.roles import called, copies
from pytest_compile_golden.goldens.compare_artifact import Compared
from pytest_compile_golden.goldens.consequences import base
from pytest_compile_golden.goldens.cost_facts import GraphShares, Launch, graph_shares
from pytest_compile_golden.goldens.same_nodes import (
    graph_sides,
    names_of_both,
    replaced_in_place,
)
from pytest_compile_golden.goldens.side_schedule import SideSchedule

Node = tuple[int, str]
"""A node, or an input, by side and name; what both sides have is known by the name of the old side."""
Shown = Literal[
    "nodes", "saved", "stored", "grouped", "launched", "copied", "accessed", "counted"
]
"""What shows why a value costs more or less: `nodes` that differ; that only one side keeps it for backward; that only
one side has a buffer for it; that other kernels use it; that more or fewer kernels make it and others with it; that it
is copied for a library; that as many kernels access it otherwise; or that only torch's number for what they access
differs."""


@dataclass(frozen=True)
class ValueDifference:
    """What one value costs more or less in a graph, or the operations that compute the same nodes."""

    graph: str
    amount: int
    """Bytes, or floating-point operations."""
    shown: Shown
    operators: frozenset[str]
    """Of the nodes that show it; for what is copied, the call that it is copied for."""
    nodes: frozenset[Node] = frozenset()
    """The nodes that show it, by the side that they are of."""
    region: frozenset[Node] = frozenset()
    """If nodes that differ show it: those that are connected with them through others that differ."""
    near: frozenset[str] = frozenset()
    """The operators of the nodes that differ in the kernels that use the value otherwise."""
    near_stored: bool = False
    """Whether these kernels use what only one side has in a buffer; of floating-point operations, whether one side
    computes some of the nodes more often."""
    near_saved: bool = False
    """Whether these kernels use what only one side keeps for backward."""
    operations: frozenset[Node] = frozenset()
    """The operations that make the value, or that read it, by side and name."""
    is_made: bool = False
    """Whether it is what making the value costs, and not what reading it does."""
    is_computed: bool = False
    """Whether it is floating-point operations, and not bytes."""


class LaunchDifference(NamedTuple):
    """How many more kernels and library calls make some values."""

    kernels: int
    calls: int
    causes: tuple[ValueDifference, ...]
    """What shows why, of each value that only one side makes; one if both sides make values in common."""


class GraphDifferences(NamedTuple):
    """What differs in what one graph costs."""

    nbytes: list[ValueDifference]
    flops: list[ValueDifference]
    launches: list[LaunchDifference]
    recorded: bool
    """Whether the amounts are those of the stage `cost`; if not, they are sizes of whole buffers, with 1 in the place
    of each symbol."""


def value_differences(compared: Sequence[Compared]) -> dict[str, GraphDifferences]:
    """By graph, what differs; a graph is left out if it is not known what its kernels were made of."""
    in_place = replaced_in_place(compared)
    every = [*graph_sides(compared)]
    shares = graph_shares(compared, {name: sides for name, sides, _ in every})
    found = {}
    for graph, sides, matched in every:
        of_graph = shares[graph]
        both = _BothSides(graph, sides, matched, of_graph, graph in in_place)
        found[graph] = GraphDifferences(
            list(both.moved()),
            list(both.computed()),
            list(both.launched()),
            of_graph.recorded,
        )
    return found


class _Value(NamedTuple):
    """What a buffer or an input holds."""

    nodes: frozenset[Node]
    """The nodes whose value it is, by what both sides call them."""
    copy: int = 0
    """Which of several buffers that are made of these nodes, from the last one on."""


class _Access(NamedTuple):
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


class _Cause(NamedTuple):
    """What shows why a value costs more or less."""

    shown: Shown
    nodes: frozenset[Node] = frozenset()
    calls: frozenset[str] = frozenset()


_Accesses = tuple[Sequence[_Access], Sequence[_Access]]


class _BothSides:
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
        self._graph = graph
        self._sides = sides
        self._matched = matched
        self._shares = shares.moved
        self._launches = shares.launches
        self._names = names_of_both(matched)
        # What one side computes twice is one value.
        self._differ = [
            names - {RESULT} - twins.keys()
            for names, twins in zip(matched.differ, matched.doubled, strict=True)
        ]
        self._moving = [set() if in_place else names for names in self._differ]
        """The nodes that differ, and may be why values are moved."""
        self._held = [self._held_in(side) for side in (0, 1)]

    def moved(self) -> Iterator[ValueDifference]:
        """What differs in bytes: of each value what making it costs, and what reading it does. Of a buffer that one
        side alone has that may be nothing, but it may be held."""
        accesses = self._accesses_of
        for value in {**accesses[0], **accesses[1], **dict.fromkeys(self._one_sided)}:
            for makes in (True, False):
                old, new = (
                    [each for each in side.get(value, ()) if each.makes == makes]
                    for side in accesses
                )
                amount = sum(each.nbytes for each in new) - sum(
                    each.nbytes for each in old
                )
                if amount or (makes and value in self._one_sided):
                    left = (old, new) if makes else self._without_alike(old, new)
                    yield self._difference(value, amount, left, makes)

    def computed(self) -> Iterator[ValueDifference]:
        """What differs in floating-point operations, of the operations that have nodes in common together."""
        amounts = Counter[frozenset[Node]]()
        kernels = defaultdict[frozenset[Node], set[Node]](set)
        times = Counter[Node](), Counter[Node]()
        for side, sign in ((0, -1), (1, 1)):
            for share in self._shares[side]:
                for name, flops in share.flops:
                    nodes = self._canonical(side, self._computed_by(side, name))
                    key = nodes or frozenset({(side, name)})
                    amounts[key] += sign * flops
                    kernels[key].add((side, share.kernel))
            for name in self._sides[side].operations:
                times[side].update(self._canonical(side, self._computed_by(side, name)))
        for part in joined(set(key) for key, flops in amounts.items() if flops):
            keys = [key for key in amounts if amounts[key] and key <= part]
            amount = sum(amounts[key] for key in keys)
            if not amount:
                continue
            nodes = frozenset(node for each in part for node in self._called[each])
            more = frozenset(
                (side, node)
                for side, node in nodes
                for called in [self._name(side, node)]
                if times[0][called] != times[1][called]
            )
            alone = frozenset(
                (side, node) for side, node in nodes if node in self._alone[side]
            )
            differ = alone or frozenset(
                (side, node) for side, node in nodes if node in self._differ[side]
            )
            yield ValueDifference(
                self._graph,
                amount,
                "nodes" if differ else "stored" if more else "accessed",
                self._operators(differ or more or nodes),
                differ or more,
                self._region(differ),
                near_stored=bool(more),
                near_saved=any(
                    self._uses_saved(side, kernel)
                    for key in keys
                    for side, kernel in kernels[key]
                ),
                is_computed=True,
            )

    def launched(self) -> Iterator[LaunchDifference]:
        """How many more kernels and calls there are, of those together that make a value in common, and of those that
        only copy what the same library call reads."""
        making = [
            (self._made_by(side, launch), side, launch)
            for side in (0, 1)
            for launch in self._launches[side]
        ]
        for part in joined({*made} for made, _, _ in making):
            launches = [
                (side, launch) for made, side, launch in making if made and made <= part
            ]
            calls = kernels = 0
            for side, launch in launches:
                more = 1 if side else -1
                calls += more * launch.is_call
                kernels += more * (not launch.is_call)
            if calls or kernels:
                causes = tuple(self._causes_of(launches))
                yield LaunchDifference(kernels, calls, causes)

    def _made_by(self, side: int, launch: Launch) -> frozenset[object]:
        """The nodes whose values a launch makes, or the call that it only copies for."""
        outputs = [
            buffer(output)
            for operation in launch.operations
            for output in operation.outputs
        ]
        calls = {self._copies[side].get(output, "") for output in outputs}
        if len(calls) == 1 and (call := calls.pop()):
            return frozenset({call})
        schedule = self._sides[side]
        return frozenset(
            node
            for operation in launch.operations
            for node in self._canonical(
                side, schedule.made[operation.name] or schedule.computed[operation.name]
            )
            or {(side, operation.name)}
        )

    def _causes_of(
        self, launches: Sequence[tuple[int, Launch]]
    ) -> Iterator[ValueDifference]:
        """Why there are more or fewer of these kernels and calls."""
        made = {
            self._held[side][buffer(output)]: side
            for side, launch in launches
            for operation in launch.operations
            for output in operation.outputs
            if buffer(output) in self._held[side]
        }
        names = [
            (side, operation.name)
            for side, launch in launches
            for operation in launch.operations
        ]
        if len({side for side, _ in launches}) == 1:
            accesses = [self._accesses_of[side] for side in (0, 1)]
            for value in made:
                of_value = (accesses[0].get(value, ()), accesses[1].get(value, ()))
                yield self._difference(value, 1, of_value, True)
            return
        nodes = frozenset(
            (side, node)
            for side, name in names
            for node in self._computed_by(side, name)
        )
        yield ValueDifference(
            self._graph,
            1,
            "launched",
            self._operators(nodes),
            nodes,
            near=self._operators(
                (side, node) for side, node in nodes if node in self._differ[side]
            ),
            operations=frozenset(names),
            is_made=True,
        )

    def _name(self, side: int, node: str) -> Node:
        """What both sides call a node or an input."""
        node = self._matched.doubled[side].get(node, node)
        name = self._names[side].get(node)
        return (side, node) if name is None else (0, name)

    def _canonical(self, side: int, nodes: Collection[str]) -> frozenset[Node]:
        return frozenset(self._name(side, node) for node in nodes)

    @cached_property
    def _called(self) -> Mapping[Node, set[Node]]:
        """The nodes of both sides by what both call them."""
        found = defaultdict[Node, set[Node]](set)
        for side in (0, 1):
            for node in self._matched.makers[side]:
                found[self._name(side, node)].add((side, node))
        return found

    def _computed_by(self, side: int, operations: str) -> set[str]:
        """The nodes that operations compute, whose names are joined with underscores."""
        return {
            node
            for name in operations.split("_")
            for node in self._sides[side].computed.get(name, ())
        }

    def _held_in(self, side: int) -> dict[str, _Value]:
        """The value in each buffer."""
        schedule, seen = self._sides[side], Counter[frozenset[Node]]()
        held: dict[str, _Value] = {}
        for name, operation in reversed(schedule.operations.items()):
            for output in map(buffer, reversed(operation.outputs)):
                nodes = self._canonical(
                    side, schedule.stored.get(output) or operation.nodes or ()
                ) or frozenset({(side, name)})
                held[output] = _Value(nodes, seen[nodes])
                seen[nodes] += 1
        return held

    def _value(self, side: int, name: str) -> _Value:
        """What a buffer or an input holds."""
        held = self._held[side].get(name)
        return _Value(frozenset({self._name(side, name)})) if held is None else held

    @cached_property
    def _accesses_of(self) -> list[dict[_Value, list[_Access]]]:
        return [self._accesses(side) for side in (0, 1)]

    def _accesses(self, side: int) -> dict[_Value, list[_Access]]:
        found = defaultdict[_Value, list[_Access]](list)
        operations = self._sides[side].operations
        for kernel, share in enumerate(self._shares[side]):
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
                found[self._value(side, name)].append(
                    _Access(
                        kernel,
                        by_torch.get(name, at_most),
                        at_most,
                        name in made,
                        using,
                    )
                )
        return found

    def _without_alike(
        self, old: Sequence[_Access], new: Sequence[_Access]
    ) -> _Accesses:
        """What reads a value, without the kernels that read as much of it on both sides and make a value in common."""
        rest, left = list(new), list[_Access]()
        for access in old:
            alike = next(
                (
                    other
                    for other in rest
                    if other.nbytes == access.nbytes
                    and not self._made_in[0][access.kernel].isdisjoint(
                        self._made_in[1][other.kernel]
                    )
                ),
                None,
            )
            if alike is None:
                left.append(access)
            else:
                rest.remove(alike)
        return left, rest

    @cached_property
    def _makers(self) -> Mapping[_Value, set[Node]]:
        """The operations of both sides that make each value."""
        found = defaultdict[_Value, set[Node]](set)
        for side in (0, 1):
            for name, operation in self._sides[side].operations.items():
                for output in map(buffer, operation.outputs):
                    found[self._held[side][output]].add((side, name))
        return found

    @cached_property
    def _made_in(self) -> list[list[set[_Value]]]:
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
                self._sides, self._held, self._shares, strict=True
            )
        ]

    def _difference(
        self, value: _Value, amount: int, accesses: _Accesses, makes: bool
    ) -> ValueDifference:
        cause = self._cause(value, accesses, makes)
        kernels = [
            (side, self._shares[side][access.kernel].kernel)
            for side, access in self._otherwise(accesses)
        ]
        return ValueDifference(
            self._graph,
            amount,
            cause.shown,
            self._operators(cause.nodes) | cause.calls,
            cause.nodes,
            self._region(cause.nodes) if cause.shown == "nodes" else frozenset(),
            self._operators(
                (side, node)
                for side, kernel in kernels
                for name in kernel.split("_")
                for node in self._computed_by(side, name) & self._differ[side]
            ),
            any(self._uses_one_sided(*kernel) for kernel in kernels),
            any(self._uses_saved(*kernel) for kernel in kernels),
            frozenset(
                (side, operation.name)
                for side, of_side in enumerate(accesses)
                for access in of_side
                for operation in access.operations
            ).union(self._makers[value] if makes else ()),
            makes,
        )

    def _cause(self, value: _Value, accesses: _Accesses, makes: bool) -> _Cause:
        """Why more or fewer kernels make or read a value, or each of them moves more or less of it."""
        if value in self._uncounted:
            return _Cause("counted")
        if (of_value := self._of_value(value)) is not None:
            return of_value
        if self._is_given_alone(value):
            return _Cause("saved")
        if value in self._one_sided or (makes and not all(accesses)):
            return self._of_storing(value)
        held = self._nodes_of(value)
        if makes:
            return _Cause("accessed", held)
        calls = self._copied_for(
            [operation for access in of_side for operation in access.operations]
            for of_side in accesses
        )
        if len(calls) == 1:
            return _Cause("copied", calls=calls)
        made = [
            {
                node
                for operation in self._readers[side][value]
                for node in self._sides[side].made[operation.name]
            }
            for side in (0, 1)
        ]
        by_one_side = self._canonical(0, made[0]) ^ self._canonical(1, made[1])
        reading = [
            [operation for access in of_side for operation in access.operations]
            for of_side in accesses
        ]
        by_one_side &= {
            self._name(side, node)
            for side, operations in enumerate(reading)
            for operation in operations
            for node in self._sides[side].made[operation.name]
        }
        if by_one_side:
            return self._of_reading(value, by_one_side, reading)
        # The same is made of it, whatever else is computed on the way.
        users = held.union((side, node) for side in (0, 1) for node in made[side])
        if len(accesses[0]) != len(accesses[1]):
            return _Cause("grouped", users)
        at_most = {sum(each.at_most for each in side) for side in accesses}
        differ = any(node in self._differ[side] for side, node in users)
        return _Cause(
            "counted" if len(at_most) == 1 and not differ else "accessed", users
        )

    def _of_value(self, value: _Value) -> _Cause | None:
        """Why it is another value: it is a copy for a library, or only one side computes it."""
        calls = frozenset(
            self._copies[side][name]
            for side in (0, 1)
            for name, held in self._held[side].items()
            if held == value and name in self._copies[side]
        )
        if len(calls) == 1:
            return _Cause("copied", calls=calls)
        alone = frozenset(
            (side, node)
            for side, node in self._nodes_of(value)
            if node in self._alone[side]
        )
        if not self._uncounted_nodes.isdisjoint(alone | self._region(alone)):
            return _Cause("counted")
        return _Cause("nodes", alone) if alone else None

    def _of_storing(self, value: _Value) -> _Cause:
        """Why only one side has a value in memory, although both compute it."""
        held = self._nodes_of(value)
        saved = frozenset(
            (side, node)
            for side, node in held
            if node in self._matched.returned_alone[side]
        )
        if saved:
            return _Cause("saved", saved)
        readers = [self._readers[side][value] for side in (0, 1)]
        calls = self._copied_for(readers)
        if len(calls) == 1:
            return _Cause("copied", calls=calls)
        differ = frozenset(
            (side, reader)
            for side, node in held
            for reader in self._read_by[side][node] & self._moving[side]
        )
        if differ:
            return _Cause("nodes", differ)
        if value in self._one_sided:
            return _Cause("stored", held)
        return _Cause(
            "grouped",
            held.union(
                (side, node)
                for side in (0, 1)
                for operation in readers[side]
                for node in self._computed_by(side, operation.name)
            ),
        )

    def _of_reading(
        self,
        value: _Value,
        by_one_side: frozenset[Node],
        reading: Sequence[Sequence[Operation]],
    ) -> _Cause:
        """Why a value is read for others than before: what only one side has a buffer for is computed, on the other
        side, where it is read. by_one_side: what only one side makes of the value. reading: what reads it, by side."""
        causes = {
            self._of_value(each) or self._of_storing(each)
            for each in self._one_sided
            if not each.nodes.isdisjoint(by_one_side)
        }
        users = frozenset(
            (side, node)
            for side, operations in enumerate(reading)
            for operation in operations
            for node in self._computed_by(side, operation.name)
        )
        differ = frozenset(
            (side, node) for side, node in users if node in self._moving[side]
        )
        shown = {cause.shown for cause in causes}
        if len(shown) == 1 and not (differ and shown == {"stored"}):
            return _Cause(
                shown.pop(),
                frozenset(node for cause in causes for node in cause.nodes),
                frozenset(call for cause in causes for call in cause.calls),
            )
        if differ:
            direct = differ.intersection(
                (side, reader)
                for side, node in self._nodes_of(value)
                for reader in self._read_by[side][node]
            )
            return _Cause("nodes", direct or differ)
        return _Cause(
            "stored",
            frozenset(node for node in users if self._name(*node) in by_one_side),
        )

    def _otherwise(self, accesses: _Accesses) -> Iterator[tuple[int, _Access]]:
        """The accesses, by side, without those by which both sides make the same."""
        made = [
            [
                self._canonical(
                    side,
                    {
                        node
                        for operation in access.operations
                        for node in self._sides[side].made[operation.name]
                    },
                )
                for access in of_side
            ]
            for side, of_side in enumerate(accesses)
        ]
        common = Counter(made[0]) & Counter(made[1])
        for side, of_side in enumerate(accesses):
            same = Counter(common)
            for access, nodes in zip(of_side, made[side], strict=True):
                if same[nodes]:
                    same[nodes] -= 1
                else:
                    yield side, access

    def _nodes_of(self, value: _Value) -> frozenset[Node]:
        """The nodes of both sides whose value this is."""
        return frozenset(node for each in value.nodes for node in self._called[each])

    def _is_given_alone(self, value: _Value) -> bool:
        """Whether it is an input that only one side has: what forward saves for it."""
        return all(
            name not in self._matched.makers[side]
            and (side == 1 or name not in self._matched.values)
            for side, name in value.nodes
        ) and not any(value in held.values() for held in self._held)

    @cached_property
    def _alone(self) -> tuple[set[str], set[str]]:
        """The nodes that only one side has, or whose results are of another type there."""
        alone = (
            self._matched.makers[0].keys()
            - {old.name for old, _ in self._matched.nodes},
            self._matched.makers[1].keys()
            - {new.name for _, new in self._matched.nodes},
        )
        for old, new in self._matched.nodes:
            if (old.type, old.text) != (new.type, new.text):
                alone[0].add(old.name)
                alone[1].add(new.name)
        return alone

    @cached_property
    def _one_sided(self) -> set[_Value]:
        """The values that only one side has in a buffer."""
        return {*self._held[0].values()} ^ {*self._held[1].values()}

    @cached_property
    def _copies(self) -> list[dict[str, str]]:
        """By side, the buffers that only copy what a library call reads, with the call."""
        return [
            {
                buffer(output): base(call)
                for operation, call in copies([*side.operations.values()])
                for output in operation.outputs
            }
            for side in self._sides
        ]

    def _copied_for(self, operations: Iterable[Sequence[Operation]]) -> frozenset[str]:
        """The calls that these operations of either side copy something for."""
        return frozenset(
            self._copies[side][output]
            for side, of_side in enumerate(operations)
            for operation in of_side
            for output in map(buffer, operation.outputs)
            if output in self._copies[side]
        )

    @cached_property
    def _uncounted_calls(self) -> list[list[Operation]]:
        """By side, the calls for which torch counts nothing: it does not know what a higher-order operator calls."""
        return [
            [
                operation
                for operation in schedule.operations.values()
                if called(operation) and operation.name not in counted
            ]
            for schedule, shares in zip(self._sides, self._shares, strict=True)
            for counted in [
                {
                    name
                    for share in shares
                    if any(nbytes for _, nbytes in share.moved)
                    for name in share.kernel.split("_")
                }
            ]
        ]

    @cached_property
    def _uncounted(self) -> set[_Value]:
        """What these read or make."""
        return {
            self._value(side, buffer(accessed))
            for side, calls in enumerate(self._uncounted_calls)
            for operation in calls
            for accessed in (*operation.reads, *operation.outputs)
        }

    @cached_property
    def _uncounted_nodes(self) -> set[Node]:
        return {
            (side, node)
            for side, calls in enumerate(self._uncounted_calls)
            for operation in calls
            for node in self._computed_by(side, operation.name)
        }

    @cached_property
    def _readers(self) -> list[Mapping[_Value, list[Operation]]]:
        """By side, the operations that read each value, also in the kernel that makes it."""
        found: list[Mapping[_Value, list[Operation]]] = []
        for side, schedule in enumerate(self._sides):
            readers = defaultdict[_Value, list[Operation]](list)
            for operation in schedule.operations.values():
                for value in {self._value(side, buffer(r)) for r in operation.reads}:
                    readers[value].append(operation)
            found.append(readers)
        return found

    @cached_property
    def _read_by(self) -> list[Mapping[str, set[str]]]:
        """By side, the nodes that read the value of each node, or a view of it."""
        found: list[Mapping[str, set[str]]] = []
        for schedule, makers in zip(self._sides, self._matched.makers, strict=True):
            readers = defaultdict[str, set[str]](set)
            for name in makers.keys() - {RESULT}:
                for read, _ in schedule.read_by({name}):
                    readers[read].add(name)
            found.append(readers)
        return found

    @cached_property
    def _regions(self) -> dict[Node, set[Node]]:
        return {
            node: region for region in joined(self._matched.changed) for node in region
        }

    def _region(self, nodes: frozenset[Node]) -> frozenset[Node]:
        """The nodes that differ and are connected with these."""
        connected = {other for node in nodes for other in self._regions.get(node, ())}
        return frozenset(connected) - nodes

    def _operators(self, nodes: Iterator[Node] | frozenset[Node]) -> frozenset[str]:
        return frozenset(
            base(self._matched.makers[side][node].target)
            for side, node in nodes
            if node in self._matched.makers[side] and node != RESULT
        )

    @cached_property
    def _used(self) -> list[dict[str, list[str]]]:
        """By side, the buffers and inputs that each kernel moves."""
        return [
            {share.kernel: [name for name, _ in share.moved] for share in shares}
            for shares in self._shares
        ]

    def _uses_one_sided(self, side: int, kernel: str) -> bool:
        return any(
            self._value(side, name) in self._one_sided
            for name in self._used[side][kernel]
        )

    def _uses_saved(self, side: int, kernel: str) -> bool:
        """Whether a kernel moves what only its side returns."""
        alone = self._matched.returned_alone[side]
        return any(
            not alone.isdisjoint(self._sides[side].stored.get(name, (name,)))
            for name in self._used[side][kernel]
        )
