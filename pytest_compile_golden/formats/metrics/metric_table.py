"""The metrics of a capture, each with the direction in which it is better."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.formats.graph_choices import conditions
from pytest_compile_golden.formats.metrics import kernel_metrics, metric_counts

Direction = Literal["lower", "higher"] | None
Unit = Literal["", "bytes", "FLOP", "ns"]


@dataclass(frozen=True)
class Metric:
    """One metric: what it counts, where it comes from and which direction is better."""

    name: str
    meaning: str
    """In words, with the torch name if it is torch's own number."""
    stage: str
    """The stage whose probe records it: if torch cannot show that stage, the metric is missing too."""
    count: Callable[[Record], int | str | None]
    """Gives None if the compile has no such thing."""
    unit: Unit = ""
    direction: Direction = "lower"
    """The better one: a default, not a verdict, as fewer kernels can be slower. None if neither is better."""
    compared: bool = True
    """Whether a change of it alone counts as a change; metrics that explain or rank other changes do not."""
    limit: int | None = None
    """A golden has the metric only if it is more than this: one without it stands for this much, or less."""


METRICS: tuple[Metric, ...] = (
    Metric(
        "bytes_accessed",
        "bytes that all kernels read and write, each buffer of a fused one as a whole: "
        "`torch._inductor.metrics.num_bytes_accessed`",
        "wrapper_code",
        metric_counts.bytes_accessed,
        "bytes",
    ),
    Metric(
        "bytes_sent",
        "bytes that this rank sends in the collectives of its graphs and of one step's hooks, each around a ring",
        "collectives",
        metric_counts.exchanged(lambda collective: collective.sent),
        "bytes",
    ),
    Metric(
        "cache_bypasses",
        "graphs that a torch cache cannot keep: once for the AOTAutograd cache, once for the FX graph cache",
        "cache_key",
        metric_counts.choices("cache_key", "bypassed"),
    ),
    Metric(
        "cache_hits",
        "compilations served from a cache; 0 in a capture",
        "metrics",
        metric_counts.cache_hits,
    ),
    Metric(
        "collectives",
        "calls by which ranks exchange tensors",
        "collectives",
        metric_counts.exchanged(lambda _: 1),
    ),
    Metric(
        "constant_bytes",
        "bytes of the parameters, buffers and other constants in AOTInductor's package",
        "aot_package",
        metric_counts.total(
            "aot_package",
            lambda package: sum(constant.nbytes for constant in package.constants),
        ),
        "bytes",
    ),
    Metric(
        "cpp_compiler",
        "the compiler of a CPU target's C++ kernels, if they were compiled; another one may give other numbers",
        "kernel_resources",
        metric_counts.cpp_compiler,
        compared=False,
        direction=None,
    ),
    Metric(
        "cudagraph_partitions",
        "CUDA graphs that are recorded, if they are requested",
        "cudagraphs",
        metric_counts.choices("cudagraphs", "recorded"),
    ),
    Metric(
        "cudagraph_skips",
        "reasons for not recording a graph, if CUDA graphs are requested",
        "cudagraphs",
        metric_counts.choices("cudagraphs", "skipped"),
    ),
    Metric(
        "extern_kernels",
        "calls of kernels that Inductor did not write, as scheduled",
        "scheduler_nodes",
        metric_counts.extern_kernels,
    ),
    Metric(
        "flops",
        "floating-point operations: for library calls and templates by the formulas of `torch.utils.flop_counter`, for "
        "other kernels the arithmetic in their loops; fusion repeats some of them and still takes less time",
        "cost",
        metric_counts.total("cost", metric_counts.flops),
        "FLOP",
        direction=None,
    ),
    Metric(
        "fused_nodes",
        "scheduler nodes that fusion merged into another",
        "scheduler_nodes",
        metric_counts.fused_nodes,
        direction=None,
    ),
    *(
        Metric(
            f"compile_{short}",
            f"work of compiling: {meaning}",
            "compile_cost",
            metric_counts.work(*kinds),
        )
        for short, (meaning, kinds) in {
            "expressions": (
                "symbolic expressions simplified, and conditions on them",
                ("simplifications", "conditions"),
            ),
            "operators": (
                "operators run on fake tensors to infer their results",
                ("operators_run",),
            ),
            "patterns": (
                "nodes compared with a part of a pattern",
                ("patterns_compared",),
            ),
        }.items()
    ),
    Metric(
        "graph_breaks",
        '`torch._dynamo.utils.counters["graph_break"]`',
        "metrics",
        metric_counts.graph_breaks,
    ),
    Metric(
        "graphs",
        "graphs that Dynamo captured",
        "dynamo_graph",
        lambda record: len(record.get("dynamo_graph")),
    ),
    Metric(
        "guards",
        "guards that are evaluated before compiled code is reused; releases differ by one or two in every frame, "
        "which does not count as a change: the stages `guards` and `guard_tree` pin them where they matter",
        "guard_tree",
        metric_counts.checks,
        compared=False,
    ),
    Metric(
        "ir_nodes",
        "Inductor operations before fusion: `torch._inductor.metrics.ir_nodes_pre_fusion`",
        "lowered_ir",
        lambda record: record.numbers.get("ir_nodes_pre_fusion"),
        direction=None,
    ),
    Metric(
        "kernels",
        "kernels emitted, `torch._inductor.metrics.generated_kernel_count`, and launches of your own; on CPU targets "
        "and if kernels were autotuned, the kernel calls of the wrapper, since torch also counts what was only tried",
        "wrapper_code",
        metric_counts.kernels,
    ),
    Metric(
        "least_time",
        "the least time that the target needs, by its peak rates; it ranks changes but is not one itself",
        "cost",
        metric_counts.least_time,
        "ns",
        compared=False,
    ),
    Metric(
        "libm_calls",
        "calls of the C library's mathematical functions in C++ kernels, each for one element",
        "kernel_resources",
        metric_counts.resource(sum, "libm_calls"),
    ),
    *(
        Metric(
            f"nodes_{short}",
            f"FX nodes of {stage}",
            stage,
            metric_counts.total(stage, metric_counts.nodes),
            direction=None,
        )
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
        "percent of a multiprocessor's threads that blocks can fill, for the kernel that fills least",
        "kernel_resources",
        metric_counts.resource(min, "occupancy"),
        direction="higher",
    ),
    Metric(
        "parameter_bytes",
        "bytes of the parameters of the Triton kernel that takes most; more than the 4 KiB that CUDA has always taken "
        "cannot be launched on every driver",
        "wrapper_code",
        kernel_metrics.parameter_bytes,
        "bytes",
        limit=4096,
    ),
    Metric(
        "pattern_matches",
        '`torch._dynamo.utils.counters["inductor"]["pattern_matcher_count"]`',
        "metrics",
        lambda record: metric_counts.counter(record, "pattern_matcher_count"),
        compared=False,
        direction=None,
    ),
    Metric(
        "peak_memory",
        "peak bytes of a graph's own buffers, for the graph that needs most: "
        "`torch._inductor.memory.estimate_peak_memory_allocfree`",
        "cost",
        metric_counts.peak_memory,
        "bytes",
    ),
    Metric(
        "python_guards",
        "guards that call a Python function, each several times as slow as one in C++",
        "guard_tree",
        partial(metric_counts.checks, python=True),
    ),
    Metric(
        "reference_calls",
        "calls of an operator for which oneDNN has only its reference implementation, a hundred times slower: a linear "
        "layer in bfloat16 on Arm, before torch 2.15",
        "post_grad_graph",
        kernel_metrics.reference_calls,
        limit=0,
    ),
    Metric(
        "recompiles",
        "recompilations of a frame",
        "recompiles",
        metric_counts.recompiles,
    ),
    Metric(
        "registers",
        "32-bit registers per thread, for the kernel that takes most; fewer is not an end in itself",
        "kernel_resources",
        metric_counts.resource(max, "registers"),
        direction=None,
    ),
    Metric(
        "saved_bytes",
        "bytes that forward computes and keeps for backward: `torch._functorch.partitioners._size_of`",
        "cost",
        metric_counts.total("saved", lambda graph: graph.nbytes),
        "bytes",
    ),
    Metric(
        "scalar_loops",
        "innermost loops of C++ kernels that process one element at a time",
        "kernel_resources",
        metric_counts.resource(sum, "scalar_loops"),
    ),
    Metric(
        "shared_memory",
        "shared memory per block, for the kernel that takes most; less is not an end in itself",
        "kernel_resources",
        metric_counts.resource(max, "shared"),
        "bytes",
        direction=None,
    ),
    Metric(
        "specialisations",
        "sizes and numbers that could have varied but became constants: 0, 1, and what a guard fixed",
        "specialisations",
        metric_counts.choices("specialisations", "constant", "specialised", none=0),
    ),
    Metric(
        "spills",
        "32-bit words of local memory that the threads of all kernels take, as Triton counts them: what registers "
        "could not hold; for C++ kernels, stores of vector registers to the stack and loads from there",
        "kernel_resources",
        metric_counts.resource(sum, "spills"),
    ),
    Metric(
        "spills_on_offer",
        "like `spills`, with each kernel in the configuration on offer that spills most, if all were compiled",
        "kernel_resources",
        metric_counts.spills_on_offer,
        limit=0,
    ),
    Metric(
        "symbolic_guards",
        "different conditions on sizes and numbers that vary, each of which can cause a recompilation",
        "specialisations",
        metric_counts.total("specialisations", conditions, none=0),
    ),
    Metric(
        "thread_starts",
        "how often C++ kernels start threads inside a serial loop, unless what the threads then share has 300 times as "
        "many rounds, which is Inductor's own rule",
        "wrapper_code",
        kernel_metrics.thread_starts,
        limit=0,
    ),
    Metric(
        "vector_bits",
        "bits of the widest vector register used to move or compute data, for the C++ kernel where it is narrowest",
        "kernel_resources",
        metric_counts.resource(min, "vector_bits"),
        direction="higher",
    ),
)

