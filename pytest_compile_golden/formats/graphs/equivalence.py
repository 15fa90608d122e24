"""Whether graphs that differ are the same graph, written differently; which nodes of two graphs are counterparts.

A node's name is no clue: torch derives it from the operator and a count, so that one node more renames the rest. Nodes
are therefore matched by what they compute from the graph's inputs, which a hash per node says.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter
from typing import TypeVar

from pytest_compile_golden.formats.arithmetic import of_sizes
from pytest_compile_golden.formats.canonical_text import (
    arguments,
    short,
    sizes_by_appearance,
    with_sizes,
)
from pytest_compile_golden.formats.graphs.form import form, nodes_from_the_front
from pytest_compile_golden.formats.graphs.printed import (
    CALL,
    RESULT,
    GraphLine,
    PrintedGraph,
    PrintedNode,
    holes,
)

# Tensor operators without a factor for one operand, and arithmetic of symbolic sizes.
COMMUTATIVE = frozenset(
    f"aten.{name}"
    for name in (
        "add.Tensor",
        "mul.Tensor",
        "eq.Tensor",
        "ne.Tensor",
        "maximum.default",
        "minimum.default",
        *(f"bitwise_{name}.Tensor" for name in ("and", "or", "xor")),
        *(f"logical_{name}.default" for name in ("and", "or", "xor")),
    )
) | {"operator.add", "operator.mul"}
# What later torches give higher-order operators besides, beside what is off already: `(full, None, None, mask)`.
_OFF = re.compile(r"(?<=\bNone)(?:, None)+|(?:, None)+(?=,?\))")
# What functions of Dynamo's own are given as a tuple since torch 2.13: `(getitem,)`.
_ALONE = re.compile(r"\((\w+),\)")
_ARGUMENT = re.compile(r"[^\s,()]+")
_LISTS = re.compile(r"(?<=\[)[^\[\]]+(?=\])|(?<=^Sym\().+(?=\)$)")

_MOST_PAIRS = 10_000
"""Of equal nodes, that are compared by what reads them."""

T = TypeVar("T", bound=Hashable)


def same_graphs(old: Sequence[PrintedGraph], new: Sequence[PrintedGraph]) -> bool:
    """Whether two artifacts are different graphs that compute the same, node by node.

    Ignored are the order of operands where it does not matter, how an expression of sizes is written, where torch
    keeps an operator, whether Dynamo gives its own functions a value or a tuple of it, and how many None higher-order
    operators are given in a row, or after everything else.
    """
    before, after = (
        form([_evened(function) for function in side]) for side in (old, new)
    )
    return before == after and form(old) != form(new) and not _off_elsewhere(old, new)


def _off_elsewhere(old: Sequence[PrintedGraph], new: Sequence[PrintedGraph]) -> bool:
    """Whether a higher-order operator that is given as much as before has None in other places."""

    def off(graphs: Sequence[PrintedGraph]) -> list[list[bool]]:
        """For each call of such an operator, which of its arguments are None."""
        calls = [
            line.call
            for graph in graphs
            for line in graph.lines
            if line.call.startswith("higher_order.")
        ]
        return [
            [argument == "None" for argument in _ARGUMENT.findall(call)]
            for call in calls
        ]

    return any(
        len(was) == len(now) and was != now
        for was, now in zip(off(old), off(new), strict=False)
    )


def _evened(function: PrintedGraph) -> PrintedGraph:
    """The graph in the one spelling that all its spellings share."""
    sizes = sizes_by_appearance(argument.type for argument in function.inputs)
    # How each value is computed, in that spelling: otherwise, operands would be ordered by what is spelled otherwise.
    keys = {argument.name: index for index, argument in enumerate(function.inputs)}
    lines: list[GraphLine] = []
    for line in function.lines:
        call = line.call if line.is_result else _called(line, keys)
        text, reads = holes(call, function.values)
        keys[line.name] = hash((text, *(keys.get(name, name) for name in reads)))
        lines.append(replace(line, type=_type(line.type, sizes), call=call))
    inputs = (
        replace(argument, type=_type(argument.type, sizes))
        for argument in function.inputs
    )
    return replace(function, inputs=tuple(inputs), lines=tuple(lines))


def _called(line: GraphLine, keys: dict[str, int]) -> str:
    call = CALL.match(line.call)
    if call is None:
        return line.call
    target, inside = call.groups()
    if target.startswith("higher_order."):
        return f"{target}({_OFF.sub('', _OFF.sub('', f'{inside})'))}"
    if target.startswith("torch._dynamo."):
        inside = _ALONE.sub(lambda alone: alone[1], inside)
    operands = list(arguments(inside))
    if target in COMMUTATIVE and len(operands) == 2 and keys.keys() >= set(operands):
        inside = ", ".join(sorted(operands, key=keys.__getitem__))
    # Overloads of one operator may compute otherwise.
    return f"{target if target.startswith('aten.') else short(target)}({inside})"


def _type(text: str, sizes: dict[str, str]) -> str:
    return _LISTS.sub(
        lambda match: ", ".join(map(of_sizes, arguments(match[0]))),
        with_sizes(text, sizes),
    )


@dataclass
class Pairs:
    """Nodes of an old and a new graph, as far as they have counterparts, in the order of the old one."""

    nodes: list[tuple[PrintedNode, PrintedNode]] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)
    """The counterpart of each input and result of the old graph."""
    makers: tuple[dict[str, PrintedNode], dict[str, PrintedNode]] = field(
        default_factory=lambda: ({}, {})
    )
    """The node that makes each value, on both sides; inputs have none."""

    def reconnected(
        self, old: PrintedNode, new: PrintedNode
    ) -> Iterator[tuple[str, str]]:
        """The values that a node reads instead of others, each with the one that it read before."""
        if len(old.reads) == len(new.reads):
            yield from (
                (was, now)
                for was, now in zip(old.reads, new.reads, strict=True)
                if self.values.get(was) != now
            )

    @cached_property
    def differ(self) -> tuple[set[str], set[str]]:
        """The nodes of each side that have no counterpart, or one with another type or other arguments, or one that
        reads other values; the result is a node, too."""
        paired = [{pair[side].name for pair in self.nodes} for side in (0, 1)]
        differ = self.makers[0].keys() - paired[0], self.makers[1].keys() - paired[1]
        for before, after in self.nodes:
            if (before.type, before.text) != (after.type, after.text) or any(
                self.reconnected(before, after)
            ):
                differ[0].add(before.name)
                differ[1].add(after.name)
        return differ

    @cached_property
    def returned_alone(self) -> tuple[set[str], set[str]]:
        """The values that only one side returns."""
        old, new = (
            {
                name
                for node in makers.values()
                if node.name == RESULT
                for name in node.reads
            }
            for makers in self.makers
        )
        both = {self.values.get(name) for name in old}
        return {name for name in old if self.values.get(name) not in new}, new - both

    @property
    def differ_or_returned(self) -> tuple[set[str], set[str]]:
        """The nodes of each side that differ, and those of which only this side returns the results."""
        (old, new), (was, now) = self.differ, self.returned_alone
        return old | was, new | now

    @property
    def names_of_both(self) -> tuple[dict[str, str], dict[str, str]]:
        """What both sides call each of their values that has a counterpart: by its name on the old side."""
        return (
            {old: old for old in self.values},
            {new: old for old, new in self.values.items()},
        )

    @cached_property
    def repeats(self) -> tuple[dict[str, str], dict[str, str]]:
        """The nodes of each side that compute what another node of that side does, one that is the same on both sides
        if there is such a one; with that one."""
        found: tuple[dict[str, str], dict[str, str]] = {}, {}
        for makers, differ, equal in zip(self.makers, self.differ, found, strict=True):
            first: dict[Hashable, str] = {}
            for node in sorted(makers.values(), key=lambda node: node.name in differ):
                if not node.reads or node.name == RESULT:
                    continue
                reads = (equal.get(read, read) for read in node.reads)
                other = first.setdefault((node.type, node.text, *reads), node.name)
                if other != node.name:
                    equal[node.name] = other
        return found

    @cached_property
    def doubled(self) -> tuple[dict[str, str], dict[str, str]]:
        """The nodes of each side that differ, and compute what another node of that side does which is the same on both
        sides; with that one."""
        old, new = (
            {
                name: other
                for name, other in repeats.items()
                if name in differ and other not in differ
            }
            for repeats, differ in zip(self.repeats, self.differ, strict=True)
        )
        return old, new

    @property
    def changed(self) -> Iterator[set[tuple[int, str]]]:
        """Each node that differs, by side and name, with its counterpart and those that differ among the nodes that it
        reads; nodes of which only one side has each, and that read the same; and results that are returned in each
        other's place."""
        differ = [names - {RESULT} for names in self.differ]
        readers: dict[str | None, set[tuple[int, str]]] = {}
        paired = {before.name: after.name for before, after in self.nodes}
        for name in differ[0] - paired.keys():
            for read in self.makers[0][name].reads:
                readers.setdefault(self.values.get(read), set()).add((0, name))
        for name in differ[1].difference(paired.values()):
            yield from (
                readers[read] | {(1, name)}
                for read in self.makers[1][name].reads
                if read in readers
            )
        for before, after in self.nodes:
            if before.name == RESULT:
                yield from (
                    {(0, was), (1, now)} for was, now in self.reconnected(before, after)
                )
            elif before.name in differ[0]:
                yield {(0, before.name), (1, after.name)}
        for side, names in enumerate(differ):
            for name in names:
                yield {
                    (side, value)
                    for value in (name, *self.makers[side][name].reads)
                    if value in names
                }

    def made_by(self, side: int, value: str) -> PrintedNode | None:
        """The node that a value comes from, looking through what takes one result out of several; None for an input."""
        node = self.makers[side].get(value)
        while (
            node is not None and node.is_element and node.reads[0] in self.makers[side]
        ):
            node = self.makers[side][node.reads[0]]
        return node


