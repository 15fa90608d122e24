"""What each pair of kernels costs more or less, and what the kernels show of why."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_compile_golden.facts.schedules import Operation, buffer
from pytest_compile_golden.formats.schedules.roles import copies
from pytest_compile_golden.goldens.compare_artifact import Compared
from pytest_compile_golden.goldens.consequences import base, prefix
from pytest_compile_golden.goldens.kernel_pairs import (
    KernelPair,
    SideKernel,
    bytes_moved,
    kernel_pairs,
    loop_pairs,
)
from pytest_compile_golden.goldens.same_nodes import (
    Stored,
    StoredAlone,
    StoredOtherwise,
    differing_nodes,
    doubled_nodes,
    kernels_of_values,
    of_same_nodes,
    saved_buffers,
    stored_alone,
    stored_otherwise,
)

_CALL = "extern"
_Readers = tuple[Mapping[str, set[str]], Mapping[str, set[str]]]
"""The operations that read each buffer, on both sides."""


@dataclass(frozen=True)
class CostDifference:
    """What a pair of kernels costs more or less, or every call of one operator, or every copy that is made for one."""

    graph: str
    names: frozenset[str]
    """The operators that only one of the two computes; those of both if they compute the same."""
    amounts: Counter[str]
    """By metric."""
    gone: frozenset[str] = frozenset()
    """The operators that the old one computes more often, if the new one computes none more often."""
    call: str = ""
    """The library call; empty for kernels."""
    copied: bool = False
    """Whether it is what copies the inputs of the call."""
    counted: bool = False
    """Whether both do the same, and only torch's numbers for them differ."""
    same_nodes: bool = False
    """Whether both are known to be made only of nodes that are the same on both sides, and to store for the same."""
    operations: frozenset[tuple[int, str]] = frozenset()
    """Those of both, by side and name."""
    stored: frozenset[str] = frozenset()
    """The operators of what they access that one side alone stores, although both compute it, and no node that differs
    reads it."""
    stores: bool | None = None
    """Whether either accesses what one side alone stores, or computes what is inlined more or less often, or is made of
    the same nodes as a kernel that does; None if that is not known."""
    parted: frozenset[str] = frozenset()
    """The operators of kernels that make the same values as fewer or more kernels of the other side; empty for what is
    no such number of kernels."""
    stores_itself: bool = False
    """Whether either makes or reads what one side alone stores."""
    saved_by: frozenset[tuple[int, str]] = frozenset()
    """The operations, by side and name, that make or read a value that only their side saves for backward."""
    stored_for: frozenset[str] = frozenset()
    """The operators that differ and read what one side alone stores."""
    doubled: frozenset[str] = frozenset()
    """The operators of the nodes that one side alone computes twice, and one of the two does."""
    differs: bool = True
    """Whether they cost more or less, or access other buffers."""


def cost_differences(compared: Sequence[Compared]) -> Iterator[CostDifference]:
    """The pairs of kernels; what is called, and what is copied for it, as one for each library call."""
    graphs: dict[str, list[CostDifference]] = {}
    for each in _differences(compared):
        graphs.setdefault(each.graph, []).append(each)
    otherwise = stored_otherwise(compared)
    for graph, pairs in graphs.items():
        if graph in otherwise:
            yield from _with_storing(pairs, otherwise[graph])
        else:
            yield from pairs


def _with_storing(
    pairs: Sequence[CostDifference], otherwise: StoredOtherwise
) -> Iterator[CostDifference]:
    """The pairs, each with whether it is another because results are stored otherwise."""
    made = [
        {
            node
            for side, name in pair.operations
            for node in otherwise.results[side].get(name, ())
        }
        for pair in pairs
    ]
    storing = [
        any(name in otherwise.operations[side] for side, name in pair.operations)
        for pair in pairs
    ]
    # What is in one kernel on one side may be in several on the other.
    reached, before = set[str](), None
    while before != reached:
        before = set(reached)
        storing = [
            known or not reached.isdisjoint(nodes)
            for known, nodes in zip(storing, made, strict=True)
        ]
        reached = {
            node
            for known, nodes in zip(storing, made, strict=True)
            if known
            for node in nodes
        }
    for pair, known in zip(pairs, storing, strict=True):
        yield replace(pair, stores=known)


