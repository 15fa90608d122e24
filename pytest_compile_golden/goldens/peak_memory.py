"""Which buffers make the difference where a graph holds most: what it holds on one side there, and not on the other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from pytest_compile_golden.facts.costs import BufferLifetime, Liveness
from pytest_compile_golden.facts.schedules import Operation, Schedule, buffer
from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.formats.graphs.equivalence import Pairs
from pytest_compile_golden.formats.schedules import provenance
from pytest_compile_golden.formats.schedules.equivalence import SEVERAL
from pytest_compile_golden.goldens.compare_artifact import Compared
from pytest_compile_golden.goldens.consequences import base, prefix
from pytest_compile_golden.goldens.cost_facts import liveness


class PeakDifference(NamedTuple):
    """What one buffer adds to the memory that is held on the new side, and not on the old one."""

    nbytes: int
    operations: tuple[str | None, str | None]
    """The operations, on either side, that it is held for: that make it or, if both sides make the same, that read it
    last or make it together with others; none if it is held only because operations run in another order."""
    given: bool = False
    """Whether it is an input that the graph may free, and that only one side is given: what was saved for it."""
    written_over: frozenset[str] = frozenset()
    """The operators of what reads it last, if that writes over it on one side alone."""
    counted: bool = False
    """Whether both sides call the same, and only one has an operation that takes the result out, for which torch counts
    bytes again."""


def peak_differences(
    compared: Sequence[Compared], graph: str, side: int
) -> list[PeakDifference] | None:
    """How what a graph holds differs from the other side where it holds most on `side`, 0 for the old one; None if that
    is not known: evidence of both sides says what is held, and which nodes each operation was made of.

    The other side is looked at where it is at the same operation or, as operations may run in another order, where it
    holds most itself: where less is different.
    """
    sides = [_OneSide.of(compared, graph, number) for number in (0, 1)]
    here, there = sides[side], sides[1 - side]
    if here is None or there is None:
        return None
    places = {there.same_place(here, here.most), there.most}
    found = (list(_differences(here, there, place, side)) for place in sorted(places))
    return min(
        found, key=lambda differences: sum(abs(each.nbytes) for each in differences)
    )


def _differences(
    here: _OneSide, there: _OneSide, place: int, side: int
) -> Iterator[PeakDifference]:
    for key in dict.fromkeys([*here.buffers, *there.buffers]):
        one, other = here.buffers.get(key, ()), there.buffers.get(key, ())
        nbytes = sum(each.at(here.most) for each in one) - sum(
            each.at(place) for each in other
        )
        if nbytes:
            for_here, for_there = here.held_for(key, there), there.held_for(key, here)
            operations = (for_there, for_here) if side else (for_here, for_there)
            given = not (one and other) and operations == (None, None)
            counted = None not in operations and here.unpacks(
                for_here
            ) != there.unpacks(for_there)
            over = here.written_over_by(key), there.written_over_by(key)
            alone = bool(one and other) and not all(over)
            written_over = over[0] | over[1] if alone else frozenset[str]()
            yield PeakDifference(
                nbytes if side else -nbytes, operations, given, written_over, counted
            )


class _OneSide:
    """The memory and the operations of one graph on one side; buffers and operations by what both sides call alike."""

    def __init__(
        self,
        liveness: Liveness,
        sections: Sequence[Schedule],
        matched: Pairs,
        number: int,
    ) -> None:
        self.liveness = liveness
        names = (
            {new: old for old, new in matched.values.items()}
            if number
            else {old: old for old in matched.values}
        )
        self._operations = {
            operation.name: operation
            for section in sections
            for operation in section.operations
        }
        seen = Counter[Hashable]()
        self._keys: dict[str, Hashable] = {}
        for operation in self._all():
            nodes = operation.nodes or (operation.name,)
            named = frozenset(
                (names[node],) if node in names else (number, node) for node in nodes
            )
            key = named, operation.kind
            # A sum in two steps is two operations of one node.
            seen[key] += 1
            self._keys[operation.name] = key, seen[key]
        self._names = {key: name for name, key in self._keys.items()}
        self._makers = {
            buffer(output): operation.name
            for operation in self._all()
            for output in operation.outputs
        }
        self._step = {
            name: step
            for step, group in enumerate(liveness.steps)
            for name in group.split("_")
        }
        self._readers = defaultdict[str, list[str]](list)
        for operation in self._all():
            for read in operation.reads:
                self._readers[buffer(read)].append(operation.name)
        self.buffers = defaultdict[Hashable, list[BufferLifetime]](list)
        """By the operation that makes them, or for inputs by themselves."""
        for each in liveness.buffers:
            maker = self._maker(each.name)
            self.buffers[
                names.get(each.name, (number, each.name))
                if maker is None
                else self._keys[maker]
            ].append(each)

    @staticmethod
    def of(compared: Sequence[Compared], graph: str, number: int) -> _OneSide | None:
        """What is known of a graph on one side; None if it is not known what it holds, or what it was made of."""
        held, sections, matched = liveness(compared, graph, number), [], None
        for artifact in compared:
            label = graph.removeprefix(prefix(artifact))
            text, known = (artifact.old, artifact.new)[number], artifact.known[number]
            if artifact.stage == "scheduler_nodes":
                try:
                    schedules = provenance.read(text, known)
                except Unreadable:
                    return None
                sections += [each for each in schedules if each.label == label]
            if artifact.stage == "post_grad_graph":
                matched = artifact.graph_pairs.get(label, matched)
        operations = [
            operation for section in sections for operation in section.operations
        ]
        if (
            held is None
            or matched is None
            or not any(operation.nodes for operation in operations)
        ):
            return None
        return _OneSide(held, sections, matched, number)

    @cached_property
    def most(self) -> int:
        """The first step at which it holds most."""
        return max(range(len(self.liveness.steps)), key=self.liveness.total)

    def _all(self) -> Iterator[Operation]:
        return iter(self._operations.values())

    def same_place(self, other: _OneSide, step: int) -> int:
        """The step at which this side is where the other is at `step`: that of the last operation so far that both
        have."""
        for so_far in reversed(other.liveness.steps[: step + 1]):
            for name in reversed(so_far.split("_")):
                counterpart = self._names.get(other._keys.get(name))
                if counterpart in self._step:
                    return self._step[counterpart]
        return 0

    def held_for(self, key: Hashable, other: _OneSide) -> str | None:
        """The operation that a buffer is held for: see `PeakDifference`."""
        mine, others = self.buffers.get(key, ()), other.buffers.get(key, ())
        if not mine:
            return None
        sizes = [sum(each.made for each in side) for side in (mine, others)]
        if not others or sizes[0] != sizes[1]:
            return self._maker(mine[0].name)
        maker, last = self._maker(mine[0].name), self._last_reader(mine)
        others_maker, others_last = (
            other._maker(others[0].name),
            other._last_reader(others),
        )
        if self._runs_with(last) != other._runs_with(others_last):
            return last
        return (
            None if self._runs_with(maker) == other._runs_with(others_maker) else maker
        )

    def _maker(self, name: str) -> str | None:
        """The operation that makes a buffer; the call, of what is only taken out of its results."""
        maker = self._makers.get(name)
        if maker is not None and self._operations[maker].kind == "unpack":
            return self._makers.get(buffer(self._operations[maker].reads[0]))
        return maker

    def _runs_with(self, name: str | None) -> tuple[Hashable, frozenset[Hashable]]:
        """An operation, and all that run in the same step, by what both sides call alike."""
        step = self._step.get(name or "")
        group = () if step is None else self.liveness.steps[step].split("_")
        return self._keys.get(name or ""), frozenset(
            self._keys.get(each) for each in group
        )

    def _last_reader(self, buffers: Iterable[BufferLifetime]) -> str | None:
        readers = (reader for each in buffers for reader in self._readers[each.name])
        return max(readers, key=lambda reader: self._step.get(reader, -1), default=None)

    def written_over_by(self, key: Hashable) -> frozenset[str]:
        """The operators of what reads a buffer last, if that writes over it."""
        held = self.buffers.get(key, ())
        reader = self._last_reader(held)
        if reader is None or not any(
            each.last is not None and each.last < self._step.get(reader, -1)
            for each in held
        ):
            return frozenset()
        computes = self._operations[reader].computes
        return frozenset(base(each.operator) for each in computes)

    def unpacks(self, name: str | None) -> bool:
        """Whether what an operation makes is taken out of its results by others."""
        operation = self._operations.get(name or "")
        return operation is not None and any(
            SEVERAL in output for output in operation.outputs
        )
