"""One case's goldens: what was compared while its test ran, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import PurePosixPath

from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.golden.compare import Change, compare
from pytest_compile_golden.golden.header import DamagedGolden
from pytest_compile_golden.golden.layout import Names, Place
from pytest_compile_golden.golden.store import ABSENT, Store, Written
from pytest_compile_golden.stages import Artifact, get_stage


@dataclass
class Case:
    """A test on a target."""

    nodeid: str
    target: str
    folder: PurePosixPath
    store: Store
    update: bool
    stages: Sequence[str] = ()
    """What `assert capture == golden` checks."""
    torch: str | None = None
    triton: str | None = None
    compared: int = 0
    changes: list[Change] = field(default_factory=list)
    """All changes so far, cosmetic and accepted ones included."""
    failed: list[Change] = field(default_factory=list)
    """The changes that made the last comparison fail; empty where it passed."""
    written: list[Written] = field(default_factory=list)
    unavailable: dict[str, str] = field(default_factory=dict)
    names: Names = field(default_factory=Names)

    def check(self, artifacts: Sequence[tuple[str, Artifact | None]], name: str | None) -> bool:
        """Compare each stage's artifact, None standing for a stage that the compile does not have.

        All are compared before anything is said, and accepted where this is an update.
        """
        self.failed = []
        problems: list[GoldenError] = []
        for stage_name, artifact in artifacts:
            try:
                self._check_one(stage_name, artifact, name)
            except GoldenError as error:
                problems.append(error)
        if problems:
            raise GoldenError("\n".join(str(problem) for problem in problems)) from problems[0]
        return not self.failed

    def _check_one(self, stage_name: str, artifact: Artifact | None, name: str | None) -> None:
        stage = get_stage(stage_name)
        place = Place(self.folder, self.names.stem(stage_name, name), stage.extension)
        text = ABSENT if artifact is None else _text_of(artifact)
        torch, triton = self._versions()
        try:
            golden = self.store.find(place, stage, torch)
        except DamagedGolden:
            if not self.update:
                raise
            golden = None
        change = compare(stage, place, golden, text)
        if artifact is not None or change is not None:
            self.compared += 1
        if change is not None:
            self.changes.append(change)
            if change.fails and not self.update:
                self.failed.append(change)
        if self.update:
            self.written += self.store.accept(place, stage, text, torch, triton)

    def _versions(self) -> tuple[str, str | None]:
        """The versions of the last capture, or the installed ones for artifacts captured by other means."""
        if self.torch is None:
            self.torch, self.triton = _installed("torch") or "0", _installed("triton")
        return self.torch, self.triton


def _installed(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _text_of(artifact: Artifact) -> str:
    """The artifact's text as a golden's body can hold it."""
    text = artifact.text.replace("\r\n", "\n")
    if not text.strip():
        raise GoldenError(f"stage {artifact.stage} rendered an empty text, which no golden can check.")
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if text.endswith("\n") else text + "\n"
