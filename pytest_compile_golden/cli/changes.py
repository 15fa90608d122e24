"""`compile-golden changes`: every type of change, by its code."""

from __future__ import annotations

import click

from pytest_compile_golden.changes.change import CODES
from pytest_compile_golden.words import sentences


@click.command(short_help="List the types of changes that reports name.")
@click.option("--markdown", is_flag=True, help="As the table of docs/changes.md.")
def changes(markdown: bool) -> None:
    """List the codes of changes, each with its kind and what it is about.

    A kind is `decision`, `code`, `hint`, `accounting` or `spelling`; the last two leave what runs as it is.
    """
    assert sentences.TABLE  # importing the table registers every type
    if markdown:
        click.echo("| code | kind | about | what changed |\n|---|---|---|---|")
    for code, kind in sorted(CODES.items()):
        summary = " ".join((kind.__doc__ or "").split("\n\n")[0].split())
        about = kind.about_what()
        if markdown:
            click.echo(f"| `{code}` | {kind.kind} | {about} | {summary} |")
        else:
            click.echo(f"{code:24} {kind.kind:11} {about:11} {summary}")
