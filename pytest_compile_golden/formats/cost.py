"""The cost of each graph and of its kernels, one line per kernel."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.outline import Counts, Outline, OutlineFormat
from pytest_compile_golden.record import Record
from pytest_compile_golden.record.memory import Saved
from pytest_compile_golden.record.schedules import GraphCost, KernelCost

# Separators of operators in a line, which the name of a user's function may contain.
_PUNCTUATION = re.compile(r"[\[\],#\s]")


@dataclass(frozen=True)
class Kernel:
    """One line: a kernel or a library call."""

    kind: str
    numbers: Counts
    """`launches`, `read` and `written` in bytes, and `flops` unless they are unknown."""
    operands: str = ""
    operators: tuple[str, ...] = ()
    least_ns: int | None = None
    """The time that the target needs at least; not compared."""
    bound: str = ""


@dataclass(frozen=True)
class Section:
    """One graph with its kernels, in the order in which they run."""

    name: str
    numbers: Counts
    """Sums over its kernels, `peak_memory` and, for a forward graph, `saved`, in bytes."""
    kernels: tuple[Kernel, ...]
    least_ns: int | None = None


@dataclass(frozen=True, repr=False)
class CostArtifact(Artifact):
    """The cost of a capture: `captured["cost"].graphs`."""

    graphs: tuple[Section, ...]


class CostFormat(OutlineFormat):
    """A document is a tuple of `Section`. Times are comments: they rank changes, but a new time is not a change."""

    outline = Outline(
        Section,
        "{name:[\\w.]+}: {numbers:counts}<  # {least_ns:int} ns at least>",
        kernels=Outline(
            Kernel,
            "  {kind:word}< {operands:[\\w?]+}>< [{operators:names}]>: {numbers:counts}"
            "<  # {least_ns:int} ns at least, {bound:word}>",
        ),
    )

    def render(self, record: Record, stage: str) -> CostArtifact | None:
        partitions: list[Saved] = record.get("saved")
        saved = {partition.key: partition.nbytes for partition in partitions}
        graphs: list[GraphCost] = record.get(stage)
        sections = tuple(_section(graph, saved.get(graph.key)) for graph in graphs)
        return CostArtifact(stage, self.write(sections), sections) if sections else None

    def form(self, document: Iterable[Section]) -> Hashable:
        """Numbers and kinds; operator names and times carry no information of their own."""
        return tuple(
            (
                section.name,
                section.numbers,
                tuple((kernel.kind, kernel.operands, kernel.numbers) for kernel in section.kernels),
            )
            for section in document
        )

    def depth_of(self, old: Iterable[Section], new: Iterable[Section]) -> str:
        """The sums that differ: `launches`, `read`, `flops` ..."""
        before, after = _totals(old), _totals(new)
        return ", ".join(name for name in {**before, **after} if before.get(name) != after.get(name))


COST = CostFormat()


def _section(graph: GraphCost, saved: int | None) -> Section:
    kernels = tuple(_kernel(kernel) for kernel in graph.kernels)
    sums = {name: sum(dict(kernel.numbers).get(name, 0) for kernel in kernels) for name in _NUMBERS}
    numbers = {**sums, "peak_memory": graph.peak_memory, **({} if saved is None else {"saved": saved})}
    times = [kernel.least_ns for kernel in graph.kernels if kernel.least_ns is not None]
    least = sum(times) if len(times) == len(graph.kernels) else None
    return Section(graph.key.label, tuple(numbers.items()), kernels, least)


_SHOWN = 4
_NUMBERS = ("launches", "read", "written", "flops")


def _kernel(cost: KernelCost) -> Kernel:
    numbers = {"launches": cost.launches, "read": cost.read, "written": cost.written}
    if cost.flops is not None:
        numbers["flops"] = cost.flops
    return Kernel(cost.kind, tuple(numbers.items()), cost.operands, listed(cost.operators), cost.least_ns, cost.bound)


def listed(operators: Iterable[str]) -> tuple[str, ...]:
    """Operators as a kernel's line lists them: each once, short, and only the first few."""
    short = tuple(dict.fromkeys(map(_short, operators)))
    return short if len(short) <= _SHOWN else (*short[:_SHOWN], "...")


def _short(operator: str) -> str:
    """`add` for `aten.add.Tensor`; a custom operator keeps the name of its library."""
    name = _PUNCTUATION.sub("_", operator.removesuffix(".default"))
    first, _, inner = name.partition(".")
    return inner.partition(".")[0] if first in ("aten", "prims", "higher_order") else name


def _totals(sections: Iterable[Section]) -> dict[str, int]:
    totals: dict[str, int] = {}
    for section in sections:
        for name, value in section.numbers:
            totals[name] = totals.get(name, 0) + value
    return totals
