"""`compile-golden changes`: every type of change, by its code."""

from __future__ import annotations

from collections.abc import Iterator

import click

from pytest_compile_golden.changes.change import CODES, Change
from pytest_compile_golden.words import sentences


@click.command(short_help="List the types of changes that reports name.")
@click.option("--markdown", is_flag=True, help="As the table of docs/changes.md.")
def changes(markdown: bool) -> None:
    """List the codes of changes, each with its kind and what it is about.

    A kind is `decision`, `code`, `hint`, `accounting` or `spelling`; the last two leave what runs as it is.
    """
    if markdown:
        click.echo("\n".join(table()))
        return
    for code, kind in sorted(known().items()):
        click.echo(f"{code:24} {kind.kind:11} {kind.about_what():11} {summary(kind)}")


def known() -> dict[str, type[Change]]:
    """Every type of change by its code."""
    assert sentences.TABLE  # importing the table registers every type
    return CODES


def summary(kind: type[Change]) -> str:
    """What changed, in a sentence."""
    return " ".join((kind.__doc__ or "").split("\n\n")[0].split())


def table(link: bool = False) -> Iterator[str]:
    """The lines of a table in Markdown. link: to a section of the same page for each."""
    yield from ("| code | kind | about | what changed |", "|---|---|---|---|")
    for code, kind in sorted(known().items()):
        named = f"[`{code}`](#{code})" if link else f"`{code}`"
        yield f"| {named} | {kind.kind} | {kind.about_what()} | {summary(kind)} |"
