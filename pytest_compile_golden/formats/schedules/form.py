"""The significant content of a schedule (groups, accesses, indices, loop bodies), and how deep a change of it goes."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from pytest_compile_golden.common.digest import digest
from pytest_compile_golden.facts.schedules import Operation, Schedule, buffer
from pytest_compile_golden.formats import arithmetic
from pytest_compile_golden.formats.arithmetic import once
from pytest_compile_golden.formats.canonical_text import sizes_by_appearance, with_sizes
from pytest_compile_golden.formats.schedules import printed
from pytest_compile_golden.formats.schedules.printed import read

NAME = re.compile(r"(?<![A-Za-z0-9])(?:op|buf)\d+(?![A-Za-z0-9])")
"""An operation or a buffer."""
_NUMBERED = re.compile(r"(?:op|buf)#\d+")
OPERAND = re.compile(r"(\bops\.\w+\(')(\w+)(?=')")
"""The first argument of a call in a loop body, if it is a name such as a buffer's."""
WORD = re.compile(r"'[^']*'|(?<![\w.])[A-Za-z_]\w*(?!\w*\()")
"""A string, or a name that is neither an attribute nor called."""


@dataclass(frozen=True)
class Use:
    """Where an operation uses a graph input."""

    operation: int
    """Its number in the graph, from 1."""
    role: str | int
    """`reads`, `writes`, or the line of the loop body."""
    index: str


@dataclass
class NumberedSchedule:
    """The groups of one graph, with operations and buffers numbered in order of appearance.

    An operation's number is part of its kind, and graph inputs are identified by where they are used, not by name.
    """

    label: str
    groups: list[tuple[str, list[Operation]]] = field(default_factory=list)
    tuned: list[str] = field(default_factory=list)
    inputs: dict[str, list[Use]] = field(default_factory=dict)
    """For each graph input, where it is used."""

    @property
    def fused(self) -> bool:
        """Whether fusion has made groups; before fusion, a single group without a kind has all operations."""
        return [kind for kind, _ in self.groups] != [""]

    @property
    def operations(self) -> list[Operation]:
        """Those of all groups, in order."""
        return [operation for _, operations in self.groups for operation in operations]


def form(sections: Iterable[Schedule]) -> Hashable:
    """Groups in order, with operations and buffers by position and inputs by where they are used.

    Before fusion there are no groups, and the order of operations does not count. The FX nodes that an operation came
    from only name its kernel; the pairs that were tried, and why they were not fused, show in the groups.
    """
    return tuple(map(_form, _numbered(tuple(sections))))


def operations(sections: Iterable[Schedule]) -> Hashable:
    """The operations by what they compute from what, regardless of fusion."""
    return tuple(map(_unordered, _numbered(tuple(sections))))


def _form(graph: NumberedSchedule) -> Hashable:
    if not graph.fused:
        return _unordered(graph)
    groups = tuple(
        (
            kind,
            tuple(
                (op.kind, op.outputs, op.reads, op.writes, op.body) for op in operations
            ),
        )
        for kind, operations in graph.groups
    )
    inputs = Counter(
        tuple((use.operation, use.role, use.index) for use in uses)
        for uses in graph.inputs.values()
    )
    return graph.label, groups, tuple(graph.tuned), frozenset(inputs.items())


def _unordered(graph: NumberedSchedule) -> Hashable:
    """Operations by what they compute from what, regardless of their order and groups."""
    known_as: dict[str, str] = {}
    keys: list[str] = []
    for op in graph.operations:
        own = {
            match[0]: f"own {index}"
            for index, output in enumerate(op.outputs)
            if (match := _NUMBERED.match(output))
        }

        def plainly(text: str, own: dict[str, str] = own) -> str:
            return _NUMBERED.sub(
                lambda buffer: own.get(buffer[0]) or known_as.get(buffer[0], "itself"),
                text,
            )

        lines = (op.kind, op.outputs, op.writes, op.body)
        form = [
            plainly(line) if isinstance(line, str) else tuple(map(plainly, line))
            for line in lines
        ]
        keys.append(digest((*form, tuple(sorted(map(plainly, op.reads))))))
        known_as.update({name: f"{keys[-1]} {index}" for name, index in own.items()})

    inputs = Counter(
        tuple(
            sorted((keys[use.operation - 1], str(use.role), use.index) for use in uses)
        )
        for uses in graph.inputs.values()
    )
    return graph.label, tuple(sorted(keys)), frozenset(inputs.items())


# Of the same two schedules it is asked whether they are equal, how they differ, and what follows from that.
@lru_cache(maxsize=64)
def number(name: str) -> int:
    """That of `op12`."""
    digits = re.search(r"\d+$", name)
    return int(digits[0]) if digits else -1


