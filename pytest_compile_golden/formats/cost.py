"""The cost of each graph and of its kernels, one line per kernel."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from msgspec.structs import replace

from pytest_compile_golden.facts.costs import GraphCost, KernelCost, Saved
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.outline import Outline, OutlineFormat
from pytest_compile_golden.record import Record

# Separators of operators in a line, which the name of a user's function may contain.
_PUNCTUATION = re.compile(r"[\[\],#\s]")


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
        return CostArtifact(stage, self.write(shown), shown) if shown else None

    def form(self, document: Iterable[GraphCost]) -> Hashable:
        """Numbers and kinds; operator names and times carry no information of their own."""
        return tuple(
            (
                graph.name,
                graph.numbers,
                tuple((kernel.kind, kernel.operands, kernel.numbers) for kernel in graph.kernels),
            )
            for graph in document
        )

    def depth_of(self, old: Iterable[GraphCost], new: Iterable[GraphCost]) -> str:
        """The sums that differ: `launches`, `read`, `flops` ..."""
        before, after = _totals(old), _totals(new)
        return ", ".join(name for name in {**before, **after} if before.get(name) != after.get(name))


COST = CostFormat()


_SHOWN = 4


def _shown(graph: GraphCost, saved: int | None) -> GraphCost:
    kernels = tuple(replace(kernel, operators=listed(kernel.operators)) for kernel in graph.kernels)
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
    return inner.partition(".")[0] if first in ("aten", "prims", "higher_order") else name


def _totals(graphs: Iterable[GraphCost]) -> dict[str, int]:
    totals: dict[str, int] = {}
    for graph in graphs:
        for name, value in graph.numbers:
            totals[name] = totals.get(name, 0) + value
    return totals
