"""`compile-golden show`: the pending artifacts, grouped by what changed."""

from __future__ import annotations

import sys

import click

from pytest_compile_golden.cli import console
from pytest_compile_golden.cli.choose_pending import Filters, Pending
from pytest_compile_golden.cli.pending_options import group_option, selecting


@click.command(short_help="Show pending changes, each distinct change once.")
@selecting
@group_option
@click.option("--full", is_flag=True, help="Show full diffs and all cases.")
def show(waiting: Pending, filters: Filters, full: bool) -> None:
    """Show what failing cases left in the pending store, each distinct change once.

    Exits with 1 if something is pending, like diff, and with 2 if an option matches nothing.
    """
    to = console.console()
    chosen = waiting.choose(filters)
    cosmetic = filters.kind == "cosmetic" or filters.groups
    asked = [group for group in chosen.groups if cosmetic or group.kind != "cosmetic"]
    for group in asked:
        console.show_group(to, group, chosen.total, full=full)
        to.print()
    console.show_refused(to, chosen.refused, waiting.errors)
    if chosen.groups:
        accept, review = (
            f"`compile-golden {each}{waiting.option}" for each in ("accept", "review")
        )
        console.show(
            to, [("", f"{accept} --group N` accepts one; {review}` asks about each.")]
        )
        if len(asked) < len(chosen.groups):
            count = len(
                set(chosen.entries)
                - {entry for group in asked for entry in group.members}
            )
            console.show(
                to,
                [
                    (
                        "dim",
                        f"{count} cosmetic change{'s' * (count != 1)} hidden; show them with --kind cosmetic",
                    )
                ],
            )
    elif not chosen.refused and not waiting.errors:
        console.show(to, [("", "nothing is pending.")])
    sys.exit(1 if chosen.groups or chosen.refused or waiting.errors else 0)
