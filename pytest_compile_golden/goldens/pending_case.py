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
    """One artifact that waits for a verdict, with the golden it was compared with."""

    kind: ChangeKind
    golden: PurePosixPath | None
    """Relative to the goldens folder; None where there was no golden."""
    golden_sha256: fields.Text | None
    golden_torch: fields.Version | None
    same_machine_code: bool = False
    """Of kernels: whether the run found that the GPU is given what it was before."""


class PendingCase(msgspec.Struct, frozen=True, kw_only=True, rename={"folder": "case"}):
    """What one failing case left behind."""

    format: int = FORMAT
    folder: PurePosixPath
    """The case's id: its folder under the goldens folder, and under the pending one."""
    nodeid: fields.Text
    target: fields.Text
    goldens: fields.Text
    """The goldens folder of that run, relative to its root folder where it lies below."""
    torch: fields.Version
    triton: fields.Version | None
    normaliser: int
    known: tuple[fields.Text, ...] = ()
    """The inputs whose values its programs asked for."""
    moved_from: PurePosixPath | None = None
    """The folder of goldens that look like this case's under another name, where it has none."""
    accepted: tuple[fields.Text, ...] = ()
    """Marks of its distinct changes that were accepted while others of it still wait."""
    artifacts: tuple[PendingArtifact, ...]

    def place(self, artifact: PendingArtifact) -> GoldenPath:
        return GoldenPath(self.folder, artifact.stem, artifact.extension)

    def check(self) -> None:
        """Raises ValueError where it names something that no run would name."""
        fields.check_line(self.target)
        fields.check_line(self.goldens)
        fields.check_version(self.torch)
        if self.moved_from is not None:
            fields.check_folder(self.moved_from)
        for artifact in self.artifacts:
            if artifact.golden is not None:
                fields.check_golden(artifact.golden, self.place(artifact))


DOCUMENT = documents.Document(
    PendingCase,
    FORMAT,
    GoldenError,
    outdated="Run the case again with this version of pytest-compile-golden.",
    advice="Run the case again, or reject what is there.",
)
