"""Shared by `diff`, `matrix` and `bisect`: their options, the suite on each side with progress, and torch's sources."""

from __future__ import annotations

import functools
import os
import shlex
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from pytest_compile_golden import extensions
from pytest_compile_golden.cli import shared_options, shell_completion
from pytest_compile_golden.cli.find_cases import named, require
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.common.constants import SWITCH
from pytest_compile_golden.common.installed_torch import torch_version
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.environments import sides
from pytest_compile_golden.environments.run_suite import Request
from pytest_compile_golden.environments.side_recorder import Result, SideRecorder
from pytest_compile_golden.environments.sides import Interpreter, Side
from pytest_compile_golden.environments.torch_environments import (
    Environments,
    Wanted,
    installed,
)
from pytest_compile_golden.errors import CompileGoldenError, SideFailed, UnknownName
from pytest_compile_golden.recordings.from_goldens import Goldens
from pytest_compile_golden.recordings.recording import Recording
from pytest_compile_golden.report.styled_lines import printable, printable_lines

if TYPE_CHECKING:
    from pytest_compile_golden.report.model import Report
    from pytest_compile_golden.report.proofs import Searched


prove_option = click.option(
    "--prove",
    is_flag=True,
    help="Also prove which function or setting of torch made each distinct change, by undoing it in the newer torch: a "
    "minute or less for each. The torch of both sides must be installed.",
)
reduce_option = click.option(
    "--reduce",
    "reduced",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Also look for the smallest program that shows it, for each of the first N distinct changes: a minute or two "
    "for each. The torch of both sides must be installed.",
)
_LONGEST_REDUCTION_S = 120.0


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


def searched(old: Side, new: Side, torch: str | None) -> Searched:
    """How to ask `prove` about what differs between two sides. torch: the older one's version."""
    from pytest_compile_golden.report.proofs import Searched

    label, version = shlex.quote(old.label), (torch or "").partition("+")[0]
    named = f"--old {label if sides.runs(old) else version}"
    if not sides.runs(old) and old.label != f"{sides.GOLDENS}@{version}":
        named += f" --texts {label}"
    if isinstance(new, Interpreter) and new.python != Path(sys.executable):
        return Searched(
            named, f"{shlex.quote(str(new.python))} -m pytest_compile_golden"
        )
    return Searched(
        named,
        torch=""
        if isinstance(new, Interpreter)
        else (torch_version() or "").partition("+")[0],
    )


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


class SideProgress:
    """Progress on stderr: a bar per side on a terminal, else a line whenever something changes."""

    def __init__(self) -> None:
        self._to = Console(stderr=True, soft_wrap=True, highlight=False)
        self._bars: Progress | None = None
        self._tasks: dict[Side, TaskID] = {}
        self._shown: dict[Side, str] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> SideProgress:
        if self._to.is_terminal:
            columns = (
                SpinnerColumn(),
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[count]}"),
            )
            self._bars = Progress(
                *columns, TimeElapsedColumn(), console=self._to, transient=True
            )
            self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bars is not None:
            self._bars.stop()

    def say(self, side: Side, text: str) -> None:
        """Show what a side is doing: beside its bar, or in a line unless its last line says the same."""
        with self._lock:
            if self._bars is not None:
                self._bars.update(
                    self._task(side),
                    description=escape(printable(f"{side.label}: {text}")),
                )
            elif self._shown.get(side) != text:
                self._shown[side] = text
                self._to.print(escape(printable_lines(f"{side.label}: {text}")))

    def count(self, side: Side, done: int, total: int | None) -> None:
        """Show how many cases are done, if there are bars: a line for each case would hide all others.

        total: None if it is not known.
        """
        with self._lock:
            if self._bars is not None:
                count = f"{done}/{total}" if total else f"{done} cases"
                self._bars.update(
                    self._task(side), completed=done, total=total, count=count
                )

    def ended(self, side: Side, result: Recording | CompileGoldenError) -> None:
        """Remove a side's bar and print what became of it, unless the command says that once for all sides."""
        if isinstance(result, UnknownName) or (
            not sides.runs(side) and isinstance(result, Recording)
        ):
            return  # the command says it once, whatever the number of sides
        if isinstance(result, CompileGoldenError):
            text = f"failed: {result}"
        else:
            seconds = result.run.seconds
            text = f"{quantity(len(result.cases), 'case')} on torch {result.run.torch}"
            text += "" if seconds is None else f" in {seconds:.0f} s"
            text += f"; {result.partial}" if result.partial else ""
        with self._lock:
            if self._bars is not None:
                self._bars.remove_task(self._task(side))
                del self._tasks[side]
            self._to.print(escape(printable_lines(f"{side.label}: {text}")))

    def _task(self, side: Side) -> TaskID:
        assert self._bars is not None
        if side not in self._tasks:
            self._tasks[side] = self._bars.add_task(
                escape(side.label), total=None, count=""
            )
        return self._tasks[side]


