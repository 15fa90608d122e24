"""Digests of files as they are now, each read once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from pytest_compile_golden.goldens.layout import Bases


class Contents:
    """The files of a project and its goldens, at one moment of a run."""

    def __init__(self, root: Path, goldens: Path, bases: Bases) -> None:
        self._root = root
        self._goldens = goldens
        self._bases = bases
        self._files: dict[Path, str] = {}
        self._folders: dict[PurePosixPath, str] = {}

    def of_files(self, names: Iterable[str]) -> str:
        """A digest of files by their names under the project's root; a missing file counts like any other contents."""
        return digest(part for name in names for part in (name, self._file(self._root / name)))

    def of_goldens(self, folder: str) -> str:
        """A digest of all goldens that count for the case of this folder."""
        own_folder = PurePosixPath(folder)
        return digest(self._folder(case_folder) for case_folder in (own_folder, *self._bases.below(own_folder)))

    def newer(self, names: Iterable[str], since: float) -> bool:
        """Whether any of the files was written after this time, in seconds since the epoch."""
        return any(_written(self._root / name) > since for name in names)

    def newer_goldens(self, folder: str, since: float) -> bool:
        own_folder = PurePosixPath(folder)
        folders = [self._goldens / case_folder for case_folder in (own_folder, *self._bases.below(own_folder))]
        return any(_written(path) > since for base in folders for path in (base, *_children(base)))

    def _folder(self, folder: PurePosixPath) -> str:
        if folder not in self._folders:
            paths = _children(self._goldens / folder)
            self._folders[folder] = digest(part for path in paths for part in (path.name, self._file(path)))
        return self._folders[folder]

    def _file(self, path: Path) -> str:
        if path not in self._files:
            try:
                self._files[path] = hashlib.sha256(path.read_bytes()).hexdigest()
            except OSError:
                self._files[path] = ""
        return self._files[path]


def digest(facts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(facts).encode("utf-8", "surrogateescape")).hexdigest()


def _children(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
