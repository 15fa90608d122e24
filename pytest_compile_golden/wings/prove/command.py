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
    help="The torch before: a version, an interpreter, the folder that holds the torch package (for a package of the "
    "project: another checkout of it), or a wheel.",
)
@click.option(
    "--texts",
    metavar="SIDE",
    help="What OLD compiled: a recording, or goldens for a version (default: the project's goldens for OLD's version).",
)
@click.option(
    "--package",
    default="torch",
    show_default=True,
    help="The package whose definitions are undone: torch, one that is installed, or one of the project.",
)
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
    from pytest_compile_golden.report import comparing, proofs
    from pytest_compile_golden.wings.prove import changes, older

    label = Interpreter("new", Path(sys.executable))
    with running.SideProgress() as watcher:

        def python_of(torch: str) -> Path:
            side = running.parse_sides([torch])[0]
            assert isinstance(side, (Interpreter, Release))
            return run.side_recorder([], runs=1).python(side, watcher)

        def say(text: str) -> None:
            watcher.say(label, text)

        with older.sources(old, package, python_of) as before:
            goal = _recorded(_texts(texts, before), cases, run)
            versions = before, older.installed(package, find_project().root)
            request = run.side_recorder([], runs=1).request
            if len(goal.cases) == 1:
                found = [*changes.of_cases(goal, versions, label.python, request, say)]
            else:
                now = _recorded(str(label.python), cases, run)
                report = comparing.report(goal, now, "old", "new", brief=True)
                report = changes.proved(report, (goal, now), versions, label.python, request, say)
                found = [group.proof for group in report.groups if group.proof is not None]
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found)).decode())
    else:
        to = console()
        for proof in found:
            show(to, proofs.lines(proof))
        show(to, [proofs.summary(found)])
    sys.exit(0 if all(proof.proved for proof in found) else 1)


def _texts(texts: str | None, before: Sources) -> str:
    """What names the older version's results."""
    torch = Installation(before.folder).version
    if texts is None and torch is None:
        raise click.UsageError("--old does not say which version it is: name what it compiled with --texts.")
    return texts or f"{find_project().goldens}@{torch}"


def _recorded(side: str, cases: tuple[str, ...], run: running.RunOptions) -> Recording:
    (result,) = running.record_all(run, cases, running.parse_sides([side]), None)
    if not isinstance(result, Recording):
        raise result
    return result
