"""A record's FX graphs as they are printed, and facts for tests to assert on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pytest_compile_golden.facts.graphs import Graph, GraphKey, Node, TensorType
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.formats.artifact import Answer, Artifact, of_those
from pytest_compile_golden.formats.graphs.printed import (
    RESULT,
    GraphLine,
    Input,
    PrintedGraph,
    subgraph_name,
    write,
)
from pytest_compile_golden.formats.known_names import check_operator

_NOT_A_NAME = re.compile(r"<(\w+)>")


@dataclass(frozen=True, repr=False)
class GraphArtifact(Artifact):
    """One or more FX graphs."""

    graphs: tuple[Graph, ...]

    @property
    def operators(self) -> Counter[str]:
        """How often each operator, function, method or module is called, across all graphs and their subgraphs."""
        return Counter(
            node.target
            for graph in self.graphs
            for part in graph.with_subgraphs()
            for node in part.nodes
            if node.op.startswith("call")
        )

    @property
    def locations(self) -> tuple[tuple[str, str], ...]:
        """The locations of the user's lines that it quotes: line, `file:number`."""
        locations = {
            node.code: node.location
            for graph in self.graphs
            for part in graph.with_subgraphs()
            for node in part.nodes
            if node.code is not None and node.location is not None
        }
        return tuple(locations.items())

    def count(self, operator: str, *, missing_ok: bool = False) -> Answer:
        """The number of calls of `operator`: `aten.clone` counts all overloads, `aten.clone.default` only that one.

        Raises UnknownName for an operator that neither torch nor the user's files have, unless `missing_ok`.
        """
        there = self.operators
        number = sum(
            times
            for name, times in there.items()
            if name == operator
            or name.startswith(operator + ".")
            or name.endswith("." + operator)
        )
        if not number and not missing_ok:
            check_operator(operator, there)
        return of_those(number, there)

    def has(self, operator: str, *, missing_ok: bool = False) -> Answer:
        """Whether `operator` is called at all; names as for `count`."""
        return of_those(self.count(operator, missing_ok=missing_ok) > 0, self.operators)

    @property
    def nodes(self) -> int:
        """The number of nodes in all graphs: inputs, calls and outputs."""
        return sum(
            len(part.nodes) for graph in self.graphs for part in graph.with_subgraphs()
        )


def type_text(kind: TensorType | str | None, default_device: str) -> str | None:
    """`f32[64, 1024]`, followed by the strides if not contiguous, and by the device if not the target's."""
    if kind is None:
        return None
    if isinstance(kind, str):
        return f"Sym({kind})"
    text = f"{kind.dtype}[{', '.join(kind.shape) or '()'}]"
    if not kind.contiguous:
        text += f"[{', '.join(kind.stride)}]"
    if kind.device.partition(":")[0] != default_device:
        text += f" @ {kind.device.replace(':', '_')}"
    return text


def _call(node: Node) -> str:
    keywords = [f"{key}={value}" for key, value in node.kwargs]
    if node.op == "get_attr":
        return f"self.{node.target}"
    if node.op == "call_method":
        return f"{node.args[0]}.{node.target}({', '.join([*node.args[1:], *keywords])})"
    if node.op == "call_module":
        return f"self.{node.target}({', '.join([*node.args, *keywords])})"
    if node.target == "operator.getitem":
        return f"{node.args[0]}[{node.args[1]}]"
    target = _NOT_A_NAME.sub(r"\1", node.target)
    return f"{target}({', '.join([*node.args, *keywords])})"


def functions_of(
    graph: Graph, name: str, default_device: str, saves: tuple[str, ...] | None = None
) -> Iterator[PrintedGraph]:
    """One graph as it is printed under `name`, followed by the graphs that it calls.

    `default_device` is the device type that is not printed.
    """
    inputs: list[Input] = []
    lines: list[GraphLine] = []
    code: str | None = None
    for node in graph.nodes:
        kind = type_text(node.type, default_device) or ""
        if node.op == "placeholder":
            inputs.append(Input(node.name, kind))
        elif node.op == "output":
            lines.append(GraphLine(RESULT, "", node.args[0]))
        else:
            # Quoted once for all nodes that come from the same line of the user's.
            new = node.code is not None and node.code != code
            code = node.code if new else code
            lines.append(
                GraphLine(node.name, kind, _call(node), node.code if new else None)
            )
    yield PrintedGraph(name, tuple(inputs), tuple(lines), saves)
    for child, subgraph in graph.subgraphs:
        yield from functions_of(subgraph, subgraph_name(name, child), default_device)


def graph_text(graph: Graph, name: str, default_device: str) -> str:
    """One graph, followed by the graphs that it calls. `default_device` is the device type that is not printed."""
    return write(functions_of(graph, name, default_device))


def render_graphs(record: Record, stage: str) -> GraphArtifact | None:
    """The artifact of a graph stage; None if there is no such graph."""
    return _render(record, stage, {})


def render_forward(record: Record, stage: str) -> GraphArtifact | None:
    """The partitioner's forward graphs, each with what it saves for backward."""
    return _render(
        record,
        stage,
        {partition.key: partition.saved for partition in record.get("partition")},
    )


def _render(
    record: Record, stage: str, saves: Mapping[GraphKey, tuple[str, ...]]
) -> GraphArtifact | None:
    graphs: list[Graph] = record.get(stage)
    return graphs_artifact(stage, graphs, record.device_type, saves) if graphs else None


def graphs_artifact(
    stage: str,
    graphs: Sequence[Graph],
    default_device: str,
    saves: Mapping[GraphKey, tuple[str, ...]] = MappingProxyType({}),
    name: str | None = None,
) -> GraphArtifact:
    """Graphs as an artifact of `stage`. `default_device` is the device type that is not printed."""
    functions = [
        function
        for graph in graphs
        for function in functions_of(
            graph, graph.key.label, default_device, saves.get(graph.key)
        )
    ]
    return GraphArtifact(stage, write(functions), tuple(graphs), name=name)
