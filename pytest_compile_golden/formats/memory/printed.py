"""The printed form of the memory of graphs, and its reader."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.formats.memory.timeline import Step
from pytest_compile_golden.lines import split_lines

_PEAK = "  # peak"
_HEAD = re.compile(r"(?P<name>graph_\w+):(?: estimate (?P<estimate>\d+))?(?:(?:, | )peak \d+)?")
_STEP = re.compile(
    r"  (?P<kind>given|allocate|call|place|part|reuse|free) (?P<name>\w+)(?: of (?P<of>\w+))? (?P<nbytes>\d+); "
    r"(?P<live>\d+) live(?:  # (?P<peak>peak)?(?:, )?(?:for (?P<runs>.+))?)?"
)
_VALUE = re.compile(
    r"  (?P<kind>saved|input|recomputed)(?: (?P<operator>\S+))? (?P<type>\w+\[[^\]]*\]) (?P<nbytes>\d+)"
    r"(?:; (?P<why>[^#]+?))?(?:  # (?P<comment>.*))?"
)


@dataclass(frozen=True)
class Value:
    """A value of a forward graph that backward reads, or computes again."""

    kind: str
    """`saved`, `input` (the caller keeps it) or `recomputed`."""
    operator: str
    type: str
    """`f32[512, 4096]`."""
    nbytes: int
    why: str = ""
    """The partitioner's reason: `minimum cut` if other values would have done and this one was cheapest."""
    comment: str = ""
    """Its name and the user's line; not compared."""


@dataclass(frozen=True)
class Section:
    """One graph."""

    name: str
    estimate: int | None
    """torch's own estimate of the peak in bytes: the metric `peak_memory`."""
    steps: tuple[Step, ...]
    """Empty if the wrapper is written in C++."""
    values: tuple[Value, ...]
    """Only for a forward graph."""

    @property
    def peak(self) -> int:
        """The most bytes that are held at any step."""
        return max((step.live for step in self.steps), default=0)


def lines(section: Section) -> Iterator[str]:
    sums = [] if section.estimate is None else [f"estimate {section.estimate}"]
    sums += [f"peak {section.peak}"] if section.steps else []
    yield f"{section.name}:{' ' if sums else ''}{', '.join(sums)}"
    peak = next((step for step in section.steps if step.live == section.peak), None)
    for step in section.steps:
        of = f" of {step.of}" if step.of else ""
        comment = ", ".join(filter(None, ("peak" if step is peak else "", step.runs and f"for {step.runs}")))
        yield f"  {step.kind} {step.name}{of} {step.nbytes}; {step.live} live{comment and f'  # {comment}'}"
    for value in section.values:
        text = " ".join(filter(None, (value.kind, value.operator, value.type, str(value.nbytes))))
        yield f"  {text}{value.why and f'; {value.why}'}{value.comment and f'  # {value.comment}'}"


def read(text: str) -> tuple[Section, ...]:
    sections: list[Section] = []
    for line in split_lines(text):
        if head := _HEAD.fullmatch(line):
            estimate = None if head["estimate"] is None else int(head["estimate"])
            sections.append(Section(head["name"], estimate, (), ()))
            continue
        if not sections:
            raise Unreadable(line)
        last = sections[-1]
        if match := _STEP.fullmatch(line):
            step = Step(
                match["kind"],
                match["name"],
                int(match["nbytes"]),
                int(match["live"]),
                match["of"] or "",
                match["runs"] or "",
            )
            sections[-1] = replace(last, steps=(*last.steps, step))
        elif match := _VALUE.fullmatch(line):
            value = Value(
                match["kind"],
                match["operator"] or "",
                match["type"],
                int(match["nbytes"]),
                match["why"] or "",
                match["comment"] or "",
            )
            sections[-1] = replace(last, values=(*last.values, value))
        else:
            raise Unreadable(line)
    return tuple(sections)
