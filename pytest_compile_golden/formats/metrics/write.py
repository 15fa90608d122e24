"""Numbers of one capture, each with the direction in which it is better."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.code import launches
from pytest_compile_golden.formats.metrics.printed import Line, write
from pytest_compile_golden.record import (
    Choices,
    Communication,
    FusionGroup,
    Graph,
    GraphCost,
    GuardTree,
    MachineCode,
    Record,
    Resources,
    Saved,
    Stop,
)

Direction = Literal["lower", "higher"] | None
Unit = Literal["", "bytes", "FLOP", "ns"]


@dataclass(frozen=True)
class Metric:
    """One number: what it counts, where it comes from and which way is better."""

    name: str
    meaning: str
    """In words, with the torch name where it is torch's own number."""
    direction: Direction
    """A default, not a verdict: fewer kernels can be slower. None where neither is better."""
    stage: str
    """The stage whose probe sees it: where torch cannot show that stage, the metric is missing too."""
    count: Callable[[Record], int | None]
    """None where the compile has no such thing."""
    unit: Unit = ""
    compared: bool = True
    """Whether a change of it alone is one: what explains or ranks other changes is not."""


def _counter(record: Record, name: str) -> int:
    return record.counters.get("inductor", {}).get(name, 0)


def _graph_breaks(record: Record) -> int:
    return sum(record.counters.get("graph_break", {}).values())


def _groups(record: Record) -> list[FusionGroup]:
    return [group for schedule in record.get("scheduler_nodes") for group in schedule.groups]


def _kernels(record: Record) -> int:
    # torch counts what it tried as well: trial C++ kernels, and templates that lost to another kernel.
    if record.device_type == "cpu" or record.get("autotuned"):
        return sum(launches(code.code) for code in record.get("output_code"))
    return record.numbers.get("generated_kernel_count", 0)


def _extern_kernels(record: Record) -> int:
    return sum(1 for group in _groups(record) if group.kind == "extern")


def _fused_nodes(record: Record) -> int:
    return sum(len(group.nodes) - 1 for group in _groups(record))


def _bytes_accessed(record: Record) -> int:
    return sum(code.bytes_accessed for code in record.get("output_code"))


def _cache_hits(record: Record) -> int:
    return sum(times for name, times in record.counters.get("inductor", {}).items() if name.endswith("_hit"))


def _flops(record: Record) -> int | None:
    graphs: list[GraphCost] = record.get("cost")
    return sum(kernel.flops or 0 for graph in graphs for kernel in graph.kernels) if graphs else None


def _peak_memory(record: Record) -> int | None:
    graphs: list[GraphCost] = record.get("cost")
    return max((graph.peak_memory for graph in graphs), default=None)


def _saved_bytes(record: Record) -> int | None:
    saved: list[Saved] = record.get("saved")
    return sum(each.nbytes for each in saved) if saved else None


def _least_time(record: Record) -> int | None:
    graphs: list[GraphCost] = record.get("cost")
    times = [kernel.least_ns for graph in graphs for kernel in graph.kernels]
    known = [time for time in times if time is not None]
    return sum(known) if graphs and len(known) == len(times) else None


def _collectives(record: Record) -> int | None:
    graphs: list[Communication] = record.get("collectives")
    return sum(len(graph.collectives) for graph in graphs) if graphs else None


def _bytes_sent(record: Record) -> int | None:
    graphs: list[Communication] = record.get("collectives")
    return sum(each.sent for graph in graphs for each in graph.collectives) if graphs else None


def _resources(record: Record) -> list[Resources]:
    """Of each kernel in the first configuration that is offered for it, whichever were compiled."""
    compiled: list[MachineCode] = record.get("machine_code")
    return [each.resources for each in compiled if each.place == 0 and each.resources is not None]


def _sum_of(number: str, record: Record) -> int | None:
    return sum(getattr(each, number) for each in _resources(record)) if "machine_code" in record.entries else None


def _most(number: str, record: Record) -> int | None:
    return max((getattr(each, number) for each in _resources(record)), default=None)


def _occupancy(record: Record) -> int | None:
    return min((each.occupancy for each in _resources(record)), default=None)


def _recompiles(record: Record) -> int:
    stops: list[Stop] = record.get("recompiles")
    return sum(stop.limit is None for stop in stops)


def _checks(record: Record, *, python: bool = False) -> int:
    trees: list[GuardTree] = record.get("guard_tree")
    return sum(each.python or not python for tree in trees for each in tree.checks)


