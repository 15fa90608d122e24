"""`compile-golden prove CASE`: the function of torch that changed a case, proved by undoing it."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import msgspec

from pytest_compile_golden.cli import completing, running
from pytest_compile_golden.cli.console import console, show
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.environments.sides import Interpreter, Release
from pytest_compile_golden.recordings.recording import Recording
from pytest_compile_golden.torch_source.installation import Installation
from pytest_compile_golden.wings.prove.definitions import Sources


@click.command(short_help="Prove which function of torch changed a case.")
@click.argument("cases", nargs=-1, required=True, shell_complete=completing.cases)
@click.option(
    "--old",
    required=True,
    metavar="OLD",
    help="The torch before: a version that is installed in an environment, an interpreter, the folder that holds the "
    "torch package, or a wheel.",
)
@click.option(
    "--texts",
    metavar="SIDE",
    help="What OLD compiled: a recording, or goldens for a version (default: the project's goldens for OLD's version).",
)
@click.option("--package", default="torch", show_default=True, help="The package whose definitions are undone.")
@running.run_options
@click.option("--json", "as_json", is_flag=True, help="Print the proofs as JSON.")
def prove(
    cases: tuple[str, ...], old: str, texts: str | None, package: str, run: running.RunOptions, as_json: bool
) -> None:
    """Compile CASES with the installed torch, with functions, constants and settings of an older one in it, until what
    changed is as it was: that function made the change.

    One case of each distinct change is proved; the result is checked in two more of its cases. OLD needs no environment
    of its own, only its sources.

    Exits with 0 if every distinct change is proved, with 1 if one is not, and with 2 if the command itself is wrong.
    """
    from pytest_compile_golden.wings.prove import older, words
    from pytest_compile_golden.wings.prove.changes import proved

    label = Interpreter("new", Path(sys.executable))
    with running.SideProgress() as watcher:

        def python_of(torch: str) -> Path:
            side = running.parse_sides([torch])[0]
            assert isinstance(side, (Interpreter, Release))
            return run.side_recorder([], runs=1).python(side, watcher)

        with older.sources(old, package, python_of) as before:
            goal, now = _recordings(texts, before, cases, run, label)
            versions = before, Sources(older.site_packages(Path(sys.executable)))
            request = run.side_recorder([], runs=1).request
            proofs = [*proved(goal, now, versions, request, lambda text: watcher.say(label, text))]
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(proofs)).decode())
    else:
        to = console()
        for proof in proofs:
            show(to, words.lines(proof))
        show(to, [words.summary(proofs)])
    sys.exit(0 if all(proof.proved for proof in proofs) else 1)


def _recordings(
    texts: str | None, before: Sources, cases: tuple[str, ...], run: running.RunOptions, new: Interpreter
) -> tuple[Recording, Recording | None]:
    """What the older version compiled, and the newer one; None for the latter if there is only one case."""
    if texts is None:
        torch = Installation(before.folder).version
        if torch is None:
            raise click.UsageError("--old does not say which version it is: name what it compiled with --texts.")
        texts = f"{find_project().goldens}@{torch}"
    (side,) = running.parse_sides([texts])
    (goal,) = running.record_all(run, cases, [side], None)
    if not isinstance(goal, Recording):
        raise goal
    if len(goal.cases) < 2:
        return goal, None
    (now,) = running.record_all(run, cases, [new], None)
    if not isinstance(now, Recording):
        raise now
    return goal, now
