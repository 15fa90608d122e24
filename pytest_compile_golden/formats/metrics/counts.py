"""How each metric of the table is counted in a record."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial

from pytest_compile_golden.facts.code import RESOURCES, MachineCode, Package
from pytest_compile_golden.facts.costs import Collective, Communication, GraphCost, Saved, Work
from pytest_compile_golden.facts.dynamo import Stop
from pytest_compile_golden.facts.graphs import Graph
from pytest_compile_golden.facts.guards import GraphChoices, GuardTree
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.facts.schedules import Group
from pytest_compile_golden.formats.code import launches
from pytest_compile_golden.formats.dynamo import reason


def counter(record: Record, name: str) -> int:
    return record.counters.get("inductor", {}).get(name, 0)


def graph_breaks(record: Record) -> int:
    return sum(record.counters.get("graph_break", {}).values())


def _groups(record: Record) -> list[Group]:
    return [group for schedule in record.get("scheduler_nodes") for group in schedule.groups]


def kernels(record: Record) -> int:
    # torch also counts what it only tried: trial C++ kernels, and templates that lost to another kernel.
    if record.device_type == "cpu" or record.get("autotuned"):
        return sum(launches(code.code) for code in record.get("output_code"))
    return record.numbers.get("generated_kernel_count", 0)


def extern_kernels(record: Record) -> int:
    return sum(1 for group in _groups(record) if group.kind == "extern")


def fused_nodes(record: Record) -> int:
    return sum(group.size - 1 for group in _groups(record))


def bytes_accessed(record: Record) -> int:
    return sum(code.bytes_accessed for code in record.get("output_code"))


def cache_hits(record: Record) -> int:
    return sum(times for name, times in record.counters.get("inductor", {}).items() if name.endswith("_hit"))


def flops(record: Record) -> int | None:
    graphs: list[GraphCost] = record.get("cost")
    return sum(kernel.number("flops") or 0 for graph in graphs for kernel in graph.kernels) if graphs else None


def peak_memory(record: Record) -> int | None:
    graphs: list[GraphCost] = record.get("cost")
    return max((graph.peak_memory for graph in graphs), default=None)


def saved_bytes(record: Record) -> int | None:
    saved: list[Saved] = record.get("saved")
    return sum(graph.nbytes for graph in saved) if saved else None


def least_time(record: Record) -> int | None:
    graphs: list[GraphCost] = record.get("cost")
    times = [kernel.least_ns for graph in graphs for kernel in graph.kernels]
    known = [time for time in times if time is not None]
    return sum(known) if graphs and len(known) == len(times) else None


def constant_bytes(record: Record) -> int | None:
    packages: list[Package] = record.get("aot_package")
    return sum(constant.nbytes for package in packages for constant in package.constants) if packages else None


def collectives(record: Record) -> int | None:
    exchanged = _exchanged(record)
    return None if exchanged is None else len(exchanged)


def bytes_sent(record: Record) -> int | None:
    exchanged = _exchanged(record)
    return None if exchanged is None else sum(collective.sent for collective in exchanged)


def _exchanged(record: Record) -> list[Collective] | None:
    """The collectives of each graph once, and those that eager code calls in one step; None if there are none."""
    graphs: list[Communication] = record.get("collectives")
    eager = [item for item in record.get("step") if isinstance(item, Collective)]
    return [*(collective for graph in graphs for collective in graph.collectives), *eager] if graphs or eager else None


def _resources(number: str, record: Record) -> list[int] | None:
    """Values for each kernel in its first offered configuration, whichever of them were compiled; None if unknown."""
    if "machine_code" not in record.entries or number not in RESOURCES[record.device_type].NUMBERS:
        return None
    compiled: list[MachineCode] = record.get("machine_code")
    return [
        getattr(kernel.resources, number)
        for kernel in compiled
        if kernel.config_index == 0 and kernel.resources is not None
    ]


def sum_of(number: str, record: Record) -> int | None:
    values = _resources(number, record)
    return None if values is None else sum(values)


def maximum(number: str, record: Record) -> int | None:
    return max(_resources(number, record) or (), default=None)


def minimum(number: str, record: Record) -> int | None:
    return min(_resources(number, record) or (), default=None)


def cpp_compiler(record: Record) -> str | None:
    compiled: list[MachineCode] = record.get("machine_code")
    return next((kernel.compiler for kernel in compiled if record.device_type == "cpu"), None)


def recompiles(record: Record) -> int:
    stops: list[Stop] = record.get("recompiles")
    return sum(stop.limit is None for stop in stops)


def checks(record: Record, *, python: bool = False) -> int:
    trees: list[GuardTree] = record.get("guard_tree")
    return sum(check.python or not python for tree in trees for check in tree.checks)


def decided(kinds: Collection[str], record: Record) -> int:
    graphs: list[GraphChoices] = record.get("specialisations")
    return sum(choice.kind in kinds for graph in graphs for choice in graph.choices)


def cudagraphs(kind: str, record: Record) -> int | None:
    graphs: list[GraphChoices] = record.get("cudagraphs")
    return sum(choice.kind == kind for graph in graphs for choice in graph.choices) if graphs else None


def work(kinds: Collection[str], record: Record) -> int | None:
    """The amount of work of these kinds in all phases."""
    phases: list[Work] = record.get("compile_cost")
    return sum(count for phase in phases for kind, count in phase.counts if kind in kinds) if phases else None


def bypasses(record: Record) -> int | None:
    graphs: list[GraphChoices] = record.get("cache_key")
    return sum(choice.kind == "bypassed" for graph in graphs for choice in graph.choices) if graphs else None


def length(entry: str, record: Record) -> int:
    return len(record.get(entry))


def node_count(stage: str, record: Record) -> int | None:
    graphs: list[Graph] = record.get(stage)
    return _nodes(graphs) if graphs else None


def _nodes(graphs: list[Graph]) -> int:
    return sum(len(graph.nodes) + _nodes([child for _, child in graph.subgraphs]) for graph in graphs)


def _decisions(entry: str, kind: str, record: Record) -> list[str]:
    graphs: list[GraphChoices] = record.get(entry)
    return [f"{choice.what}: {choice.why}" for graph in graphs for choice in graph.choices if choice.kind == kind]


def _stops(entry: str, record: Record) -> list[str]:
    stops: list[Stop] = record.get(entry)
    return [
        f"{stop.code or stop.function} at {stop.location or 'an unknown line'}" for stop in stops if stop.limit is None
    ]


def _captured(record: Record) -> list[str]:
    """Each graph; one that is compiled no further was given up, as torch does where a float need not be an input."""
    compiled = {graph.key.index for graph in record.get("post_grad_graph")}
    keys = [graph.key for graph in record.get("dynamo_graph")]
    given_up = ", which Dynamo gave up to trace again"
    return [f"{key.label}{given_up if compiled and key.index not in compiled else ''}" for key in keys]


def _recompiled(record: Record) -> list[str]:
    stops: list[Stop] = record.get("recompiles")
    return [f"{stop.function}: {next(iter(reason(stop)), '')}" for stop in stops if stop.limit is None]


def _bytes(record: Record) -> list[str]:
    """Each kernel with what it has to read and write, the most first."""
    graphs: list[GraphCost] = record.get("cost")
    kernels = [
        (kernel.number("read") or 0, kernel.number("written") or 0, "+".join(kernel.operators))
        for graph in graphs
        for kernel in graph.kernels
    ]
    kernels.sort(key=lambda kernel: -kernel[0] - kernel[1])
    return [f"{operators} reads {read}, writes {written}" for read, written, operators in kernels]


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
    "kernels": lambda record: (kernel for _, kernel, _ in record.get("kernels")),
    "recompiles": _recompiled,
}
"""What some metrics count, in words for a failing assert."""
