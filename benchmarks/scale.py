"""What many cases cost: `python -m benchmarks.scale [--cases N...] [--only COMMAND...] [--keep FOLDER]`.

Makes projects with N cases, of which half changed, out of the goldens of two versions of torch: each is a real case
whose numbers are others, so that no two have a text in common. Then it runs commands on them, each in a process of its
own, and prints CPU seconds, seconds per thousand cases that changed, which stay the same unless something
grows with a square, the most memory, and the sizes of the files that were written.

What is pending has been left by a run on this machine, which has found what commands ask about it; `show elsewhere` is
told the same cases without what that run found, as those from CI are. A site is that of twelve releases of torch: in
each of them about half of the cases, now these and now those, do what they did not do in the one before.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, product
from pathlib import Path, PurePosixPath
from unittest import mock
from zlib import crc32

import msgspec

from benchmarks.price import weighed_pairs
from pytest_compile_golden.changes.change import Severities
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.common import disk_cache
from pytest_compile_golden.common.files import Folder
from pytest_compile_golden.common.format_version import NORMALISER
from pytest_compile_golden.goldens import evidence_file
from pytest_compile_golden.goldens.case_files import StoredArtifact
from pytest_compile_golden.goldens.compare_artifact import Compared
from pytest_compile_golden.goldens.golden_header import Header, header_text
from pytest_compile_golden.goldens.golden_paths import GoldenPath
from pytest_compile_golden.goldens.golden_store import Store
from pytest_compile_golden.goldens.metric_history import thresholds
from pytest_compile_golden.goldens.pending_store import (
    PendingArtifact,
    PendingCase,
    PendingStore,
)
from pytest_compile_golden.goldens.pending_verdicts import find_ahead
from pytest_compile_golden.recordings import compare_cases
from pytest_compile_golden.recordings.from_goldens import Goldens
from pytest_compile_golden.recordings.recording import (
    RecordedCase,
    read_elsewhere,
    write_case,
    write_run,
)
from pytest_compile_golden.report.case_report import outcome_of

OLD, NEW = "2.13.0", "2.15.0"
_ROOT = Path(__file__).parents[1]
_RELEASES = 12
_FILES = 50
"""In how many test files the cases are."""
# A whole number that stands alone: a size, a stride, a line.
_NUMBER = re.compile(r"(?<![\w.])\d{2,5}(?![\w.])")
_Sides = tuple[RecordedCase, RecordedCase]
# Linux counts what a process was forked from for its most memory, unless it is asked for that of what it runs.
_PROGRAM = """
import atexit, sys
from pathlib import Path
from pytest_compile_golden.cli import main

into = sys.argv.pop(1)

def peak():
    print(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0], file=open(into, "w"))

atexit.register(peak)
main([*sys.argv[1:]], prog_name="compile-golden")
"""
_PROJECT = '[tool.pytest.ini_options]\ntestpaths = ["cases"]\n'
_CACHE = "cache"
"""The user's cache, below a project."""
COMMANDS = ("show", "accept", "report", "site")


@dataclass(frozen=True)
class Measured:
    """What one command cost."""

    seconds: float
    """Of processor."""
    mebibytes: float
    """The most resident memory."""
    written: int
    """Bytes, with what was there before."""


def real() -> tuple[list[_Sides], list[_Sides]]:
    """Cases of this repository as two versions of torch have them: those that changed, and the others."""
    project = find_project(_ROOT)
    goldens = Goldens(project.goldens, project.bases)
    sides = [goldens.recording(version) for version in (OLD, NEW)]
    before, after = ({case.folder: case for case in side.cases} for side in sides)
    aside = compare_cases.not_in_both(sides[0].run, sides[1].run)
    changed: list[_Sides] = []
    others: list[_Sides] = []
    for folder in sorted(before.keys() & after.keys()):
        old, new = before[folder], after[folder]
        pairs = list(
            weighed_pairs(
                compare_cases.compared(old, new, OLD, aside), Severities(), new.target
            )
        )
        (changed if outcome_of(pairs) == "changed" else others).append((old, new))
    return changed, others


def made(cases: int, kinds: int | None = None) -> Iterator[_Sides]:
    """Both sides of so many cases, every second of which changed. kinds: how many different ones of each, at most."""
    changed, others = (cycle(each[:kinds]) for each in real())
    for number in range(cases):
        old, new = next((changed, others)[number % 2])
        yield _another(old, number), _another(new, number)


def _another(case: RecordedCase, number: int) -> RecordedCase:
    """The case with another name and other numbers."""
    module, name = f"test_made_{number % _FILES}", f"test_case_{number}"
    return msgspec.structs.replace(
        case,
        folder=PurePosixPath("cases", module, name, case.target),
        nodeid=f"cases/{module}.py::{name}[{case.target}]",
        artifacts=tuple(
            _with_other_numbers(artifact, number) for artifact in case.artifacts
        ),
        keeps=None,
        earlier={},
    )