def _numbered(sections: tuple[Schedule, ...]) -> tuple[NumberedSchedule, ...]:
    """The schedule of each graph, with everything that torch numbers arbitrarily renumbered."""
    text = printed.write(sections)
    if sizes := sizes_by_appearance([text]):
        sections = read(with_sizes(text, sizes))
    return tuple(_Numbering(section).graph for section in sections)


class _Numbering:
    """Goes through a section in text order and numbers names by first appearance."""

    def __init__(self, section: Schedule) -> None:
        self.graph = NumberedSchedule(printed.head(section))
        self.count = 0
        """The number of operations so far."""
        self.names: dict[str, str] = {}
        self.counts = {"op": 0, "buf": 0}
        for group in section.groups:
            self.graph.groups.append(
                (
                    printed.title(group),
                    [self.operation(operation) for operation in group.operations],
                )
            )
        self.graph.tuned += map(str.strip, printed.tuned(section))

    def operation(self, operation: Operation) -> Operation:
        self.count += 1
        kind = f"{operation.name}: {operation.kind}"
        if not (operation.reads or operation.writes):
            # Where accesses are left out, what is computed is all that there is; else it only names the kernel.
            kind += f" {', '.join(map(str, operation.computes))}"
        # In text order: names are numbered on the way.
        return Operation(
            name="",
            kind=self.numbered(kind),
            outputs=tuple(map(self.numbered, operation.outputs)),
            reads=tuple(
                sorted([self.access(read, "reads") for read in operation.reads])
            ),
            writes=tuple(
                sorted([self.access(written, "writes") for written in operation.writes])
            ),
            body=_renamed(
                [self.body_line(line, at) for at, line in enumerate(operation.body)]
            ),
        )

    def body_line(self, line: str, at: int) -> str:
        name, _, value = line.partition(" = ")
        if name.removeprefix("index").isdecimal():
            return f"{name} = {numbered_index(value)}"
        return OPERAND.sub(lambda match: match[1] + self.access(match[2], at), line)

    def access(self, text: str, role: str | int) -> str:
        """A buffer by number; an input as a hole, with its use recorded."""
        name = buffer(text)
        index = text.removeprefix(name)
        index = self.numbered(
            f"[{numbered_index(index[1:-1])}]" if index.startswith("[") else index
        )
        if NAME.fullmatch(name):
            return self.numbered(name) + index
        self.graph.inputs.setdefault(name, []).append(Use(self.count, role, index))
        return "input" + index

    def numbered(self, text: str) -> str:
        """`text` with operations and buffers numbered by first appearance; names may be joined: `op0_op1`."""
        return NAME.sub(self._number, text)

    def _number(self, match: re.Match[str]) -> str:
        name = match[0]
        kind = "op" if name.startswith("op") else "buf"
        if name not in self.names:
            self.names[name] = f"{kind}#{self.counts[kind]}"
            self.counts[kind] += 1
        return self.names[name]


def _renamed(body: list[str]) -> tuple[str, ...]:
    """A loop body with its values numbered by first appearance."""
    assigned = {line.partition(" = ")[0] for line in body}
    names: dict[str, str] = {}

    def renamed(word: re.Match[str]) -> str:
        name = word[0]
        return names.setdefault(name, f"%{len(names)}") if name in assigned else name

    return tuple(WORD.sub(renamed, line) for line in body)


def calls(body: Iterable[str]) -> list[str]:
    """What a loop body calls: `ops.add(load, constant)`."""
    return [
        value for line in body if (value := line.partition(" = ")[2]).startswith("ops.")
    ]


class _NotAnIndex(ValueError):
    """Something that cannot be part of an index."""


@lru_cache(maxsize=1 << 14)
def numbered_index(text: str) -> str:
    """`text` with sums and products multiplied out, in a fixed order; unchanged if it is not an index expression.

    Anything but sums, differences and products (`c0//8`, `ModularIndexing(...)`) is treated as an atom.
    """
    try:
        return arithmetic.text(_terms(ast.parse(once(text.strip()), mode="eval").body))
    except (SyntaxError, _NotAnIndex, RecursionError):
        return text


def _terms(node: ast.expr) -> arithmetic.Terms:
    return arithmetic.multiplied_out(node, _atom)


def _atom(node: ast.expr) -> arithmetic.Terms:
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            sides = [arithmetic.text(_terms(side)) for side in (left, right)]
            return {(f"({sides[0]} {type(op).__name__} {sides[1]})",): 1}
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return {
                (
                    f"{name}({', '.join(arithmetic.text(_terms(arg)) for arg in args)})",
                ): 1
            }
    raise _NotAnIndex
