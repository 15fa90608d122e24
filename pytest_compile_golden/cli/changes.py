"""`compile-golden changes`: every type of change, by its code."""

from __future__ import annotations

from collections.abc import Iterator

import click

from pytest_compile_golden.changes.change import CODES, CodeRow
from pytest_compile_golden.messages import sentences


@click.command(short_help="List the types of changes that reports name.")
@click.option("--markdown", is_flag=True, help="As the table of docs/changes.md.")
def changes(markdown: bool) -> None:
    """List the codes of changes, each with its kind and what it is about.

    A kind is `decision`, `code`, `hint`, `accounting` or `spelling`; the last two leave what runs as it is.
    """
    if markdown:
        click.echo("\n".join(table()))
        return
    for code, row in sorted(known().items()):
        click.echo(f"{code:24} {row.kind:11} {row.topic:11} {row.meaning}")


def known() -> dict[str, CodeRow]:
    """Every row of the table of codes."""
    assert sentences.TABLE  # importing what is said of changes adds every row
    return CODES


def table(link: bool = False) -> Iterator[str]:
    """The lines of a table in Markdown. link: to a section of the same page for each."""
    yield from ("| code | kind | about | what changed |", "|---|---|---|---|")
    for code, row in sorted(known().items()):
        named = f"[`{code}`](#{code})" if link else f"`{code}`"
        yield f"| {named} | {row.kind} | {row.topic} | {row.meaning} |"
