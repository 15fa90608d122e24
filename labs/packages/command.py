"""`compile-golden packages`: programs that one torch version exported or compiled ahead of time, loaded by others."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import click
from rich.text import Text

from pytest_compile_golden.cli import record_sides, shared_options, shell_completion
from pytest_compile_golden.cli.compile_program import parsed
from pytest_compile_golden.cli.console import console, say, show
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.report.styled_lines import grid, printable

_CALLED = {"exported": "exported program", "packaged": "AOTInductor package"}
Kind = Literal["exported", "packaged"]
_LAST_LINES = 15
_SCRIPT = Path(__file__).with_name("process.py")
# Like `python FILE`, which would also import modules from the file's folder.
_RUN = "import runpy, sys; runpy.run_path(sys.argv.pop(1), run_name='__main__')"


@click.command(short_help="Check that one torch version loads what another exported.")
@click.argument(
    "program", metavar="FILE::FUNCTION", shell_complete=shell_completion.programs
)
@click.argument("sides", metavar="OLD NEW...", nargs=-1, required=True)
@shared_options.environment
@click.option(
    "--timeout",
    type=float,
    default=600.0,
    show_default=True,
    help="Seconds allowed for one process.",
)
def packages(
    program: str, sides: tuple[str, ...], pip: str, python: Path | None, timeout: float
) -> None:
    """Have each side export FUNCTION's program and compile it ahead of time; that side and all later ones load both.

    A side is a torch version or an interpreter that has one. Programs are actually built and run, on the devices that
    their tensors are on. Exits with 1 if one does not load, or computes something other than eager did.
    """
    file, function = parsed(program)
    if function is None:
        raise click.UsageError(
            f"{program} is a test; name a function that returns what to compile."
        )
    pythons = [
        (side, record_sides.interpreter(side, pip, python, say)) for side in sides
    ]
    with tempfile.TemporaryDirectory(prefix="compile-golden-") as folder:
        loaded = [*loads((file, function), pythons, Path(folder), timeout, say)]
    _show(loaded, sides)
    if any(load.problem for load in loaded):
        raise SystemExit(1)


def _show(loaded: Sequence[Load], sides: Sequence[str]) -> None:
    table = grid("", "written by", *(f"in {printable(side)}" for side in sides))
    load_of = {(load.kind, load.writer, load.reader): load for load in loaded}
    for kind in get_args(Kind):
        for writer in sides:
            cells = [_cell(load_of.get((kind, writer, reader))) for reader in sides]
            table.add_row(_CALLED[kind], printable(writer), *cells)
    to = console()
    to.print(table)
    for load in loaded:
        if load.problem:
            where = f"{_CALLED[load.kind]} of {load.writer} in {load.reader}"
            show(to, [("bad", f"{printable(where)}: {printable(load.problem)}")])


def _cell(load: Load | None) -> Text:
    if load is None:
        return Text("")
    return (
        Text("wrong", style="red")
        if load.problem
        else Text("same values", style="green")
    )


@dataclass(frozen=True)
class Load:
    """A program that one side wrote and another loaded and ran."""

    kind: Kind
    """Written by torch.export.save, or compiled ahead of time by AOTInductor."""
    writer: str
    reader: str
    problem: str = ""
    """Empty if it computed what the writer's eager run did."""


def loads(
    program: tuple[Path, str],
    pythons: Sequence[tuple[str, Path]],
    folder: Path,
    timeout: float,
    say: Callable[[str], None],
) -> Iterator[Load]:
    """Have each of `pythons`, by label, write the program, and have it and all later ones load that.

    program: a file and a function in it that returns `fn`, `(fn, inputs)` or `(fn, inputs, options)`.
    timeout: seconds allowed for each process.
    """
    file, name = program
    kinds: tuple[Kind, ...] = get_args(Kind)
    for number, (writer, python) in enumerate(pythons):
        into = folder / str(number)
        into.mkdir()
        say(f"{writer}: exporting and compiling {name}")
        answers, end = _asked(
            python, folder, timeout, "write", str(into), str(file.resolve()), name
        )
        problems = {kind: answers.get(kind, end) for kind in kinds}
        yield from (
            Load(kind, writer, writer, f"not written: {why}")
            for kind, why in problems.items()
            if why
        )
        written = [kind for kind in kinds if not problems[kind]]
        for reader, other in pythons[number:] if written else ():
            say(f"{reader}: loading what {writer} wrote")
            for kind, problem in _read(other, folder, timeout, into, written):
                yield Load(kind, writer, reader, problem)


def _read(
    python: Path, folder: Path, timeout: float, written: Path, kinds: Sequence[Kind]
) -> Iterator[tuple[Kind, str]]:
    """What is wrong with each kind when `python` loads it: all in one process, or more if a kind ends its process."""
    left = [*kinds]
    while left:
        answers, end = _asked(python, folder, timeout, "read", str(written), *left)
        while left:
            kind = left.pop(0)
            yield kind, answers.get(kind, end)
            if kind not in answers:
                break


def _asked(
    python: Path, folder: Path, timeout: float, *request: str
) -> tuple[dict[str, str], str]:
    """What a process of `python` answers for each kind that it got to, and how the process ended."""
    answer = folder / "answer.json"
    answer.unlink(missing_ok=True)
    command = [
        os.fspath(python),
        "-W",
        "ignore",
        "-c",
        _RUN,
        os.fspath(_SCRIPT),
        os.fspath(answer),
        *request,
    ]
    end = _end(command, timeout)
    return json.loads(
        answer.read_text(encoding="utf-8")
    ) if answer.is_file() else {}, end


def _end(command: Sequence[str], timeout: float) -> str:
    """Run a process that should answer, and say how it ended."""
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"took more than {timeout:g} seconds"
    except OSError as error:
        return f"{command[0]} cannot be run: {error.strerror or error}"
    if done.returncode < 0:
        return f"the process was killed by {signal.Signals(-done.returncode).name}"
    return "\n".join(split_lines(done.stderr.strip())[-_LAST_LINES:])
