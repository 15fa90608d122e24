"""`compile-golden triage SCRIPT`: what a script that reproduces a problem shows, on one page."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pytest_compile_golden.cli import record_sides, shared_options
from pytest_compile_golden.cli.console import console, say, show

if TYPE_CHECKING:
    from pytest_compile_golden.features.triage.script_runs import Triage, Values


@click.command(short_help="Diagnose a script that reproduces a problem.")
@click.argument("script", type=shared_options.EXISTING_FILE)
@click.option(
    "--torch",
    "torches",
    multiple=True,
    metavar="SIDE",
    help="A torch version, an interpreter or its environment to run it with; repeatable, oldest first (default: the "
    "torch that is installed here). Only torch must be installed there.",
)
@shared_options.environment
@click.option(
    "--gpu", metavar="NAME", help="Run it on this virtual GPU: h100, b200 ..."
)
@click.option(
    "--values",
    type=click.Choice(["kernels", "graph"]),
    default="kernels",
    show_default=True,
    help="What compiled graphs compute on a virtual GPU: the generated kernels, interpreted, or the graph's operators, "
    "which is faster and shows no mistake of a kernel.",
)
@click.option(
    "--timeout",
    type=float,
    default=300.0,
    show_default=True,
    help="Seconds allowed for a run.",
)
@click.option(
    "--markdown",
    "as_markdown",
    is_flag=True,
    help="Print the script and a table of versions, for an issue.",
)
def triage(
    script: Path,
    torches: tuple[str, ...],
    pip: str,
    python: Path | None,
    gpu: str | None,
    values: Values,
    timeout: float,
    as_markdown: bool,
) -> None:
    """Run a bare script that uses torch.compile, and say what a triager would: whether it compiles, its graph breaks
    and recompilations, whether compiled calls return what the same calls return in eager mode, which part of the
    compiler makes the difference, and, with several versions of torch, which one changed it and what it does
    differently.

    The script is run as it is, on this machine or on a virtual GPU, several times if it goes wrong: nothing in it needs
    to know of this package. Exits with 0 if nothing is wrong, with 1 if something is.
    """
    from pytest_compile_golden.features.triage import (
        issue_text,
        script_runs,
        triage_page,
    )

    if gpu is not None:
        from pytest_compile_golden.features.virtual_gpu.gpu import card_of

        card_of(gpu)  # raises for a name that is none
    pythons = record_sides.interpreters(torches, pip, python, say)
    found = [
        script_runs.triage(label, its_python, script, timeout, say, gpu, values)
        for label, its_python in pythons.items()
    ]
    if as_markdown:
        click.echo(issue_text.text(script, found, _cause(found)), nl=False)
    else:
        show(console(), triage_page.page(script, found, _cause(found)))
    sys.exit(1 if any(one.ran.bad for one in found) else 0)


def _cause(found: list[Triage]) -> list[str]:
    """What torch logged differently in the version that goes wrong, most important first."""
    from pytest_compile_golden.features.triage.triage_page import changed
    from pytest_compile_golden.report import compare_recordings
    from pytest_compile_golden.report.terminal_report import describe

    pair = changed(found)
    if pair is None or pair[0].trace is None or pair[1].trace is None:
        return []
    report = compare_recordings.report(
        pair[0].trace, pair[1].trace, pair[0].label, pair[1].label
    )
    return [f"{group.stage}: {describe(group)}" for group in report.groups]
