"""A case's goldens across torch versions: the oldest, and each overlay against what it overlays."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from packaging.version import Version

from pytest_compile_golden.common.files import Folder
from pytest_compile_golden.goldens import evidence_file
from pytest_compile_golden.goldens.evidence_file import STEM
from pytest_compile_golden.goldens.golden_header import Header, read_golden
from pytest_compile_golden.goldens.golden_paths import (
    NO_BASES,
    OLDEST,
    Bases,
    parse_version,
    stacked,
)

_NAME = re.compile(
    r"(?P<stem>[^@]+)(?:@torch-(?P<release>.+))?\.(?P<extension>[a-z0-9]+)"
)


@dataclass(frozen=True)
class Recorded:
    """One golden of an artifact: the torch version it counts from, and its text."""

    path: PurePosixPath
    release: str | None
    """None for a golden that counts from the oldest version on."""
    header: Header
    body: str
    evidence: str
    """What is known about the text besides, as `formats.evidence` writes it."""

    @property
    def since(self) -> Version:
        """The version from which on it holds."""
        return OLDEST if self.release is None else parse_version(self.release)


@dataclass(frozen=True)
class Series:
    """All goldens of one artifact, oldest version first, whether its target's own or its base's."""

    folder: PurePosixPath
    stem: str
    goldens: tuple[Recorded, ...]

    @property
    def stage(self) -> str:
        """The name of the stage that these are goldens of."""
        return self.stem.partition(".")[0]


def cases(root: Path) -> Iterator[PurePosixPath]:
    """The folders of all cases that have goldens, in order."""
    folders = {path.parent for path in golden_files(root)}
    yield from sorted(
        PurePosixPath(folder.relative_to(root).as_posix()) for folder in folders
    )


def golden_files(root: str | Path, stage: str = "") -> Iterator[Path]:
    """Every file in a goldens folder that may be a golden, which excludes links and temporary files.

    stage: only those whose names begin with it.
    """
    for entry in _entries(root):
        if entry.is_dir(follow_symlinks=False):
            yield from golden_files(entry.path, stage)
        elif (
            entry.name.startswith(stage)
            and entry.is_file(follow_symlinks=False)
            and not entry.name.startswith(".")
        ):
            yield Path(entry.path)


def _entries(folder: str | Path) -> list[os.DirEntry[str]]:
    """The entries of a folder, sorted by name; none if there is no such folder."""
    # An entry knows its kind: asking each path for it takes longer than reading the files.
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return []


def series(
    root: Path,
    folder: PurePosixPath,
    wanted: Callable[[str], bool] = lambda stage: True,
    bases: Bases = NO_BASES,
) -> list[Series]:
    """The goldens of one case by artifact. Raises GoldenError if a file is damaged or not ours."""
    by_artifact: dict[tuple[str, str], list[Recorded]] = {}
    for path in reversed([folder, *bases.below(folder)]):
        for artifact, own in _own(root, path, wanted).items():
            by_artifact[artifact] = stacked(
                own, by_artifact.get(artifact, ()), lambda golden: golden.since
            )
    return [
        Series(folder, stem, tuple(goldens))
        for (stem, _), goldens in sorted(by_artifact.items())
    ]


def _own(
    root: Path, folder: PurePosixPath, wanted: Callable[[str], bool]
) -> dict[tuple[str, str], list[Recorded]]:
    """The goldens in a folder by stem and file type, oldest first."""
    by_artifact: dict[tuple[str, str], list[Recorded]] = {}

    def is_wanted(stem: str) -> bool:
        return wanted(stem.partition(".")[0])

    root_folder = Folder(root)
    goldens: list[tuple[str, re.Match[str]]] = []
    evidences: list[tuple[str, re.Match[str]]] = []
    for entry in _entries(root_folder.inside(folder)):
        name = _NAME.fullmatch(entry.name)
        if name is not None and not entry.name.startswith(".") and entry.is_file():
            (evidences if name["stem"] == STEM else goldens).append((entry.name, name))
    known = {
        name["release"]: evidence_file.read(root_folder, folder / file)
        for file, name in evidences
    }
    for file, name in goldens:
        if is_wanted(name["stem"]):
            facts = known.get(name["release"], {}).get(name["stem"], "")
            head, body = read_golden(root_folder, folder / file)
            golden = Recorded(folder / file, name["release"], head, body, facts)
            by_artifact.setdefault((name["stem"], name["extension"]), []).append(golden)
    for file, name in evidences:
        # What has no text of its own.
        for path, facts in evidence_file.held_in(
            folder / file, known[name["release"]]
        ).items():
            stem = stem_of(path.name)
            if stem is not None and is_wanted(stem):
                golden = Recorded(
                    path, name["release"], *evidence_file.golden(root, path, facts), ""
                )
                by_artifact.setdefault((stem, name["extension"]), []).append(golden)
    return {
        artifact: sorted(goldens, key=lambda golden: golden.since)
        for artifact, goldens in by_artifact.items()
    }


def of_bases(
    cases: Iterable[PurePosixPath], bases: Bases
) -> dict[PurePosixPath, list[PurePosixPath]]:
    """For each case folder, those of targets that have it as a base and that do not exist.

    A target whose goldens all equal its base's has no folder: the goldens do not say whether it has that case.
    """
    there = dict.fromkeys(cases)
    return {
        folder: [above for above in bases.above(folder) if above not in there]
        for folder in there
    }


def stem_of(name: str) -> str | None:
    """The name of a golden and all its overlays without version and file type; None for other files."""
    match = _NAME.fullmatch(name)
    return None if match is None else match["stem"]


def nodeids(folder: PurePosixPath) -> tuple[str, ...]:
    """pytest's possible ids of a folder's case; a shortened name cannot be recovered."""
    if len(folder.parts) < 3:
        return ()
    *module, test, target = folder.parts
    file = "/".join(module) + ".py"
    bare, bracket, parameters = test.partition("[")
    classes = bare.replace(".", "::")
    inside = f"{parameters.removesuffix(']')}-{target}" if bracket else target
    return (f"{file}::{classes}[{inside}]",)
