"""Cases grouped by distinct change, most important first: forty identical changes are read once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from pytest_compile_golden.changes.change import MINOR, NOTED, OTHER_RESULTS
from pytest_compile_golden.changes.schedules import OF_GROUPS
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.common.regular_expressions import without_addresses
from pytest_compile_golden.goldens.change_groups import group, noted_alone, plainest
from pytest_compile_golden.goldens.compare_artifact import SAME_MACHINE_CODE
from pytest_compile_golden.goldens.ranking import (
    COUNTED_OTHERWISE,
    UNEXPLAINED,
    Cost,
    MovedNumber,
    Rank,
    case_verdict,
    costs,
    metric_name,
    moved,
    noticeable,
    numbers_of,
    paid,
    rank,
    severity_key,
    sums,
    times,
    told,
)
from pytest_compile_golden.messages.numbers import (
    counted_otherwise,
    results,
    unexplained,
)
from pytest_compile_golden.report.metric_columns import movement
from pytest_compile_golden.report.model import (
    CaseGroup,
    CaseReport,
    Outcome,
    Part,
    ReportedChange,
)
from pytest_compile_golden.stages import stage_of

_ORDER: tuple[Outcome, ...] = (
    "error",
    "missing",
    "changed",
    "noted",
    "failing",
    "fixed",
    "new",
)
# Relative changes in time below this are not reported: times are estimates.
_LEAST_REPORTED = 0.01
_ERROR = "error: "
_TEXTS: dict[Outcome, str] = {"new": "no golden yet", "missing": "no longer exists"}
_FEWEST = 3
"""So many cases have to fail alike before it is more than chance."""
# `observe/torch_errors.py: reason` ends with the user's line, in which alone such failures differ.
_LOCATION = re.compile(r", at [\w.-]+\.py:\d+: .*$")


def grouped(
    cases: Iterable[CaseReport], causes: Mapping[tuple[str, str], str] | None = None
) -> tuple[CaseGroup, ...]:
    """A group for each distinct change: first what changes results, then errors and missing cases, then the others in
    the order of `ranking`; what failed before comes after all changes. What no change explains is a group as well, and
    so is what torch counts otherwise.

    causes: what is proved to have made a change, by case and key: changes with the same cause are one, and one that has
    several is as many.
    """
    cases = list(cases)
    every = [(case, changes_of(case), case.secondary) for case in cases]
    common = {
        f"{_ERROR}{failure.error}": failure.text for failure in common_failures(cases)
    }
    # Where nothing is noted, as in a comparison of two sides, every change counts.
    weighed = any(case.outcome == "noted" for case in cases)
    minor = {
        change.key
        for case, changes, secondary in every
        for change in (*changes, *secondary)
        if weighed
        and (
            change.kind in NOTED
            or (case.outcome == "noted" and noted_alone(change.kind, change.stage))
        )
    }
    ranked: list[tuple[tuple[bool, int, Rank], CaseGroup]] = []
    for changes, members in _by_cause(
        group(entry for entry in every if entry[1]), causes or {}
    ):
        outcome = _outcome(changes, members, minor)
        case_group, shown, least = _of_changes(changes, members, outcome)
        case_group = replace(
            case_group, text=common.get(case_group.keys[0], case_group.text)
        )
        sides = {case.wrong for case in members}
        wrong: Literal["", "old", "new"] = (
            "new" if "new" in sides else "old" if "old" in sides else ""
        )
        place = rank(
            case_group.topic, case_group.kind, shown, least, len(members), wrong
        )
        # What a program computes matters more than that others fail.
        before = case_group.is_change and bool(
            wrong or case_group.topic in OTHER_RESULTS
        )
        ranked.append(
            ((not before, 0 if before else _ORDER.index(outcome), place), case_group)
        )
    ranked += [
        ((True, _ORDER.index("changed"), place), each)
        for place, each in _of_no_change(cases)
    ]
    return tuple(
        case_group for _, case_group in sorted(ranked, key=lambda entry: entry[0])
    )


def _of_changes(
    changes: Sequence[ReportedChange], members: Sequence[CaseReport], outcome: Outcome
) -> tuple[CaseGroup, Sequence[Cost], Sequence[Cost]]:
    """The group of these changes, which all members have; what it costs, and the times among that."""
    keys = frozenset(change.key for change in changes)
    members = sorted(
        members,
        key=lambda case: (
            not case.wrong,
            severity_key(numbers_in(keys, case)),
            not noticeable(numbers_in(keys, case)),
        ),
    )
    known = {
        change.key: change
        for change in (*members[0].secondary, *changes_of(members[0]))
    }
    # What leaves everything that runs as it is names a group only if nothing else does, and so do how it is launched
    # and what the source of a kernel is compiled to.
    changes = sorted(
        changes,
        key=lambda change: (
            change.kind in MINOR,
            change.kind in NOTED,
            change.topic not in OTHER_RESULTS,
            stage_of(change.stage, "txt").compiles,
            change.topic == "launch",
            # Changes that one proof explains may be of different cases.
            change.key not in known,
        ),
    )
    if noticeable(numbers_in(keys, members[0])):
        # Of what its cases have in different ways, the example is of the case that it costs, or saves, most.
        changes = [
            known[change.key].as_example()
            if change.key in known and change.text == change.example
            else change
            for change in changes
        ]
    first = changes[0]
    numbers = [metric for case in members for metric in numbers_in(keys, case)]
    totals, least = costs(numbers), times(numbers)
    # Where numbers moved, a case of which none did has none to explain, and another change moves other numbers.
    why = _why(
        changes,
        members,
        [case for case in members if moved(numbers_in(keys, case))],
    )
    shown = sums(told(numbers)) if totals or not why else moved(numbers)
    verdict = case_verdict(numbers)
    shown_times = [
        metric for metric in least if shown and metric.relative >= _LEAST_REPORTED
    ]
    case_group = CaseGroup(
        outcome=outcome,
        text=first.text,
        stage=first.stage,
        where=first.where,
        defined=first.defined,
        topic=first.topic,
        code=first.code,
        kind=first.kind,
        names=tuple(dict.fromkeys(name for change in changes for name in change.names)),
        edits=tuple(change.text for change in changes[1:]),
        keys=tuple(change.key for change in changes),
        # A number that is neither better nor worse, and is the change itself, has been told by that.
        consequence=""
        if first.code == "metric-changed" and not totals
        else "mixed: " * (verdict == "mixed")
        + _consequence([*shown, *shown_times], len(members)),
        worse=any(metric.verdict == "REGRESSION" for metric in totals),
        verdict=verdict,
        why=why,
        same_machine_code=all(map(same_machine_code, members)),
        members=tuple(case.nodeid for case in members),
    )
    return case_group, shown, least


def told_apart(
    group: CaseGroup, cases: Iterable[CaseReport], others: Collection[str]
) -> tuple[CaseGroup, ...]:
    """The group without the changes whose keys are in `others`, and those as a group of their own: a program shows one
    part and not the other, although no case does. The group itself if that leaves one of them without a change."""
    members = [case for case in cases if case.nodeid in group.members]
    known = {
        change.key: change
        for case in members
        for change in (*case.secondary, *changes_of(case))
    }
    parts = [
        [key for key in group.keys if (key in others) == apart and key in known]
        for apart in (False, True)
    ]
    if not all(parts):
        return (group,)
    one, other = (
        _of_changes([known[key] for key in part], members, group.outcome)[0]
        for part in parts
    )
    return replace(one, proof=group.proof, program=group.program), other


def _of_no_change(cases: Iterable[CaseReport]) -> Iterator[tuple[Rank, CaseGroup]]:
    """Costs that no change of their cases owns, as one entry, and numbers that torch counts otherwise as another."""
    changed = [case for case in cases if case.outcome == "changed"]
    for key, text, kind in (
        (UNEXPLAINED, unexplained(), "decision"),
        (COUNTED_OTHERWISE, counted_otherwise(), "accounting"),
    ):
        numbers = {case.nodeid: told(numbers_in([key], case)) for case in changed}
        numbers = {nodeid: moved for nodeid, moved in numbers.items() if moved}
        if not numbers:
            continue
        every = [metric for moved in numbers.values() for metric in moved]
        verdict, totals = case_verdict(every), costs(every)
        yield (
            rank("", kind, totals, times(every), len(numbers)),
            CaseGroup(
                "changed",
                text,
                kind=kind,
                keys=(key,),
                consequence="mixed: " * (verdict == "mixed")
                + _consequence(sums(every), len(numbers)),
                worse=any(metric.verdict == "REGRESSION" for metric in totals),
                verdict=verdict,
                members=tuple(
                    sorted(numbers, key=lambda nodeid: severity_key(numbers[nodeid]))
                ),
            ),
        )


def _why(
    changes: Iterable[ReportedChange],
    members: Sequence[CaseReport],
    moving: Sequence[CaseReport],
) -> str:
    """What explains the numbers of changes: the same in each case, or what they do to the results of some.

    moving: the cases of which a number moved.
    """
    of_groups = any(change.code in OF_GROUPS for change in changes)
    whys = {
        case.why
        for case in moving or members
        if (moving or not any(moved(case.metrics)))
        # What a fused kernel accessed is no reason for what else changed in its case.
        and (not case.uncoalesced or of_groups or len(case.changes) == 1)
    }
    if len(whys) == 1:
        return whys.pop()
    sides = Counter(case.wrong for case in members if case.wrong)
    # A result that breaks matters more than those that are mended.
    side: Literal["old", "new"] = "new" if sides["new"] else "old"
    return (
        results(
            side, sides[side], len(members), any(paid(case.metrics) for case in moving)
        )
        if sides
        else ""
    )


def _by_cause(
    groups: Iterable[tuple[list[ReportedChange], list[CaseReport]]],
    causes: Mapping[tuple[str, str], str],
) -> Iterable[tuple[list[ReportedChange], list[CaseReport]]]:
    apart: dict[object, tuple[dict[str, ReportedChange], dict[str, CaseReport]]] = {}
    for number, (changes, members) in enumerate(groups):
        for case in members:
            known = (causes.get((case.nodeid, change.key)) for change in changes)
            cause = next(filter(None, known), number)
            texts, cases = apart.setdefault(cause, ({}, {}))
            texts |= {
                change.key: change for change in changes if change.key not in texts
            }
            cases[case.nodeid] = case
    # Each is worded as most of the cases that share the cause have it.
    return [
        (
            [_worded(change, cases.values()) for change in texts.values()],
            [*cases.values()],
        )
        for texts, cases in apart.values()
    ]


def _worded(change: ReportedChange, cases: Iterable[CaseReport]) -> ReportedChange:
    named = [
        other
        for case in cases
        for other in (*changes_of(case), *case.secondary)
        if other.key == change.key
    ]
    return plainest(named, change.stage)


def _outcome(
    changes: Sequence[ReportedChange],
    members: Sequence[CaseReport],
    minor: Collection[str],
) -> Outcome:
    """That of its cases; `noted` if those that fail also have changes besides those in `minor`, which cases may pass
    with."""
    outcomes = {case.outcome for case in members}
    if not outcomes <= {"changed", "noted"}:
        return min(outcomes & {*_ORDER}, key=_ORDER.index, default="changed")
    if all(change.kind in NOTED and change.key in minor for change in changes):
        members = [
            case
            for case in members
            if all(other.kind in NOTED for other in changes_of(case))
        ]
    elif all(change.key in minor for change in changes):
        members = [
            case
            for case in members
            if all(other.key in minor for other in changes_of(case))
        ]
    return "changed" if any(case.outcome == "changed" for case in members) else "noted"


def same_machine_code(case: CaseReport) -> bool:
    """Whether kernels of the case that are written differently compile to the same machine code as before."""
    return any(stage.about == SAME_MACHINE_CODE for stage in case.stages)


def changes_of(case: CaseReport) -> tuple[ReportedChange, ...]:
    """What a case is grouped by: its changes, or that it failed, is new or is missing; empty if it is as before."""
    # That a result is wrong is known of all that was compiled: its changes say more than which test it was.
    if case.outcome in ("error", "failing", "fixed") and not case.is_change:
        text = error_of(case)
        return (ReportedChange("", text, f"{_ERROR}{text}", "error"),)
    if case.outcome in _TEXTS:
        return (ReportedChange("", _TEXTS[case.outcome], case.outcome, case.outcome),)
    first = case.divergence
    changed = case.is_change or case.outcome == "noted"
    if not changed or case.changes or first is None:
        return case.changes if changed else ()
    return (
        ReportedChange(first.stage, first.text, first.text, "operators", first.where),
    )


def numbers_in(keys: Collection[str], case: CaseReport) -> list[MovedNumber]:
    """What the distinct changes in `keys` do to the metrics of a case."""
    parts = {
        metric.name: {part.change: part.amount for part in metric.parts}
        for metric in case.metrics
    }
    changes = changes_of(case)
    # A report of before there were any.
    if len(changes) == 1 and not any(parts.values()):
        for metric in case.metrics:
            if isinstance(metric.old, (int, float)) and isinstance(
                metric.new, (int, float)
            ):
                parts[metric.name] = {changes[0].key: metric.new - metric.old}
    return numbers_of(keys, case.metrics, parts)


def unexplained_in(case: CaseReport) -> dict[str, float]:
    """By metric, by how much no change of a case moves it."""
    return {
        each.name: part.amount
        for each in case.metrics
        for part in each.parts
        if part.change == UNEXPLAINED
    }


def refuted(cases: Iterable[CaseReport]) -> tuple[CaseReport, ...]:
    """The cases, in which a cost is unexplained that was only guessed to be of a change, if others for the same target
    have that change and none of them has the cost; not where something else shows that the change costs its case."""
    cases = tuple(cases)
    # By target, change and metric: how many cases have the change, and how many of them the cost.
    having, paying = Counter[tuple[str, str, str]](), Counter[tuple[str, str, str]]()
    for case in cases:
        for metric in case.metrics:
            name, moving = metric_name(metric), {part.change for part in metric.parts}
            if isinstance(metric.old, (int, float)) and isinstance(
                metric.new, (int, float)
            ):
                keys = {change.key for change in case.changes}
                having.update((case.target, key, name) for key in keys)
                paying.update((case.target, key, name) for key in keys & moving)

    def left(case: CaseReport) -> CaseReport:
        shown = {
            part.change
            for metric in case.metrics
            for part in metric.parts
            if not part.guessed
        }
        metrics = []
        for metric in case.metrics:
            amounts: dict[str, Part] = {}
            for part in metric.parts:
                entry = case.target, part.change, metric_name(metric)
                if (
                    part.guessed
                    and part.change not in shown
                    and paying[entry] == 1 < having[entry]
                ):
                    part = Part(UNEXPLAINED, part.amount)
                known = amounts.get(part.change)
                amounts[part.change] = (
                    part
                    if known is None
                    else replace(part, amount=known.amount + part.amount)
                )
            parts = tuple(amounts.values())
            metrics.append(
                metric if parts == metric.parts else replace(metric, parts=parts)
            )
        return replace(case, metrics=tuple(metrics))

    return tuple(map(left, cases))


def corrected(
    case: CaseReport, measured: Mapping[str, Mapping[str, float]]
) -> CaseReport:
    """The case with its costs as they were measured: what stays when a change is undone is not the cost of that change,
    and what goes away with it is no longer unexplained.

    measured: for changes, by key, how much of each metric goes away; changes that go away together have the same.
    """
    metrics = []
    for metric in case.metrics:
        parts = {part.change: part.amount for part in metric.parts}
        for moves in measured.values():
            keys = [
                key for key in measured if measured[key] == moves and key != UNEXPLAINED
            ]
            guessed, moved_by = (
                sum(parts.get(key, 0) for key in keys),
                moves.get(metric.name, 0),
            )
            left = parts.get(UNEXPLAINED, 0)
            if guessed and not moved_by:
                parts = {
                    key: amount for key, amount in parts.items() if key not in keys
                }
                parts[UNEXPLAINED] = left + guessed
            elif keys and not guessed and 0 < moved_by * left <= left**2:
                parts |= {UNEXPLAINED: left - moved_by, keys[0]: moved_by}
        given = tuple(Part(key, amount) for key, amount in parts.items() if amount)
        metrics.append(
            metric if given == metric.parts else replace(metric, parts=given)
        )
    return replace(case, metrics=tuple(metrics))


def _consequence(totals: Sequence[Cost], members: int) -> str:
    """Sums of metrics; if the group has several cases, each list says over how many."""
    parts = []
    for cases, costs_of in groupby(totals, key=lambda cost: cost.cases):
        listed = ", ".join(f"{cost.name} {movement(cost)}" for cost in costs_of)
        parts.append(
            f"{listed} in {quantity(cases, 'case')}" if members > 1 else listed
        )
    return ", ".join(parts)


@dataclass(frozen=True)
class CommonFailure:
    """One error, raised in torch, Triton or this package, that most cases of some targets fail with."""

    error: str
    raised_in: str
    """The line that raised it, in most cases: `torch/_inductor/graph.py:1023`."""
    targets: tuple[str, ...]
    failed: int
    cases: int
    """All cases of these targets."""

    @property
    def text(self) -> str:
        """One finding: `147 of 149 cases for cuda-sm90 fail with the same error, which was raised in torch: ...`."""
        package = self.raised_in.partition("/")[0]
        where = {"torch": "torch", "triton": "Triton"}.get(
            package, "pytest-compile-golden"
        )
        return (
            f"{self.failed} of {self.cases} cases for {', '.join(self.targets)} fail with the same error, which was "
            f"raised in {where}: {self.error} ({self.raised_in})"
        )


def error_of(case: CaseReport) -> str:
    """The first line of a case's error, without addresses and the user's line that it ends with."""
    return without_addresses(
        _LOCATION.sub("", next(iter(split_lines(case.error or "")), "failed"))
    )


def common_failures(cases: Iterable[CaseReport]) -> tuple[CommonFailure, ...]:
    """The errors of torch, Triton or this package that more than half of all cases of a target share, each with all
    targets for which it is so."""
    totals: Counter[str] = Counter()
    errors: Counter[tuple[str, str]] = Counter()
    lines: dict[str, Counter[str]] = {}
    for case in cases:
        totals[case.target] += 1
        if case.outcome == "error" and case.target and case.raised_in:
            errors[error_of(case), case.target] += 1
            lines.setdefault(error_of(case), Counter())[case.raised_in] += 1
    targets: dict[str, list[str]] = {}
    for (error, target), failed in sorted(errors.items()):
        if failed >= _FEWEST and 2 * failed > totals[target]:
            targets.setdefault(error, []).append(target)
    return tuple(
        CommonFailure(
            error,
            lines[error].most_common(1)[0][0],
            tuple(alike),
            sum(errors[error, target] for target in alike),
            sum(totals[target] for target in alike),
        )
        for error, alike in targets.items()
    )
