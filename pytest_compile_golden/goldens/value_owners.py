"""Which of a case's changes a value costs more or less for, by the nodes, buffers and kernels that show it.

A change of graphs owns what nodes show that differ first where it does itself; one of schedules owns what kernels or
buffers show of the operators that it is about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import cached_property

from pytest_compile_golden.changes.common_types import Exchanged
from pytest_compile_golden.changes.graphs import INPUT, TypeChanged
from pytest_compile_golden.changes.schedules import OF_GROUPS
from pytest_compile_golden.changes.trail import ResultsStored
from pytest_compile_golden.formats.graphs.equivalence import Pairs
from pytest_compile_golden.goldens.compare_artifact import Compared
from pytest_compile_golden.goldens.consequences import base, prefix
from pytest_compile_golden.goldens.distinct_change import DistinctChange
from pytest_compile_golden.goldens.graph_values import Node
from pytest_compile_golden.goldens.independent_changes.of_graphs import OF_SPLITS
from pytest_compile_golden.goldens.same_nodes import replaced_in_place
from pytest_compile_golden.goldens.value_costs import ValueDifference
from pytest_compile_golden.stages import rank

_OF_LAUNCHES = OF_GROUPS | {"operation-kinds", "reduction-steps", "library-called"}
"""Changes of how many kernels and calls make the same values."""
_OF_KINDS = ("operation-kinds", "operations-changed")
"""Changes of which kinds of operations there are, before any of them is fused."""
_JOINT, _SPLIT, _LATER = "joint_graph", "forward_graph", "post_grad_graph"
"""Where nodes differ first: before the joint graph is split in two, because it is split otherwise, or after that."""


class ValueOwners:
    """Finds the change that a value costs more or less for.

    of_graphs: the case's changes of graphs, in the order of the stages. of_schedules: those of what becomes of a graph.
    is_of: whether one of the latter may be a change of a graph. operations_of: those of a graph that a change of
    groups is about, as far as they are known. best: the one of several that is about most of these operators; None if
    none is.
    """

    def __init__(
        self,
        compared: Sequence[Compared],
        of_graphs: Sequence[DistinctChange],
        of_schedules: Sequence[DistinctChange],
        is_of: Callable[[DistinctChange, str], bool],
        operations_of: Callable[[DistinctChange, str], frozenset[Node]],
        best: Callable[
            [Sequence[DistinctChange], Collection[str]], DistinctChange | None
        ],
    ) -> None:
        self._compared = compared
        self._of_graphs = of_graphs
        self._of_schedules = of_schedules
        self._is_of = is_of
        self._operations_of = operations_of
        self._best = best
        splits = [change for change in of_graphs if change.stage in OF_SPLITS]
        self.of_split = next(
            (change for change in splits if change.code == "saved-instead"),
            next(iter(splits), None),
        )
        """The change of what is kept for backward, or computed again there."""

    def owner(self, moved: ValueDifference) -> DistinctChange | None:
        """The change that shows in a difference; None if nothing shows whose it is."""
        here = [
            change
            for change in self._of_schedules
            if self._is_of(change, moved.graph)
            # An operation is the same in whichever kernel it runs.
            and not (moved.is_computed and change.code in OF_GROUPS)
            and may_move(change, moved)
        ]
        storing = [each for each in here if isinstance(each.what, ResultsStored)]
        # What differs in the kernels may also follow from nodes that differ there.
        found, near = None, self._of_graphs
        match moved.shown:
            case "nodes":
                grouping = [
                    each
                    for each in here
                    if each.code in OF_GROUPS and self._may_group(each, moved)
                ]
                replaced = len({side for side, _ in moved.nodes | moved.region}) == 2
                # What no kernel writes to memory moves nothing.
                in_memory = [
                    each
                    for each in here
                    if isinstance(each.what, ResultsStored)
                    and (moved.is_computed or not each.what.within_kernels)
                ]
                stored = moved.near_stored and (
                    self._best(in_memory, moved.near)
                    if moved.is_computed
                    else bool(in_memory)
                )
                if stored or (
                    replaced and self._best(grouping, moved.operators | moved.near)
                ):
                    # Where some are computed more often, or what is in their place is fused otherwise, nothing says
                    # what of it is whose.
                    return None
                found, near = self._of_nodes(moved), []
            case "saved":
                return self._of_saved_value(moved)
            case "copied":
                found = (
                    self._best_of(here, {"inputs-copied-for"}, moved.operators)
                    or self._best_of(here, {"library-called"}, moved.operators)
                    # A copy that is fused with what makes the value is read by the call alone.
                    or self._best_of(here, OF_GROUPS, moved.operators)
                    # For a call that only one side has, something may be copied on that side alone.
                    or (self._of_nodes(moved) if moved.nodes else None)
                )
            case "stored":
                found = (
                    self._best(storing, moved.operators)
                    or self._best(
                        [each for each in here if each.code not in OF_GROUPS],
                        moved.operators,
                    )
                    or _only(storing)
                    # Where lowering ends a chain of operators is one decision for all graphs.
                    or self._best(
                        [
                            each
                            for each in self._of_schedules
                            if isinstance(each.what, ResultsStored)
                        ],
                        moved.operators,
                    )
                )
            case "grouped" | "launched":
                codes = _OF_LAUNCHES if moved.shown == "launched" else OF_GROUPS
                grouping = [each for each in here if each.code in codes]
                found = self._of_groups(grouping, moved)
                if found is None and not moved.near:
                    found = _only(
                        [each for each in grouping if self._may_group(each, moved)]
                    )
                if found is None and moved.shown == "launched":
                    found = self._best(
                        [each for each in here if each not in storing], moved.operators
                    )
                # What is computed by operations of another kind is grouped otherwise because of that.
                if found is None:
                    found = self._best_of(here, _OF_KINDS, moved.operators)
                # What only one side writes to memory is said where it is told what is stored.
                written = moved.shown == "grouped" and moved.is_made
                if found is None and (moved.near_stored or written) and not grouping:
                    found = _only(storing)
                if grouping or moved.graph in self._in_place:
                    near = []
            case "accessed":
                layouts = [
                    each
                    for each in self._of_graphs
                    if isinstance(each.what, TypeChanged) and each.what.is_layout
                ]
                found = (
                    self._best(here, moved.operators)
                    or self._best(layouts, moved.operators)
                    or _only(layouts)
                )
        if found is None and moved.near_saved:
            found = self.of_split
        # Which kernels use a value may follow from what differs in any of them, if nothing is stored otherwise.
        around = moved.near or (frozenset() if storing else moved.around)
        if found is None and around:
            found = self._best(near, around) or _only(near)
        return found

    def _may_group(self, change: DistinctChange, moved: ValueDifference) -> bool:
        """Whether a change of groups is about any of the operations that make or read a value, as far as they are
        known."""
        known = self._operations_of(change, moved.graph)
        return not (known and moved.operations) or not known.isdisjoint(
            moved.operations
        )

    def _of_groups(
        self, grouping: Sequence[DistinctChange], moved: ValueDifference
    ) -> DistinctChange | None:
        """The change of groups that has most of the operations that make or read a value; of those whose operations are
        not known, the one that is about most of its operators."""
        operations = {
            change.key: self._operations_of(change, moved.graph) for change in grouping
        }
        common = [len(operations[each.key] & moved.operations) for each in grouping]
        most = max(common, default=0)
        sharing = [
            each
            for each, number in zip(grouping, common, strict=True)
            if number == most > 0
        ]
        unknown = [each for each in grouping if not operations[each.key]]
        return self._best(sharing or unknown, moved.operators) or _only(sharing)

    def _of_saved_value(self, moved: ValueDifference) -> DistinctChange | None:
        operators = moved.operators
        joint = self._pairs.get((_JOINT, _joint(moved.graph)))
        if not operators and joint is not None:
            # Backward is given it by the name that it has in the joint graph.
            makers = (joint.made_by(side, node) for side, node in moved.nodes)
            operators = frozenset(
                INPUT if made is None else base(made.target) for made in makers
            )
        alone = all(change.stage in OF_SPLITS for change in self._of_graphs)
        return self.of_saved(operators) or (self.of_split if alone else None)

    def of_saved(self, operators: Collection[str]) -> DistinctChange | None:
        """The change that values of these operators are saved for backward because of, or no longer are."""
        split, saved = self.of_split, {*operators}
        if split is not None and isinstance(split.what, Exchanged):
            # Beside what is saved, it is about what is computed again because of it.
            saved &= {base(name) for name, _ in (*split.what.gone, *split.what.come)}
        others = [each for each in self._of_graphs if each is not split]
        found = None if split is None else self._best([split], saved)
        return found or self._best(others, operators)

    def _best_of(
        self,
        changes: Sequence[DistinctChange],
        codes: Collection[str],
        operators: Collection[str],
    ) -> DistinctChange | None:
        return self._best([each for each in changes if each.code in codes], operators)

    def _of_nodes(self, moved: ValueDifference) -> DistinctChange | None:
        return (
            self._where_they_differ(moved.graph, moved.nodes, moved.operators)
            or self._best(self._of_graphs, moved.operators)
            # What a pass makes of nodes follows from what made these differ.
            or self._where_they_differ(moved.graph, moved.region, moved.called_around)
            or _only(self._of_graphs)
        )

    def _where_they_differ(
        self, graph: str, nodes: Collection[Node], operators: Collection[str]
    ) -> DistinctChange | None:
        """The change that is about these operators, of those of the stages in which these nodes differ first."""
        firsts = {self._first(graph, *node) for node in nodes}
        # Of a graph that is not split, nothing before its last form says where nodes differ first.
        changes = [
            change
            for change in self._of_graphs
            if _place(change.stage) in firsts or not self._is_known_before(graph)
        ]
        if (found := self._best(changes, operators)) is not None:
            return found
        # What is kept or computed again is told with the operators of the joint graph.
        alone = all(change.stage in OF_SPLITS for change in changes)
        if alone and _SPLIT in firsts:
            return self.of_split
        return _only(changes)

    def _is_known_before(self, graph: str) -> bool:
        """Whether it is known what a graph is before passes make of it what reaches Inductor."""
        return (_JOINT, _joint(graph)) in self._pairs or any(
            (stage, graph) in self._pairs for stage in OF_SPLITS
        )

    def _first(self, graph: str, side: int, node: str) -> str:
        """Where a node differs first."""
        for place, stages, name in (
            (_JOINT, (_JOINT,), _joint(graph)),
            (_SPLIT, OF_SPLITS, graph),
        ):
            for stage in stages:
                matched = self._pairs.get((stage, name))
                if matched is not None and node in matched.differ[side]:
                    return place
        return _LATER

    @cached_property
    def _pairs(self) -> dict[tuple[str, str], Pairs]:
        """By stage and graph, the pairs of its nodes."""
        return {
            (change.stage, prefix(change) + name): matched
            for change in self._compared
            if change.stage in (_JOINT, *OF_SPLITS)
            for name, matched in change.graph_pairs.items()
        }

    @cached_property
    def _in_place(self) -> set[str]:
        return replaced_in_place(self._compared)


def may_move(change: DistinctChange, moved: ValueDifference) -> bool:
    """Whether a change may be why a value costs more or less: how a kernel is written is no reason that there is
    another, or that a value is in memory."""
    return (
        moved.is_computed
        or moved.shown == "accessed"
        or rank(change.stage) < rank("codegen")
    )


def _place(stage: str) -> str:
    """Where nodes differ first because of a change that shows first at a stage."""
    if rank(stage) <= rank(_JOINT):
        return _JOINT
    return _SPLIT if stage in OF_SPLITS else _LATER


def _joint(graph: str) -> str:
    """The graph that one is a part of."""
    return re.sub("_(forward|backward)$", "_joint", graph)


def _only(changes: Sequence[DistinctChange]) -> DistinctChange | None:
    """The only one of these."""
    return changes[0] if len(changes) == 1 else None
