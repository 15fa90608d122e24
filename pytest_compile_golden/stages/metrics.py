"""Numbers of one capture, each with the direction in which it is better."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pytest_compile_golden.capture.record import Graph, OutputCode, Record, Schedule
from pytest_compile_golden.stages.artifact import Artifact
from pytest_compile_golden.stages.code import launches

Direction = Literal["lower", "higher"] | None

DIRECTIONS: Mapping[str, Direction] = {
    "bytes_accessed": "lower",
    "cache_hits": "lower",
    "extern_kernels": "lower",
    "fused_nodes": "higher",
    "graph_breaks": "lower",
    "graphs": "lower",
    "ir_nodes": "lower",
    "kernels": "lower",
    "nodes_backward": "lower",
    "nodes_dynamo": "lower",
    "nodes_forward": "lower",
    "nodes_joint": "lower",
    "nodes_post_grad": "lower",
    "nodes_pre_grad": "lower",
    "pattern_matches": None,
    "recompiles": "lower",
}
"""A metric's better direction: a default, not a verdict (fewer kernels can be slower)."""

_GRAPH_STAGES = {
    "nodes_dynamo": "dynamo_graph",
    "nodes_pre_grad": "pre_grad_graph",
    "nodes_joint": "joint_graph",
    "nodes_forward": "forward_graph",
    "nodes_backward": "backward_graph",
    "nodes_post_grad": "post_grad_graph",
}


@dataclass(frozen=True)
class MetricsArtifact(Artifact):
    """The numbers of a capture, torch's own where torch has them."""

    graphs: int
    """Dynamo graphs compiled."""
    graph_breaks: int
    """`torch._dynamo.utils.counters["graph_break"]`, all reasons together."""
    recompiles: int
    """Recompilations of a frame."""
    kernels: int
    """Kernels emitted: `torch._inductor.metrics.generated_kernel_count` on GPU targets. On CPU targets that number
    counts trial kernels too, so the kernels that the wrapper really calls are counted."""
    fused_nodes: int
    """Scheduler nodes that fusion merged into another: `ir_nodes` less the groups that remain."""
    extern_kernels: int
    """Calls of kernels that Inductor did not write, as the scheduler planned them."""
    bytes_accessed: int
    """`torch._inductor.metrics.num_bytes_accessed`: bytes that all kernels read and write."""
    ir_nodes: int
    """`torch._inductor.metrics.ir_nodes_pre_fusion`: Inductor operations before fusion."""
    pattern_matches: int
    """`counters["inductor"]["pattern_matcher_count"]`."""
    cache_hits: int
    """Compilations that a cache answered; always 0 in a capture."""
    nodes: Mapping[str, int]
    """FX nodes by graph stage."""
    counters: Mapping[str, int]
    """torch's own Inductor counters, `torch._dynamo.utils.counters["inductor"]`; 0 for one that never counted."""
    torch: Mapping[str, int]
    """Every number of `torch._inductor.metrics` under its own name."""

    def values(self) -> dict[str, int]:
        """The metrics that a golden holds, sorted by name."""
        own = {name: getattr(self, name) for name in DIRECTIONS if not name.startswith("nodes_")}
        return dict(sorted({**own, **self.nodes}.items()))


class _Counters(dict[str, int]):
    def __missing__(self, key: str) -> int:
        return 0


def _nodes(graphs: list[Graph]) -> int:
    return sum(len(graph.nodes) + _nodes([child for _, child in graph.subgraphs]) for graph in graphs)


def render_metrics(record: Record) -> MetricsArtifact:
    """All numbers of the capture."""
    inductor = _Counters(record.counters.get("inductor", {}))
    codes: list[OutputCode] = record.get("output_code")
    schedules: list[Schedule] = record.get("scheduler_nodes")
    groups = [group for schedule in schedules for group in schedule.groups]
    nodes = {name: _nodes(record.get(stage)) for name, stage in _GRAPH_STAGES.items() if record.get(stage)}
    emitted = record.numbers.get("generated_kernel_count", 0)
    if record.device_type == "cpu":
        emitted = sum(launches(code.code) for code in codes)
    hits = sum(times for name, times in inductor.items() if name.endswith("_hit"))
    values = {
        "graphs": len(record.get("dynamo_graph")),
        "graph_breaks": sum(record.counters.get("graph_break", {}).values()),
        "recompiles": len(record.get("recompiles")),
        "kernels": emitted,
        "fused_nodes": sum(len(group.nodes) - 1 for group in groups),
        "extern_kernels": sum(1 for group in groups if group.kind == "extern"),
        "bytes_accessed": sum(code.bytes_accessed for code in codes),
        "ir_nodes": record.numbers.get("ir_nodes_pre_fusion", 0),
        "pattern_matches": inductor["pattern_matcher_count"],
        "cache_hits": hits,
    }
    text = "".join(f"{name} = {value}\n" for name, value in sorted({**values, **nodes}.items()))
    return MetricsArtifact(
        stage="metrics", text=text, nodes=nodes, counters=inductor, torch=dict(record.numbers), **values
    )


def canonical_metrics(text: str) -> object:
    """The numbers, whatever their order and comments."""
    lines = (line.partition("#")[0].split("=", 1) for line in text.splitlines())
    return {parts[0].strip(): parts[1].strip() for parts in lines if len(parts) == 2}
