"""The trail of a compile, from what was recorded and from the stages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from msgspec.structs import replace

from pytest_compile_golden.common.digest import digest
from pytest_compile_golden.facts.generated_code import Launch
from pytest_compile_golden.facts.graphs import Decision, Graph, Pass
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.facts.schedules import PassDiff
from pytest_compile_golden.facts.trail import (
    Decomposed,
    Fact,
    Item,
    LaunchConfigs,
    Lowered,
    PassOutput,
    StageContents,
    StageDigest,
    Stopped,
)
from pytest_compile_golden.formats import dynamo, evidence
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.format import Format, Unreadable
from pytest_compile_golden.formats.graph_breaks import STOPS, stop
from pytest_compile_golden.formats.graphs import GRAPH
from pytest_compile_golden.formats.graphs.from_record import graph_text
from pytest_compile_golden.formats.pass_diffs import changes
from pytest_compile_golden.formats.trail.compare import (
    DECOMPOSITIONS,
    LAUNCHES,
    LISTS,
    LOWERINGS,
    PASSES,
)


@dataclass(frozen=True, repr=False)
class TrailArtifact(Artifact):
    """The trail, and the locations of the lines at which Dynamo stopped."""

    stopped: tuple[tuple[str, str], ...] = ()

    @property
    def locations(self) -> tuple[tuple[str, str], ...]:
        return self.stopped


class TrailSource(Protocol):
    """A stage, as far as the trail needs it."""

    @property
    def name(self) -> str: ...

    @property
    def format(self) -> Format: ...

    @property
    def default(self) -> bool: ...

    def render(self, record: Record) -> Artifact | None: ...


def render(
    record: Record, stage: str, steps: Sequence[TrailSource | str]
) -> Artifact | None:
    """The trail of this compile; None if nothing was compiled.

    `steps` are those of the pipeline, in order: a stage to digest, or a phase for which the trail has a list.
    """
    facts: list[Fact] = []
    unavailable: set[str] = set()
    for source in steps:
        name = LISTS[source] if isinstance(source, str) else source.name
        if name in record.unavailable:
            unavailable.add(name)
        else:
            facts += (
                _listed(name, record)
                if isinstance(source, str)
                else _made(source, record)
            )
    if not record.get("output_code"):
        return None
    placed = [
        fact if isinstance(fact, StageContents) else replace(fact, at=at)
        for at, fact in enumerate(facts)
    ]
    stopped = dynamo.locations(entry for name in STOPS for entry in record.get(name))
    text = evidence.lines(dict.fromkeys(placed))
    return TrailArtifact(
        stage, text, unavailable=frozenset(unavailable), stopped=stopped
    )


def _made(stage: TrailSource, record: Record) -> Iterator[Fact]:
    artifact = stage.render(record)
    if artifact is None:
        return
    form = stage.format
    # The text of a default stage is a golden itself, which says it all.
    key, items = _key_and_items(form, artifact.text, not stage.default)
    # Reordered nodes are the same graph, but may be the reason that something later differs.
    yield StageDigest(0, stage.name, form.size(artifact), key, form.order(artifact))
    if items:
        yield StageContents(key, items)


# The pre-grad passes mostly leave the graph as Dynamo captured it.
@lru_cache(maxsize=2)
def _key_and_items(form: Format, text: str, held: bool) -> tuple[str, tuple[Item, ...]]:
    key = digest(form.canonical(text))
    try:
        return key, form.inventory(text) if held else ()
    except Unreadable:
        return key, ()


def _listed(name: str, record: Record) -> Iterator[Fact]:
    if name in STOPS:
        for entry in record.get(name):
            stopped = stop(dynamo.reason(entry), dynamo.at(entry))
            yield Stopped(0, name, stopped.reason, stopped.at)
    elif name == DECOMPOSITIONS:
        yield from (
            Decomposed(0, *decided) for decided in _counted(record.get("decomposed"))
        )
    elif name == LOWERINGS:
        yield from (Lowered(0, *decided) for decided in _counted(record.get("lowered")))
    elif name == PASSES:
        form = _form(record.device_type)
        yield from (
            left for run, diff in changes(record) if (left := _left(run, diff, form))
        )
    elif name == LAUNCHES:
        launches: list[Launch] = record.get(name)
        for number, launch in enumerate(launches):
            by = launch.heuristic
            function, where = (
                (None, launch.kernel) if by is None else (by.function, by.where)
            )
            yield LaunchConfigs(
                0, f"kernel_{number}", "; ".join(launch.configs), function, where
            )


def _counted(decided: Sequence[Decision]) -> Iterator[tuple[str, str, int, str | None]]:
    counted = Counter((decision.operator, decision.became) for decision in decided)
    locations = {
        (decision.operator, decision.became): decision.where for decision in decided
    }
    for (operator, became), times in counted.items():
        yield operator, became, times, locations[operator, became]


def _form(default_device: str) -> Callable[[Graph], str]:
    """Makes the digest of a graph's form; what one pass leaves is mostly what the next one finds."""
    known: dict[int, str] = {}

    def form(graph: Graph) -> str:
        if id(graph) not in known:
            known[id(graph)] = digest(
                GRAPH.canonical(graph_text(graph, "graph", default_device))
            )
        return known[id(graph)]

    return form


def _left(run: Pass, diff: PassDiff, form: Callable[[Graph], str]) -> PassOutput | None:
    """The graph that a pass left; None if it only reordered independent nodes."""
    if not (isinstance(diff.before, Graph) and isinstance(diff.after, Graph)):
        return None
    left = form(diff.after)
    if not (run.added or run.removed) and form(diff.before) == left:
        return None
    return PassOutput(0, run.key.label, run.phase, run.name, left, run.where)
