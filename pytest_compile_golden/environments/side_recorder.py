"""Sides as recordings: read, or remembered, or else the suite is run, in an environment that is created if needed."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

import msgspec
import platformdirs

from pytest_compile_golden.common import files, name_matching
from pytest_compile_golden.common.constants import PYTEST_FILES
from pytest_compile_golden.common.digest import of_texts
from pytest_compile_golden.common.format_version import NORMALISER
from pytest_compile_golden.common.name_matching import chosen
from pytest_compile_golden.environments.run_suite import Request, record
from pytest_compile_golden.environments.sides import (
    FromGoldens,
    FromRecording,
    Interpreter,
    Release,
    Side,
    read,
)
from pytest_compile_golden.environments.torch_environments import Environments, Wanted
from pytest_compile_golden.errors import (
    CompileGoldenError,
    GoldenError,
    UnknownName,
    UnknownSide,
)
from pytest_compile_golden.recordings import recording
from pytest_compile_golden.recordings.recording import RecordedCase, Recording, Run
from pytest_compile_golden.stages import stages as registered

_WAKE_UP_S = 0.5
Result = Recording | CompileGoldenError
"""The result of a side, which may be an error: no such version, a failed install, a crash of everything."""
_TO_ITS_END = (0, 1)
"""pytest's exit statuses for a run that was not interrupted and had cases."""
# Also what was edited in place, in torch, Triton or this package, or installed in another version.
_ASK = (
    "from pytest_compile_golden.recordings.test_selection import file_dependencies; "
    "print(file_dependencies.surroundings([]))"
)
_KEPT = 32
"""Of how many states of projects, and requests, recordings are kept."""


class Watcher(Protocol):
    """Notified of what happens to each side, from several threads."""

    def say(self, side: Side, text: str) -> None:
        """What is being done for a side, in words."""
        ...

    def count(self, side: Side, done: int, total: int | None) -> None:
        """How many cases of a side are recorded; `total` is None until that is known."""
        ...

    def ended(self, side: Side, result: Result) -> None:
        """A side's recording, or why there is none."""
        ...


@dataclass(frozen=True)
class SideRecorder:
    """Makes recordings of sides."""

    request: Request
    environments: Environments
    wanted: Callable[[str], Wanted]
    """What an environment for a torch version must contain."""
    stop: threading.Event = field(default_factory=threading.Event)

    def record_side(self, side: Side, into: Path, watcher: Watcher) -> Result:
        """Record one side; a run records into the new folder `into`.

        Raises UnknownSide, which stops the other sides: the command itself is wrong.
        """
        try:
            result: Result = self._record(side, into, watcher)
        except UnknownSide:
            self.stop.set()
            raise
        except CompileGoldenError as error:
            result = error
        watcher.ended(side, result)
        return result

    def record_all(
        self, sides: Sequence[tuple[Side, Path]], watcher: Watcher
    ) -> list[Result]:
        """Record all sides at once; returns the results in the order given."""
        with ThreadPoolExecutor(max(1, len(sides))) as threads:
            try:
                running = [
                    threads.submit(self.record_side, side, into, watcher)
                    for side, into in sides
                ]
                # Wait for all of them, waking up now and then. Python handles a signal once the main thread runs
                # again: one that arrives just before an endless wait begins, or that the system delivers to another
                # thread, would only be handled once the suites end on their own.
                while wait(running, timeout=_WAKE_UP_S).not_done:
                    pass
                wrong = [
                    error
                    for future in running
                    if isinstance(error := future.exception(), UnknownSide)
                ]
                if wrong:
                    raise wrong[0]
                results = [future.result() for future in running]
                return [
                    self._beside(side, result, results)
                    for (side, _), result in zip(sides, results, strict=True)
                ]
            except BaseException:
                self.stop.set()  # otherwise an interrupted command would wait for its suites
                raise

    def _beside(self, side: Side, result: Result, results: Sequence[Result]) -> Result:
        """For a side of goldens, add the cases that only other sides have and whose goldens are those of a base."""
        if not isinstance(side, FromGoldens) or not isinstance(
            result, (Recording, UnknownName)
        ):
            return result
        folders = {
            case.folder
            for recording in results
            if isinstance(recording, Recording)
            for case in recording.cases
        }
        known = (
            {case.folder for case in result.cases}
            if isinstance(result, Recording)
            else set()
        )
        if not side.goldens.bases.declared or folders <= known:
            return result
        try:
            return only(read(side, folders), self.request, side.label)
        except CompileGoldenError as error:
            return error

    def _record(self, side: Side, into: Path, watcher: Watcher) -> Recording:
        if not isinstance(side, (Interpreter, Release)):
            return only(read(side), self.request, side.label)
        python = self.python(side, watcher)
        watcher.say(side, "running the suite")
        return record(
            python,
            into,
            self.request,
            lambda done, total: watcher.count(side, done, total),
            self.stop,
        )

    def python(self, side: Interpreter | Release, watcher: Watcher) -> Path:
        """The interpreter with the side's torch; an environment is created for a release that has none."""
        if isinstance(side, Interpreter):
            return side.python
        wanted = replace(self.wanted(side.torch), pins=side.pins)
        return self.environments.get(
            wanted, lambda text: watcher.say(side, text)
        ).python


