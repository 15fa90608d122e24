"""The pending store: what failing cases left behind, until someone accepts or rejects it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath

import msgspec

from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.goldens import case_files, files
from pytest_compile_golden.goldens.pending_case import DOCUMENT, PendingArtifact, PendingCase


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
