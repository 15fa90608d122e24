"""`compile-golden trace`: the map of one compile, step by step and pass by pass."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from pytest_compile_golden.cli import shared_options
from pytest_compile_golden.cli.console import console, show
from pytest_compile_golden.cli.find_cases import resolved
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.report.styled_lines import grid, printable

if TYPE_CHECKING:
    from pytest_compile_golden.api.captured import Capture
    from pytest_compile_golden.report.compile_map import TraceRow

_WIDTH = 220
"""The width of piped output, unless COLUMNS is set."""
_DIFF_STYLES = {"+": "added", "-": "removed", "@": "title"}


@click.command(short_help="Print what each phase and pass did to a program.")
@shared_options.program
@shared_options.target
@click.option(
    "--diff",
    "name",
    metavar="PASS",
    help="Show the graph before and after this pass instead.",
)
@click.option(
    "--changed", is_flag=True, help="Only show passes that changed something."
)
@click.option(
    "--html", type=shared_options.FILE, help="Also write the whole map as one page."
)
def trace(
    program: str, target: str | None, name: str | None, changed: bool, html: Path | None
) -> None:
    """Compile a program and print what every phase and pass of torch.compile did to it.

    FUNCTION takes no arguments and returns `fn`, `(fn, inputs)` or `(fn, inputs, options)`. CASE is a test id, the
    folder of its goldens, or a part of either, and runs with its fixtures and markers. No goldens are read or written.
    """
    from pytest_compile_golden.cli.compile_program import compiled

    program = resolved(program)
    captures = compiled(program, target)
    for captured in captures:
        _show(captured, program, name, changed)
    if html is not None:
        _write(html, program, captures)


def _show(captured: Capture, program: str, name: str | None, changed: bool) -> None:
    from pytest_compile_golden.formats.pass_diffs import PassDiffsArtifact
    from pytest_compile_golden.report.compile_map import trace as rows_of

    if name is not None:
        diffs = captured["pass_diffs"]
        assert isinstance(diffs, PassDiffsArtifact)
        show(
            console(),
            [
                (_DIFF_STYLES.get(line[:1], ""), printable(line))
                for line in split_lines(str(diffs[name]))
            ],
        )
        return
    rows = rows_of(captured)
    to = Console(highlight=False)
    if not to.is_terminal and not os.environ.get("COLUMNS", "").isdigit():
        to = Console(highlight=False, width=_WIDTH)
    show(
        to,
        [("", f"{program} on {captured.target}, torch {captured.environment.torch}")],
    )
    to.print(_table([row for row in rows if row.changed or row.notes or not changed]))


def _table(rows: list[TraceRow]) -> Table:
    table = grid(
        "phase",
        Column("pass", overflow="fold"),
        Column("input", min_width=16),
        "purpose",
        Column("defined at", no_wrap=True, overflow="fold"),
        Column("nodes", justify="right", no_wrap=True),
        Column("ms", justify="right", no_wrap=True),
    )
    graph = ""
    for row in rows:
        if row.graph != graph:
            graph = row.graph
            table.add_row(Text(graph, style="bold"))
        name = Text(printable(row.name))
        for note in row.notes:
            name.append(f"\n  {printable(note)}", style="dim")
        table.add_row(
            row.phase,
            name,
            row.ir,
            Text(printable(row.what)),
            Text(printable(row.where)),
            f"{row.before} -> {row.after}",
            f"{row.milliseconds:.1f}",
            style="" if row.changed or row.notes else "dim",
        )
    return table


def _write(path: Path, program: str, captures: list[Capture]) -> None:
    from pytest_compile_golden.report.compile_map import page
    from pytest_compile_golden.report.compile_map import trace as rows_of

    rows = [row for captured in captures for row in rows_of(captured)]
    first = captures[0]
    path.write_text(
        page(program, f"{first.target}, torch {first.environment.torch}", rows),
        encoding="utf-8",
    )
    show(console(), [("", f"wrote {path}")])
