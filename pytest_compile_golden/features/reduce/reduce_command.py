"""`compile-golden reduce WHAT`: the smallest program that still shows it; and `case SCRIPT`, which makes it a case."""

from __future__ import annotations

import ast
import math
import os
import re
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import NoReturn

import click

from pytest_compile_golden.cli import record_sides, shared_options, shell_completion
from pytest_compile_golden.cli.console import console, say, show
from pytest_compile_golden.common import files
from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.features.reduce import reduce_every_change, reproducer
from pytest_compile_golden.features.reduce.interestingness import KINDS, Keep
from pytest_compile_golden.features.reduce.reduction import Reduction, extracted
from pytest_compile_golden.features.reduce.torch_process import TorchProcess
from pytest_compile_golden.report import json_report, reporters, small_programs
from pytest_compile_golden.report.styled_lines import printable


@click.command(short_help="Make a program smaller while it still shows a difference.")
@click.argument(
    "what", metavar="[WHAT]", required=False, shell_complete=shell_completion.programs
)
@click.option(
    "--keep",
    default="change",
    show_default=True,
    metavar="KIND",
    help=f"What the program must still show: {KINDS}. TEXT is part of a change's code, stage or description.",
)
@click.option(
    "--torch",
    "torches",
    multiple=True,
    metavar="SIDE",
    help="A torch version, or an interpreter that has one; the oldest first. The first and the last are compared; in "
    "those between, only the script is run in the end. For `failure` and `wrong`, one is enough (default: the torch "
    "that is installed here).",
)
@click.option(
    "--in",
    "report",
    metavar="REPORT",
    type=shared_options.EXISTING_FILE,
    help="Instead of WHAT: the first distinct changes of a report that was written as JSON. The programs are written "
    "into it, and changes that one of them does not share are told apart.",
)
@click.option(
    "--most",
    type=int,
    default=3,
    show_default=True,
    metavar="N",
    help="How many changes of REPORT.",
)
@shared_options.target
@click.option(
    "--into",
    type=shared_options.FOLDER,
    default=Path("reduced"),
    show_default=True,
    help="Where to write files.",
)
@click.option("--name", metavar="NAME", help="What to call them (default: after WHAT).")
@click.option(
    "--within",
    type=float,
    default=math.inf,
    metavar="SECONDS",
    help="End the search after SECONDS.",
)
@click.option(
    "--check/--no-check",
    default=True,
    help="Run the script by itself in each version in the end.  [default: check]",
)
@click.option(
    "--timeout",
    type=int,
    default=60,
    show_default=True,
    help="Seconds allowed for one compile.",
)
@shared_options.processes(help="Programs compiled at once.  [default: one per core]")
@shared_options.environment
def reduce(
    what: str | None,
    keep: str,
    torches: tuple[str, ...],
    report: Path | None,
    most: int,
    target: str | None,
    into: Path,
    name: str | None,
    within: float,
    check: bool,
    timeout: int,
    processes: int | None,
    pip: str,
    python: Path | None,
) -> None:
    """Compile smaller and smaller programs made of WHAT, as long as they still show what --keep names.

    WHAT is a case, FILE::FUNCTION, a script that calls torch.compile, or SOURCE::PROGRAM, a program of a corpus that
    `crater` reads. Written are a script that prints the difference and needs nothing but torch, the same as a case,
    and the text of an issue. A search that was ended goes on from there if the command is repeated.

    Exits with 0 if the search came to its end, and with 1 if its time was over first.
    """
    pythons = record_sides.interpreters(torches, pip, python, say)
    kept = Keep.parsed(keep)
    if len(pythons) < kept.sides:
        raise click.UsageError(
            f"--keep {keep} compares two versions: give --torch twice, the older first."
        )
    if (what is None) == (report is None):
        raise click.UsageError("Name WHAT, or a report with --in.")
    until = time.monotonic() + within
    if report is not None:
        _reduce_report(report, list(pythons.items()), most, until)
    assert what is not None
    with ExitStack() as stack:
        labels = list(pythons)
        sides = [
            stack.enter_context(TorchProcess(label, pythons[label]))
            for label in dict.fromkeys((labels[0], labels[-1]))
        ]
        others = tuple(pythons[label] for label in labels[1:-1])
        at_once = processes or os.cpu_count() or 1
        found = Reduction(
            sides, what, kept, target, until, timeout, at_once, others, check
        ).run()
    written = found.write(into, name or _name(what))
    show(
        console(),
        [*found.lines, *(("", printable(f"wrote {path}")) for path in written)],
    )
    sys.exit(0 if found.finished else 1)


def _reduce_report(
    path: Path, pythons: list[tuple[str, Path]], most: int, until: float
) -> NoReturn:
    """Write the smallest programs of a report's first changes into it; exits as the command does."""
    found = reduce_every_change.added(
        json_report.read(path),
        dict((pythons[0], pythons[-1])),
        lambda nodeid: nodeid,
        most,
        until,
    )
    reporters.write(found, path)
    show(console(), list(small_programs.render(found)))
    sys.exit(0 if time.monotonic() < until else 1)


@click.command(short_help="Write a script that calls torch.compile as a case.")
@click.argument("script", type=shared_options.EXISTING_FILE)
@shared_options.target
@click.option(
    "--into",
    type=shared_options.FILE,
    help="The test file (default: test_NAME.py beside the script).",
)
@click.option(
    "--name",
    metavar="NAME",
    help="The test's name, without test_ (default: the script's).",
)
def case(script: Path, target: str | None, into: Path | None, name: str | None) -> None:
    """Write the program that SCRIPT compiles as a case of the suite: its function, its inputs and its options.

    Of a script that `reduce` wrote, the target and the invariant are those that it was reduced with.
    """
    text = script.read_text(encoding="utf-8")
    noted = dict(re.findall(r"^# (target|invariant): (.*)$", text, re.M))
    target = target or noted.get("target")
    with TorchProcess("this torch", Path(sys.executable)) as side:
        first = extracted(side, str(script), target)[0]
    # As it was written, if that is possible.
    program = next(iter(first.programs[::-1]), None)
    if program is None:
        raise CompileGoldenError(
            f"{script} cannot be written as a case: {'; '.join(first.refused)}."
        )
    name = name or re.sub(r"\W", "_", script.stem).removeprefix("test_")
    about = (
        ast.get_docstring(ast.parse(text)) or f"What {script.name} compiles."
    ).split("\n")[0]
    written = reproducer.case(
        program, first.target, name, about, noted.get("invariant", "")
    )
    path = into or script.with_name(f"test_{name}.py")
    if path.exists():
        # One more case at its end, with the imports that the file lacks at its head.
        before = path.read_text(encoding="utf-8")
        if re.search(rf"^def test_{name}\(", before, re.M):
            raise CompileGoldenError(
                f"{path} has a test_{name} already. Give another --name, or another file."
            )
        imports, separator, test = written.partition("\n\n\n")
        missing = [
            line for line in imports.split("\n") if line not in before.split("\n")
        ]
        head = "".join(f"{line}\n" for line in missing)
        written = f"{head}{before.rstrip()}\n{separator}{test}"
    files.write(path, written, "test file")
    show(
        console(),
        [
            (
                "",
                printable(
                    f"wrote test_{name} to {path}; record its goldens: pytest --compile-golden {path} --snapshot-update"
                ),
            )
        ],
    )


def _name(what: str) -> str:
    return (
        re.sub(
            r"\W+", "_", what.rpartition("::")[2].partition("[")[0] or Path(what).stem
        )
        .strip("_")
        .removeprefix("test_")
    )
