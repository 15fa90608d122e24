"""What a program costs: its kernels on their target, and its compile, phase by phase, in calls rather than time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass

from msgspec.structs import replace

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.changes.common_types import NumberChanged
from pytest_compile_golden.facts.costs import (
    GraphCost,
    KernelCost,
    KernelShares,
    Liveness,
    Saved,
    Work,
)
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.formats.outline import Outline, OutlineFormat

# Separators of operators in a line, which the name of a user's function may contain.
_PUNCTUATION = re.compile(r"[\[\],#\s]")


@dataclass(frozen=True, repr=False)
class CompileCostArtifact(Artifact):
    """The work that compiling took: `captured["compile_cost"].count("patterns_tried")`."""

    phases: tuple[Work, ...]

    def count(self, kind: str, phase: str | None = None) -> int:
        """How much work of that kind there was, in one phase or in all."""
        return sum(
            count
            for line in self.phases
            if phase in (None, line.phase)
            for name, count in line.counts
            if name == kind
        )


class CompileCostFormat(OutlineFormat):
    """A document is a tuple of `Work`."""

    outline = Outline(Work, "{phase:word}: {counts:counts}<  # {milliseconds:int} ms>")

    def render(self, record: Record, stage: str) -> CompileCostArtifact | None:
        works: list[Work] = record.get(stage)
        return (
            CompileCostArtifact(stage, self.write(works), tuple(works))
            if works
            else None
        )

    def form(self, document: Iterable[Work]) -> Hashable:
        """The counts of each phase, without the time it took."""
        return frozenset((line.phase, frozenset(line.counts)) for line in document)

    def with_notes(self, golden: str, text: str, reason: str | None = None) -> str:
        """`text` with the golden's times for phases that do the same work, so that times alone do not rewrite it."""
        try:
            golden_lines = {
                (line.phase, line.counts): line for line in self.read(golden)
            }
            return self.write(
                golden_lines.get((line.phase, line.counts), line)
                for line in self.read(text)
            )
        except Unreadable:
            return text

    def explains_of(
        self, old: Iterable[Work], new: Iterable[Work], codes: Collection[str]
    ) -> bool:
        """Always: edits name each count that differs."""
        return set(codes) == {"work-changed"}

    def edits_of(self, old: Iterable[Work], new: Iterable[Work]) -> Iterable[Change]:
        """Each kind of work that a phase does more or less of, largest increase first."""
        for kind, before, after in sorted(
            _different(old, new), key=lambda changed: changed[1] - changed[2]
        ):
            yield NumberChanged("work-changed", before, after, " ".join(kind))


COMPILE_COST = CompileCostFormat()


def _different(
    old: Iterable[Work], new: Iterable[Work]
) -> list[tuple[tuple[str, str], int, int]]:
    """The kinds of work (phase and kind) of which there is more or less, with the old and new amounts."""

    def amounts(lines: Iterable[Work]) -> Counter[tuple[str, str]]:
        return Counter(
            {(line.phase, name): count for line in lines for name, count in line.counts}
        )

    before, after = amounts(old), amounts(new)
    return [
        (kind, before[kind], after[kind])
        for kind in {**before, **after}
        if before[kind] != after[kind]
    ]


@dataclass(frozen=True, repr=False)
class CostArtifact(Artifact):
    """The cost of a capture: `captured["cost"].graphs`."""

    graphs: tuple[GraphCost, ...]


class CostFormat(OutlineFormat):
    """A document is a tuple of `GraphCost`. Times are comments: they rank changes, but a new time is not a change."""

    outline = Outline(
        GraphCost,
        "{name:[\\w.]+}: {numbers:counts}<  # {least_ns:int} ns at least>",
        kernels=Outline(
            KernelCost,
            "  {kind:word}< {operands:[\\w?]+}>< [{operators:names}]>: {numbers:counts}"
            "<  # {least_ns:int} ns at least, {bound:word}>",
        ),
    )

    def render(self, record: Record, stage: str) -> CostArtifact | None:
        partitions: list[Saved] = record.get("saved")
        saved = {partition.name: partition.nbytes for partition in partitions}
        graphs: list[GraphCost] = record.get(stage)
        shown = tuple(_shown(graph, saved.get(graph.name)) for graph in graphs)
        liveness: list[Liveness] = record.get("liveness")
        shares: list[KernelShares] = record.get("kernel_shares")
        return (
            CostArtifact(stage, self.write(shown), shown, facts=(*liveness, *shares))
            if shown
            else None
        )

    def form(self, document: Iterable[GraphCost]) -> Hashable:
        """Numbers and kinds; operator names and times carry no information of their own."""
        return tuple(
            (
                graph.name,
                graph.numbers,
                tuple(
                    (kernel.kind, kernel.operands, kernel.numbers)
                    for kernel in graph.kernels
                ),
            )
            for graph in document
        )


COST = CostFormat()


_SHOWN = 4


def _shown(graph: GraphCost, saved: int | None) -> GraphCost:
    kernels = tuple(
        replace(kernel, operators=listed(kernel.operators)) for kernel in graph.kernels
    )
    numbers = graph.numbers if saved is None else (*graph.numbers, ("saved", saved))
    return replace(graph, kernels=kernels, numbers=numbers)


def listed(operators: Iterable[str]) -> tuple[str, ...]:
    """Operators as a kernel's line lists them: each once, short, and only the first few."""
    short = tuple(dict.fromkeys(map(_short, operators)))
    return short if len(short) <= _SHOWN else (*short[:_SHOWN], "...")


def _short(operator: str) -> str:
    """`add` for `aten.add.Tensor`; a custom operator keeps the name of its library."""
    name = _PUNCTUATION.sub("_", operator.removesuffix(".default"))
    first, _, inner = name.partition(".")
    return (
        inner.partition(".")[0] if first in ("aten", "prims", "higher_order") else name
    )
