"""What torch decided about graphs apart from what they compute: a line per decision, with its reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from msgspec.structs import replace

from pytest_compile_golden.changes.change import Change, Topic
from pytest_compile_golden.changes.common_types import Replaced, Simple
from pytest_compile_golden.changes.numbers import (
    ConditionsChanged,
    EntriesChanged,
    EntryDiffers,
)
from pytest_compile_golden.common.quantity import listed
from pytest_compile_golden.facts.guards import GraphChoice, GraphChoices
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.formats.arithmetic import of_sizes
from pytest_compile_golden.formats.artifact import Artifact, Names
from pytest_compile_golden.formats.canonical_text import (
    arguments,
    sizes_by_appearance,
    with_sizes,
)
from pytest_compile_golden.formats.outline import Outline, OutlineFormat

# Kinds whose reason is a digest, which means nothing to a reader.
_DIGESTED = frozenset({"aot", "fx"})
_WIDEST = 60
_MOST_ENTRIES = 2
# An entry of a table: `autocast_state[cpu]`.
_ENTRY = re.compile(r"(\w+)\[(\w+)\]")
_AUTHOR = re.compile(r"\bby (?P<file>\S+\.py): (?P<function>\w+)")
_AUTHORED = "{file}:{function}"
_CONDITIONS = frozenset({"guard", "check"})
_FLOORED = "PythonMod("
_DESCENDING = re.compile(r"Gt(E?)\((.*)\)")
"""A condition that the first of two is larger, as `of_sizes` writes it."""

_Decision = tuple[str, str]
"""The kind of a line and what it is about, in one spelling, independent of torch's names for symbols."""


@dataclass(frozen=True, repr=False)
class ChoicesArtifact(Artifact):
    """What was decided about the graphs of a capture."""

    choices: tuple[GraphChoice, ...]

    def of_kind(self, *kinds: str) -> Names:
        """The content of all decisions of these kinds: `of_kind("guard")` is `("Eq(s77, s17)", "s77 > 5")`."""
        return Names(choice.what for choice in self.choices if choice.kind in kinds)

    @property
    def locations(self) -> tuple[tuple[str, str], ...]:
        return tuple(choice.line for choice in self.choices if choice.line is not None)


class SpecialisationsArtifact(ChoicesArtifact):
    """Sizes that may vary: `captured["specialisations"].specialised == []`."""

    @property
    def is_trivial(self) -> bool:
        """Whether no size may vary, in which case `captured == golden` writes no golden for it."""
        return not self.choices

    @property
    def symbols(self) -> Names:
        """The sizes and numbers of inputs that were given a symbol: `s77: L['x'].size()[0], 32 in [2, int_oo]`."""
        return self.of_kind("symbol", "shared")

    @property
    def guards(self) -> Names:
        """The conditions that must hold for the compiled code to be reused: `Eq(s77, s17)`."""
        return self.of_kind("guard")

    @property
    def specialised(self) -> Names:
        """Sizes and numbers that could have varied but became constants: `1: L['x'].size()[0]`, `s77 = 16`."""
        return self.of_kind("constant", "specialised")


class CudaGraphsArtifact(ChoicesArtifact):
    """What is recorded as CUDA graphs: `captured.cudagraphs.skipped == []`."""

    @property
    def recorded(self) -> Names:
        """The operators of each CUDA graph: `aten.mm.default, aten.relu.default`."""
        return self.of_kind("recorded")

    @property
    def launched(self) -> Names:
        """The operators between CUDA graphs, which are launched one by one."""
        return self.of_kind("launched")

    @property
    def skipped(self) -> Names:
        """torch's reasons for not recording a graph."""
        return self.of_kind("skipped")


