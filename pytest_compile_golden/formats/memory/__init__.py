"""The memory that graphs hold while they run, and what is saved for backward: one line per step or value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.changes.common_types import NewOrGone, NumberChanged
from pytest_compile_golden.facts.costs import Activation, BufferSizes, GraphCost, Saved
from pytest_compile_golden.facts.generated_code import OutputCode
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.canonical_text import sizes_by_appearance, with_sizes
from pytest_compile_golden.formats.memory.timeline import MemoryStep, timeline
from pytest_compile_golden.formats.outline import Outline, OutlineFormat


@dataclass(frozen=True)
class Section:
    """One graph."""

    name: str
    estimate: int | None = None
    """torch's own estimate of the peak in bytes: the metric `peak_memory`."""
    steps: tuple[MemoryStep, ...] = ()
    """Empty if the wrapper is written in C++."""
    values: tuple[Activation, ...] = ()
    """Only for a forward graph."""

    @property
    def peak(self) -> int:
        """The most bytes that are held at any step."""
        return max((step.live for step in self.steps), default=0)

    @property
    def sums(self) -> str:
        """What the heading says besides torch's estimate."""
        peak = f"{'' if self.estimate is None else ','} peak {self.peak}"
        return peak if self.steps else ""


@dataclass(frozen=True, repr=False)
class MemoryArtifact(Artifact):
    """The memory that graphs hold: `captured["memory"].peak`."""

    graphs: tuple[Section, ...]

    @property
    def peak(self) -> int:
        """Peak bytes of the wrapper's own allocations, for the graph that needs most."""
        return max((graph.peak for graph in self.graphs), default=0)

    @property
    def reuses(self) -> int:
        """The number of buffers that took another one's memory instead of new memory."""
        return sum(
            step.kind == "reuse" for graph in self.graphs for step in graph.steps
        )

    @property
    def saved(self) -> tuple[Activation, ...]:
        """The values that forward computes and keeps for backward."""
        return self._values("saved")

    @property
    def recomputed(self) -> tuple[Activation, ...]:
        """The values that backward computes again instead."""
        return self._values("recomputed")

    def _values(self, kind: str) -> tuple[Activation, ...]:
        return tuple(
            value
            for graph in self.graphs
            for value in graph.values
            if value.kind == kind
        )


class MemoryFormat(OutlineFormat):
    """A document is a tuple of `Section`."""

    outline = Outline(
        Section,
        r"{name:graph_\w+}:< estimate {estimate:int}>{=sums:(?:,? peak \d+)?}",
        steps=Outline(
            MemoryStep,
            "  {kind:given|allocate|call|place|part|reuse|free} {name:word}< of {of:word}> {nbytes:int}; "
            "{live:int} live<  # {comment:line}>",
        ),
        values=Outline(
            Activation,
            r"  {kind:saved|input|recomputed}< {operator:word}> {type:\w+\[[^\]\n]*\]} {nbytes:int}"
            r"<; {why:[^#\n]+?}><  # {comment:line}>",
        ),
    )

    def render(self, record: Record, stage: str) -> MemoryArtifact | None:
        codes: list[OutputCode] = record.get("output_code")
        saved: list[Saved] = record.get("saved")
        costs: list[GraphCost] = record.get("cost")
        sizes: list[BufferSizes] = record.get(stage)
        values = {graph.name: graph.activations for graph in saved}
        estimates = {cost.name: cost.peak_memory for cost in costs}
        by_graph = {code.key: code.code for code in codes}
        sections = tuple(
            Section(
                graph.key.label,
                estimates.get(graph.key.label),
                _with_peak(timeline(by_graph[graph.key], graph))
                if graph.key in by_graph
                else (),
                values.get(graph.key.label, ()),
            )
            for graph in sizes
        )
        return (
            MemoryArtifact(stage, self.write(sections), sections) if sections else None
        )

    def form(self, document: Iterable[Section]) -> Hashable:
        """Steps and values with their bytes and reasons, regardless of names and of what runs in between.

        The order of consecutive frees does not count.
        """
        return tuple(
            (section.name, section.estimate, _steps(section), _values(section))
            for section in document
        )

    def edits_of(
        self, old: Sequence[Section], new: Sequence[Section]
    ) -> Iterable[Change]:
        """The sums that differ, and the values that are newly, or no longer, saved or computed again."""
        old_sums, new_sums = _sums(old), _sums(new)
        for name in old_sums:
            if old_sums[name] != new_sums[name]:
                yield NumberChanged("memory-sum", old_sums[name], new_sums[name], name)
        before, after = (
            Counter(line for section in side for line in _values(section))
            for side in (old, new)
        )
        for is_new, several in ((False, before - after), (True, after - before)):
            yield from (
                NewOrGone("value-kept", (operator,), is_new, kind)
                for kind, operator, *_ in several
            )


MEMORY = MemoryFormat()


def _with_peak(steps: tuple[MemoryStep, ...]) -> tuple[MemoryStep, ...]:
    """The steps, of which the first at which most is held says so."""
    if not steps:
        return ()
    at = max(range(len(steps)), key=lambda index: steps[index].live)
    comment = ", ".join(filter(None, ("peak", steps[at].comment)))
    return (*steps[:at], replace(steps[at], comment=comment), *steps[at + 1 :])


def _steps(section: Section) -> tuple[Hashable, ...]:
    """The steps, with buffers numbered by first appearance."""
    numbers: dict[str, int] = {}

    def number(name: str) -> int:
        return numbers.setdefault(name, len(numbers)) if name else -1

    steps: list[Hashable] = []
    freed: list[tuple[int, int]] = []
    for step in section.steps:
        if step.kind == "free":
            freed.append((number(step.name), step.nbytes))
            continue
        steps += sorted(freed)
        freed.clear()
        steps.append((step.kind, number(step.name), number(step.of), step.nbytes))
    return (*steps, *sorted(freed))


def _values(section: Section) -> tuple[tuple[str, str, str, int, str], ...]:
    sizes = sizes_by_appearance(value.type for value in section.values)
    return tuple(
        (
            value.kind,
            value.operator,
            with_sizes(value.type, sizes),
            value.nbytes,
            value.why,
        )
        for value in section.values
    )


def _sums(sections: Iterable[Section]) -> dict[str, int]:
    several = tuple(sections)
    return {
        "peak": max((section.peak for section in several), default=0),
        "estimate": max((section.estimate or 0 for section in several), default=0),
        "saved": sum(
            value.nbytes
            for section in several
            for value in section.values
            if value.kind == "saved"
        ),
        "recomputed": sum(
            value.nbytes
            for section in several
            for value in section.values
            if value.kind == "recomputed"
        ),
        "reuses": sum(
            step.kind == "reuse" for section in several for step in section.steps
        ),
        "allocations": sum(
            step.kind in ("allocate", "call")
            for section in several
            for step in section.steps
        ),
    }
