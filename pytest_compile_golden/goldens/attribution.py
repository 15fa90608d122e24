"""Which of a case's changes moves how much of each number: a cost is a sum over pairs of kernels, each with an owner.

A number such as `bytes_accessed` is a sum over kernels. The kernels of both sides are paired, and what differs in a
pair belongs to the change that the pair shows: one of the graph, if the kernels compute nodes that only one side has,
or one of the schedule, if they compute the same otherwise. A difference that no change owns is unexplained.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from pytest_compile_golden.changes.change import MINOR, NOTED, Change
from pytest_compile_golden.changes.graphs import (
    OperatorsChanged,
    PassChanged,
    TypeChanged,
)
from pytest_compile_golden.changes.numbers import EntriesChanged
from pytest_compile_golden.changes.schedules import OF_GROUPS, OperationsMoved
from pytest_compile_golden.changes.trail import ContentsChanged, ResultsStored
from pytest_compile_golden.formats.metrics.metric_table import (
    DIRECTIONS,
    LISTED,
    LISTS,
    NOT_COMPARED,
)
from pytest_compile_golden.goldens.case_changes import CaseChanges
from pytest_compile_golden.goldens.compare_artifact import Compared
from pytest_compile_golden.goldens.consequences import (
    GraphDifference,
    base,
    graph_differences,
    prefix,
    reads_attribute,
    saved_differences,
    schedule_edits,
    subjects,
)
from pytest_compile_golden.goldens.distinct_change import DistinctChange
from pytest_compile_golden.goldens.kernel_costs import (
    CostDifference,
    cost_differences,
)
from pytest_compile_golden.goldens.kernel_pairs import peaks
from pytest_compile_golden.goldens.pass_changes import ARITHMETIC
from pytest_compile_golden.goldens.peak_memory import PeakDifference, peak_differences
from pytest_compile_golden.goldens.ranking import (
    COUNTED_OTHERWISE,
    UNEXPLAINED,
    JudgedNumber,
    Parts,
    metric_key,
    metric_name,
)
from pytest_compile_golden.goldens.same_nodes import (
    accessing_alike,
    edits_of_same_nodes,
    reordered,
    replaced_in_place,
)
from pytest_compile_golden.goldens.value_costs import (
    ValueDifference,
    value_differences,
)
from pytest_compile_golden.goldens.value_owners import ValueOwners
from pytest_compile_golden.stages import rank

_OF_KERNELS = ("bytes_accessed", "flops", "least_time", "kernels", "extern_kernels")
"""Metrics that are sums over kernels."""
_OF_COMPUTING = frozenset({"flops", "least_time"})
"""Those that another computation moves, also where it reads and writes the same."""
_LAUNCHES = frozenset({"kernels", "extern_kernels"})
_OF_KERNELS_MADE = OF_GROUPS | {"operation-kinds", "reduction-steps"}
"""Changes of how many kernels make the same values."""
_BEFORE_KERNELS = frozenset({"graphs", "graph_breaks", "recompiles"})
_FREE = frozenset({"index-written", "strictness-changed"})
"""Changes that cost nothing: the same place costs the same, however its index is written, and so does a comparison that
is strict."""
_ACCESSES = frozenset(
    {"loop-dimensions", "index-changed", "index-written", "rows-padded"}
)
"""Changes of where operations read and write."""
_INDUCTOR = "torch/_inductor/"
_MADE_CONSTANT = re.compile(rf"^  specialised (\w+) = .* by {_INDUCTOR}", re.MULTILINE)
_WORD = re.compile(r"\w+")


class Owner(NamedTuple):
    """The change that a difference belongs to."""

    key: str
    """UNEXPLAINED if no change owns it, and COUNTED_OTHERWISE if torch counts it differently although the same runs."""
    guessed: bool = False
    """Whether nothing connects it with the change but that there is no other."""


_UNEXPLAINED, _COUNTED_OTHERWISE = Owner(UNEXPLAINED), Owner(COUNTED_OTHERWISE)
Shares = Mapping[Owner, float]
"""By how much each change moves a number."""


def parts(
    compared: Sequence[Compared], found: CaseChanges, metrics: Sequence[JudgedNumber]
) -> dict[str, Parts]:
    """For each of a case's metrics that moved, by how much each change moves it, by the key of the change."""
    return {
        name: summed(of_metric)
        for name, of_metric in shares(compared, found, metrics).items()
    }


