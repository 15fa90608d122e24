"""`compile-golden reject`: discard pending artifacts; the goldens stay as they are."""

from __future__ import annotations

import sys

import click

from pytest_compile_golden.cli.choose_pending import Filters, Pending
from pytest_compile_golden.cli.console import console, show, show_refused
from pytest_compile_golden.cli.pending_options import group_option, selecting


@click.command(short_help="Discard the artifacts that failing cases left.")
@selecting
@group_option
def reject(waiting: Pending, filters: Filters) -> None:
    """Discard artifacts from the pending store: all of them, or those that the options select.

    Exits with 1 if there was nothing to reject, and with 2 if an option matches nothing.
    """
    chosen = waiting.choose(filters)
    read = len(waiting.errors)
    entries = chosen.entries + chosen.refused + chosen.stale
    waiting.drop(entries)
    damaged = waiting.drop_damaged() if filters == Filters() else 0
    rejected = len(set(entries) - set(waiting.entries)) + damaged
    to = console()
    show_refused(to, [], waiting.errors[read:])
    show(
        to,
        [
            (
                "",
                f"rejected {rejected}; the goldens are unchanged."
                if rejected
                else "nothing to reject.",
            )
        ],
    )
    sys.exit(0 if rejected == len(entries) + damaged > 0 else 1)
