"""`compile-golden report`: convert a report that a run wrote to another format, or merge shards into one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pytest_compile_golden.cli import shared_options
from pytest_compile_golden.cli.console import console, show

if TYPE_CHECKING:
    from pytest_compile_golden.report.model import Report

_FILES = click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path)
)


class _ShowByDefault(click.Group):
    """`report FILE` is `report show FILE`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in ("-h", "--help") and args[0] not in self.commands:
            args = ["show", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_ShowByDefault, short_help="Show, convert or merge reports of runs.")
def report() -> None:
    """Show a report that `pytest --compile-golden-report FILE.json` wrote, or write it in another format.

    \b
    report FILE.json…               show it here
    report FILE.json… -o FILE.html  write it as .html, .md or .json
    report merge FILE.json… -o ALL.json
    report title FILE.json…         a title for an issue about it
    report schema                   the JSON Schema of a report
    """


@report.command("show", short_help="Show a report, or write it in other formats.")
@_FILES
@click.option(
    "-o",
    "--output",
    multiple=True,
    type=shared_options.REPORT,
    help=".html, .md or .json; repeatable.",
)
@click.option(
    "--annotate",
    is_flag=True,
    help="Annotate the changed tests on GitHub, from a workflow step.",
)
def show_report(
    files: tuple[Path, ...], output: tuple[Path, ...], annotate: bool
) -> None:
    """Show a report, or write it in other formats; several files are merged.

    Exits with 1 if anything changed.
    """
    merged = _merged(files, output)
    if annotate:
        from pytest_compile_golden.report import terminal_report

        click.echo(terminal_report.annotated(merged), nl=False)
    elif not output:
        from pytest_compile_golden.report import terminal_report, torch_changes

        show(
            console(), [*terminal_report.render(merged), *torch_changes.render(merged)]
        )
    sys.exit(1 if merged.differs else 0)


@report.command("merge")
@_FILES
@click.option(
    "-o",
    "--output",
    multiple=True,
    required=True,
    type=shared_options.REPORT,
    help=".json, .md or .html.",
)
def merge_reports(files: tuple[Path, ...], output: tuple[Path, ...]) -> None:
    """Merge the shards of one run into one report.

    Exits with 0 whatever the report says, and with 1 if the files are not from the same run.
    """
    _merged(files, output)


@report.command("title", short_help="Print a title for an issue about the report.")
@_FILES
def print_title(files: tuple[Path, ...]) -> None:
    """Print a title for an issue about the report: what the torch does, or that it cannot be read."""
    from pytest_compile_golden.report.run_summary import issue_title
    from pytest_compile_golden.report.styled_lines import printable

    click.echo(printable(issue_title(_merged(files, ()))))


@report.command("schema")
def print_schema() -> None:
    """Print the JSON Schema of a report."""
    from pytest_compile_golden.report.json_report import schema

    click.echo(schema(), nl=False)


def _merged(files: tuple[Path, ...], output: tuple[Path, ...]) -> Report:
    from pytest_compile_golden.report import json_report, reporters
    from pytest_compile_golden.report.json_report import merge

    merged = merge([json_report.read(path) for path in files])
    for path in output:
        reporters.write(merged, path)
    return merged
