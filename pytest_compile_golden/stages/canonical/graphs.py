"""FX graphs as dataflow; the text is the one that `stages/graph.py` writes."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.stages.canonical.dataflow import Step, dataflow
from pytest_compile_golden.stages.canonical.effects import Effect, Storage, effect, is_view
from pytest_compile_golden.stages.canonical.text import arguments, plain, sizes_by_place, with_sizes

# A string, or a name that is no attribute and no keyword.
_NAME = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|(?<![\w.])([A-Za-z_]\w*)\b(?!=)""")
_NODE = re.compile(r"    (\w+)(?:: (.+?))? = (.+)$")
_HEAD = re.compile(r"def (\w+)\((?:(.*)\):)?$")
_INPUT = re.compile(r"(\w+)(?:: (.+))?$")
_SAVES = re.compile(r"(\w+)_saves = \[(.*)\]$")
_TARGET = re.compile(r"([\w.]+)\(")
_ATTRIBUTE = re.compile(r"self\.([\w.]+)$")


class Node(NamedTuple):
    """One line of a graph."""

    name: str
    type: str
    text: str
    """The call with a hole for each value."""
    reads: tuple[str, ...]
    target: str
    """What is called; a method has no dots, and is empty where nothing is called."""
    call: str


@dataclass
class Function:
    """One graph as printed."""

    name: str
    inputs: list[tuple[str, str]]
    lines: list[tuple[str, str, str]] = field(default_factory=list)
    """Name, type and call of each node; a name of "return" for the result."""
    saves: str | None = None


class NotAGraph(ValueError):
    """A line that our printer does not write."""


def graph(text: str) -> Hashable:
    """Graphs by what flows where: not names, comments and the order of nodes that neither depend nor mutate.

    A text that is no printed graph counts line by line.
    """
    try:
        functions = read(text)
    except NotAGraph:
        return plain(text)
    return forms(functions)


def forms(functions: list[Function]) -> Hashable:
    """The form of each graph that no other calls, the graphs that it calls within."""
    known: dict[str, Hashable] = {}
    called: set[str] = set()
    for function in reversed(functions):  # a subgraph is printed behind the graph that calls it
        known[function.name] = _form(function, known, called)
    return tuple((name, known[name]) for name in reversed(known) if name not in called)


def read(text: str) -> list[Function]:
    """The printed graphs. Raises NotAGraph."""
    functions: dict[str, Function] = {}
    here: Function | None = None
    in_head = False
    for line in split_lines(text):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        if in_head:
            in_head = stripped != "):"
            if in_head and here is not None:
                here.inputs.append(_input(stripped.rstrip(",")))
        elif head := _HEAD.match(line):
            here = functions[head[1]] = Function(head[1], [_input(each) for each in arguments(head[2] or "")])
            in_head = head[2] is None
        elif saves := _SAVES.match(line):
            if saves[1] not in functions:
                raise NotAGraph(line)
            functions[saves[1]].saves = saves[2]
        elif here is not None and line.startswith("    return "):
            here.lines.append(("return", "", line[11:]))
        elif here is not None and (node := _NODE.match(line)):
            here.lines.append((node[1], node[2] or "", node[3]))
        else:
            raise NotAGraph(line)
    if not functions or in_head:
        raise NotAGraph(text[:60])
    return list(functions.values())


def _input(text: str) -> tuple[str, str]:
    found = _INPUT.match(text)
    if found is None:
        raise NotAGraph(text)
    return found[1], found[2] or ""


def nodes(function: Function) -> Iterator[Node]:
    """The nodes of a graph, the result last."""
    scope = {name for name, _ in function.inputs}
    scope.update(name for name, _, _ in function.lines)
    for name, kind, call in function.lines:
        text, reads = holes(call, scope)
        found = _TARGET.match(text) or _TARGET.match(call)
        target = "" if found is None or name == "return" else found[1].lstrip(".")
        if text.startswith("\0."):  # a method of a value
            target = text[2:].partition("(")[0]
        yield Node(name, kind, text, reads, target, call)


def holes(call: str, scope: set[str]) -> tuple[str, tuple[str, ...]]:
    """`call` with a hole for each value in it, and the values."""
    reads: list[str] = []

    def hole(found: re.Match[str]) -> str:
        name = found[1]
        if name is not None and name in scope:
            reads.append(name)
            return "\0"
        return found[0]

    return _NAME.sub(hole, call), tuple(reads)


def _form(function: Function, known: dict[str, Hashable], called: set[str]) -> Hashable:
    sizes = sizes_by_place(kind for _, kind in function.inputs)
    inputs = [name for name, _ in function.inputs]
    statements = steps(function, sizes, known, called)
    if function.saves is not None:
        # Behind everything else: a save that is no output still needs its number.
        text, reads = holes(function.saves, {*inputs, *(name for name, _, _ in function.lines)})
        statements.append(Step((), "saves " + text, reads, True))
    return tuple(with_sizes(kind, sizes) for _, kind in function.inputs), dataflow(inputs, statements)


def steps(
    function: Function,
    sizes: dict[str, str] | None = None,
    known: dict[str, Hashable] | None = None,
    called: set[str] | None = None,
) -> list[Step]:
    """The nodes as statements, each with its type and with the effect that it stands behind."""
    every = list(nodes(function))
    kinds = [_kind(node) for node in every]
    behind = _behind(every, kinds) if any(kinds) else [0] * len(every)
    found: list[Step] = []
    for node, kind, place in zip(every, kinds, behind, strict=True):
        text = node.text
        subgraph: Hashable = None
        if known and (attribute := _ATTRIBUTE.match(text)):
            child = f"{function.name}__{attribute[1].replace('.', '_')}"
            if child in known:
                text, subgraph = "subgraph", known[child]
                if called is not None:
                    called.add(child)
        if node.name == "return":
            found.append(Step((), "return " + text, node.reads, True))
        else:
            note = (with_sizes(node.type, sizes or {}), place, subgraph)
            found.append(Step((node.name,), text, node.reads, kind != "", note))
    return found


def _kind(node: Node) -> Effect:
    if not node.target:
        return ""
    if node.target.startswith("self."):
        return "all"
    return effect(node.target, node.text)


def _behind(every: list[Node], kinds: list[Effect]) -> list[int]:
    """For each node the number of the last effect before it that can have changed what it reads, 0 for none."""
    storage = Storage()
    for node, kind in zip(every, kinds, strict=True):
        if node.text.startswith("\0[") or kind in ("first", "all") or is_view(node.target):
            for name in _mutated(node, kind) if kind else node.reads[:1]:
                storage.join(node.name, name)
    changed: dict[str, int] = {}
    barrier = count = 0
    behind: list[int] = []
    for node, kind in zip(every, kinds, strict=True):
        behind.append(max((changed.get(storage.find(name), 0) for name in node.reads), default=0))
        behind[-1] = max(behind[-1], barrier)
        if kind:
            count += 1
            if kind == "barrier":
                barrier = count
            for name in _mutated(node, kind):
                changed[storage.find(name)] = count
    return behind


def _mutated(node: Node, kind: Effect) -> tuple[str, ...]:
    if kind == "all":
        return node.reads
    if kind != "first":
        return ()
    if node.text.startswith("\0."):
        return node.reads[:1]
    first = next(arguments(node.text.partition("(")[2].removesuffix(")")), "")
    return node.reads[: first.count("\0")]
