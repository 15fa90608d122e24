"""What a report says of a case, as far as it tells where to search."""

from __future__ import annotations

from pytest_compile_golden.recordings import pairing
from pytest_compile_golden.recordings.recording import RecordedCase
from pytest_compile_golden.report.cases import case_report
from pytest_compile_golden.report.model import CaseReport
from pytest_compile_golden.wings.prove import candidates


def report(goal: RecordedCase, now: RecordedCase | None) -> CaseReport | None:
    if now is None:
        return None
    unavailable = {**goal.unavailable, **now.unavailable}
    return case_report(now.nodeid, now.target, pairing.compared(goal, now, None), unavailable=unavailable, brief=True)


def blamed(said: CaseReport | None) -> list[str]:
    """The places in torch that a report names."""
    if said is None:
        return []
    first = said.divergence
    places = [] if first is None else [first.where, first.also_where]
    places += [change.where or change.defined for change in (*said.changes, *said.secondary)]
    return [where for where in dict.fromkeys(places) if where is not None]


def changed(said: CaseReport | None) -> list[str]:
    """The stages and phases in which its changes show."""
    return [] if said is None else [change.stage for change in said.changes or said.secondary]


def subjects(said: CaseReport | None) -> frozenset[str]:
    """The words in the names that its changes are about; a change may show in a number, and these only in the trail.

    Also those of its type: `reduction-steps`.
    """
    changes = () if said is None else (*said.changes, *said.secondary)
    return candidates.words_of(name for change in changes for name in (*change.names, change.key, change.code))