class CacheKeyArtifact(ChoicesArtifact):
    """Whether torch's caches can keep what was compiled: `captured["cache_key"].cacheable`."""

    @property
    def cacheable(self) -> bool:
        """Whether both caches can keep every graph."""
        return not self.bypasses

    @property
    def bypasses(self) -> Names:
        """torch's reasons for not caching: `FX graph cache: Unsupported post grad custom pass`."""
        return Names(
            f"{choice.what}: {choice.why}"
            for choice in self.choices
            if choice.kind == "bypassed"
        )

    def differing(self, other: CacheKeyArtifact) -> tuple[str, ...]:
        """The parts of cache keys whose digests differ between two captures: `fx inductor_config[...]`."""
        parts = (
            [
                (choice.kind, choice.what, choice.why)
                for choice in side.choices
                if choice.kind in ("aot", "fx")
            ]
            for side in (self, other)
        )
        before, after = map(Counter, parts)
        unequal = [*(before - after), *(after - before)]
        return tuple(dict.fromkeys(f"{kind} {what}" for kind, what, _ in unequal))


class ChoicesFormat(OutlineFormat):
    """A document is a tuple of `GraphChoices`."""

    outline = Outline(
        GraphChoices,
        "{name:graph_\\w+}< {function:line}>:",
        choices=Outline(
            GraphChoice,
            "  {kind:word} {what:.+?}<; {why:[^;#\\n]+?}><  # {comment:line}>",
        ),
    )

    def __init__(
        self,
        artifact: type[ChoicesArtifact],
        none: str,
        topic: Topic,
        nouns: Mapping[str, str],
        device: str | None = None,
    ) -> None:
        self._artifact = artifact
        self._nouns = nouns
        """A description of each kind of decision, for readers."""
        self.none = none
        self._topic = topic
        self._device = device
        """The only device type for which there is anything to decide; None for all."""

    def render(self, record: Record, stage: str) -> ChoicesArtifact | None:
        if self._device not in (None, record.device_type):
            return None
        graphs: list[GraphChoices] = record.get(stage)
        return self._artifact(
            stage,
            self.write(graphs),
            tuple(choice for graph in graphs for choice in graph.choices),
        )

    def is_trivial(self, text: str) -> bool:
        return self._artifact is SpecialisationsArtifact and text == self.write(())

    def form(self, document: Iterable[GraphChoices]) -> Hashable:
        """What was decided and why, independent of torch's names for symbols."""
        return tuple((graph.name, tuple(_decided(graph))) for graph in document)

    def edits_of(
        self, old: Iterable[GraphChoices], new: Iterable[GraphChoices]
    ) -> Iterable[Change]:
        before, after = map(_by_decision, (old, new))
        edits: list[Change] = []
        parts: list[str] = []
        for decision in {**before, **after}:
            kind, _ = decision
            was, now = before.get(decision), after.get(decision)
            if was is not None and now is not None and was.why == now.why:
                continue
            what = (was or after[decision]).what
            if kind in _DIGESTED:
                entry = _ENTRY.fullmatch(what)
                parts.append(what if entry is None else entry[1])
            elif was is not None and now is not None:
                noun = self._nouns.get(kind, kind)
                edits.append(
                    EntryDiffers(noun, _shortened(what), was.why, now.why, self._topic)
                )
        gone, come = (
            {
                made: choice
                for made, choice in ours.items()
                if made not in others and made[0] not in _DIGESTED
            }
            for ours, others in ((before, after), (after, before))
        )
        edits += _other_remainders(gone, come, before, after)
        edits += _turned(gone, come)
        edits += _counted(gone, come)
        for new_ones, only in ((False, gone), (True, come)):
            edits += self._listed(new_ones, only)
        return (
            [*edits, Simple("cache-key-parts", tuple(dict.fromkeys(parts)))]
            if parts
            else edits
        )

    def explains_of(
        self,
        old: Iterable[GraphChoices],
        new: Iterable[GraphChoices],
        codes: Collection[str],
    ) -> bool:
        """Whether the same is decided, for the same reasons, besides what keys of caches consist of."""

        def decided(
            graphs: Iterable[GraphChoices],
        ) -> list[tuple[str, list[tuple[str, str, str]]]]:
            return [
                (
                    graph.name,
                    [
                        (kind, _ascending(what), why)
                        for kind, what, why in _decided(graph)
                        if kind not in _DIGESTED
                    ],
                )
                for graph in graphs
            ]

        known = {"cache-key-parts", "conditions-turned"}
        return known.issuperset(codes) and decided(old) == decided(new)

    def _listed(
        self, new: bool, lines: Mapping[_Decision, GraphChoice]
    ) -> Iterator[EntriesChanged]:
        """One change per decision, but a single one for all entries of a table such as `autocast_state[cpu]`."""
        tables: dict[_Decision, list[str]] = {}
        authors: dict[_Decision, str] = {}
        for (kind, _), line in lines.items():
            match = _ENTRY.fullmatch(line.what)
            named = kind, match[1] if match else line.what
            tables.setdefault(named, []).append(match[2] if match else "")
            if author := _AUTHOR.search(line.comment):
                authors[named] = _AUTHORED.format(**author.groupdict())
        for (kind, name), entries in tables.items():
            inside = listed(entries, _MOST_ENTRIES)
            what = _shortened(f"{name}[{inside}]" if inside else name)
            where = authors.get((kind, name))
            yield EntriesChanged(
                new, self._nouns.get(kind, kind), what, self._topic, where=where
            )