def with_proofs(
    report: Report, sides: Sequence[Side], results: Sequence[Result], run: RunOptions
) -> Report:
    """The report with what undoing definitions of the newer torch version showed about each distinct change.

    Raises UsageError if the sources of a side, or the interpreter of the newer one, are not on this machine, and
    NotInstalled if the feature is not there.
    """
    return cast(
        "Report",
        extensions.provided(extensions.TOOLS, extensions.PROOFS)(
            report, sides, results, run
        ),
    )


def pythons_of(sides: Sequence[Side], results: Sequence[Result]) -> dict[str, Path]:
    """The interpreter of each side, by its label. Raises UsageError for a side whose torch is not on this machine."""
    environments, pythons = Environments(), {}
    for side, result in zip(sides, results, strict=True):
        torch = (
            installed(side, result.run.torch, environments)
            if isinstance(result, Recording)
            else None
        )
        if torch is None or torch.python is None:
            raise click.UsageError(
                f"--reduce needs the torch of {side.label} installed: name its interpreter."
            )
        pythons[side.label] = torch.python
    return pythons


def with_programs(
    report: Report,
    pythons: Mapping[str, Path],
    most: int,
    program_of: Callable[[str], str] = lambda nodeid: nodeid,
) -> Report:
    """The report with the smallest program that was found for each of its first `most` distinct changes.

    pythons: the older and the newer interpreter, by label. program_of: what `reduce` calls a case, by its id.
    Raises NotInstalled if the feature is not there.
    """
    until = time.monotonic() + most * _LONGEST_REDUCTION_S
    return cast(
        "Report",
        extensions.provided(extensions.TOOLS, extensions.PROGRAMS)(
            report, pythons, program_of, most, until
        ),
    )


def with_sources(
    report: Report,
    sides: Sequence[Side],
    results: Sequence[Result],
    repository: Path | None,
) -> Report:
    """The report with what torch's authors changed, or with notes on each torch version whose sources are not here."""
    from pytest_compile_golden.report import torch_changes

    if not report.differs or report.old.error or report.new.error:
        return report
    environments = Environments()
    torches = [
        result.run.torch if isinstance(result, Recording) else None
        for result in results
    ]
    old, new = (
        installed(side, torch, environments)
        for side, torch in zip(sides, torches, strict=True)
    )
    if old is None or new is None:
        found = zip(sides, torches, (old, new), strict=True)
        missing = [
            _missing(side, torch)
            for side, torch, its_torch in found
            if its_torch is None
        ]
        return replace(report, notes=(*report.notes, *missing))
    return (
        report
        if old == new
        else torch_changes.with_sources(report, old, new, repository)
    )


def _missing(side: Side, torch: str | None) -> str:
    what = f"what torch's authors changed is not shown: {side.label}"
    if isinstance(side, Interpreter):
        return f"{what} has its torch outside its own environment, where it is not looked for"
    if torch is None:
        return f"{what} does not say which torch it is from"
    version = torch.partition("+")[0]
    return f"{what} is from torch {version}, which is not installed here: `compile-golden env create {version}`"