def summed(of_metric: Shares) -> Parts:
    """The shares by the keys of changes."""
    amounts = defaultdict[str, float](float)
    for owner, amount in of_metric.items():
        amounts[owner.key] += amount
    return {key: amount for key, amount in amounts.items() if amount}


def shares(
    compared: Sequence[Compared], found: CaseChanges, metrics: Sequence[JudgedNumber]
) -> dict[str, Shares]:
    """For each of a case's metrics that moved, by how much each change moves it.

    compared: everything that is known of the case, also what is the same on both sides.
    """
    differing = [metric for metric in metrics if _amount(metric)]
    if not differing:
        return {}
    owners = _Owners(compared, found)
    every: dict[str, Shares] = {}
    for metric in differing:
        name = metric_name(metric)
        if name == "bytes_accessed" and owners.costs_known and not owners.differs:
            every[metric.name] = {_COUNTED_OTHERWISE: _amount(metric)}
            continue
        if (key := owners.itself(metric)) is not None:
            every[metric.name] = {Owner(key): _amount(metric)}
            continue
        if name not in _OF_KERNELS and (
            DIRECTIONS.get(name) is None or name in NOT_COMPARED
        ):
            continue
        capture = metric.name.removesuffix(name)
        if name == "kernels" and (
            order := owners.order_that_makes(_amount(metric), capture)
        ):
            every[metric.name] = {order: _amount(metric)}
        elif name in _OF_KERNELS:
            of_capture = [
                each for each in owners.moved if each.graph.startswith(capture)
            ]
            every[metric.name] = _of_sum(metric, of_capture, owners)
        elif name == "saved_bytes":
            every[metric.name] = owners.of_saved(capture, _amount(metric))
        elif name == "peak_memory":
            every[metric.name] = owners.of_peak(capture, _amount(metric))
        else:
            every[metric.name] = {owners.only(name): _amount(metric)}
    return every


def _of_sum(
    metric: JudgedNumber, moved: Sequence[CostDifference], owners: _Owners
) -> Shares:
    """The shares of a sum over kernels, with what is left of it."""
    name, amounts = metric_name(metric), defaultdict[Owner, float](float)
    capture = metric.name.removesuffix(name)
    by_value = owners.values_of(name)
    for graph, differences in by_value.items():
        if graph.startswith(capture):
            for difference in differences:
                amounts[owners.of_value(difference)] += difference.amount
    for each in moved:
        if each.graph in by_value:
            continue
        amount = each.amounts.get(name, 0)
        owner = (
            owners.of_launch(each)
            if name in _LAUNCHES
            else owners.of_kernels(each, name)
        )
        amounts[owners.of_more(owner, name, amount)] += amount
    whole = _amount(metric)
    left = whole - sum(amounts.values())
    if left and name == "bytes_accessed" and owners.costs_known:
        # The metric is torch's own sum, over its operations; what no kernel reads or writes is its accounting.
        amounts[_COUNTED_OTHERWISE] += left
    elif left:
        amounts[owners.of_unknown_size(name, moved)] += left
    # A kernel that is gone, and one in its place that nothing pairs with it, may be the two halves of one change.
    unknown = amounts[_UNEXPLAINED] * whole > 0
    for owner in list(amounts):
        if unknown and owner.guessed and amounts[owner] * whole < 0:
            amounts[_UNEXPLAINED] += amounts.pop(owner)
    return {owner: amount for owner, amount in amounts.items() if amount}


