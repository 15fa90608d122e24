"""The collectives of each graph and of the hooks around them, in starting order, and what they overlap with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.changes.common_types import NumbersChanged
from pytest_compile_golden.facts.costs import Collective, Communication, Counts
from pytest_compile_golden.facts.graphs import GraphKey
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.outline import Outline, OutlineFormat

_EAGER = "eager "


@dataclass(frozen=True, repr=False)
class CollectivesArtifact(Artifact):
    """The collectives between ranks: `captured["collectives"].kinds == ["all_gather", "reduce_scatter"]`.

    Except for `sections` and `eager`, its facts are about the graphs alone.
    """

    sections: tuple[Communication, ...]

    @property
    def graphs(self) -> tuple[Communication, ...]:
        """Graphs that have collectives, in the order in which they are compiled."""
        return tuple(
            section for section in self.sections if not section.name.startswith(_EAGER)
        )

    @property
    def eager(self) -> tuple[Communication, ...]:
        """Collectives of one step's hooks and other eager code, in order: before, between and after the graphs."""
        return tuple(
            section for section in self.sections if section.name.startswith(_EAGER)
        )

    @property
    def all(self) -> tuple[Collective, ...]:
        """Every collective of all graphs, in the order in which they start."""
        return tuple(
            collective for graph in self.graphs for collective in graph.collectives
        )

    @property
    def kinds(self) -> list[str]:
        """The kind of each: `all_reduce`, `all_gather`, `reduce_scatter`, `all_to_all_single`, `fused_...`."""
        return [collective.kind for collective in self.all]

    @property
    def requested(self) -> dict[str, int]:
        """How many of each kind the graphs have before the post-grad passes, which may merge some into buckets."""
        counted: dict[str, int] = {}
        for kind, count in (pair for graph in self.graphs for pair in graph.requested):
            counted[kind] = counted.get(kind, 0) + count
        return counted

    @property
    def exposed(self) -> list[str]:
        """The kinds of collectives that overlap no computation: they are waited for as soon as they start."""
        return [
            collective.kind
            for collective in self.all
            if not collective.overlaps and not collective.fused
        ]

    @property
    def fused(self) -> list[str]:
        """The kinds of collectives in one kernel with a matmul, sending while it computes (async tensor parallel)."""
        return [collective.kind for collective in self.all if collective.fused]


class CollectivesFormat(OutlineFormat):
    """A document is a tuple of `Communication`."""

    outline = Outline(
        Communication,
        "{name:(?:eager (?:before|after) )?[\\w.]+}: {requested:counts}",
        collectives=Outline(
            Collective,
            "  {kind:word}< {reduction:word}> of {dtype:[\\w, ]+} over {group:word}: "
            "bytes {nbytes:int}, sent {sent:int}<{fused:flag}, overlaps its own matmul>",
            overlaps=Outline(str, "    overlaps {text:line}"),
        ),
    )

    def render(self, record: Record, stage: str) -> CollectivesArtifact | None:
        graphs: list[Communication] = record.get(stage)
        sections = (*graphs, *_eager(record.get("step")))
        return (
            CollectivesArtifact(stage, self.write(sections), sections)
            if sections
            else None
        )

    def form(self, document: Iterable[Communication]) -> Hashable:
        """Everything except the names of overlapped operators, which carry no information of their own."""
        return tuple(
            (
                section.name,
                section.requested,
                tuple(map(_without_operators, section.collectives)),
            )
            for section in document
        )

    def edits_of(
        self, old: Iterable[Communication], new: Iterable[Communication]
    ) -> Iterable[Change]:
        """The old and new counts of kinds that differ; if none do, the base class reports the differing lines."""

        def kinds(sections: Iterable[Communication]) -> Counter[str]:
            return Counter(
                collective.kind
                for section in sections
                for collective in section.collectives
            )

        before, after = kinds(old), kinds(new)
        changed = [kind for kind in {**before, **after} if before[kind] != after[kind]]
        if changed:
            yield NumbersChanged(
                "collectives-changed",
                tuple((kind, before[kind], after[kind]) for kind in changed),
            )


COLLECTIVES = CollectivesFormat()


def _eager(step: Iterable[GraphKey | Collective]) -> Iterator[Communication]:
    """The collectives of a step, by the graph that runs next; those at its end, by the graph that ran last."""
    last, called = "nothing", list[Collective]()
    for item in step:
        if isinstance(item, Collective):
            called.append(item)
            continue
        if called:
            yield Communication(
                f"{_EAGER}before {item.label}",
                counted(collective.kind for collective in called),
                tuple(called),
            )
        last, called = item.label, []
    if called:
        yield Communication(
            f"{_EAGER}after {last}",
            counted(collective.kind for collective in called),
            tuple(called),
        )


def counted(kinds: Iterable[str]) -> Counts:
    """How many there are of each kind, in the order of their first."""
    return tuple(Counter(kinds).items())


def _without_operators(collective: Collective) -> Collective:
    return replace(
        collective,
        overlaps=tuple(
            line.replace("[", " ").split()[0] for line in collective.overlaps
        ),
    )
