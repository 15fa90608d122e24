"""`compile-golden reject`: forget pending artifacts; the goldens stay as they are."""

from __future__ import annotations

import sys

import click

from pytest_compile_golden.cli.console import console, show
from pytest_compile_golden.cli.pending import Filters, Pending, group_option, options


@click.command(short_help="Remove what failing cases left.")
@options
@group_option
def reject(waiting: Pending, filters: Filters) -> None:
    """Remove artifacts from the pending store: all of them, or what the options choose.

    Exits with 1 where nothing was there to reject, with 2 where an option names nothing.
    """
    chosen = waiting.choose(filters)
    entries = chosen.entries + chosen.refused + chosen.stale
    waiting.drop(entries)
    damaged = waiting.drop_damaged() if filters == Filters() else 0
    rejected = len(entries) + damaged
    show(console(), [("", f"rejected {rejected}; the goldens are as they were." if rejected else "nothing to reject.")])
    sys.exit(0 if rejected else 1)
