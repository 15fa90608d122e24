"""Calls that `control_deps` keeps in their place, such as those of streams, and graphs without it.

A call of `control_deps` names the values that are computed before it, has the call that it keeps in a graph of its own,
and hands on the values that are read after it (torch/_inductor/fx_passes/control_dependencies.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from pytest_compile_golden.changes.change import Change, sorted_counts
from pytest_compile_golden.changes.common_types import CountedNewOrGone, NumberChanged
from pytest_compile_golden.formats.canonical_text import short
from pytest_compile_golden.formats.graphs.printed import (
    HOLE,
    GraphLine,
    PrintedGraph,
    PrintedNode,
    filled,
    holes,
    subgraph_name,
)

ORDERS = "higher_order.control_deps"
"""The operator that keeps calls in their place."""
_ATTRIBUTE = "self."


class _Ordered(NamedTuple):
    """One call of `control_deps`."""

    calls: PrintedGraph
    """The graph with what it keeps in its place."""
    after: tuple[str, ...]
    """The values that are computed before it."""
    handed_on: tuple[str, ...]
    """The values that are read after it; they are the inputs of `calls`, in order."""


def order_edits(
    old: Sequence[PrintedGraph], new: Sequence[PrintedGraph]
) -> Iterator[Change]:
    """Which calls are newly kept in their place, or no longer; if these are the same, beside how many values."""
    sides = [list(_ordered_calls(side)) for side in (old, new)]
    before, after = (Counter(name for name, _ in side) for side in sides)
    for is_new, several in ((False, before - after), (True, after - before)):
        if several:
            yield CountedNewOrGone("calls-ordered", sorted_counts(several), is_new)
    if before != after:
        return
    for name in before:
        was, now = ([call for kept, call in side if kept == name] for side in sides)
        # A value that is handed on is computed before, too.
        for code, beside in (("ordered-before", _read), ("ordered-after", _computed)):
            if beside(was) != beside(now):
                yield NumberChanged(code, beside(was), beside(now), name)
                break


def _read(calls: Sequence[_Ordered]) -> int:
    return sum(len(call.handed_on) for call in calls)


def _computed(calls: Sequence[_Ordered]) -> int:
    return sum(len(call.after) for call in calls)


def _ordered_calls(graphs: Sequence[PrintedGraph]) -> Iterator[tuple[str, _Ordered]]:
    """Each operator that is kept in its place, with the call that does so."""
    known = {graph.name: graph for graph in graphs}
    for graph in graphs:
        for found in _ordered(graph, known).values():
            yield from (
                (short(node.target), found)
                for node in found.calls.nodes
                if node.target and node.name
            )


def _ordered(
    graph: PrintedGraph, known: Mapping[str, PrintedGraph]
) -> dict[str, _Ordered]:
    """By name, the calls of `control_deps` in a graph of which the graph that they call is known."""
    attributes = {
        line.name: line.call.removeprefix(_ATTRIBUTE)
        for line in graph.lines
        if line.call.startswith(_ATTRIBUTE)
    }
    found = {}
    for node in graph.nodes:
        if node.target != ORDERS:
            continue
        number = node.text.partition(")")[0].count(HOLE)
        attribute = next(iter(node.reads[number : number + 1]), "")
        calls = known.get(subgraph_name(graph.name, attributes.get(attribute, "")))
        if calls is not None:
            found[node.name] = _Ordered(
                calls, node.reads[:number], node.reads[number + 1 :]
            )
    return found


def without_order(graphs: Sequence[PrintedGraph]) -> tuple[PrintedGraph, ...]:
    """The graphs with each call in the place of the `control_deps` that keeps it there."""
    known = {graph.name: graph for graph in graphs}
    within = {
        found.calls.name
        for graph in graphs
        for found in _ordered(graph, known).values()
    }
    return tuple(
        replace(graph, lines=tuple(_lines(graph, _ordered(graph, known))))
        for graph in graphs
        if graph.name not in within
    )


def _lines(graph: PrintedGraph, ordered: Mapping[str, _Ordered]) -> Iterator[GraphLine]:
    attributes = {
        f"{_ATTRIBUTE}{found.calls.name.removeprefix(subgraph_name(graph.name, ''))}"
        for found in ordered.values()
    }
    same: dict[str, str] = {}
    """Values that are another one, which was handed on."""
    for line, node in zip(graph.lines, graph.nodes, strict=True):
        if line.call in attributes:
            continue
        if line.name in ordered:
            yield from _kept(line, ordered[line.name], same)
        elif (value := _handed_on(node, ordered)) is not None:
            same[line.name] = same.get(value, value)
        else:
            text, reads = holes(line.call, graph.values)
            yield replace(
                line, call=filled(text, (same.get(name, name) for name in reads))
            )


def _handed_on(node: PrintedNode, ordered: Mapping[str, _Ordered]) -> str | None:
    """The value that is taken out of what `control_deps` returns, the result of the call first; None for any other."""
    found = ordered.get(node.reads[0]) if node.is_element else None
    if found is None:
        return None
    index = int(node.text.partition("[")[2].partition("]")[0])
    return found.handed_on[index - 1] if index else node.reads[0]


def _kept(
    line: GraphLine, found: _Ordered, same: Mapping[str, str]
) -> Iterator[GraphLine]:
    """The lines of the graph that is kept in its place, of which the first has the name of the call that keeps it."""
    inside = [each for each in found.calls.lines if not each.is_result]
    given = {
        argument.name: same.get(value, value)
        for argument, value in zip(found.calls.inputs, found.handed_on, strict=False)
    }
    names = given | {
        each.name: f"{line.name}_{each.name}" if number else line.name
        for number, each in enumerate(inside)
    }
    for each in inside:
        text, reads = holes(each.call, found.calls.values)
        yield replace(
            each,
            name=names[each.name],
            call=filled(text, (names.get(name, name) for name in reads)),
        )