MADE_CONSTANT = "symbol that was made a constant:"
"""What an entry is of which a program may be captured once more for each value."""
SPECIALISATIONS = ChoicesFormat(
    SpecialisationsArtifact,
    "no symbolic sizes",
    "guards",
    {
        "shared": "size that another input has too:",
        "constant": "size that is taken for a constant:",
        "static": "size marked as static:",
        "unbacked": "size that only running tells:",
        "guard": "condition on sizes:",
        "check": "condition that compiled code asserts:",
        "specialised": MADE_CONSTANT,
    },
)
CUDAGRAPHS = ChoicesFormat(
    CudaGraphsArtifact,
    "CUDA graphs are not asked for",
    "launch",
    {
        "recorded": "CUDA graph:",
        "launched": "launch outside of CUDA graphs:",
        "static": "static input of a CUDA graph:",
        "mutated": "input that a CUDA graph mutates:",
        "skipped": "reason for no CUDA graph:",
    },
    "cuda",
)
CACHE_KEY = ChoicesFormat(
    CacheKeyArtifact,
    "nothing to cache",
    "guards",
    {
        "cacheable": "cache that can keep it:",
        "bypassed": "cache that cannot keep it:",
        "aot": "AOTAutograd cache key:",
        "fx": "FX graph cache key:",
    },
)


def _shortened(what: str) -> str:
    return what if len(what) <= _WIDEST else f"{what[:_WIDEST]}…"


def _other_remainders(
    gone: dict[_Decision, GraphChoice],
    come: dict[_Decision, GraphChoice],
    before: Mapping[_Decision, GraphChoice],
    after: Mapping[_Decision, GraphChoice],
) -> Iterator[Replaced]:
    """Of conditions, those that the other side has with another function for `%`, which are taken from `gone` and
    `come`: sizes that are not negative have one remainder.

    Since torch 2.15, what Dynamo made of an operation on sizes is kept, also once they are known not to be negative
    (torch/fx/experimental/sym_node.py: _make_node_magic).
    """
    sides = [
        {_with_one_remainder(choice): choice for choice in side.values()}
        for side in (before, after)
    ]
    ways = set()
    for only, others, is_new in ((gone, sides[1], False), (come, sides[0], True)):
        for made, choice in list(only.items()):
            other = others.get(_with_one_remainder(choice))
            if made[0] in _CONDITIONS and other is not None:
                ways.add(
                    (choice.what.count(_FLOORED) > other.what.count(_FLOORED)) is is_new
                )
                del only[made]
    for floored in sorted(ways):
        yield Replaced(
            "remainder-of-sizes",
            *(("Mod", "PythonMod") if floored else ("PythonMod", "Mod")),
        )


