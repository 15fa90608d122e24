"""The pending store: what failing cases leave, each artifact with its golden, until it is accepted or rejected.

Later or elsewhere, an artifact is accepted only if its golden is still the one that it was compared with.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path, PurePosixPath

import msgspec

from pytest_compile_golden import stages
from pytest_compile_golden.common import files, format_version, json_files
from pytest_compile_golden.common.constants import ChangeKind
from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.formats.format import UNKNOWN
from pytest_compile_golden.goldens import case_files
from pytest_compile_golden.goldens.case_files import StoredArtifact
from pytest_compile_golden.goldens.compare_artifact import (
    SAME_MACHINE_CODE,
    Compared,
    compare,
)
from pytest_compile_golden.goldens.golden_header import (
    DamagedGolden,
    Header,
    header_text,
)
from pytest_compile_golden.goldens.golden_paths import GoldenPath
from pytest_compile_golden.goldens.golden_store import (
    Store,
    StoredGolden,
    WrittenGolden,
)
from pytest_compile_golden.stages import Stage

FORMAT = 1


class PendingArtifact(StoredArtifact, frozen=True, kw_only=True):
    """One artifact waiting for a verdict, with the golden it was compared with."""

    kind: ChangeKind
    golden: PurePosixPath | None
    """Relative to the goldens folder; None if there was no golden."""
    golden_sha256: case_files.Text | None
    golden_torch: case_files.Version | None
    noted: bool = False
    """Whether it did not fail its case."""
    same_machine_code: bool = False
    """For kernels: whether the run found that the GPU gets the same code as before."""


class PendingCase(msgspec.Struct, frozen=True, kw_only=True, rename={"folder": "case"}):
    """What one failing case left behind."""

    format: int = FORMAT
    folder: PurePosixPath
    """The case's id: its folder under the goldens folder, and under the pending one."""
    nodeid: case_files.Text
    target: case_files.Text
    goldens: case_files.Text
    """The goldens folder of that run, relative to its root folder if it is inside."""
    torch: case_files.Version
    triton: case_files.Version | None
    normaliser: int
    known: tuple[case_files.Text, ...] = ()
    """The inputs whose values its programs asked for."""
    moved_from: PurePosixPath | None = None
    """If the case has no goldens, the folder of goldens that look like its own under another name."""
    accepted: tuple[case_files.Text, ...] = ()
    """Marks of its distinct changes that were accepted while others are still waiting."""
    artifacts: tuple[PendingArtifact, ...]

    def golden_path(self, artifact: PendingArtifact) -> GoldenPath:
        """Where accepting the artifact writes it."""
        return GoldenPath(self.folder, artifact.stem, artifact.extension)

    def check(self) -> None:
        """Raises ValueError if it names something that no run would name."""
        case_files.check_line(self.target)
        case_files.check_line(self.goldens)
        case_files.check_version(self.torch)
        try:
            header_text(
                Header("", self.torch, self.triton, self.normaliser, self.known), "#"
            )
        except GoldenError as error:
            raise ValueError(str(error)) from None
        if self.moved_from is not None:
            case_files.check_folder(self.moved_from)
        for artifact in self.artifacts:
            if artifact.golden is not None:
                case_files.check_golden(artifact.golden, self.golden_path(artifact))