def _with_other_numbers(artifact: StoredArtifact, number: int) -> StoredArtifact:
    text = _NUMBER.sub(lambda match: str(int(match[0]) + number), artifact.text)
    before, after = (
        hashlib.sha256(each.encode()).hexdigest() for each in (artifact.text, text)
    )
    return msgspec.structs.replace(
        artifact, text=text, evidence=artifact.evidence.replace(before, after)
    )


def make(cases: int, root: Path, kinds: int | None = None) -> None:
    """A project with so many cases: both sides recorded, their goldens, and what is pending of a run on the new torch.

    That run has goldens of its own, in `before`, of the old torch alone. kinds: see `made`.
    """
    (root / "before").mkdir(parents=True)
    (root / "pyproject.toml").write_text(_PROJECT)
    store, pending = Store(root / "before"), PendingStore(root / "pending")
    sides: tuple[list[RecordedCase], list[RecordedCase]] = ([], [])
    for old, new in made(cases, kinds):
        sides[0].append(old)
        sides[1].append(new)
        earlier = {artifact.stem: artifact.text for artifact in old.artifacts}
        for artifact in old.artifacts:
            _put(root / "before", old.folder, artifact, OLD)
            _put(root / "goldens", old.folder, artifact, OLD)
        for artifact in new.artifacts:
            if earlier.get(artifact.stem) != artifact.text:
                _put(root / "goldens", new.folder, artifact, NEW)
        pairs = list(
            weighed_pairs(
                compare_cases.compared(old, new, OLD), Severities(), new.target
            )
        )
        if outcome_of(pairs) == "changed":
            pending.keep(_pending(new, [pair for pair in pairs if pair.differs], store))
    for name, torch, recorded in zip(("old", "new"), (OLD, NEW), sides, strict=True):
        for case in recorded:
            write_case(root / name, case)
        write_run(root / name, read_elsewhere(torch, recorded, []))


def releases(cases: int, root: Path) -> Iterator[Path]:
    """The recording of so many cases that each release makes, below `root`, where the next one takes its place."""
    changed = cycle(real()[0])
    run: list[RecordedCase] = []
    for number in range(cases):
        old, new = (_another(side, number) for side in next(changed))
        write_case(root / "0", old)
        write_case(root / "other", new)
        run.append(msgspec.structs.replace(old, artifacts=()))
    for release in range(_RELEASES):
        here = root / str(release)
        if release:
            (root / str(release - 1)).rename(here)
            for case in run:
                # About half of them, and each time others.
                if crc32(f"{release} {case.folder}".encode()) % 2:
                    _swap(here / case.folder, root / "other" / case.folder)
        write_run(here, read_elsewhere(f"2.14.0.dev202601{release + 1:02}", run, []))
        yield here


def _swap(one: Path, other: Path) -> None:
    aside = one.with_name("aside")
    one.rename(aside)
    other.rename(one)
    aside.rename(other)


def _put(
    root: Path, folder: PurePosixPath, artifact: StoredArtifact, torch: str
) -> None:
    path = GoldenPath(folder, artifact.stem, artifact.extension)
    relative = path.versionless if torch == OLD else path.overlay("2.15")
    head = Header(artifact.stage, torch, None)
    if evidence_file.holds(relative):
        evidence_file.put_golden(Folder(root), relative, head, artifact.text)
        return
    comment = {"cpp": "//"}.get(artifact.extension, "#")
    Folder(root).write(relative, (header_text(head, comment) + artifact.text).encode())
    evidence_file.put(Folder(root), relative, artifact.evidence, head)


def _pending(
    case: RecordedCase, changes: Sequence[Compared], store: Store
) -> PendingCase:
    artifacts = []
    for pair in changes:
        new = pair.kind == "new"
        artifacts.append(
            PendingArtifact(
                stage=pair.stage,
                stem=pair.stem,
                extension=pair.path.suffix.removeprefix("."),
                text=pair.new,
                evidence=pair.known[1],
                kind=pair.kind,  # type: ignore[arg-type]
                golden=None if new else pair.path,
                golden_sha256=None if new else store.fingerprint(pair.path),
                golden_torch=pair.since,
                noted=pair.fails and pair.severity == "note",
            )
        )
    return PendingCase(
        folder=case.folder,
        nodeid=case.nodeid,
        target=case.target,
        goldens="before",
        torch=NEW,
        triton=None,
        normaliser=NORMALISER,
        artifacts=tuple(artifacts),
    )


