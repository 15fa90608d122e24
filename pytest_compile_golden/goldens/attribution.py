"""Which of a case's changes moves how much of each number: a cost is a sum over pairs of kernels, each with an owner.

A number such as `bytes_accessed` is a sum over kernels. The kernels of both sides are paired, and what differs in a
pair belongs to the change that the pair shows: one of the graph, if the kernels compute nodes that only one side has,
or one of the schedule, if they compute the same otherwise. A difference that no change owns is unexplained.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pytest_compile_golden.changes.change import MINOR
from pytest_compile_golden.changes.decisions import NotUnpacked
from pytest_compile_golden.changes.schedules import InputsCopiedFor
from pytest_compile_golden.facts.schedules import Operation
from pytest_compile_golden.formats.metrics.table import DIRECTIONS, LISTED, LISTS, NOT_COMPARED
from pytest_compile_golden.formats.schedule.edits import copies
from pytest_compile_golden.goldens.compare import Compared
from pytest_compile_golden.goldens.distinct import CaseChanges, DistinctChange
from pytest_compile_golden.goldens.kernels import KernelPair, SideKernel, bytes_moved, kernel_pairs, peaks
from pytest_compile_golden.goldens.ranking import (
    COUNTED_OTHERWISE,
    UNEXPLAINED,
    JudgedNumber,
    Parts,
    metric_key,
    metric_name,
)
from pytest_compile_golden.goldens.subjects import (
    GraphDifference,
    base,
    graph_differences,
    saved_differences,
    schedule_edits,
    subjects,
)
from pytest_compile_golden.stages import rank

_OF_KERNELS = ("bytes_accessed", "flops", "least_time", "kernels", "extern_kernels")
"""Metrics that are sums over kernels."""
_BEFORE_KERNELS = frozenset({"graphs", "graph_breaks", "recompiles"})
_CALL = "extern"


@dataclass
class _Moved:
    """A pair of kernels that does not cost the same on both sides."""

    graph: str
    names: frozenset[str]
    """The operators that only one of the two computes; those of both if they compute the same."""
    amounts: Counter[str] = field(default_factory=Counter)
    """By metric."""
    copied_for: frozenset[str] = frozenset()
    """The library call whose inputs it copies, if it does no more."""


def parts(compared: Sequence[Compared], found: CaseChanges, metrics: Sequence[JudgedNumber]) -> dict[str, Parts]:
    """For each of a case's metrics that moved, by how much each change moves it, by the key of the change.

    compared: everything that is known of the case, also what is the same on both sides. UNEXPLAINED is the key of what
    no change owns, and COUNTED_OTHERWISE that of what torch counts differently although the same runs.
    """
    differing = [metric for metric in metrics if _amount(metric)]
    if not differing:
        return {}
    owners = _Owners(compared, found)
    every: dict[str, Parts] = {}
    for metric in differing:
        name = metric_name(metric)
        if name == "bytes_accessed" and owners.costs_known and not owners.moved:
            every[metric.name] = {COUNTED_OTHERWISE: _amount(metric)}
            continue
        if (key := owners.itself(metric)) is not None:
            every[metric.name] = {key: _amount(metric)}
            continue
        if name not in _OF_KERNELS and (DIRECTIONS.get(name) is None or name in NOT_COMPARED):
            continue
        capture = metric.name.removesuffix(name)
        if name in _OF_KERNELS:
            of_capture = [each for each in owners.moved if each.graph.startswith(capture)]
            every[metric.name] = _summed(metric, of_capture, owners)
        elif name == "saved_bytes":
            every[metric.name] = owners.of_saved(capture, _amount(metric))
        elif name == "peak_memory":
            every[metric.name] = {owners.of_peak(capture): _amount(metric)}
        else:
            every[metric.name] = {owners.only(name): _amount(metric)}
    return every


def _summed(metric: JudgedNumber, moved: Sequence[_Moved], owners: _Owners) -> Parts:
    """The parts of a sum over kernels, with what is left of it."""
    name, amounts = metric_name(metric), defaultdict[str, float](float)
    for each in moved:
        amounts[owners.of_kernels(each)] += each.amounts.get(name, 0)
    left = _amount(metric) - sum(amounts.values())
    if left and name == "bytes_accessed" and owners.costs_known:
        # The metric is torch's own sum, over its operations; what no kernel reads or writes is its accounting.
        amounts[COUNTED_OTHERWISE] += left
    elif left:
        amounts[owners.of_unknown_size(name, moved)] += left
    return {key: amount for key, amount in amounts.items() if amount}


def _amount(metric: JudgedNumber) -> float:
    if isinstance(metric.old, (int, float)) and isinstance(metric.new, (int, float)):
        return metric.new - metric.old
    return 0.0


def _moved(compared: Sequence[Compared]) -> Iterator[_Moved]:
    """The pairs of kernels that differ in what they cost, or of which one side has none; what is called, and what is
    copied for it, as one for each library call."""
    for graph, every in kernel_pairs(compared).items():
        calls: dict[Operation, str] = {}
        for kernels in zip(*every, strict=True):
            calls.update(copies([operation for kernel in kernels if kernel for operation in _operations(kernel)]))
        called: dict[str, _Moved] = {}
        copied: dict[str, _Moved] = {}
        for old, new in every:
            amounts, names = Counter(_amounts((old, new))), _difference((old, new))
            if call := " ".join(sorted({kernel.calls for kernel in (old, new) if kernel and kernel.calls})):
                # Of a call, torch may list as computed what its inputs were computed with, and so pair it with none.
                of_call = called.setdefault(call, _Moved(graph, frozenset()))
                of_call.names |= names
                of_call.amounts.update(amounts)
                continue
            only_copies = False
            for kernel, sign in ((old, -1), (new, 1)):
                if kernel is None:
                    continue
                of_copies = [(calls_of, cost) for calls_of, cost in _copying(kernel, calls) if calls_of]
                only_copies = len(of_copies) == len(kernel.groups) and None in (old, new)
                for call, cost in of_copies:
                    of_call = copied.setdefault(call, _Moved(graph, frozenset({call}), copied_for=frozenset({call})))
                    for name, number in cost.items():
                        of_call.amounts[name] += sign * number
                        amounts[name] -= sign * number
                    if only_copies:
                        of_call.amounts["kernels"] += amounts.pop("kernels", 0)
            if any(amounts.values()) or (
                not only_copies and (old is None or new is None or _accesses(old) != _accesses(new))
            ):
                yield _Moved(graph, names, amounts)
        yield from (each for each in (*called.values(), *copied.values()) if any(each.amounts.values()))


def _copying(kernel: SideKernel, calls: Mapping[Operation, str]) -> Iterator[tuple[str, dict[str, int]]]:
    """For each group of a kernel, the library call for which it only copies, empty if it does more; and its costs."""
    for group, cost in zip(kernel.groups, kernel.costs, strict=True):
        of = {base(calls.get(operation, "")) for operation in group.operations}
        known: dict[str, int] = {}
        if cost is not None:
            known = {
                "bytes_accessed": bytes_moved(cost),
                "flops": cost.number("flops") or 0,
                "least_time": cost.least_ns or 0,
            }
        yield of.pop() if len(of) == 1 else "", known


def _operations(kernel: SideKernel) -> Iterator[Operation]:
    return (operation for group in kernel.groups for operation in group.operations)


def _amounts(pair: KernelPair) -> dict[str, int]:
    old, new = pair
    numbers = {
        "bytes_accessed": [side and side.bytes for side in pair],
        "flops": [side and side.flops for side in pair],
        "least_time": [side and side.least_ns for side in pair],
    }
    amounts: dict[str, int] = {}
    for name, (before, after) in numbers.items():
        # A kernel that only one side has costs nothing on the other.
        known = [number for number, side in ((before, old), (after, new)) if side is not None]
        if None not in known:
            amounts[name] = (after or 0) - (before or 0)
    for side, sign in ((old, -1), (new, 1)):
        if side is not None:
            name = "extern_kernels" if side.kind == _CALL else "kernels"
            amounts[name] = amounts.get(name, 0) + sign * (side.launches or 1)
    return amounts


def _accesses(side: SideKernel) -> Counter[int]:
    """How many buffers each of its groups reads and writes."""
    return Counter(
        len({*operation.reads, *operation.writes}) for group in side.groups for operation in group.operations
    )


def _difference(pair: KernelPair) -> frozenset[str]:
    """The operators that only one side of a pair computes; all of them, if both compute the same."""
    old, new = (_computed(side) for side in pair)
    different = (old - new) + (new - old)
    return frozenset(different or old)


def _computed(side: SideKernel | None) -> Counter[str]:
    names = Counter[str]()
    for operator, times in () if side is None else side.operators.items():
        names[base(operator)] += times
    return names


class _Owners:
    """Finds which of a case's changes a difference belongs to."""

    def __init__(self, compared: Sequence[Compared], found: CaseChanges) -> None:
        self._found = found
        self._about = {change.key: subjects(change.what) for change in found.own}
        computing = [change for change in found.own if change.what.kind not in MINOR]
        scheduled = rank("lowering")
        self._of_graphs = [change for change in computing if rank(change.stage) < scheduled]
        self._of_schedules = [change for change in computing if scheduled <= rank(change.stage) < rank("wrapper_code")]
        self._computing = computing
        self._changed = {name: found.operators for name, found in graph_differences(compared).items()}
        self._compared = compared
        self._edits = schedule_edits(compared)
        self.moved = list(_moved(compared))
        self._peaks = peaks(compared)
        costs = [each for each in compared if each.stage == "cost"]
        self.costs_known = bool(costs) and all(each.old and each.new for each in costs)

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
            return next((change.key for change in self._found.own if change.stage == LISTS), None)
        return None

    def of_kernels(self, moved: _Moved) -> str:
        """The change that a pair of kernels shows."""
        copied = [change for change in self._of_schedules if isinstance(change.what, InputsCopiedFor)]
        if moved.copied_for and (owner := self._best(copied, moved.copied_for)):
            return owner.key
        changed = self._changed.get(moved.graph)
        names = moved.names if changed is None else moved.names & changed
        owner = self._best(self._of_graphs, names) if names else None
        if names and len(self._of_graphs) == 1:
            # Before operators are decomposed, a change is about others than the nodes that follow from it.
            owner = self._of_graphs[0]
        here = self._scheduled(moved.graph)
        owner = owner or self._best(here, moved.names) or (here[0] if len(here) == 1 else None)
        if owner is None and not here:
            # Nodes that changed are fused otherwise than those in their place, with kernels that compute other nodes.
            there = [change for change in self._of_graphs if changed is None or changed & self._about[change.key]]
            owner = there[0] if len(there) == 1 else None
        return UNEXPLAINED if owner is None else owner.key

    def _scheduled(self, graph: str) -> list[DistinctChange]:
        """The changes of the schedule of a graph."""
        edits = self._edits.get(graph)
        codes = None if edits is None else {edit.code for edit in edits}
        return [change for change in self._of_schedules if codes is None or change.what.code in codes]

    def _best(self, changes: Sequence[DistinctChange], names: Collection[str]) -> DistinctChange | None:
        """The change that is about most of these operators; of several, the first."""
        common = {change.key: len(self._about[change.key] & {*names}) for change in changes}
        best = max(changes, key=lambda change: common[change.key], default=None)
        return best if best is not None and common[best.key] else None

    def of_unknown_size(self, name: str, moved: Sequence[_Moved]) -> str:
        """For a sum of which the sides do not say how much each kernel adds: the owner of all kernels that differ."""
        if not self._edits:
            return self.only(name)  # nothing is known of the kernels
        owners = {self.of_kernels(each) for each in moved}
        return owners.pop() if len(owners) == 1 else UNEXPLAINED

    def of_peak(self, capture: str) -> str:
        """The owner of what is held at once: of every kernel that differs in the graph that holds most, since each
        makes or frees a buffer, or else of the order in which that runs."""
        moved = [each for each in self.moved if each.graph.startswith(capture)]
        if not moved and any(isinstance(change.what, NotUnpacked) for change in self._found.own):
            return COUNTED_OTHERWISE
        held = {name: sides for name, sides in self._peaks.items() if name.startswith(capture)}
        if held:
            largest = [max(sides[side] for sides in held.values()) for side in (0, 1)]
            most = {name for name, sides in held.items() for side in (0, 1) if sides[side] == largest[side]}
            moved = [each for each in moved if each.graph in most]
            ordered = {change.key for name in most for change in self._scheduled(name)}
            if not moved and len(ordered) == 1:
                return ordered.pop()
        return self.of_unknown_size("peak_memory", moved)

    def of_saved(self, capture: str, amount: float) -> Parts:
        """The owners of what forward keeps for backward: of each result that only one side keeps, the change that is
        about its operator, or the only one of what splits the graph, or the only one of graphs where that is near."""
        splits = [change for change in self._of_graphs if change.stage in ("forward_graph", "backward_graph")]
        several = splits if len(splits) == 1 else self._of_graphs
        only = several[0] if len(several) == 1 else None
        saved = self._saved.get(capture, Counter())
        if saved.total() != amount:  # it is not known what
            return {UNEXPLAINED if only is None else only.key: amount}
        joint = [each for name, each in self._joint.items() if name.startswith(capture)]
        near = {name for each in joint for name in each.near}
        amounts = defaultdict[str, float](float)
        for operator, number in saved.items():
            owner = self._best(splits, {operator}) or self._best(self._of_graphs, {operator})
            if owner is None and (only in splits or not joint or operator in near):
                owner = only
            amounts[UNEXPLAINED if owner is None else owner.key] += number
        return {key: number for key, number in amounts.items() if number}

    def only(self, name: str) -> str:
        """For a number that is no sum over kernels: the only change that is not bookkeeping, if there is one."""
        breaks = [change for change in self._computing if change.topic in ("breaks", "lost")]
        computed = [change for change in self._computing if change.topic not in ("guards", "breaks")]
        several = breaks or computed if name in _BEFORE_KERNELS else computed
        return several[0].key if len(several) == 1 else UNEXPLAINED
