"""The trail: what each step of the pipeline decided, in short, so that the first one to differ can be named.

Whole texts of every stage would be many times as long as what most changes touch. The trail keeps, in pipeline order,
the operators that were decomposed and what each was lowered to, and of every graph and schedule in between its size
and a digest of its canonical form; of each pass that changed its graph, a digest of what it left.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.observe.record import Decision, Graph, Launch, Pass, PassDiff, Record
from pytest_compile_golden.stages.artifact import Artifact
from pytest_compile_golden.stages.canonical.digest import digest
from pytest_compile_golden.stages.graph import GraphArtifact, graph_text
from pytest_compile_golden.stages.pass_diffs import changes
from pytest_compile_golden.stages.registry import get_stage

STEPS = (
    "dynamo_graph",
    "pre_grad_graph",
    "decompositions",
    "aot_graph",
    "joint_graph",
    "forward_graph",
    "backward_graph",
    "passes",
    "post_grad_graph",
    "lowerings",
    "lowered_ir",
    "scheduler_nodes",
    "wrapper_code",
    "launches",
)
"""Stages, and four steps that are lists."""

_OPERATION = re.compile(r"\s+op\d+: ")
_DECISIONS = {"decompositions": "decomposed", "lowerings": "lowered"}


def render_trail(record: Record) -> Artifact | None:
    """The steps of this compile; None where nothing was compiled."""
    lines: list[str] = []
    for step in STEPS:
        if step in record.unavailable:
            continue
        if step == "launches":
            lines += _launches(record.get("launches"))
        elif step == "passes":
            lines += _passes(record)
        elif step in _DECISIONS:
            lines += _decisions(step, record.get(_DECISIONS[step]))
        else:
            lines += _digested(step, record)
    unseen = frozenset(STEPS) & record.unavailable.keys()
    return Artifact("trail", "\n".join(lines) + "\n", unseen=unseen) if record.get("output_code") else None


def _digested(step: str, record: Record) -> Iterator[str]:
    stage = get_stage(step)
    artifact = stage.render(record)
    if artifact is not None:
        line = f"{step:<16} {_size(artifact)}  {digest(stage.canonical(artifact.text))}"
        # Reordered nodes are the same graph, but may be what makes something later differ.
        yield f"{line}  # order {_order(artifact)}" if isinstance(artifact, GraphArtifact) else line


def _passes(record: Record) -> Iterator[str]:
    rows = [row for run, diff in changes(record) if (row := _left(run, diff, record.device_type))]
    if rows:
        yield "passes:"
        yield from rows


def _left(run: Pass, diff: PassDiff, home: str) -> str | None:
    """What a pass left of its graph; None where it only gave independent nodes another order."""

    def form(graph: Graph) -> str:
        return digest(get_stage("post_grad_graph").canonical(graph_text(graph, "graph", home)))

    if not (isinstance(diff.before, Graph) and isinstance(diff.after, Graph)):
        return None
    left = form(diff.after)
    if not (run.added or run.removed) and form(diff.before) == left:
        return None
    return f"  {run.key.label}: {run.phase} / {run.name}  {left}" + (f"  # {run.where}" if run.where else "")


def _launches(launches: list[Launch]) -> Iterator[str]:
    if launches:
        yield "launches:"
    for number, each in enumerate(launches):
        yield f"  kernel_{number} -> {'; '.join(each.configs)}  # {each.kernel}"


def _order(artifact: GraphArtifact) -> str:
    return digest([node.target for graph in artifact.graphs for node in graph.nodes if node.op.startswith("call")])[:4]


def _size(artifact: Artifact) -> str:
    if isinstance(artifact, GraphArtifact):
        return f"{artifact.nodes} nodes"
    lines = split_lines(artifact.text)
    if artifact.stage == "wrapper_code":
        return f"{len(lines)} lines"
    return f"{sum(_OPERATION.match(line) is not None for line in lines)} operations"


def _decisions(step: str, decisions: list[Decision]) -> Iterator[str]:
    yield f"{step}:"
    counted = Counter((each.operator, each.became) for each in decisions)
    places = {(each.operator, each.became): each.where for each in decisions}
    for (operator, became), times in counted.items():
        where = places[operator, became]
        yield f"  {operator} -> {became}" + (f" [{times}]" if times > 1 else "") + (f"  # {where}" if where else "")