def _decided(kinds: Collection[str], record: Record) -> int:
    graphs: list[Choices] = record.get("specialisations")
    return sum(each.kind in kinds for graph in graphs for each in graph.made)


def _cudagraphs(kind: str, record: Record) -> int | None:
    graphs: list[Choices] = record.get("cudagraphs")
    return sum(each.kind == kind for graph in graphs for each in graph.made) if graphs else None


def _bypasses(record: Record) -> int | None:
    graphs: list[Choices] = record.get("cache_key")
    return sum(each.kind == "bypassed" for graph in graphs for each in graph.made) if graphs else None


def _length(entry: str, record: Record) -> int:
    return len(record.get(entry))


def _node_count(stage: str, record: Record) -> int | None:
    graphs: list[Graph] = record.get(stage)
    return _nodes(graphs) if graphs else None


def _nodes(graphs: list[Graph]) -> int:
    return sum(len(graph.nodes) + _nodes([child for _, child in graph.subgraphs]) for graph in graphs)


METRICS: tuple[Metric, ...] = (
    Metric(
        "bytes_accessed",
        "bytes that all kernels read and write: `torch._inductor.metrics.num_bytes_accessed`",
        "lower",
        "wrapper_code",
        _bytes_accessed,
        "bytes",
    ),
    Metric(
        "bytes_sent",
        "bytes that this rank sends in the collectives of its graphs, each around a ring",
        "lower",
        "collectives",
        _bytes_sent,
        "bytes",
    ),
    Metric(
        "cache_bypasses",
        "graphs that a cache of torch's cannot keep: once for the AOTAutograd cache, once for the FX graph cache",
        "lower",
        "cache_key",
        _bypasses,
    ),
    Metric("cache_hits", "compilations that a cache answered; 0 in a capture", "lower", "metrics", _cache_hits),
    Metric("collectives", "calls by which ranks exchange tensors", "lower", "collectives", _collectives),
    Metric(
        "cudagraph_partitions",
        "CUDA graphs that are recorded, where they are asked for",
        "lower",
        "cudagraphs",
        partial(_cudagraphs, "recorded"),
    ),
    Metric(
        "cudagraph_skips",
        "reasons for which a graph is not recorded, where CUDA graphs are asked for",
        "lower",
        "cudagraphs",
        partial(_cudagraphs, "skipped"),
    ),
    Metric(
        "extern_kernels",
        "calls of kernels that Inductor did not write, as scheduled",
        "lower",
        "scheduler_nodes",
        _extern_kernels,
    ),
    Metric(
        "flops",
        "floating-point operations: of library calls and templates by the formulas of `torch.utils.flop_counter`, of "
        "other kernels the arithmetic in their loops; fusing computes some again, and takes less time all the same",
        None,
        "cost",
        _flops,
        "FLOP",
    ),
    Metric(
        "fused_nodes",
        "scheduler nodes that fusion merged into another",
        None,
        "scheduler_nodes",
        _fused_nodes,
    ),
    Metric("graph_breaks", '`torch._dynamo.utils.counters["graph_break"]`', "lower", "metrics", _graph_breaks),
    Metric("graphs", "graphs that Dynamo captured", "lower", "dynamo_graph", partial(_length, "dynamo_graph")),
    Metric("guards", "guards that are evaluated before compiled code is used again", "lower", "guard_tree", _checks),
    Metric(
        "ir_nodes",
        "Inductor operations before fusion: `torch._inductor.metrics.ir_nodes_pre_fusion`",
        None,
        "metrics",
        lambda record: record.numbers.get("ir_nodes_pre_fusion"),
    ),
    Metric(
        "kernels",
        "kernels emitted: `torch._inductor.metrics.generated_kernel_count`; on CPU targets and where kernels were "
        "autotuned, where that counts what was only tried, the kernel calls of the wrapper",
        "lower",
        "wrapper_code",
        _kernels,
    ),
    Metric(
        "least_time",
        "what the target needs at least, by its own peak rates: it ranks changes, and is none",
        "lower",
        "cost",
        _least_time,
        "ns",
        compared=False,
    ),
    *(
        Metric(f"nodes_{short}", f"FX nodes of {stage}", None, stage, partial(_node_count, stage))
        for short, stage in {
            "dynamo": "dynamo_graph",
            "pre_grad": "pre_grad_graph",
            "joint": "joint_graph",
            "forward": "forward_graph",
            "backward": "backward_graph",
            "post_grad": "post_grad_graph",
        }.items()
    ),
    Metric(
        "occupancy",
        "percent of a multiprocessor's threads that blocks can fill, of the kernel that fills least",
        "higher",
        "kernel_resources",
        _occupancy,
    ),
    Metric(
        "pattern_matches",
        '`torch._dynamo.utils.counters["inductor"]["pattern_matcher_count"]`',
        None,
        "metrics",
        lambda record: _counter(record, "pattern_matcher_count"),
        compared=False,
    ),
    Metric(
        "peak_memory",
        "bytes that a graph's own buffers hold at most, of the graph that needs most: "
        "`torch._inductor.memory.estimate_peak_memory_allocfree`",
        "lower",
        "cost",
        _peak_memory,
        "bytes",
    ),
    Metric(
        "python_guards",
        "those of the guards that call a Python function, each some times as slow as one in C++",
        "lower",
        "guard_tree",
        partial(_checks, python=True),
    ),
    Metric("recompiles", "recompilations of a frame", "lower", "recompiles", _recompiles),
    Metric(
        "registers",
        "32-bit registers of a thread, of the kernel that takes most; few are no end in themselves",
        None,
        "kernel_resources",
        partial(_most, "registers"),
    ),
    Metric(
        "saved_bytes",
        "bytes that forward makes and keeps for backward: `torch._functorch.partitioners._size_of`",
        "lower",
        "cost",
        _saved_bytes,
        "bytes",
    ),
    Metric(
        "shared_memory",
        "of a block, of the kernel that takes most; less is no end in itself",
        None,
        "kernel_resources",
        partial(_most, "shared"),
        "bytes",
    ),
    Metric(
        "specialisations",
        "sizes and numbers that could have varied and became constants: 0, 1, and what a guard fixed",
        "lower",
        "specialisations",
        partial(_decided, ("constant", "specialised")),
    ),
    Metric(
        "spills",
        "32-bit words of local memory that the threads of all kernels take, as Triton counts them: what registers "
        "could not hold",
        "lower",
        "kernel_resources",
        partial(_sum_of, "spills"),
    ),
    Metric(
        "symbolic_guards",
        "conditions on sizes and numbers that vary, of which each can be a reason to compile again",
        "lower",
        "specialisations",
        partial(_decided, ("guard",)),
    ),
)

