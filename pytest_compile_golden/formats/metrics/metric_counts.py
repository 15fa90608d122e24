"""How each metric of the table is counted in a record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from pytest_compile_golden.facts.costs import Collective, Communication, GraphCost
from pytest_compile_golden.facts.generated_code import (
    RESOURCES,
    Launch,
    MachineCode,
    Resources,
)
from pytest_compile_golden.facts.graphs import Graph
from pytest_compile_golden.facts.guards import GraphChoices, GuardTree, Stop
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.facts.schedules import Group
from pytest_compile_golden.formats.dynamo import reason
from pytest_compile_golden.formats.inductor_module import launches

# torch/_inductor/ir.py; an operation's kind ends with its class.
_USERS_KERNEL = "UserDefinedTritonKernel"
Count = Callable[[Record], int | None]
"""Gives None if the compile has no such thing."""


def counter(record: Record, name: str) -> int:
    """One of Inductor's own counters (torch/_dynamo/utils.py: counters)."""
    return record.counters.get("inductor", {}).get(name, 0)


def graph_breaks(record: Record) -> int:
    """Places where Dynamo gave up a graph."""
    return sum(record.counters.get("graph_break", {}).values())


def _groups(record: Record) -> list[Group]:
    return [
        group for schedule in record.get("scheduler_nodes") for group in schedule.groups
    ]


def kernels(record: Record) -> int:
    """Generated kernels that are launched, and the user's own."""
    # torch also counts what it only tried: trial C++ kernels, and templates that lost to another kernel.
    if record.device_type == "cpu" or record.get("autotuned"):
        return sum(launches(code.code) for code in record.get("output_code"))
    return record.numbers.get("generated_kernel_count", 0) + len(_users_kernels(record))


def _users_kernels(record: Record) -> list[str]:
    """The operations that launch a Triton kernel of the user's, which torch counts as a library call."""
    operations = (
        operation for group in _groups(record) for operation in group.operations
    )
    return [
        operation.name
        for operation in operations
        if operation.kind.endswith(_USERS_KERNEL)
    ]


def extern_kernels(record: Record) -> int:
    """Calls of library functions."""
    return sum(1 for group in _groups(record) if group.kind == "extern")


def fused_nodes(record: Record) -> int:
    """Operations that are in one group with an earlier one."""
    return sum(group.size - 1 for group in _groups(record))


def bytes_accessed(record: Record) -> int:
    """As torch counts them when it generates code."""
    return sum(code.bytes_accessed for code in record.get("output_code"))


def cache_hits(record: Record) -> int:
    """Graphs that Inductor's own cache answered."""
    # Other caches of this name's form keep parts of a compilation: kernels that a process has built before, say.
    return record.counters.get("inductor", {}).get("fxgraph_cache_hit", 0)


def total(entry: str, number: Callable[[Any], int], none: int | None = None) -> Count:
    """The sum of a number of each item of an entry; `none` if the compile has no such items."""
    return lambda record: (
        sum(map(number, items)) if (items := record.get(entry)) else none
    )


def choices(entry: str, *kinds: str, none: int | None = None) -> Count:
    """How many decisions of these kinds there are; `none` if torch decided nothing of the sort."""
    return total(
        entry, lambda graph: sum(choice.kind in kinds for choice in graph.choices), none
    )


def flops(graph: GraphCost) -> int:
    """Of a graph, by torch's formulas."""
    return sum(kernel.number("flops") or 0 for kernel in graph.kernels)


def peak_memory(record: Record) -> int | None:
    """torch's estimate in bytes; None if it made none."""
    return max((cost.peak_memory for cost in record.get("cost")), default=None)


def least_time(record: Record) -> int | None:
    """Nanoseconds that the target needs for all kernels; None if that is unknown of any."""
    graphs: list[GraphCost] = record.get("cost")
    times = [kernel.least_ns for graph in graphs for kernel in graph.kernels]
    known = [time for time in times if time is not None]
    return sum(known) if graphs and len(known) == len(times) else None


def exchanged(number: Callable[[Collective], int]) -> Count:
    """The sum of a number of each collective, of each graph once; None if there are none."""

    def count(record: Record) -> int | None:
        graphs: list[Communication] = record.get("collectives")
        # Eager code calls collectives too, between graphs.
        eager = [item for item in record.get("step") if isinstance(item, Collective)]
        if not graphs and not eager:
            return None
        return sum(
            number(each)
            for each in (
                *(each for graph in graphs for each in graph.collectives),
                *eager,
            )
        )

    return count


def _resources(number: str, record: Record) -> list[int] | None:
    """Values for each kernel in its first offered configuration, whichever of them were compiled; None if unknown."""
    if (
        "machine_code" not in record.entries
        or number not in RESOURCES[record.device_type].NUMBERS
    ):
        return None
    compiled: list[MachineCode] = record.get("machine_code")
    return [
        getattr(kernel.resources, number)
        for kernel in compiled
        if kernel.config_index == 0 and kernel.resources is not None
    ]


