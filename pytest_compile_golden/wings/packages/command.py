"""`compile-golden packages`: programs that one torch exported or compiled ahead of time, loaded by others."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

import click
from rich.table import Table
from rich.text import Text

from pytest_compile_golden.cli import completing, running
from pytest_compile_golden.cli.console import console, show
from pytest_compile_golden.cli.program import parsed
from pytest_compile_golden.environments.environments import Environments
from pytest_compile_golden.environments.sides import Interpreter, Release
from pytest_compile_golden.report.lines import printable
from pytest_compile_golden.wings.packages.loads import Kind, Load, loads

_CALLED = {"exported": "exported program", "packaged": "AOTInductor package"}


@click.command(short_help="Check that one torch loads what another exported.")
@click.argument("program", metavar="FILE::FUNCTION", shell_complete=completing.programs)
@click.argument("sides", metavar="OLD NEW...", nargs=-1, required=True)
@running.environment_options
@click.option("--timeout", type=float, default=600.0, show_default=True, help="Seconds allowed for one process.")
def packages(program: str, sides: tuple[str, ...], pip: str, python: Path | None, timeout: float) -> None:
    """Have each side export FUNCTION's program and compile it ahead of time; that side and all later ones load both.

    A side is a torch version or an interpreter that has one. Programs are actually built and run, on the devices that
    their tensors are on. Exits with 1 if one does not load, or computes something other than eager did.
    """
    file, function = parsed(program)
    if function is None:
        raise click.UsageError(f"{program} is a test; name a function that returns what to compile.")
    pythons = [(side, _python(side, pip, python)) for side in sides]
    with tempfile.TemporaryDirectory(prefix="compile-golden-") as folder:
        loaded = [*loads((file, function), pythons, Path(folder), timeout, _say)]
    _show(loaded, sides)
    if any(load.problem for load in loaded):
        raise SystemExit(1)


def _say(text: str) -> None:
    click.echo(text, err=True)


def _python(text: str, pip: str, base: Path | None) -> Path:
    (side,) = running.parse_sides([text])
    if isinstance(side, Interpreter):
        return side.python
    if not isinstance(side, Release):
        raise click.UsageError(f"{text} is recorded and cannot load anything. Name a version or an interpreter.")
    return Environments().get(replace(running.wanted(side.torch, pip, base), pins=side.pins), _say).python


def _show(loaded: Sequence[Load], sides: Sequence[str]) -> None:
    table = Table("", "written by", *(f"in {printable(side)}" for side in sides), box=None, pad_edge=False)
    load_of = {(load.kind, load.writer, load.reader): load for load in loaded}
    for kind in get_args(Kind):
        for writer in sides:
            cells = [_cell(load_of.get((kind, writer, reader))) for reader in sides]
            table.add_row(_CALLED[kind], printable(writer), *cells)
    to = console()
    to.print(table)
    for load in loaded:
        if load.problem:
            where = f"{_CALLED[load.kind]} of {load.writer} in {load.reader}"
            show(to, [("bad", f"{printable(where)}: {printable(load.problem)}")])


def _cell(load: Load | None) -> Text:
    if load is None:
        return Text("")
    return Text("wrong", style="red") if load.problem else Text("same values", style="green")
