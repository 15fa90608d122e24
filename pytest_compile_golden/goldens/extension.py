"""Goldens as syrupy snapshots: which file one is in, and how it is read, matched, written and deleted.

Everything goes through syrupy's public interface, so its summary, exit status and `--snapshot-*` options treat goldens
like any other snapshots. What that interface cannot express is added here:

- An extension sees a text and a name, but a golden depends on the running torch and on the kinds of change that the run
  accepts. So artifacts are compared before syrupy asks (`Comparison`), and the results are handed out one by one.
- One assertion is one snapshot. `assert capture == golden` makes one per stage (`assertion.py`).
- syrupy considers everything unused that it discovers and no test asserted, even in a run that failed or left cases
  out. So the plugin decides first (`RunGoldens`), and discovery only returns what is unused by its rules.
- xdist's controller has no place for an extension, and a worker cannot know whether the whole run is complete. There,
  and if no case asserted anything, syrupy does not ask, and the plugin does the same work instead.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

import pytest
from syrupy.data import Snapshot, SnapshotCollection, SnapshotCollections
from syrupy.exceptions import TaintedSnapshotError
from syrupy.extensions.base import AbstractSyrupyExtension
from syrupy.location import PyTestLocation

from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.goldens import unused
from pytest_compile_golden.goldens.compare import Comparison
from pytest_compile_golden.goldens.history import golden_files

_T = TypeVar("_T")


@dataclass
class RunGoldens:
    """What syrupy may know about the goldens of a run."""

    root: Path
    deletes: bool = False
    """Whether syrupy may delete unused snapshots at the end."""
    unused: list[PurePosixPath] | None = None
    """What syrupy is to count as unused; None while tests run."""
    asked: bool = False
    """Whether syrupy asked for the unused ones."""
    problems: list[str] = field(default_factory=list)
    """Unused goldens that syrupy could not delete, in words."""


RUN: pytest.StashKey[RunGoldens] = pytest.StashKey()
"""Stashed in the config of a run with the plugin on."""
FOLDER: pytest.StashKey[PurePosixPath] = pytest.StashKey()
"""Stashed in the item of a case: the folder of its goldens."""


class _Text(str):
    """An artifact's text that knows how to become a golden: syrupy writes through a class, which has no state."""

    comparison: Comparison


class GoldenExtension(AbstractSyrupyExtension):
    """A collection is the folder of a test file's goldens; a snapshot in it is `<test>/<target>/<stage>.<ext>`."""

    write_immediately = True
    comparison: Comparison | None = None
    """What the next assertion is about."""
    _run: RunGoldens | None = None

    def serialize(self, data: Comparison, **_: Any) -> str:
        text = _Text("" if data.compared is None else data.compared.new)
        text.comparison = data
        return text

    def matches(self, *, serialized_data: Any, snapshot_data: Any) -> bool:
        return bool(serialized_data.comparison.passes)

    @classmethod
    def get_location(cls, *, test_location: PyTestLocation, index: int | str) -> str:
        return str(_run(test_location).root / _folder(test_location).parents[1])

    @classmethod
    def get_snapshot_name(cls, *, test_location: PyTestLocation, index: int | str = 0) -> str:
        folder = _folder(test_location)
        return f"{folder.parent.name}/{folder.name}/{index}"

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        return str(_run(test_location).root)

    def read_snapshot_data_from_location(self, **_: Any) -> str | None:
        comparison = self.comparison
        assert comparison is not None
        if comparison.error is not None:
            raise comparison.error
        if comparison.damaged:
            raise TaintedSnapshotError("")
        found = comparison.compared
        return None if found is None or found.kind == "new" else found.old

    @classmethod
    def write_snapshot_collection(cls, *, snapshot_collection: SnapshotCollection, **_: Any) -> None:
        for snapshot in snapshot_collection:
            assert isinstance(snapshot.data, _Text) and snapshot.data.comparison.write is not None
            snapshot.data.comparison.write()

    def discover_snapshots(self, *, test_location: PyTestLocation, **_: Any) -> SnapshotCollections:
        run = self._run = _run(test_location)
        by_module: dict[PurePosixPath, list[PurePosixPath]] = defaultdict(list)
        for path in _discovered(run):
            by_module[path.parents[2]].append(path)
        collections = SnapshotCollections()
        for module, paths in by_module.items():
            collection = SnapshotCollection(location=str(run.root / module))
            for path in paths:
                collection.add(Snapshot(name=path.relative_to(module).as_posix()))
            collections.add(collection)
        return collections

    def read_snapshot_collection(self, *, snapshot_location: str) -> SnapshotCollection:
        collection = SnapshotCollection(location=snapshot_location)
        for path in golden_files(Path(snapshot_location)):
            collection.add(Snapshot(name=path.relative_to(snapshot_location).as_posix()))
        return collection

    def delete_snapshots(self, *, snapshot_location: str, snapshot_names: set[str]) -> None:
        assert self._run is not None
        module = PurePosixPath(Path(snapshot_location).relative_to(self._run.root).as_posix())
        # Names that syrupy made up, or took from elsewhere, are not ours.
        wanted = {module / name for name in snapshot_names}.intersection(self._run.unused or ())
        self._run.problems += unused.prune(self._run.root, sorted(wanted))


def _discovered(run: RunGoldens) -> list[PurePosixPath]:
    if run.unused is not None:
        run.asked = True
        return run.unused
    if not run.deletes or not run.root.is_dir():
        return []
    # While tests run, syrupy only notes who deletes at which location.
    paths = [PurePosixPath(path.relative_to(run.root).as_posix()) for path in golden_files(run.root)]
    return [path for path in paths if len(path.parts) > 3]


def _run(test_location: PyTestLocation) -> RunGoldens:
    return _in_a_case(test_location.item.config.stash.get(RUN, None))


def _folder(test_location: PyTestLocation) -> PurePosixPath:
    return _in_a_case(test_location.item.stash.get(FOLDER, None))


def _in_a_case(value: _T | None) -> _T:
    if value is None:
        raise GoldenError("goldens can only be compared through the `golden` fixture, in a run with --compile-golden.")
    return value
