"""Operations and groups of the scheduler; the text is the one that `stages/schedule.py` writes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field

from pytest_compile_golden.stages.canonical.text import arguments, plain, sizes_by_place, with_sizes

_NODE = re.compile(r"( +)(\w+): (.+)$")
_GROUP = re.compile(r"  group \d+: (.+)$")
_OP_OR_BUFFER = re.compile(r"(?<![A-Za-z0-9])(op|buf)(\d+)(?![A-Za-z0-9])")
_STRING = re.compile(r"'(\w+)'")
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
    """What did not fuse."""
    origins: dict[str, list[int]] = field(default_factory=dict)
    """For each FX node the operations that it went into."""
    inputs: dict[str, list[Hashable]] = field(default_factory=dict)
    """For each graph input where it is used."""


def schedule(text: str) -> Hashable:
    """Groups in their order: operations and buffers by place, inputs and FX nodes by where they are used."""
    try:
        graphs = read(text)
    except ValueError:
        return plain(text)
    return tuple(_form(graph) for graph in graphs)


def _form(graph: Graph) -> Hashable:
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


def read(text: str) -> list[Graph]:
    """Take an artifact apart. Raises ValueError for a line that our printer does not write."""
    text = with_sizes(text, sizes_by_place([text]))
    graphs: list[Graph] = []
    names: dict[str, str] = {}
    counts = {"op": 0, "buf": 0}
    section = ""
    count = 0

    def number(found: re.Match[str]) -> str:
        name = found[0]
        if name not in names:
            names[name] = f"{found[1]}#{counts[found[1]]}"
            counts[found[1]] += 1
        return names[name]

    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not line.startswith(" "):
            graphs.append(Graph(line))
            names.clear()
            counts.update(op=0, buf=0)
            section, count = "", 0
            continue
        if not graphs:
            raise ValueError(line)
        graph = graphs[-1]
        stripped = line.strip()
        if group := _GROUP.match(line):
            graph.groups.append((group[1], []))
            section = "group"
        elif line == "  not fused:":
            section = "apart"
        elif line.startswith("  autotuned"):
            section = "rest"
            graph.rest.append(stripped)
        elif section == "apart":
            graph.apart.append(_refusal(stripped, number))
        elif section == "rest":
            graph.rest.append(stripped)
        else:
            if not graph.groups:  # before fusion there are no groups
                graph.groups.append(("", []))
            operations = graph.groups[-1][1]
            depth = 4 if section == "group" else 2
            if len(line) - len(line.lstrip()) == depth:
                count += 1
                operations.append(Operation(_OP_OR_BUFFER.sub(number, stripped)))
            elif operations:
                _detail(graph, operations[-1], count, stripped, number)
            else:
                raise ValueError(line)
    for graph in graphs:
        for _, operations in graph.groups:
            for op in operations:
                op.body[:] = _renamed(op.body)
    return graphs


def _refusal(line: str, number: object) -> str:
    # Names that were joined for a group: `op0_op1`.
    return _OP_OR_BUFFER.sub(number, line)  # type: ignore[call-overload, no-any-return]


def _detail(graph: Graph, op: Operation, place: int, line: str, number: object) -> None:
    def numbered(text: str) -> str:
        return _OP_OR_BUFFER.sub(number, text)  # type: ignore[call-overload, no-any-return]

    def access(text: str, role: Hashable) -> str:
        """A buffer by number; an input as a hole, and noted where it is used."""
        found = _ACCESS.match(text)
        if found is None or _OP_OR_BUFFER.fullmatch(found[1]):
            return numbered(text)
        graph.inputs.setdefault(found[1], []).append((place, role, numbered(found[2])))
        return "input" + numbered(found[2])

    if line.startswith("computes "):
        for name in line[9:].split(", "):
            graph.origins.setdefault(name, []).append(place)
    elif line.startswith("reads "):
        op.reads += sorted(access(each, "reads") for each in arguments(line[6:]))
    elif line.startswith("writes "):
        op.writes += sorted(access(each, "writes") for each in arguments(line[7:]))
    elif line.startswith("| "):
        at = len(op.body)
        op.body.append(_STRING.sub(lambda found: _operand(found, access, at), line[2:]))
    else:
        op.outputs.append(numbered(line))


def _operand(found: re.Match[str], access: object, at: int) -> str:
    name = found[1]
    if _OP_OR_BUFFER.fullmatch(name) or not re.search(r"\d|_", name):  # `'sum'` is no name
        return access(name, at) if _OP_OR_BUFFER.fullmatch(name) else found[0]  # type: ignore[operator, no-any-return]
    return found[0]


def _renamed(body: list[str]) -> list[str]:
    """A loop body with its values by place."""
    assigned = {found[1] for line in body if (found := _ASSIGNED.match(line))}
    places: dict[str, str] = {}

    def place(found: re.Match[str]) -> str:
        name = found[0]
        return places.setdefault(name, f"%{len(places)}") if name in assigned else name

    return [_WORD.sub(place, line) for line in body]
