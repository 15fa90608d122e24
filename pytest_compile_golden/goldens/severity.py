"""What changes weigh: which fail their case, are noted or off, and which numbers are for better or worse."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from pytest_compile_golden.changes.change import Severities, Severity, worst
from pytest_compile_golden.changes.kernels import KernelsChanged
from pytest_compile_golden.changes.numbers import (
    Coalescing,
    CountedOtherwise,
    OtherGraphs,
    Reason,
    ResultChanged,
    Undone,
)
from pytest_compile_golden.common.constants import KERNEL_STAGES
from pytest_compile_golden.formats.graph_breaks import STOPS
from pytest_compile_golden.formats.metrics.metric_table import (
    ACCOUNTS,
    GUARDED,
    NOT_COMPARED,
    OF_KERNEL_TEXT,
)
from pytest_compile_golden.formats.metrics.printed import (
    LEAST,
    MetricChange,
    Verdict,
    hardly_moves,
)
from pytest_compile_golden.formats.pass_log import compare as ledger
from pytest_compile_golden.formats.schedules.coalescing import split_apart
from pytest_compile_golden.formats.schedules.equivalence import equal_except_unpacking
from pytest_compile_golden.formats.trail import compare as trail
from pytest_compile_golden.goldens.compare_artifact import (
    SAME_BUT_HINTS,
    SAME_MACHINE_CODE,
    Compared,
    capture_of,
    change_edits,
    compare,
)
from pytest_compile_golden.goldens.first_divergence import Cause, passes_of, steps_of
from pytest_compile_golden.goldens.golden_header import Header
from pytest_compile_golden.goldens.golden_paths import GoldenPath
from pytest_compile_golden.goldens.golden_store import ABSENT, StoredGolden
from pytest_compile_golden.goldens.metric_history import Thresholds
from pytest_compile_golden.goldens.ranking import metric_key, metric_name
from pytest_compile_golden.stages import phase, rank

_TORCH = "torch/"
_BYTES = frozenset({"bytes_accessed", "peak_memory"})
_RUNNING = ("kernels", "extern_kernels", "flops")
"""Metrics of what runs, in whichever way torch counts its bytes."""
"""torch's own numbers, which it sums over its operations."""


def weighed(
    changes: Sequence[Compared], severities: Severities, same: Collection[str] = ()
) -> list[Severity]:
    """The severity of each change of one capture, in the same order; that of a cosmetic one is `off`.

    same: the stages of the capture that are as their goldens are.

    An artifact is noted only if each of its changes is, and if its format proves that these are all by which the texts
    differ: a difference without a code fails. What a trail says follows from the stages that it digests.
    """
    made_of = {
        change.path: change.parts for change in changes if change.parts != (change,)
    }
    if made_of:
        others = [change for change in changes if change.path not in made_of]
        severity_of = dict(
            zip(
                (other.path for other in others),
                weighed(others, severities, same),
                strict=True,
            )
        )
        severity_of |= {
            path: _of_parts(several, severities) for path, several in made_of.items()
        }
        return [severity_of[change.path] for change in changes]
    kernels = [change for change in changes if change.stage in KERNEL_STAGES]
    same_code = bool(kernels) and all(
        change.alike in (SAME_MACHINE_CODE, SAME_BUT_HINTS) for change in kernels
    )
    stages: dict[str, Severity] = dict.fromkeys(same, "off")
    stages |= {
        change.stage: _artifact(change, severities, same_code)
        for change in changes
        if change.stage != "trail"
    }
    return [
        _trail(change, stages, severities)
        if change.stage == "trail" and change.kind == "structural"
        else found
        for change in changes
        for found in [_artifact(change, severities, same_code)]
    ]


def _of_parts(changes: Sequence[Compared], severities: Severities) -> Severity:
    """The severity of a text that is made of other stages', by what becomes of these in each compile."""
    by_compile: dict[str, list[Compared]] = {}
    for change in changes:
        by_compile.setdefault(capture_of(change), []).append(change)
    differing = (
        [change for change in several if change.differs]
        for several in by_compile.values()
    )
    return worst(
        severity for several in differing for severity in weighed(several, severities)
    )


def undone(
    change: Compared, golden_path: GoldenPath, earlier: Iterable[tuple[str, str]]
) -> str:
    """The torch of the first of `earlier` texts that did what is done now; empty if none did, or nothing fails.

    Of a change that fails its case, what would be noted either way does not count.
    """
    if not change.fails or change.new == ABSENT:
        return ""

    def against(old: str, new: str) -> Compared:
        golden = StoredGolden(
            golden_path.versionless, Header(change.stage, "0", None), old
        )
        return compare(change.declared, golden_path, golden, new)

    for torch, text in earlier:
        other = against(text, change.new)
        alike = (
            _fails(change)
            and not _fails(other)
            and not _fails(against(change.new, text))
        )
        if alike or not other.fails:
            return torch
    return ""


def _fails(change: Compared) -> bool:
    """Whether it would fail its case alone."""
    return weighed([change], Severities()) == ["fail"]


