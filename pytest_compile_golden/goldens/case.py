"""One case's goldens: what was compared while its test ran, and the results."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from mmap import mmap
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from pytest_compile_golden.changes.change import Severities, Severity
from pytest_compile_golden.changes.kernels import HINTS
from pytest_compile_golden.common.constants import (
    KERNEL_STAGES,
    UPDATE_KINDS,
    update_kind,
)
from pytest_compile_golden.common.format_version import NORMALISER
from pytest_compile_golden.common.installed_torch import torch_version, triton_version
from pytest_compile_golden.errors import CompileGoldenError, GoldenError
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.metrics import MetricsArtifact
from pytest_compile_golden.formats.metrics.printed import numbers
from pytest_compile_golden.formats.pass_log.from_record import names
from pytest_compile_golden.formats.trail import TrailFormat
from pytest_compile_golden.goldens import golden_history
from pytest_compile_golden.goldens.case_files import text_of
from pytest_compile_golden.goldens.compare_artifact import (
    SAME_BUT_HINTS,
    SAME_MACHINE_CODE,
    Compared,
    Comparison,
    carry_over,
    compare,
)
from pytest_compile_golden.goldens.golden_header import DamagedGolden
from pytest_compile_golden.goldens.golden_paths import (
    ArtifactNames,
    GoldenPath,
    parse_version,
)
from pytest_compile_golden.goldens.golden_store import (
    ABSENT,
    Store,
    StoredGolden,
    WrittenGolden,
)
from pytest_compile_golden.goldens.pending_store import PendingArtifact, PendingCase
from pytest_compile_golden.goldens.severity import (
    codes,
    may_be_same_machine_code,
    undone,
    weighed,
)
from pytest_compile_golden.stages import Stage, get_stage, stages

if TYPE_CHECKING:
    from pytest_compile_golden.api.captured import Capture


@dataclass
class Case:
    """A test on a target."""

    nodeid: str
    target: str
    folder: PurePosixPath
    store: Store
    update: frozenset[str]
    """The kinds of change that this run accepts."""
    stages: Sequence[str] = ()
    """What `assert capture == golden` checks."""
    stages_chosen: bool = False
    """Whether a marker, an option or a setting has changed these from the default."""
    torch: str | None = None
    triton: str | None = None
    compared: list[Compared] = field(default_factory=list)
    """Every artifact so far, changed or not."""
    failed: list[Compared] = field(default_factory=list)
    """The changes that made the last comparison fail; empty if it passed."""
    unjudged: list[Compared | CompileGoldenError] = field(default_factory=list)
    """What comparisons found, or raised, for which no phase of the test has failed yet."""
    too_late: list[str] = field(default_factory=list)
    """What comparisons of the whole run found when their test had ended, which no phase can fail for."""
    ended: bool = False
    """Whether the test has ended, its teardown included."""
    forked: mmap = field(default_factory=partial(mmap, -1, 1))
    """A byte that processes share: whether one that the test forked compared with a golden."""
    process: int = field(default_factory=os.getpid)
    """The one that runs the test."""
    explained: str = ""
    """How pytest words the last comparison that was false, if it rewrites the test's asserts."""
    passed: bool = False
    """Whether the test's body ran to its end."""
    compares: bool = False
    """Whether the test made a comparison."""
    compares_later: bool = False
    """Whether its teardown may make one."""
    severities: Severities = field(default_factory=Severities)
    """What becomes of changes by their codes."""
    reason: str | None = None
    """Stored next to each metric that is accepted."""
    written: list[WrittenGolden] = field(default_factory=list)
    moved_from: PurePosixPath | None = None
    """If the case has no goldens, the folder of goldens that look like its own under another name."""
    omitted: set[str] = field(default_factory=set)
    """What artifacts leave out, in words."""
    unavailable: dict[str, str] = field(default_factory=dict)
    names: ArtifactNames = field(default_factory=ArtifactNames)
    captures: list[Capture] = field(default_factory=list)
    """Every capture that the test made, compared or not."""
    _machine_codes: dict[tuple[str, str, str], str] = field(default_factory=dict)
    """Whether kernels, by their stage and both texts, compile to the same machine code."""
    asserted: object | None = None
    """What a fixture other than `golden` last gave the test to assert: if false, its text explains the failure."""
    remarks: set[str] = field(default_factory=set)
    """What else the run should say about the case, in words that it counts over all cases."""

    @property
    def missing(self) -> dict[str, str]:
        """What the installed torch cannot show of what was compared, and what the target lacks on it, with reasons."""
        told = set(self.unavailable.values())
        features = {
            each: why
            for capture in self.captures
            for each, why in capture.lacks.items()
            if why not in told
        }
        return {**features, **self.unavailable}

    @property
    def waiting(self) -> list[Compared]:
        """The changes that this run did not accept."""
        return [
            artifact
            for artifact in self.compared
            if artifact.differs and not artifact.accepted
        ]

    def check(
        self,
        artifacts: Sequence[tuple[str, Artifact | None]],
        name: str | None,
        assert_snapshot: Callable[[Comparison], None],
    ) -> bool:
        """Compare each stage's artifact; None means that the compile does not have the stage.

        All are compared before anything is reported, each by its own assertion, which accepts it if this is an update.
        Returns whether none fails. Raises GoldenError, with all reasons, if goldens cannot be read or written.
        """
        self.failed, self.compares = [], True
        problems: list[GoldenError] = []
        comparisons: list[Comparison] = []
        for stage_name, artifact in artifacts:
            try:
                comparison = self._compare(get_stage(stage_name), artifact, name)
            except GoldenError as error:
                problems.append(error)
                continue
            if comparison is not None:
                comparisons.append(comparison)
        self._weigh(comparisons)
        for comparison in comparisons:
            try:
                assert_snapshot(comparison)
            except GoldenError as error:
                problems.append(error)
        if problems:
            # A problem that all stages of a capture share is reported once.
            raise GoldenError(
                "\n".join(dict.fromkeys(map(str, problems)))
            ) from problems[0]
        self.unjudged += self.failed
        return not self.failed

    def _compare(
        self, stage: Stage, artifact: Artifact | None, name: str | None
    ) -> Comparison | None:
        """One artifact with its golden; None if there is neither."""
        golden_path = GoldenPath(
            self.folder, self.names.stem(stage.name, name), stage.extension
        )
        comparison = Comparison(golden_path.versionless.name)
        try:
            self._fill(comparison, stage, golden_path, artifact)
        except GoldenError as error:
            comparison.error = error
        nothing = artifact is None and comparison == Comparison(comparison.file)
        return None if nothing else comparison

    def _fill(
        self,
        comparison: Comparison,
        stage: Stage,
        golden_path: GoldenPath,
        artifact: Artifact | None,
    ) -> None:
        if artifact is not None:
            self.omitted |= artifact.omitted
        torch, triton = self._versions()
        used, damaged = None, False
        try:
            used = self.store.find(golden_path, stage, torch)
        except DamagedGolden:
            # The kind of change cannot be known, so only an update of all kinds replaces it.
            if self.update != frozenset(UPDATE_KINDS):
                raise
            damaged = True
        if isinstance(artifact, MetricsArtifact) and used is not None:
            # Note the metrics of the golden that could not be compared, unless a stage was lost for the same reason.
            told, known = set(self.unavailable.values()), numbers(used.body) or {}
            unknown = artifact.unknown.items()
            self.unavailable.update(
                (name, why)
                for name, why in unknown
                if name in known and why not in told
            )
        text = _as_golden(stage, used, artifact)
        golden = None if used is None else self._fitting(stage, golden_path, used, text)
        if artifact is None and golden is None and not damaged:
            return
        found = self._against(stage, golden_path, golden, artifact, text)
        facts = found.known[1]
        if artifact is not None or found.differs:
            self.compared.append(found)
        comparison.compared, comparison.damaged = found, damaged
        found.accepted = damaged or update_kind(found.kind) in self.update
        differs = golden is not used or found.fails
        if found.accepted and (
            golden is None
            or not found.differs
            or self.store.replaces(golden_path, golden, differs, torch)
        ):
            if golden is not None and found.kind == "metric":
                text = stage.format.with_notes(golden.body, text, self.reason)
            accept = partial(
                self.store.accept,
                golden_path,
                stage,
                text,
                torch,
                triton,
                self._known(),
                facts,
            )
            comparison.write = lambda: self.written.extend(accept())
        elif (
            (facts or golden is not used)
            and not found.differs
            and "cosmetic" in self.update
        ):
            # The golden stays as it is; what is known about it is kept beside it.
            self.store.accept(
                golden_path, stage, text, torch, triton, self._known(), facts
            )

    def _against(
        self,
        stage: Stage,
        golden_path: GoldenPath,
        golden: StoredGolden | None,
        artifact: Artifact | None,
        text: str,
    ) -> Compared:
        """The artifact's text beside its golden, with what is known of both."""
        found = compare(stage, golden_path, golden, text)
        if artifact is not None:
            facts = evidence.write(text, artifact.facts)
            found.known = (
                "" if golden is None else self._known_about(stage, golden, bool(facts)),
                facts,
            )
            found.locations = artifact.locations
            if golden is not None and found.fails:
                # Read now: an update may replace them before a report asks.
                earlier = list(self.store.earlier(golden_path, stage, golden))
                found.find_again = partial(undone, found, golden_path, earlier)
        return found

    def _fitting(
        self, stage: Stage, golden_path: GoldenPath, golden: StoredGolden, text: str
    ) -> StoredGolden:
        """A golden; of a trail, without what it says of stages whose goldens were edited since it was written."""
        if not isinstance(stage.format, TrailFormat):
            return golden
        suffix = golden_path.stem.removeprefix(stage.name)
        files = {one.file: one for one in self.compared if not one.fails}
        same = [one.stage for one in files.values() if one.stem == one.stage + suffix]
        body = stage.format.of_goldens(golden.body, text, same)
        if body == golden.body:
            return golden
        self.omitted.add(
            f"steps of the {stage.name}: they are of other texts, and an update writes them again"
        )
        return replace(golden, body=body)

    def _known_about(self, stage: Stage, golden: StoredGolden, kept: bool) -> str:
        """The evidence of a golden; left out, which is said, if the golden was edited since."""
        known = self.store.known(golden, self._versions()[0], kept=kept)
        if known is None:
            self.omitted.add(
                f"the evidence of {stage.name}: it is of another text, and an update writes it again"
            )
        return known or ""

    def _weigh(self, comparisons: Sequence[Comparison]) -> None:
        """Decide which of the changes that this run does not accept fail the case."""
        waiting = self.waiting
        undecided = [
            one.compared
            for one in comparisons
            if one.compared is not None and one.compared in waiting
        ]
        files = {one.file for one in comparisons}
        same = {
            one.stage for one in self.compared if one.file in files and not one.fails
        }
        self._set_severities(undecided, same)
        others = [change for change in undecided if change.red]
        # Kernels are compiled only if everything depends on them; what a trail says follows from them.
        if any(map(self._may_be_same, others)) and all(
            change.stage == "trail" or self._may_be_same(change) for change in others
        ):
            self.find_same_machine_code()
            self._set_severities(undecided, same)
        self.failed = [change for change in undecided if change.red]

    def _may_be_same(self, change: Compared) -> bool:
        return not self.severities.strict and may_be_same_machine_code(change)

    def _set_severities(
        self, changes: Sequence[Compared], same: Collection[str]
    ) -> None:
        for change, severity in zip(
            changes, weighed(changes, self.severities, same), strict=True
        ):
            change.severity = severity

    def find_same_machine_code(self) -> None:
        """Mark each change of kernels that still compile to the same machine code. Has to compile both sides."""
        for change in self.waiting:
            if change.stage in KERNEL_STAGES and change.kind == "structural":
                change.alike = self._machine_code(change)

    def _machine_code(self, change: Compared) -> str:
        """How the machine code of these kernels compares; empty if it differs, or cannot be had."""
        key = change.stage, change.old, change.new
        if key not in self._machine_codes:
            hints = bool(codes(change) & HINTS)
            depths = (
                {False: SAME_MACHINE_CODE, True: SAME_BUT_HINTS}
                if hints
                else {False: SAME_MACHINE_CODE}
            )
            self._machine_codes[key] = next(
                (
                    depth
                    for without_hints, depth in depths.items()
                    for capture in self.captures
                    # A C++ compiler takes seconds per kernel: only if the test already compiled kernels.
                    if (change.stage == "triton_code" or capture.compiled)
                    and change.stage in capture
                    and text_of(capture[change.stage]) == change.new
                    and capture.same_machine_code(change.old, without_hints)
                ),
                "",
            )
        return self._machine_codes[key]

    def weights(self) -> dict[Severity, list[str]]:
        """The codes of the changes that this case only notes, and of those that are off.

        What a trail says is mostly said by others.
        """
        found: dict[Severity, set[str]] = {"note": set(), "off": set()}
        for change in sorted(self.waiting, key=lambda change: change.stage == "trail"):
            if (
                change.fails
                and not change.red
                and not (change.stage == "trail" and found[change.severity])
            ):
                found[change.severity] |= codes(change)
        return {severity: sorted(names) for severity, names in found.items()}

    def other_passes(self) -> dict[str, list[str]]:
        """Passes that ran or did not run, unlike when the goldens were written, whether or not they did anything."""
        found: dict[str, set[str]] = {"more": set(), "fewer": set()}
        for one in self.compared:
            if one.stage != "passes":
                continue
            before, after = (
                names(text, known)
                for text, known in zip((one.old, one.new), one.known, strict=True)
            )
            if before and after:
                found["more"] |= after - before
                found["fewer"] |= before - after
        return {which: sorted(passes) for which, passes in found.items()}

    def unchecked(self) -> list[Compared]:
        """What the test captured next to its goldens, if it failed before comparing them.

        Empty if it compared something, or if it is unknown which of several captures it would have compared.
        """
        if self.compared or len(self.captures) != 1:
            return []
        capture, torch = self.captures[0], self._versions()[0]
        artifacts = []
        # A test may compare stages other than those it is set to. Kernels are not compiled for one it did not reach.
        for stage in (
            row for row in stages() if row.name in self.stages or not row.compiles
        ):
            golden_path = GoldenPath(self.folder, stage.name, stage.extension)
            golden = self.store.find(golden_path, stage, torch)
            if golden is not None and stage.name in capture:
                artifact = capture[stage.name]
                text = _as_golden(stage, golden, artifact)
                artifacts.append(
                    self._against(stage, golden_path, golden, artifact, text)
                )
        return artifacts

    def not_compared(self) -> list[PurePosixPath]:
        """The goldens that a run on this torch would use, its own or those of the target's base, if the test made no
        comparison. Raises GoldenError if one is damaged or not ours."""
        if self.compares:
            return []
        running = parse_version(self._versions()[0])
        used = []
        for one in golden_history.series(
            self.store.root, self.folder, bases=self.store.bases
        ):
            held = [golden for golden in one.goldens if golden.since <= running]
            used += [golden.path for golden in held[-1:] if golden.body != ABSENT]
        return used

    def pending(self, goldens: str) -> PendingCase:
        """What this case leaves for a later verdict; `goldens` names the goldens folder for whoever gives it."""
        torch, triton = self._versions()
        return PendingCase(
            folder=self.folder,
            nodeid=self.nodeid,
            target=self.target,
            goldens=goldens,
            torch=torch,
            triton=triton,
            normaliser=NORMALISER,
            known=self._known(),
            artifacts=tuple(map(self._pending, self.waiting)),
            moved_from=self.moved_from,
        )

    def _pending(self, change: Compared) -> PendingArtifact:
        assert change.kind != "same"
        new = change.kind == "new"
        return PendingArtifact(
            stage=change.stage,
            kind=change.kind,
            stem=change.stem,
            extension=change.path.suffix.removeprefix("."),
            text=change.new,
            golden=None if new else change.path,
            golden_sha256=None if new else self.store.fingerprint(change.path),
            golden_torch=change.since,
            noted=change.fails and change.severity == "note",
            same_machine_code=change.alike == SAME_MACHINE_CODE,
            evidence=change.known[1],
        )

    def _known(self) -> tuple[str, ...]:
        """The inputs whose values the test's programs asked for, as a golden's header can hold them.

        A function without a signature takes arguments by any name.
        """
        inputs = {name for capture in self.captures for name in capture.known}
        return tuple(sorted(re.sub(r"[^\w.\[\]]", "_", name) for name in inputs))

    def _versions(self) -> tuple[str, str | None]:
        """The versions of the last capture, or the installed ones for artifacts captured by other means."""
        if self.torch is None:
            self.torch, self.triton = torch_version() or "0", triton_version()
        return self.torch, self.triton


def _as_golden(
    stage: Stage, golden: StoredGolden | None, artifact: Artifact | None
) -> str:
    """The artifact's text with the notes of its golden, and with those of its parts that this torch cannot show."""
    if artifact is None:
        return ABSENT
    text = text_of(artifact)
    if golden is None:
        return text
    return stage.format.with_notes(
        golden.body, carry_over(stage, golden.body, text, artifact.unavailable)
    )
