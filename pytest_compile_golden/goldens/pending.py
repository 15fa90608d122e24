"""The pending store: what failing cases left behind, until someone accepts or rejects it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path, PurePosixPath

from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.goldens import files, manifest
from pytest_compile_golden.goldens.manifest import PendingArtifact, PendingCase


class PendingStore:
    """A folder with one folder per failing case: a manifest, and the artifacts' texts as plain files.

    Each case has its own folder and is written by the one process that ran it, so workers need no lock.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def keep(self, case: PendingCase) -> None:
        """Make `case` what is pending for it. The manifest comes last: until it is there, nothing is pending."""
        folder = files.inside(self.root, case.folder, "pending")
        for artifact in case.artifacts:
            if artifact.text:
                files.write(folder / manifest.text_name(artifact), artifact.text, "pending artifact")
        files.write(folder / manifest.NAME, manifest.render(case), "pending artifact")
        self._sweep(folder, {manifest.NAME, *(manifest.text_name(each) for each in case.artifacts if each.text)})

    def clear(self, folder: PurePosixPath) -> None:
        """Forget what is pending for the case of that folder; the manifest goes first."""
        where = files.inside(self.root, folder, "pending")
        if not where.is_dir():
            return
        files.remove(where / manifest.NAME)
        self._sweep(where, set())
        files.remove_empty(where, self.root)

    def drop(self, case: PendingCase, done: Collection[PendingArtifact]) -> None:
        """Take `done` out of a case; with only cosmetic differences left there is nothing to decide."""
        rest = tuple(each for each in case.artifacts if each not in done)
        if all(each.kind == "cosmetic" for each in rest):
            self.clear(case.folder)
        else:
            self.keep(replace(case, artifacts=rest))

    def clear_damaged(self) -> int:
        """Forget the cases that `read` cannot read; gives how many."""
        folders = [folder for folder in self._folders() if isinstance(self._case(folder), GoldenError)]
        for folder in folders:
            self.clear(folder)
        return len(folders)

    def read(self) -> tuple[list[PendingCase], list[GoldenError]]:
        """All pending cases by folder, and one error for each that cannot be read."""
        cases, errors = [], []
        for folder in self._folders():
            case = self._case(folder)
            if isinstance(case, GoldenError):
                errors.append(case)
            else:
                cases.append(case)
        return cases, errors

    def _folders(self) -> list[PurePosixPath]:
        return sorted(
            PurePosixPath(path.parent.relative_to(self.root).as_posix()) for path in self.root.rglob(manifest.NAME)
        )

    def _case(self, folder: PurePosixPath) -> PendingCase | GoldenError:
        try:
            case = self._read(folder)
        except GoldenError as error:
            return error
        if case.folder != folder:
            return GoldenError(
                f"{self.root / folder} holds case {case.folder}. Put it in its own folder, or reject it."
            )
        return case

    def _read(self, folder: PurePosixPath) -> PendingCase:
        where = files.inside(self.root, folder, "pending")
        texts = {}
        for path in where.iterdir():
            if path.is_file() and not path.is_symlink() and not path.name.startswith("."):
                # A text that is not UTF-8 does not match its digest, which names it.
                texts[path.name] = (files.read(path) or b"").decode("utf-8", "replace").replace("\r\n", "\n")
        return manifest.parse(texts.get(manifest.NAME, ""), texts, str(where / manifest.NAME))

    def _sweep(self, folder: Path, kept: Collection[str]) -> None:
        """Remove what an earlier run, or a killed one, left in a case's folder."""
        for path in folder.iterdir():
            if path.name not in kept and not path.is_dir():
                files.remove(path)
