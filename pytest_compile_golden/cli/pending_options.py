"""The options of `accept`, `reject`, `review` and `show`, which choose among the pending artifacts."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from pytest_compile_golden.cli import shared_options, shell_completion
from pytest_compile_golden.cli.choose_pending import Filters, Pending
from pytest_compile_golden.common.constants import UPDATE_KINDS
from pytest_compile_golden.common.garbage_collection import gc_paused

_SELECTING = shared_options.together(
    click.option(
        "--case",
        metavar="GLOB",
        shell_complete=shell_completion.cases,
        help="Only cases whose id or folder matches; * matches any text.",
    ),
    click.option(
        "--stage",
        metavar="NAME",
        shell_complete=shell_completion.stages,
        help="Only artifacts of this stage.",
    ),
    click.option(
        "--kind", type=click.Choice(UPDATE_KINDS), help="Only changes of this kind."
    ),
    click.option(
        "--pending",
        type=shared_options.EXISTING_FOLDER,
        help="The pending folder, for example as downloaded from CI (default: in pytest's cache).",
    ),
    click.option(
        "--goldens",
        type=shared_options.FOLDER,
        help="The goldens folder (default: the project's).",
    ),
)


def selecting(command: Callable[..., None]) -> Callable[..., None]:
    """The options of every command that works on the pending store; it receives them as a `Pending` and `Filters`."""

    @functools.wraps(command)
    def with_store(pending: Path | None, goldens: Path | None, **values: Any) -> None:
        click.get_current_context().with_resource(gc_paused())
        filters = shared_options.taken(Filters, values)
        command(Pending(pending, goldens), filters, **values)

    decorated: Callable[..., None] = _SELECTING(with_store)
    return decorated


group_option = click.option(
    "--group",
    "groups",
    type=int,
    multiple=True,
    metavar="N",
    help="Only this distinct change, by its number in `show`.",
)
