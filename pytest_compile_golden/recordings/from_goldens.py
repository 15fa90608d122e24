"""What the goldens say about one torch version, as if a run on it had been recorded."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from pathlib import Path, PurePosixPath

from packaging.version import Version

from pytest_compile_golden.common import format_version
from pytest_compile_golden.errors import UnknownSide
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.goldens import golden_history
from pytest_compile_golden.goldens.case_files import StoredArtifact
from pytest_compile_golden.goldens.golden_history import Recorded, Series
from pytest_compile_golden.goldens.golden_paths import (
    NO_BASES,
    Bases,
    held_on,
    parse_version,
)
from pytest_compile_golden.goldens.golden_store import ABSENT
from pytest_compile_golden.recordings.recording import (
    RecordedCase,
    Recording,
    read_elsewhere,
)


class Goldens:
    """A folder of goldens, each of which is read once, however many versions are asked about.

    bases: as declared by the project that the goldens belong to.
    """

    def __init__(self, root: Path, bases: Bases = NO_BASES) -> None:
        self.root = root
        self.bases = bases
        self._cases: list[PurePosixPath] | None = None
        self._series: dict[PurePosixPath, list[Series]] = {}
        self._lock = threading.Lock()

    def recording(
        self, torch: str, others: Collection[PurePosixPath] = ()
    ) -> Recording:
        """Every case with the goldens that a run on `torch` would use.

        others: folders of cases that are known from elsewhere. If a case has no goldens for its own target, but its
        target's base has some, it is included with those; goldens alone do not say that there is such a case.
        Raises GoldenError for a damaged golden, UnknownSide if no version as old or as new as `torch` was ever
        accepted.
        """
        running = parse_version(torch)
        with self._lock:  # sides are read by several threads
            by_folder = self._by_folder(others)
        _check_known(self.root, running, by_folder)
        cases = tuple(
            case
            for folder, every in by_folder.items()
            if (case := _case(folder, every, running)) is not None
        )
        # From all versions: a stage that one of them lacks is a difference.
        stages = {
            series.goldens[0].header.stage
            for every in by_folder.values()
            for series in every
        }
        return Recording(read_elsewhere(torch, cases, sorted(stages)), cases)

    def _by_folder(
        self, others: Collection[PurePosixPath]
    ) -> dict[PurePosixPath, list[Series]]:
        if self._cases is None:
            self._cases = list(golden_history.cases(self.root))
        folders = sorted({*self._cases, *others})
        for folder in folders:
            if folder not in self._series:
                self._series[folder] = golden_history.series(
                    self.root, folder, bases=self.bases
                )
        return {folder: every for folder in folders if (every := self._series[folder])}


def _check_known(
    root: Path, running: Version, by_folder: Mapping[PurePosixPath, Sequence[Series]]
) -> None:
    named = {
        golden.header.torch
        for every in by_folder.values()
        for series in every
        for golden in series.goldens
    }
    if not named:
        raise UnknownSide(f"there are no goldens in {root}.")
    wrote = list(map(parse_version, named))
    oldest, newest = min(wrote), max(wrote)
    if (
        not (oldest.major, oldest.minor)
        <= (running.major, running.minor)
        <= (newest.major, newest.minor)
    ):
        known = f"from {oldest} to {newest}. Name one of these, or one in between."
        if oldest == newest:
            known = f"on {oldest} alone. Accept them on {running}, too: pytest --compile-golden --snapshot-update."
        raise UnknownSide(
            f"the goldens in {root} say nothing about torch {running}: they were accepted {known}"
        )


def _case(
    folder: PurePosixPath, every: list[Series], running: Version
) -> RecordedCase | None:
    """The case as on the version that runs; None if it was first accepted on a later one."""
    held = [
        (series.stem, [golden for golden in series.goldens if golden.since <= running])
        for series in every
    ]
    if not any(goldens for _, goldens in held):
        return None
    nodeid = next(iter(golden_history.nodeids(folder)), str(folder))
    used = [
        (stem, goldens[-1])
        for stem, goldens in held
        if goldens and goldens[-1].body != ABSENT
    ]
    return RecordedCase(
        folder,
        nodeid,
        folder.name,
        "passed",
        None,
        None,
        tuple(_artifact(stem, golden, running) for stem, golden in used),
        keeps=tuple(stem for stem, _ in held),
        earlier={
            stem: tuple(
                (held_on(golden.header.torch, later.since), _body(golden))
                for golden, later in reversed(list(pairwise(goldens)))
            )
            for stem, goldens in held
        },
    )


def _body(golden: Recorded) -> str:
    return format_version.upgraded(
        golden.header.stage, golden.body, golden.header.normaliser
    )


def _artifact(stem: str, golden: Recorded, running: Version) -> StoredArtifact:
    head = golden.header
    own = parse_version(head.torch) == running
    known = golden.evidence if own else evidence.of_torch(golden.evidence, head.torch)
    return StoredArtifact(
        head.stage, stem, golden.path.suffix.removeprefix("."), _body(golden), known
    )
