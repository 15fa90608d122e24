"""Sides as commands are given them: the options of running a suite, and recordings of all sides, with progress."""

from __future__ import annotations

import functools
import os
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from pytest_compile_golden.cli import shared_options, shell_completion
from pytest_compile_golden.cli.find_cases import named, require
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.cli.side_progress import SideProgress
from pytest_compile_golden.common.constants import SWITCH
from pytest_compile_golden.environments import sides
from pytest_compile_golden.environments.run_suite import Request
from pytest_compile_golden.environments.side_recorder import Result, SideRecorder
from pytest_compile_golden.environments.sides import Side
from pytest_compile_golden.environments.torch_environments import (
    Environments,
    Wanted,
)
from pytest_compile_golden.errors import SideFailed, UnknownName
from pytest_compile_golden.recordings.from_goldens import Goldens
from pytest_compile_golden.recordings.recording import Recording


@dataclass(frozen=True)
class RunOptions:
    """The command line's options for running the suite on each side."""

    targets: tuple[str, ...]
    stages: str | None
    timeout: float
    processes: int | None
    pip: str
    python: Path | None
    suite: tuple[Path, ...] = ()
    """The test files or folders of an existing suite."""
    virtual_gpu: str | None = None
    """The GPU that computes while the tests run; None for that of the project, if any."""
    compare_with_eager: bool = False
    """Whether to compare what each side computes with eager; for commands that have the option."""

    @property
    def project(self) -> Path:
        """The root of the project that the cases belong to: this one, unless a suite is elsewhere."""
        for path in self.suite:
            if not path.absolute().is_relative_to(Path.cwd()):
                return find_project(path if path.is_dir() else path.parent).root
        return find_project().root

    def check_cases(self, cases: Sequence[str]) -> None:
        """Raise UnknownName for a case that the project certainly does not have; what tests of a suite are called, its
        own framework may make up."""
        if not self.suite:
            require(cases)

    def side_recorder(self, cases: Sequence[str], *, runs: int) -> SideRecorder:
        """The object that makes the recordings; `runs` suites share the machine."""
        request = Request(
            project=self.project,
            suite=tuple(os.fspath(path.absolute()) for path in self.suite),
            cases=tuple(cases),
            targets=self.targets,
            stages=self.stages,
            options=(
                *([f"{SWITCH}-numerics"] if self.compare_with_eager else []),
                *(
                    []
                    if self.virtual_gpu is None
                    else [f"--virtual-gpu={self.virtual_gpu}"]
                ),
            ),
            timeout=self.timeout,
            processes=max(1, (self.processes or os.cpu_count() or 1) // max(1, runs)),
        )
        return SideRecorder(
            request,
            Environments(),
            lambda torch: wanted(torch, self.pip, self.python, self.project),
        )


_RUN = shared_options.together(
    shared_options.targets(help="Only this target; repeatable."),
    click.option(
        "--stages",
        metavar="NAMES",
        shell_complete=shell_completion.stages,
        help="The stages to record, as for --compile-golden-stages.",
    ),
    click.option(
        "--suite",
        multiple=True,
        metavar="PATH",
        type=click.Path(exists=True, path_type=Path),
        help="Run these tests instead, which need not know of this package: each that compiles something is a case, by "
        "what the compiler decides; repeatable.",
    ),
    click.option(
        "--virtual-gpu",
        metavar="NAME",
        help="Run the tests of --suite on this GPU: h100, b200 ...",
    ),
    click.option(
        "--timeout",
        type=float,
        default=300.0,
        show_default=True,
        help="Seconds allowed for a case.",
    ),
    shared_options.processes(help="Cases compiled at once, across all sides."),
    shared_options.environment,
)


def run_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options that decide what is run and how; the command receives them as `run`."""

    @functools.wraps(command)
    def with_options(**values: Any) -> None:
        command(run=shared_options.taken(RunOptions, values), **values)

    decorated: Callable[..., None] = _RUN(with_options)
    return decorated


def wanted(
    torch: str, pip: str, python: Path | None, root: Path | None = None
) -> Wanted:
    """What an environment for a project, by default this one, and a torch version must contain."""
    project = find_project(root)
    base = Path(sys.executable) if python is None else python.absolute()
    return Wanted(
        torch, project.root, project.requirements, tuple(shlex.split(pip)), base
    )


def parse_sides(texts: Sequence[str]) -> list[Side]:
    """Raises UsageError for a text that names no side."""
    project = find_project()
    own = Goldens(project.goldens, project.bases)
    try:
        several = [sides.parse(text, own) for text in texts]
    except SideFailed as error:
        raise click.UsageError(str(error)) from None
    # The project that the goldens belong to declares which target is the base of which.
    roots = {
        side.goldens.root for side in several if isinstance(side, sides.FromGoldens)
    } - {own.root}
    read = {own.root: own} | {
        root: Goldens(root, find_project(root).bases) for root in roots
    }
    return [
        replace(side, goldens=read[side.goldens.root])
        if isinstance(side, sides.FromGoldens)
        else side
        for side in several
    ]


def interpreter(
    text: str, pip: str, python: Path | None, say: Callable[[str], None]
) -> Path:
    """The Python of the side that `text` names, in an environment that is made if need be.

    Raises UsageError for a side that cannot run anything.
    """
    [side] = parse_sides([text])
    if isinstance(side, sides.Interpreter):
        return side.python
    if not isinstance(side, sides.Release):
        raise click.UsageError(
            f"{text} is recorded and cannot run anything. Name a version or an interpreter."
        )
    return (
        Environments()
        .get(replace(wanted(side.torch, pip, python), pins=side.pins), say)
        .python
    )


def interpreters(
    texts: Iterable[str], pip: str, python: Path | None, say: Callable[[str], None]
) -> dict[str, Path]:
    """The Python of each side; this one, as `this torch`, if there is none."""
    return {text: interpreter(text, pip, python, say) for text in texts} or {
        "this torch": Path(sys.executable)
    }


def record_all(
    run: RunOptions, cases: Sequence[str], several: Sequence[Side], keep: Path | None
) -> list[Result]:
    """Record every side, all at the same time; recordings are kept in `keep` by number, or deleted when the command
    ends.

    A name that no side knows is an error in the command (UnknownName), if possible before anything is run; if some
    sides know it, it is the result of the others. Raises UsageError if recordings would be mixed with what is already
    in `keep`.
    """
    if keep is not None and keep.exists() and any(keep.iterdir()):
        raise click.UsageError(f"{keep} is not empty. Give --keep a new folder.")
    if all(map(sides.runs, several)):
        run.check_cases(cases)
    side_recorder = run.side_recorder(
        list(map(named, cases)), runs=sum(map(sides.runs, several))
    )
    if keep is None:
        # Texts of many cases are read from there as long as the command runs.
        scratch = tempfile.TemporaryDirectory(prefix="compile-golden-")
        keep = Path(click.get_current_context().with_resource(scratch))
    # It runs in its own folder.
    root = keep.absolute()
    with SideProgress() as watcher:
        results = side_recorder.record_all(
            [(side, root / str(number)) for number, side in enumerate(several, 1)],
            watcher,
        )
    wrong = next(
        (result for result in results if isinstance(result, UnknownName)), None
    )
    if wrong is not None and not any(
        isinstance(result, Recording) for result in results
    ):
        raise wrong
    return results
