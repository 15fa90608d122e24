"""Whether cases capture under a planted change what was captured under it when it was kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from msgspec.structs import replace

from benchmarks.sensitivity.runner import Verdict
from benchmarks.verdicts.planted import Artifact, Planted


def differences(
    kept: Iterable[Planted], made: Iterable[Planted], verdicts: Mapping[str, Verdict]
) -> Iterator[str]:
    """A line for each text that means something else now; timings, and other things that never count, may differ.

    made: cases that differ from their goldens under a change that was made again.
    verdicts: of these changes, by name. Of those that are not in it, nothing is said.
    """
    now = {(case.change, case.nodeid): case for case in made}
    for case in kept:
        if case.change not in verdicts:
            continue
        verdict = verdicts[case.change]
        if verdict.state != "ran":
            yield f"{case.change}: {verdict.state}: {verdict.note}"
        elif (found := now.get((case.change, case.nodeid))) is None:
            yield f"{case.change}: {case.nodeid}: as its goldens are, or not run"
        else:
            for pair in _against(case, found).compared():
                if pair.kind not in ("same", "cosmetic"):
                    yield f"{case.change}: {case.nodeid}: {pair.stage} is {pair.kind}"


def _against(kept: Planted, made: Planted) -> Planted:
    """The case as it is made now, with what was kept of it as its goldens; a text that one lacks is empty."""
    before, after = (
        {_name(artifact): artifact for artifact in case.artifacts}
        for case in (kept, made)
    )
    artifacts = []
    for name in sorted(before.keys() | after.keys()):
        of = before.get(name) or after[name]
        old, new = _text(before.get(name)), _text(after.get(name))
        artifacts.append(Artifact(of.stage, of.golden, old, new, since=of.since or "0"))
    return replace(made, artifacts=tuple(artifacts))


def _name(artifact: Artifact) -> str:
    """Its golden's, without the version that this is an overlay for."""
    return PurePosixPath(artifact.golden).name.partition("@")[0].partition(".")[0]


def _text(artifact: Artifact | None) -> str:
    if artifact is None:
        return ""
    return artifact.old if artifact.new is None else artifact.new
