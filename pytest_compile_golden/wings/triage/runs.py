"""Runs the script in an environment, and again in ways that tell whose fault a problem is."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.recordings import torch_trace
from pytest_compile_golden.recordings.recording import Recording
from pytest_compile_golden.wings.triage import driver

Part = Literal["program", "dynamo", "aot_autograd", "decompositions", "inductor"]
"""What a problem comes from: it is there with everything after this left out, and gone without it."""
_GRACE_S = 10.0
"""For a script that is stuck where Python's signals do not reach."""


class Check(msgspec.Struct, frozen=True):
    """One call of something compiled, against the same call in eager mode."""

    function: str
    kind: Literal["same", "wrong", "not compared"]
    detail: str


class Ran(msgspec.Struct, frozen=True):
    """What happened to the script in one process."""

    torch: str
    problem: str | None
    """The exception that ended it: type and message."""
    traceback: str
    checks: tuple[Check, ...]

    @property
    def wrong(self) -> Check | None:
        return next((check for check in self.checks if check.kind == "wrong"), None)

    @property
    def bad(self) -> bool:
        return self.problem is not None or self.wrong is not None


@dataclass(frozen=True)
class Triage:
    """What is known about the script in one environment."""

    label: str
    ran: Ran
    trace: Recording | None
    """Its compiles, as torch logged them; None if nothing was compiled."""
    part: Part | None
    """What makes it go wrong, if it does."""


def triage(label: str, python: Path, script: Path, timeout: float, say: Callable[[str], None]) -> Triage:
    """Run the script with `python`, and if it goes wrong again with less and less of the compiler.

    timeout: seconds for each run; what is known when they are over is returned. Raises CompileGoldenError if it cannot
    be run at all.
    """
    with tempfile.TemporaryDirectory(prefix="compile-golden-triage-") as scratch:
        folder = Path(scratch)
        say(f"{label}: running the script")
        ran = _run(python, script, folder / "whole", timeout)
        trace = torch_trace.read(folder / "whole") if torch_trace.is_trace(folder / "whole") else None
        part = _part(ran, lambda how, options: _run(python, script, folder / how, timeout, **options), say, label)
    return Triage(label, ran, trace, part)


def _part(ran: Ran, again: Callable[[str, dict[str, str]], Ran], say: Callable[[str], None], label: str) -> Part | None:
    if not ran.bad:
        return None
    if ran.problem is not None:
        say(f"{label}: running it without torch.compile")
        if again("plain", {"TORCHDYNAMO_DISABLE": "1"}).problem is not None:
            return "program"

    def bad_with(backend: str) -> bool:
        say(f"{label}: running it with the backend {backend}")
        return again(backend, {"backend": backend}).bad

    if bad_with("aot_eager"):
        return "dynamo" if bad_with("eager") else "aot_autograd"
    return "decompositions" if bad_with("aot_eager_decomp_partition") else "inductor"


def _run(python: Path, script: Path, folder: Path, timeout: float, **options: str) -> Ran:
    folder.mkdir()
    backend = options.pop("backend", "")
    environment = {**os.environ, "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1", **options, "TORCH_TRACE": str(folder)}
    # The script's torch must be that of its environment.
    environment.pop("PYTHONPATH", None)
    result = folder / "result.json"
    command: Sequence[str | Path] = (python, driver.__file__, script.resolve(), result, str(timeout), backend)
    with Path(folder, "output").open("w+b") as output:
        try:
            process = subprocess.Popen(
                command,
                cwd=script.resolve().parent,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        except OSError as error:
            raise CompileGoldenError(f"{python} cannot be run: {error}. Name an interpreter that has torch.") from None
        problem = None
        try:
            if process.wait(timeout + _GRACE_S):
                problem = f"the process ended with status {process.returncode}"
        except subprocess.TimeoutExpired:
            problem = f"it takes more than {timeout:.0f} s and is stuck; give it more with --timeout"
        finally:
            # With the compilers that it started.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        output.seek(0)
        last = split_lines(output.read().decode("utf-8", "replace").strip())[-8:]
    ran = msgspec.json.decode(result.read_bytes(), type=Ran) if result.is_file() else Ran("", problem, "", ())
    return ran if problem is None else msgspec.structs.replace(ran, problem=problem, traceback="\n".join(last))
