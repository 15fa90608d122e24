"""Runs the suite with one interpreter, in a separate process that records. Whatever happens to it is a result."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pytest_compile_golden.common.constants import SWITCH
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.sessions import end_session
from pytest_compile_golden.errors import GoldenError, SideFailed, UnknownName
from pytest_compile_golden.goldens import case_files
from pytest_compile_golden.recordings import recording
from pytest_compile_golden.recordings.recording import Recording

_POLL_S = 0.3
_SHOWN = 12
_USAGE_ERROR = 4


@dataclass(frozen=True)
class Request:
    """What to run, the same on every side."""

    project: Path
    cases: tuple[str, ...] = ()
    """Patterns; empty for every case."""
    targets: tuple[str, ...] = ()
    """Empty for those of the project."""
    stages: str | None = None
    """As for `--compile-golden-stages`."""
    timeout: float = 300.0
    """Seconds allowed for a case; a side in which nothing happens for longer is killed."""
    processes: int = 1
    """How many cases are compiled at once."""
    options: tuple[str, ...] = ()
    """Further pytest options."""
    suite: tuple[str, ...] = ()
    """Paths of an existing suite, each test of which is a case; empty for the cases of the project alone."""

    def command(self, python: Path, into: Path) -> list[str]:
        """The command that records the suite with the interpreter `python` into a folder."""
        options = {
            "record": [os.fspath(into)],
            "timeout": [f"{self.timeout:g}"],
            "case": self.cases or ("*",),
            "target": self.targets,
            "stages": [] if self.stages is None else [self.stages],
        }
        arguments = [
            f"{SWITCH}-{name}={value}"
            for name, values in options.items()
            for value in values
        ]
        # Always in workers: a case that crashes its process is that case's result.
        switch = f"{SWITCH}-suite" if self.suite else SWITCH
        pytest = [
            "-m",
            "pytest",
            switch,
            "-p",
            "no:cacheprovider",
            "-n",
            str(self.processes),
        ]
        quiet = ["-q", "--no-header", "--tb=no"]
        arguments += self.options
        # The test files, if full ids name them, or else the suite; nothing collects all of a project's.
        named = [case.partition("::")[0] for case in self.cases if "::" in case]
        all_ids = len(named) == len(self.cases) and all(
            (self.project / file).is_file() for file in named
        )
        return [
            os.fspath(python),
            *pytest,
            "--continue-on-collection-errors",
            *quiet,
            *arguments,
            *(sorted(set(named)) if named and all_ids else self.suite),
        ]


class SuiteInterrupted(Exception):
    """The command was interrupted: whatever its suites did until then does not count."""


Watch = Callable[[int, int | None], None]
"""Called with how many cases are done, and how many there are once that is known."""


def record(
    python: Path,
    into: Path,
    request: Request,
    watch: Watch = lambda done, total: None,
    stop: threading.Event | None = None,
) -> Recording:
    """Run the suite with `python` and read what it recorded into the new folder `into`. `stop` ends it early.

    Raises SideFailed if there is nothing to read: no torch, no plugin, a crash before the first case, a hang; and
    UnknownName if it knows no such case, target or stage. Raises Stopped if `stop` was set in the meantime.
    """
    log = into.with_name(f"{into.name}.log")
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.touch()
    except OSError as error:
        raise SideFailed(f"nothing can be recorded in {log.parent}: {error}.") from None
    with log.open("w", encoding="utf-8", errors="replace") as output:
        try:
            process = subprocess.Popen(
                request.command(python, into),
                cwd=request.project,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise SideFailed(f"{python} does not run: {error.strerror}.") from None
        stop = stop or threading.Event()
        try:
            hung = _wait(process, into, 2 * request.timeout + 60, watch, stop)
        finally:
            end_session(process)  # with its workers
    if stop.is_set():
        raise SuiteInterrupted
    return _result(into, log, process.returncode, hung)


def _wait(
    process: subprocess.Popen[bytes],
    into: Path,
    longest: float,
    watch: Watch,
    stop: threading.Event,
) -> bool:
    """Wait until the process ends or `stop` is set; True if nothing happened in it for `longest` seconds."""
    done, since = -1, time.monotonic()
    while process.poll() is None and not stop.wait(_POLL_S):
        recorded = sum(1 for _ in into.rglob(case_files.NAME))
        if recorded != done:
            done, since = recorded, time.monotonic()
            watch(recorded, _total(into))
        elif time.monotonic() - since > longest:
            return True
    return False


def _total(into: Path) -> int | None:
    try:
        return recording.read_run(into).cases
    except GoldenError:
        return None


def _result(into: Path, log: Path, status: int, hung: bool) -> Recording:
    try:
        recorded = recording.read(into)
    except GoldenError:
        recorded = None
    if recorded is not None and (recorded.cases or recorded.run.errors):
        return recorded
    if hung:
        raise SideFailed(
            "nothing happened for so long that the run was killed, and no case was recorded."
        )
    output_lines = [
        line
        for line in split_lines(log.read_text(encoding="utf-8", errors="replace"))
        if line.strip()
    ]
    wrong = [
        line.removeprefix("ERROR: ")
        for line in output_lines
        if line.startswith("ERROR: ")
    ]
    text = "\n".join(output_lines[-_SHOWN:])
    if status == _USAGE_ERROR and wrong and "unrecognized arguments" not in text:
        raise UnknownName("\n".join(wrong))
    if "No module named" in text or "unrecognized arguments" in text:
        text += "\nInstall pytest-compile-golden and the cases' requirements there: python -m pip install ..."
    raise SideFailed(f"the suite did not run (exit status {status}):\n{text}")
