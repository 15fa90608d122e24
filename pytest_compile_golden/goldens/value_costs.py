"""What each value of a graph costs more or less than before, and what shows why.

The bytes that kernels move are a sum over values: each is written once, and read by every kernel that uses it. A value
that both sides move alike costs nothing more, in whichever kernels it is. Of every other, the nodes that make and read
it, and the buffers that it is in, show which kind of change moves it. What kernels compute is taken apart the same way,
by the operations that compute the same nodes, and launches by the kernels that make the same values.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from pytest_compile_golden.facts.schedules import Operation, buffer
from pytest_compile_golden.formats.graphs.equivalence import joined
from pytest_compile_golden.goldens.compare_artifact import Compared
from pytest_compile_golden.goldens.cost_facts import LaunchedGroups, graph_shares
from pytest_compile_golden.goldens.graph_values import (
    Access,
    GraphValues,
    Node,
    Value,
)
from pytest_compile_golden.goldens.regrouped import regrouped
from pytest_compile_golden.goldens.same_nodes import (
    graph_sides,
    replaced_in_place,
)

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
    called_around: frozenset[str] = frozenset()
    """The operators of these."""
    near: frozenset[str] = frozenset()
    """The operators of the nodes that differ in the kernels that use the value otherwise; of floating-point operations,
    those of the nodes that one side computes more often beside nodes that differ."""
    around: frozenset[str] = frozenset()
    """Those of the nodes that differ in all kernels that make or read the value."""
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
    is_awaited: bool = False
    """Whether kernels only run after what made the value, or write over it, which torch counts as reading it."""


class LaunchDifference(NamedTuple):
    """How many more kernels and library calls make some values."""

    graph: str
    kernels: int
    calls: int
    runs_loops: bool
    """Whether they are C++ kernels, which have all loops between two library calls."""
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
    regrouped: Mapping[str, frozenset[Node]]
    """The operations that each change of groups is about, by its key."""


def value_differences(compared: Sequence[Compared]) -> dict[str, GraphDifferences]:
    """By graph, what differs; a graph is left out if it is not known what its kernels were made of."""
    in_place = replaced_in_place(compared)
    every = graph_sides(compared)
    shares = graph_shares(compared, {name: sides for name, sides, _ in every})
    found = {}
    for graph, sides, matched in every:
        of_graph = shares[graph]
        values = GraphValues(graph, sides, matched, of_graph, graph in in_place)
        both = _Differences(values)
        found[graph] = GraphDifferences(
            list(both.moved()),
            list(both.computed()),
            list(both.launched()),
            of_graph.recorded,
            regrouped(sides, matched),
        )
    return found


class _Cause(NamedTuple):
    """What shows why a value costs more or less."""

    shown: Shown
    nodes: frozenset[Node] = frozenset()
    calls: frozenset[str] = frozenset()


_Accesses = tuple[Sequence[Access], Sequence[Access]]


class _Differences:
    """What differs in what one graph costs."""

    def __init__(self, values: GraphValues) -> None:
        self._values = values
        self._alike: dict[Value, frozenset[Node]] = {}

    def moved(self) -> Iterator[ValueDifference]:
        """What differs in bytes: of each value what making it costs, and what reading it does. Of a buffer that one
        side alone has that may be nothing, but it may be held."""
        accesses = self._values.accesses
        for value in {
            **accesses[0],
            **accesses[1],
            **dict.fromkeys(self._values.one_sided),
        }:
            for makes in (True, False):
                old, new = (
                    [each for each in side.get(value, ()) if each.makes == makes]
                    for side in accesses
                )
                if not makes:
                    left = self._without_alike(old, new)
                    for part in self._by_what_is_made(value, left):
                        if amount := _nbytes(part):
                            yield self._difference(value, amount, part, makes, left)
                elif (amount := _nbytes((old, new))) or value in self._values.one_sided:
                    yield self._difference(value, amount, (old, new), makes)

    def computed(self) -> Iterator[ValueDifference]:
        """What differs in floating-point operations, of the operations that have nodes in common together."""
        amounts = Counter[frozenset[Node]]()
        kernels = defaultdict[frozenset[Node], set[Node]](set)
        times = Counter[Node](), Counter[Node]()
        for side, sign in ((0, -1), (1, 1)):
            for share in self._values.shares[side]:
                for name, flops in share.flops:
                    nodes = self._values.canonical(
                        side, self._values.computed_by(side, name)
                    )
                    key = nodes or frozenset({(side, name)})
                    amounts[key] += sign * flops
                    kernels[key].add((side, share.kernel))
            for name in self._values.sides[side].operations:
                times[side].update(
                    self._values.canonical(side, self._values.computed_by(side, name))
                )
        for part in joined(set(key) for key, flops in amounts.items() if flops):
            keys = [key for key in amounts if amounts[key] and key <= part]
            amount = sum(amounts[key] for key in keys)
            if not amount:
                continue
            nodes = frozenset(
                node for each in part for node in self._values.called[each]
            )
            more = frozenset(
                (side, node)
                for side, node in nodes
                for called in [self._values.name(side, node)]
                if node not in self._values.alone[side]
                and times[0][called] != times[1][called]
            )
            # What only returns its operand is the least of what is computed beside it.
            alone = self._values.computing(
                (side, node) for side, node in nodes if node in self._values.alone[side]
            )
            differ = alone or frozenset(
                (side, node)
                for side, node in nodes
                if node in self._values.differ[side]
            )
            region = self._values.region(differ)
            yield ValueDifference(
                self._values.graph,
                amount,
                "nodes" if differ else "stored" if more else "accessed",
                self._values.operators(differ or more or nodes),
                differ or more,
                region,
                self._values.operators(region),
                self._values.operators(more) if differ else frozenset(),
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
            for launch in self._values.launches[side]
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
                runs_loops = any(launch.runs_loops for _, launch in launches)
                graph = self._values.graph
                yield LaunchDifference(graph, kernels, calls, runs_loops, causes)

    def _made_by(self, side: int, launch: LaunchedGroups) -> frozenset[object]:
        """The nodes whose values a launch makes; of a copy for a library call with that call."""
        schedule, copies = self._values.sides[side], self._values.copies[side]
        made = set[object]()
        for operation in launch.operations:
            copied = {
                (copies[name], self._values.held[side][name])
                for name in map(buffer, operation.outputs)
                if name in copies
            }
            # A copy of a value is not that value.
            nodes = schedule.made[operation.name] or schedule.computed[operation.name]
            made |= (
                copied
                or self._values.canonical(side, nodes)
                or {(side, operation.name)}
            )
        return frozenset(made)

    def _causes_of(
        self, launches: Sequence[tuple[int, LaunchedGroups]]
    ) -> Iterator[ValueDifference]:
        """Why there are more or fewer of these kernels and calls."""
        names = [
            (side, operation.name)
            for side, launch in launches
            for operation in launch.operations
        ]
        if len({side for side, _ in launches}) == 1:
            old, new = self._values.accesses
            made = dict.fromkeys(
                self._values.held[side][buffer(output)]
                for side, launch in launches
                for operation in launch.operations
                for output in operation.outputs
            )
            for value in made:
                of_value = old.get(value, ()), new.get(value, ())
                yield self._difference(value, 1, of_value, True, launched=True)
            return
        nodes = frozenset(
            (side, node)
            for side, name in names
            for node in self._values.computed_by(side, name)
        )
        yield ValueDifference(
            self._values.graph,
            1,
            "launched",
            self._values.operators(nodes),
            nodes,
            near=self._values.differing_operators(nodes),
            operations=frozenset(names),
            is_made=True,
        )

    def _without_alike(self, old: Sequence[Access], new: Sequence[Access]) -> _Accesses:
        """What reads a value, without the kernels that read as much of it on both sides and make a value in common."""
        rest, left = list(new), list[Access]()
        for access in old:
            alike = next(
                (
                    other
                    for other in rest
                    if other.nbytes == access.nbytes
                    and not self._values.made_in[0][access.kernel].isdisjoint(
                        self._values.made_in[1][other.kernel]
                    )
                ),
                None,
            )
            if alike is None:
                left.append(access)
            else:
                rest.remove(alike)
        return left, rest

    def _by_what_is_made(
        self, value: Value, accesses: _Accesses
    ) -> Iterator[_Accesses]:
        """What reads a value, first by kernels that make something of it that both sides make of it alike, and then by
        others: more of the first are no matter of what differs in a graph."""
        alike = self._made_alike(value)
        for is_alike in (True, False):
            old, new = (
                [
                    access
                    for access in of_side
                    if self._makes(side, access, alike) == is_alike
                ]
                for side, of_side in enumerate(accesses)
            )
            yield old, new

    def _makes(self, side: int, access: Access, nodes: frozenset[Node]) -> bool:
        """Whether operations of a kernel that access a value make that of any of these nodes."""
        made = self._values.made_by(side, access.operations)
        return not nodes.isdisjoint(self._values.canonical(side, made))

    def _made_alike(self, value: Value) -> frozenset[Node]:
        """What operations of both sides make of a value that compute no node that differs."""
        if value in self._alike:
            return self._alike[value]
        old, new = (
            self._values.canonical(
                side,
                self._values.made_by(
                    side,
                    (
                        operation
                        for operation in self._values.readers[side][value]
                        if self._values.differ[side].isdisjoint(
                            self._values.computed_by(side, operation.name)
                        )
                    ),
                ),
            )
            for side in (0, 1)
        )
        self._alike[value] = old & new
        return self._alike[value]

    def _difference(
        self,
        value: Value,
        amount: int,
        accesses: _Accesses,
        makes: bool,
        left: _Accesses | None = None,
        launched: bool = False,
    ) -> ValueDifference:
        """accesses: those that the amount is of. left: if they are a part, all in which the sides differ."""
        # How often a kernel is launched is no matter of how torch counts what it moves.
        counted = not launched and value in self._values.uncounted
        cause = _Cause("counted") if counted else self._cause(value, accesses, makes)
        kernels = [
            (side, self._values.shares[side][access.kernel].kernel)
            for side, access in self._otherwise(left or accesses)
        ]
        region = (
            self._values.region(cause.nodes) if cause.shown == "nodes" else frozenset()
        )
        using = set(kernels)
        if cause.shown == "stored":
            # What is computed on the way to a value may be why it is stored.
            using |= self._values.makers[value]
        every = {
            (side, self._values.shares[side][access.kernel].kernel)
            for side, of_value in enumerate(self._values.accesses)
            for access in of_value.get(value, ())
        }
        return ValueDifference(
            self._values.graph,
            amount,
            cause.shown,
            self._values.operators(cause.nodes) | cause.calls,
            cause.nodes,
            region,
            self._values.operators(region),
            self._differing_in(using),
            self._differing_in(every),
            any(self._uses_one_sided(*kernel) for kernel in kernels),
            any(self._uses_saved(*kernel) for kernel in kernels),
            frozenset(
                (side, operation.name)
                for side, of_side in enumerate(accesses)
                for access in of_side
                for operation in access.operations
            ).union(self._values.makers[value] if makes else ()),
            makes,
            is_awaited=not makes
            and all(access.waits for side in accesses for access in side),
        )

    def _cause(self, value: Value, accesses: _Accesses, makes: bool) -> _Cause:
        """Why more or fewer kernels make or read a value, or each of them moves more or less of it."""
        if (of_value := self._of_value(value)) is not None:
            return of_value
        if self._values.is_given_alone(value):
            return _Cause("saved", value.nodes)
        if value in self._values.one_sided or (makes and not all(accesses)):
            return self._of_storing(value)
        held = self._values.nodes_of(value)
        if makes:
            # More is made where more of several results are taken out.
            taken = frozenset(
                (side, reader)
                for side, node in held
                for reader in self._values.read_by[side][node]
                if self._values.takes_out_alone(side, reader)
            )
            return _Cause("nodes", taken) if taken else _Cause("accessed", held)
        reading = [
            [operation for access in of_side for operation in access.operations]
            for of_side in accesses
        ]
        copied = self._copied_for(reading)
        if len(copied.calls) == 1:
            return copied
        made = [
            self._values.made_by(side, self._values.readers[side][value])
            for side in (0, 1)
        ]
        called = [self._values.canonical(side, made[side]) for side in (0, 1)]
        read = (
            self._values.canonical(side, self._values.made_by(side, reading[side]))
            for side in (0, 1)
        )
        by_one_side = (called[0] ^ called[1]) & frozenset[Node]().union(*read)
        regrouped = len(accesses[0]) != len(accesses[1])
        alike = self._made_alike(value)
        all_alike = all(
            self._makes(side, access, alike)
            for side, of_side in enumerate(accesses)
            for access in of_side
        )
        if by_one_side and not (regrouped and all_alike):
            return self._of_reading(value, by_one_side, reading)
        # The same is made of it, whatever else is computed on the way.
        users = held.union((side, node) for side in (0, 1) for node in made[side])
        if regrouped:
            moving = self._moving_in(reading)
            # What a kernel computes that differs may be why it is a kernel of its own.
            if moving and not all_alike:
                return _Cause("nodes", moving)
            return _Cause("grouped", users)
        at_most = {sum(each.at_most for each in side) for side in accesses}
        differ = any(node in self._values.differ[side] for side, node in users)
        return _Cause(
            "counted" if len(at_most) == 1 and not differ else "accessed", users
        )

    def _of_value(self, value: Value) -> _Cause | None:
        """Why it is another value: it is a copy for a library, or only one side computes it."""
        calls = self._values.copied_for.get(value, frozenset())
        alone = frozenset(
            (side, node)
            for side, node in self._values.nodes_of(value)
            if node in self._values.alone[side]
        )
        if len(calls) == 1:
            return self._copied(
                [name for name in copies if held[name] == value]
                for held, copies in zip(
                    self._values.held, self._values.copies, strict=True
                )
            )
        if not self._values.uncounted_nodes.isdisjoint(
            alone | self._values.region(alone)
        ):
            return _Cause("counted")
        return _Cause("nodes", alone) if alone else None

    def _of_storing(self, value: Value) -> _Cause:
        """Why only one side has a value in memory, although both compute it."""
        held = self._values.nodes_of(value)
        saved = frozenset(
            (side, node)
            for side, node in held
            if node in self._values.returned_alone[side]
        )
        if saved:
            return _Cause("saved", saved)
        readers = [self._values.readers[side][value] for side in (0, 1)]
        copied = self._copied_for(readers)
        if len(copied.calls) == 1:
            return copied
        differ = frozenset(
            (side, reader)
            for side, node in held
            for reader in self._values.read_by[side][node] & self._values.moving[side]
        )
        if differ:
            return _Cause("nodes", differ)
        if value in self._values.one_sided:
            return _Cause("stored", held)
        # What a kernel keeps on one side is written on the other for those that read it there.
        old, new = (
            [access for access in side.get(value, ()) if not access.makes]
            for side in self._values.accesses
        )
        read = self._cause(value, (old, new), makes=False)
        if read.shown == "nodes":
            return read
        return _Cause(
            "grouped",
            held.union(
                (side, node)
                for side in (0, 1)
                for operation in readers[side]
                for node in self._values.computed_by(side, operation.name)
            ),
        )

    def _of_reading(
        self,
        value: Value,
        by_one_side: frozenset[Node],
        reading: Sequence[Sequence[Operation]],
    ) -> _Cause:
        """Why a value is read for others than before: what only one side has a buffer for is computed, on the other
        side, where it is read. by_one_side: what only one side makes of the value. reading: what reads it, by side."""
        causes = {
            self._of_value(each) or self._of_storing(each)
            for each in self._values.one_sided
            if not each.nodes.isdisjoint(by_one_side)
        }
        users = frozenset(
            (side, node)
            for side, operations in enumerate(reading)
            for operation in operations
            for node in self._values.computed_by(side, operation.name)
        )
        differ = self._moving_in(reading)
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
                for side, node in self._values.nodes_of(value)
                for reader in self._values.read_by[side][node]
            )
            return _Cause("nodes", direct or differ)
        return _Cause(
            "stored",
            frozenset(
                node for node in users if self._values.name(*node) in by_one_side
            ),
        )

    def _differing_in(self, kernels: Iterable[tuple[int, str]]) -> frozenset[str]:
        """The operators of the nodes that differ in these kernels, by side and name."""
        return self._values.differing_operators(
            (side, node)
            for side, kernel in kernels
            for node in self._values.computed_by(side, kernel)
        )

    def _moving_in(self, operations: Sequence[Sequence[Operation]]) -> frozenset[Node]:
        """The nodes that these operations of either side compute which may be why values are moved."""
        return frozenset(
            (side, node)
            for side, of_side in enumerate(operations)
            for operation in of_side
            for node in self._values.computed_by(side, operation.name)
            if node in self._values.moving[side]
        )

    def _otherwise(self, accesses: _Accesses) -> Iterator[tuple[int, Access]]:
        """The accesses, by side, without those by which both sides make the same."""
        made = [
            [
                self._values.canonical(
                    side, self._values.made_by(side, access.operations)
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

    def _copied_for(self, operations: Iterable[Sequence[Operation]]) -> _Cause:
        """That these operations of either side copy something for calls."""
        return self._copied(
            [buffer(output) for operation in of_side for output in operation.outputs]
            for of_side in operations
        )

    def _copied(self, buffers: Iterable[Iterable[str]]) -> _Cause:
        """That these buffers of either side are copies for calls, as far as they are."""
        calls, nodes = set[str](), set[Node]()
        for side, names in enumerate(buffers):
            copies = self._values.copies[side]
            copied = [name for name in names if name in copies]
            calls |= {copies[name] for name in copied}
            nodes |= self._values.calling_alone(side, copied)
        return _Cause("copied", frozenset(nodes), frozenset(calls))

    def _uses_one_sided(self, side: int, kernel: str) -> bool:
        """Whether a kernel uses what only its side has in a buffer, although both compute it."""
        return any(
            self._values.value(side, name) in self._stored
            for name in self._values.used[side][kernel]
        )

    @cached_property
    def _stored(self) -> set[Value]:
        """What only one side has in a buffer, although nothing that differs uses it."""
        return {
            value
            for value in self._values.one_sided
            if self._cause(value, ([], []), makes=True).shown == "stored"
        }

    def _uses_saved(self, side: int, kernel: str) -> bool:
        """Whether a kernel moves what only its side returns."""
        alone = self._values.returned_alone[side]
        return any(
            not alone.isdisjoint(self._values.sides[side].stored.get(name, (name,)))
            for name in self._values.used[side][kernel]
        )


def _nbytes(accesses: _Accesses) -> int:
    """By how many bytes more the new side is accessed."""
    old, new = (sum(access.nbytes for access in of_side) for of_side in accesses)
    return new - old
