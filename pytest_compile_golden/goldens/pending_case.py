"""What a failing case leaves for a later verdict: its artifacts, each with the golden it was compared with."""

from __future__ import annotations

from pathlib import PurePosixPath

import msgspec

from pytest_compile_golden import documents
from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.goldens import fields
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
