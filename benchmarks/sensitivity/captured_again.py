"""Whether cases capture under a planted change what was captured under it when it was kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from benchmarks.sensitivity.runner import Verdict
from benchmarks.verdicts.planted import Artifact, Planted


def differences(
    kept: Iterable[Planted], made: Iterable[Planted], verdicts: Mapping[str, Verdict]
) -> Iterator[str]:
    """A line for each text that is another one now.

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
            before, after = _texts(case), _texts(found)
            for stage in sorted(before.keys() | after.keys()):
                if before.get(stage) != after.get(stage):
                    yield f"{case.change}: {case.nodeid}: {stage} is another text"


def _texts(case: Planted) -> dict[str, str]:
    def text(artifact: Artifact) -> str:
        return artifact.old if artifact.new is None else artifact.new

    return {artifact.stage: text(artifact) for artifact in case.artifacts}