def pairs(old: PrintedGraph, new: PrintedGraph) -> Pairs:
    """Nodes that are computed alike from the inputs are counterparts; of the others, those with the same call that read
    most of the same, and then those that call the same operator."""
    # Which end a program counts a dimension from makes no difference.
    every = nodes_from_the_front(old), nodes_from_the_front(new)
    found = Pairs(
        makers=(
            {node.name: node for node in every[0]},
            {node.name: node for node in every[1]},
        )
    )
    found.values.update(_inputs(old, new))
    # First, nodes that compute the same from the same inputs. Several on one side may do that: they pair up in order,
    # or, if there are fewer on the other side, with those that are read by the same.
    before = {argument.name: index for index, argument in enumerate(old.inputs)}
    after: dict[str, int] = {now: before[was] for was, now in found.values.items()}
    for argument in new.inputs:
        after.setdefault(argument.name, len(before) + len(after))
    keys = [_keys(every[0], before), _keys(every[1], after)]
    alike: dict[int, tuple[list[PrintedNode], list[PrintedNode]]] = {}
    for side, nodes in enumerate(every):
        for node in nodes:
            alike.setdefault(keys[side][node.name], ([], []))[side].append(node)
    partners: dict[str, PrintedNode] = {}
    for both in alike.values():
        for node, other in _most_alike(both, found.makers):
            partners[node.name] = other
            found.values[node.name] = other.name
    # Then the others. A change makes every node after it compute something else, so for these what they read decides:
    # the pairs found so far say which values are counterparts, and each new pair helps the ones that read it.
    named = {other.name for other in partners.values()}
    left = {node.name for node in every[1]} - named
    for alike_in in (("target", "text"), ("target",)):
        call = attrgetter(*alike_in)
        candidates: dict[object, list[PrintedNode]] = {}
        for node in every[1]:
            if node.name in left:
                candidates.setdefault(call(node), []).append(node)
        for node in every[0]:
            if node.name not in partners and (several := candidates.get(call(node))):
                # Most often the first reads the same, so that not all need to be asked.
                reading_alike = (
                    other
                    for other in several
                    if not any(found.reconnected(node, other))
                )
                best = next(reading_alike, None)
                if best is None and node.is_element:
                    continue  # one result of several is that of no other operator
                best = best or min(
                    several, key=lambda other: len(list(found.reconnected(node, other)))
                )
                several.remove(best)
                left.remove(best.name)
                partners[node.name] = best
                found.values[node.name] = best.name
    found.nodes = [
        (node, partners[node.name]) for node in every[0] if node.name in partners
    ]
    return found


