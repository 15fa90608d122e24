"""Accepting a pending artifact later, or elsewhere: only if its golden is still the one it was compared with."""

from __future__ import annotations

from dataclasses import replace

from pytest_compile_golden import stages
from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.formats import normaliser
from pytest_compile_golden.formats.format import UNKNOWN
from pytest_compile_golden.goldens.compare import SAME_MACHINE_CODE, Compared, compare
from pytest_compile_golden.goldens.header import DamagedGolden
from pytest_compile_golden.goldens.pending_case import PendingArtifact, PendingCase
from pytest_compile_golden.goldens.store import Golden, Store, Written
from pytest_compile_golden.stages import Stage


class Refused(GoldenError):
    """A pending artifact that no longer fits the goldens; accepting it would be a guess."""


def stage_of(artifact: PendingArtifact) -> Stage:
    """The stage of an artifact. Raises Refused if its goldens now have another file type."""
    stage = stages.stage_of(artifact.stage, artifact.extension)
    if stage.extension != artifact.extension:
        raise Refused(
            f"{artifact.stem}.{artifact.extension}: goldens of {artifact.stage} are .{stage.extension} files here. "
            "Run the case again with this version of pytest-compile-golden."
        )
    return stage


def check(case: PendingCase, artifact: PendingArtifact, store: Store) -> Compared | None:
    """How the artifact differs from the golden that is now in use; None if it was accepted in the meantime.

    Raises Refused if the golden, the case or the normaliser is not the one that the artifact was made with.
    """
    named = f"{case.folder / artifact.stem}.{artifact.extension}"
    if case.normaliser != normaliser.NORMALISER:
        raise Refused(
            f"{named} was written by normaliser {case.normaliser}, but this is {normaliser.NORMALISER}. "
            "Run the case again."
        )
    golden_path, stage = case.golden_path(artifact), stage_of(artifact)
    try:
        used: Golden | None = store.find(golden_path, stage, case.torch)
    except DamagedGolden as error:
        raise Refused(f"{named}: {error}") from None
    change = compare(stage, golden_path, used, _body(stage, used, artifact, None))
    if not change.differs:
        return None
    if artifact.golden is None:
        if used is not None:
            raise Refused(
                f"{named} was new to that run, but {used.path} exists now. Update your checkout and run the case again."
            )
    elif used is None:
        raise Refused(
            f"{named} was compared with {artifact.golden}, which is gone: the case was renamed or removed, or this "
            "is a different goldens folder (--goldens). Run the case again, or reject it."
        )
    elif used.path != artifact.golden or store.fingerprint(used.path) != artifact.golden_sha256:
        raise Refused(
            f"{named} was compared with a different {artifact.golden} from the one here now ({used.path}): "
            "the goldens have changed since. Run the case again."
        )
    if artifact.same_machine_code:
        change = replace(change, depth=SAME_MACHINE_CODE)
    change = replace(change, severity="note" if artifact.noted else "fail")
    if stage.format is UNKNOWN and change.kind == "structural":
        # A stand-in for the stage cannot tell; the run, which had the stage, could.
        return replace(change, kind="cosmetic" if artifact.kind == "cosmetic" else "structural")
    return change


def accept(
    case: PendingCase, artifact: PendingArtifact, store: Store, reason: str | None = None
) -> tuple[Written, ...]:
    """Write the artifact as a run on its torch would have, unless it was already accepted. Raises Refused."""
    if check(case, artifact, store) is None:
        return ()
    golden_path, stage = case.golden_path(artifact), stage_of(artifact)
    used = store.find(golden_path, stage, case.torch)
    body = _body(stage, used, artifact, reason)
    return tuple(store.accept(golden_path, stage, body, case.torch, case.triton, case.known, artifact.evidence))


def _body(stage: Stage, used: Golden | None, artifact: PendingArtifact, reason: str | None) -> str:
    return artifact.text if used is None else stage.format.with_notes(used.body, artifact.text, reason)
