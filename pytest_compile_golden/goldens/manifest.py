"""What a pending case says about itself: one JSON file, which may come from another machine and is not trusted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

import msgspec

from pytest_compile_golden import documents
from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.goldens import fields, versions
from pytest_compile_golden.goldens.layout import GoldenPath
from pytest_compile_golden.vocabulary import ChangeKind

FORMAT = 1
NAME = "case.json"


@dataclass(frozen=True)
class PendingArtifact:
    """One artifact that waits for a verdict, with the golden it was compared with."""

    stage: str
    kind: ChangeKind
    stem: str
    extension: str
    text: str
    """The whole text; empty where this compile has no such stage."""
    golden: PurePosixPath | None
    """Relative to the goldens folder; None where there was no golden."""
    golden_sha256: str | None
    golden_torch: str | None


@dataclass(frozen=True)
class PendingCase:
    """What one failing case left behind."""

    folder: PurePosixPath
    """The case's id: its folder under the goldens folder, and under the pending one."""
    nodeid: str
    target: str
    goldens: str
    """The goldens folder of that run, relative to its root folder where it lies below."""
    torch: str
    triton: str | None
    normaliser: int
    artifacts: tuple[PendingArtifact, ...]
    moved_from: PurePosixPath | None = None
    """The folder of goldens that look like this case's under another name, where it has none."""
    accepted: tuple[str, ...] = ()
    """Marks of its distinct changes that were accepted while others of it still wait."""

    def place(self, artifact: PendingArtifact) -> GoldenPath:
        return GoldenPath(self.folder, artifact.stem, artifact.extension)


def text_name(artifact: PendingArtifact) -> str:
    """The file that holds the artifact's text, beside the manifest."""
    return f"{artifact.stem}.{artifact.extension}"


class _ArtifactFacts(msgspec.Struct):
    stage: str
    kind: ChangeKind
    stem: str
    extension: str
    text_sha256: str | None
    golden: fields.Text | None
    golden_sha256: fields.Text | None
    golden_torch: fields.Version | None

    def __post_init__(self) -> None:
        fields.check_artifact(self.stage, self.stem, self.extension)


class _CaseFacts(msgspec.Struct, kw_only=True):
    format: int = FORMAT
    case: fields.Text
    nodeid: fields.Text
    target: fields.Text
    goldens: fields.Text
    torch: fields.Version
    triton: fields.Version | None
    normaliser: int
    moved_from: fields.Text | None = None
    accepted: list[fields.Text] = []
    artifacts: list[_ArtifactFacts]

    def __post_init__(self) -> None:
        fields.check_line(self.target)
        fields.check_line(self.goldens)
        fields.check_distinct(each.stem for each in self.artifacts)


_DOCUMENT = documents.Document(
    _CaseFacts,
    FORMAT,
    GoldenError,
    outdated="Run the case again with this version of pytest-compile-golden.",
    advice="Run the case again, or reject what is there.",
)


def render(case: PendingCase) -> str:
    """The manifest's text. The artifacts' own texts are files beside it, named here with their digests."""
    artifacts = [
        _ArtifactFacts(
            stage=each.stage,
            kind=each.kind,
            stem=each.stem,
            extension=each.extension,
            text_sha256=fields.digest(each.text) if each.text else None,
            golden=None if each.golden is None else each.golden.as_posix(),
            golden_sha256=each.golden_sha256,
            golden_torch=each.golden_torch,
        )
        for each in case.artifacts
    ]
    facts = _CaseFacts(
        case=case.folder.as_posix(),
        nodeid=case.nodeid,
        target=case.target,
        goldens=case.goldens,
        torch=case.torch,
        triton=case.triton,
        normaliser=case.normaliser,
        moved_from=None if case.moved_from is None else case.moved_from.as_posix(),
        accepted=list(case.accepted),
        artifacts=artifacts,
    )
    return documents.render(facts)


def parse(text: str, texts: dict[str, str], where: str) -> PendingCase:
    """Read a manifest; `texts` has the files beside it by name.

    Raises GoldenError where anything in it is missing, of another type, or names a place that no run would name.
    """
    return _DOCUMENT.parse(text, where, lambda facts: _case(facts, texts))


def _case(facts: _CaseFacts, texts: dict[str, str]) -> PendingCase:
    folder = fields.folder(facts.case)
    try:
        versions.parse(facts.torch)
    except GoldenError as error:
        raise ValueError(str(error)) from None
    return PendingCase(
        folder=folder,
        nodeid=facts.nodeid,
        target=facts.target,
        goldens=facts.goldens,
        torch=facts.torch,
        triton=facts.triton,
        normaliser=facts.normaliser,
        artifacts=tuple(_artifact(each, texts, folder) for each in facts.artifacts),
        moved_from=None if facts.moved_from is None else fields.folder(facts.moved_from),
        accepted=tuple(facts.accepted),
    )


def _artifact(facts: _ArtifactFacts, texts: dict[str, str], case: PurePosixPath) -> PendingArtifact:
    place = GoldenPath(case, facts.stem, facts.extension)
    return PendingArtifact(
        stage=facts.stage,
        kind=facts.kind,
        stem=facts.stem,
        extension=facts.extension,
        text=fields.text(facts.text_sha256, place.base.name, texts),
        golden=fields.golden(facts.golden, place),
        golden_sha256=facts.golden_sha256,
        golden_torch=facts.golden_torch,
    )
