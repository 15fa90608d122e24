"""The pending store: what failing cases leave, each artifact with its golden, until it is accepted or rejected."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath

import msgspec

from pytest_compile_golden import documents
from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.goldens import case_files, fields, files
from pytest_compile_golden.goldens.case_files import StoredArtifact
from pytest_compile_golden.goldens.layout import GoldenPath
from pytest_compile_golden.vocabulary import ChangeKind

FORMAT = 1


class PendingArtifact(StoredArtifact, frozen=True, kw_only=True):
    """One artifact waiting for a verdict, with the golden it was compared with."""

    kind: ChangeKind
    golden: PurePosixPath | None
    """Relative to the goldens folder; None if there was no golden."""
    golden_sha256: fields.Text | None
    golden_torch: fields.Version | None
    noted: bool = False
    """Whether it did not fail its case."""
    same_machine_code: bool = False
    """For kernels: whether the run found that the GPU gets the same code as before."""


class PendingCase(msgspec.Struct, frozen=True, kw_only=True, rename={"folder": "case"}):
    """What one failing case left behind."""

    format: int = FORMAT
    folder: PurePosixPath
    """The case's id: its folder under the goldens folder, and under the pending one."""
    nodeid: fields.Text
    target: fields.Text
    goldens: fields.Text
    """The goldens folder of that run, relative to its root folder if it is inside."""
    torch: fields.Version
    triton: fields.Version | None
    normaliser: int
    known: tuple[fields.Text, ...] = ()
    """The inputs whose values its programs asked for."""
    moved_from: PurePosixPath | None = None
    """If the case has no goldens, the folder of goldens that look like its own under another name."""
    accepted: tuple[fields.Text, ...] = ()
    """Marks of its distinct changes that were accepted while others are still waiting."""
    artifacts: tuple[PendingArtifact, ...]

    def golden_path(self, artifact: PendingArtifact) -> GoldenPath:
        return GoldenPath(self.folder, artifact.stem, artifact.extension)

    def check(self) -> None:
        """Raises ValueError if it names something that no run would name."""
        fields.check_line(self.target)
        fields.check_line(self.goldens)
        fields.check_version(self.torch)
        if self.moved_from is not None:
            fields.check_folder(self.moved_from)
        for artifact in self.artifacts:
            if artifact.golden is not None:
                fields.check_golden(artifact.golden, self.golden_path(artifact))


DOCUMENT = documents.Document(
    PendingCase,
    FORMAT,
    GoldenError,
    outdated="Run the case again with this version of pytest-compile-golden.",
    advice="Run the case again, or reject it.",
)


class PendingStore:
    """A folder with one folder per failing case: a JSON file, and the artifacts' texts as plain files.

    Each case has its own folder and is written by the one process that ran it, so workers need no lock.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def keep(self, case: PendingCase) -> None:
        """Store `case` in place of whatever was pending for it."""
        folder = case_files.write(self.root, case, "pending")
        self._sweep(folder, {case_files.NAME, *(artifact.name for artifact in case.artifacts if artifact.text)})

    def clear(self, folder: PurePosixPath) -> None:
        """Remove everything pending for the case of that folder, its JSON file first."""
        where = files.inside(self.root, folder, "pending")
        if not where.is_dir():
            return
        files.remove(where / case_files.NAME)
        self._sweep(where, set())
        files.remove_empty(where, self.root)

    def drop(self, case: PendingCase, done: Collection[PendingArtifact]) -> None:
        """Remove `done` from a case, and the case if only cosmetic differences are left: there is nothing to decide."""
        remaining = tuple(artifact for artifact in case.artifacts if artifact not in done)
        if all(artifact.kind == "cosmetic" for artifact in remaining):
            self.clear(case.folder)
        else:
            self.keep(msgspec.structs.replace(case, artifacts=remaining))

    def clear_damaged(self) -> int:
        """Remove the cases that `read` cannot read, and return how many there were."""
        damaged = [folder for folder, case in self._read() if isinstance(case, GoldenError)]
        for folder in damaged:
            self.clear(folder)
        return len(damaged)

    def read(self) -> tuple[list[PendingCase], list[GoldenError]]:
        """All pending cases by folder, and one error for each that cannot be read."""
        read = [case for _, case in self._read()]
        cases = [case for case in read if isinstance(case, PendingCase)]
        return cases, [error for error in read if isinstance(error, GoldenError)]

    def _read(self) -> Iterator[tuple[PurePosixPath, PendingCase | GoldenError]]:
        for folder in case_files.folders(self.root):
            try:
                yield folder, case_files.read(self.root, folder, DOCUMENT, "pending")
            except GoldenError as error:
                yield folder, error

    def _sweep(self, folder: Path, kept: Collection[str]) -> None:
        """Remove what an earlier run, or a killed one, left in a case's folder."""
        for path in folder.iterdir():
            if path.name not in kept and not path.is_dir():
                files.remove(path)
