"""A case in a recording run: artifacts are kept instead of being compared with goldens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.goldens.case import Case, text_of
from pytest_compile_golden.goldens.case_files import StoredArtifact
from pytest_compile_golden.goldens.compare import Compared, Comparison
from pytest_compile_golden.goldens.store import ABSENT
from pytest_compile_golden.recordings.recording import Outcome, RecordedCase
from pytest_compile_golden.stages import get_stage

if TYPE_CHECKING:
    from pytest_compile_golden.captured import Capture


@dataclass
class CaseRecorder(Case):
    """A test on a target whose comparisons all pass, and whose artifacts are all kept."""

    artifacts: list[StoredArtifact] = field(default_factory=list)
    _taken: list[Artifact] = field(default_factory=list)

    def check(
        self,
        artifacts: Sequence[tuple[str, Artifact | None]],
        name: str | None,
        assert_snapshot: Callable[[Comparison], None] | None = None,
    ) -> bool:
        for stage, artifact in artifacts:
            # As in a comparison, an absent stage uses up its name, so that those after it keep theirs.
            stem = self.names.stem(stage, name)
            if artifact is not None:
                self.omitted |= artifact.omitted
                recorded = _stored(stage, stem, artifact)
                self.artifacts.append(recorded)
                self._taken.append(artifact)
                path, known = PurePosixPath(recorded.name), ("", recorded.evidence)
                self.compared.append(Compared(stage, "same", ABSENT, recorded.text, None, path, known=known))
        return True

    def keep(self, captures: Sequence[Capture]) -> None:
        """Keep what was captured but not compared: the test has its own asserts on it, or did not get that far."""
        for capture in captures:
            for stage in self.stages:
                try:
                    if stage in capture and not any(capture[stage] is artifact for artifact in self._taken):
                        self.check([(stage, capture[stage])], None)
                except Exception as error:  # an error in rendering costs that stage, not the case
                    self.unavailable.setdefault(stage, f"{type(error).__name__}: {error}")
            # Including stages that were not requested: metrics are counted in them.
            self.unavailable.update({**capture.unavailable, **capture.lacks})

    def recorded(self, outcome: Outcome, message: str | None, seconds: float) -> RecordedCase:
        return RecordedCase(
            folder=self.folder,
            nodeid=self.nodeid,
            target=self.target,
            outcome=outcome,
            message=message,
            seconds=seconds,
            artifacts=tuple(self.artifacts),
            unavailable=dict(self.unavailable),
        )


def _stored(stage: str, stem: str, artifact: Artifact) -> StoredArtifact:
    text = text_of(artifact)
    return StoredArtifact(stage, stem, get_stage(stage).extension, text, evidence.write(text, artifact.facts))
