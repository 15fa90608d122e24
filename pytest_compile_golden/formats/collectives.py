"""The collectives of each graph and of the hooks around them, in starting order, and what they overlap with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.changes.numbers import CollectivesChanged
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.format import DocumentFormat, Unreadable
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.record import Record
from pytest_compile_golden.record.graphs import GraphKey
from pytest_compile_golden.record.schedules import Collective, Communication

_EAGER = "eager "
_SECTION = re.compile(r"(?P<name>(?:eager (?:before|after) )?[\w.]+): (?P<counts>[\w, ]+)")
_COLLECTIVE = re.compile(
    r"  (?P<kind>\w+)(?: (?P<reduction>\w+))? of (?P<dtype>[\w, ]+) over (?P<group>[\d,:-]+): "
    r"bytes (?P<nbytes>\d+), sent (?P<sent>\d+)(?P<itself>, overlaps its own matmul)?"
)
_OVERLAPS = "    overlaps "
_NONE = "none"
_KIND = re.compile(r"[^ \[]+")


@dataclass(frozen=True)
class Section:
    """The collectives of one graph, or those called while no graph runs: `eager before graph_0_forward`."""

    name: str
    counts: tuple[tuple[str, int], ...]
    """How many there are of each kind; for a graph, before the post-grad passes."""
    collectives: tuple[Collective, ...]

    @property
    def kinds(self) -> list[str]:
        return [collective.kind for collective in self.collectives]


@dataclass(frozen=True, repr=False)
class CollectivesArtifact(Artifact):
    """The collectives between ranks: `captured["collectives"].kinds == ["all_gather", "reduce_scatter"]`.

    Except for `sections` and `eager`, its facts are about the graphs alone.
    """

    sections: tuple[Section, ...]

    @property
    def graphs(self) -> tuple[Section, ...]:
        """Graphs that have collectives, in the order in which they are compiled."""
        return tuple(section for section in self.sections if not section.name.startswith(_EAGER))

    @property
    def eager(self) -> tuple[Section, ...]:
        """Collectives of one step's hooks and other eager code, in order: before, between and after the graphs."""
        return tuple(section for section in self.sections if section.name.startswith(_EAGER))

    @property
    def all(self) -> tuple[Collective, ...]:
        """Every collective of all graphs, in the order in which they start."""
        return tuple(collective for graph in self.graphs for collective in graph.collectives)

    @property
    def kinds(self) -> list[str]:
        """The kind of each: `all_reduce`, `all_gather`, `reduce_scatter`, `all_to_all_single`, `fused_...`."""
        return [collective.kind for collective in self.all]

    @property
    def requested(self) -> dict[str, int]:
        """How many of each kind the graphs have before the post-grad passes, which may merge some into buckets."""
        counted: dict[str, int] = {}
        for kind, count in (pair for graph in self.graphs for pair in graph.counts):
            counted[kind] = counted.get(kind, 0) + count
        return counted

    @property
    def exposed(self) -> list[str]:
        """The kinds of collectives that overlap no computation: they are waited for as soon as they start."""
        return [collective.kind for collective in self.all if collective.overlaps == ()]

    @property
    def fused(self) -> list[str]:
        """The kinds of collectives in one kernel with a matmul, sending while it computes (async tensor parallel)."""
        return [collective.kind for collective in self.all if collective.overlaps is None]


