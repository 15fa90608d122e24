"""The significant content of FX graphs: their dataflow, and what they contain."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace

from pytest_compile_golden.formats.canonical_text import (
    arguments,
    sizes_by_appearance,
    with_sizes,
)
from pytest_compile_golden.formats.graphs.effects import (
    Effect,
    Storage,
    effect,
    from_the_front,
    is_view,
)
from pytest_compile_golden.formats.graphs.printed import (
    HOLE,
    RESULT,
    PrintedGraph,
    PrintedNode,
    filled,
    holes,
    subgraph_name,
)
from pytest_compile_golden.formats.op_counts import INPUT, OUTPUT, SAVED, Occurrence
from pytest_compile_golden.formats.statements import DataflowStep, dataflow

_CHECK = re.compile(r"assert|_check\b|sym_constrain")


def form(functions: Sequence[PrintedGraph]) -> Hashable:
    """Graphs by their dataflow, ignoring names, comments and the order of independent nodes that do not mutate.

    Each graph that no other graph calls is listed, with the graphs that it calls inside.
    """
    known: dict[str, Hashable] = {}
    called: set[str] = set()
    # A subgraph is printed after the graph that calls it.
    for function in reversed(functions):
        known[function.name] = _form(function, known, called)
    return tuple((name, known[name]) for name in reversed(known) if name not in called)


def quoted(function: PrintedGraph) -> Iterator[str]:
    """The program lines that nodes come from, in order, except those of checks and of values that only checks read."""
    readers: dict[str, list[str]] = {}
    for node in function.nodes:
        for name in node.reads:
            readers.setdefault(name, []).append(node.name)
    checked: set[str] = set()
    for node in reversed(function.nodes):
        read_by = readers.get(node.name)
        if _CHECK.search(node.target) or (read_by and checked.issuperset(read_by)):
            checked.add(node.name)
    code: str | None = None
    for line in function.lines:
        code = line.code or code
        if code is not None and line.name not in checked:
            yield code


def _form(
    function: PrintedGraph, known: dict[str, Hashable], called: set[str]
) -> Hashable:
    sizes = sizes_by_appearance(argument.type for argument in function.inputs)
    steps: list[DataflowStep] = []
    for node, has_effect, last_effect in _effects(function):
        text = node.text
        subgraph: Hashable = None
        if text.startswith("self."):
            child = subgraph_name(function.name, text.removeprefix("self."))
            if child in known:
                text, subgraph = "subgraph", known[child]
                called.add(child)
        if node.name == RESULT:
            steps.append(DataflowStep((), "return " + text, node.reads, True))
        else:
            note = with_sizes(node.type, sizes), last_effect, subgraph
            steps.append(
                DataflowStep(
                    (node.name,),
                    _from_the_front(function, node, text),
                    node.reads,
                    has_effect,
                    note,
                )
            )
    if function.saves is not None:
        # After everything else: a saved value that is not an output still needs its number.
        text, reads = holes(", ".join(function.saves), function.values)
        steps.append(DataflowStep((), "saves " + text, reads, True))
    inputs = [argument.name for argument in function.inputs]
    return tuple(
        with_sizes(argument.type, sizes) for argument in function.inputs
    ), dataflow(inputs, steps)


def _effects(function: PrintedGraph) -> Iterator[tuple[PrintedNode, bool, int]]:
    """Each node, whether it has an effect, and the number of the last effect before it that may have changed what it
    reads; 0 for none."""
    nodes = function.nodes
    kinds = [_effect(node) for node in nodes]
    if not any(kinds):
        yield from ((node, False, 0) for node in nodes)
        return
    # Values that share memory are joined before anything is counted: writing to one changes all of them, also those
    # that are only viewed later.
    storage = Storage()
    for node, kind in zip(nodes, kinds, strict=True):
        if node.is_element or kind in ("first", "all") or is_view(node.target):
            for name in _mutated(node, kind) if kind else node.reads[:1]:
                storage.join(node.name, name)
    # Then each node is tied to the last effect that it can see, and to no other: nodes may change places unless a
    # write lies between them that one of them reads.
    changed: dict[str, int] = {}
    barrier = count = 0
    for node, kind in zip(nodes, kinds, strict=True):
        yield (
            node,
            kind != "",
            max(
                (barrier, *(changed.get(storage.find(name), 0) for name in node.reads))
            ),
        )
        if kind:
            count += 1
            if kind == "barrier":
                barrier = count
            for name in _mutated(node, kind):
                changed[storage.find(name)] = count


def _effect(node: PrintedNode) -> Effect:
    if not node.target:
        return ""
    return "all" if node.target.startswith("self.") else effect(node.target, node.text)


def _mutated(node: PrintedNode, kind: Effect) -> tuple[str, ...]:
    if kind == "all":
        return node.reads
    if kind != "first":
        return ()
    if node.is_method:
        return node.reads[:1]
    first = next(arguments(node.text.partition("(")[2].removesuffix(")")), "")
    return node.reads[: first.count(HOLE)]


def nodes_from_the_front(function: PrintedGraph) -> tuple[PrintedNode, ...]:
    """The graph's nodes with dimensions that are counted from the end counted from the front."""
    return tuple(
        node._replace(text=_from_the_front(function, node, node.text))
        for node in function.nodes
    )


def with_dimensions_from_the_front(function: PrintedGraph) -> PrintedGraph:
    """The graph with dimensions that are counted from the end counted from the front."""
    lines = [
        replace(line, call=filled(node.text, node.reads))
        for node, line in zip(
            nodes_from_the_front(function), function.lines, strict=True
        )
    ]
    return replace(function, lines=tuple(lines))


def _from_the_front(function: PrintedGraph, node: PrintedNode, text: str) -> str:
    return (
        from_the_front(node.target, text, function.types.get(node.reads[0], ""))
        if node.reads
        else text
    )


def contents(functions: Sequence[PrintedGraph]) -> Iterator[Occurrence]:
    """Each thing in graphs, with details that distinguish things of the same name: types, arguments without names."""
    for function in functions:
        sizes = sizes_by_appearance(argument.type for argument in function.inputs)
        for argument in function.inputs:
            yield Occurrence(INPUT, with_sizes(argument.type, sizes))
        for node in function.nodes:
            if node.name == RESULT:
                for _ in arguments(
                    node.text.strip().removeprefix("(").removesuffix(")")
                ):
                    yield Occurrence(OUTPUT)
                continue
            name = node.target or node.text.partition(".")[0] or "value"
            if node.is_element:
                name = "getitem"
            elif node.is_method:
                name = f"Tensor.{name}"  # a method, presumably of a tensor
            yield Occurrence(name, with_sizes(f"{node.text} -> {node.type}", sizes))
        for _ in function.saves or ():
            yield Occurrence(SAVED)