def _differences(compared: Sequence[Compared]) -> Iterator[CostDifference]:
    types, differ = _types(compared), differing_nodes(compared)
    alone, twice = stored_alone(compared), doubled_nodes(compared)
    saved, of_values = saved_buffers(compared), kernels_of_values(compared)

    def moved(
        graph: str, pair: KernelPair, amounts: Counter[str], readers: _Readers
    ) -> CostDifference:
        stored = _stored(pair, alone.get(graph, ({}, {})))
        return CostDifference(
            graph,
            _difference(pair),
            amounts,
            _gone(pair),
            _called(pair),
            counted=_is_uncounted(pair) or _same(pair, types.get(graph), readers),
            stores_itself=bool(stored),
            saved_by=frozenset(
                (number, operation.name)
                for (number, kernel), names in zip(
                    enumerate(pair), saved.get(graph, ()), strict=False
                )
                if kernel is not None
                for operation in _operations(kernel)
                if not names.isdisjoint(_accessed(operation))
            ),
            same_nodes=of_same_nodes(pair, differ.get(graph))
            and not any(each.used_by for each in stored),
            operations=_named(pair),
            stored=frozenset(
                name for each in stored if not each.used_by for name in each.operators
            ),
            stored_for=frozenset(name for each in stored for name in each.used_by),
            doubled=frozenset(
                operators[node]
                for kernel, operators in zip(pair, twice.get(graph, ()), strict=False)
                if kernel is not None
                for operation in _operations(kernel)
                for node in operation.nodes or ()
                if node in operators
            ),
        )

    for graph, pairs in kernel_pairs(compared).items():
        making = of_values.get(graph, []) if _launches_groups(pairs) else []
        counted_apart = {name for each in making for name in each.operations}
        copied_for: dict[Operation, str] = {}
        readers = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
        for side, of_side in zip(zip(*pairs, strict=True), readers, strict=True):
            operations = [
                operation
                for kernel in side
                if kernel
                for operation in _operations(kernel)
            ]
            copied_for |= {
                operation: base(call) for operation, call in copies(operations)
            }
            for operation in operations:
                for read in operation.reads:
                    of_side[buffer(read)].add(operation.name)
        of_calls: dict[tuple[str, bool], list[CostDifference]] = {}
        parts = loop_pairs(pairs)
        for part in parts:
            copied = [*_copied(graph, part, copied_for, counted_apart)]
            rest = moved(graph, part, _amounts(part, counted_apart), readers)
            for each in copied:
                rest.amounts.subtract(each.amounts)
                rest = replace(rest, operations=rest.operations - each.operations)
            for each in (*copied, rest):
                if each.call:
                    of_calls.setdefault((each.call, each.copied), []).append(each)
            if not rest.call:
                yield replace(
                    rest,
                    differs=any(rest.amounts.values())
                    or not (copied or _same_accesses(part)),
                )
        for pair in pairs if parts != pairs else ():
            launches = _launches(pair)
            if any(launches.values()) and not _called(pair):
                yield moved(graph, pair, launches, readers)
        for made in making:
            if made.more:
                # A kernel that only one side has shows best what makes one more or fewer.
                shown = max(
                    pairs,
                    key=lambda pair: (
                        not _named(pair).isdisjoint(made.operations),
                        None in pair,
                    ),
                )
                more = moved(graph, shown, Counter(kernels=made.more), readers)
                yield replace(more, parted=_computed_by(pairs, made.operations))
        # Of a call, torch may list as computed what its inputs were computed with, and so pair it with another one.
        yield from map(_together, of_calls.values())


def _launches_groups(pairs: Sequence[KernelPair]) -> bool:
    """Whether each group of the schedule is launched: a C++ kernel may have several."""
    kernels = (kernel for pair in pairs for kernel in pair if kernel is not None)
    return all(
        kernel.calls or kernel.launches == len(kernel.groups) for kernel in kernels
    )


def _named(pair: KernelPair) -> frozenset[tuple[int, str]]:
    """The operations of both, by side and name."""
    return frozenset(
        (number, operation.name)
        for number, side in enumerate(pair)
        if side is not None
        for operation in _operations(side)
    )