def _most_alike(
    several: tuple[list[PrintedNode], list[PrintedNode]],
    makers: tuple[Mapping[str, PrintedNode], Mapping[str, PrintedNode]],
) -> Iterator[tuple[PrintedNode, PrintedNode]]:
    """Nodes of both sides that all compute the same, with their counterparts, as many as there are on both."""
    old, new = several
    # Of very many, such as constants, each would be compared with each.
    if len(old) == len(new) or not 0 < len(old) * len(new) <= _MOST_PAIRS:
        yield from zip(old, new, strict=False)
        return
    read_by = [
        _readers(nodes, side) for nodes, side in zip(several, makers, strict=True)
    ]
    fewer = 0 if len(old) < len(new) else 1
    left = list(several[1 - fewer])
    for node in several[fewer]:
        best = max(
            left,
            key=lambda other: (
                read_by[fewer][node.name] & read_by[1 - fewer][other.name]
            ).total(),
        )
        left.remove(best)
        yield (best, node) if fewer else (node, best)


def _readers(
    nodes: Iterable[PrintedNode], makers: Mapping[str, PrintedNode]
) -> dict[str, Counter[str]]:
    """The calls that read each of these nodes, looking through what takes one result out of several."""
    found = {node.name: Counter[str]() for node in nodes}
    of = {name: name for name in found}
    for node in makers.values():
        for read in node.reads:
            if read in of and node.is_element:
                of[node.name] = of[read]
            elif read in of:
                found[of[read]][node.text] += 1
    return found


