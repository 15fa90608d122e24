"""Operations and groups of the scheduler; the text is the one that `stages/schedule.py` writes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.stages.canonical.digest import digest
from pytest_compile_golden.stages.canonical.text import arguments, plain, sizes_by_place, with_sizes

_GROUP = re.compile(r"  group \d+: (.+)$")
_OP_OR_BUFFER = re.compile(r"(?<![A-Za-z0-9])(op|buf)(\d+)(?![A-Za-z0-9])")
_NUMBERED = re.compile(r"(?:op|buf)#\d+")
_NO_GROUP = ""
_OPERAND = re.compile(r"(\bops\.\w+\(')(\w+)(?=')")
_ASSIGNED = re.compile(r"(\w+) = ")
_WORD = re.compile(r"'[^']*'|(?<![\w.])[A-Za-z_]\w*(?!\w*\()")
_ACCESS = re.compile(r"(\w+)(.*)$")


@dataclass
class Operation:
    """One scheduler node; inputs and origins are kept by whom they go to, not by name."""

    kind: str
    outputs: list[str] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)


@dataclass
class Graph:
    """The groups of one graph."""

    label: str
    groups: list[tuple[str, list[Operation]]] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)
    """What was tuned."""
    apart: list[str] = field(default_factory=list)
    """Pairs that did not fuse."""
    origins: dict[str, list[int]] = field(default_factory=dict)
    """For each FX node the operations that it went into."""
    inputs: dict[str, list[tuple[int, Hashable, str]]] = field(default_factory=dict)
    """For each graph input where it is used."""


def schedule(text: str) -> Hashable:
    """Groups in their order: operations and buffers by place, inputs and FX nodes by where they are used.

    Before fusion there are no groups, and the order of operations does not count.
    """
    try:
        graphs = read(text)
    except ValueError:
        return plain(text)
    return tuple(_form(graph) for graph in graphs)


def _form(graph: Graph) -> Hashable:
    if [kind for kind, _ in graph.groups] == [_NO_GROUP]:
        return _unordered(graph)
    groups = tuple(
        (kind, tuple((op.kind, *map(tuple, (op.outputs, op.reads, op.writes, op.body))) for op in operations))
        for kind, operations in graph.groups
    )
    origins = Counter(map(tuple, graph.origins.values()))
    inputs = Counter(map(tuple, graph.inputs.values()))
    return (
        graph.label,
        groups,
        tuple(graph.rest),
        tuple(sorted(graph.apart)),
        frozenset(origins.items()),
        frozenset(inputs.items()),
    )


def _unordered(graph: Graph) -> Hashable:
    """Operations before fusion: by what they compute of what. The scheduler is still to order them."""
    operations = graph.groups[0][1]
    made: dict[str, str] = {}
    keys: list[str] = []
    for op in operations:
        own = {found[0]: f"own {place}" for place, each in enumerate(op.outputs) if (found := _NUMBERED.match(each))}

        def plainly(text: str, own: dict[str, str] = own) -> str:
            return _NUMBERED.sub(lambda found: own.get(found[0]) or made.get(found[0], "itself"), text)

        lines = (op.kind, op.outputs, op.writes, op.body)
        form = [plainly(each) if isinstance(each, str) else tuple(map(plainly, each)) for each in lines]
        keys.append(digest((*form, tuple(sorted(map(plainly, op.reads))))))
        made.update({name: f"{keys[-1]} {place}" for name, place in own.items()})

    def used(places: Iterable[int]) -> tuple[str, ...]:
        return tuple(sorted(keys[place - 1] for place in places))

    origins = Counter(map(used, graph.origins.values()))
    inputs = Counter(
        tuple(sorted((keys[place - 1], str(role), index) for place, role, index in uses))
        for uses in graph.inputs.values()
    )
    return graph.label, tuple(sorted(keys)), frozenset(origins.items()), frozenset(inputs.items())


def read(text: str) -> list[Graph]:
    """Take an artifact apart. Raises ValueError for a line that our printer does not write."""
    graphs: list[Graph] = []
    reader: _Reader | None = None
    for line in split_lines(with_sizes(text, sizes_by_place([text]))):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not line.startswith(" "):
            graphs.append(Graph(line))
            reader = _Reader(graphs[-1])
        elif reader is None:
            raise ValueError(line)
        else:
            reader.line(line)
    for graph in graphs:
        for _, operations in graph.groups:
            for op in operations:
                op.body[:] = _renamed(op.body)
    return graphs


class _Reader:
    """Reads the lines of one graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.section = ""
        self.place = 0
        """How many operations there were so far."""
        self.names: dict[str, str] = {}
        self.counts = {"op": 0, "buf": 0}

    def line(self, line: str) -> None:
        text = line.strip()
        if group := _GROUP.match(line):
            self.graph.groups.append((group[1], []))
            self.section = "group"
        elif line == "  not fused:":
            self.section = "apart"
        elif line.startswith("  autotuned"):
            self.section = "rest"
            self.graph.rest.append(text)
        elif self.section == "apart":
            # Which pair, not torch's words for why.
            self.graph.apart.append(self.numbered(text.partition(": ")[0]))
        elif self.section == "rest":
            self.graph.rest.append(text)
        elif len(line) - len(text) == (4 if self.section == "group" else 2):
            if not self.graph.groups:  # before fusion there are none
                self.graph.groups.append((_NO_GROUP, []))
            self.place += 1
            self.graph.groups[-1][1].append(Operation(self.numbered(text)))
        elif self.place:
            self.detail(self.graph.groups[-1][1][-1], text)
        else:
            raise ValueError(line)

    def detail(self, op: Operation, text: str) -> None:
        if text.startswith("computes "):
            for name in text[9:].split(", "):
                self.graph.origins.setdefault(name, []).append(self.place)
        elif text.startswith("reads "):
            op.reads += sorted(self.access(each, "reads") for each in arguments(text[6:]))
        elif text.startswith("writes "):
            op.writes += sorted(self.access(each, "writes") for each in arguments(text[7:]))
        elif text.startswith("| "):
            at = len(op.body)
            op.body.append(_OPERAND.sub(lambda found: found[1] + self.access(found[2], at), text[2:]))
        else:
            op.outputs.append(self.numbered(text))

    def access(self, text: str, role: Hashable) -> str:
        """A buffer by number; an input as a hole, and noted where it is used."""
        found = _ACCESS.match(text)
        if found is None or _OP_OR_BUFFER.fullmatch(found[1]):
            return self.numbered(text)
        index = self.numbered(found[2])
        self.graph.inputs.setdefault(found[1], []).append((self.place, role, index))
        return "input" + index

    def numbered(self, text: str) -> str:
        """`text` with operations and buffers by first appearance; names may be joined: `op0_op1`."""
        return _OP_OR_BUFFER.sub(self._number, text)

    def _number(self, found: re.Match[str]) -> str:
        name, kind = found[0], found[1]
        if name not in self.names:
            self.names[name] = f"{kind}#{self.counts[kind]}"
            self.counts[kind] += 1
        return self.names[name]


def _renamed(body: list[str]) -> list[str]:
    """A loop body with its values by place."""
    assigned = {found[1] for line in body if (found := _ASSIGNED.match(line))}
    places: dict[str, str] = {}

    def place(found: re.Match[str]) -> str:
        name = found[0]
        return places.setdefault(name, f"%{len(places)}") if name in assigned else name

    return [_WORD.sub(place, line) for line in body]