def _amount(metric: JudgedNumber) -> float:
    if isinstance(metric.old, (int, float)) and isinstance(metric.new, (int, float)):
        return metric.new - metric.old
    return 0.0


def _removes_arithmetic(change: DistinctChange) -> bool:
    """Whether a pass only removes arithmetic that has no effect, such as a product with 1, which is computed where its
    result is: nothing is read or written less."""
    what = change.what
    if not isinstance(what, PassChanged) or what.made or what.unmade or what.kept:
        return False
    return bool(what.removed) and all(
        base(name) in ARITHMETIC for name, _ in what.removed
    )


def _is_in_place(change: DistinctChange) -> bool:
    """Whether an operator is another one, or gone, or computes another type, for itself, where the nodes around it are
    the same."""
    match change.what:
        case PassChanged():
            return _removes_arithmetic(change)
        case TypeChanged():
            return change.apart and not change.what.is_layout
        case (
            OperatorsChanged(gone=gone, come=come)
            | ContentsChanged(gone=gone, come=come)
        ):
            return change.apart and len(gone) == len(come) == 1
    return False


def _is_order(change: DistinctChange) -> bool:
    """Whether only the order is another in which operations run, beside what else changed."""
    return change.apart and isinstance(change.what, OperationsMoved)


def _among_edits(change: Change) -> str:
    """By what a change is known among the edits of a graph: what is stored or inlined is one change of all graphs."""
    return change.code if isinstance(change, ResultsStored) else change.key


def _may_own(change: DistinctChange, moved: CostDifference, scheduled: bool) -> bool:
    """Whether a change of schedules may be why a pair of kernels differs; of what is stored, if it is known whether the
    pair has to do with that, and of anything else if the change is one of the schedule of the graph."""
    if isinstance(change.what, ResultsStored) and moved.stores is not None:
        return moved.stores
    return scheduled


