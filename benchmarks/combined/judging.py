"""What a report gives each change of a pair of the costs that the change has alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pytest_compile_golden.changes.change import MINOR
from pytest_compile_golden.formats.metrics.printed import hardly_moves
from pytest_compile_golden.goldens import case_files
from pytest_compile_golden.goldens.ranking import COUNTED_OTHERWISE, UNEXPLAINED
from pytest_compile_golden.recordings import recording
from pytest_compile_golden.recordings.recording import (
    RecordedCase,
    Recording,
    read_elsewhere,
)
from pytest_compile_golden.report import compare_recordings
from pytest_compile_golden.report.model import CaseReport, MetricReport

BARE = "bare"
"""The folder of the recording without any change."""
METRICS = (
    "bytes_accessed",
    "flops",
    "kernels",
    "extern_kernels",
    "peak_memory",
    "saved_bytes",
)
TRUE, UNKNOWN, COUNTED, TOGETHER, LENT = (
    "true",
    "unexplained",
    "counted otherwise",
    "told together",
    "lent",
)


@dataclass(frozen=True)
class JudgedCost:
    """What one change costs or saves of a program's metric, and what the report says of that."""

    program: str
    toggles: tuple[str, ...]
    of: str
    """The change, one of `toggles`."""
    metric: str
    verdict: str
    relative: float
    """What is said of it wrongly, or not at all, in relation to the metric."""
    why: str = ""


@dataclass
class Found:
    """All that was compared."""

    alone: list[JudgedCost] = field(default_factory=list)
    paired: list[JudgedCost] = field(default_factory=list)
    not_sums: Counter[str] = field(default_factory=Counter)
    """By metric, how often both changes together move it by something else than the sum, or not at all."""
    changes: int = 0
    """Changes told of one of a pair alone."""
    absent: list[str] = field(default_factory=list)
    """Those that are not told of the pair."""


def judged(root: Path) -> Found:
    """Everything under a folder that `capture_all` has filled."""
    sides = {
        tuple(folder.name.split("+")): _read(folder)
        for folder in sorted(root.iterdir())
        if folder.is_dir()
    }
    bare = sides.pop((BARE,))
    alone = {
        toggles[0]: _reports(bare, side)
        for toggles, side in sides.items()
        if len(toggles) == 1
    }
    found = Found()
    for name, reports in alone.items():
        for program, report in reports.items():
            found.alone += _of_one(program, name, report)
    for toggles, side in sides.items():
        if len(toggles) > 1:
            for program, report in _reports(bare, side).items():
                of_each = {each: alone[each][program] for each in toggles}
                _told(found, program, of_each, report)
                _of_pair(found, program, of_each, report)
    return found


def _read(folder: Path) -> dict[str, RecordedCase]:
    cases = (recording.read_case(folder, each) for each in case_files.folders(folder))
    return {case.nodeid: case for case in cases}


def _reports(
    bare: Mapping[str, RecordedCase], side: Mapping[str, RecordedCase]
) -> dict[str, CaseReport]:
    """The report of each program that both have, as `diff` makes it."""
    before, after = (
        _recording([each[name] for name in side if name in bare])
        for each in (bare, side)
    )
    report = compare_recordings.report(before, after, "as it is", "changed", "terse")
    return {case.nodeid: case for case in report.cases}


def _recording(cases: list[RecordedCase]) -> Recording:
    stages = {artifact.stage for case in cases for artifact in case.artifacts}
    return Recording(read_elsewhere("2.13.0", cases, sorted(stages)), tuple(cases))


def _moved(report: CaseReport) -> dict[str, MetricReport]:
    return {metric.name: metric for metric in report.metrics if metric.name in METRICS}


def _amount(metric: MetricReport | None) -> float:
    return 0.0 if metric is None else _number(metric.new) - _number(metric.old)


def _number(value: object) -> float:
    return value if isinstance(value, (int, float)) else 0


def _is_cost(metric: MetricReport | None, amount: float) -> bool:
    """Whether an amount moves a metric by more than such numbers usually do."""
    if metric is None or not amount:
        return False
    old = _number(metric.old)
    return not hardly_moves(metric.name, old, old + amount)


def _relative(metric: MetricReport, amount: float) -> float:
    return abs(amount) / max(_number(metric.old), 1)


def _of_one(program: str, name: str, report: CaseReport) -> Iterator[JudgedCost]:
    for metric in _moved(report).values():
        if not _is_cost(metric, _amount(metric)):
            continue
        amounts = defaultdict[str, float](float)
        for part in metric.parts:
            known = part.change in (UNEXPLAINED, COUNTED_OTHERWISE)
            amounts[part.change if known else TRUE] += part.amount
        missing = _amount(metric) - sum(amounts.values())
        amounts[UNEXPLAINED] += missing
        verdict: str = TRUE
        left = 0.0
        for key, said in ((UNEXPLAINED, UNKNOWN), (COUNTED_OTHERWISE, COUNTED)):
            if _is_cost(metric, amounts[key]) and abs(amounts[key]) > left:
                verdict, left = said, abs(amounts[key])
        yield JudgedCost(
            program,
            (name,),
            name,
            metric.name,
            verdict,
            _relative(metric, left),
            _parts(report, metric),
        )


