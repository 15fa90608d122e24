"""What a change is about, in which graphs the sides differ, and by what: whether one change can follow from another."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pytest_compile_golden.changes.change import Change, Counts, sorted_counts
from pytest_compile_golden.changes.graphs import INPUT, OperatorsChanged
from pytest_compile_golden.changes.trail import Decomposition
from pytest_compile_golden.formats.canonical_text import short
from pytest_compile_golden.formats.graphs.effects import is_view
from pytest_compile_golden.formats.graphs.equivalence import Pairs
from pytest_compile_golden.formats.graphs.printed import (
    RESULT,
    PrintedGraph,
    PrintedNode,
)
from pytest_compile_golden.formats.schedules import edits as schedules
from pytest_compile_golden.goldens.compare_artifact import (
    Compared,
    capture_of,
    found_once,
)

_NAME = re.compile(r"[A-Za-z_][\w.]*")
# Of every change: where torch makes it, and whether it accompanies another.
_PLACES = ("code", "follows", "where", "defined")
GRAPH_COPIES = ("clone", "contiguous")
"""Operators of a graph that only copy their input."""
_NAMESPACES = (
    "aten",
    "prims",
    "torch",
    "operator",
    "higher_order",
    "ops",
    "tl",
    "libdevice",
    "triton_helpers",
)


def base(operator: str) -> str:
    """`mul` for `aten.mul.Tensor`: the name that changes and kernels have in common."""
    # Stages name one operator differently: Dynamo's graph has `torch.mul`, the next `aten.mul.Tensor`, a kernel `mul`.
    parts = operator.split(".")
    if parts[0] == "torch" and parts[1:2] != ["ops"]:
        return parts[-1]
    if parts[0] in _NAMESPACES and len(parts) > 1:
        return parts[1]
    return parts[0]


def subjects(change: Change) -> frozenset[str]:
    """The operators that a change is about, among whatever else its fields name."""
    fields = [
        getattr(change, name)
        for name in change.__struct_fields__
        if name not in _PLACES
    ]
    return frozenset(map(base, _names(fields)))


def reads_attribute(change: Change) -> bool:
    """Whether it is that an operator stands for reading an attribute, which is traced as the same views."""
    return isinstance(change, OperatorsChanged) and change.gone_names == ["getattr"]


def _names(value: object) -> Iterator[str]:
    """The names in texts, in lists of them, and in what is decomposed."""
    match value:
        case str():
            yield from _NAME.findall(value)
        case tuple() | list():
            for each in value:
                yield from _names(each)
        case Decomposition():
            yield from _names((value.operator, value.before, value.after))


@dataclass(frozen=True)
class GraphDifference:
    """The operators in which a graph that reaches Inductor differs; none if it is the same."""

    new: frozenset[str] = frozenset()
    """Those of nodes without a counterpart, or with one of another type or with other arguments than values."""
    operators: frozenset[str] = frozenset()
    """The same, and those of nodes that are given other values, or whose results one side alone returns."""
    near: frozenset[str] = frozenset()
    """The same, and those of the nodes that these read or that read these."""


def graph_differences(
    compared: Sequence[Compared], stage: str = "post_grad_graph"
) -> dict[str, GraphDifference]:
    """How each graph of a stage, by default those that reach Inductor, differs, of those that both sides have."""
    found: dict[str, GraphDifference] = {}
    for change in compared:
        if change.stage == stage:
            same = change.old == change.new
            for name, matched in change.graph_pairs.items():
                found[prefix(change) + name] = (
                    GraphDifference() if same else _difference(matched)
                )
    return found


def _difference(matched: Pairs) -> GraphDifference:
    alone: list[set[str]] = [set(), set()]
    for before, after in matched.nodes:
        if (before.type, before.text) != (after.type, after.text):
            alone[0].add(before.name)
            alone[1].add(after.name)
    differ = [
        names | returned
        for names, returned in zip(matched.differ, matched.returned_alone, strict=True)
    ]
    changed, operators, near = set[str](), set[str](), set[str]()
    for side, makers in enumerate(matched.makers):
        alone[side] |= makers.keys() - {pair[side].name for pair in matched.nodes}
        around = {
            name
            for node in makers.values()
            if node.name in differ[side]
            for name in node.reads
        }
        around |= {
            node.name
            for node in makers.values()
            if not differ[side].isdisjoint(node.reads)
        }
        for names, into in (
            (alone[side], changed),
            (differ[side], operators),
            (around, near),
        ):
            into |= {
                base(made.target)
                for name in names
                if (made := matched.made_by(side, name))
            }
    # The node that returns the results has no operator.
    return GraphDifference(
        *(frozenset(names - {""}) for names in (changed, operators, operators | near))
    )


def saved_differences(compared: Sequence[Compared]) -> dict[str, Counter[str]]:
    """By capture, and by the operator that computes them, of how many bytes more forward keeps results for backward.

    A capture of which that cannot be said, as sizes are symbols, is left out.
    """
    found: dict[str, Counter[str]] = {}
    for change in compared:
        if (
            change.stage == "forward_graph"
            and change.old
            and change.new
            and change.documents is not None
        ):
            differ = found.setdefault(prefix(change), Counter())
            try:
                for side, sign in zip(change.documents, (-1, 1), strict=True):
                    for operator, number in (
                        saved for graph in side for saved in _saved(graph)
                    ):
                        differ[operator] += sign * number
            except ValueError:
                del found[prefix(change)]
    return {
        capture: Counter({name: number for name, number in each.items() if number})
        for capture, each in found.items()
    }


def _saved(graph: PrintedGraph) -> Iterator[tuple[str, int]]:
    """The operator of each result that a graph computes and saves, and its bytes; views of one result are one.

    Raises ValueError for sizes that are no numbers.
    """
    makers = {node.name: node for node in graph.nodes}
    known: set[str] = set()
    for name in graph.saves or ():
        of = re.match(r"[a-z]+(\d+)\w*\[([^\]]*)\]", graph.types[name])
        name = _viewed(makers, name)
        if name in makers and name not in known:  # inputs exist in any case
            known.add(name)
            made = makers[name]
            if of is None:
                raise ValueError(f"{name} is no tensor")
            while made.is_element and made.reads[0] in makers:
                made = makers[made.reads[0]]
            sizes = [
                int(size) for size in of[2].split(",") if size.strip() not in ("", "()")
            ]
            yield base(made.target), math.prod(sizes) * max(int(of[1]), 8) // 8


class SavedInstead(NamedTuple):
    """What forward keeps for backward of one graph, of values that both sides compute alike, or are given."""

    gone: Counts
    """The operators of what only the old side saves."""
    come: Counts
    """The operators of what only the new side saves."""
    computed: tuple[str, ...]
    """The operators that forward or backward compute more or less often."""
    forward: str
    """The forward graph."""
    names: tuple[set[str], set[str]]
    """What each side alone saves, as its graphs name it."""


@found_once
def saved_instead(compared: Sequence[Compared]) -> tuple[SavedInstead, ...]:
    """For each graph of which forward saves other values than before, although their nodes, and those around them, are
    the same in the joint graph; a view is the value that it is of."""
    return tuple(_found_instead(compared))


def _found_instead(compared: Sequence[Compared]) -> Iterator[SavedInstead]:
    given: dict[str, Pairs] = {}
    calls: dict[str, tuple[Counter[str], Counter[str]]] = {}
    for change in compared:
        if change.stage == "joint_graph":
            given |= {
                prefix(change) + name.removesuffix("_joint"): matched
                for name, matched in change.graph_pairs.items()
            }
        elif change.stage in ("forward_graph", "backward_graph"):
            for name, matched in change.graph_pairs.items():
                of = prefix(change) + name.removesuffix(f"_{change.stage[:-6]}")
                sides = calls.setdefault(of, (Counter(), Counter()))
                for counted, makers in zip(sides, matched.makers, strict=True):
                    counted.update(
                        base(node.target) for node in makers.values() if node.target
                    )
    for change in compared:
        if change.stage != "forward_graph" or not change.graph_pairs:
            continue
        old, new = (
            {graph.name: graph.saves or () for graph in side}
            for side in change.documents or ((), ())
        )
        for name in change.graph_pairs:
            of = prefix(change) + name.removesuffix("_forward")
            if (joint := given.get(of)) is not None:
                alone = _saved_alone(joint, (old[name], new[name]))
                gone, come = (
                    sorted_counts(Counter(_makers(joint, side, names)))
                    for side, names in enumerate(alone)
                )
                before, after = calls[of]
                more = (before - after) + (after - before)
                # Equal nodes may stand for each other.
                if gone != come:
                    yield SavedInstead(
                        gone, come, tuple(sorted(more)), prefix(change) + name, alone
                    )


def _makers(matched: Pairs, side: int, names: Iterable[str]) -> Iterator[str]:
    """The operators that make these values; of what is given, that it is an input."""
    for name in names:
        node = matched.made_by(side, name)
        yield INPUT if node is None else short(node.target)


def _saved_alone(
    matched: Pairs, saved: tuple[Sequence[str], Sequence[str]]
) -> tuple[set[str], set[str]]:
    """What each side alone saves, of what has a counterpart in the joint graph."""
    counterparts = matched.values, {new: old for old, new in matched.values.items()}
    # Of nodes that compute the same, either may be saved.
    kept = [
        {
            twins.get(value, value): value
            for value in (_viewed(makers, name) for name in names)
        }
        for makers, twins, names in zip(
            matched.makers, matched.repeats, saved, strict=True
        )
    ]
    found: tuple[set[str], set[str]] = set(), set()
    for side, makers in enumerate(matched.makers):
        differ = matched.differ[side]
        near = differ | {
            value
            for name in differ
            for read in makers[name].reads
            for value in (read, _viewed(makers, read))
        }
        near |= {
            node.name
            for node in makers.values()
            if node.name != RESULT and not differ.isdisjoint(node.reads)
        }
        found[side].update(
            value
            for name, value in kept[side].items()
            if value not in near
            and (other := counterparts[side].get(name))
            and other not in kept[1 - side]
        )
    return found


def _viewed(makers: Mapping[str, PrintedNode], name: str) -> str:
    """What a value is a view of; itself, if it is none."""
    while name in makers and is_view(makers[name].target) and makers[name].reads:
        name = makers[name].reads[0]
    return name


@found_once
def schedule_edits(compared: Sequence[Compared]) -> dict[str, tuple[Change, ...]]:
    """By graph, how its schedule changed."""
    found: dict[str, tuple[Change, ...]] = {}
    for change in compared:
        if (
            change.stage == "scheduler_nodes"
            and change.old
            and change.new
            and change.documents is not None
        ):
            of_capture = prefix(change)
            found |= {
                of_capture + name: edits
                for name, edits in schedules.by_graph(*change.documents).items()
            }
    return found


def prefix(change: Compared) -> str:
    """What stands in front of the names of an artifact's graphs, if a case has several captures: `decode.`."""
    name = capture_of(change).removeprefix(".")
    return f"{name}." if name else ""
