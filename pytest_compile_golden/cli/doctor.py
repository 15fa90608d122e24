"""`compile-golden doctor`: what the installed torch offers, stage by stage and target by target."""

from __future__ import annotations

import sys

import click
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from pytest_compile_golden.errors import CompileGoldenError


@click.command()
def doctor() -> None:
    """Say which stages and targets work with the installed torch, and what is missing for the others.

    Exits with 1 where a stage or a virtual target cannot work here.
    """
    from pytest_compile_golden.observe.compile import environment

    console = Console(soft_wrap=True)
    versions = environment()
    console.print(
        f"torch {versions.torch}, triton {versions.triton or 'not installed'}, Python {versions.python}",
        highlight=False,
    )
    stages_ok = _print_stages(console)
    targets_ok = _print_targets(console)
    sys.exit(0 if stages_ok and targets_ok else 1)


def _print_stages(console: Console) -> bool:
    from pytest_compile_golden.observe.probe import missing_names, probes
    from pytest_compile_golden.stages import stages

    needs: dict[str, list[str]] = {}
    missing: dict[str, list[str]] = {}
    for probe in probes():
        for fed in probe.stages:
            needs.setdefault(fed, []).extend(name.replace(":", ".") for name in probe.touches)
            missing.setdefault(fed, []).extend(missing_names(probe))
    table = Table(
        "stage", "holds", Column("observed through", overflow="fold"), box=None, header_style="bold", pad_edge=False
    )
    for stage in stages():
        gone = missing.get(stage.name, [])
        name = Text(stage.name, style="red" if gone else "green")
        seen = "\n".join(dict.fromkeys(needs.get(stage.name, ["the other stages"])))
        if gone:
            seen = f"unavailable: {'; '.join(gone)}"
        table.add_row(name, stage.summary, seen)
    console.print(table)
    return not any(missing.values())


def _print_targets(console: Console) -> bool:
    from pytest_compile_golden.targets import get_target, target_names

    table = Table("target", "kind", "works here", box=None, header_style="bold", pad_edge=False)
    everything = True
    for name in target_names():
        target = get_target(name)
        try:
            with target.active():
                works = Text("yes", style="green")
        except CompileGoldenError as error:
            # A machine without the device has no native target; that is no fault of the installation.
            everything = everything and not target.virtual
            works = Text(str(error), style="red" if target.virtual else "dim")
        table.add_row(name, "virtual" if target.virtual else "native", works)
    console.print(table)
    return everything
