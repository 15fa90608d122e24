"""`compile-golden matrix V1 V2 …`: a table of cases by torch version, and where each case changed."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pytest_compile_golden.cli import record_sides, shared_options
from pytest_compile_golden.cli.console import console, show
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.common.name_matching import check


@click.command(short_help="Compare many torch versions in one table.")
@click.argument("versions", nargs=-1, required=True)
@shared_options.case
@record_sides.run_options
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="A metric to show in the cells; repeatable.",
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Also show cases that are the same on every version.",
)
@shared_options.keep
@shared_options.form
def matrix(
    versions: tuple[str, ...],
    cases: tuple[str, ...],
    run: record_sides.RunOptions,
    metrics: tuple[str, ...],
    everything: bool,
    keep: Path | None,
    form: str,
) -> None:
    """Show each case's kernels, bytes and graph breaks on each of VERSIONS, and where it changed.

    Each is a torch version, an interpreter or its environment, a recorded folder, or the goldens for a version
    (goldens@2.13.0), as for `diff`.

    Exits with 0 if all do the same, with 1 if a case changed or a version did not run, and with 2 if the command itself
    is wrong.
    """
    from pytest_compile_golden.report import version_matrix

    if len(set(versions)) < len(versions):
        raise click.UsageError("a version is given twice.")
    several = record_sides.parse_sides(versions)
    results = record_sides.record_all(run, cases, several, keep)
    grid = version_matrix.matrix(
        list(zip(versions, results, strict=True)), find_project(run.project).usual
    )
    measured = {
        name for row in grid.rows for cell in row.cells for name in cell.metrics
    }
    check("metric", metrics, sorted(measured))
    names = metrics or version_matrix.SHOWN
    if form == "json":
        click.echo(version_matrix.as_json(grid), nl=False)
    elif form == "markdown":
        click.echo(version_matrix.markdown(grid, names, everything), nl=False)
    else:
        to = console()
        headline = "title", version_matrix.headline(grid)
        show(to, [headline, ("", "")])
        to.print(version_matrix.table(grid, names, everything))
        below = (
            *version_matrix.legend(grid, names, everything),
            "",
            *version_matrix.steps(grid),
            "",
        )
        show(to, [*(("", line) for line in below), headline])
    sys.exit(1 if grid.errors or any(row.changed for row in grid.rows) else 0)
