"""Two recordings of a case side by side, as if the old one were its golden."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial

import msgspec

from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.metrics.metric_table import (
    LISTED,
    LISTS,
    metrics_unavailable_without,
)
from pytest_compile_golden.formats.metrics.printed import counted_as
from pytest_compile_golden.goldens.case_files import StoredArtifact
from pytest_compile_golden.goldens.compare_artifact import Compared, carry_over, compare
from pytest_compile_golden.goldens.golden_header import Header
from pytest_compile_golden.goldens.golden_paths import GoldenPath
from pytest_compile_golden.goldens.golden_store import (
    ABSENT,
    StoredGolden,
    same_behaviour,
)
from pytest_compile_golden.goldens.severity import undone
from pytest_compile_golden.recordings.recording import RecordedCase, Recording, Run
from pytest_compile_golden.stages import rank, stage_of


def compared(
    old: RecordedCase, new: RecordedCase, torch: str | None, aside: Collection[str] = ()
) -> list[Compared]:
    """Every artifact of the case on both sides, in pipeline order. `torch` is the old side's.

    Stages that one side's torch cannot show, and those in `aside`, are left out: how they differ is not known. So is
    what goldens say nothing about: a stage that the case keeps no golden of, or one that only says there is nothing.
    """
    hidden = {*old.unavailable, *new.unavailable, *aside}
    before, after = _said(old, new), _said(new, old)
    stems = [
        stem
        for stem in dict.fromkeys((*before, *after))
        if (before.get(stem) or after[stem]).stage not in hidden
    ]
    gone = {*old.unavailable, *new.unavailable}
    unavailable = {*gone, *metrics_unavailable_without(gone)}
    artifacts = [
        _compared(
            new,
            _recounted(before, after, stem),
            after.get(stem),
            torch,
            unavailable,
            old.earlier.get(stem, ()),
        )
        for stem in stems
    ]
    return sorted(artifacts, key=lambda artifact: rank(artifact.stage))


def costs_of_one(old: RecordedCase, new: RecordedCase) -> list[Compared]:
    """What kernels cost, of a case whose other side does not say it: to be shown, and compared with nothing."""
    sides = [
        {each.stem: each for each in case.artifacts if each.stage == "cost"}
        for case in (old, new)
    ]
    return [
        Compared(
            "cost",
            "same",
            texts[0],
            texts[1],
            None,
            GoldenPath(new.folder, stem, artifact.extension).versionless,
        )
        for stem, artifact in (sides[0] | sides[1]).items()
        if ABSENT
        in (texts := [side[stem].text if stem in side else ABSENT for side in sides])
    ]


def differs(pairs: Collection[Compared]) -> bool:
    """Whether any of them differs in more than looks."""
    return any(pair.fails for pair in pairs)


def recordings_differ(old: Recording, new: Recording) -> bool:
    """Whether any case differs in more than looks, or in how it ended, or is only in one of them."""
    before, after = ({case.folder: case for case in run.cases} for run in (old, new))
    aside = not_in_both(old.run, new.run)
    gained, lost = after.keys() - before.keys(), before.keys() - after.keys()
    if (gained and not silent(old, new)) or (lost and not silent(new, old)):
        return True
    return any(
        before[folder].verdict != case.verdict
        or differs(compared(before[folder], case, old.run.torch, aside))
        for folder, case in after.items()
        if folder in before
    )


def silent(side: Recording, other: Recording) -> bool:
    """Whether `side` says nothing about cases that only `other` has.

    Goldens do not say which cases a run has, a run may be of some files only, a part of a recording does not have all
    of its run's, and a run that did not end had not come to all of them.
    """
    return (
        bool(side.left_out)
        or side.run.exit_status is None
        or side.of_goldens != other.of_goldens
    )


def not_in_both(old: Run, new: Run) -> frozenset[str]:
    """The stages that only one of two runs was asked to record for every capture."""
    old_stages, new_stages = (
        set(run.options.get("stages", "").split(",")) for run in (old, new)
    )
    return frozenset(old_stages ^ new_stages)


def _said(case: RecordedCase, other: RecordedCase) -> dict[str, StoredArtifact]:
    """The artifacts of a case by stem, without those that the other side says nothing about.

    One that says that there is nothing, as `no symbolic sizes` of one program of several, says as much as none.
    """
    has = {artifact.stem for artifact in other.artifacts}
    return {
        artifact.stem: artifact
        for artifact in case.artifacts
        if other.says(artifact)
        and (
            artifact.stem in has
            or not stage_of(artifact.stage, artifact.extension).format.is_trivial(
                artifact.text
            )
        )
    }


def _recounted(
    before: Mapping[str, StoredArtifact], after: Mapping[str, StoredArtifact], stem: str
) -> StoredArtifact | None:
    """The old artifact; metrics with the new numbers of what a text lists, where that text lists the same: a recording
    may have counted a condition as often as torch asked for it."""
    old, new = before.get(stem), after.get(stem)
    if old is None or new is None or old.stage != "metrics":
        return old
    lists = [side.get(stem.replace(old.stage, LISTS, 1)) for side in (before, after)]
    texts = [each.text for each in lists if each is not None]
    if len(texts) < 2 or not same_behaviour(stage_of(LISTS, "txt"), *texts):
        return old
    return msgspec.structs.replace(old, text=counted_as(new.text, old.text, LISTED))


def _compared(
    case: RecordedCase,
    old: StoredArtifact | None,
    new: StoredArtifact | None,
    torch: str | None,
    unavailable: Collection[str],
    earlier: Collection[tuple[str, str]],
) -> Compared:
    artifact = new or old
    assert artifact is not None
    stage = stage_of(artifact.stage, artifact.extension)
    golden_path = GoldenPath(case.folder, artifact.stem, artifact.extension)
    before, after = (
        ABSENT if old is None else old.text,
        ABSENT if new is None else new.text,
    )
    if ABSENT not in (before, after):
        before, after = (
            carry_over(stage, *pair, unavailable)
            for pair in ((after, before), (before, after))
        )
        after = stage.format.with_notes(before, after)
    if old is None:
        # Not a missing golden: the compile has gained this stage.
        found = Compared(
            stage.name, "structural", ABSENT, after, torch, golden_path.versionless
        )
    else:
        golden = StoredGolden(
            golden_path.versionless, Header(stage.name, torch or "0", None), before
        )
        found = compare(stage, golden_path, golden, after)
    known = (
        "" if old is None else evidence.of_torch(old.evidence, torch or ""),
        "" if new is None else new.evidence,
    )
    return replace(
        found, find_again=partial(undone, found, golden_path, earlier), known=known
    )
