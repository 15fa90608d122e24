"""`compile-golden prove CASE`, and `--prove`: the function of torch that changed a case, proved by undoing it."""

from __future__ import annotations

import importlib.machinery
import math
import os
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import click
import msgspec

from pytest_compile_golden.cli import record_sides, shared_options, shell_completion
from pytest_compile_golden.cli.console import console, show
from pytest_compile_golden.cli.find_cases import named
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.cli.side_progress import SideProgress
from pytest_compile_golden.environments import sides
from pytest_compile_golden.environments.run_suite import SuiteInterrupted
from pytest_compile_golden.environments.side_recorder import RecordingCache
from pytest_compile_golden.environments.sides import Interpreter, Release, Side
from pytest_compile_golden.environments.torch_environments import (
    Environments,
    installed,
)
from pytest_compile_golden.errors import SideFailed, UnknownName
from pytest_compile_golden.recordings.recording import Recording
from pytest_compile_golden.torch_source import installed_sources
from pytest_compile_golden.torch_source.installed_sources import Sources
from pytest_compile_golden.torch_source.torch_package import DAMAGED, read_member

_MOST_UNPACKED = 1 << 30
"""Bytes of a package's sources; torch 2.13 has 100 MB."""

if TYPE_CHECKING:
    from pytest_compile_golden.environments.side_recorder import Result
    from pytest_compile_golden.report.model import Report


@click.command(short_help="Prove which function of torch changed a case.")
@click.argument("cases", nargs=-1, shell_complete=shell_completion.cases)
@click.option(
    "--old",
    required=True,
    metavar="OLD",
    help="The older torch: a version, an interpreter, the folder that holds the torch package (for a package of the "
    "project: another checkout of it), or a wheel.",
)
@click.option(
    "--texts",
    metavar="SIDE",
    help="What OLD compiled: a recording, or goldens for a version (default: the project's goldens for OLD's version; "
    "if there are none, and OLD is an interpreter, it compiles CASES now).",
)
@click.option(
    "--package",
    default="torch",
    show_default=True,
    help="The package whose definitions are undone: torch, one that is installed, or one of the project.",
)
@click.option(
    "--in",
    "into",
    metavar="REPORT",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Instead of CASES: the distinct changes of a report that a run against goldens wrote as JSON. The proofs are "
    "written into it.",
)
@shared_options.torch_repo
@click.option(
    "--within",
    type=float,
    default=math.inf,
    metavar="SECONDS",
    help="Stop after SECONDS, not counting the creation of an environment; run the command again to resume.",
)
@record_sides.run_options
@click.option("--json", "as_json", is_flag=True, help="Print the proofs as JSON.")
def prove(
    cases: tuple[str, ...],
    old: str,
    texts: str | None,
    package: str,
    into: Path | None,
    torch_repo: Path | None,
    within: float,
    run: record_sides.RunOptions,
    as_json: bool,
) -> None:
    """Transplant functions, constants and settings of OLD into the installed torch until the change in CASES
    disappears: the ones that it takes made the change.

    One case of each distinct change is proved; the result is checked in two more of its cases. Of OLD only the sources
    are needed: for a folder or a wheel no environment is made, for a version one is made if there is none.

    Exits with 0 if every distinct change is proved, with 1 if one is not, or if CASES are compiled the same, and with
    2 if the command itself is wrong.
    """
    from pytest_compile_golden.features.prove import prove_every_change
    from pytest_compile_golden.features.prove.proof import touched_by
    from pytest_compile_golden.report import (
        compare_recordings,
        json_report,
        proofs,
        reporters,
    )

    until = time.monotonic() + within
    if bool(cases) == (into is not None):
        raise click.UsageError("Name CASES, or a report with --in.")
    run.check_cases(cases)
    cases = tuple(map(named, cases))
    report = None if into is None else json_report.read(into)
    compiled = (
        cases
        if report is None
        else prove_every_change.cases_of(report, 1 + prove_every_change.CHECKED)
    )
    cases = cases if report is None else prove_every_change.cases_of(report)
    if report is not None and not cases:
        show(
            console(),
            [
                proofs.summary(
                    list(dict.fromkeys(prove_every_change.known_of(report).values()))
                )
            ],
        )
        return
    label = Interpreter("new", Path(sys.executable))
    with SideProgress() as watcher:

        def python_of(torch: str) -> Path:
            side = record_sides.parse_sides([torch])[0]
            assert isinstance(side, (Interpreter, Release))
            return run.side_recorder([], runs=1).python(side, watcher)

        def say(text: str) -> None:
            watcher.say(label, text)

        with _older(old, package, python_of) as before:
            goal = _compiled_before(before, texts, cases, compiled, run, until)
            versions = before, _newer(package, run.project)
            told = touched_by(torch_repo, *versions)
            request = run.side_recorder([], runs=1).request
            not_reached = 0
            if report is None and len(goal.cases) == 1:
                found = [
                    told(proof)
                    for proof in prove_every_change.of_cases(
                        goal, versions, request, say, until
                    )
                ]
            else:
                if report is None:
                    now = _recorded(str(label.python), cases, run, until)
                    usual = find_project(run.project).usual
                    report = compare_recordings.report(
                        goal, now, "old", "new", detail="brief", usual=usual
                    )
                report = prove_every_change.proved(
                    report, goal, versions, request, say, until, told
                )
                found = list(
                    dict.fromkeys(
                        group.proof
                        for group in report.groups
                        if group.proof is not None
                    )
                )
                not_reached = sum(
                    group.proof is None for group in prove_every_change.changed(report)
                )
    if into is not None and report is not None:
        reporters.write(report, into)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found)).decode())
    else:
        to = console()
        for proof in found:
            show(to, proofs.lines(proof))
        show(to, [proofs.summary(found, not_reached)])
    sys.exit(
        0 if found and not not_reached and all(proof.proved for proof in found) else 1
    )