def resource(of: Callable[[list[int]], int], number: str) -> Count:
    """`sum`, `max` or `min` of what the kernels take."""

    def count(record: Record) -> int | None:
        values = _resources(number, record)
        return of(values) if values or (values is not None and of is sum) else None

    return count


def spills_on_offer(record: Record) -> int | None:
    """None if no kernel has several configurations, or not all of them were compiled."""
    compiled: list[MachineCode] = record.get("machine_code")
    launches: list[Launch] = record.get("launches")
    on_offer = sum(len(launch.configs) for launch in launches)
    if on_offer <= len(launches) or len(compiled) < on_offer:
        return None
    most: dict[tuple[str, str], int] = {}
    for kernel in compiled:
        if isinstance(kernel.resources, Resources):
            name = kernel.key.label, kernel.kernel
            most[name] = max(most.get(name, 0), kernel.resources.spills)
    return sum(most.values())


def cpp_compiler(record: Record) -> str | None:
    """The compiler of the C++ kernels; None if nothing was compiled."""
    compiled: list[MachineCode] = record.get("machine_code")
    return next(
        (kernel.compiler for kernel in compiled if record.device_type == "cpu"), None
    )


def recompiles(record: Record) -> int:
    """Times that Dynamo compiled a frame once more."""
    stops: list[Stop] = record.get("recompiles")
    return sum(stop.limit is None for stop in stops)


def checks(record: Record, *, python: bool = False) -> int:
    """Checks of guards in a call; `python`: only those that run Python."""
    trees: list[GuardTree] = record.get("guard_tree")
    return sum(check.python or not python for tree in trees for check in tree.checks)


def work(*kinds: str) -> Count:
    """The amount of work of these kinds in all phases."""
    return total(
        "compile_cost",
        lambda phase: sum(count for kind, count in phase.counts if kind in kinds),
    )


def nodes(graph: Graph) -> int:
    """Those of a graph and of the graphs that it calls."""
    return sum(len(part.nodes) for part in graph.with_subgraphs())


def _decisions(entry: str, kind: str, record: Record) -> list[str]:
    graphs: list[GraphChoices] = record.get(entry)
    return [
        f"{choice.what}: {choice.why}"
        for graph in graphs
        for choice in graph.choices
        if choice.kind == kind
    ]


def _stops(entry: str, record: Record) -> list[str]:
    stops: list[Stop] = record.get(entry)
    return [
        f"{stop.code or stop.function} at {stop.location or 'an unknown line'}"
        for stop in stops
        if stop.limit is None
    ]


def _captured(record: Record) -> list[str]:
    """Each graph; one that is compiled no further was given up, as torch does where a float need not be an input."""
    compiled = {graph.key.index for graph in record.get("post_grad_graph")}
    keys = [graph.key for graph in record.get("dynamo_graph")]
    given_up = ", which Dynamo gave up to trace again"
    return [
        f"{key.label}{given_up if compiled and key.index not in compiled else ''}"
        for key in keys
    ]


def _recompiled(record: Record) -> list[str]:
    stops: list[Stop] = record.get("recompiles")
    return [
        f"{stop.function}: {next(iter(reason(stop)), '')}"
        for stop in stops
        if stop.limit is None
    ]


def _bytes(record: Record) -> list[str]:
    """Each kernel with what it has to read and write, the most first."""
    graphs: list[GraphCost] = record.get("cost")
    kernels = [
        (
            kernel.number("read") or 0,
            kernel.number("written") or 0,
            "+".join(kernel.operators),
        )
        for graph in graphs
        for kernel in graph.kernels
    ]
    kernels.sort(key=lambda kernel: -kernel[0] - kernel[1])
    return [
        f"{operators} reads {read}, writes {written}"
        for read, written, operators in kernels
    ]


COUNTED: Mapping[str, Callable[[Record], Iterable[str]]] = {
    "bytes_accessed": _bytes,
    "cache_bypasses": partial(_decisions, "cache_key", "bypassed"),
    "cudagraph_skips": partial(_decisions, "cudagraphs", "skipped"),
    "extern_kernels": lambda record: (
        "+".join(map(str, operation.computes))
        for group in _groups(record)
        if group.kind == "extern"
        for operation in group.operations
    ),
    "graph_breaks": partial(_stops, "graph_breaks"),
    "graphs": _captured,
    "kernels": lambda record: [
        *(kernel for _, kernel, _ in record.get("kernels")),
        *_users_kernels(record),
    ],
    "recompiles": _recompiled,
}
"""What some metrics count, in words for a failing assert."""
