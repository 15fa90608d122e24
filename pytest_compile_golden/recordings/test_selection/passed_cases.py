"""What is remembered about cases that passed: one file per surroundings, in a folder in pytest's cache."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath

import msgspec

from pytest_compile_golden.common import files
from pytest_compile_golden.common.digest import of_texts
from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.goldens.golden_paths import Bases

# What may name a variable, however it is then read: a string, or the beginning of one (`f"APP_{key}"`, `"APP_" + key`).
_STRING = re.compile(rb"""["'](\w*[A-Za-z]\w*)(?=["'{])""")
_BLOCK = 1 << 20
"""Bytes of a file that are read at once."""
_KEPT = 8
"""For how many surroundings: several torch versions, a few sets of options."""


class Contents:
    """The files of a project and its goldens, at one moment of a run.

    environment: the variables that the run was started with; what a file may read of them belongs to its contents.
    """

    def __init__(
        self, root: Path, goldens: Path, bases: Bases, environment: Mapping[str, str]
    ) -> None:
        self._root = root
        self._environment = environment
        self._goldens = goldens
        self._bases = bases
        self._files: dict[Path, str] = {}
        self._sources: dict[Path, str] = {}
        self._folders: dict[PurePosixPath, str] = {}

    def of_files(self, names: Iterable[str]) -> str:
        """A digest of files by their names under the project's root, with the values of the variables they may read.

        A missing file counts like any other contents.
        """
        return of_texts(
            part for name in names for part in (name, self._source(self._root / name))
        )

    def of_goldens(self, folder: str) -> str:
        """A digest of all goldens that count for the case of this folder."""
        own_folder = PurePosixPath(folder)
        return of_texts(
            self._folder(case_folder)
            for case_folder in (own_folder, *self._bases.below(own_folder))
        )

    def newer(self, names: Iterable[str], since: float) -> bool:
        """Whether any of the files was written after this time, in seconds since the epoch."""
        return any(_written(self._root / name) > since for name in names)

    def newer_goldens(self, folder: str, since: float) -> bool:
        """Whether a golden of a case, or of its target's bases, was written after `since`, by `time.time`."""
        own_folder = PurePosixPath(folder)
        folders = [
            self._goldens / case_folder
            for case_folder in (own_folder, *self._bases.below(own_folder))
        ]
        return any(
            _written(path) > since
            for base in folders
            for path in (base, *_children(base))
        )

    def _folder(self, folder: PurePosixPath) -> str:
        if folder not in self._folders:
            paths = _children(self._goldens / folder)
            self._folders[folder] = of_texts(
                part for path in paths for part in (path.name, self._file(path))
            )
        return self._folders[folder]

    def _source(self, path: Path) -> str:
        if path not in self._sources:
            try:
                strings = {
                    match.decode() for match in _STRING.findall(path.read_bytes())
                }
            except OSError:
                strings = set()
            beginnings = tuple(text for text in strings if text.endswith("_"))
            variables = (
                f"{name}={value}"
                for name, value in sorted(self._environment.items())
                if name in strings or name.startswith(beginnings)
            )
            self._sources[path] = of_texts([self._file(path), *variables])
        return self._sources[path]

    def _file(self, path: Path) -> str:
        if path not in self._files:
            self._files[path] = file_digest(path)
        return self._files[path]


def file_digest(path: Path) -> str:
    """Of a file's contents; empty if it cannot be read."""
    made = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                made.update(block)
    except OSError:
        return ""
    return made.hexdigest()


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


class Passed(msgspec.Struct, frozen=True):
    """A case that passed."""

    folder: str
    goldens: str
    """A digest of the goldens that it was compared with."""


class PassedModule(msgspec.Struct, frozen=True):
    """A test file whose cases passed."""

    files: tuple[str, ...]
    """What it depends on, itself included, under the project's root."""
    digest: str
    """Of the contents of these files."""
    passed: dict[str, Passed]
    """By nodeid."""
    cases: dict[str, str] | None
    """All cases in it by nodeid, each with its folder; None if only some were collected, or if it has other tests."""


class PassingRecord:
    """The cases that passed in the given surroundings."""

    def __init__(self, folder: Path, surroundings: str) -> None:
        self._path = folder / f"{surroundings[:16]}.json"
        self.modules: dict[str, PassedModule] = {}
        # If the file is missing or damaged, nothing is known.
        with suppress(OSError, ValueError):
            self.modules = msgspec.json.decode(
                self._path.read_bytes(), type=dict[str, PassedModule]
            )

    def unchanged(self, contents: Contents) -> dict[str, dict[str, str]]:
        """For each unchanged test file, its unchanged cases by nodeid, each with its folder."""
        unchanged_cases = {}
        for name, module in self.modules.items():
            if contents.of_files(module.files) == module.digest:
                unchanged_cases[name] = {
                    nodeid: passed.folder
                    for nodeid, passed in module.passed.items()
                    if contents.of_goldens(passed.folder) == passed.goldens
                }
        return unchanged_cases

    def keep(
        self,
        name: str,
        depends: Iterable[str],
        passed: Mapping[str, Passed],
        cases: dict[str, str] | None,
        contents: Contents,
    ) -> None:
        """Remember cases of the test file `name` that passed with the current contents of `depends` and their goldens.

        cases: all that it has, as in `Module`; None if that is not known.
        """
        old = self.modules.get(name)
        if old is not None and contents.of_files(old.files) == old.digest:
            depends, passed = {*depends, *old.files}, {**old.passed, **passed}
            cases = old.cases if cases is None else cases
        names = tuple(sorted(depends))
        self.modules[name] = PassedModule(
            names, contents.of_files(names), dict(passed), cases
        )

    def forget(self, nodeids: Collection[str]) -> None:
        """Forget everything about these cases."""
        for nodeid in nodeids:
            module = self.modules.get(nodeid.partition("::")[0])
            if module is not None:
                module.passed.pop(nodeid, None)

    def write(self) -> None:
        """Write the record. Raises GoldenError if the folder cannot be written to."""
        files.write(self._path, msgspec.json.encode(self.modules).decode(), "record")
        try:
            records = sorted(
                self._path.parent.glob("*.json"), key=lambda path: -path.stat().st_mtime
            )
            for path in records[_KEPT:]:
                path.unlink()
        except OSError as error:
            raise GoldenError(f"cannot clear {self._path.parent}: {error}.") from error