def only(whole: Recording, request: Request, label: str) -> Recording:
    """What a run for `request` would have recorded of `whole`, which the user knows as `label`.

    Raises UnknownName if it has no such case, target or stage, or none that matches all of these.
    """
    name_matching.check(
        f"target in {label}",
        request.targets,
        sorted({case.target for case in whole.cases}),
    )
    by_name = {case.folder: (case.nodeid, str(case.folder)) for case in whole.cases}
    named = set(chosen(request.cases, by_name, f" in {label}"))
    cases = [
        case
        for case in whole.cases
        if case.folder in named
        and (not request.targets or case.target in request.targets)
    ]
    if named and not cases:
        raise UnknownName(
            f"none of the chosen cases in {label} is for {', '.join(request.targets)}."
        )
    run, cases = _stages_only(whole.run, cases, request.stages, label)
    # Cases left out on purpose do not make it less complete.
    gone = len(whole.cases) - len(cases)
    run = run if run.cases is None else replace(run, cases=run.cases - gone)
    run = run if run.recorded is None else replace(run, recorded=run.recorded - gone)
    return Recording(run, tuple(cases), whole.damaged)


def _stages_only(
    run: Run, cases: list[RecordedCase], stages: str | None, label: str
) -> tuple[Run, list[RecordedCase]]:
    """The artifacts of the stages that `--stages` names; all of them if it only changes the default, or is `all`."""
    wanted = [name.strip() for name in (stages or "").split(",") if name.strip()]
    recorded = {
        *run.options.get("stages", "").split(","),
        *(artifact.stage for case in cases for artifact in case.artifacts),
    }
    known = [stage.name for stage in registered() if stage.name in recorded]
    known += sorted(recorded - {*known, ""})
    name_matching.check(
        f"stage in {label}",
        (name.lstrip("+-") for name in wanted if name != "all"),
        known,
    )
    if (
        not wanted
        or "all" in wanted
        or any(name.startswith(("+", "-")) for name in wanted)
    ):
        return run, cases
    kept = [
        msgspec.structs.replace(
            case,
            artifacts=tuple(
                artifact for artifact in case.artifacts if artifact.stage in wanted
            ),
        )
        for case in cases
    ]
    return replace(run, options={**run.options, "stages": ",".join(wanted)}), kept


class RecordingCache:
    """A folder in the user's cache for one project, in its current state, and one request."""

    def __init__(
        self, request: Request, goldens: Path, root: Path | None = None
    ) -> None:
        wanted = [
            *request.cases,
            "",
            *request.targets,
            "",
            request.stages or "",
            *request.suite,
        ]
        facts = [*wanted, str(NORMALISER), *_project(request.project, goldens)]
        root = root or platformdirs.user_cache_path("pytest-compile-golden") / "bisect"
        self._root = root / of_texts(facts)[:16]
        with suppress(OSError):
            others = [path for path in root.iterdir() if path != self._root]
            others.sort(key=lambda path: path.stat().st_mtime_ns, reverse=True)
            for path in others[_KEPT:]:
                shutil.rmtree(path, ignore_errors=True)

    def folder(self, side: Side) -> Path:
        """Where the side's recording is, or will be."""
        return self._root / of_texts(_identity(side))[:16]

    def get(self, side: Side) -> Recording | None:
        """The side's recording, if it is complete. The remains of an interrupted run are deleted."""
        folder = self.folder(side)
        try:
            recorded = recording.read(folder)
        except GoldenError:
            recorded = None
        if (
            recorded is not None
            and recorded.run.exit_status in _TO_ITS_END
            and not recorded.damaged
        ):
            return recorded
        shutil.rmtree(folder, ignore_errors=True)
        return None

    def forget(self) -> None:
        """Remove every recording that was kept."""
        shutil.rmtree(self._root, ignore_errors=True)


def _identity(side: Side) -> list[str]:
    if isinstance(side, Interpreter):
        answer = subprocess.run(
            [side.python, "-c", _ASK],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
        )
        return [os.fspath(side.python), answer.stdout]
    if isinstance(side, Release):
        return [side.torch, *side.pins]
    if isinstance(side, FromGoldens):
        return [os.fspath(side.goldens.root)]
    return [os.fspath(side.folder if isinstance(side, FromRecording) else side.path)]


def _project(root: Path, goldens: Path) -> Iterator[str]:
    """Names, sizes and times of all files that decide what the cases do."""
    for folder, folders, there in os.walk(root):
        here = Path(folder)
        folders[:] = sorted(
            name
            for name in folders
            if not _aside(here / name) and here / name != goldens
        )
        for name in sorted(there):
            if name.endswith(".py") or name in PYTEST_FILES:
                stat = (here / name).stat()
                yield f"{here / name} {stat.st_size} {stat.st_mtime_ns}"


def _aside(folder: Path) -> bool:
    """Whether a folder holds no sources of the project: hidden, made by tools, an environment, or a recording."""
    hidden = folder.name[0] == "." or folder.name in ("__pycache__", "node_modules")
    return hidden or files.has(folder, "pyvenv.cfg") or files.has(folder, recording.RUN)