DOCUMENT = json_files.Document(
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
        folder = case_files.write(self.root, case, DOCUMENT, "pending")
        self._sweep(
            folder,
            {
                case_files.NAME,
                *(artifact.name for artifact in case.artifacts if artifact.text),
            },
        )

    def clear(self, folder: PurePosixPath) -> None:
        """Remove everything pending for the case of that folder, its JSON file first."""
        where = files.inside(self.root, folder, "pending")
        if not where.is_dir():
            return
        files.remove(where / case_files.NAME)
        self._sweep(where, set())
        files.remove_empty(where, self.root)

    def clear_damaged(self) -> int:
        """Remove the cases that `read` cannot read, and return how many there were."""
        damaged = 0
        for folder in self.folders():
            try:
                self.case(folder)
            except GoldenError:
                self.clear(folder)
                damaged += 1
        return damaged

    def folders(self) -> list[PurePosixPath]:
        """Those of all pending cases, in order."""
        return case_files.folders(self.root)

    def case(self, folder: PurePosixPath) -> PendingCase:
        """The pending case of a folder. Raises GoldenError if it cannot be read."""
        return case_files.read(self.root, folder, DOCUMENT, "pending")

    def _sweep(self, folder: Path, kept: Collection[str]) -> None:
        """Remove what an earlier run, or a killed one, left in a case's folder."""
        for path in folder.iterdir():
            if path.name not in kept and not path.is_dir():
                files.remove(path)


class OutdatedArtifact(GoldenError):
    """A pending artifact that no longer fits the goldens; accepting it would be a guess."""


def stage_of(artifact: PendingArtifact) -> Stage:
    """The stage of an artifact. Raises Refused if its goldens now have another file type."""
    stage = stages.stage_of(artifact.stage, artifact.extension)
    if stage.extension != artifact.extension:
        raise OutdatedArtifact(
            f"{artifact.stem}.{artifact.extension}: goldens of {artifact.stage} are .{stage.extension} files here. "
            "Run the case again with this version of pytest-compile-golden."
        )
    return stage


def check(
    case: PendingCase, artifact: PendingArtifact, store: Store
) -> Compared | None:
    """How the artifact differs from the golden that is now in use, with what is known of both; None if it was accepted
    in the meantime.

    Raises OutdatedArtifact if the golden, the case or the normaliser is not the one that the artifact was made with.
    """
    change, used = _compared(case, artifact, store)
    if change is None:
        return None
    if artifact.same_machine_code:
        change = replace(change, alike=SAME_MACHINE_CODE)
    known = (
        ""
        if used is None
        else store.known(used, case.torch, kept=bool(artifact.evidence)) or ""
    )
    change = replace(
        change,
        severity="note" if artifact.noted else "fail",
        known=(known, artifact.evidence),
    )
    if stage_of(artifact).format is UNKNOWN and change.kind == "structural":
        # A stand-in for the stage cannot tell; the run, which had the stage, could.
        return replace(
            change, kind="cosmetic" if artifact.kind == "cosmetic" else "structural"
        )
    return change


def _compared(
    case: PendingCase, artifact: PendingArtifact, store: Store
) -> tuple[Compared | None, StoredGolden | None]:
    """How the artifact differs from the golden that is now in use, and that golden. Raises as `check` does."""
    named = f"{case.folder / artifact.stem}.{artifact.extension}"
    if case.normaliser != format_version.NORMALISER:
        raise OutdatedArtifact(
            f"{named} was written by normaliser {case.normaliser}, but this is {format_version.NORMALISER}. "
            "Run the case again."
        )
    golden_path, stage = case.golden_path(artifact), stage_of(artifact)
    try:
        used = store.find(golden_path, stage, case.torch)
    except DamagedGolden as error:
        raise OutdatedArtifact(f"{named}: {error}") from None
    body = _body(stage, None if used is None else used.body, artifact, None)
    change = compare(stage, golden_path, used, body)
    if not change.differs:
        return None, used
    if artifact.golden is None:
        if used is not None:
            raise OutdatedArtifact(
                f"{named} was new to that run, but {used.path} exists now. Update your checkout and run the case again."
            )
    elif used is None:
        raise OutdatedArtifact(
            f"{named} was compared with {artifact.golden}, which is gone: the case was renamed or removed, or this "
            "is a different goldens folder (--goldens). Run the case again, or reject it."
        )
    elif used.path != artifact.golden or used.fingerprint != artifact.golden_sha256:
        raise OutdatedArtifact(
            f"{named} was compared with a different {artifact.golden} from the one here now ({used.path}): "
            "the goldens have changed since. Run the case again."
        )
    return change, used


def accept(
    case: PendingCase,
    artifact: PendingArtifact,
    store: Store,
    reason: str | None = None,
) -> tuple[WrittenGolden, ...]:
    """Write the artifact as a run on its torch would have, unless it was already accepted. Raises Refused."""
    change, _ = _compared(case, artifact, store)
    if change is None:
        return ()
    golden_path, stage = case.golden_path(artifact), stage_of(artifact)
    body = _body(stage, change.old if change.kind != "new" else None, artifact, reason)
    return tuple(
        store.accept(
            golden_path,
            stage,
            body,
            case.torch,
            case.triton,
            case.known,
            artifact.evidence,
        )
    )


def _body(
    stage: Stage, golden: str | None, artifact: PendingArtifact, reason: str | None
) -> str:
    return (
        artifact.text
        if golden is None
        else stage.format.with_notes(golden, artifact.text, reason)
    )