def independent(found: Iterable[Pairs], operators: Iterable[str]) -> list[set[str]]:
    """Operators, those together that have to do with each other: a node of one reads a node of the other, or what
    stands in its place, be it through nodes that differ themselves."""
    alone = set(operators)
    called = [{name} for name in operators]
    for graph in found:
        for part in joined(graph.changed):
            nodes = (graph.makers[side].get(value) for side, value in part)
            called.append({node.target for node in nodes if node is not None} & alone)
    return joined(called)


def joined(sets: Iterable[set[T]]) -> list[set[T]]:
    """The sets, with those that have anything in common as one."""
    # Union-find with plain sets: the smaller parts are merged into the largest, so that no member moves often.
    part_of: dict[T, set[T]] = {}
    for each in sets:
        parts = {
            id(part): part
            for part in (part_of.get(member, {member}) for member in each)
        }
        largest = max(parts.values(), key=len, default=each)
        for part in parts.values():
            if part is not largest:
                largest |= part
                part_of.update(dict.fromkeys(part, largest))
        part_of.update(dict.fromkeys(each, largest))
    return list({id(part): part for part in part_of.values()}.values())


def _inputs(old: PrintedGraph, new: PrintedGraph) -> Iterator[tuple[str, str]]:
    """The inputs of both graphs that are counterparts: those with one name and type, as a backward is given others in
    the same places, if forward saves others. Of the rest, those of one type in order, as a graph may have the same
    inputs in another order; all in order, if there are as many, but of other types."""
    both = {*old.inputs} & {*new.inputs}
    yield from (
        (argument.name, argument.name) for argument in old.inputs if argument in both
    )
    rest = [
        [argument for argument in side.inputs if argument not in both]
        for side in (old, new)
    ]
    types = [Counter(argument.type for argument in side) for side in rest]
    by_type = len(rest[0]) != len(rest[1]) or types[0] == types[1]
    left: dict[str, deque[str]] = {}
    for argument in rest[1]:
        left.setdefault(argument.type if by_type else "", deque()).append(argument.name)
    for argument in rest[0]:
        if several := left.get(argument.type if by_type else ""):
            yield argument.name, several.popleft()


def _keys(nodes: Iterable[PrintedNode], inputs: Mapping[str, int]) -> dict[str, int]:
    """For each value, a hash of how it is computed from the inputs, of which each is known by a number."""
    # Graphs list nodes after what they read, so that one pass suffices. The hashes are compared within this process
    # only: Python salts those of strings.
    keys = dict(inputs)
    for node in nodes:
        keys[node.name] = hash(
            (node.text, *(keys.get(name, name) for name in node.reads))
        )
    return keys
