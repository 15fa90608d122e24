"""The schedule of one graph on one side of a comparison, with the nodes that its operations were made of."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from msgspec.structs import replace

from pytest_compile_golden.facts.schedules import Group, Operation, Schedule, buffer
from pytest_compile_golden.formats.canonical_text import short
from pytest_compile_golden.formats.graphs.effects import is_neutral, is_view
from pytest_compile_golden.formats.graphs.printed import RESULT, PrintedNode
from pytest_compile_golden.formats.schedules.roles import called, copies
from pytest_compile_golden.goldens.consequences import base

_Ran = tuple[frozenset[frozenset[str]], int]
"""A group by the nodes of its operations, and how many such ran before it."""
_RUNS_NOTHING = frozenset({"nop", "unpack", "concat"})
"""Kinds of operations that only stand for memory."""
Block = dict[str, Operation]
"""The values that a kernel makes, as both sides call them, each with the operation that makes it."""


def operations_of(sections: Iterable[Schedule]) -> Iterator[Operation]:
    return (operation for section in sections for operation in section.operations)


class Does(NamedTuple):
    """What an operation does, as both sides call it."""

    kind: str
    nodes: frozenset[str | None]
    """Those that it computes."""
    reads: frozenset[str | None]
    """The values that it reads."""


class SideSchedule:
    """The schedule of one graph on one side."""

    def __init__(
        self, sections: list[Schedule], makers: Mapping[str, PrintedNode]
    ) -> None:
        self._sections = sections
        self._makers = makers
        self.operations = {
            operation.name: operation for operation in operations_of(sections)
        }
        calls = set(map(called, self.operations.values()))
        self._together = {
            name: every
            for section in sections
            for group in section.groups
            for every in [{operation.name for operation in group.operations}]
            for name in every
        }
        self._nodes: dict[str, set[str]] = {}
        """Those that each operation computes."""
        self._results: dict[str, set[str]] = {}
        """Those of them whose values it makes, not only computes on the way."""
        for name, operation in self.operations.items():
            nodes = [makers[node] for node in operation.nodes or () if node in makers]
            # torch says of what is made for a call that it computes the call.
            own = [
                node
                for node in nodes
                if operation.kind == "unpack"
                or called(operation)
                or short(node.target) not in calls
            ]
            self._nodes[name] = {node.name for node in own}
            results = self._nodes[name] - {read for node in own for read in node.reads}
            if len(operation.outputs) == 1:
                # Others are read through a view, which no operation computes: a graph lists a node after what it reads.
                results = {*[node for node in makers if node in results][-1:]}
            self._results[name] = set(map(self.same_value, results))

    @property
    def groups(self) -> list[Group]:
        return [group for section in self._sections for group in section.groups]

    def of(self, nodes: set[str]) -> set[str]:
        """The operations that were made of any of these nodes, or that only copy what a library call reads."""
        copied = {
            operation.name for operation, _ in copies([*self.operations.values()])
        }
        return copied | {
            name for name, own in self._nodes.items() if not own.isdisjoint(nodes)
        }

    def near(self, names: set[str]) -> set[str]:
        """These operations, and those that read what they make or make what they read."""
        made = {
            buffer(each) for name in names for each in self.operations[name].outputs
        }
        read = {buffer(each) for name in names for each in self.operations[name].reads}
        return names | {
            name
            for name, operation in self.operations.items()
            if not made.isdisjoint(map(buffer, operation.reads))
            or not read.isdisjoint(map(buffer, operation.outputs))
        }

    def accessing(self, buffers: set[str]) -> set[str]:
        """The operations that make or read any of these."""
        return {
            name
            for name, operation in self.operations.items()
            if not buffers.isdisjoint(
                map(buffer, (*operation.outputs, *operation.reads))
            )
        }

    def results(self, names: set[str]) -> set[str]:
        """The nodes whose values these operations make."""
        return {node for name in names for node in self._results[name]}

    def does(self, operation: Operation, names: Mapping[str, str]) -> Does:
        """What an operation does, by the names that `names` gives to values."""
        read = set(map(buffer, operation.reads))
        values = {node for each in read for node in self.stored.get(each, (each,))}
        return Does(
            operation.kind,
            frozenset(map(names.get, self._nodes[operation.name])),
            frozenset(map(names.get, values)),
        )

    @cached_property
    def stored(self) -> dict[str, set[str]]:
        """By buffer, the nodes whose values it holds; for a view, the node that it is a view of."""
        return {
            buffer(output): set(map(self.viewed, self._results[operation.name]))
            for operation in self.operations.values()
            for output in operation.outputs
        }

    @cached_property
    def written(self) -> dict[str, set[str]]:
        """The buffers that are written to memory, with what they hold: those that another group reads than the one that
        makes them, and those that the graph returns."""
        makers = {
            buffer(output): operation.name
            for operation in self.operations.values()
            for output in operation.outputs
        }
        read = {
            buffer(each)
            for name, operation in self.operations.items()
            for each in operation.reads
            if buffer(each) in makers
            and name not in self._together[makers[buffer(each)]]
        }
        returned = set(
            map(self.viewed, self._makers[RESULT].reads)
            if RESULT in self._makers
            else ()
        )
        return {
            each: nodes
            for each, nodes in self.stored.items()
            if each in read or not nodes.isdisjoint(returned)
        }

    @property
    def computed(self) -> Mapping[str, set[str]]:
        """By operation, the nodes that it computes."""
        return self._nodes

    @property
    def made(self) -> Mapping[str, set[str]]:
        """By operation, the nodes whose values it makes."""
        return self._results

    @cached_property
    def inlined(self) -> Mapping[str, set[str]]:
        """By operation, the nodes that it computes on the way to its results. torch says that it also computes what it
        reads, if a result is computed from that."""
        makers = {
            buffer(output): operation
            for operation in self.operations.values()
            for output in operation.outputs
        }
        read_before: dict[str, set[str]] = {}
        for name, operation in self.operations.items():
            read = set(map(buffer, operation.reads))
            of_makers = (
                read_before.get(makers[each].name, set())
                for each in read
                if each in makers
            )
            read_before[name] = read.union(*of_makers)
        return {
            name: own
            - self._results[name]
            - {node for read in read_before[name] for node in self.stored.get(read, ())}
            for name, own in self._nodes.items()
        }

    def computed_from(self, nodes: set[str], until: Collection[str]) -> set[str]:
        """These nodes, and all that are computed from them, up to those in `until`."""
        found, ends = set(nodes), {*until}
        passed_on = found - ends
        for name, made in self._makers.items():
            if not passed_on.isdisjoint(made.reads):
                found.add(name)
                if name not in ends:
                    passed_on.add(name)
        return found

    def outside_kernels(self) -> set[str]:
        """The nodes that operations compute which are no kernel's, or whose values these read."""
        outside = {
            name
            for name, operation in self.operations.items()
            if called(operation) or operation.kind in _RUNS_NOTHING
        }
        read = {
            buffer(read) for name in outside for read in self.operations[name].reads
        }
        # Of what a call is given, torch says that the call computes it.
        in_kernels = {
            node
            for name, nodes in self._nodes.items()
            if name not in outside
            for node in nodes
        }
        computed = {node for name in outside for node in self._nodes[name]}
        return (computed - in_kernels) | {
            node for name in read for node in self.stored.get(name, ())
        }

    def read_by(self, nodes: set[str]) -> Iterator[tuple[str, str]]:
        """The nodes whose values these read, each with the operator that does; for a view, the node that it is of."""
        for node in nodes:
            if node in self._makers:
                made = self._makers[node]
                for read in made.reads:
                    yield self.viewed(read), base(made.target)

    def used_by(self, names: Mapping[str, str]) -> Mapping[str, set[str]]:
        """By node, as `names` calls it, the operations that read its value or compute it on the way to others."""
        users = defaultdict[str, set[str]](set)
        for name, operation in self.operations.items():
            used = self.computed[name] - self.made[name]
            for read in operation.reads:
                used |= self.stored.get(buffer(read), set())
            for node in used & names.keys():
                users[names[node]].add(name)
        return users

    def around(self, operators: Collection[str]) -> set[str]:
        """The nodes that call any of these operators, those whose values these read, and those that read theirs."""
        nodes = {
            name
            for name, node in self._makers.items()
            if base(node.target) in operators
        }
        return (
            nodes
            | {read for read, _ in self.read_by(nodes)}
            | {
                name
                for name in self._makers
                if any(read in nodes for read, _ in self.read_by({name}))
            }
        )

    def viewed(self, node: str) -> str:
        """The node that this is a view of, or the node itself."""
        while (node := self.same_value(node)) in self._makers:
            if not (is_view(self._makers[node].target) and self._makers[node].reads):
                break
            node = self._makers[node].reads[0]
        return node

    def same_value(self, node: str) -> str:
        """The node whose value this one only returns, as `x * 1` does, or the node itself."""
        return self._same_values.get(node, node)

    @cached_property
    def _same_values(self) -> dict[str, str]:
        found: dict[str, str] = {}
        # A graph lists a node after what it reads.
        for name, node in self._makers.items():
            if is_neutral(node.text):
                of = self._makers.get(node.reads[0])
                if of is not None and of.type == node.type:
                    found[name] = found.get(of.name, of.name)
        return found

    def making(self, nodes: set[str]) -> set[str]:
        """The operations that make the values of these nodes."""
        return {
            name
            for name, results in self._results.items()
            if not results.isdisjoint(nodes)
        }

    def ran(
        self, differ: set[str], twins: Mapping[str, str]
    ) -> Iterator[tuple[_Ran, str | None]]:
        """The groups in the order in which they run, each with its kernel, if it is one, without those of nodes that
        differ or that `twins`, which names nodes as both sides do, does not have."""
        times = Counter[object]()
        for section in self._sections:
            for group in section.groups:
                nodes = [self._nodes[op.name] for op in group.operations]
                if (
                    group.kind in _RUNS_NOTHING
                    or not all(nodes)
                    or not all(
                        each.isdisjoint(differ) and each <= twins.keys()
                        for each in nodes
                    )
                ):
                    continue
                made_of = frozenset(
                    frozenset(twins[node] for node in each) for each in nodes
                )
                yield (made_of, times[made_of]), group.kernel
                times[made_of] += 1

    def accessed(
        self, operation: Operation, names: Mapping[str, str]
    ) -> set[str | None]:
        """The values that the kernel of an operation makes or reads, by the names that `names` gives them."""
        found = set[str | None]()
        for name in self._together[operation.name]:
            found |= self.does(self.operations[name], names).reads
            found |= {names.get(node) for node in self._results[name]}
        return found - {None}

    def kernels(self, names: Mapping[str, str]) -> list[Block]:
        """What each kernel makes of the values that `names` names as both sides do."""
        return [
            {
                names[node]: operation
                for operation in group.operations
                for node in self._results[operation.name]
                if node in names
            }
            for section in self._sections
            for group in section.groups
            if group.kind not in _RUNS_NOTHING
            and not any(map(called, group.operations))
        ]

    def without(self, names: set[str]) -> list[Schedule]:
        """The schedule without these operations, and each of the others in a group of its own."""

        return [
            replace(
                section,
                groups=tuple(
                    Group(group.kind, (operation,))
                    for group in section.groups
                    for operation in group.operations
                    if operation.name not in names
                ),
                apart=(),
            )
            for section in self._sections
        ]
