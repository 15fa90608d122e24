"""The collectives of each graph and of the hooks around them, in the order in which they start, and what hides them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace

from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.edits import Edit, edit
from pytest_compile_golden.formats.format import Format, Unreadable
from pytest_compile_golden.formats.text import plain
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
    """The collectives of one graph, or those that are called while no graph runs: `eager before graph_0_forward`."""

    name: str
    counts: tuple[tuple[str, int], ...]
    """How many of each kind there are; in a graph before the post-grad passes."""
    collectives: tuple[Collective, ...]

    @property
    def kinds(self) -> list[str]:
        return [each.kind for each in self.collectives]


@dataclass(frozen=True, repr=False)
class CollectivesArtifact(Artifact):
    """What ranks exchange: `captured["collectives"].kinds == ["all_gather", "reduce_scatter"]`.

    What is not said to be of `eager` is of the graphs alone.
    """

    sections: tuple[Section, ...]

    @property
    def graphs(self) -> tuple[Section, ...]:
        """Graphs that have collectives, in the order in which they are compiled."""
        return tuple(section for section in self.sections if not section.name.startswith(_EAGER))

    @property
    def eager(self) -> tuple[Section, ...]:
        """What hooks and other eager code call in one step, in order: before, between and after the graphs that run."""
        return tuple(section for section in self.sections if section.name.startswith(_EAGER))

    @property
    def all(self) -> tuple[Collective, ...]:
        """Every collective in the order in which it starts, of all graphs."""
        return tuple(each for graph in self.graphs for each in graph.collectives)

    @property
    def kinds(self) -> list[str]:
        """The kind of each: `all_reduce`, `all_gather`, `reduce_scatter`, `all_to_all_single`, `fused_...`."""
        return [each.kind for each in self.all]

    @property
    def asked_for(self) -> dict[str, int]:
        """How many of each kind the graphs have before the post-grad passes: more, where these make buckets."""
        counted: dict[str, int] = {}
        for kind, count in (pair for graph in self.graphs for pair in graph.counts):
            counted[kind] = counted.get(kind, 0) + count
        return counted

    @property
    def exposed(self) -> list[str]:
        """The kinds of those that nothing is computed beside: somebody waits for them as soon as they start."""
        return [each.kind for each in self.all if each.overlaps == ()]

    @property
    def fused(self) -> list[str]:
        """The kinds of those that are one kernel with a matmul, and send while it computes (async tensor parallel)."""
        return [each.kind for each in self.all if each.overlaps is None]


class CollectivesFormat(Format):
    """A document is a tuple of `Section`."""

    def render(self, record: Record, stage: str) -> CollectivesArtifact | None:
        found: list[Communication] = record.get(stage)
        sections = (*map(_section, found), *_eager(record.get("step")))
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

    def canonical(self, text: str) -> Hashable:
        """Everything but the names of operators that a collective is hidden behind, which say nothing of their own."""
        try:
            sections = self.read(text)
        except Unreadable:
            return plain(text)
        return tuple(
            (section.name, section.counts, tuple(map(_without_operators, section.collectives))) for section in sections
        )

    def depth(self, old: str, new: str) -> str:
        """What differs: `collectives`, their `bytes`, or their `overlap` only."""
        try:
            before, after = (self.read(text) for text in (old, new))
        except Unreadable:
            return ""
        for what, of in _DEPTHS.items():
            if [of(each) for each in _all(before)] != [of(each) for each in _all(after)]:
                return what
        return "graphs"

    def edits(self, old: str, new: str) -> tuple[Edit, ...]:
        """How many of each kind there are before and after; else the lines that differ."""
        try:
            before, after = (Counter(each.kind for each in _all(self.read(text))) for text in (old, new))
        except Unreadable:
            return super().edits(old, new)
        changed = [kind for kind in {**before, **after} if before[kind] != after[kind]]
        told = ", ".join(f"{kind} {before[kind]} -> {after[kind]}" for kind in changed)
        return (edit(f"collectives: {told}", "fusion"),) if told else super().edits(old, new)


COLLECTIVES = CollectivesFormat()
_DEPTHS: dict[str, Callable[[Collective], Hashable]] = {
    "collectives": lambda each: (each.kind, each.reduction, each.group),
    "bytes": lambda each: (each.dtype, each.nbytes, each.sent),
    "overlap": lambda each: each.overlaps,
}


def _all(sections: Iterable[Section]) -> Iterator[Collective]:
    return (each for section in sections for each in section.collectives)


def _section(found: Communication) -> Section:
    return Section(found.key.label, _counted(found.asked_for), found.collectives)


def _eager(step: Iterable[GraphKey | Collective]) -> Iterator[Section]:
    """The collectives of a step, by the graph that runs next; those at its end by the one that ran last."""
    last, called = "nothing", list[Collective]()
    for each in step:
        if isinstance(each, Collective):
            called.append(each)
            continue
        if called:
            yield Section(f"{_EAGER}before {each.label}", _counted(one.kind for one in called), tuple(called))
        last, called = each.label, []
    if called:
        yield Section(f"{_EAGER}after {last}", _counted(one.kind for one in called), tuple(called))


def _counted(kinds: Iterable[str]) -> tuple[tuple[str, int], ...]:
    return tuple(Counter(kinds).items())


def _without_operators(each: Collective) -> Collective:
    kinds = None if each.overlaps is None else tuple(_KIND.findall(line)[0] for line in each.overlaps)
    return replace(each, overlaps=kinds)


def _lines(section: Section) -> Iterator[str]:
    yield f"{section.name}: {', '.join(f'{kind} {count}' for kind, count in section.counts) or _NONE}"
    for each in section.collectives:
        reduction = f" {each.reduction}" if each.reduction else ""
        itself = ", overlaps its own matmul" if each.overlaps is None else ""
        yield (
            f"  {each.kind}{reduction} of {each.dtype} over {each.group}: bytes {each.nbytes}, sent {each.sent}{itself}"
        )
        for line in each.overlaps or ():
            yield f"{_OVERLAPS}{line}"


def _read_counts(text: str) -> tuple[tuple[str, int], ...]:
    if text == _NONE:
        return ()
    try:
        return tuple((kind, int(count)) for kind, count in (part.split(" ") for part in text.split(", ")))
    except ValueError:
        raise Unreadable(text) from None


def _read_more(known: tuple[Collective, ...], line: str) -> tuple[Collective, ...]:
    """The collectives of a graph with one more, or with one more thing that the last of them overlaps."""
    if line.startswith(_OVERLAPS) and known and known[-1].overlaps is not None:
        return (*known[:-1], replace(known[-1], overlaps=(*known[-1].overlaps, line.removeprefix(_OVERLAPS))))
    found = _COLLECTIVE.fullmatch(line)
    if found is None:
        raise Unreadable(line)
    return (
        *known,
        Collective(
            found["kind"],
            found["reduction"] or "",
            found["group"],
            found["dtype"],
            int(found["nbytes"]),
            int(found["sent"]),
            None if found["itself"] else (),
        ),
    )