class CollectivesFormat(DocumentFormat):
    """A document is a tuple of `Section`."""

    def render(self, record: Record, stage: str) -> CollectivesArtifact | None:
        communications: list[Communication] = record.get(stage)
        sections = (*map(_section, communications), *_eager(record.get("step")))
        return CollectivesArtifact(stage, self.write(sections), sections) if sections else None

    def write(self, document: Iterable[Section]) -> str:
        return "".join(f"{line}\n" for section in document for line in _lines(section))

    def read(self, text: str) -> tuple[Section, ...]:
        sections: list[Section] = []
        for line in split_lines(text):
            if begin := _SECTION.fullmatch(line):
                sections.append(Section(begin["name"], _read_counts(begin["counts"]), ()))
            elif line.strip() and not line.startswith("#"):
                if not sections:
                    raise Unreadable(line)
                sections[-1] = replace(sections[-1], collectives=_read_more(sections[-1].collectives, line))
        return tuple(sections)

    def form(self, document: Iterable[Section]) -> Hashable:
        """Everything except the names of overlapped operators, which carry no information of their own."""
        return tuple(
            (section.name, section.counts, tuple(map(_without_operators, section.collectives))) for section in document
        )

    def depth_of(self, old: Iterable[Section], new: Iterable[Section]) -> str:
        """What differs: the `collectives`, their `bytes`, or only their `overlap`."""
        for level, of in _DEPTHS.items():
            if list(map(of, _all(old))) != list(map(of, _all(new))):
                return level
        return "graphs"

    def edits_of(self, old: Iterable[Section], new: Iterable[Section]) -> Iterable[Change]:
        """The old and new counts of kinds that differ; if none do, the base class reports the differing lines."""
        before, after = (Counter(collective.kind for collective in _all(side)) for side in (old, new))
        changed = [kind for kind in {**before, **after} if before[kind] != after[kind]]
        if changed:
            yield CollectivesChanged(tuple((kind, before[kind], after[kind]) for kind in changed))


COLLECTIVES = CollectivesFormat()
_DEPTHS: dict[str, Callable[[Collective], Hashable]] = {
    "collectives": lambda collective: (collective.kind, collective.reduction, collective.group),
    "bytes": lambda collective: (collective.dtype, collective.nbytes, collective.sent),
    "overlap": lambda collective: collective.overlaps,
}


def _all(sections: Iterable[Section]) -> Iterator[Collective]:
    return (collective for section in sections for collective in section.collectives)


def _section(communication: Communication) -> Section:
    return Section(communication.key.label, _counted(communication.requested), communication.collectives)


def _eager(step: Iterable[GraphKey | Collective]) -> Iterator[Section]:
    """The collectives of a step, by the graph that runs next; those at its end, by the graph that ran last."""
    last, called = "nothing", list[Collective]()
    for item in step:
        if isinstance(item, Collective):
            called.append(item)
            continue
        if called:
            yield Section(
                f"{_EAGER}before {item.label}", _counted(collective.kind for collective in called), tuple(called)
            )
        last, called = item.label, []
    if called:
        yield Section(f"{_EAGER}after {last}", _counted(collective.kind for collective in called), tuple(called))


def _counted(kinds: Iterable[str]) -> tuple[tuple[str, int], ...]:
    return tuple(Counter(kinds).items())


def _without_operators(collective: Collective) -> Collective:
    kinds = None if collective.overlaps is None else tuple(_KIND.findall(line)[0] for line in collective.overlaps)
    return replace(collective, overlaps=kinds)


def _lines(section: Section) -> Iterator[str]:
    yield f"{section.name}: {', '.join(f'{kind} {count}' for kind, count in section.counts) or _NONE}"
    for collective in section.collectives:
        reduction = f" {collective.reduction}" if collective.reduction else ""
        itself = ", overlaps its own matmul" if collective.overlaps is None else ""
        yield (
            f"  {collective.kind}{reduction} of {collective.dtype} over {collective.group}: "
            f"bytes {collective.nbytes}, sent {collective.sent}{itself}"
        )
        for line in collective.overlaps or ():
            yield f"{_OVERLAPS}{line}"


def _read_counts(text: str) -> tuple[tuple[str, int], ...]:
    if text == _NONE:
        return ()
    try:
        return tuple((kind, int(count)) for kind, count in (part.split(" ") for part in text.split(", ")))
    except ValueError:
        raise Unreadable(text) from None


def _read_more(collectives: tuple[Collective, ...], line: str) -> tuple[Collective, ...]:
    """The collectives of a graph plus the one in `line`, or plus one more thing that the last of them overlaps."""
    if line.startswith(_OVERLAPS) and collectives and collectives[-1].overlaps is not None:
        return (
            *collectives[:-1],
            replace(collectives[-1], overlaps=(*collectives[-1].overlaps, line.removeprefix(_OVERLAPS))),
        )
    match = _COLLECTIVE.fullmatch(line)
    if match is None:
        raise Unreadable(line)
    return (
        *collectives,
        Collective(
            match["kind"],
            match["reduction"] or "",
            match["group"],
            match["dtype"],
            int(match["nbytes"]),
            int(match["sent"]),
            None if match["itself"] else (),
        ),
    )