def find_as_a_run_does(project: Path) -> None:
    """Keep what a run finds about each case that it leaves pending, in the cache of the project."""
    store, pending = Store(project / "before"), PendingStore(project / "pending")
    kept = disk_cache.Results(
        project / _CACHE / "pytest-compile-golden" / "comparisons.sqlite"
    )
    usual = thresholds(store.root)
    with mock.patch.object(disk_cache, "_current", kept):
        for folder in pending.folders():
            find_ahead(pending, pending.case(folder), store, lambda: usual)


def measured(
    arguments: Sequence[str],
    root: Path,
    writes: Sequence[str] = (),
    *,
    cache: Path,
) -> Measured:
    """Run a command in a project, with `cache` as the user's. Raises SystemExit if it fails; that it found differences
    is no failure."""
    with tempfile.TemporaryFile() as output, tempfile.NamedTemporaryFile("r") as peak:
        command = [sys.executable, "-c", _PROGRAM, peak.name, *arguments]
        environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
        # With it, each command would compile our modules again.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        process = subprocess.Popen(
            command,
            cwd=root,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        said = output.read().decode()
        mebibytes = int(peak.read() or 0) / 1024
    if process.returncode not in (0, 1) or "Traceback" in said:
        raise SystemExit(
            f"{' '.join(arguments)} ended with {process.returncode}:\n{said[-3000:]}"
        )
    paths = [
        path
        for name in writes
        for path in [root / name, *(root / name).rglob("*")]
        if path.is_file()
    ]
    size = sum(path.stat().st_size for path in paths)
    return Measured(usage.ru_utime + usage.ru_stime, mebibytes, size)


def _run(name: str, project: Path, cases: int) -> Iterator[tuple[str, Measured]]:
    """A command, or several that belong together, each with what it cost."""
    waiting = ("--pending", "pending", "--goldens", "before")
    with tempfile.TemporaryDirectory(dir=project.parent) as folder:
        copied, new = Path(folder), Path(folder) / "empty"
        if name == "show":
            found = project / _CACHE
            yield "show", measured(["show", *waiting], project, cache=found)
            yield "show elsewhere", measured(["show", *waiting], project, cache=new)
        elif name == "accept":
            for part in ("pending", "before", _CACHE):
                shutil.copytree(project / part, copied / part)
            shutil.copy(project / "pyproject.toml", copied)
            for which in (["accept", "--group", "1"], ["accept"]):
                yield (
                    " ".join(which),
                    measured([*which, *waiting], copied, cache=copied / _CACHE),
                )
        elif name == "report":
            diff = ("diff", "old", "new")
            yield "diff", measured(diff, project, cache=new)
            yield "diff again", measured(diff, project, cache=new)
            for file in ("report.html", "report.md", "report.json"):
                yield (
                    f"diff --report {file}",
                    measured([*diff, "--report", file], project, [file], cache=new),
                )
        else:
            (copied / "pyproject.toml").write_text(_PROJECT)
            names = []
            with mock.patch("os.fsync"):
                for release in releases(cases, copied / "newest"):
                    names.append(f"release-{release.name}")
                    shutil.copytree(release, copied / names[-1], copy_function=os.link)
            site = ("site", *names, "--into", "site")
            yield (
                f"site of {_RELEASES}",
                measured(site, copied, ["site"], cache=new),
            )


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scale", description=__doc__
    )
    parser.add_argument(
        "--cases",
        type=int,
        nargs="+",
        default=[250, 500, 1000],
        help="how many cases, half changed",
    )
    parser.add_argument(
        "--only",
        nargs="+",
        choices=COMMANDS,
        default=COMMANDS,
        help="the commands to run",
    )
    parser.add_argument(
        "--keep",
        type=Path,
        help="a folder for the projects, which are made once and left there",
    )
    given = parser.parse_args()
    print(
        f"{'command':<26} {'changed':>8} {'s':>8} {'s per 1,000':>12} {'MiB':>6} {'KiB written':>12}"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name, cases in product(given.only, given.cases):
            root = (given.keep or Path(folder)) / str(cases)
            root.parent.mkdir(parents=True, exist_ok=True)
            # A site is one of recordings, which are made for it.
            if name != "site" and not root.is_dir():
                unfinished = root.with_name(f"{root.name}.unfinished")
                with mock.patch("os.fsync"):
                    make(cases, unfinished)
                find_as_a_run_does(unfinished)
                unfinished.rename(root)
            changed = cases / 2
            for command, found in _run(name, root, cases):
                print(
                    f"{command:<26} {changed:>8,.0f} {found.seconds:>8.1f} {1000 * found.seconds / changed:>12.2f} "
                    f"{found.mebibytes:>6.0f} {found.written / 1024:>12,.0f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
