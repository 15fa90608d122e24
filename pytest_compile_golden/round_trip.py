"""What torch's caches are worth: compile, save, load in a new process, compile again, and count what was found."""

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

from pytest_compile_golden.errors import CaptureFailed, InvalidOption
from pytest_compile_golden.lines import split_lines

_SHAPE = (
    "a function of a module, without arguments, that returns what to compile: `fn`, `(fn, inputs)` or "
    "`(fn, inputs, options)`, where inputs is a tuple and options are those of torch.compile and `train`, `config`, "
    "`kwargs`"
)
_LAST_LINES = 15


@dataclass(frozen=True)
class CacheUse:
    """What the caches answered in one process, by cache: `aot` (AOTAutograd's) and `fx` (the FX graph cache)."""

    hits: Mapping[str, int]
    misses: Mapping[str, int]
    bypasses: Mapping[str, int]
    """Graphs that the cache cannot keep; the stage `cache_key` says why."""

    @property
    def hit(self) -> bool:
        """Whether everything was answered from the caches."""
        return bool(self.hits.get("aot")) and not self.misses and not self.bypasses


@dataclass(frozen=True)
class RoundTrip:
    """A program compiled in one process, and what was saved of it used in others."""

    saved: Mapping[str, int]
    """Artifacts by torch's name for their kind: `inductor`, `aot_autograd` ..."""
    first: CacheUse
    """In the process that started with empty caches."""
    then: tuple[CacheUse, ...]
    """In one new process for each further program, which loaded what the first had saved and nothing else."""


def cache_round_trip(
    program: Callable[[], Any], then: Sequence[Callable[[], Any]] | None = None, *, timeout: float = 600
) -> RoundTrip:
    """Compile a program with torch's caches on, save them, load them in a new process, and compile there.

    program: a function of a module that takes no argument and returns `fn`, `(fn, inputs)` or `(fn, inputs, options)`,
        with the options `train`, `dynamic`, `fullgraph`, `mode`, `config` and `kwargs` of `capture`. Its file is
        imported in each of the processes. With `train` a backward pass is run.
    then: the programs to compile with what was saved, each in a process of its own; by default the same again.
    timeout: seconds for all of them.

    Compiled and run for real, on the devices that the program puts its tensors on: a virtual target keeps nothing that
    could be loaded. Each process has folders of its own for its caches, and none of this process's state.
    By `torch.compiler.save_cache_artifacts` and `load_cache_artifacts` (torch/compiler/_cache.py).

    Raises InvalidOption for what is no such function, and CaptureFailed where a process fails.
    """
    programs = [_place(function) for function in (program, *((program,) if then is None else then))]
    with tempfile.TemporaryDirectory(prefix="compile-golden-") as folder:
        answer = Path(folder, "answer.json")
        request = msgspec.json.encode({"programs": programs, "folder": folder, "answer": str(answer)}).decode()
        command = [sys.executable, "-m", "pytest_compile_golden.observe.saved_caches", request]
        # What is importable here is there.
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        try:
            done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=timeout)
        except subprocess.TimeoutExpired:
            raise CaptureFailed(f"the round trip of {programs[0][1]} took more than {timeout:g} seconds.") from None
        if not answer.is_file():
            output = "\n".join(split_lines(done.stderr.strip())[-_LAST_LINES:])
            raise CaptureFailed(
                f"the round trip of {programs[0][1]} failed with exit status {done.returncode}:\n{output}"
            )
        told = msgspec.json.decode(answer.read_bytes())
    first, *others = msgspec.convert(told, list[CacheUse])
    return RoundTrip(told[0]["saved"], first, tuple(others))


def _place(program: Callable[[], Any]) -> tuple[str, str]:
    """The file and the name by which a new process finds a program."""
    try:
        file = inspect.getsourcefile(program)
    except TypeError:
        file = None
    name = getattr(program, "__qualname__", "")
    if file is None or not name.isidentifier():
        raise InvalidOption(f"a program for another process is {_SHAPE}; {name or program!r} cannot be found there.")
    return str(Path(file).resolve()), name
