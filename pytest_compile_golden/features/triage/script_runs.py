"""Runs the script in an environment, and again in ways that tell whose fault a problem is."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.common.sessions import end_session
from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.facts.numerics import VERDICTS, Numerics
from pytest_compile_golden.features.triage import judge_script
from pytest_compile_golden.recordings import torch_trace
from pytest_compile_golden.recordings.recording import Recording

Values = Literal["kernels", "graph"]
"""What compiled graphs compute on a virtual GPU: their kernels, or their operators."""
Part = Literal["program", "dynamo", "aot_autograd", "decompositions", "inductor"]
"""What a problem comes from: it is there with everything after this left out, and gone without it."""
_GRACE_S = 10.0
"""For a script that is stuck where Python's signals do not reach."""
_NEEDED: Mapping[Values, tuple[str, ...]] = {
    "graph": ("filelock", "msgspec", "packaging", "platformdirs"),
    "kernels": ("filelock", "msgspec", "packaging", "platformdirs", "numpy"),
}
"""What a virtual GPU imports beside torch, by what compiled graphs compute there."""
PARTS: Mapping[Part, str] = {
    "program": "the program itself: it fails without torch.compile too",
    "dynamo": "Dynamo: it is there with the backend `eager`, which runs what Dynamo captured",
    "aot_autograd": "AOTAutograd: it is there with the backend `aot_eager` and not with `eager`",
    "decompositions": "decompositions or the partitioner: it is there with `aot_eager_decomp_partition` only",
    "inductor": "Inductor: it is gone with every backend that leaves Inductor out",
}


class ScriptRun(msgspec.Struct, frozen=True):
    """What happened to the script in one process."""

    torch: str
    problem: str | None
    """The exception that ended it: type and message."""
    traceback: str
    checks: tuple[Numerics, ...]
    """One for each call of something compiled, against the same call in eager mode."""
    printed: str = ""
    """The last line that it printed."""
    interpreted: tuple[str, ...] = ()
    """On a virtual GPU: what its kernels computed, and what they did not although they were to."""

    @property
    def bad(self) -> bool:
        """Whether it failed, or computed something else than eager."""
        return self.problem is not None or not all(self.checks)

    @property
    def verdicts(self) -> str:
        """In how many calls what was found, the worst first; empty if nothing was called."""
        calls = Counter(check.verdict for check in self.checks)
        return ", ".join(
            f"{verdict} in {quantity(calls[verdict], 'call')}"
            for verdict in (*VERDICTS.values(), "same", "not compared")
            if calls[verdict]
        )


@dataclass(frozen=True)
class Triage:
    """What is known about the script in one environment."""

    label: str
    ran: ScriptRun
    trace: Recording | None
    """Its compiles, as torch logged them; None if nothing was compiled."""
    part: Part | None
    """What makes it go wrong, if it does."""
    gpu: str | None = None
    """The virtual GPU that it ran on, if any."""
    values: Values = "kernels"
    """What compiled graphs computed there."""


def triage(
    label: str,
    python: Path,
    script: Path,
    timeout: float,
    say: Callable[[str], None],
    gpu: str | None = None,
    values: Values = "kernels",
) -> Triage:
    """Run the script with `python`, and if it goes wrong again with less and less of the compiler.

    timeout: seconds for each run; what is known when they are over is returned. gpu: a virtual GPU's name, for a
    process that has one. values: what compiled graphs compute there. Raises CompileGoldenError if it cannot be run at
    all.
    """
    with tempfile.TemporaryDirectory(prefix="compile-golden-triage-") as scratch:
        folder = Path(scratch)
        device = {} if gpu is None else _device(python, gpu, values, folder / "package")
        say(f"{label}: running the script")
        ran = _run(python, script, folder / "whole", timeout, **device)
        trace = (
            torch_trace.read(folder / "whole")
            if torch_trace.is_trace(folder / "whole")
            else None
        )
        part = _part(
            ran,
            lambda how, options: _run(
                python, script, folder / how, timeout, **device, **options
            ),
            say,
            label,
        )
    return Triage(label, ran, trace, part, gpu, values)


