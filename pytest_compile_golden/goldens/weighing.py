"""Which changes of a comparison fail its case, which are noted, and which are off."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from pytest_compile_golden.changes.decisions import StageGone
from pytest_compile_golden.changes.kernels import KernelsChanged, SameMachineCode
from pytest_compile_golden.changes.numbers import MetricChanged
from pytest_compile_golden.changes.severity import Severities, Severity, worst
from pytest_compile_golden.formats.metrics.compare import MetricChange
from pytest_compile_golden.formats.metrics.table import ACCOUNTS, GUARDED, MEASURED, NOT_COMPARED, OF_KERNEL_TEXT, UNITS
from pytest_compile_golden.formats.stops import STOPS
from pytest_compile_golden.formats.trail import compare as trail
from pytest_compile_golden.goldens.compare import SAME_BUT_HINTS, SAME_MACHINE_CODE, Compared, change_edits
from pytest_compile_golden.goldens.ranking import metric_name
from pytest_compile_golden.stages import rank
from pytest_compile_golden.vocabulary import KERNEL_STAGES

_LEAST = 0.01
"""The relative change from which on an estimate counts."""


def weighed(changes: Sequence[Compared], severities: Severities, same: Collection[str] = ()) -> list[Severity]:
    """The severity of each change of one capture, in the same order; that of a cosmetic one is `off`.

    same: the stages of the capture that are as their goldens are.

    An artifact is noted only if each of its changes is, and if its format proves that these are all by which the texts
    differ: a difference without a code fails. What a trail says follows from the stages that it digests.
    """
    kernels = [change for change in changes if change.stage in KERNEL_STAGES]
    same_code = bool(kernels) and all(change.depth in (SAME_MACHINE_CODE, SAME_BUT_HINTS) for change in kernels)
    stages: dict[str, Severity] = dict.fromkeys(same, "off")
    stages |= {change.stage: _artifact(change, severities, same_code) for change in changes if change.stage != "trail"}
    return [
        _trail(change, stages, severities) if change.stage == "trail" and change.kind == "structural" else found
        for change in changes
        for found in [_artifact(change, severities, same_code)]
    ]


def codes(change: Compared) -> frozenset[str]:
    """The codes by which a project chooses what becomes of a change; none for new goldens and cosmetic differences."""
    if change.depth == SAME_MACHINE_CODE:
        return frozenset({SameMachineCode.code})
    if change.depth == SAME_BUT_HINTS:
        hints = {edit.code for edit in change_edits(change) if edit.kind == "hint"}
        return frozenset({SameMachineCode.code, *hints})
    if change.kind == "absent":
        return frozenset({StageGone.code})
    if change.kind == "metric":
        return frozenset({MetricChanged.code})
    return frozenset(edit.code for edit in change_edits(change)) if change.kind == "structural" else frozenset()


def may_be_same_machine_code(change: Compared) -> bool:
    """Whether a change of kernels, or of what they count, would weigh less if these had the same machine code."""
    if change.kind == "metric":
        names = {metric_name(metric) for metric in change.metrics}
        return bool(names & OF_KERNEL_TEXT) and names <= OF_KERNEL_TEXT | ACCOUNTS
    return change.stage in KERNEL_STAGES and change.kind == "structural" and not _other_kernels(change)


def _other_kernels(change: Compared) -> bool:
    """Whether a kernel has no counterpart, so that there is nothing to compile on one side."""
    return any(isinstance(edit, KernelsChanged) for edit in change_edits(change))


def _artifact(change: Compared, severities: Severities, same_machine_code: bool) -> Severity:
    if change.kind in ("new", "cosmetic"):
        return "fail" if change.kind == "new" else "off"
    found = codes(change)
    if change.kind == "metric":
        uncounted = same_machine_code or _takes_as_long(change)
        return worst(_metric(metric, severities, uncounted) for metric in change.metrics)
    severity = worst(map(severities.of, found))
    if change.kind == "absent" or severity == "fail" or SameMachineCode.code in found:
        return severity
    explained = change.declared.format.explains(change.old, change.new, found)
    return severity if explained else "fail"


def _metric(metric: MetricChange, severities: Severities, uncounted: bool) -> Severity:
    """A number fails if one of its directions is better, if it is gone, or if only the project knows what it means.

    An estimate that moves by less than one percent is noted, and so are guards that got cheaper. `uncounted`: what is
    counted in the text of kernels is noted too.
    """
    severity, name = severities.of(MetricChanged.code), metric_name(metric)
    accounts = ACCOUNTS | OF_KERNEL_TEXT if uncounted else ACCOUNTS
    noted = name in accounts | NOT_COMPARED or _hardly_moves(metric) or (name in GUARDED and metric.verdict == "WIN")
    return severity if severity == "off" or (noted and metric.new is not None) else "fail"


def _takes_as_long(change: Compared) -> bool:
    """Whether the least time is known on both sides, and is the same: more or less arithmetic then costs nothing."""
    old, new = (change.declared.format.numbers(text) or {} for text in (change.old, change.new))
    names = {name for name in old if name.rpartition(".")[2] == "least_time"}
    moved = {metric.name for metric in change.metrics if not _hardly_moves(metric)}
    return bool(names) and names <= new.keys() and not names & moved


def _hardly_moves(metric: MetricChange) -> bool:
    old, new = metric.old, metric.new
    if (
        UNITS.get(metric_name(metric)) not in MEASURED
        or not isinstance(old, (int, float))
        or not isinstance(new, (int, float))
    ):
        return False
    return abs(new - old) < _LEAST * abs(old)


def _trail(change: Compared, stages: Mapping[str, Severity], severities: Severities) -> Severity:
    """That of the stages that its steps are about; one that is not compared fails, unless nothing follows from it."""
    steps = trail.divergences(change.old, change.new)
    without: Severity = "note" if not severities.strict and _leads_nowhere(change, stages) else "fail"
    found: list[Severity] = []
    for step in steps:
        severity = severities.of(step.change.code)
        if severity == "fail":
            severity = stages.get(step.phase) or (without if _comes_before_code(step.phase) else "fail")
        found.append(severity)
    return worst(found) if found else "fail"


def _leads_nowhere(change: Compared, stages: Mapping[str, Severity]) -> bool:
    """Whether the kernels are compared, and at most noted, and wrapper code calls and launches the same."""
    kernels = [stages[stage] for stage in KERNEL_STAGES if stage in stages]
    called = "wrapper_code" in trail.unchanged(change.old, change.new)
    return called and bool(kernels) and "fail" not in kernels


def _comes_before_code(phase: str) -> bool:
    return phase not in STOPS and rank(phase) < rank("codegen")
