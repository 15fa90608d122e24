"""The significant content of FX graphs, their dataflow; how deep a change of it goes, and which lines show it."""

from __future__ import annotations

import re
from collections.abc import Container, Hashable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from pytest_compile_golden.formats.align import align, without_comment
from pytest_compile_golden.formats.format import Significant, Unreadable
from pytest_compile_golden.formats.graph import printed
from pytest_compile_golden.formats.graph.effects import Effect, Storage, effect, from_the_front, is_view
from pytest_compile_golden.formats.graph.printed import CALL, RESULT, Function, read, subgraph_name
from pytest_compile_golden.formats.inventory import INPUT, OUTPUT, SAVED, Counted
from pytest_compile_golden.formats.statements import Step, dataflow
from pytest_compile_golden.formats.text import arguments, plain, sizes_by_appearance, with_sizes

# A string, or a name that is neither an attribute nor a keyword.
_NAME = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|(?<![\w.])([A-Za-z_]\w*)\b(?!=)""")
_CHECK = re.compile(r"assert|_check\b|sym_constrain")


class Node(NamedTuple):
    """One line of a graph."""

    name: str
    type: str
    text: str
    """The call with a hole for each value."""
    reads: tuple[str, ...]
    target: str
    """What is called; a method has no dots. Empty if nothing is called."""


def canonical(text: str) -> Hashable:
    """Graphs by their dataflow, ignoring names, comments and the order of independent nodes that do not mutate.

    A text that is not a printed graph is compared line by line.
    """
    try:
        functions = read(text)
    except Unreadable:
        return plain(text)
    return forms(functions)


def forms(functions: Sequence[Function]) -> Hashable:
    """The form of each graph that no other graph calls, with the graphs that it calls inside."""
    known: dict[str, Hashable] = {}
    called: set[str] = set()
    for function in reversed(functions):  # a subgraph is printed after the graph that calls it
        known[function.name] = _form(function, known, called)
    return tuple((name, known[name]) for name in reversed(known) if name not in called)


def nodes(function: Function) -> Iterator[Node]:
    """The nodes of a graph, with the result last."""
    scope = function.values
    for line in function.lines:
        text, reads = holes(line.call, scope)
        match = CALL.match(text) or CALL.match(line.call)
        target = "" if match is None or line.is_result else match[1].lstrip(".")
        if text.startswith("\0."):  # a method of a value
            target = text[2:].partition("(")[0]
        yield Node(line.name, line.type, text, reads, target)


def quoted(function: Function) -> Iterator[str]:
    """The program lines that nodes come from, in order, except those of checks and of values that only checks read."""
    every = list(nodes(function))
    readers: dict[str, list[str]] = {}
    for node in every:
        for name in node.reads:
            readers.setdefault(name, []).append(node.name)
    checked: set[str] = set()
    for node in reversed(every):
        read_by = readers.get(node.name)
        if _CHECK.search(node.target) or (read_by and checked.issuperset(read_by)):
            checked.add(node.name)
    code: str | None = None
    for line in function.lines:
        code = line.code or code
        if code is not None and line.name not in checked:
            yield code


def holes(call: str, scope: Container[str]) -> tuple[str, tuple[str, ...]]:
    """`call` with a hole for each value in it, and the values."""
    reads: list[str] = []

    def hole(match: re.Match[str]) -> str:
        name = match[1]
        if name is not None and name in scope:
            reads.append(name)
            return "\0"
        return match[0]

    return _NAME.sub(hole, call), tuple(reads)


def _form(function: Function, known: dict[str, Hashable], called: set[str]) -> Hashable:
    sizes = sizes_by_appearance(argument.type for argument in function.inputs)
    inputs = [argument.name for argument in function.inputs]
    statements = steps(function, sizes, known, called)
    if function.saves is not None:
        # After everything else: a saved value that is not an output still needs its number.
        text, reads = holes(", ".join(function.saves), function.values)
        statements.append(Step((), "saves " + text, reads, True))
    return tuple(with_sizes(argument.type, sizes) for argument in function.inputs), dataflow(inputs, statements)


def steps(
    function: Function,
    sizes: dict[str, str] | None = None,
    known: dict[str, Hashable] | None = None,
    called: set[str] | None = None,
) -> list[Step]:
    """The nodes as statements, each with its type and the effect that it comes after."""
    every = list(nodes(function))
    kinds = [_kind(node) for node in every]
    behind = _behind(every, kinds) if any(kinds) else [0] * len(every)
    types = function.types
    statements: list[Step] = []
    for node, kind, last_effect in zip(every, kinds, behind, strict=True):
        text = node.text
        subgraph: Hashable = None
        if known and text.startswith("self."):
            child = subgraph_name(function.name, text.removeprefix("self."))
            if child in known:
                text, subgraph = "subgraph", known[child]
                if called is not None:
                    called.add(child)
        if node.name == RESULT:
            statements.append(Step((), "return " + text, node.reads, True))
        else:
            text = from_the_front(node.target, text, types.get(node.reads[0], "")) if node.reads else text
            note = (with_sizes(node.type, sizes or {}), last_effect, subgraph)
            statements.append(Step((node.name,), text, node.reads, kind != "", note))
    return statements


def _kind(node: Node) -> Effect:
    if not node.target:
        return ""
    if node.target.startswith("self."):
        return "all"
    return effect(node.target, node.text)


def _behind(every: list[Node], kinds: list[Effect]) -> list[int]:
    """For each node, the number of the last effect before it that may have changed what it reads; 0 for none."""
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


def significant(old: str, new: str) -> Significant:
    """The significant lines, those of `new` with the names of `old`; dimensions are counted from the front if one side
    counts them from the end."""
    if old.count("-") != new.count("-"):
        old, new = map(_from_the_front, (old, new))
    return align(old, new, _names, without_comment)


def _names(text: str) -> frozenset[str]:
    """The names that may differ in another graph that does the same."""
    try:
        return frozenset(name for function in printed.read(text) for name in function.values)
    except Unreadable:
        return frozenset()


def _from_the_front(text: str) -> str:
    try:
        return printed.write(map(_counted, printed.read(text)))
    except Unreadable:
        return text


def _counted(function: printed.Function) -> printed.Function:
    types = function.types
    lines = []
    for node, line in zip(nodes(function), function.lines, strict=True):
        text = from_the_front(node.target, node.text, types.get(node.reads[0], "")) if node.reads else node.text
        reads = iter(node.reads)
        lines.append(replace(line, call="".join(next(reads) if sign == "\0" else sign for sign in text)))
    return replace(function, lines=tuple(lines))


def counted(functions: Sequence[Function]) -> Iterator[Counted]:
    """Each thing in graphs, with details that distinguish things of the same name: types, arguments without names."""
    for function in functions:
        sizes = sizes_by_appearance(argument.type for argument in function.inputs)
        for argument in function.inputs:
            yield Counted(INPUT, with_sizes(argument.type, sizes))
        for node in nodes(function):
            if node.name == RESULT:
                for _ in arguments(node.text.strip().removeprefix("(").removesuffix(")")):
                    yield Counted(OUTPUT)
                continue
            name = node.target
            if node.text.startswith("\0["):
                name = "getitem"
            elif node.text.startswith("\0."):
                name = f"Tensor.{name}"  # a method, presumably of a tensor
            elif not name:
                name = node.text.partition(".")[0]
            yield Counted(name or "value", with_sizes(f"{node.text} -> {node.type}", sizes))
        for _ in function.saves or ():
            yield Counted(SAVED)