def _compiled_before(
    before: Sources,
    texts: str | None,
    cases: tuple[str, ...],
    compiled: tuple[str, ...],
    run: record_sides.RunOptions,
    until: float,
) -> Recording:
    """What the older version compiled: as named, or else as the goldens say, or else recorded with its interpreter.

    compiled: the cases to record. until: as for `_recorded`. Raises UsageError if there is none of them, UnknownName
    if CASES is in none, and SideFailed if they cannot be recorded, or not in the time.
    """
    torch, goldens = before.version, find_project(run.project).goldens
    if texts is None and torch is not None and goldens.is_dir():
        try:
            return _recorded(f"{sides.GOLDENS}@{torch}", cases, run, until)
        except UnknownName:
            if before.python is None:
                raise
    if texts is None and before.python is None:
        raise click.UsageError(
            "There are no goldens for --old, which is only sources: name what it compiled with --texts."
        )
    if texts is None:
        return _recorded(str(before.python), compiled, run, until)
    return _recorded(texts, cases, run, until)


def _recorded(
    text: str, cases: tuple[str, ...], run: record_sides.RunOptions, until: float
) -> Recording:
    """The recording of a side; what a run has recorded is kept as long as nothing changes that it depends on.

    until: by `time.monotonic`, when a run ends. Raises SideFailed if it had not recorded all by then.
    """
    (side,) = record_sides.parse_sides([text])
    recorder = run.side_recorder(cases, runs=1)
    memory = RecordingCache(recorder.request, find_project().goldens)
    known = memory.get(side) if sides.runs(side) else None
    if known is not None:
        return known
    left = max(0.0, until - time.monotonic())
    end = threading.Timer(min(left, threading.TIMEOUT_MAX), recorder.stop.set)
    end.daemon = True
    end.start()
    try:
        with SideProgress() as watcher:
            (result,) = recorder.record_all([(side, memory.folder(side))], watcher)
    except SuiteInterrupted:
        raise SideFailed(
            f"the time was over while {side.label} compiled the cases, so nothing was searched. Give --within more."
        ) from None
    finally:
        end.cancel()
    if not isinstance(result, Recording):
        raise result
    return result


