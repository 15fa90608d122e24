"""Printed FX graphs as plain data, written as text and read back."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.formats.canonical_text import arguments
from pytest_compile_golden.formats.format import Unreadable

_WIDTH = 110
"""The maximum width of a graph's head on one line; a longer one has a line for each input."""
RESULT = "return"
"""The name of the line that gives a graph's result; no value can have this name."""

LINE = re.compile(r"    (\w+)(?:: (.+?))? = (.+)$")
HEAD = re.compile(r"def (\w+)\((?:(.*)\):)?$")
CALL = re.compile(r"([\w.]+)\((.*)\)$")
"""What is called, and its arguments."""
HOLE = "\0"
"""Stands for a value in the text of a call."""
# A string, or a name that is neither an attribute nor a keyword.
_NAME = re.compile(
    r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|(?<![\w.])([A-Za-z_]\w*)\b(?!=)"""
)
_ON_NODE = re.compile(r"(?<= on node ')\w+(?=')")
"""The name of the node that a check of sizes is of, in what it says if it fails (torch/fx/passes/runtime_assert.py)."""
_SAVES = "_saves = ["
_RETURN = "    return "
_CODE = "    # "


@dataclass(frozen=True)
class Input:
    """A graph's input, and its type, which is empty if it has none."""

    name: str
    type: str = ""

    def __str__(self) -> str:
        return f"{self.name}: {self.type}" if self.type else self.name


@dataclass(frozen=True)
class GraphLine:
    """One node, or the result."""

    name: str
    """RESULT for the result."""
    type: str
    """Empty if it is neither a tensor nor a number."""
    call: str
    code: str | None = None
    """The comment above it: the user's line that this node, and those up to the next comment, come from."""

    @property
    def is_result(self) -> bool:
        """Whether it is what the graph returns."""
        return self.name == RESULT


class PrintedNode(NamedTuple):
    """One line of a graph, taken apart."""

    name: str
    """RESULT for the result."""
    type: str
    text: str
    """The call with a hole for each value."""
    reads: tuple[str, ...]
    target: str
    """What is called; a method has no dots. Empty if nothing is called."""

    @property
    def is_element(self) -> bool:
        """Whether it takes one result out of several."""
        return self.text.startswith(f"{HOLE}[")

    @property
    def is_method(self) -> bool:
        """Whether it calls a method of a value."""
        return self.text.startswith(f"{HOLE}.")


@dataclass(frozen=True)
class PrintedGraph:
    """One graph. A graph that it calls follows it, named after the caller and the attribute."""

    name: str
    inputs: tuple[Input, ...]
    lines: tuple[GraphLine, ...]
    saves: tuple[str, ...] | None = None
    """The values that a forward graph saves for backward."""

    @cached_property
    def values(self) -> set[str]:
        """Names of the inputs and of the computed values."""
        return set(self.types) - {RESULT}

    @cached_property
    def nodes(self) -> tuple[PrintedNode, ...]:
        """The nodes, with the result last."""
        scope = self.values
        return tuple(_node(line, scope) for line in self.lines)

    @cached_property
    def types(self) -> dict[str, str]:
        """The type of each value."""
        values: tuple[Input | GraphLine, ...] = (*self.inputs, *self.lines)
        return {value.name: value.type for value in values}


def _node(line: GraphLine, scope: Container[str]) -> PrintedNode:
    text, reads = holes(line.call, scope)
    text = _ON_NODE.sub("", text)
    match = CALL.match(text) or CALL.match(line.call)
    target = "" if match is None or line.is_result else match[1].lstrip(".")
    node = PrintedNode(line.name, line.type, text, reads, target)
    return node._replace(target=text[2:].partition("(")[0]) if node.is_method else node


def holes(call: str, scope: Container[str]) -> tuple[str, tuple[str, ...]]:
    """`call` with a hole for each value in it, and the values."""
    reads: list[str] = []

    def hole(match: re.Match[str]) -> str:
        name = match[1]
        if name is not None and name in scope:
            reads.append(name)
            return HOLE
        return match[0]

    return _NAME.sub(hole, call), tuple(reads)


def filled(text: str, values: Iterable[str]) -> str:
    """A text of which `holes` took out the values, with these in it."""
    left = iter(values)
    return "".join(next(left) if sign == HOLE else sign for sign in text)


def subgraph_name(caller: str, attribute: str) -> str:
    """The name of the graph that `caller` has as `attribute`."""
    return f"{caller}__{attribute.replace('.', '_')}"


def write(document: Iterable[PrintedGraph]) -> str:
    """The graphs, followed by what they save."""
    every = list(document)
    blocks = ["\n".join(_function(function)) + "\n" for function in every]
    blocks += [
        f"{function.name}{_SAVES}{', '.join(function.saves)}]\n"
        for function in every
        if function.saves is not None
    ]
    return "\n\n".join(blocks)


def _function(function: PrintedGraph) -> Iterator[str]:
    head = f"def {function.name}({', '.join(map(str, function.inputs))}):"
    if len(head) <= _WIDTH:
        yield head
    else:
        yield f"def {function.name}("
        yield from (f"    {argument}," for argument in function.inputs)
        yield "):"
    for line in function.lines:
        if line.code is not None:
            yield _CODE + line.code
        if line.is_result:
            yield _RETURN + line.call
        else:
            yield f"    {line.name}{f': {line.type}' if line.type else ''} = {line.call}"


def read(text: str) -> tuple[PrintedGraph, ...]:
    """The printed graphs. Raises Unreadable for a line that `write` does not write."""
    reader = _GraphReader()
    for line in split_lines(text):
        reader.line(line)
    if reader.in_head or not reader.functions:
        raise Unreadable(text[:60])
    reader.end_function()
    return tuple(reader.functions.values())


class _GraphReader:
    def __init__(self) -> None:
        self.functions: dict[str, PrintedGraph] = {}
        self.here = ""
        self.in_head = False
        """Between `def NAME(` and `):`, if each input has a line of its own."""
        self.inputs: list[Input] = []
        self.lines: list[GraphLine] = []
        self.code: str | None = None

    def line(self, line: str) -> None:
        stripped = line.strip()
        if not stripped:
            return
        if stripped.startswith("#"):
            self.code = line.removeprefix(_CODE) if line.startswith(_CODE) else None
        elif self.in_head:
            if stripped == "):":
                self.in_head = False
            else:
                self.inputs.append(_input(stripped.rstrip(",")))
        elif head := HEAD.match(line):
            self.end_function()
            self.here = head[1]
            # Reserves its position, since the line of what it saves may come next.
            self.functions[self.here] = PrintedGraph(self.here, (), ())
            self.inputs = [_input(argument) for argument in arguments(head[2] or "")]
            self.in_head = head[2] is None
        elif (
            line.endswith("]") and (name := line.partition(_SAVES)[0]) in self.functions
        ):
            self.end_function()
            saved = line.partition(_SAVES)[2].removesuffix("]")
            self.functions[name] = replace(
                self.functions[name], saves=tuple(arguments(saved))
            )
        elif self.here and line.startswith(_RETURN):
            self._add(RESULT, "", line.removeprefix(_RETURN))
        elif self.here and (match := LINE.match(line)):
            self._add(match[1], match[2] or "", match[3])
        else:
            raise Unreadable(line)

    def end_function(self) -> None:
        if self.here:
            function = replace(
                self.functions[self.here],
                inputs=tuple(self.inputs),
                lines=tuple(self.lines),
            )
            self.functions[self.here] = function
        self.here, self.inputs, self.lines, self.code = "", [], [], None

    def _add(self, name: str, kind: str, call: str) -> None:
        self.lines.append(GraphLine(name, kind, call, self.code))
        self.code = None


def _input(text: str) -> Input:
    name, colon, kind = text.partition(": ")
    if not name.isidentifier() or bool(colon) != bool(kind):
        raise Unreadable(text)
    return Input(name, kind)
