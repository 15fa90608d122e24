"""Which of a case's changes a difference in what it costs belongs to."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from pytest_compile_golden.changes.change import MINOR, NOTED, Change
from pytest_compile_golden.changes.graphs import (
    OperatorsChanged,
    PassChanged,
    TypeChanged,
)
from pytest_compile_golden.changes.numbers import EntriesChanged
from pytest_compile_golden.changes.schedules import OperationsMoved
from pytest_compile_golden.changes.trail import ResultsStored
from pytest_compile_golden.formats.metrics.metric_table import (
    LISTED,
    LISTS,
)
from pytest_compile_golden.goldens.case_changes import CaseChanges
from pytest_compile_golden.goldens.compare_artifact import Compared
from pytest_compile_golden.goldens.consequences import (
    GraphDifference,
    base,
    graph_differences,
    prefix,
    saved_differences,
    schedule_edits,
    subjects,
)
from pytest_compile_golden.goldens.cost_facts import peaks
from pytest_compile_golden.goldens.distinct_change import DistinctChange
from pytest_compile_golden.goldens.graph_values import Node
from pytest_compile_golden.goldens.pass_changes import ARITHMETIC
from pytest_compile_golden.goldens.ranking import (
    COUNTED_OTHERWISE,
    UNEXPLAINED,
    JudgedNumber,
    metric_key,
    metric_name,
)
from pytest_compile_golden.goldens.same_nodes import edits_of_same_nodes, reordered
from pytest_compile_golden.goldens.value_costs import (
    LaunchDifference,
    ValueDifference,
    value_differences,
)
from pytest_compile_golden.goldens.value_owners import ValueOwners, may_move
from pytest_compile_golden.stages import rank

_FREE = frozenset({"index-written", "strictness-changed"})
"""Changes that cost nothing: the same place costs the same, however its index is written, and so does a comparison that
is strict."""
_ACCESSES = frozenset(
    {
        "loop-dimensions",
        "loops-reordered",
        "index-changed",
        "index-written",
        "rows-padded",
    }
)
"""Changes of where operations read and write."""
_BEFORE_KERNELS = frozenset({"graphs", "graph_breaks", "recompiles"})
_INDUCTOR = "torch/_inductor/"
_MADE_CONSTANT = re.compile(rf"^  specialised (\w+) = .* by {_INDUCTOR}", re.MULTILINE)
_WORD = re.compile(r"\w+")


class Owner(NamedTuple):
    """The change that a difference belongs to."""

    key: str
    """UNEXPLAINED if no change owns it, and COUNTED_OTHERWISE if torch counts it differently although the same runs."""
    guessed: bool = False
    """Whether nothing connects it with the change but that there is no other."""


NO_OWNER, COUNTED = Owner(UNEXPLAINED), Owner(COUNTED_OTHERWISE)
Shares = Mapping[Owner, float]
"""By how much each change moves a number."""


def only_owner(owners: Collection[Owner]) -> Owner | None:
    """The only one of these; unexplained if they are several, and None if there is none."""
    if not owners:
        return None
    return next(iter(owners)) if len({each.key for each in owners}) == 1 else NO_OWNER


def only_change(changes: Sequence[DistinctChange]) -> Owner:
    """The only one of these; what belongs to one of several is unexplained."""
    return Owner(changes[0].key, guessed=True) if len(changes) == 1 else NO_OWNER


def _removes_arithmetic(change: DistinctChange) -> bool:
    """Whether a pass only removes arithmetic that has no effect, such as a product with 1, which is computed where its
    result is: nothing is read or written less."""
    what = change.what
    if not isinstance(what, PassChanged) or what.made or what.unmade or what.kept:
        return False
    return bool(what.removed) and all(
        base(name) in ARITHMETIC for name, _ in what.removed
    )


def _is_order(change: DistinctChange) -> bool:
    """Whether only the order is another in which operations run, beside what else changed."""
    return change.apart and isinstance(change.what, OperationsMoved)


def _among_edits(change: Change) -> str:
    """By what a change is known among the edits of a graph: what is stored or inlined is one change of all graphs."""
    return change.code if isinstance(change, ResultsStored) else change.key


class CostOwners:
    """Finds which of a case's changes a difference belongs to."""

    def __init__(self, compared: Sequence[Compared], found: CaseChanges) -> None:
        self.found = found
        self._about = {change.key: subjects(change.what) for change in found.own}
        computing = [
            change
            for change in found.own
            if change.what.kind not in MINOR and change.code not in _FREE
        ]
        if any(
            isinstance(change.what, TypeChanged) and change.what.is_layout
            for change in computing
        ):
            # What is laid out differently is read and written differently, whatever is computed of it.
            computing = [
                change
                for change in computing
                if not (change.apart and change.code == "decomposed-differently")
            ]
        scheduled = rank("lowering")
        self._of_graphs = [
            change for change in computing if rank(change.stage) < scheduled
        ]
        self._splits = [
            change
            for change in self._of_graphs
            if change.stage in ("forward_graph", "backward_graph")
        ]
        self._saved_instead = next(
            (each for each in self._splits if each.code == "saved-instead"), None
        )
        self.of_schedules = [
            change
            for change in computing
            if scheduled <= rank(change.stage) < rank("wrapper_code")
            and not _is_order(change)
        ]
        self.order = next(filter(_is_order, found.own), None)
        self._computing = computing
        self._fused, self._no_longer_fused = (
            frozenset(each.key for each in computing if each.code == code)
            for code in ("fused", "fusion-lost")
        )
        self._removing = {
            change.key for change in computing if _removes_arithmetic(change)
        }
        self._not_unpacked = next(
            (each for each in found.own if each.code == "not-unpacked"), None
        )
        self._adding, self._dropping = (
            frozenset(
                each.key
                for each in computing
                if isinstance(each.what, OperatorsChanged)
                and bool(each.what.come) == more
                and bool(each.what.gone) != more
            )
            for more in (True, False)
        )
        self._breaks = [
            change for change in computing if change.topic in ("breaks", "lost")
        ]
        made_constant = (
            change
            for change in found.own
            if isinstance(change.what, EntriesChanged)
            and change.stage == LISTS
            and " = " in change.what.what
            and (change.where or "").startswith(_INDUCTOR)
        )
        self._size = next(made_constant, None)
        self._with_sizes = _with_other_sizes(compared) if self._size else frozenset()
        self.compared = compared
        self.edits = schedule_edits(compared)
        self._owner_of: dict[ValueDifference, Owner] = {}
        self.costs = value_differences(compared)
        self.peaks = peaks(compared)
        self.costs_known = bool(self.costs) and all(
            found.recorded for found in self.costs.values()
        )

    def differences(self, name: str, capture: str) -> Iterator[tuple[Owner, float]]:
        """By how much each value of a capture moves a metric that is a sum over kernels, with its owner."""
        for graph, found in self.costs.items():
            if not graph.startswith(capture):
                continue
            if name in ("kernels", "extern_kernels"):
                for launched in found.launches:
                    number = launched.kernels if name == "kernels" else launched.calls
                    yield self._of_launch(launched), number
            else:
                for moved in found.nbytes if name == "bytes_accessed" else found.flops:
                    if moved.amount:
                        yield self.of_value(moved), moved.amount

    def recorded(self, name: str, capture: str) -> bool:
        """Whether it is known how much each kernel adds to a metric."""
        return name in ("kernels", "extern_kernels") or all(
            found.recorded
            for graph, found in self.costs.items()
            if graph.startswith(capture)
        )

    @property
    def differs(self) -> bool:
        """Whether any kernel moves more or less than before."""
        return any(self.moves(graph) for graph in self.costs)

    def moves(self, graph: str) -> bool:
        """Whether kernels move more or less in a graph, in whichever values."""
        return graph in self.costs and bool(
            sum(each.amount for each in self.costs[graph].nbytes)
        )

    def _of_launch(self, launched: LaunchDifference) -> Owner:
        """The owner of kernels that make other values than before, or of their number, if all causes have one; of C++
        kernels that make the same, the order in which their loops and library calls run, if that is another."""
        order = self.of_order(launched.graph)
        if (
            launched.runs_loops
            and order != NO_OWNER
            and all(each.shown == "launched" for each in launched.causes)
        ):
            return order._replace(guessed=False)
        owner = only_owner({*map(self.of_value, launched.causes)}) or NO_OWNER
        if (
            owner.key in self._removing
            and launched.runs_loops
            and self._not_unpacked is not None
            and any(
                edit.code == self._not_unpacked.code
                for edit in self.edits.get(launched.graph, ())
            )
        ):
            # Loops on both sides of what takes out a result are one kernel where nothing does.
            return Owner(self._not_unpacked.key)
        return owner

    def is_contrary(self, owner: Owner, name: str, amount: float) -> bool:
        """Whether that change cannot move a metric by so much: what is fused makes no more kernels, and what is fused
        no longer makes no fewer; where arithmetic is only removed, no more is computed, and as many kernels run; and
        what only calls more reads and writes no less."""
        if name == "kernels":
            contrary = self._fused if amount > 0 else self._no_longer_fused
            return owner.key in contrary | self._removing
        if name == "bytes_accessed":
            return owner.key in (self._dropping if amount > 0 else self._adding)
        return name == "flops" and amount > 0 and owner.key in self._removing

    def of_value(self, moved: ValueDifference) -> Owner:
        """The change that a value costs more or less for, or the only one that costs anything."""
        if moved not in self._owner_of:
            self._owner_of[moved] = self._of_value(moved)
        return self._owner_of[moved]

    def _of_value(self, moved: ValueDifference) -> Owner:
        if moved.shown == "counted":
            return COUNTED
        found = self.of_values.owner(moved)
        if found is None:
            # What is stored may be in a kernel of its own for another reason.
            several = [
                change
                for change in self._costing
                if may_move(change, moved)
                and (
                    moved.shown != "launched"
                    or not isinstance(change.what, ResultsStored)
                )
            ]
            owner = only_change(several)
            return COUNTED if owner == NO_OWNER and moved.is_awaited else owner
        made_constant = (
            self._size is not None
            and moved.graph in self._with_sizes
            and found in self.of_schedules
            # A copy costs the same, whether or not a size of it is a constant.
            and found.code != "inputs-copied-for"
        )
        return Owner(self._size.key if self._size and made_constant else found.key)

    @cached_property
    def _costing(self) -> list[DistinctChange]:
        """The changes that may move what kernels move and compute: what is guarded costs nothing of that."""
        return [
            change
            for change in self._computing
            if change.topic not in ("guards", "breaks")
            and change.what.kind not in NOTED
        ]

    @cached_property
    def of_values(self) -> ValueOwners:
        return ValueOwners(
            self.compared,
            self._of_graphs,
            self.of_schedules,
            self._may_be_in,
            self._operations_of,
            self.best,
        )

    @cached_property
    def _joint(self) -> dict[str, GraphDifference]:
        return graph_differences(self.compared, "joint_graph")

    @cached_property
    def saved(self) -> dict[str, Counter[str]]:
        return saved_differences(self.compared)

    def itself(self, metric: JudgedNumber) -> str | None:
        """The key of a change that is this number, or of what lists one by one what it counts; None for any other."""
        every = (*self.found.own, *self.found.secondary)
        key = metric_key(metric)
        if any(change.key == key for change in every):
            return key
        if metric_name(metric) in LISTED:
            return next(
                (change.key for change in self.found.own if change.stage == LISTS),
                None,
            )
        return None

    @cached_property
    def reordered(self) -> dict[str, int]:
        return reordered(self.compared)

    def scheduled(self, graph: str) -> list[DistinctChange]:
        """The changes of the schedule of a graph."""
        edits = self.edits.get(graph)
        codes = None if edits is None else {edit.code for edit in edits}
        # What operations there are before fusion shows in a schedule as whatever follows from it.
        return [
            change
            for change in self.of_schedules
            if self._may_be_in(change, graph)
            and (
                codes is None
                or change.what.code in codes
                or (codes and change.stage == "lowered_ir")
            )
        ]

    def _may_be_in(self, change: DistinctChange, graph: str) -> bool:
        """Whether a change of schedules is an edit of this graph, or of none, as its stage tells it otherwise."""
        key = _among_edits(change.what)
        graphs = {name for name, keys in self._edit_keys.items() if key in keys}
        return graph in graphs or not graphs

    def _operations_of(self, change: DistinctChange, graph: str) -> frozenset[Node]:
        """The operations of a graph that a change of groups is about, as far as they are known."""
        return self.costs[graph].regrouped.get(change.what.key, frozenset())

    @cached_property
    def _edit_keys(self) -> dict[str, set[str]]:
        """By graph, the keys of how its schedule changed."""
        of_same_nodes = edits_of_same_nodes(self.compared)
        keys = {
            graph: {
                _among_edits(edit) for edit in (*edits, *of_same_nodes.get(graph, ()))
            }
            for graph, edits in self.edits.items()
        }
        # With as many operations as before, a schedule need not show that other results are stored.
        for graph, found in self.costs.items():
            if graph in keys and any(each.shown == "stored" for each in found.nbytes):
                keys[graph].add("results-stored")
        return keys

    def best(
        self, changes: Sequence[DistinctChange], names: Collection[str]
    ) -> DistinctChange | None:
        """The change that is about most of these operators, and of several the one that is about the least else. Where
        operations access a buffer is the cause only if nothing else is."""
        common = {
            change.key: len(self._about[change.key] & {*names}) for change in changes
        }
        about = [change for change in changes if common[change.key]]
        others = [change for change in about if change.code not in _ACCESSES]
        return max(
            others or about,
            key=lambda change: (common[change.key], -len(self._about[change.key])),
            default=None,
        )

    def of_nothing(self, name: str) -> Owner:
        """The owner of a number that no value moves: what breaks graphs, if the sides have other ones; or the only
        change, if it is not known what kernels were made of."""
        if self._breaks:
            return only_change(self._breaks)
        return NO_OWNER if self.costs else self.only(name)

    def order_that_makes(self, kernels: float, capture: str) -> Owner | None:
        """The change of the order, if it alone makes so many kernels more of a capture, as calls now run between loops
        that were one kernel, or so many fewer; or if no loop reads or writes more or less."""
        more = [
            number
            for graph, number in self.reordered.items()
            if graph.startswith(capture)
        ]
        moves = any(
            self.moves(graph) for graph in self.costs if graph.startswith(capture)
        )
        if self.order is None or not more or (sum(more) != kernels and moves):
            return None
        return Owner(self.order.key)

    def of_order(self, graph: str) -> Owner:
        """The change of the order in which operations run, if it is one of this graph."""
        if self.order is None or graph not in self.reordered:
            return NO_OWNER
        return Owner(self.order.key, guessed=True)

    def of_saved(self, capture: str, amount: float) -> Shares:
        """The owners of what forward keeps for backward: of each result that only one side keeps, the change that is
        about its operator, or the only one of what splits the graph, or the only one of graphs where that is near."""
        splits = self._splits
        instead = [] if self._saved_instead is None else [self._saved_instead]
        several = instead or (splits if len(splits) == 1 else self._of_graphs)
        saved = self.saved.get(capture, Counter())
        if saved.total() != amount:  # it is not known what
            return {only_change(several): amount}
        joint = [each for name, each in self._joint.items() if name.startswith(capture)]
        near = {name for each in joint for name in each.near}
        amounts = defaultdict[Owner, float](float)
        for operator, number in saved.items():
            shown = self.of_values.of_saved({operator})
            if shown is not None:
                amounts[Owner(shown.key)] += number
            else:
                amounts[
                    only_change(
                        several
                        if len(splits) == 1 or not joint or operator in near
                        else ()
                    )
                ] += number
        return {owner: number for owner, number in amounts.items() if number}

    def only(self, name: str) -> Owner:
        """For a number that is no sum over kernels: the only change that is not bookkeeping, if there is one."""
        if name == "thread_starts":
            started = [
                change
                for change in self._computing
                if change.code == "threads-in-loops"
            ]
            if started:
                return Owner(started[0].key)
        computed = [
            change
            for change in self._costing
            if name == "flops" or not _removes_arithmetic(change)
        ]
        if name in _BEFORE_KERNELS and self._breaks:
            computed = self._breaks
        return only_change(computed)


def _with_other_sizes(compared: Sequence[Compared]) -> frozenset[str]:
    """The graphs in whose schedule more results have a size on one side, since Inductor makes it a constant on the
    other, as soon as something asks for its value."""
    sizes = set[str]()
    for change in compared:
        if change.stage == LISTS:
            old, new = map(_MADE_CONSTANT.findall, (change.old, change.new))
            sizes |= {*old} ^ {*new}
    found = set[str]()
    for change in compared:
        if change.stage != "scheduler_nodes":
            continue
        named: tuple[dict[str, Counter[str]], dict[str, Counter[str]]] = {}, {}
        for of_side, schedules in zip(named, change.documents or (), strict=False):
            for schedule in schedules:
                outputs = " ".join(
                    output
                    for operation in schedule.operations
                    for output in operation.outputs
                )
                words = (word for word in _WORD.findall(outputs) if word in sizes)
                of_side.setdefault(prefix(change) + schedule.label, Counter()).update(
                    words
                )
        found |= {graph for graph in named[0] if named[0][graph] != named[1].get(graph)}
    return frozenset(found)
