"""How graphs are scheduled otherwise for its own sake: what is stored, copied, fused, and in which order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from pytest_compile_golden.changes import change as changes
from pytest_compile_golden.changes.common_types import (
    AttributeChanged,
    Replaced,
)
from pytest_compile_golden.changes.schedules import OF_GROUPS, OperationsMoved
from pytest_compile_golden.changes.trail import BecameOther
from pytest_compile_golden.formats.arithmetic import twice
from pytest_compile_golden.formats.schedules.edits import same_operations
from pytest_compile_golden.goldens import kernel_changes
from pytest_compile_golden.goldens.compare_artifact import Compared
from pytest_compile_golden.goldens.consequences import (
    GRAPH_COPIES,
    base,
    prefix,
    schedule_edits,
    subjects,
)
from pytest_compile_golden.goldens.distinct_change import (
    DistinctChange,
    independent,
)
from pytest_compile_golden.goldens.independent_changes.of_graphs import Graphs
from pytest_compile_golden.goldens.same_nodes import (
    accessing_alike,
    reordered,
    stored_instead,
)
from pytest_compile_golden.stages import rank

OF_DIGESTS = frozenset({"size-changed", "step-reconnected", "step-reordered"})
"""Changes of a step of which only a digest says that it differs."""
_OF_STEPS = OF_DIGESTS | {"contents-changed", "pass-changed"}
"""Changes of a step that is known by an inventory of what it holds."""


def of_schedules(
    compared: Sequence[Compared],
    own: Sequence[DistinctChange],
    graphs: Graphs,
    of_same_nodes: Mapping[str, Sequence[changes.Change]],
    made: kernel_changes.MadeByLowering,
) -> Iterator[DistinctChange]:
    """Changes of operations and of groups, and of which results are stored.

    of_same_nodes: by graph, what the schedule makes otherwise of nodes that both sides have. made: see
    `made_by_lowering`.
    """
    alike = accessing_alike(compared)
    told = {change.what.key for change in own}
    for graph, edits in schedule_edits(compared).items():
        anywhere, about = made(graph)
        for edit in of_same_nodes.get(graph, ()):
            # Which kernel makes a value is known to follow from nothing that is stored otherwise. Where all operations
            # are the same, the groups themselves tell it.
            alone = (
                graph not in alike
                and told.isdisjoint(
                    each.key for each in edits if each.code in OF_GROUPS
                )
                if edit.code in OF_GROUPS
                else not (anywhere or about & subjects(edit))
            )
            if alone and not (edit.follows or edit.is_notation):
                yield independent("scheduler_nodes", edit)
        for edit in edits:
            # The same place is read, which says that nothing before asked for another; and operations that access the
            # same are fused otherwise for their own sake, whatever they compute.
            if not edit.follows and (
                edit.code == "index-written"
                or (edit.code in OF_GROUPS and graph in alike)
            ):
                yield independent("scheduler_nodes", edit)
        changed = graphs.difference(graph)
        if changed is None:
            continue
        for edit in edits:
            touched = frozenset(map(base, edit.touches))
            # Which is decided for that call, whatever else is computed.
            if edit.code == "inputs-copied-for":
                # A copy that the graph itself has, or no longer has, is none for a library.
                alone = touched.isdisjoint(changed.new) and changed.new.isdisjoint(
                    GRAPH_COPIES
                )
            else:
                alone = (
                    not anywhere
                    and touched.isdisjoint(changed.near | about)
                    and about.isdisjoint(subjects(edit))
                )
            if touched and alone and not (edit.follows or edit.is_notation):
                yield independent("scheduler_nodes", edit)
    yield from _stored(compared, own)
    yield from _remainders(compared)


def _stored(
    compared: Sequence[Compared], own: Sequence[DistinctChange]
) -> Iterator[DistinctChange]:
    """Which results are stored instead of inlined, unless it follows from a change of what comes before kernels."""
    # Which operations are in one kernel, and in which order these run, is decided after what is stored.
    scheduled = [
        one.what
        for one in own
        if rank("lowering") <= rank(one.stage) < rank("codegen")
        and one.code not in OF_GROUPS | {"operations-moved"}
    ]
    operators = [
        base(what.subject)
        for what in scheduled
        if isinstance(what, BecameOther) and what.code == "lowered-differently"
    ]
    # An operator that is lowered otherwise decides what is stored around it; of any other change, nothing says where.
    if len(operators) == len(scheduled):
        stored = stored_instead(compared, operators)
        if stored is not None:
            yield independent("scheduler_nodes", stored)


def of_order(
    compared: Sequence[Compared], own: Sequence[DistinctChange]
) -> Iterator[DistinctChange]:
    """That operations of the same nodes run in another order, unless it is told."""
    if reordered(compared) and not any(
        isinstance(change.what, OperationsMoved) for change in own
    ):
        yield independent("scheduler_nodes", OperationsMoved(()))


def _remainders(compared: Sequence[Compared]) -> Iterator[DistinctChange]:
    """A remainder of a remainder in an index of a schedule that is one on the other side: no place is another."""
    for change in compared:
        if change.stage != "scheduler_nodes" or not (change.old and change.new):
            continue
        old, new = twice(change.old), twice(change.new)
        # Loops have other names where others run around them, so that only all or none can be compared.
        if bool(old) != bool(new):
            nested, one = next(iter((old or new).items()))
            sides = (nested, one) if old else (one, nested)
            written = Replaced("index-written", *sides)
            yield independent(change.stage, written)


def made_by_lowering(
    compared: Sequence[Compared],
    own: Sequence[DistinctChange],
    of_same_nodes: Mapping[str, Sequence[changes.Change]],
) -> kernel_changes.MadeByLowering:
    """For each graph, the operators that the case's own changes of lowering and scheduling are about, as far as they
    may have changed that graph, and whether one of them may be about any operator."""
    lowered = [
        change
        for change in own
        if rank("lowering") <= rank(change.stage) < rank("codegen")
    ]
    # Over all graphs, although only in one it may be told by the operations.
    counted = {
        change.what.key for change in lowered if change.stage != "scheduler_nodes"
    }
    edits = schedule_edits(compared)
    in_graph = {
        graph: {edit.key for edit in (*edits[graph], *of_same_nodes.get(graph, ()))}
        for graph in edits
    }
    told = {key for keys in in_graph.values() for key in keys}
    same = {
        prefix(change) + name
        for change in compared
        if change.stage == "scheduler_nodes" and change.documents is not None
        for name in same_operations(*change.documents)
    }

    @cache
    def made(graph: str) -> tuple[bool, frozenset[str]]:
        concern = [
            change
            for change in lowered
            if (
                change.what.key in in_graph.get(graph, ())
                or change.what.key not in told
                if change.stage == "scheduler_nodes" and change.what.key not in counted
                # What the loops of operations compute may differ although the operations are the same.
                else graph not in same or change.code in _OF_STEPS
            )
        ]
        # Of an option, its value names nothing that is computed.
        about = (
            (change.what.name,)
            if isinstance(change.what, AttributeChanged)
            else (*subjects(change.what), *map(base, change.what.touches))
            for change in concern
        )
        # Of steps that are known by what they hold, nothing says which of the program's operators these compute.
        anywhere = any(change.code in _OF_STEPS for change in concern)
        return anywhere, frozenset(name for names in about for name in names)

    return made
