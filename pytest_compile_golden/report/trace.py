"""A map of one compile: every step and pass in execution order, what it is for and what it did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from pytest_compile_golden.captured import Capture
from pytest_compile_golden.facts.graphs import Pass
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.report.known_passes import pass_description
from pytest_compile_golden.report.lines import printable
from pytest_compile_golden.stages import phase


@dataclass(frozen=True)
class TraceRow:
    """One step or pass."""

    graph: str
    phase: str
    name: str
    ir: str
    what: str
    where: str
    """`file:line` in the installed torch, or the user's file."""
    before: int
    after: int
    """The number of nodes in what it works on: instructions, FX nodes, operations, groups, lines of the wrapper."""
    milliseconds: float
    changed: bool
    notes: tuple[str, ...]
    """Patterns that matched, operators that were added or removed."""
    diff: str
    """A diff of the graph before and after; empty if the pass changed nothing or turned the graph into something
    else."""


def trace(captured: Capture) -> list[TraceRow]:
    """The rows of a capture, ordered by start time."""
    diffs = captured["pass_diffs"].diffs if "pass_diffs" in captured else ()
    rows = [*((step, "") for step in captured.record.get("steps")), *diffs]
    return [_row(run, diff) for run, diff in sorted(rows, key=lambda row: row[0].started)]


def page(title: str, subtitle: str, rows: Sequence[TraceRow]) -> str:
    """The map as one HTML file that fetches nothing; all text from the compile is escaped."""
    import jinja2  # slow to import, and only needed here

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "html"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        finalize=lambda value: printable(value) if isinstance(value, str) else value,
    )
    environment.filters["lines"] = split_lines
    graphs = [(graph, list(passes)) for graph, passes in groupby(rows, key=lambda row: row.graph)]
    return environment.get_template("trace.html").render(title=title, subtitle=subtitle, graphs=graphs)


def _row(run: Pass, diff: str) -> TraceRow:
    return TraceRow(
        graph=run.key.label,
        phase=run.phase,
        name=run.name,
        ir=works_on.works_on if (works_on := phase(run.phase)) is not None else "",
        what=pass_description(run.name, run.summary),
        where=run.where or "",
        before=run.before,
        after=run.after,
        milliseconds=1000 * run.seconds,
        changed=run.changed,
        notes=tuple(_notes(run)),
        diff=diff,
    )


def _notes(run: Pass) -> Iterator[str]:
    for match in run.patterns:
        yield f"pattern {match.name}: matched {match.count}" + (f"  {match.where}" if match.where else "")
    changes = [*(("-", *removed) for removed in run.removed.items()), *(("+", *added) for added in run.added.items())]
    if changes:
        yield "  ".join(f"{sign}{name}" + (f" x{times}" if times > 1 else "") for sign, name, times in changes)
