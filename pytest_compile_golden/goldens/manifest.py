"""What a pending case says about itself: one JSON file, which may come from another machine and is not trusted."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.goldens import fields, versions
from pytest_compile_golden.goldens.layout import GoldenPath
from pytest_compile_golden.vocabulary import CHANGE_KINDS, ChangeKind

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

    def place(self, artifact: PendingArtifact) -> GoldenPath:
        return GoldenPath(self.folder, artifact.stem, artifact.extension)


def text_name(artifact: PendingArtifact) -> str:
    """The file that holds the artifact's text, beside the manifest."""
    return f"{artifact.stem}.{artifact.extension}"


def render(case: PendingCase) -> str:
    """The manifest's text. The artifacts' own texts are files beside it, named here with their digests."""
    artifacts = [
        {
            "stage": each.stage,
            "kind": each.kind,
            "stem": each.stem,
            "extension": each.extension,
            "text_sha256": fields.digest(each.text) if each.text else None,
            "golden": None if each.golden is None else each.golden.as_posix(),
            "golden_sha256": each.golden_sha256,
            "golden_torch": each.golden_torch,
        }
        for each in case.artifacts
    ]
    facts = {
        "format": FORMAT,
        "case": case.folder.as_posix(),
        "nodeid": case.nodeid,
        "target": case.target,
        "goldens": case.goldens,
        "torch": case.torch,
        "triton": case.triton,
        "normaliser": case.normaliser,
        "moved_from": None if case.moved_from is None else case.moved_from.as_posix(),
        "artifacts": artifacts,
    }
    return json.dumps(facts, indent=1) + "\n"


def parse(text: str, texts: dict[str, str], where: str) -> PendingCase:
    """Read a manifest; `texts` has the files beside it by name.

    Raises GoldenError where anything in it is missing, of another type, or names a place that no run would name.
    """
    try:
        facts = json.loads(text)
        if facts["format"] != FORMAT:
            raise GoldenError(
                f"{where} has format {facts['format']!r}, this version reads {FORMAT}. "
                "Run the case again with this version of pytest-compile-golden."
            )
        case = PendingCase(
            folder=fields.folder(facts["case"]),
            nodeid=fields.string(facts["nodeid"]),
            target=fields.line(facts["target"]),
            goldens=fields.line(facts["goldens"]),
            torch=fields.version(facts["torch"]),
            triton=fields.optional_version(facts["triton"]),
            normaliser=int(facts["normaliser"]),
            artifacts=tuple(_artifact(each, texts, fields.folder(facts["case"])) for each in facts["artifacts"]),
            moved_from=None if facts.get("moved_from") is None else fields.folder(facts["moved_from"]),
        )
        try:
            versions.parse(case.torch)
        except GoldenError as error:
            raise ValueError(str(error)) from None
        if len({each.stem.casefold() for each in case.artifacts}) != len(case.artifacts):
            raise ValueError("two artifacts of one name")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise GoldenError(
            f"{where} is damaged ({type(error).__name__}: {error}). Run the case again, or reject what is there."
        ) from None
    return case


def _artifact(facts: Any, texts: dict[str, str], case: PurePosixPath) -> PendingArtifact:
    stage, stem, extension = fields.artifact_name(facts)
    if facts["kind"] not in CHANGE_KINDS:
        raise ValueError(f"{facts['kind']!r} is no kind of change")
    return PendingArtifact(
        stage=stage,
        kind=facts["kind"],
        stem=stem,
        extension=extension,
        text=fields.text(facts["text_sha256"], f"{stem}.{extension}", texts),
        golden=fields.golden(facts["golden"], case, stem, extension),
        golden_sha256=fields.optional_string(facts["golden_sha256"]),
        golden_torch=fields.optional_version(facts["golden_torch"]),
    )
