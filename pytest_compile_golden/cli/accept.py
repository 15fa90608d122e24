"""`compile-golden accept`: turn pending artifacts into goldens, without torch."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence

import click
from rich.console import Console

from pytest_compile_golden.cli.console import console, show, show_refused
from pytest_compile_golden.cli.pending import Entry, Filters, Pending, group_option, selecting
from pytest_compile_golden.goldens import pending_case
from pytest_compile_golden.goldens.store import Written
from pytest_compile_golden.report.counts import count
from pytest_compile_golden.report.lines import Line, printable


@click.command(short_help="Accept the artifacts that failing cases left.")
@selecting
@group_option
@click.option(
    "--change",
    "changes",
    multiple=True,
    metavar="MARK",
    help="Only the distinct change with this mark, as shown in an HTML report.",
)
@click.option(
    "--code",
    "codes",
    multiple=True,
    metavar="CODE",
    help="Only distinct changes with this code, as `compile-golden changes` lists them; * matches any text.",
)
@click.option("--notes", is_flag=True, help="Only what does not fail its case.")
@click.option("--proved", is_flag=True, help="Only cases that are proved to compute the same.")
@click.option("--moved", is_flag=True, help="Only move the goldens of cases that look renamed or moved.")
@click.option("--reason", metavar="TEXT", help="Why; recorded next to each metric that changes.")
def accept(waiting: Pending, filters: Filters, moved: bool, reason: str | None) -> None:
    """Accept the artifacts that failing cases left in the pending store: all of them, or those that the options select.

    Exits with 1 if something was refused or there was nothing to accept, and with 2 if an option matches nothing.
    """
    to = console()
    if moved:
        sys.exit(_move(to, waiting, filters))
    chosen = waiting.choose(filters)
    entries = waiting.settled(chosen.groups) if filters.by_change else chosen.entries
    written, failed = accept_all(waiting, entries, reason)
    waiting.drop(chosen.stale)
    show_refused(to, chosen.refused + failed, waiting.errors)
    show(to, [*listed(written), ("good" if entries else "", result_line(len(entries) - len(failed), written))])
    waits = len({entry.case.folder for entry in chosen.entries} - {entry.case.folder for entry in entries})
    if waits:
        have = "has" if waits == 1 else "have"
        show(to, [("", f"{count(waits, 'case')} {have} other changes too and will be accepted once those are.")])
    if chosen.stale:
        show(to, [("", f"{len(chosen.stale)} already accepted.")])
    sys.exit(1 if chosen.refused or failed or waiting.errors or not (chosen.entries or chosen.stale) else 0)


def _move(to: Console, waiting: Pending, filters: Filters) -> int:
    done, failed = waiting.move(filters)
    show_refused(to, failed, waiting.errors)
    lines: list[Line] = [
        ("good", f"moved {count(len(written) // 2, 'golden')} from {case.moved_from} to {case.folder}.")
        for case, written in done
    ]
    if done:
        lines.append(("", "The next run shows how the cases differ from them."))
    show(to, lines or [("", "no case looks renamed or moved.")])
    return 1 if failed or waiting.errors or not done else 0


def accept_all(
    waiting: Pending, entries: Sequence[Entry], reason: str | None = None
) -> tuple[list[Written], list[Entry]]:
    """Accept entries and drop them from the store; returns what was written and the entries that were refused."""
    written: list[Written] = []
    done, failed = [], []
    try:
        for entry in entries:
            try:
                written += pending_case.accept(entry.case, entry.artifact, waiting.store, reason)
                done.append(entry)
            except pending_case.Refused as error:
                failed.append(Entry(entry.case, entry.artifact, None, str(error)))
    finally:
        # Even if this fails halfway (a full disk), what was accepted is no longer pending.
        waiting.drop(done)
    return written, failed


def listed(written: Sequence[Written]) -> list[Line]:
    """Every file that was written or removed."""
    return [("dim", f"{golden.action:<7}  {printable(str(golden.path))}") for golden in written]


def result_line(accepted: int, written: Sequence[Written]) -> str:
    """The result in one line."""
    if not accepted:
        return "nothing to accept."
    actions = Counter(golden.action for golden in written)
    files = ", ".join(f"{actions[action]} {action}" for action in ("new", "updated", "removed") if actions[action])
    return f"accepted {count(accepted, 'artifact')} (goldens: {files or 'unchanged'})."