def _computed_by(
    pairs: Sequence[KernelPair], operations: Collection[tuple[int, str]]
) -> frozenset[str]:
    """What these operations compute."""
    return frozenset(
        base(computed.operator)
        for pair in pairs
        for number, side in enumerate(pair)
        if side is not None
        for operation in _operations(side)
        if (number, operation.name) in operations
        for computed in operation.computes
    )


def _together(several: Sequence[CostDifference]) -> CostDifference:
    amounts = Counter[str]()
    for each in several:
        amounts.update(each.amounts)
    names = frozenset(name for each in several for name in each.names)
    operations = frozenset(named for each in several for named in each.operations)
    differs = any(amounts.values())
    return replace(
        several[0], names=names, amounts=amounts, operations=operations, differs=differs
    )


def _is_uncounted(pair: KernelPair) -> bool:
    """Whether both are calls, and torch counts nothing for one of them, although each call reads or writes something:
    it does not know what a higher-order operator calls."""
    old, new = pair
    return (
        old is not None
        and new is not None
        and bool(old.calls and new.calls)
        and 0 in (old.bytes, new.bytes)
        and old.bytes != new.bytes
    )


def _accessed(operation: Operation) -> Iterator[str]:
    """The buffers and inputs that an operation reads or writes."""
    return map(buffer, (*operation.reads, *operation.writes, *operation.outputs))


def _stored(pair: KernelPair, alone: tuple[Stored, Stored]) -> frozenset[StoredAlone]:
    """What a pair accesses that one side alone stores."""
    return frozenset(
        buffers[name]
        for kernel, buffers in zip(pair, alone, strict=True)
        if kernel is not None
        for operation in _operations(kernel)
        for name in _accessed(operation)
        if name in buffers
    )


def _copied(
    graph: str,
    pair: KernelPair,
    copied_for: Mapping[Operation, str],
    counted_apart: Collection[tuple[int, str]],
) -> Iterator[CostDifference]:
    """What the groups of a pair of kernels cost more or less that only copy the inputs of library calls; with their
    launches, if one side has no such kernel and the other's does nothing else."""
    costs = defaultdict[str, Counter[str]](Counter)
    named = defaultdict[str, set[tuple[int, str]]](set)
    only = None in pair
    for number, kernel in enumerate(pair):
        sign = 1 if number else -1
        for group, cost in (
            () if kernel is None else zip(kernel.groups, kernel.costs, strict=True)
        ):
            calls = {copied_for.get(operation, "") for operation in group.operations}
            call = calls.pop() if len(calls) == 1 else ""
            only = only and bool(call)
            if call and cost is not None:
                named[call] |= {
                    (number, operation.name) for operation in group.operations
                }
                numbers = (
                    bytes_moved(cost),
                    cost.number("flops") or 0,
                    cost.least_ns or 0,
                )
                for name, amount in zip(
                    ("bytes_accessed", "flops", "least_time"), numbers, strict=True
                ):
                    costs[call][name] += sign * amount
    for call, amounts in costs.items():
        if only and len(costs) == 1:
            amounts["kernels"] = _amounts(pair, counted_apart)["kernels"]
        yield CostDifference(
            graph,
            frozenset({call}),
            amounts,
            call=call,
            copied=True,
            operations=frozenset(named[call]),
        )


def _called(pair: KernelPair) -> str:
    """The library calls of a pair; empty for kernels."""
    return " ".join(
        sorted({side.calls for side in pair if side is not None and side.calls})
    )


def _types(
    compared: Sequence[Compared],
) -> dict[str, tuple[dict[str, str], dict[str, str]]]:
    """By graph, the type of each buffer and of each input, on both sides."""
    found: dict[str, tuple[dict[str, str], dict[str, str]]] = {}
    for artifact in compared:
        if (
            artifact.stage not in ("scheduler_nodes", "post_grad_graph")
            or artifact.documents is None
        ):
            continue
        for number, side in enumerate(artifact.documents):
            for graph in side:
                of_graph: Mapping[str, str]
                if artifact.stage == "post_grad_graph":
                    name, of_graph = (
                        graph.name,
                        {each.name: each.type for each in graph.inputs},
                    )
                else:
                    name = graph.label
                    outputs = (
                        output
                        for operation in graph.operations
                        for output in operation.outputs
                    )
                    of_graph = {
                        buffer(output): output.partition(": ")[2] for output in outputs
                    }
                found.setdefault(prefix(artifact) + name, ({}, {}))[number].update(
                    of_graph
                )
    return found


