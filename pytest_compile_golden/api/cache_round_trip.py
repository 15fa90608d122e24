"""A round trip through torch's caches: compile, save, load in a new process, compile again, and count the hits."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.errors import CaptureFailed, InvalidOption

_SHAPE = (
    "a module-level function without arguments that returns what to compile: `fn`, `(fn, inputs)` or "
    "`(fn, inputs, options)`, where inputs is a tuple and options are those of torch.compile and `train`, `config`, "
    "`kwargs`"
)
_LAST_LINES = 15


@dataclass(frozen=True)
class CacheUse:
    """Cache lookups in one process, by cache: `aot` (AOTAutograd's) and `fx` (the FX graph cache)."""

    hits: Mapping[str, int]
    misses: Mapping[str, int]
    bypasses: Mapping[str, int]
    """Graphs that the cache cannot store; the stage `cache_key` says why."""
    differs: str = ""
    """How what the compiled program returned differs from eager; empty if it does not, or is drawn at random."""

    @property
    def hit(self) -> bool:
        """Whether everything came from the caches."""
        return bool(self.hits.get("aot")) and not self.misses and not self.bypasses


@dataclass(frozen=True)
class RoundTrip:
    """A program compiled in one process, whose saved caches were used in others."""

    saved: Mapping[str, int]
    """Number of artifacts by torch's name for their kind: `inductor`, `aot_autograd` ..."""
    first: CacheUse
    """In the process that started with empty caches."""
    then: tuple[CacheUse, ...]
    """For each further program, in a new process that loaded what the first had saved and nothing else."""


def cache_round_trip(
    program: Callable[[], Any],
    then: Sequence[Callable[[], Any]] | None = None,
    *,
    timeout: float = 600,
) -> RoundTrip:
    """Compile a program with torch's caches on, save them, load them in a new process, and compile there.

    program: a module-level function that takes no argument and returns `fn`, `(fn, inputs)` or `(fn, inputs, options)`,
        with the options `train`, `dynamic`, `fullgraph`, `mode`, `config` and `kwargs` of `capture`. Its file is
        imported in each of the processes. With `train`, a backward pass is run as well.
    then: the programs to compile with the saved caches, each in its own process; by default `program` again.
    timeout: seconds for all processes together.

    Programs are compiled and run for real, on the devices that they put their tensors on: a virtual target keeps
    nothing that could be loaded. Each process has its own cache folders, and none of this process's state. Uses
    `torch.compiler.save_cache_artifacts` and `load_cache_artifacts` (torch/compiler/_cache.py).

    Raises InvalidOption for anything other than such a function, and CaptureFailed if a process fails.
    """
    programs = [
        _location(function)
        for function in (program, *((program,) if then is None else then))
    ]
    with tempfile.TemporaryDirectory(prefix="compile-golden-") as folder:
        answer = Path(folder, "answer.json")
        request = msgspec.json.encode(
            {"programs": programs, "folder": folder, "answer": str(answer)}
        ).decode()
        command = [
            sys.executable,
            "-m",
            "pytest_compile_golden.observe.compile_with_caches",
            request,
        ]
        # Everything that can be imported here can be imported there.
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        }
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                env=environment,
                timeout=timeout,
            )
        except subprocess.TimeoutExpired:
            raise CaptureFailed(
                f"the round trip of {programs[0][1]} took more than {timeout:g} seconds."
            ) from None
        if not answer.is_file():
            output = "\n".join(split_lines(done.stderr.strip())[-_LAST_LINES:])
            raise CaptureFailed(
                f"the round trip of {programs[0][1]} failed with exit status {done.returncode}:\n{output}"
            )
        uses = msgspec.json.decode(answer.read_bytes())
    first, *others = msgspec.convert(uses, list[CacheUse])
    return RoundTrip(uses[0]["saved"], first, tuple(others))


def _location(program: Callable[[], Any]) -> tuple[str, str]:
    """The file and the name by which a new process finds a program."""
    try:
        file = inspect.getsourcefile(program)
    except TypeError:
        file = None
    name = getattr(program, "__qualname__", "")
    if file is None or not name.isidentifier():
        shown = name or program
        raise InvalidOption(
            f"a program for another process must be {_SHAPE}; {shown!r} cannot be found there."
        )
    return str(Path(file).resolve()), name
