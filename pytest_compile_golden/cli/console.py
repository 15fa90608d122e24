"""Prints our styled lines on a rich console."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.text import Text

from pytest_compile_golden.report.styled_lines import Line, printable, printable_lines

if TYPE_CHECKING:
    from pytest_compile_golden.cli.choose_pending import PendingEntry
    from pytest_compile_golden.goldens.change_groups import ChangeGroup

_WIDEST = 10_000
_STYLES = {
    "title": "bold",
    "dim": "dim",
    "good": "green",
    "bad": "red",
    "added": "green",
    "removed": "red",
}


def console() -> Console:
    """Where commands print, without wrapping."""
    # Wrapping would break diffs, and ids that are copied from here.
    # A file has room for every column of a table; a terminal folds those that do not fit.
    return Console(
        soft_wrap=True, highlight=False, width=None if sys.stdout.isatty() else _WIDEST
    )


def say(text: str) -> None:
    """Say on stderr what is going on."""
    click.echo(text, err=True)


def show(to: Console, lines: Sequence[Line]) -> None:
    """Print lines, whoever wrote their texts: what would control the terminal is escaped."""
    for style, text in lines:
        to.print(Text(printable_lines(text), style=_STYLES.get(style, "")))


def show_group(
    to: Console,
    group: ChangeGroup[PendingEntry],
    total: int,
    *,
    full: bool = False,
    shown: int = 0,
) -> None:
    """Print a group; see `group_lines`."""
    show(to, group_lines(group, total, full=full, shown=shown))


def group_lines(
    group: ChangeGroup[PendingEntry], total: int, *, full: bool = False, shown: int = 0
) -> list[Line]:
    """One group with its number among `total`."""
    from pytest_compile_golden.report.failure_text import render_group

    stage = f", {group.stage}" if group.stage else ""
    title = f"change {group.number} of {total}: {group.kind}{stage}"
    members = [
        (entry.case.nodeid, entry.change)
        for entry in group.members
        if entry.change is not None
    ]
    return render_group(title, group, members, full=full, shown=shown)


def show_refused(
    to: Console, entries: Sequence[PendingEntry], errors: Sequence[Exception]
) -> None:
    """Print why entries cannot be accepted, each message once."""
    for message in dict.fromkeys(
        [*(str(entry.refused) for entry in entries), *map(str, errors)]
    ):
        show(to, [("bad", f"refused: {printable(message)}")])
