"""Programs that one torch wrote (exported, or compiled ahead of time), loaded and run by others."""

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
# Like `python FILE`, which would also import modules from the file's folder.
_RUN = "import runpy, sys; runpy.run_path(sys.argv.pop(1), run_name='__main__')"


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
        answers, end = _asked(python, folder, timeout, "write", str(into), str(file.resolve()), name)
        problems = {kind: answers.get(kind, end) for kind in kinds}
        yield from (Load(kind, writer, writer, f"not written: {why}") for kind, why in problems.items() if why)
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


def _asked(python: Path, folder: Path, timeout: float, *request: str) -> tuple[dict[str, str], str]:
    """What a process of `python` answers for each kind that it got to, and how the process ended."""
    answer = folder / "answer.json"
    answer.unlink(missing_ok=True)
    with resources.as_file(resources.files("pytest_compile_golden.wings.packages") / "process.py") as script:
        command = [os.fspath(python), "-W", "ignore", "-c", _RUN, os.fspath(script), os.fspath(answer), *request]
        end = _end(command, timeout)
    return json.loads(answer.read_text(encoding="utf-8")) if answer.is_file() else {}, end


def _end(command: Sequence[str], timeout: float) -> str:
    """Run a process that should answer, and say how it ended."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return f"took more than {timeout:g} seconds"
    except OSError as error:
        return f"{command[0]} cannot be run: {error.strerror or error}"
    if done.returncode < 0:
        return f"the process was killed by {signal.Signals(-done.returncode).name}"
    return "\n".join(split_lines(done.stderr.strip())[-_LAST_LINES:])