def _same(
    pair: KernelPair,
    types: tuple[Mapping[str, str], Mapping[str, str]] | None,
    readers: _Readers,
) -> bool:
    """Whether both kernels read values of the same types at the same places, make the same of them, and leave the same
    of it in memory for others."""
    old, new = pair
    if (
        old is None
        or new is None
        or types is None
        or _called(pair)
        or old.work != new.work
    ):
        return False
    read, left = [], []
    for side, known, of_side in zip((old, new), types, readers, strict=True):
        operations = [*_operations(side)]
        names = {operation.name for operation in operations}
        read.append(
            Counter(
                known.get(buffer(read), "")
                for operation in operations
                for read in operation.reads
            )
        )
        made = {
            buffer(output) for operation in operations for output in operation.outputs
        }
        # What only the kernel itself reads is not stored.
        left.append(
            Counter(
                known.get(name, "")
                for name in made
                if not (of_side.get(name) and of_side[name] <= names)
            )
        )
    return read[0] == read[1] and "" not in read[0] and left[0] == left[1]


def _operations(kernel: SideKernel) -> Iterator[Operation]:
    return (operation for group in kernel.groups for operation in group.operations)


def _amounts(
    pair: KernelPair, counted_apart: Collection[tuple[int, str]] = ()
) -> Counter[str]:
    """By metric, how much more the new kernel costs; a kernel that only one side has costs nothing on the other.

    counted_apart: operations, by side and name, of kernels whose launches are counted elsewhere.
    """
    sides = [
        (side, sign)
        for side, sign in zip(pair, (-1, 1), strict=True)
        if side is not None
    ]
    old, new = (
        None
        if side is not None
        and any((number, each.name) in counted_apart for each in _operations(side))
        else side
        for number, side in enumerate(pair)
    )
    amounts = _launches((old, new))
    every: dict[str, Sequence[tuple[int | None, int]]] = {
        "bytes_accessed": [(side.bytes, sign) for side, sign in sides],
        "flops": [(side.flops, sign) for side, sign in sides],
        "least_time": [(side.least_ns, sign) for side, sign in sides],
    }
    for name, costs in every.items():
        known = [sign * number for number, sign in costs if number is not None]
        if len(known) == len(costs):
            amounts[name] += sum(known)
    return amounts


def _launches(pair: KernelPair) -> Counter[str]:
    """How many more kernels are launched, and library functions called."""
    launches = Counter(kernels=0, extern_kernels=0)
    for side, sign in zip(pair, (-1, 1), strict=True):
        if side is not None:
            name = "extern_kernels" if side.kind == _CALL else "kernels"
            launches[name] += sign * (1 if side.launches is None else side.launches)
    return launches


def _same_accesses(pair: KernelPair) -> bool:
    """Whether the groups of both kernels read and write as many buffers; never if one side has no such kernel."""
    counts = [
        Counter(
            len({*operation.reads, *operation.writes})
            for operation in _operations(side)
        )
        for side in pair
        if side is not None
    ]
    return len(counts) == 2 and counts[0] == counts[1]


def _difference(pair: KernelPair) -> frozenset[str]:
    """The operators that only one side of a pair computes; all of them, if both compute the same."""
    old, new = (_computed(side) for side in pair)
    different = (old - new) + (new - old)
    return frozenset(different or old)


def _gone(pair: KernelPair) -> frozenset[str]:
    """The operators that the old side of a pair computes more often, if the new side computes none more often."""
    old, new = (_computed(side) for side in pair)
    return frozenset() if None in pair or new - old else frozenset(old - new)


def _computed(side: SideKernel | None) -> Counter[str]:
    names = Counter[str]()
    for operator, times in () if side is None else side.operators.items():
        names[base(operator)] += times
    return names
