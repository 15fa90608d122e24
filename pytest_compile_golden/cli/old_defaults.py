"""Which changes go away when torch's old defaults are restored: the suite is run again with them, by bisection."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_compile_golden.cli import running
from pytest_compile_golden.recordings.recording import Recording
from pytest_compile_golden.vocabulary import SWITCH

if TYPE_CHECKING:
    from pytest_compile_golden.environments.sides import Side
    from pytest_compile_golden.report.model import CaseReport, Report

MOST_RUNS = 8
"""Each imports torch and compiles some cases: seconds to a minute."""


def tried(report: Report, before: Recording, new: Side, run: running.RunOptions) -> Report:
    """The report, with the old defaults that make a change go away; they are tried in `new`, on a case of each change.

    Those that a blamed function reads come first, then the others, for what is left. A change that goes away only with
    several of them together, or for which there were no runs left, is reported as going away with all of these.
    """
    from pytest_compile_golden.report.counts import count

    chosen = _cases(report)
    search = Search(before, new, run, {case.nodeid: _keys(case) for case in report.cases if case.nodeid in chosen})
    left = frozenset().union(*search.cases.values())
    for near in (True, False):
        left -= search.narrow([each.put_back for each in report.defaults if bool(each.read_by) == near], left)
    groups = [
        replace(group, goes_away_with=next((defaults for defaults, keys in search.found if keys & {*group.keys}), ()))
        for group in report.groups
    ]
    number = f"{len(search.tried)} of the {count(len(report.defaults), 'default')} that differ"
    note = f"tried {number}, in {count(search.runs, 'run')}, those that a blamed function reads first"
    if search.runs == MOST_RUNS:
        note += "; there may be more to find, but no more runs are made"
    return replace(report, groups=tuple(groups), notes=(*report.notes, note))


def _cases(report: Report) -> tuple[str, ...]:
    """The ids of cases that cover every distinct change; those with the most changes first, so that few are enough."""
    groups = {number: {*group.members} for number, group in enumerate(report.groups) if group.outcome == "changed"}
    chosen = []
    while groups:
        members = sorted({member for group in groups.values() for member in group})
        best = max(members, key=lambda member: sum(member in group for group in groups.values()))
        chosen.append(best)
        groups = {number: group for number, group in groups.items() if best not in group}
    return tuple(chosen)


class Search:
    def __init__(
        self, before: Recording, new: Side, run: running.RunOptions, cases: Mapping[str, frozenset[str]]
    ) -> None:
        self.cases = cases
        """The keys of each case's changes, by nodeid."""
        self.found: list[tuple[tuple[str, ...], frozenset[str]]] = []
        """Settings, and the keys of the changes that go away only with all of them together."""
        self.tried: set[str] = set()
        self.runs = 0
        self._before, self._new, self._run = before, new, run

    def narrow(self, settings: Sequence[str], here: frozenset[str]) -> frozenset[str]:
        """Find which of these settings make which of the changes `here` go away; returns those that do."""
        if not settings or not here or self.runs == MOST_RUNS:
            return frozenset()
        gone = self._gone(settings, here)
        # torch may refuse one of the settings: the others are tried without it.
        candidates = here if gone is None else gone
        explained: frozenset[str] = frozenset()
        if len(settings) > 1:
            middle = len(settings) // 2
            for half in (settings[:middle], settings[middle:]):
                explained |= self.narrow(half, candidates - explained)
        together = (gone or frozenset()) - explained
        if together:
            self.found.append((tuple(settings), together))
        return explained | together

    def _gone(self, settings: Sequence[str], here: frozenset[str]) -> frozenset[str] | None:
        """Those of the changes `here` that go away with the settings; None if no case passes with them."""
        from pytest_compile_golden.report import comparing

        self.runs += 1
        self.tried.update(settings)
        with tempfile.TemporaryDirectory(prefix="compile-golden-") as scratch, running.SideProgress() as watcher:
            recorder = self._run.side_recorder([nodeid for nodeid, keys in self.cases.items() if keys & here], runs=1)
            options = tuple(f"{SWITCH}-config={text}" for text in settings)
            recorder = replace(recorder, request=replace(recorder.request, options=options))
            watcher.say(self._new, f"with {', '.join(settings)}")
            after = recorder.record_side(self._new, Path(scratch) / "after", watcher)
        if not isinstance(after, Recording):
            return None
        passed = {case.nodeid for case in after.cases if case.verdict == "passed"} & self.cases.keys()
        compared = comparing.report(self._before, after, "before", "after", brief=True)
        before = frozenset().union(*(self.cases[nodeid] for nodeid in passed))
        left = frozenset().union(*(_keys(case) for case in compared.cases if case.nodeid in passed))
        return here & (before - left) if passed else None


def _keys(case: CaseReport) -> frozenset[str]:
    return frozenset(change.key for change in (*case.changes, *case.besides))