def codes(change: Compared) -> frozenset[str]:
    """The codes by which a project chooses what becomes of a change; none for new goldens and cosmetic differences."""
    if change.alike == SAME_MACHINE_CODE:
        return frozenset({"same-machine-code"})
    if change.alike == SAME_BUT_HINTS:
        hints = {edit.code for edit in change_edits(change) if edit.kind == "hint"}
        return frozenset({"same-machine-code", *hints})
    if change.kind == "absent":
        return frozenset({"stage-gone"})
    if change.kind == "metric":
        return frozenset({"metric-changed"})
    return (
        frozenset(edit.code for edit in change_edits(change))
        if change.kind == "structural"
        else frozenset()
    )


def may_be_same_machine_code(change: Compared) -> bool:
    """Whether a change of kernels, or of what they count, would weigh less if these had the same machine code."""
    if change.kind == "metric":
        names = {metric_name(metric) for metric in change.metrics}
        return bool(names & OF_KERNEL_TEXT) and names <= OF_KERNEL_TEXT | ACCOUNTS
    # Where a kernel has no counterpart, there is nothing to compile on one side.
    return (
        change.stage in KERNEL_STAGES
        and change.kind == "structural"
        and not any(isinstance(edit, KernelsChanged) for edit in change_edits(change))
    )


def _artifact(
    change: Compared, severities: Severities, same_machine_code: bool
) -> Severity:
    if change.kind in ("new", "cosmetic"):
        return "fail" if change.kind == "new" else "off"
    found = codes(change)
    if change.kind == "metric":
        uncounted = same_machine_code or _takes_as_long(change)
        return worst(
            _metric(metric, severities, uncounted) for metric in change.metrics
        )
    severity = worst(map(severities.of, found))
    if change.kind == "absent" or severity == "fail" or "same-machine-code" in found:
        return severity
    explained = change.declared.format.explains(change.old, change.new, found)
    return severity if explained else "fail"


def _metric(metric: MetricChange, severities: Severities, uncounted: bool) -> Severity:
    """A number fails if one of its directions is better, if it is gone, or if only the project knows what it means.

    An estimate that moves by less than one percent is noted, and so are guards that got cheaper. `uncounted`: what is
    counted in the text of kernels is noted too.
    """
    severity, name = severities.of("metric-changed"), metric_name(metric)
    accounts = ACCOUNTS | OF_KERNEL_TEXT if uncounted else ACCOUNTS
    cheaper = name in GUARDED and metric_key(metric).endswith(" down")
    noted = (
        name in accounts | NOT_COMPARED
        or cheaper
        or hardly_moves(metric.name, metric.old, metric.new)
    )
    return (
        severity if severity == "off" or (noted and metric.new is not None) else "fail"
    )


def _takes_as_long(change: Compared) -> bool:
    """Whether the least time is known on both sides, and is the same: more or less arithmetic then costs nothing."""
    old, new = _numbers(change)
    names = {name for name in old if name.rpartition(".")[2] == "least_time"}
    moved = {
        metric.name
        for metric in change.metrics
        if not hardly_moves(metric.name, metric.old, metric.new)
    }
    return bool(names) and names <= new.keys() and not names & moved


def _trail(
    change: Compared, stages: Mapping[str, Severity], severities: Severities
) -> Severity:
    """That of the stages that its steps are about; one that is not compared fails, unless nothing follows from it."""
    steps = trail.divergences(*steps_of(change))
    without: Severity = (
        "note" if not severities.strict and _leads_nowhere(change, stages) else "fail"
    )
    found: list[Severity] = []
    for step in steps:
        severity = severities.of(step.change.code)
        if severity == "fail":
            before_code = step.phase not in STOPS and rank(step.phase) < rank("codegen")
            severity = stages.get(step.phase) or (without if before_code else "fail")
        found.append(severity)
    return worst(found) if found else "fail"


def _leads_nowhere(change: Compared, stages: Mapping[str, Severity]) -> bool:
    """Whether the kernels are compared, and at most noted, and wrapper code calls and launches the same."""
    kernels = [stages[stage] for stage in KERNEL_STAGES if stage in stages]
    called = "wrapper_code" in trail.unchanged(*steps_of(change))
    return called and bool(kernels) and "fail" not in kernels


def judged(
    metrics: Sequence[MetricChange],
    first: Cause | None,
    changes: Sequence[Compared],
    why: Reason | None = None,
    usual: Thresholds | None = None,
) -> tuple[MetricChange, ...]:
    """The changes of metrics, with the verdict `changed` where torch is not the cause, or where there is a reason.

    If the program, or a pass of its project, changed, torch never is; if such a pass does less than it did, a smaller
    number is not a win; and if the same code runs, bytes that torch counts differently are neither.
    first: the case's first divergence. changes: all changes of the case. usual: see `metric_history.thresholds`.
    """
    if first is not None and is_users(first):
        aside: set[Verdict] = {"REGRESSION", "WIN"}
    elif any(_does_less(change) for change in changes if change.stage == "passes"):
        aside = {"WIN"}
    else:
        aside = without_verdict(why)
    counted = _BYTES if isinstance(why, CountedOtherwise) else frozenset[str]()
    found = []
    for metric in metrics:
        least = (usual or {}).get(metric_name(metric), LEAST)
        if metric.verdict in aside or metric.name in counted:
            metric = replace(metric, verdict="changed")
        elif metric.verdict in ("REGRESSION", "WIN") and hardly_moves(
            metric.name, metric.old, metric.new, least
        ):
            metric = replace(metric, verdict="small")
        found.append(metric)
    return tuple(found)


