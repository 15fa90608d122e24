"""Programs that one torch wrote, exported or compiled ahead of time, loaded and run by others."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Literal, get_args

from pytest_compile_golden.lines import split_lines

Kind = Literal["exported", "packaged"]
_LAST_LINES = 15
# As `python FILE`, which would have modules imported from the file's folder too.
_RUN = "import runpy, sys; runpy.run_path(sys.argv.pop(1), run_name='__main__')"


@dataclass(frozen=True)
class Load:
    """What one side wrote and another one loaded, and ran."""

    kind: Kind
    """By torch.export.save, or compiled ahead of time by AOTInductor."""
    writer: str
    reader: str
    problem: str = ""
    """Empty where it computed what the writer's eager run did."""


def loads(
    program: tuple[Path, str],
    pythons: Sequence[tuple[str, Path]],
    folder: Path,
    timeout: float,
    say: Callable[[str], None],
) -> Iterator[Load]:
    """Have each of `pythons`, by label, write the program, and itself and all behind it load that.

    program: a file and a function in it that returns `fn`, `(fn, inputs)` or `(fn, inputs, options)`.
    timeout: seconds for each process.
    """
    file, name = program
    kinds: tuple[Kind, ...] = get_args(Kind)
    for number, (writer, python) in enumerate(pythons):
        into = folder / str(number)
        into.mkdir()
        say(f"{writer}: exporting and compiling {name}")
        told, end = _asked(python, folder, timeout, "write", str(into), str(file.resolve()), name)
        problems = {kind: told.get(kind, end) for kind in kinds}
        yield from (Load(kind, writer, writer, f"not written: {why}") for kind, why in problems.items() if why)
        written = [kind for kind in kinds if not problems[kind]]
        for reader, other in pythons[number:] if written else ():
            say(f"{reader}: loading what {writer} wrote")
            for kind, problem in _read(other, folder, timeout, into, written):
                yield Load(kind, writer, reader, problem)


def _read(
    python: Path, folder: Path, timeout: float, written: Path, kinds: Sequence[Kind]
) -> Iterator[tuple[Kind, str]]:
    """What is wrong with each kind where `python` loads it, all in one process, or as many as die of one."""
    left = [*kinds]
    while left:
        told, end = _asked(python, folder, timeout, "read", str(written), *left)
        while left:
            kind = left.pop(0)
            yield kind, told.get(kind, end)
            if kind not in told:
                break


def _asked(python: Path, folder: Path, timeout: float, *request: str) -> tuple[dict[str, str], str]:
    """What a process of `python` answers of each kind, as far as it came, and what became of it."""
    answer = folder / "answer.json"
    answer.unlink(missing_ok=True)
    with resources.as_file(resources.files("pytest_compile_golden.observe") / "packages.py") as script:
        command = [os.fspath(python), "-W", "ignore", "-c", _RUN, os.fspath(script), os.fspath(answer), *request]
        end = _end(command, timeout)
    return json.loads(answer.read_text(encoding="utf-8")) if answer.is_file() else {}, end


def _end(command: Sequence[str], timeout: float) -> str:
    """How a process that was to answer has ended."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return f"took more than {timeout:g} seconds"
    except OSError as error:
        return f"{command[0]} cannot be run: {error.strerror or error}"
    if done.returncode < 0:
        return f"the process died of {signal.Signals(-done.returncode).name}"
    return "\n".join(split_lines(done.stderr.strip())[-_LAST_LINES:])
