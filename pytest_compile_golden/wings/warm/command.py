"""`compile-golden warm ARGUMENTS`: pytest, without the seconds that importing torch takes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import click

from pytest_compile_golden.cli import completing
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.vocabulary import DEFAULT_TARGETS, PYTEST_FILES, SWITCH

IDLE_S = 900.0
_LOOK_S = 0.2
_INTERRUPTED = 2
"""pytest's exit status for it."""


@click.command(
    short_help="Run pytest in a fork of a process that is warm.", context_settings={"ignore_unknown_options": True}
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--for",
    "targets",
    multiple=True,
    metavar="T",
    default=DEFAULT_TARGETS,
    show_default=True,
    shell_complete=completing.targets,
    help="A target to set torch up for in advance; repeatable. Others work, and take a second more.",
)
@click.option(
    "--idle", "idle_s", type=float, default=IDLE_S, show_default=True, help="Seconds until it ends by itself."
)
@click.option("--watch", is_flag=True, help="Run again at each save of a Python file, with what the edit affects.")
@click.option("--stop", is_flag=True, help="End all warm processes instead.")
def warm(arguments: tuple[str, ...], targets: tuple[str, ...], idle_s: float, watch: bool, stop: bool) -> None:
    """Run `pytest --compile-golden ARGUMENTS` in a fork of a process that has imported torch and set it up, and that
    stays for the next run.

    That process imports none of your files: a run sees them as they are. It serves one environment. With another torch,
    other packages, an edit in one of these, or another variable that torch or Python reads, a new process is started,
    and the old one ends when it has been idle. Exits as pytest does.
    """
    from pytest_compile_golden.wings.warm import client

    if stop:
        count = client.stop()
        click.echo(f"ended {count} warm process{'' if count == 1 else 'es'}")
        return
    sys.exit(run(arguments, targets, idle_s, watch))


def run(
    arguments: Sequence[str], targets: Sequence[str] = DEFAULT_TARGETS, idle_s: float = IDLE_S, watch: bool = False
) -> int:
    """pytest's exit status; with `watch`, of the last run, which Ctrl-C may have ended."""
    root = find_project().root
    status = _INTERRUPTED
    with suppress(KeyboardInterrupt):
        # What is saved while a run is under way is seen as it ends.
        seen = _saved(root) if watch else {}
        status = _run(targets, [SWITCH, *arguments], idle_s)
        while watch:
            if (now := _saved(root)) == seen:
                time.sleep(_LOOK_S)
            else:
                seen, status = now, _INTERRUPTED
                status = _run(targets, [SWITCH, f"{SWITCH}-changed", *arguments], idle_s)
    return status


def _run(targets: Sequence[str], arguments: list[str], idle_s: float) -> int:
    from pytest_compile_golden.wings.warm import client

    return client.run(client.socket_path(targets), targets, arguments, idle_s, lambda text: click.echo(text, err=True))


def _saved(root: Path) -> dict[Path, int]:
    """When each of the project's files that decide what its cases do was last written, in nanoseconds."""
    saved = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith((".", "__")) and name != "node_modules"]
        for path in (Path(folder, name) for name in names if name.endswith(".py") or name in PYTEST_FILES):
            with suppress(FileNotFoundError):  # an editor replaces files
                saved[path] = path.stat().st_mtime_ns
    return saved