def _with_one_remainder(choice: GraphChoice) -> _Decision:
    return _decision(replace(choice, what=choice.what.replace(_FLOORED, "Mod(")))


def _turned(
    gone: dict[_Decision, GraphChoice], come: dict[_Decision, GraphChoice]
) -> Iterator[Simple]:
    """That conditions are written from the other side, which are taken from `gone` and `come`."""
    written = {(kind, _ascending(what)): (kind, what) for kind, what in come}
    both = [
        (made, written[made[0], _ascending(made[1])])
        for made in gone
        if made[0] in _CONDITIONS and (made[0], _ascending(made[1])) in written
    ]
    for was, now in both:
        del gone[was], come[now]
    if both:
        yield Simple("conditions-turned")


def _ascending(condition: str) -> str:
    """`Lt(2, s0)` for `Gt(s0, 2)`."""
    match = _DESCENDING.fullmatch(condition)
    sides = [] if match is None else list(arguments(match[2]))
    if match is None or len(sides) != 2:
        return condition
    return f"Lt{match[1]}({sides[1]}, {sides[0]})"


def _counted(
    gone: dict[_Decision, GraphChoice], come: dict[_Decision, GraphChoice]
) -> Iterator[ConditionsChanged]:
    """The conditions that are too long to be read, which are taken from `gone` and `come`: how many, by the function of
    torch that asks for them."""
    counts: list[Counter[str]] = []
    for only in (gone, come):
        long = [
            made
            for made, choice in only.items()
            if made[0] in _CONDITIONS and len(choice.what) > _WIDEST
        ]
        # One that had both functions for `%` is one.
        asked = {
            _with_one_remainder(choice): choice.comment
            for choice in map(only.pop, long)
        }
        authors = map(_AUTHOR.search, asked.values())
        counts.append(
            Counter(
                "" if found is None else _AUTHORED.format(**found.groupdict())
                for found in authors
            )
        )
    fewer, more = counts[0] - counts[1], counts[1] - counts[0]
    ways: Iterable[tuple[Literal["other", "fewer", "more"], Counter[str]]] = (
        ("other", counts[0] & counts[1]),
        ("fewer", fewer),
        ("more", more),
    )
    for how, by in ways:
        if by:
            named = (
                (where.rpartition(":")[2], times) for where, times in by.most_common()
            )
            where = next(iter(by)) if len(by) == 1 else None
            yield ConditionsChanged(how=how, by=tuple(named), where=where or None)


def _decided(graph: GraphChoices) -> Iterable[tuple[str, str, str]]:
    """Each condition once: torch asks for one again that it does not recognise with factors in another order."""
    every = ((*_decision(choice), choice.why) for choice in _by_source(graph))
    return {
        (made if made[0] in _CONDITIONS else number): made
        for number, made in enumerate(every)
    }.values()


def conditions(graph: GraphChoices) -> int:
    """How many different conditions must hold for the compiled code to be reused."""
    return sum(kind == "guard" for kind, *_ in _decided(graph))


def _decision(choice: GraphChoice) -> _Decision:
    if choice.kind in _CONDITIONS:
        return choice.kind, of_sizes(choice.what)
    return choice.kind, choice.what


def _by_source(graph: GraphChoices) -> list[GraphChoice]:
    """The decisions, with sizes by their names of ours; symbols first and in the order of what they stand for: torch
    may list them in any other."""
    of_symbols, others = (
        [c for c in graph.choices if (c.kind == "symbol") is wanted]
        for wanted in (True, False)
    )
    choices = [
        *sorted(of_symbols, key=lambda choice: choice.what.partition(": ")[2]),
        *others,
    ]
    sizes = sizes_by_appearance(choice.what for choice in choices)
    return [replace(choice, what=with_sizes(choice.what, sizes)) for choice in choices]


def _by_decision(graphs: Iterable[GraphChoices]) -> dict[_Decision, GraphChoice]:
    return {
        _decision(choice): choice for graph in graphs for choice in _by_source(graph)
    }
