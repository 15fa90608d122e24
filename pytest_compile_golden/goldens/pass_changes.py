"""Passes that do something else than before, and those of them that follow from nothing else in their case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import structs

from pytest_compile_golden.changes.graphs import PassChanged
from pytest_compile_golden.formats.pass_log import compare as ledger
from pytest_compile_golden.goldens.compare import Compared
from pytest_compile_golden.goldens.consequences import base, graph_differences
from pytest_compile_golden.goldens.first_divergence import passes_of, steps_of

ChangedPass = tuple[PassChanged, frozenset[str]]
"""A pass that does something else than before, and the operators that it does this to."""


def changed_passes(compared: Sequence[Compared]) -> Iterator[ChangedPass]:
    """The passes that do something else than before, each with the operators that it does this to."""
    for change in compared:
        if change.stage != "passes":
            continue
        for old, new in ledger.pairs(*passes_of(change)):
            if old is None or new is None or old.effect == new.effect:
                continue
            made = ledger.pass_change(old, new)
            counted = (*made.made, *made.unmade, *made.removed, *made.kept)
            if counted:
                yield made, frozenset(base(name) for name, _ in counted)


def of_libraries(compared: Sequence[Compared]) -> Iterator[PassChanged]:
    """The passes that make other library calls than before, also those that did nothing before."""
    for change in compared:
        if change.stage != "passes":
            continue
        for old, new in ledger.pairs(*passes_of(change)):
            if old is None or new is None or old.effect != new.effect:
                made = ledger.pass_change(old, new)
                if made.topic == "library" and made.phase != "partition":
                    yield made


def removals(
    compared: Sequence[Compared], passes: Sequence[ChangedPass]
) -> Iterator[PassChanged]:
    """Passes that remove operators now, and removed none of these before, although there were as many of them; and the
    first that changed, if it no longer removes some, although there are as many."""
    traced = [
        [
            Counter({base(item.name): item.times for item in steps.items("aot_graph")})
            for steps in steps_of(change)
        ]
        for change in compared
        if change.stage == "trail"
    ]
    for made, operators in passes:
        if made.phase == "partition" or not (made.ran and made.runs):
            continue
        if made.made or made.unmade or bool(made.removed) == bool(made.kept):
            continue
        if made.kept and made is not passes[0][0]:
            continue
        for sides in traced:
            one, other = sides if made.removed else reversed(sides)
            if all(one[name] >= other[name] > 0 for name in operators):
                yield made
                break


def partitions(
    compared: Sequence[Compared], passes: Sequence[ChangedPass]
) -> Iterator[PassChanged]:
    """What the partitioner keeps or computes again otherwise, of operators that are not near to what differs in the
    joint graph that it is given, or whose equal nodes it leaves in forward or backward although it merged them."""
    near = {
        name
        for found in graph_differences(compared, "joint_graph").values()
        for name in found.near
    }
    for made, operators in passes if near else ():
        if made.phase != "partition":
            continue
        if near.isdisjoint(operators):
            yield made
        elif made.grown > 0 and (double := operators & _left_double(compared)):
            left = tuple(
                counted
                for counted in (*made.made, *made.kept)
                if base(counted[0]) in double
            )
            if left:
                yield structs.replace(made, made=left, kept=(), unmade=(), removed=())


def _left_double(compared: Sequence[Compared]) -> frozenset[str]:
    """The operators of which forward or backward has equal nodes now and had none before, in joint graphs that both
    have such nodes."""
    double: dict[str, tuple[set[str], set[str]]] = {}
    for change in compared:
        if change.stage in ("joint_graph", "forward_graph", "backward_graph"):
            sides = double.setdefault(change.stage, (set(), set()))
            for known, graphs in zip(sides, change.documents or (), strict=False):
                for graph in graphs:
                    nodes = Counter(
                        (node.target, node.type, node.text, *node.reads)
                        for node in graph.nodes
                        if node.reads
                    )
                    known |= {base(node[0]) for node in nodes if nodes[node] > 1}
    joint = double.pop("joint_graph", (set[str](), set[str]()))
    left = {name for old, new in double.values() for name in new - old}
    return frozenset(left & joint[0] & joint[1])
