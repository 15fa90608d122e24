"""Compiles a case over and over with the newer version, with definitions of the older one in it."""

from __future__ import annotations

import math
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

import msgspec

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.sessions import end_session
from pytest_compile_golden.environments.run_suite import Request as Suite
from pytest_compile_golden.errors import GoldenError, SideFailed
from pytest_compile_golden.features.prove.prove_protocol import (
    Edit,
    Enter,
    Helper,
    Leave,
    Reply,
    Request,
    Try,
)
from pytest_compile_golden.recordings import recording
from pytest_compile_golden.recordings.recording import RecordedCase
from pytest_compile_golden.torch_source.installed_sources import Sources

_SHOWN = 12
_NO_TIMEOUT = ("-n0", "-o", "compile_golden_timeout=", "-o", "addopts=")


class SearchTimeout(Exception):
    """The time for a search was over before a compile had ended."""


@dataclass(frozen=True)
class Compiled:
    """How a compile ended, and what was recorded of it."""

    answer: Reply
    case: RecordedCase | None


class Sandbox:
    """A process with the newer version that has collected the cases; a context manager that ends it."""

    def __init__(
        self,
        old: Sources,
        new: Sources,
        suite: Suite,
        folders: Sequence[PurePosixPath] = (),
        seconds: int = 60,
        until: float = math.inf,
    ) -> None:
        """new: it can be run. folders: of the cases, the smallest first. seconds: for a single compile. until: by
        `time.monotonic`, when whatever it is asked, or still doing, raises OutOfTime."""
        assert new.python is not None
        self._seconds = seconds
        self._until = until
        self._scratch = Path(tempfile.mkdtemp(prefix="compile-golden-"))
        self._log = self._scratch / "log"
        self._inside: list[tuple[PurePosixPath, Compiled]] = []
        """What the forks have compiled, each of which is one of the process before it; the last one answers."""
        self._as_now: dict[tuple[PurePosixPath, bool], RecordedCase | None] = {}
        """What is compiled without edits, and whether in a process that had compiled another case before."""
        self._of_each = {
            folder.name.partition("-")[0]: folder for folder in reversed(folders)
        }
        asked, ask = os.pipe()
        answer, answered = os.pipe()
        # The suite's own command, up to the worker in pytest's place.
        _, _, _, *arguments = suite.command(new.python, self._scratch / "recorded")
        worker = ("-m", "pytest_compile_golden.features.prove.forking_pytest")
        ours = (
            str(old.folder),
            str(new.folder),
            new.package,
            str(asked),
            str(answered),
        )
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [new.python, *worker, *ours, *arguments, *_NO_TIMEOUT],
                cwd=suite.project,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=(asked, answered),
                start_new_session=True,
            )
        os.close(asked)
        os.close(answered)
        self._requests: IO[bytes] = os.fdopen(ask, "wb", buffering=0)
        self._answers: IO[bytes] = os.fdopen(answer, "rb")

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self._requests.close()
        self._answers.close()
        end_session(self._process)
        shutil.rmtree(self._scratch, ignore_errors=True)

    def begin(self, folder: PurePosixPath) -> None:
        """Have the case compiled once, unless what is tried starts in a process that has compiled another.

        Before it, one for each other kind of target, for which torch prepares much once.
        """
        if not self._inside:
            kind = folder.name.partition("-")[0]
            others = tuple(
                str(other) for name, other in self._of_each.items() if name != kind
            )
            self._entered(Enter(str(folder), others), folder)

    def enter(self, folder: PurePosixPath) -> Compiled:
        """Have the case compiled once: what is tried from now on starts from there.

        All but the first start from the process that compiled the first, which has done what a process does once.
        """
        self.begin(folder)
        for depth in (2, 1):
            self._leave_to(depth)
            if self._inside and self._inside[-1][0] == folder:
                return self._inside[-1][1]
        return self._entered(Enter(str(folder)), folder)

    def first_compile(self, folder: PurePosixPath) -> Reply:
        """What runs in the first compile of a process; as after `leave`."""
        self.leave()
        answer = self._entered(Enter(str(folder), first=True), folder).answer
        self.leave()
        return answer

    def leave(self) -> bool:
        """What is tried from now on starts in a process that has compiled nothing; False if it did before."""
        left = bool(self._inside)
        self._leave_to(0)
        return left

    def starts(self) -> Iterator[None]:
        """Where a check may start: from here, and, as a later compile may not show it, where nothing is compiled."""
        yield
        if self.leave():
            yield

    def _leave_to(self, depth: int) -> None:
        while len(self._inside) > depth:
            self._send(Leave())
            self._inside.pop()

    def _entered(self, request: Enter, folder: PurePosixPath) -> Compiled:
        compiled = self._compiled(request, folder)
        if not compiled.answer.crashed:
            self._inside.append((folder, compiled))
            self._as_now[folder, True] = compiled.case
        return compiled

    def as_now(self, case: RecordedCase) -> RecordedCase | None:
        """What is compiled without edits, from where a try starts; such a compile is made once."""
        key = case.folder, bool(self._inside)
        if key not in self._as_now:
            self._as_now[key] = self.attempt(case, ()).case
        return self._as_now[key]

    def attempt(
        self,
        case: RecordedCase,
        edits: Sequence[Edit],
        helpers: Sequence[Helper] = (),
        watched: Sequence[tuple[str, str]] = (),
        covered: bool = False,
    ) -> Compiled:
        """Have the case compiled with these edits."""
        request = Try(
            str(case.folder),
            tuple(edits),
            tuple(helpers),
            self._seconds,
            tuple(watched),
            covered,
        )
        return self._compiled(request, case.folder)

    def _compiled(self, request: Request, folder: PurePosixPath) -> Compiled:
        root = self._scratch / "recorded"
        self._wait_for(self._requests)
        self._send(request)
        self._wait_for(self._answers)
        line = self._answers.readline()
        if not line:
            output = split_lines(
                self._log.read_text(encoding="utf-8", errors="replace")
            )
            raise SideFailed(
                "the process that compiles ended:\n" + "\n".join(output[-_SHOWN:])
            )
        answer = msgspec.json.decode(line, type=Reply)
        case = None
        with suppress(GoldenError):
            case = next(
                (case for case in recording.read(root).cases if case.folder == folder),
                None,
            )
        # Or it would be read again with the next.
        shutil.rmtree(root / folder, ignore_errors=True)
        return Compiled(answer, case)

    def _wait_for(self, pipe: IO[bytes]) -> None:
        """Wait until one can read from it, or write to it. Once the time is over, each call raises OutOfTime: an answer
        that comes later would be taken for that to another request."""
        left = (
            None
            if self._until == math.inf
            else max(0.0, self._until - time.monotonic())
        )
        ready = select.select(
            [pipe] if pipe.readable() else [],
            [pipe] if pipe.writable() else [],
            [],
            left,
        )
        if left == 0.0 or not any(ready):
            raise SearchTimeout

    def _send(self, request: Request) -> None:
        with suppress(BrokenPipeError):
            self._requests.write(msgspec.json.encode(request) + b"\n")
