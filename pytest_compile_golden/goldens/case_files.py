"""A case's artifacts in their own folder, pending or recorded: one JSON file with the texts beside it.

Goldens, which have a header and serve many versions, are in `golden_store.py`. A case may come from another machine, so
whatever is read is checked: it names nothing that no run would have written.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Protocol, TypeVar

import msgspec
from msgspec import Meta

from pytest_compile_golden.common import files, json_files
from pytest_compile_golden.common.lines import unreadable
from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.goldens.golden_paths import (
    GoldenPath,
    is_safe_name,
    parse_version,
)
from pytest_compile_golden.stages import get_stage, stages

NAME = "case.json"

Text = Annotated[str, Meta(pattern=r"\A[^\0]*\Z")]
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+!_-]{0,60}")
Version = Annotated[str, Meta(pattern=rf"\A{_VERSION.pattern}\Z")]
"""As written in a golden's header."""
Seconds = Annotated[float, Meta(ge=0)]
_STAGE = re.compile(r"[A-Za-z_]\w{0,60}")
_STEM_REST = re.compile(r"(\.[A-Za-z0-9_-]{1,60})*")
_EXTENSIONS = ("cpp", "py", "toml", "txt")
"""The file types of users' own stages, which commands do not know: they load no conftest.py."""
# A downloaded artifact must not become a file that pytest, Python or another tool picks up on its own.
_PICKED_UP = re.compile(
    r"conftest|__\w*|sitecustomize|usercustomize|test_.*|.*_test|setup|pyproject|pytest|tox|ruff|mypy|noxfile|tasks"
    r"|dodo|fabfile|manage|requirements|CMakeLists"
)


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


def text_of(artifact: Artifact) -> str:
    """The artifact's text in the form that a golden's body can hold. Raises GoldenError for an empty one."""
    text = artifact.text.replace("\r\n", "\n")
    if not text.strip():
        raise GoldenError(
            f"stage {artifact.stage} rendered an empty text, which no golden can check."
        )
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if text.endswith("\n") else text + "\n"


def stored(artifact: Artifact, stem: str) -> StoredArtifact:
    """The artifact under a name of its own, with its evidence. Raises GoldenError for an empty text."""
    text, extension = text_of(artifact), get_stage(artifact.stage).extension
    known = evidence.write(text, artifact.facts)
    return StoredArtifact(artifact.stage, stem, extension, text, known)


class ArtifactOnDisk(StoredArtifact, frozen=True):
    """One whose text and evidence are read from its case's folder whenever they are asked for: of thousands of cases
    few are looked at."""

    case: Path = Path()
    """The case's folder."""
    digest: bytes = b""
    """Of both, as they were when the case was read."""

    @classmethod
    def of(cls, artifact: StoredArtifact, case: Path) -> ArtifactOnDisk:
        """The artifact, which was just read from that folder."""
        # The same few names in every case.
        named = (artifact.stage, artifact.stem, artifact.extension)
        stage, stem, extension = map(sys.intern, named)
        digest = _digest_of_both(artifact.text, artifact.evidence)
        return cls(stage, stem, extension, "", "", case, digest)

    @property  # type: ignore[misc]
    def text(self) -> str:
        """Raises GoldenError if the file is no longer what it was."""
        return self._read_again()[0]

    @property  # type: ignore[misc]
    def evidence(self) -> str:
        """Raises GoldenError if the file is no longer what it was."""
        return self._read_again()[1]

    def _read_again(self) -> tuple[str, str]:
        text, evidence, digest = _read_again(self.case).get(self.stem, ("", "", b""))
        if digest != self.digest:
            raise GoldenError(
                f"{self.name} of {self.case} was changed while it was being read. Wait until nothing writes there, and "
                "run the command again."
            )
        return text, evidence


class _Artifacts(msgspec.Struct):
    artifacts: tuple[StoredArtifact, ...] = ()


# A case's texts are asked for several times while it is compared with another.
@lru_cache(maxsize=8)
def _read_again(case: Path) -> dict[str, tuple[str, str, bytes]]:
    """By stem, the text, the evidence, and the digest of both, of a case that has been checked before."""
    found = {}
    with suppress(ValueError):
        data = files.read(case / NAME) or b""
        for artifact in msgspec.json.decode(data, type=_Artifacts).artifacts:
            text = _text_in(case / artifact.name) if artifact.text else ""
            digest = _digest_of_both(text, artifact.evidence)
            found[artifact.stem] = text, artifact.evidence, digest
    return found


def _text_in(path: Path) -> str:
    """A text that is not UTF-8 does not match its digest, and the error for that names the file."""
    data = (files.read(path) or b"").decode("utf-8", "replace")
    return data.replace("\r\n", "\n")


def _digest_of_both(text: str, evidence: str) -> bytes:
    both = f"{text}\0{evidence}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(both, digest_size=16).digest()


class _StoredCase(Protocol):
    @property
    def folder(self) -> PurePosixPath: ...
    @property
    def artifacts(self) -> Sequence[StoredArtifact]: ...
    def check(self) -> None:
        """Raises ValueError for anything that no run could have written, in addition to the checks for every case."""


Case = TypeVar("Case", bound=_StoredCase)


