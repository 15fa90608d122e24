"""What is remembered about cases that passed: one file per surroundings, in a folder in pytest's cache."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.goldens import files
from pytest_compile_golden.unchanged.contents import Contents

_KEPT = 8
"""For how many surroundings: several torch versions, a few sets of options."""


class Passed(msgspec.Struct, frozen=True):
    """A case that passed."""

    folder: str
    goldens: str
    """A digest of the goldens that it was compared with."""


class Module(msgspec.Struct, frozen=True):
    """A test file whose cases passed."""

    files: tuple[str, ...]
    """What it depends on, itself included, under the project's root."""
    digest: str
    """Of the contents of these files."""
    passed: dict[str, Passed]
    """By nodeid."""
    cases: dict[str, str] | None
    """All cases in it by nodeid, each with its folder; None if only some were collected, or if it has other tests."""


class Record:
    """The cases that passed in the given surroundings."""

    def __init__(self, folder: Path, surroundings: str) -> None:
        self._path = folder / f"{surroundings[:16]}.json"
        self.modules: dict[str, Module] = {}
        # If the file is missing or damaged, nothing is known.
        with suppress(OSError, ValueError):
            self.modules = msgspec.json.decode(self._path.read_bytes(), type=dict[str, Module])

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
        self.modules[name] = Module(names, contents.of_files(names), dict(passed), cases)

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
            records = sorted(self._path.parent.glob("*.json"), key=lambda path: -path.stat().st_mtime)
            for path in records[_KEPT:]:
                path.unlink()
        except OSError as error:
            raise GoldenError(f"cannot clear {self._path.parent}: {error}.") from error