DIRECTIONS: Mapping[str, Direction] = {metric.name: metric.direction for metric in METRICS}
UNITS: Mapping[str, Unit] = {metric.name: metric.unit for metric in METRICS if metric.unit}
NOT_COMPARED = frozenset(metric.name for metric in METRICS if not metric.compared)


class _Counters(dict[str, int]):
    def __missing__(self, key: str) -> int:
        return 0


@dataclass(frozen=True, repr=False)
class MetricsArtifact(Artifact):
    """The numbers of a capture, as attributes: `metrics.kernels`, `metrics.bytes_accessed` ... (see METRICS).

    torch's own numbers that no metric repeats are attributes under torch's names: `metrics.generated_kernel_count`.
    """

    values: Mapping[str, int]
    """What the golden holds, sorted by name."""
    counters: Mapping[str, int]
    """torch's own Inductor counters, `torch._dynamo.utils.counters["inductor"]`; 0 for one that never counted."""
    torch: Mapping[str, int]
    """Every number of `torch._inductor.metrics`, under its own name."""

    def __getattr__(self, name: str) -> int:
        if name.startswith("__"):  # copy and pickle look for hooks before there are any fields
            raise AttributeError(name)
        for numbers in (self.values, self.torch):
            if name in numbers:
                return numbers[name]
        raise AttributeError(f"this capture has no metric {name!r}; it has: {', '.join(self.values)}.")


def render(record: Record, stage: str) -> MetricsArtifact:
    """All numbers of the capture; those of a stage that this torch cannot show are left out rather than be wrong."""
    # What nobody asked to be compiled is no more known than what this torch cannot show.
    uncompiled = set() if "machine_code" in record.entries else {"kernel_resources"}
    unavailable = metrics_unavailable_without({*record.unavailable, *uncompiled})
    counted = {metric.name: metric.count(record) for metric in METRICS if metric.name not in unavailable}
    values = {name: value for name, value in sorted(counted.items()) if value is not None}
    return MetricsArtifact(
        stage=stage,
        text=write(Line(name, value) for name, value in values.items()),
        values=values,
        counters=_Counters(record.counters.get("inductor", {})),
        torch=dict(record.numbers),
        unavailable=unavailable,
    )


def metrics_unavailable_without(unavailable: Collection[str]) -> frozenset[str]:
    """The metrics that cannot be counted without these stages."""
    return frozenset(metric.name for metric in METRICS if metric.stage in unavailable)
