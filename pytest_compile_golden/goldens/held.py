"""Which buffers make the difference where a graph holds most: what it holds on one side there, and not on the other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from pytest_compile_golden.facts.costs import Held, HeldBuffer
from pytest_compile_golden.facts.schedules import Operation, Schedule, buffer
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.costs import COST
from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.formats.graph.equivalence import Pairs
from pytest_compile_golden.formats.schedule import provenance
from pytest_compile_golden.goldens.compare import Compared
from pytest_compile_golden.goldens.subjects import prefix


class HeldDifference(NamedTuple):
    """What one buffer adds to the memory that is held on the new side, and not on the old one."""

    nbytes: int
    operations: tuple[str | None, str | None]
    """The operations, on either side, that it is held for: that make it, or that read it last if both sides make the
    same; none if it is held longer only because operations run in another order."""
    given: bool = False
    """Whether it is an input that the graph may free, and that only one side is given: what was saved for it."""


def held_differences(compared: Sequence[Compared], graph: str, side: int) -> list[HeldDifference] | None:
    """How what a graph holds differs from the other side where it holds most on `side`, 0 for the old one; None if that
    is not known: evidence of both sides says what is held, and which nodes each operation was made of.

    The other side is looked at where it is at the same operation or, as operations may run in another order, where it
    holds most itself: where less is different.
    """
    sides = [_HeldSide.of(compared, graph, number) for number in (0, 1)]
    here, there = sides[side], sides[1 - side]
    if here is None or there is None:
        return None
    places = {there.same_place(here, here.most), there.most}
    found = (list(_differences(here, there, place, side)) for place in sorted(places))
    return min(found, key=lambda differences: sum(abs(each.nbytes) for each in differences))


def _differences(here: _HeldSide, there: _HeldSide, place: int, side: int) -> Iterator[HeldDifference]:
    for key in dict.fromkeys([*here.buffers, *there.buffers]):
        one, other = here.buffers.get(key), there.buffers.get(key)
        nbytes = (one.at(here.most) if one else 0) - (other.at(place) if other else 0)
        if nbytes:
            for_here, for_there = here.held_for(key, there), there.held_for(key, here)
            operations = (for_there, for_here) if side else (for_here, for_there)
            given = (one is None or other is None) and operations == (None, None)
            yield HeldDifference(nbytes if side else -nbytes, operations, given)


class _HeldSide:
    """The memory and the operations of one graph on one side; buffers and operations by what both sides call alike."""

    def __init__(self, held: Held, sections: Sequence[Schedule], matched: Pairs, number: int) -> None:
        self.held = held
        names = {new: old for old, new in matched.values.items()} if number else {old: old for old in matched.values}
        self._operations = {operation.name: operation for section in sections for operation in section.operations}
        seen = Counter[Hashable]()
        self._keys: dict[str, Hashable] = {}
        makers: dict[str, Hashable] = {}
        for operation in self._operations.values():
            nodes = operation.nodes or (operation.name,)
            key = frozenset((names[node],) if node in names else (number, node) for node in nodes)
            # A sum in two steps is two operations of one node.
            seen[key] += 1
            self._keys[operation.name] = key, seen[key]
            for place, output in enumerate(operation.outputs):
                makers[buffer(output)] = key, seen[key], place
        self._names = {key: name for name, key in self._keys.items()}
        self._makers = {buffer(output): operation.name for operation in self._all() for output in operation.outputs}
        self._step = {name: step for step, group in enumerate(held.steps) for name in group.split("_")}
        self._readers = defaultdict[str, list[str]](list)
        for operation in self._all():
            for read in operation.reads:
                self._readers[buffer(read)].append(operation.name)
        self.buffers: dict[Hashable, HeldBuffer] = {
            makers.get(each.name, names.get(each.name, (number, each.name))): each for each in held.buffers
        }

    @staticmethod
    def of(compared: Sequence[Compared], graph: str, number: int) -> _HeldSide | None:
        """What is known of a graph on one side; None if it is not known what it holds, or what it was made of."""
        held, sections, matched = None, [], None
        for artifact in compared:
            label = graph.removeprefix(prefix(artifact))
            text, known = (artifact.old, artifact.new)[number], artifact.known[number]
            try:
                if artifact.stage == "cost":
                    facts: list[Held] = evidence.read(known, text, Held)
                    peak = next((each.peak_memory for each in COST.read(text) if each.name == label), None)
                    held = next((each for each in facts if each.graph == label and each.most == peak), held)
                elif artifact.stage == "scheduler_nodes":
                    sections += [each for each in provenance.read(text, known) if each.label == label]
            except Unreadable:
                return None
            if artifact.stage == "post_grad_graph":
                matched = artifact.graph_pairs.get(label, matched)
        operations = [operation for section in sections for operation in section.operations]
        if held is None or matched is None or not any(operation.nodes for operation in operations):
            return None
        return _HeldSide(held, sections, matched, number)

    @cached_property
    def most(self) -> int:
        """The first step at which it holds most."""
        return max(range(len(self.held.steps)), key=self.held.total)

    def _all(self) -> Iterator[Operation]:
        return iter(self._operations.values())

    def same_place(self, other: _HeldSide, step: int) -> int:
        """The step at which this side is where the other is at `step`: that of the last operation so far that both
        have."""
        for so_far in reversed(other.held.steps[: step + 1]):
            for name in reversed(so_far.split("_")):
                counterpart = self._names.get(other._keys.get(name))
                if counterpart in self._step:
                    return self._step[counterpart]
        return 0

    def held_for(self, key: Hashable, other: _HeldSide) -> str | None:
        """The operation that a buffer is held for: see `HeldDifference`."""
        mine, others = self.buffers.get(key), other.buffers.get(key)
        if mine is None:
            return None
        if others is None or (mine.made, mine.freed) != (others.made, others.freed):
            return self._makers.get(mine.name)
        last, others_last = self._last_reader(mine.name), other._last_reader(others.name)
        same = self._keys.get(last or "") == other._keys.get(others_last or "")
        return None if same else last

    def _last_reader(self, name: str) -> str | None:
        return max(self._readers[name], key=lambda reader: self._step.get(reader, -1), default=None)