class _Owners:
    """Finds which of a case's changes a difference belongs to."""

    def __init__(self, compared: Sequence[Compared], found: CaseChanges) -> None:
        self._found = found
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
        self._of_schedules = [
            change
            for change in computing
            if scheduled <= rank(change.stage) < rank("wrapper_code")
            and not _is_order(change)
        ]
        self._order = next(filter(_is_order, found.own), None)
        self._computing = computing
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
        self._changed = {
            name: found.operators for name, found in graph_differences(compared).items()
        }
        self._compared = compared
        self._edits = schedule_edits(compared)
        self._pairs = list(cost_differences(compared))
        self.moved = [each for each in self._pairs if each.differs]
        self._peaks = peaks(compared)
        costs = [each for each in compared if each.stage == "cost"]
        self.costs_known = bool(costs) and all(each.old and each.new for each in costs)

    @cached_property
    def _values(
        self,
    ) -> dict[str, tuple[list[ValueDifference], list[ValueDifference]]]:
        return value_differences(self._compared)

    def values_of(self, name: str) -> dict[str, list[ValueDifference]]:
        """By graph, how a metric differs value by value, as far as that is known."""
        if name not in ("bytes_accessed", "flops"):
            return {}
        return {graph: sides[name == "flops"] for graph, sides in self._values.items()}

    @property
    def differs(self) -> bool:
        """Whether any kernel moves more or less than before."""
        return bool(self.moved or any(nbytes for nbytes, _ in self._values.values()))

    def of_value(self, moved: ValueDifference) -> Owner:
        """The change that a value costs more or less for, or the only one that costs anything."""
        if moved.shown == "counted":
            return _COUNTED_OTHERWISE
        found = self._of_values.owner(moved)
        return Owner(found.key) if found is not None else _only(self._computing)

    @cached_property
    def _of_values(self) -> ValueOwners:
        return ValueOwners(
            self._compared,
            self._of_graphs,
            self._of_schedules,
            self._may_be_in,
            self._best,
        )

    @cached_property
    def _joint(self) -> dict[str, GraphDifference]:
        return graph_differences(self._compared, "joint_graph")

    @cached_property
    def _saved(self) -> dict[str, Counter[str]]:
        return saved_differences(self._compared)

    def itself(self, metric: JudgedNumber) -> str | None:
        """The key of a change that is this number, or of what lists one by one what it counts; None for any other."""
        every = (*self._found.own, *self._found.secondary)
        key = metric_key(metric)
        if any(change.key == key for change in every):
            return key
        if metric_name(metric) in LISTED:
            return next(
                (change.key for change in self._found.own if change.stage == LISTS),
                None,
            )
        return None

    def of_kernels(self, moved: CostDifference, name: str = "") -> Owner:
        """The change that a pair of kernels shows; for one of the schedule of a graph, whether a size in it is a
        constant, if that is another than before. name: the metric that they move; empty for what they access."""
        owner = self._shown_by(moved, name)
        if owner.key in self._removing and moved.graph in self._made_more:
            return _UNEXPLAINED
        if self._size is None or moved.graph not in self._with_sizes:
            return owner
        of_schedule = any(
            change.key == owner.key
            # A copy costs the same, whether or not a size of it is a constant.
            and change.code != "inputs-copied-for"
            for change in self._of_schedules
        )
        return Owner(self._size.key) if of_schedule else owner

    def _shown_by(self, moved: CostDifference, name: str = "") -> Owner:
        """The change that a pair of kernels itself shows. name: as of `of_kernels`."""
        if moved.counted:
            return _COUNTED_OTHERWISE
        computing = name in _OF_COMPUTING
        if name == "flops" and (removes := self._that_removes(moved)) is not None:
            return Owner(removes.key)
        changed = self._changed.get(moved.graph)
        # A fused kernel also computes operators that did not change: those say nothing about who changed it.
        names = moved.names if changed is None else moved.names & changed
        scheduled = self._scheduled(moved.graph)
        of_schedules = [
            change
            for change in self._of_schedules
            # An operation is the same in whichever kernel it runs.
            if not (name == "flops" and change.code in OF_GROUPS)
            and self._may_be_in(change, moved.graph)
        ]
        here = [
            change
            for change in of_schedules
            if _may_own(change, moved, change in scheduled)
        ]
        copied = [
            change
            for change in self._of_schedules
            if change.code == "inputs-copied-for"
        ]
        called = [change for change in of_schedules if change.code == "library-called"]
        apart = [
            change
            for change in of_schedules
            if change.apart and _may_own(change, moved, True)
        ]
        stored = [
            change
            for change in self._of_schedules
            if isinstance(change.what, ResultsStored)
            and (change in here or change in apart)
        ]
        repeated = [change for change in self._splits if change.code == "pass-changed"]
        # What changes nothing around it moves no kernel that differs in more, if something else may.
        of_graphs = self._of_graphs
        if not computing and moved.graph in self._accessing_alike:
            of_graphs = []
        if any(
            not (_is_in_place(change) or reads_attribute(change.what))
            for change in of_graphs
        ):
            of_graphs = [
                change
                for change in of_graphs
                if names <= self._about[change.key] or not _is_in_place(change)
            ]
        of_stored = self._best(stored, moved.stored)
        of_graph = self._best(of_graphs, names)
        in_place = not computing and moved.graph in self._replaced_in_place
        if of_graph is not None and not (moved.same_nodes or in_place):
            inlined = (
                stored and moved.stores and moved.names - self._about[of_graph.key]
            )
            if of_stored is not None or inlined:
                # Both are in these kernels, and nothing says what of it is whose.
                return _UNEXPLAINED
        # From the closest tie to the loosest. A node is computed twice because of what leaves it so. What makes or
        # reads a value that only one side saves belongs to what forward saves. What accesses a buffer that only one
        # side has belongs to what stores it, whatever else it computes. A copy belongs to the change of what is copied
        # for that call, and the call to that of what calls a library; a kernel of unchanged nodes can only have been
        # changed by the scheduler; any other by the graph first, whose changes the scheduler only follows.
        shown = (
            self._best(repeated, moved.doubled)
            or self._of_zero(moved)
            or (self._saved_instead if moved.saved_by else None)
            or of_stored
            or (self._best(copied, moved.names) if moved.copied else None)
            or (self._best(called, moved.names) if moved.call else None)
            or (
                self._best(here, moved.names) or self._best(apart, moved.names)
                if moved.same_nodes
                else None
            )
            or self._best(of_graphs, names)
        )
        if shown is None:
            # What is stored for an operator that differs belongs to what makes it another one.
            shown = self._best(of_graphs, moved.stored_for)
        if shown is None and not (names and len(of_graphs) == 1):
            shown = self._best(here, moved.names)
        if shown is not None:
            return Owner(shown.key)
        if names and len(of_graphs) == 1:
            # Before operators are decomposed, a change is about others than the nodes that follow from it.
            left = of_graphs
        else:
            # Nodes that changed are fused otherwise than those in their place, with kernels that compute other nodes.
            near = [
                change
                for change in of_graphs
                if changed is None or changed & self._about[change.key]
            ]
            left = here or near
        return _only(left)

    def _that_removes(self, moved: CostDifference) -> DistinctChange | None:
        """The pass that removes arithmetic that has no effect, if the kernels differ in that alone: what they read and
        write is as before, and they compute only operators less that it removes."""
        if not moved.gone or moved.amounts["bytes_accessed"]:
            return None
        return next(
            (
                change
                for change in self._of_graphs
                if change.key in self._removing
                and moved.gone <= self._about[change.key]
            ),
            None,
        )

    def _of_zero(self, moved: CostDifference) -> DistinctChange | None:
        """A product with 0, if this computes what is needed for that alone: nodes that the other side leaves out."""
        return next(
            (
                change
                for change in self._of_graphs
                if change.code == "zero-folded"
                and moved.same_nodes
                and moved.names
                and moved.names <= self._about[change.key]
            ),
            None,
        )

    @cached_property
    def _accessing_alike(self) -> set[str]:
        return accessing_alike(self._compared)

    @cached_property
    def _replaced_in_place(self) -> set[str]:
        return replaced_in_place(self._compared)

    @cached_property
    def _reordered(self) -> dict[str, int]:
        return reordered(self._compared)

    @cached_property
    def _storing(self) -> frozenset[str]:
        return frozenset(
            change.key
            for change in self._of_schedules
            if isinstance(change.what, ResultsStored)
        )

    @cached_property
    def _removing(self) -> frozenset[str]:
        """The changes that only remove arithmetic that has no effect."""
        return frozenset(
            change.key for change in self._of_graphs if _removes_arithmetic(change)
        )

    @cached_property
    def _made_more(self) -> frozenset[str]:
        """The graphs of which a kernel moves more, and nothing shows why but what can only make it less: what does may
        also be why another moves less, as where one value is stored in the place of another."""
        return frozenset(
            moved.graph
            for moved in self.moved
            if moved.amounts["bytes_accessed"] > 0
            and self._shown_by(moved).key in {UNEXPLAINED, *self._removing}
        )

    def of_launch(self, moved: CostDifference) -> Owner:
        """The owner of what is launched more or less: of the same values that more or fewer kernels make, what is fused
        or reduced otherwise; else that of the kernel, unless it only stores results, and the kernel accesses none of
        them: it may be a kernel of its own for another reason."""
        if (owner := self._of_all_that_it_makes(moved)) is not None:
            return owner
        if moved.parted:
            grouping = [
                change
                for change in self._of_schedules
                if change.code in _OF_KERNELS_MADE
            ]
            if (best := self._best(grouping, moved.parted)) is not None:
                return Owner(best.key)
            moved = replace(moved, names=moved.parted)
        # How often a kernel is launched is no matter of how torch counts what it does.
        owner = self.of_kernels(replace(moved, counted=False))
        return (
            _UNEXPLAINED
            if owner.key in self._storing
            and (owner.guessed or (moved.stores and not moved.stores_itself))
            else owner
        )

    def _of_all_that_it_makes(self, moved: CostDifference) -> Owner | None:
        """The owner of a kernel that only one side has, by the values that it makes, unless they are only stored: which
        kernel they are made in is no matter of that."""
        if len({side for side, _ in moved.operations}) != 1:
            return None
        owners = {
            self.of_value(each)
            for each in self._values.get(moved.graph, ((), ()))[0]
            if each.is_made and not moved.operations.isdisjoint(each.operations)
        }
        known = {
            owner
            for owner in owners
            if not owner.guessed
            and owner.key not in {UNEXPLAINED, COUNTED_OTHERWISE, *self._storing}
        }
        return known.pop() if len(owners) == len(known) == 1 else None

    def of_more(self, owner: Owner, name: str, amount: float) -> Owner:
        """The owner of a part of a metric, unless there is more, and the change can only make less of it."""
        less_alone = owner.key in self._removing and name != "flops"
        return _UNEXPLAINED if less_alone and amount > 0 else owner

    def _scheduled(self, graph: str) -> list[DistinctChange]:
        """The changes of the schedule of a graph."""
        edits = self._edits.get(graph)
        codes = None if edits is None else {edit.code for edit in edits}
        # What operations there are before fusion shows in a schedule as whatever follows from it.
        return [
            change
            for change in self._of_schedules
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

    @cached_property
    def _edit_keys(self) -> dict[str, set[str]]:
        """By graph, the keys of how its schedule changed."""
        of_same_nodes = edits_of_same_nodes(self._compared)
        return {
            graph: {
                _among_edits(edit) for edit in (*edits, *of_same_nodes.get(graph, ()))
            }
            for graph, edits in self._edits.items()
        }

    def _best(
        self, changes: Sequence[DistinctChange], names: Collection[str]
    ) -> DistinctChange | None:
        """The change that is about most of these operators; of several, the first. Where operations access a buffer is
        the cause only if nothing else is."""
        common = {
            change.key: len(self._about[change.key] & {*names}) for change in changes
        }
        about = [change for change in changes if common[change.key]]
        others = [change for change in about if change.code not in _ACCESSES]
        return max(others or about, key=lambda change: common[change.key], default=None)

    def of_unknown_size(self, name: str, moved: Sequence[CostDifference]) -> Owner:
        """For a sum of which the sides do not say how much each kernel adds: the owner of all kernels that differ."""
        if not self._edits:
            return self.only(name)  # nothing is known of the kernels
        owners = {owner.key: owner for owner in sorted(map(self.of_kernels, moved))}
        return next(iter(owners.values())) if len(owners) == 1 else _UNEXPLAINED

    def of_peak(self, capture: str, amount: float) -> Shares:
        """The owners of what is held at once: of each buffer that is held on one side only where the graph that holds
        most does so; if that is not known, of every kernel that differs in that graph, since each makes or frees a
        buffer, or else of the order in which it runs."""
        moved = [each for each in self.moved if each.graph.startswith(capture)]
        reordered = any(
            isinstance(edit, OperationsMoved)
            for name, edits in self._edits.items()
            for edit in edits
            if name.startswith(capture)
        )
        if not (moved or reordered) and any(
            change.code == "not-unpacked" for change in self._found.own
        ):
            return {_COUNTED_OTHERWISE: amount}
        held = {
            name: sides
            for name, sides in self._peaks.items()
            if name.startswith(capture)
        }
        if held:
            side = 1 if amount > 0 else 0
            highest = max(held, key=lambda name: held[name][side])
            if (
                self._order is not None
                and highest in self._reordered
                and not any(
                    each.graph == highest and each.amounts["bytes_accessed"]
                    for each in moved
                )
            ):
                return {Owner(self._order.key): amount}
            differences = peak_differences(self._compared, highest, side)
            if differences is not None:
                return self._of_held(capture, highest, differences, amount)
            largest = [max(sides[side] for sides in held.values()) for side in (0, 1)]
            most = {
                name
                for name, sides in held.items()
                for side in (0, 1)
                if sides[side] == largest[side]
            }
            moved = [each for each in moved if each.graph in most]
            ordered = {change.key for name in most for change in self._scheduled(name)}
            if not moved and len(ordered) == 1:
                return {Owner(ordered.pop()): amount}
        return {self.of_unknown_size("peak_memory", moved): amount}

    def _of_held(
        self,
        capture: str,
        graph: str,
        differences: Sequence[PeakDifference],
        amount: float,
    ) -> Shares:
        """The shares of the peak by buffer, if they make it up; else, as another place was or is higher, all of it to
        the change whose buffers alone move it in its direction."""
        amounts = defaultdict[Owner, float](float)
        owned = [
            (
                self.of_more(
                    self._of_buffer(capture, graph, difference),
                    "peak_memory",
                    difference.nbytes,
                ),
                difference.nbytes,
            )
            for difference in differences
        ]
        for owner, nbytes in _without_replaced(owned):
            amounts[owner] += nbytes
        amounts = defaultdict(
            float, {owner: nbytes for owner, nbytes in amounts.items() if nbytes}
        )
        exact = sum(amounts.values()) == amount
        if exact and _UNEXPLAINED not in amounts:
            return amounts
        same_direction = [
            owner for owner, nbytes in amounts.items() if nbytes * amount > 0
        ]
        if not exact and len(same_direction) == 1 and same_direction[0] != _UNEXPLAINED:
            return {same_direction[0]: amount}
        given = any(each.given for each in differences)
        left = _UNEXPLAINED if given else self._of_all_that_differs(graph)
        left = self.of_more(left, "peak_memory", amount)
        if not exact:
            return {left: amount}
        rest = amounts.pop(_UNEXPLAINED)
        amounts[left] += rest
        return amounts

    def _of_all_that_differs(self, graph: str) -> Owner:
        """A guess for what no buffer shows of a graph, as its operations may run in another order: the owner of all
        kernels that differ in it, if it is one."""
        moved = [each for each in self.moved if each.graph == graph]
        if moved or self._edits.get(graph):
            owner = self.of_unknown_size("peak_memory", moved)
            if owner == _UNEXPLAINED:
                owner = self._of_order(graph)
            return owner._replace(guessed=owner != _UNEXPLAINED)
        # A kernel that holds a whole row stores nothing of it, although its operations are the same.
        return _only([each for each in self._of_schedules if each.code == "loop-nest"])

    def order_that_makes(self, kernels: float, capture: str) -> Owner | None:
        """The change of the order, if it alone makes so many kernels more of a capture, as calls now run between loops
        that were one kernel, or so many fewer; or if no loop reads or writes more or less."""
        more = [
            number
            for graph, number in self._reordered.items()
            if graph.startswith(capture)
        ]
        moves = any(
            each.amounts["bytes_accessed"]
            for each in self.moved
            if each.graph.startswith(capture)
        )
        if self._order is None or not more or (sum(more) != kernels and moves):
            return None
        return Owner(self._order.key)

    def _of_order(self, graph: str) -> Owner:
        """The change of the order in which operations run, if it is one of this graph."""
        if self._order is None or graph not in self._reordered:
            return _UNEXPLAINED
        return Owner(self._order.key, guessed=True)

    def _of_buffer(self, capture: str, graph: str, difference: PeakDifference) -> Owner:
        if difference.counted:
            return _COUNTED_OTHERWISE
        split = self._of_values.of_split
        if difference.given and split is not None:
            return Owner(split.key)
        if difference.given:
            saved = self.of_saved(capture, self._saved.get(capture, Counter()).total())
            return next(iter(saved)) if len(saved) == 1 else _UNEXPLAINED
        named = {
            (number, name)
            for number, name in enumerate(difference.operations)
            if name is not None
        }
        if not named:
            # Held longer or not as long, which the order of what makes and reads it decides.
            owner = self._of_order(graph)
            return _only(self._scheduled(graph)) if owner == _UNEXPLAINED else owner
        by_value = self._values.get(graph)
        if by_value is not None:
            owners = {
                self.of_value(each)
                for each in by_value[0]
                if each.is_made and named & each.operations
            } or {
                self.of_value(each) for each in by_value[0] if named & each.operations
            }
            if len(owners) == 1:
                return owners.pop()
            if owners:
                return _UNEXPLAINED
        # Of a kernel, a part may copy what a library call reads, and a part be counted by its launch alone.
        pairs = [
            each
            for each in self._pairs
            if each.graph == graph and named & each.operations and not each.parted
        ]
        pair = max(pairs, key=lambda each: each.copied, default=None)
        if pair is None or not pair.differs:
            return _UNEXPLAINED
        # A kernel may make what forward saves instead of others, and beside it what is only stored.
        return self.of_kernels(replace(pair, saved_by=pair.saved_by & named))

    def of_saved(self, capture: str, amount: float) -> Shares:
        """The owners of what forward keeps for backward: of each result that only one side keeps, the change that is
        about its operator, or the only one of what splits the graph, or the only one of graphs where that is near."""
        splits = self._splits
        instead = [] if self._saved_instead is None else [self._saved_instead]
        several = instead or (splits if len(splits) == 1 else self._of_graphs)
        saved = self._saved.get(capture, Counter())
        if saved.total() != amount:  # it is not known what
            return {_only(several): amount}
        joint = [each for name, each in self._joint.items() if name.startswith(capture)]
        near = {name for each in joint for name in each.near}
        amounts = defaultdict[Owner, float](float)
        for operator, number in saved.items():
            shown = (
                self._best(instead, {operator})
                or self._best(splits, {operator})
                or self._best(self._of_graphs, {operator})
            )
            if shown is not None:
                amounts[Owner(shown.key)] += number
            else:
                amounts[
                    _only(
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
        breaks = [
            change for change in self._computing if change.topic in ("breaks", "lost")
        ]
        computed = [
            change
            for change in self._computing
            if change.topic not in ("guards", "breaks")
            and change.what.kind not in NOTED
            and (name == "flops" or not _removes_arithmetic(change))
        ]
        return _only(breaks or computed if name in _BEFORE_KERNELS else computed)


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


def _without_replaced(owned: Sequence[tuple[Owner, int]]) -> list[tuple[Owner, int]]:
    """The bytes that are held more or less, without each pair of a buffer that only one side holds and one as large
    that only the other does, if no change is known to own one of the two: that is one value, held in another buffer."""
    left: list[tuple[Owner, int]] = []
    # What has no owner comes last, so that it meets what it replaces or is replaced by.
    for owner, nbytes in sorted(owned, key=lambda each: each[0] == _UNEXPLAINED):
        replaced = next((each for each in left if each[1] == -nbytes), None)
        if owner == _UNEXPLAINED and replaced is not None:
            left.remove(replaced)
        else:
            left.append((owner, nbytes))
    return left


def _only(changes: Sequence[DistinctChange]) -> Owner:
    """The only one of these; what belongs to one of several is unexplained."""
    return Owner(changes[0].key, guessed=True) if len(changes) == 1 else _UNEXPLAINED