def added(
    report: Report,
    sides: Sequence[Side],
    results: Sequence[Result],
    run: record_sides.RunOptions,
) -> Report:
    """See `cli.explain_changes.with_proofs`."""
    from pytest_compile_golden.features.prove import prove_every_change

    old, new = results
    if (
        not (isinstance(old, Recording) and isinstance(new, Recording))
        or not report.differs
    ):
        return report
    environments = Environments()
    versions: list[Sources] = []
    for side, result in zip(sides, (old, new), strict=True):
        found = installed(side, result.run.torch, environments)
        if found is None:
            raise click.UsageError(
                f"--prove needs the torch of {side.label} installed: name its interpreter."
            )
        versions.append(found)
    before, now = versions
    request = run.side_recorder([], runs=1).request
    with SideProgress() as watcher:
        return prove_every_change.proved(
            report,
            old,
            (before, now),
            request,
            lambda text: watcher.say(sides[1], text),
        )


@contextmanager
def _older(
    text: str, package: str, python_of: Callable[[str], Path]
) -> Iterator[Sources]:
    """The version of `package` that `text` names; a wheel is unpacked for the time of the block.

    python_of: the interpreter of an environment that has the torch version it is given.
    Raises SideFailed if `text` names nothing that has the package.
    """
    path = Path(os.path.normpath(Path.cwd() / Path(text).expanduser()))
    if path.suffix == ".whl" and path.is_file():
        with tempfile.TemporaryDirectory(prefix="compile-golden-") as folder:
            _unpack(path, package, Path(folder))
            yield _holding(Sources(Path(folder), package), text)
        return
    if (path / package).is_dir():
        yield Sources(path, package)
        return
    [side] = record_sides.parse_sides([text])
    if not isinstance(side, (Interpreter, Release)):
        raise SideFailed(
            f"{text} is recorded and has no sources of {package}. Name a version, an interpreter or a wheel."
        )
    python = side.python if isinstance(side, Interpreter) else python_of(text)
    if (found := installed_sources.of(python)) is None:
        raise SideFailed(
            f"{python} has no torch in its environment. Name the folder that contains the package."
        )
    yield _holding(replace(found, package=package), text)


def _newer(package: str, project: Path) -> Sources:
    """What this interpreter imports as `package`, from the project before all other folders.

    Raises SideFailed if there is none.
    """
    finder = importlib.machinery.PathFinder
    found = finder.find_spec(package, [str(project), *sys.path])
    if (
        found is None
        or found.origin is None
        or Path(found.origin).name != "__init__.py"
    ):
        raise SideFailed(
            f"This interpreter has no package {package}. Name one whose definitions can be undone."
        )
    return Sources(Path(found.origin).parents[1], package, Path(sys.executable))


def _holding(sources: Sources, text: str) -> Sources:
    if not (sources.folder / sources.package).is_dir():
        raise SideFailed(
            f"{text} has no package {sources.package}. Name a folder or a wheel that contains it."
        )
    return sources


def _unpack(wheel: Path, package: str, folder: Path) -> None:
    """Write the modules and templates of a package; nothing outside `folder`, whatever the wheel says.

    Raises SideFailed for a wheel that cannot be read.
    """
    written = 0
    try:
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                parts = PurePosixPath(name).parts
                if (
                    parts[:1] != (package,)
                    or not name.endswith(installed_sources.READ)
                    or ".." in parts
                ):
                    continue
                data = read_member(archive, name)
                written += len(data)
                if written > _MOST_UNPACKED:
                    raise SideFailed(
                        f"{wheel} has more than {_MOST_UNPACKED >> 20} MiB of sources. Name a wheel of torch."
                    )
                path = folder.joinpath(*parts)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
    except (*DAMAGED, OSError) as error:
        raise SideFailed(
            f"{wheel} is not a whole wheel ({error}). Download it again."
        ) from None
