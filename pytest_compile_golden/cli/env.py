"""`compile-golden env`: environments with other torch versions, kept in the cache folder."""

from __future__ import annotations

from pathlib import Path

import click
from packaging.version import InvalidVersion, Version
from rich.table import Column
from rich.text import Text

from pytest_compile_golden.cli import shared_options
from pytest_compile_golden.cli.console import console, say
from pytest_compile_golden.cli.record_sides import wanted
from pytest_compile_golden.environments.torch_environments import Environments
from pytest_compile_golden.errors import UnknownName
from pytest_compile_golden.report.styled_lines import grid


@click.group(short_help="Manage environments with other torch versions.")
def env() -> None:
    """List, create and remove the environments in which `diff`, `matrix` and `bisect` run the suite."""


@env.command("list")
def list_() -> None:
    """Show every environment with its torch version, project and size."""
    environments = Environments()
    table = grid(
        Column("name", no_wrap=True),
        Column("torch", no_wrap=True),
        Column("size", justify="right"),
        "last used",
        "for",
    )
    for environment in environments:
        size = f"{environment.size / 2**30:.1f} GiB"
        table.add_row(
            environment.name,
            environment.torch,
            size,
            f"{environment.used:%Y-%m-%d}",
            Text(environment.project),
        )
    for name in environments.unready():
        table.add_row(name, Text("never finished", style="red"))
    to = console()
    to.print(
        table
        if table.row_count
        else "no environments. `compile-golden env create VERSION` creates one."
    )
    to.print(f"in {environments.root}", style="dim")


@env.command(short_help="Create an environment and print its interpreter.")
@click.argument("version")
@shared_options.environment
def create(version: str, pip: str, python: Path | None) -> None:
    """Create the environment for torch VERSION and this project if there is none yet, and print its interpreter."""
    try:
        Version(version)
    except InvalidVersion:
        raise UnknownName(f"{version} is not a torch version such as 2.15.0.") from None
    environment = Environments().get(wanted(version, pip, python), say)
    click.echo(environment.python)


@env.command(short_help="Remove environments, by name or torch version.")
@click.argument("names", nargs=-1)
@click.option(
    "--all", "everything", is_flag=True, help="All of them, including unfinished ones."
)
def remove(names: tuple[str, ...], everything: bool) -> None:
    """Remove environments by name, as shown by `env list`; a torch version removes all environments that have it."""
    environments = Environments()
    if not names and not everything:
        raise click.UsageError("name environments, or give --all.")
    have = {
        environment.name: environment.torch.partition("+")[0]
        for environment in environments
    }
    try:
        gone = [*have, *environments.unready()] if everything else []
        for name in names:
            gone += [
                full_name for full_name, torch in have.items() if torch == name
            ] or [name]
        for name in dict.fromkeys(gone):
            environments.remove(name)
            click.echo(f"removed {name}")
    except OSError as error:
        raise click.ClickException(str(error)) from None
