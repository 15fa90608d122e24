"""The options and arguments that several commands have, and how a command receives many of them as one value."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from pytest_compile_golden.cli import shell_completion
from pytest_compile_golden.errors import ReportError

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

FOLDER = click.Path(file_okay=False, path_type=Path)
EXISTING_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
FILE = click.Path(dir_okay=False, path_type=Path)
EXISTING_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


class _Report(click.Path):
    """A file that a report can be written to: its suffix selects the format."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        from pytest_compile_golden.report import reporters

        path = Path(value)
        try:
            reporters.check(path)
        except ReportError as error:
            raise click.UsageError(str(error)) from None
        return path


REPORT = _Report(path_type=Path)


def together(*options: Decorator) -> Decorator:
    """All of `options` as one; `--help` lists the first of them first."""
    return lambda command: functools.reduce(
        lambda decorated, option: option(decorated), reversed(options), command
    )


def taken(kind: type[Any], values: dict[str, Any]) -> Any:
    """An instance of a dataclass made of those of `values` that are its fields, which are removed from there."""
    names = [field.name for field in fields(kind) if field.name in values]
    return kind(**{name: values.pop(name) for name in names})


case = click.option(
    "--case",
    "cases",
    multiple=True,
    metavar="GLOB",
    shell_complete=shell_completion.cases,
    help="Only cases whose id or folder matches; repeatable; * matches any text.",
)
targets = functools.partial(
    click.option,
    "--target",
    "targets",
    multiple=True,
    metavar="T",
    shell_complete=shell_completion.targets,
)
goldens = click.option("--goldens", type=FOLDER, help="The goldens folder.")
report = click.option(
    "--report",
    "reports",
    multiple=True,
    type=REPORT,
    help="Also write a .html, .md or .json report.",
)
keep = click.option(
    "--keep", type=FOLDER, help="Keep the recordings of the sides in this folder."
)
form = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    help="Format on stdout.",
)
environment = together(
    click.option(
        "--python", type=EXISTING_FILE, help="The Python to create environments with."
    ),
    click.option(
        "--pip",
        metavar="ARGS",
        default="",
        help='Arguments for every install: "--pre --index-url URL".',
    ),
)
"""What decides what is in an environment."""
processes = functools.partial(click.option, "-n", "--processes", type=click.IntRange(1))
program = click.argument(
    "program", metavar="FILE::FUNCTION | CASE", shell_complete=shell_completion.programs
)
target = click.option(
    "--target",
    metavar="NAME",
    shell_complete=shell_completion.targets,
    help="The target to compile for (default: the case's first, else cuda-sm90).",
)
torch_repo = click.option(
    "--torch-repo",
    type=EXISTING_FOLDER,
    help="A clone of torch's repository, to also show the commits that touched the functions that are blamed.",
)