def _part(
    ran: ScriptRun,
    again: Callable[[str, dict[str, str]], ScriptRun],
    say: Callable[[str], None],
    label: str,
) -> Part | None:
    if not ran.bad:
        return None
    if ran.problem is not None:
        say(f"{label}: running it without torch.compile")
        if _fails_alike(again("plain", {"TORCHDYNAMO_DISABLE": "1"}), ran):
            return "program"

    def bad_with(backend: str) -> bool:
        """Whether it goes wrong in the same way: where a call has to be refused, an error is what is right."""
        say(f"{label}: running it with the backend {backend}")
        run = again(backend, {"backend": backend})
        return (
            _fails_alike(run, ran) if ran.problem is not None else not all(run.checks)
        )

    if bad_with("aot_eager"):
        return "dynamo" if bad_with("eager") else "aot_autograd"
    return "decompositions" if bad_with("aot_eager_decomp_partition") else "inductor"


def _fails_alike(run: ScriptRun, other: ScriptRun) -> bool:
    """Whether this one fails as the other does: a script that ends with a status of its own has come to its end."""
    assert other.problem is not None
    return run.problem is not None and (
        _ends_itself(other.problem) or not _ends_itself(run.problem)
    )


def _ends_itself(problem: str) -> bool:
    return problem.startswith("SystemExit: ")


def _device(python: Path, gpu: str, values: Values, folder: Path) -> dict[str, str]:
    """Variables of a process of `python` that has this virtual GPU. folder: made, with nothing but this package in it.

    Raises CompileGoldenError if that Python lacks what the device needs beside torch.
    """
    from pytest_compile_golden.features.virtual_gpu.child_processes import variables

    needed = _NEEDED[values]
    missing = subprocess.run(
        [python, "-c", f"import {', '.join(needed)}"], capture_output=True, check=False
    )
    if missing.returncode:
        raise CompileGoldenError(
            f"{python} has not all of {', '.join(needed)}, which a virtual GPU needs. Install them there: "
            f"{python} -m pip install {' '.join(needed)}"
        )
    folder.mkdir()
    package = Path(__file__).parents[2]
    (folder / package.name).symlink_to(package, target_is_directory=True)
    return variables(gpu, 1, values, folder)


def _run(
    python: Path, script: Path, folder: Path, timeout: float, **options: str
) -> ScriptRun:
    folder.mkdir()
    backend = options.pop("backend", "")
    # The script's torch must be that of its environment.
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment = {
        **own,
        "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1",
        **options,
        "TORCH_TRACE": str(folder),
    }
    result = folder / "result.json"
    command: Sequence[str | Path] = (
        python,
        judge_script.__file__,
        script.resolve(),
        result,
        str(timeout),
        backend,
    )
    with (
        Path(folder, "printed").open("w+b") as printed,
        Path(folder, "output").open("w+b") as output,
    ):
        try:
            process = subprocess.Popen(
                command,
                cwd=script.resolve().parent,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=output,
                start_new_session=True,
            )
        except OSError as error:
            raise CompileGoldenError(
                f"{python} cannot be run: {error}. Name an interpreter that has torch."
            ) from None
        problem = None
        try:
            if process.wait(timeout + _GRACE_S):
                problem = f"the process ended with status {process.returncode}"
        except subprocess.TimeoutExpired:
            problem = f"it takes more than {timeout:.0f} s and is stuck; give it more with --timeout"
        finally:
            # With the compilers that it started.
            end_session(process)
        texts = []
        for stream in (printed, output):
            stream.seek(0)
            texts.append(split_lines(stream.read().decode("utf-8", "replace").strip()))
    last = (texts[1] or texts[0])[-8:]
    ran = (
        msgspec.json.decode(result.read_bytes(), type=ScriptRun)
        if result.is_file()
        else ScriptRun("", problem, "", ())
    )
    ran = msgspec.structs.replace(ran, printed=texts[0][-1] if texts[0] else "")
    return (
        ran
        if problem is None
        else msgspec.structs.replace(ran, problem=problem, traceback="\n".join(last))
    )