def reason(
    changes: Sequence[Compared], wrong: Literal["", "old", "new"] = ""
) -> Reason | None:
    """Why the numbers of a case are neither better nor worse; None if nothing is known to say so.

    wrong: the side that computes something else than eager, if the other one does not.
    """
    if wrong:
        return ResultChanged(wrong)
    failing = [change for change in changes if change.fails and change.kind != "new"]
    others = [change for change in failing if change.stage != "trail"]
    # What a trail says is said by others too, and it also has steps that no golden keeps.
    # A short text is compared soon, and one that no older torch version had is enough.
    if others and all(
        change.again for change in sorted(others, key=lambda change: len(change.new))
    ):
        return Undone(others[0].again)
    if (
        _counted_differently(failing)
        and not holds_rows_otherwise(changes)
        and not any(_runs_otherwise(change) for change in changes)
    ):
        return CountedOtherwise()
    for change in changes:
        if change.stage == "metrics" and (other := _other_graphs(change)):
            return other
    for change in failing:
        scheduled = change.stage == "scheduler_nodes" and change.kind == "structural"
        if (
            scheduled
            and change.documents is not None
            and (regained := split_apart(*change.documents))
        ):
            return Coalescing(regained)
    return None


def without_verdict(why: Reason | None) -> set[Verdict]:
    """The verdicts that do not hold for this reason."""
    match why:
        case Undone() | OtherGraphs():
            return {"REGRESSION", "WIN"}
        case ResultChanged("old"):
            return {"REGRESSION"}
        case ResultChanged("new"):
            return {"WIN"}
    return set()


def _runs_otherwise(change: Compared) -> bool:
    """Whether there are more or fewer kernels or calls, or these compute more or less, as metrics say."""
    if change.stage != "metrics":
        return False
    old, new = _numbers(change)
    return any(old.get(name) != new.get(name) for name in _RUNNING)


def _numbers(metrics: Compared) -> list[Mapping[str, object]]:
    return [
        metrics.declared.format.numbers(text) or {}
        for text in (metrics.old, metrics.new)
    ]


def _other_graphs(metrics: Compared) -> OtherGraphs | None:
    """How many graphs there are, if that changed alone: then what they cost is of another part of the program."""
    old, new = _numbers(metrics)
    match old.get("graphs"), new.get("graphs"):
        case int(before), int(after) if before != after:
            alike = all(
                old.get(name) == new.get(name)
                for name in ("graph_breaks", "recompiles")
            )
            return OtherGraphs(before, after) if alike else None
    return None


def _counted_differently(changes: Sequence[Compared]) -> bool:
    """Whether schedules differ only in which of torch's operations holds the result of a library call."""
    schedules = [
        change
        for change in changes
        if change.stage == "scheduler_nodes" and change.kind == "structural"
    ]
    return bool(schedules) and all(
        change.documents is not None and equal_except_unpacking(*change.documents)
        for change in schedules
    )


def holds_rows_otherwise(changes: Sequence[Compared]) -> bool:
    """Whether a kernel holds a whole row at once now, for which it needs no buffer, or no longer does."""
    return any(
        edit.code == "loop-nest"
        for change in changes
        if change.stage in KERNEL_STAGES and change.kind == "structural"
        for edit in change_edits(change)
    )


def is_users(first: Cause) -> bool:
    """Whether the first divergence is in the program, or in a pass that is not torch's."""
    in_phase = phase(first.phase)
    return first.program or (
        in_phase is not None and in_phase.passes and _is_outside_torch(first.where)
    )


def _does_less(change: Compared) -> bool:
    """Whether a pass or a pattern of the project matches less than it did, or no longer matches anything."""
    for old, new in ledger.pairs(*passes_of(change)):
        if old is None:
            continue
        its_own = _is_outside_torch(old.row.where)
        if its_own and not old.row.idle and (new is None or new.row.idle):
            return True
        after = (
            {}
            if new is None
            else {pattern.name: pattern.count for pattern in new.row.patterns}
        )
        for pattern in old.row.patterns:
            if (its_own or _is_outside_torch(pattern.where)) and after.get(
                pattern.name, 0
            ) < pattern.count:
                return True
    return False


def _is_outside_torch(where: str | None) -> bool:
    file, _, line = (where or "").rpartition(":")
    return file.endswith(".py") and line.isdecimal() and not file.startswith(_TORCH)
