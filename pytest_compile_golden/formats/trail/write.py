"""The trail: a summary of what each step of the pipeline decided, from which the first one to differ can be named.

The full texts of every stage would be many times as long as what most changes touch. Instead, the trail keeps, in
pipeline order: the operators that were decomposed and what each was lowered to; for every graph and schedule in
between, its size, a digest of its canonical form and an inventory to say how two differ; for each pass that changed
its graph, a digest of what it left; where Dynamo stopped, and why; and which functions wrote which lines of kernels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from pytest_compile_golden.formats import authors, dynamo
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.authors import Authorship
from pytest_compile_golden.formats.code import read_module
from pytest_compile_golden.formats.digest import digest
from pytest_compile_golden.formats.format import Format, Unreadable
from pytest_compile_golden.formats.graph import GRAPH
from pytest_compile_golden.formats.graph.write import graph_text
from pytest_compile_golden.formats.pass_diffs import changes
from pytest_compile_golden.formats.stops import STOPS, stop
from pytest_compile_golden.formats.trail.printed import (
    AUTHORS,
    BY,
    LISTS,
    PASSES,
    REFUSALS,
    Decision,
    Left,
    TrailStep,
    write,
)
from pytest_compile_golden.record import Record
from pytest_compile_golden.record.code import Launch
from pytest_compile_golden.record.graphs import Decision as Decided
from pytest_compile_golden.record.graphs import Graph, Pass
from pytest_compile_golden.record.schedules import PassDiff

_RECORDED = {"decompositions": "decomposed", "lowerings": "lowered"}
"""The names under which probes record the contents of a list."""


@dataclass(frozen=True, repr=False)
class TrailArtifact(Artifact):
    """The trail, and the locations of the lines at which Dynamo stopped."""

    stopped: tuple[tuple[str, str], ...] = ()

    @property
    def locations(self) -> tuple[tuple[str, str], ...]:
        return self.stopped


class Source(Protocol):
    """A stage, as far as the trail needs it."""

    @property
    def name(self) -> str: ...

    @property
    def format(self) -> Format: ...

    @property
    def default(self) -> bool: ...

    def render(self, record: Record) -> Artifact | None: ...


def render(record: Record, stage: str, steps: Sequence[Source | str]) -> Artifact | None:
    """The trail of this compile; None if nothing was compiled.

    `steps` are those of the pipeline, in order: a stage to digest, or a phase for which the trail has a list.
    """
    trail: list[TrailStep] = []
    unavailable: set[str] = set()
    for source in steps:
        name = LISTS[source] if isinstance(source, str) else source.name
        if name in record.unavailable:
            unavailable.add(name)
        else:
            step = _listed(name, record) if isinstance(source, str) else _digested(source, record)
            trail += [] if step is None else [step]
    if not record.get("output_code"):
        return None
    stopped = dynamo.locations(entry for name in STOPS for entry in record.get(name))
    return TrailArtifact(stage, write(trail), unavailable=frozenset(unavailable), stopped=stopped)


def _digested(stage: Source, record: Record) -> TrailStep | None:
    artifact = stage.render(record)
    if artifact is None:
        return None
    form = stage.format
    # Reordered nodes are the same graph, but may be the reason that something later differs.
    try:
        # The text of a default stage is a golden itself, which says it all.
        contents = () if stage.default else form.inventory(artifact.text)
    except Unreadable:
        contents = ()
    return TrailStep(
        stage.name, form.size(artifact), digest(form.canonical(artifact.text)), form.order(artifact), contents=contents
    )


def _listed(name: str, record: Record) -> TrailStep | None:
    if name in _RECORDED:
        return TrailStep(name, decisions=tuple(_decisions(record.get(_RECORDED[name]))))
    if name in STOPS:
        stops = tuple(stop(dynamo.reason(entry), dynamo.at(entry)) for entry in record.get(name))
        return TrailStep(name, stops=stops) if stops else None
    if name == REFUSALS:
        refused = authors.refused(pair for _, pair in record.get("not_fused"))
        return TrailStep(name, wrote=refused) if refused else None
    if name == AUTHORS:
        return _authors(record)
    if name == PASSES:
        left = tuple(row for run, diff in changes(record) if (row := _left(run, diff, record.device_type)))
        return TrailStep(name, left=left) if left else None
    launches = tuple(_launches(record.get(name)))
    return TrailStep(name, decisions=launches) if launches else None


def _authors(record: Record) -> TrailStep | None:
    sources = [kernel.source for code in record.get("output_code") for kernel in read_module(code.code).kernels]
    heuristics = {launch.heuristic: None for launch in record.get("launches") if launch.heuristic is not None}
    wrote = (*authors.wrote(sources, record.get("written")), *map(Authorship, heuristics))
    return TrailStep(AUTHORS, wrote=wrote) if wrote else None


def _decisions(decided: Sequence[Decided]) -> Iterator[Decision]:
    counted = Counter((decision.operator, decision.became) for decision in decided)
    locations = {(decision.operator, decision.became): decision.where for decision in decided}
    for (operator, became), times in counted.items():
        yield Decision(operator, became, times, locations[operator, became])


def _left(run: Pass, diff: PassDiff, default_device: str) -> Left | None:
    """The graph that a pass left; None if it only reordered independent nodes."""

    def form(graph: Graph) -> str:
        return digest(GRAPH.canonical(graph_text(graph, "graph", default_device)))

    if not (isinstance(diff.before, Graph) and isinstance(diff.after, Graph)):
        return None
    left = form(diff.after)
    if not (run.added or run.removed) and form(diff.before) == left:
        return None
    return Left(run.key.label, run.phase, run.name, left, run.where)


def _launches(launches: Sequence[Launch]) -> Iterator[Decision]:
    for number, launch in enumerate(launches):
        by = "" if launch.heuristic is None else f"{BY}{launch.heuristic.function}"
        yield Decision(f"kernel_{number}", "; ".join(launch.configs), where=launch.kernel + by)
