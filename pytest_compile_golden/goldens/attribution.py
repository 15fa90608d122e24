"""Which of a case's changes moves how much of each number: a cost is a sum over values, each with an owner.

A number such as `bytes_accessed` is a sum over what kernels move, compute and launch. What differs in it belongs to
the change that shows in the value that costs more or less: one of a graph, if only one side computes it, or one of the
schedule, if both do. A difference that no change owns is unexplained.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from pytest_compile_golden.changes.change import MINOR, NOTED, Change
from pytest_compile_golden.changes.graphs import PassChanged, TypeChanged
from pytest_compile_golden.changes.numbers import EntriesChanged
from pytest_compile_golden.changes.schedules import OperationsMoved
from pytest_compile_golden.changes.trail import ResultsStored
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
    saved_differences,
    schedule_edits,
    subjects,
)
from pytest_compile_golden.goldens.cost_facts import peaks
from pytest_compile_golden.goldens.distinct_change import DistinctChange
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
from pytest_compile_golden.goldens.same_nodes import edits_of_same_nodes, reordered
from pytest_compile_golden.goldens.severity import holds_rows_otherwise
from pytest_compile_golden.goldens.value_costs import (
    LaunchDifference,
    ValueDifference,
    value_differences,
)
from pytest_compile_golden.goldens.value_owners import ValueOwners
from pytest_compile_golden.stages import rank

_OF_KERNELS = ("bytes_accessed", "flops", "kernels", "extern_kernels")
"""Metrics that are sums over kernels."""
_TAKING_TIME = ("bytes_accessed", "flops", "kernels")
"""What the least time is the time of, by how much it mostly takes."""
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
    times: list[JudgedNumber] = []
    for metric in differing:
        name = metric_name(metric)
        if name == "bytes_accessed" and owners.costs_known and not owners.differs:
            every[metric.name] = {_COUNTED_OTHERWISE: _amount(metric)}
            continue
        if (key := owners.itself(metric)) is not None:
            every[metric.name] = {Owner(key): _amount(metric)}
            continue
        if name == "least_time":
            times.append(metric)
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
            every[metric.name] = _of_sum(metric, owners)
        elif name == "saved_bytes":
            every[metric.name] = owners.of_saved(capture, _amount(metric))
        elif name == "peak_memory":
            every[metric.name] = owners.of_peak(capture, _amount(metric))
        else:
            every[metric.name] = {owners.only(name): _amount(metric)}
    for metric in times:
        capture = metric.name.removesuffix("least_time")
        every[metric.name] = _of_time(
            _amount(metric),
            [every.get(f"{capture}{name}", {}) for name in _TAKING_TIME],
        ) or {owners.of_nothing("least_time"): _amount(metric)}
    return every


def _of_sum(metric: JudgedNumber, owners: _Owners) -> Shares:
    """The shares of a sum over kernels, with what is left of it."""
    name, whole = metric_name(metric), _amount(metric)
    capture = metric.name.removesuffix(name)
    amounts = defaultdict[Owner, float](float)
    for owner, amount in owners.differences(name, capture):
        amounts[owner] += amount
    for owner in [*amounts] if name == "kernels" else ():
        if owners.is_contrary(owner, amounts[owner]):
            amounts[_UNEXPLAINED] += amounts.pop(owner)
    left = whole - sum(amounts.values())
    if left and not owners.recorded(name, capture):
        # What is missing may be of another change.
        owner = _only_owner(amounts) or owners.of_nothing(name)
        return {owner._replace(guessed=owner != _UNEXPLAINED): whole}
    if left and name == "bytes_accessed" and owners.costs_known:
        # The metric is torch's own sum, over its operations; what no kernel reads or writes is its accounting.
        amounts[_COUNTED_OTHERWISE] += left
    elif left:
        amounts[_UNEXPLAINED if amounts else owners.of_nothing(name)] += left
    return {owner: amount for owner, amount in amounts.items() if amount}


def _only_owner(owners: Collection[Owner]) -> Owner | None:
    """The only one of these; unexplained if they are several, and None if there is none."""
    if not owners:
        return None
    return (
        next(iter(owners)) if len({each.key for each in owners}) == 1 else _UNEXPLAINED
    )


def _of_time(amount: float, every: Sequence[Shares]) -> Shares:
    """The shares of the least time, by those of the first of these metrics that moves it; empty if none does."""
    for of_metric in every:
        moving = {
            owner: share
            for owner, share in of_metric.items()
            if share * amount > 0 and owner != _COUNTED_OTHERWISE
        }
        if moving:
            whole = sum(moving.values())
            return {owner: amount * share / whole for owner, share in moving.items()}
    return {}


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


def _is_order(change: DistinctChange) -> bool:
    """Whether only the order is another in which operations run, beside what else changed."""
    return change.apart and isinstance(change.what, OperationsMoved)


def _among_edits(change: Change) -> str:
    """By what a change is known among the edits of a graph: what is stored or inlined is one change of all graphs."""
    return change.code if isinstance(change, ResultsStored) else change.key


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
        self._fused, self._no_longer_fused = (
            frozenset(each.key for each in computing if each.code == code)
            for code in ("fused", "fusion-lost")
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
        self._compared = compared
        self._edits = schedule_edits(compared)
        self._owner_of: dict[ValueDifference, Owner] = {}
        self._costs = value_differences(compared)
        self._peaks = peaks(compared)
        self.costs_known = bool(self._costs) and all(
            found.recorded for found in self._costs.values()
        )

    def differences(self, name: str, capture: str) -> Iterator[tuple[Owner, float]]:
        """By how much each value of a capture moves a metric that is a sum over kernels, with its owner."""
        for graph, found in self._costs.items():
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
            for graph, found in self._costs.items()
            if graph.startswith(capture)
        )

    @property
    def differs(self) -> bool:
        """Whether any kernel moves more or less than before."""
        return any(self._moves(graph) for graph in self._costs)

    def _moves(self, graph: str) -> bool:
        """Whether kernels move more or less in a graph, in whichever values."""
        return graph in self._costs and bool(
            sum(each.amount for each in self._costs[graph].nbytes)
        )

    def _of_launch(self, launched: LaunchDifference) -> Owner:
        """The owner of kernels that make other values than before, or of their number, if all causes have one; of C++
        kernels that make the same, the order in which their loops and library calls run, if that is another."""
        order = self._of_order(launched.graph)
        if (
            launched.runs_loops
            and order != _UNEXPLAINED
            and all(each.shown == "launched" for each in launched.causes)
        ):
            return order._replace(guessed=False)
        return _only_owner({*map(self.of_value, launched.causes)}) or _UNEXPLAINED

    def is_contrary(self, owner: Owner, kernels: float) -> bool:
        """Whether so many more kernels cannot be of that change: what is fused makes no more of them, and what is fused
        no longer makes no fewer."""
        return owner.key in (self._fused if kernels > 0 else self._no_longer_fused)

    def of_value(self, moved: ValueDifference) -> Owner:
        """The change that a value costs more or less for, or the only one that costs anything."""
        if moved not in self._owner_of:
            self._owner_of[moved] = self._of_value(moved)
        return self._owner_of[moved]

    def _of_value(self, moved: ValueDifference) -> Owner:
        if moved.shown == "counted":
            return _COUNTED_OTHERWISE
        found = self._of_values.owner(moved)
        if found is None:
            # What only is stored may be in a kernel of its own for another reason.
            stored = moved.shown == "launched"
            return _only(
                [
                    change
                    for change in self._computing
                    if not (stored and isinstance(change.what, ResultsStored))
                ]
            )
        made_constant = (
            self._size is not None
            and moved.graph in self._with_sizes
            and found in self._of_schedules
            # A copy costs the same, whether or not a size of it is a constant.
            and found.code != "inputs-copied-for"
        )
        return Owner(self._size.key if self._size and made_constant else found.key)

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

    @cached_property
    def _reordered(self) -> dict[str, int]:
        return reordered(self._compared)

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

    def of_peak(self, capture: str, amount: float) -> Shares:
        """The owners of what is held at once: of each buffer that is held on one side only where the graph that holds
        most does so; if that is not known, of every kernel that differs in that graph, since each makes or frees a
        buffer, or else of the order in which it runs."""
        graphs = [graph for graph in self._costs if graph.startswith(capture)]
        reordered = any(
            isinstance(edit, OperationsMoved)
            for name, edits in self._edits.items()
            for edit in edits
            if name.startswith(capture)
        )
        if (
            not (reordered or any(map(self._moves, graphs)))
            and not holds_rows_otherwise(self._compared)
            and any(change.code == "not-unpacked" for change in self._found.own)
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
                and not self._moves(highest)
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
            graphs = [graph for graph in graphs if graph in most]
            ordered = {change.key for name in most for change in self._scheduled(name)}
            if not any(map(self._moves, graphs)) and len(ordered) == 1:
                return {Owner(ordered.pop()): amount}
        owner = self._of_all_moved(graphs) or self.of_nothing("peak_memory")
        return {owner._replace(guessed=owner != _UNEXPLAINED): amount}

    def _of_all_moved(self, graphs: Iterable[str]) -> Owner | None:
        """The owner of all that kernels of these graphs move more or less, if it is one; None if that is nothing."""
        return _only_owner(
            {
                self.of_value(each)
                for graph in graphs
                for each in self._costs[graph].nbytes
            }
        )

    def of_nothing(self, name: str) -> Owner:
        """The owner of a number that no value moves: what breaks graphs, if the sides have other ones; or the only
        change, if it is not known what kernels were made of."""
        if self._breaks:
            return _only(self._breaks)
        return _UNEXPLAINED if self._costs else self.only(name)

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
                self._of_buffer(capture, graph, difference),
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
        # Where another place is the highest now, what is left over may be little, and nobody's.
        largest = max(map(abs, amounts.values()), default=0)
        same_direction = [
            owner
            for owner, nbytes in amounts.items()
            if nbytes * amount > 0 and abs(nbytes) > largest / 10
        ]
        if not exact and len(same_direction) == 1 and same_direction[0] != _UNEXPLAINED:
            return {same_direction[0]: amount}
        given = any(each.given for each in differences)
        left = _UNEXPLAINED if given else self._of_all_that_differs(graph)
        if not exact:
            return {left: amount}
        rest = amounts.pop(_UNEXPLAINED)
        amounts[left] += rest
        return amounts

    def _of_all_that_differs(self, graph: str) -> Owner:
        """A guess for what no buffer shows of a graph, as its operations may run in another order: the owner of all
        kernels that differ in it, if it is one."""
        if self._moves(graph) or self._edits.get(graph):
            owner = self._of_all_moved([graph] if graph in self._costs else [])
            if owner is None or owner == _UNEXPLAINED:
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
            self._moves(graph) for graph in self._costs if graph.startswith(capture)
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
        moved = self._costs[graph].nbytes if graph in self._costs else ()
        owners = {
            self.of_value(each)
            for each in moved
            if each.is_made and named & each.operations
        } or {self.of_value(each) for each in moved if named & each.operations}
        return _only_owner(owners) or _UNEXPLAINED

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
        computed = [
            change
            for change in self._computing
            if change.topic not in ("guards", "breaks")
            and change.what.kind not in NOTED
            and (name == "flops" or not _removes_arithmetic(change))
        ]
        if name in _BEFORE_KERNELS and self._breaks:
            computed = self._breaks
        return _only(computed)


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
