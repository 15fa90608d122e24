"""Cases captured under a planted change, each with its goldens, to be compared again without torch."""

from __future__ import annotations

import contextlib
import lzma
from collections.abc import Generator, Iterable, Sequence
from pathlib import Path, PurePosixPath

import msgspec
import pytest

from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.goldens.compare_artifact import Compared, compare
from pytest_compile_golden.goldens.golden_header import Header
from pytest_compile_golden.goldens.golden_paths import GoldenPath
from pytest_compile_golden.goldens.golden_store import StoredGolden
from pytest_compile_golden.plugin.hookspecs import CASE
from pytest_compile_golden.stages import stage_of


class Artifact(msgspec.Struct, frozen=True, omit_defaults=True):
    """One artifact as its run compared it."""

    stage: str
    golden: str
    """The path of its golden."""
    old: str
    new: str | None = None
    """None if it is as its golden is."""
    since: str | None = None
    """The torch that wrote the golden; None if there was none."""
    known: tuple[str, str] = ("", "")
    locations: tuple[tuple[str, str], ...] = ()
    alike: str = ""
    """What the run found out by compiling both sides to machine code."""


class Planted(msgspec.Struct, frozen=True):
    """One case under one change."""

    change: str
    """The name of the change that was made to torch's compiler."""
    nodeid: str
    folder: str
    target: str
    artifacts: tuple[Artifact, ...]

    def compared(self) -> list[Compared]:
        """The artifacts compared by the code as it is now; their severities are not decided yet."""
        return [self._compared(artifact) for artifact in self.artifacts]

    def _compared(self, artifact: Artifact) -> Compared:
        path, folder = PurePosixPath(artifact.golden), PurePosixPath(self.folder)
        stage = stage_of(artifact.stage, path.suffix.removeprefix("."))
        golden_path = GoldenPath(folder, path.stem.partition("@")[0], stage.extension)
        new = artifact.old if artifact.new is None else artifact.new
        golden = None
        if artifact.since is not None:
            golden = StoredGolden(
                path, Header(artifact.stage, artifact.since, None), artifact.old
            )
        found = compare(stage, golden_path, golden, new)
        found.known, found.locations = artifact.known, artifact.locations
        found.alike = artifact.alike if found.fails else ""
        return found


class Keeper:
    """A pytest plugin that appends each case with a text that is not its golden's to a file, a line per case."""

    def __init__(self, into: Path, change: str) -> None:
        self.into, self.change = into, change

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        case = item.stash.get(CASE, None)
        if report.when != "call" or case is None:
            return report
        compared = case.compared
        if report.failed:
            # A test that failed earlier, for an invariant, or because torch did.
            with contextlib.suppress(CompileGoldenError):
                compared = compared or case.unchecked()
        if any(pair.old != pair.new for pair in compared):
            kept = Planted(
                self.change,
                case.nodeid,
                str(case.folder),
                case.target,
                tuple(map(_artifact, compared)),
            )
            with self.into.open("ab") as lines:
                lines.write(msgspec.json.encode(kept) + b"\n")
        return report


def _artifact(pair: Compared) -> Artifact:
    new = None if pair.new == pair.old else pair.new
    return Artifact(
        pair.stage,
        str(pair.path),
        pair.old,
        new,
        pair.since,
        pair.known,
        pair.locations,
        pair.alike,
    )


def read(file: Path) -> list[Planted]:
    """The cases of a file as `Keeper` writes it, or as `pack` does."""
    data = file.read_bytes()
    if file.suffix == ".xz":
        data = lzma.decompress(data)
    return msgspec.json.Decoder(Planted).decode_lines(data)


def pack(cases: Iterable[Planted], into: Path) -> None:
    """Write cases as one compressed file, in an order that puts similar texts next to each other."""
    ordered: Sequence[Planted] = sorted(
        cases, key=lambda case: (case.nodeid, case.change)
    )
    data = b"".join(msgspec.json.encode(case) + b"\n" for case in ordered)
    into.write_bytes(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))