def _parts(report: CaseReport, metric: MetricReport) -> str:
    texts = {
        change.key: f"[{change.code}] {change.text}"
        for change in (*report.secondary, *report.changes)
    }
    told = "".join(
        f"\n      {part.amount:+g}{' guessed' * part.guessed}: {texts.get(part.change, part.change)}"
        for part in metric.parts
    )
    others = {part.change for part in metric.parts}
    told += "".join(
        f"\n      besides: [{change.code}] {change.text}"
        for change in report.changes
        if change.key not in others
    )
    return f"{metric.old} -> {metric.new}{told}"


def _keys(report: CaseReport) -> set[str]:
    changes = {change.key for change in (*report.changes, *report.secondary)}
    parts = {part.change for metric in report.metrics for part in metric.parts}
    return (changes | parts) - {UNEXPLAINED, COUNTED_OTHERWISE}


def _told(
    found: Found, program: str, alone: Mapping[str, CaseReport], both: CaseReport
) -> None:
    """Counts the changes of a pair that are told of one alone, and those of them that are not told of both."""
    told = {change.key for change in both.changes}
    codes = {change.code for change in both.changes}
    for name, report in alone.items():
        for change in report.changes:
            if change.kind in MINOR:
                continue
            found.changes += 1
            if change.key not in told:
                again = "reworded" if change.code in codes else "absent"
                found.absent.append(
                    f"{again}: {program} {' + '.join(alone)}: of {name} [{change.code}] {change.text}"
                )


def _of_pair(
    found: Found, program: str, alone: Mapping[str, CaseReport], both: CaseReport
) -> None:
    """Judges the costs of a pair by what each of its changes costs alone."""
    names = tuple(alone)
    keys = {name: _keys(report) for name, report in alone.items()}
    codes = {
        name: {change.code for change in report.changes}
        for name, report in alone.items()
    }
    codes_of_both = {change.key: change.code for change in both.changes}
    moved = {name: _moved(report) for name, report in alone.items()}
    of_both = _moved(both)
    for metric_name in METRICS:
        deltas = {name: _amount(each.get(metric_name)) for name, each in moved.items()}
        metric = of_both.get(metric_name)
        if metric is None or not any(
            _is_cost(metric, each) for each in deltas.values()
        ):
            continue
        if sum(deltas.values()) != _amount(metric) or not _amount(metric):
            found.not_sums[metric_name] += 1
            continue
        got = defaultdict[str, float](float)
        shared = 0.0
        for part in metric.parts:
            owners = [name for name in names if part.change in keys[name]]
            # Told in other words, as it is about what the other change changed, too.
            code = codes_of_both.get(part.change)
            owners = owners or [name for name in names if code in codes[name]]
            if len(owners) == 1:
                got[owners[0]] += part.amount
            elif owners:
                shared += part.amount
            else:
                known = part.change in (UNEXPLAINED, COUNTED_OTHERWISE)
                got[part.change if known else TOGETHER] += part.amount
        short = {name: deltas[name] - got[name] for name in names}
        for name in names:
            given = min(abs(shared), abs(short[name])) * (1 if short[name] > 0 else -1)
            if shared * short[name] > 0:
                short[name] -= given
                shared -= given
        why = "".join(
            f"\n    {name} {deltas[name]:+g}: {_parts(alone[name], moved[name][metric_name])}"
            for name in names
            if metric_name in moved[name]
        )
        why += f"\n    both: {_parts(both, metric)}"
        for name in names:
            if _is_cost(metric, deltas[name]):
                others = [
                    _given(short[name], got[other], -short[other])
                    for other in names
                    if other != name
                ]
                found.paired.append(
                    JudgedCost(
                        program,
                        names,
                        name,
                        metric_name,
                        _verdict(metric, short[name], sum(others), got),
                        _relative(metric, short[name]),
                        why,
                    )
                )


def _given(short: float, got: float, more: float) -> float:
    """How much of what is missing of a change's cost another one has got: as far as it got more than it has alone, in
    the same direction. If it only has too little of its own, what both lack is in one sum that has no owner."""
    return (
        min(abs(short), abs(got), abs(more)) if short * got > 0 < short * more else 0.0
    )


def _verdict(
    metric: MetricReport, short: float, lent: float, got: Mapping[str, float]
) -> str:
    """What became of what is missing of a change's cost."""
    if not _is_cost(metric, short):
        return TRUE
    if _is_cost(metric, lent):
        return LENT
    places = (
        (UNEXPLAINED, UNKNOWN),
        (COUNTED_OTHERWISE, COUNTED),
        (TOGETHER, TOGETHER),
    )
    most = max(places, key=lambda place: got[place[0]] * (1 if short > 0 else -1))
    return most[1]
