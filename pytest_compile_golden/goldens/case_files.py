"""A case's artifacts in their own folder: one JSON file with the texts beside it. It may come from another machine."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Protocol, TypeVar

import msgspec

from pytest_compile_golden import documents
from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.goldens import fields, files

NAME = "case.json"


class StoredArtifact(msgspec.Struct, frozen=True):
    """One stage's text."""

    stage: str
    stem: str
    """The stage's name, followed by `.2` or a name for further artifacts of the same stage."""
    extension: str
    text: str = msgspec.field(name="text_sha256")
    """The whole text; empty if the compile has no such stage. The JSON file has its digest instead."""

    evidence: str = ""
    """What is known about the text besides, as `formats.evidence` writes it."""

    @property
    def name(self) -> str:
        """The file that holds the text, beside the JSON file."""
        return f"{self.stem}.{self.extension}"


class _StoredCase(Protocol):
    @property
    def folder(self) -> PurePosixPath: ...
    @property
    def artifacts(self) -> Sequence[StoredArtifact]: ...
    def check(self) -> None:
        """Raises ValueError for anything that no run could have written, in addition to the checks for every case."""


Case = TypeVar("Case", bound=_StoredCase)


def write(root: Path, case: _StoredCase, kind: str) -> Path:
    """Write a case to its folder below `root`, and return that. The JSON file is last: until then there is no case."""
    folder = files.inside(root, case.folder, kind)
    for name, text in texts(case):
        files.write(folder / name, text, f"{kind} artifact")
    return folder


def texts(case: _StoredCase) -> Iterator[tuple[str, str]]:
    """Each file of a case's folder with its text; the JSON file comes last."""
    for artifact in case.artifacts:
        if artifact.text:
            yield artifact.name, artifact.text
    digests = [_with_text(artifact, _digest(artifact.text)) for artifact in case.artifacts]
    yield NAME, documents.render(_with_artifacts(case, digests))


def read(root: Path, folder: PurePosixPath, document: documents.Document[Case], kind: str) -> Case:
    """The case of a folder below `root`.

    Raises GoldenError if anything in it is missing, has the wrong type, or names a path that no run would name.
    """
    where = files.inside(root, folder, kind)
    text_of = {}
    for path in where.iterdir():
        if path.is_file() and not path.is_symlink() and not path.name.startswith("."):
            # A text that is not UTF-8 does not match its digest, and the error for that names the file.
            text_of[path.name] = (files.read(path) or b"").decode("utf-8", "replace").replace("\r\n", "\n")
    case = document.parse(text_of.get(NAME, ""), str(where / NAME), lambda stored: _checked(stored, text_of))
    if case.folder != folder:
        raise GoldenError(f"{where} holds case {case.folder}. Put it in its own folder, or remove it.")
    return case


def folders(root: Path) -> list[PurePosixPath]:
    """The folders below `root` that hold a case, in order."""
    return sorted(PurePosixPath(path.parent.relative_to(root).as_posix()) for path in root.rglob(NAME))


def _checked(case: Case, texts: dict[str, str]) -> Case:
    """The case that was read, with its texts. Raises ValueError for one that no run could have written."""
    fields.check_folder(case.folder)
    fields.check_distinct(artifact.stem for artifact in case.artifacts)
    case.check()
    artifacts = []
    for artifact in case.artifacts:
        fields.check_artifact(artifact.stage, artifact.stem, artifact.extension)
        text = texts.get(artifact.name, "") if artifact.text else ""
        if _digest(text) != artifact.text:
            # Texts are written before the JSON file: the run was killed, or an upload was cut short.
            raise ValueError(f"the text of {artifact.name} is not the one that was written")
        artifacts.append(_with_text(artifact, text))
    return _with_artifacts(case, artifacts)


def _with_text(artifact: StoredArtifact, text: str) -> StoredArtifact:
    return msgspec.structs.replace(artifact, text=text)


def _with_artifacts(case: Case, artifacts: Sequence[StoredArtifact]) -> Case:
    struct: Any = case
    replaced: Case = msgspec.structs.replace(struct, artifacts=tuple(artifacts))
    return replaced


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest() if text else ""
