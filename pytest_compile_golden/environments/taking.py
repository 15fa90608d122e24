"""Sides as recordings: read where there is one, else the suite is run, in an environment that is made where needed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from pytest_compile_golden.environments.environments import Environments, Wanted
from pytest_compile_golden.environments.sides import Accepted, Interpreter, Recorded, Release, Side
from pytest_compile_golden.environments.suite import Request, record
from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.goldens.matching import matches
from pytest_compile_golden.recordings import from_goldens, recording
from pytest_compile_golden.recordings.recording import RecordedCase, Recording


class Watcher(Protocol):
    """Told what becomes of each side, from several threads."""

    def say(self, side: Side, text: str) -> None: ...

    def count(self, side: Side, done: int, total: int | None) -> None: ...

    def ended(self, side: Side, result: Result) -> None: ...


Result = Recording | CompileGoldenError
"""What a side gave. An error is that side's result: no such version, a failed install, a crash of everything."""


@dataclass(frozen=True)
class Taker:
    """Makes recordings of sides."""

    request: Request
    environments: Environments
    wanted: Callable[[str], Wanted]
    """What an environment for a torch version is to hold."""
    stop: threading.Event = field(default_factory=threading.Event)

    def take(self, side: Side, into: Path, watcher: Watcher) -> Result:
        """The recording of one side; a run records into the new folder `into`."""
        try:
            result: Result = self._take(side, into, watcher)
        except CompileGoldenError as error:
            result = error
        watcher.ended(side, result)
        return result

    def take_all(self, sides: Sequence[tuple[Side, Path]], watcher: Watcher) -> list[Result]:
        """All at once, in the order given."""
        with ThreadPoolExecutor(max(1, len(sides))) as threads:
            try:
                return list(threads.map(lambda pair: self.take(pair[0], pair[1], watcher), sides))
            except BaseException:
                self.stop.set()  # or an interrupted command would wait for its suites
                raise

    def _take(self, side: Side, into: Path, watcher: Watcher) -> Recording:
        if isinstance(side, Recorded):
            return only(recording.read(side.folder), self.request)
        if isinstance(side, Accepted):
            return only(from_goldens.recording(side.folder, side.torch), self.request)
        python = self.python(side, watcher)
        watcher.say(side, "running the suite")
        return record(python, into, self.request, lambda done, total: watcher.count(side, done, total), self.stop)

    def python(self, side: Interpreter | Release, watcher: Watcher) -> Path:
        if isinstance(side, Interpreter):
            return side.python
        return self.environments.get(self.wanted(side.torch), lambda text: watcher.say(side, text)).python


def only(whole: Recording, request: Request) -> Recording:
    """The cases of a recording that a run would have run."""
    cases = tuple(case for case in whole.cases if _asked(case, request))
    # Fewer on purpose: that makes it no less complete.
    gone = len(whole.cases) - len(cases)
    run = whole.run if whole.run.cases is None else replace(whole.run, cases=whole.run.cases - gone)
    return Recording(run, cases, whole.damaged)


def _asked(case: RecordedCase, request: Request) -> bool:
    names = (case.nodeid, str(case.folder))
    return (not request.targets or case.target in request.targets) and (
        not request.cases or any(matches(pattern, *names) for pattern in request.cases)
    )