def write(
    root: Path, case: Case, document: json_files.Document[Case], kind: str
) -> Path:
    """Write a case to its folder below `root`, and return that. The JSON file is last: until then there is no case.

    Raises GoldenError, before anything is written, for a case that `read` would refuse.
    """
    folder = files.inside(root, case.folder, kind)
    try:
        whole = dict(texts(case))
        document.parse(
            whole[NAME], str(folder / NAME), lambda stored: _checked(stored, whole)
        )
    except (ValueError, GoldenError) as error:
        raise GoldenError(
            f"{case.folder} was not written, because it could not be read back: {error}"
        ) from None
    for name, text in whole.items():
        files.write(folder / name, text, f"{kind} artifact")
    return folder


def texts(case: _StoredCase) -> Iterator[tuple[str, str]]:
    """Each file of a case's folder with its text; the JSON file comes last."""
    for artifact in case.artifacts:
        if artifact.text:
            yield artifact.name, artifact.text
    yield NAME, facts(case)


def facts(case: _StoredCase) -> str:
    """The JSON file of a case's folder."""
    digests = [
        _with_text(artifact, _digest(artifact.text)) for artifact in case.artifacts
    ]
    return json_files.render(_with_artifacts(case, digests))


def read(
    root: Path, folder: PurePosixPath, document: json_files.Document[Case], kind: str
) -> Case:
    """The case of a folder below `root`.

    Raises GoldenError if anything in it is missing, has the wrong type, or names a path that no run would name.
    """
    where = files.inside(root, folder, kind)
    text_of = {
        name: _text_in(where / name)
        for name in files.names_in(where, only_files=True)
        if not name.startswith(".")
    }
    case = document.parse(
        text_of.get(NAME, ""),
        str(where / NAME),
        lambda stored: _checked(stored, text_of),
    )
    if case.folder != folder:
        raise GoldenError(
            f"{where} holds case {case.folder}. Put it in its own folder, or remove it."
        )
    return case


def folders(root: Path) -> list[PurePosixPath]:
    """The folders below `root` that hold a case, in order."""
    # Asking paths for all of this takes as long as reading the files.
    below = len(f"{root}/")
    return sorted(
        PurePosixPath(folder[below:])
        for folder, _, names in os.walk(root)
        if NAME in names
    )


def _checked(case: Case, texts: dict[str, str]) -> Case:
    """The case that was read, with its texts. Raises ValueError for one that no run could have written."""
    check_folder(case.folder)
    check_distinct(artifact.stem for artifact in case.artifacts)
    case.check()
    artifacts = []
    for artifact in case.artifacts:
        check_artifact(artifact.stage, artifact.stem, artifact.extension)
        text = texts.get(artifact.name, "") if artifact.text else ""
        if _digest(text) != artifact.text:
            # Texts are written before the JSON file: the run was killed, or an upload was cut short.
            raise ValueError(
                f"the text of {artifact.name} is not the one that was written"
            )
        if why := unreadable(text):
            raise ValueError(f"{artifact.name}: {why}")
        artifacts.append(_with_text(artifact, text))
    return _with_artifacts(case, artifacts)


def _with_text(artifact: StoredArtifact, text: str) -> StoredArtifact:
    if isinstance(artifact, ArtifactOnDisk):
        return StoredArtifact(
            artifact.stage, artifact.stem, artifact.extension, text, artifact.evidence
        )
    return msgspec.structs.replace(artifact, text=text)


def _with_artifacts(case: Case, artifacts: Sequence[StoredArtifact]) -> Case:
    struct: Any = case
    replaced: Case = msgspec.structs.replace(struct, artifacts=tuple(artifacts))
    return replaced


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest() if text else ""


def check_line(text: str) -> None:
    """Raises ValueError for a text that would not stay on its line, or that has invisible characters."""
    if not text.isprintable():
        raise ValueError(f"{text!r} is not a single line of printable text")


def check_version(torch: str) -> None:
    """Raises ValueError for anything that is not a torch version."""
    try:
        parse_version(torch)
    except GoldenError as error:
        raise ValueError(str(error)) from None


def check_folder(path: PurePosixPath) -> None:
    """Raises ValueError for a path that no run gives a case: module, test and target, below a folder of cases."""
    if len(path.parts) < 3 or not all(map(is_safe_name, path.parts)):
        raise ValueError(f"{str(path)!r} is not the path of a case in a goldens folder")


def check_golden(path: PurePosixPath, golden_path: GoldenPath) -> None:
    """Raises ValueError if `path` is not a golden of the artifact at `golden_path`, or at its target's base."""
    target = path.parent.parent == golden_path.folder.parent and is_safe_name(
        path.parent.name
    )
    overlay = _VERSION.fullmatch(golden_path.release_of(path.name) or "")
    if not target or (path.name != golden_path.versionless.name and not overlay):
        raise ValueError(f"{str(path)!r} is not a golden of {golden_path.versionless}")


# The same few in every case.
@lru_cache(maxsize=1024)
def check_artifact(stage: str, stem: str, extension: str) -> None:
    """Raises ValueError for an artifact that no run could have written."""
    if not _STAGE.fullmatch(stage) or _PICKED_UP.fullmatch(stage):
        raise ValueError(f"{stage!r} is not a stage")
    if not stem.startswith(stage) or not _STEM_REST.fullmatch(stem.removeprefix(stage)):
        raise ValueError(f"{stem!r} is not a golden of {stage}")
    if extension not in _EXTENSIONS and all(
        extension != declared.extension for declared in stages()
    ):
        raise ValueError(f"{extension!r} is not a file type of goldens")


def check_distinct(stems: Iterable[str]) -> None:
    """Raises ValueError if two artifacts of a case would share a file."""
    folded = [stem.casefold() for stem in stems]
    if len(set(folded)) != len(folded):
        raise ValueError("two artifacts with the same name")