COUNTED_STAGES = frozenset({metric.stage for metric in METRICS})
"""The stages that have to be watched for them."""
LIMITS: Mapping[str, int] = {
    metric.name: metric.limit for metric in METRICS if metric.limit is not None
}
DIRECTIONS: Mapping[str, Direction] = {
    metric.name: metric.direction for metric in METRICS
}
ACCOUNTS = frozenset(
    {metric.name for metric in METRICS if metric.direction is None} - {"flops"}
)
"""Metrics that only count how something is represented: neither direction is better, and none says what is computed."""
OF_KERNEL_TEXT = frozenset({"flops", "least_time"})
"""Metrics that are counted in the text of kernels: they say nothing where its machine code is the same."""
UNITS: Mapping[str, Unit] = {
    metric.name: metric.unit for metric in METRICS if metric.unit
}
MEASURED = frozenset({"bytes", "FLOP", "ns"})
"""The units of numbers that are large and continuous, and estimates: a small change says nothing."""
GUARDED: Mapping[str, str] = {
    "python_guards": "guards that run Python",
    "specialisations": "sizes and numbers that became constants",
    "symbolic_guards": "conditions on sizes and numbers that vary",
}
"""What Dynamo checks before it reuses a compilation, in a few words; nothing after Dynamo changes these numbers."""
LISTS = "specialisations"
"""The stage that lists one by one what the metrics in LISTED count."""
LISTED = frozenset({"specialisations", "symbolic_guards"})
WORDS: Mapping[str, str] = {
    **GUARDED,
    "flops": "floating-point operations",
    "guards": "guards",
    "ir_nodes": "operations before fusion",
    **{
        metric.name: f"nodes in {metric.stage}"
        for metric in METRICS
        if metric.name.startswith("nodes_")
    },
}
"""For a number that changes on its own, the words for what there is more or less of."""
NOT_COMPARED = frozenset(metric.name for metric in METRICS if not metric.compared)

# What these are called is the name of a stage too, from which they do not come.
_STAGES = frozenset({"graph_breaks", "guards", "recompiles"})


def reasons(unavailable: Mapping[str, str]) -> dict[str, str]:
    """Why each metric is unknown that is, given what the installed torch does not show, by stage or metric."""
    why = {name: reason for name, reason in unavailable.items() if name not in _STAGES}
    known = (
        (metric.name, why.get(metric.name) or unavailable.get(metric.stage))
        for metric in METRICS
    )
    return {name: reason for name, reason in known if reason}


def metrics_unavailable_without(unavailable: Collection[str]) -> frozenset[str]:
    """The metrics that are unknown without these stages, or are among what is unavailable themselves."""
    facts = frozenset(unavailable) - _STAGES
    return frozenset(
        metric.name
        for metric in METRICS
        if metric.stage in unavailable or metric.name in facts
    )
