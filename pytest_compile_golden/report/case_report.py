"""Builds the model of one case from its artifacts on both sides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Literal

from pytest_compile_golden.changes.change import Severity, worst
from pytest_compile_golden.changes.numbers import Coalescing, CountedOtherwise, Reason
from pytest_compile_golden.formats.metrics.printed import (
    LEAST,
    number_of,
    numbers,
    verdict_of,
)
from pytest_compile_golden.formats.metrics.printed import changes as metric_changes
from pytest_compile_golden.formats.pass_log import compare as ledger
from pytest_compile_golden.goldens import attribution, golden_history
from pytest_compile_golden.goldens.case_changes import CaseChanges, case_changes
from pytest_compile_golden.goldens.compare_artifact import (
    Compared,
    decisive,
    in_pipeline_order,
    own_edits,
)
from pytest_compile_golden.goldens.distinct_change import DistinctChange as Found
from pytest_compile_golden.goldens.first_divergence import Cause, cause, stage_change
from pytest_compile_golden.goldens.golden_paths import NO_BASES, Bases
from pytest_compile_golden.goldens.metric_history import Thresholds
from pytest_compile_golden.goldens.ranking import (
    COUNTED_OTHERWISE,
    metric_name,
    metric_order,
    moved,
    paid,
)
from pytest_compile_golden.goldens.severity import is_users, judged, reason
from pytest_compile_golden.messages.numbers import why as said_why
from pytest_compile_golden.messages.sentences import (
    as_example,
    first_divergence,
    only_an_example,
    sentence,
    step,
)
from pytest_compile_golden.report.kernel_rows import kernel_rows
from pytest_compile_golden.report.model import (
    CaseReport,
    FirstDivergence,
    LedgerRow,
    MetricReport,
    Outcome,
    Part,
    Point,
    ReportedChange,
    StageReport,
    Verdict,
)
from pytest_compile_golden.stages import rank, stage_made_by

_SAY_MORE = ("trail", "scheduler_nodes")
"""Stages whose facts may show the cause of a change although they are the same as before."""
History = Mapping[str, Sequence[Point]]
"""Each metric's values across torch versions, oldest first."""
Detail = Literal["full", "brief", "terse"]
"""How much is said of a case that changed: what is left out takes time to find. `brief`: no ledger, no kernels, and
edits only as far as cases are grouped by them. `terse`: only what groups of cases show, so neither what each stage's
change is about, nor what followed from the first, nor which older torch version did the same as now."""


def cannot_show(
    reasons: Mapping[str, str], torch: str | None = None
) -> list[StageReport]:
    """The stages that torch cannot show, each with the reason; `torch`: which one, if not the report's new side's."""
    return [
        StageReport(stage, stage, "unavailable", since=torch, reason=reason)
        for stage, reason in reasons.items()
    ]


def case_report(
    nodeid: str,
    target: str,
    compared: Sequence[Compared],
    *,
    unavailable: Iterable[StageReport] = (),
    history: History | None = None,
    error: str | None = None,
    raised_in: str = "",
    failure: Outcome = "error",
    reproduce: str | None = None,
    accept: str | None = None,
    seconds: float | None = None,
    detail: Detail = "full",
    moved_from: str | None = None,
    move: str | None = None,
    wrong: Literal["", "old", "new"] = "",
    costs: Sequence[Compared] = (),
    usual: Thresholds | None = None,
) -> CaseReport:
    """The report of one case.

    unavailable: the stages that torch cannot show. error: what kept the case from finishing, which makes
    its outcome `failure`. raised_in: see `CaseReport`. wrong: the side that computes something else than eager, if the
    other one does not.
    costs: what kernels cost, where only one side knows it. usual: how far a metric must move to count in this project,
    by `metric_history.thresholds`.

    Only a case that changed has texts, metrics, a ledger and kernels; any other is listed with the names of its stages.
    """
    terse = detail == "terse"
    outcome = failure if error is not None else outcome_of(compared)
    unknown = {report.stage for report in unavailable}
    compared = [
        part
        for artifact in compared
        for part in artifact.parts
        # What torch cannot show is carried over from the golden, and so would be the same.
        if part.stage == artifact.stage or part.stage not in unknown
    ]
    whole = outcome not in ("same", "cosmetic")
    changes = with_what_is_known(compared)
    deciding = decisive(changes)
    first_cause = cause([change for change in deciding if change.kind != "new"])
    first = None if first_cause is None else divergence(changes, first_cause, terse)
    why = reason(changes, wrong) if whole else None
    distinct = case_changes(
        [*deciding, *(one for one in compared if not one.differs)], first_cause
    )
    metrics = (
        _metrics(compared, first_cause, why, history or {}, usual or {})
        if whole
        else ()
    )
    metrics = _explained(metrics, compared, distinct, usual or {})
    owners = {part.change for metric in metrics for part in metric.parts}
    if why is None and owners == {COUNTED_OTHERWISE}:
        why = CountedOtherwise()
    numbers_moved = any(moved(metrics))
    explained = why is None or not why.explains_numbers or numbers_moved
    stages = [_stage(artifact, whole, detail) for artifact in compared]
    stages += unavailable
    return CaseReport(
        nodeid=nodeid,
        target=target,
        outcome=outcome,
        stages=tuple(sorted(stages, key=lambda report: rank(report.stage))),
        divergence=first,
        changes=_plain(distinct.own),
        secondary=_plain(distinct.secondary),
        metrics=metrics,
        why=said_why(why, paid(metrics)) if explained else "",
        uncoalesced=why.accesses if explained and isinstance(why, Coalescing) else (),
        ledger=_ledger(compared) if whole and detail == "full" else (),
        kernels=tuple(kernel_rows([*compared, *costs]))
        if (outcome == "changed" or wrong) and detail == "full"
        else (),
        reproduce=reproduce,
        accept=accept
        if error is None and any(change.fails for change in changes)
        else None,
        error=error,
        raised_in=raised_in,
        wrong=wrong,
        seconds=seconds,
        moved_from=moved_from,
        move=None if moved_from is None else move,
    )


def with_what_is_known(compared: Sequence[Compared]) -> list[Compared]:
    """The artifacts that differ; if one of them counts, also those that only look different, or of whose same texts
    more is known: they may reveal the cause, too."""
    changes = [artifact for artifact in compared if artifact.differs]
    if any(change.fails for change in changes):
        changes += [
            replace(artifact, kind="cosmetic")
            for artifact in compared
            if not artifact.differs
            and (artifact.stage in _SAY_MORE or artifact.old != artifact.new)
        ]
    return changes


def divergence(
    changes: Sequence[Compared], first: Cause, terse: bool = False
) -> FirstDivergence:
    """Where a case changed first, and what followed."""
    changed = [
        change
        for change in in_pipeline_order(changes)
        if change.fails and change.kind != "new"
    ]
    shown = stage_made_by(first.phase)
    stage = (
        shown
        if any(change.stage == shown for change in changed)
        else first.change.stage
    )
    followed = (
        [] if terse else [change for change in changed if change is not first.change]
    )
    also = first.also
    return FirstDivergence(
        first_words(first),
        stage,
        first.where,
        tuple(step(stage_change(change)) for change in followed),
        also=None if also is None else first_words(also),
        also_where=None if also is None else also.where,
        yours=is_users(first),
    )


def first_words(first: Cause) -> str:
    """What is said of the first divergence of a case."""
    return first_divergence(first.what, first.shows, first.more)


def outcome_of(compared: Sequence[Compared]) -> Outcome:
    """The outcome of a case that finished, with these artifacts."""
    kinds = {artifact.kind for artifact in compared}
    if kinds - {"same", "cosmetic", "new"}:
        severity = worst(artifact.severity for artifact in compared if artifact.fails)
        outcomes: dict[Severity, Outcome] = {
            "fail": "changed",
            "note": "noted",
            "off": "cosmetic",
        }
        return "new" if "new" in kinds and severity != "fail" else outcomes[severity]
    return "new" if "new" in kinds else "cosmetic" if "cosmetic" in kinds else "same"


def _plain(changes: Sequence[Found]) -> tuple[ReportedChange, ...]:
    return tuple(map(_reported, changes))


def _reported(change: Found) -> ReportedChange:
    text, example = sentence(change.what), as_example(change.what)
    return ReportedChange(
        change.stage,
        text,
        change.key,
        change.topic,
        change.where,
        change.what.defined,
        change.what.code,
        change.what.kind,
        "" if example == only_an_example(text) else example,
        change.what.names,
        change.apart,
    )


def _stage(artifact: Compared, whole: bool, detail: Detail) -> StageReport:
    terse = detail == "terse"
    return StageReport(
        stage=artifact.stage,
        file=artifact.file,
        kind=artifact.kind,
        about=artifact.alike if terse else artifact.about,
        old=artifact.old if whole and artifact.differs and artifact.old else None,
        new=artifact.new if whole and artifact.new else None,
        since=artifact.since if artifact.differs else None,
        again=artifact.again if artifact.differs and not terse else "",
        edits=_edits(artifact) if detail == "full" else (),
        old_evidence=artifact.known[0] if whole else "",
        new_evidence=artifact.known[1] if whole else "",
    )


def _edits(change: Compared) -> tuple[str, ...]:
    """What changed in one artifact, a few words per edit; empty for artifacts that are reported in other ways."""
    if change.kind != "structural" or change.stage in ("trail", "passes"):
        return ()
    return tuple(sentence(edit) for edit in own_edits(change))


def _metrics(
    compared: Sequence[Compared],
    first: Cause | None,
    why: Reason | None,
    history: History,
    usual: Thresholds,
) -> tuple[MetricReport, ...]:
    rows = []
    changes = [artifact for artifact in compared if artifact.differs]
    for artifact in compared:
        old, new = (
            artifact.declared.format.numbers(text)
            for text in (artifact.old, artifact.new)
        )
        if old is None or new is None:
            continue
        verdicts: dict[str, Verdict] = {
            change.name: change.verdict
            for change in judged(metric_changes(old, new), first, changes, why, usual)
        }
        # If a case has several artifacts of one stage, they are named: `metrics.decode.toml`.
        prefix = f"{artifact.stem}.".removeprefix(f"{artifact.stage}.")
        rows += [
            MetricReport(
                prefix + name,
                number_of(old, name),
                number_of(new, name),
                verdicts.get(name, "same"),
                tuple(history.get(name, ())),
            )
            for name in {*old, *new}
        ]
    return tuple(sorted(rows, key=metric_order))


def _explained(
    metrics: Sequence[MetricReport],
    compared: Sequence[Compared],
    distinct: CaseChanges,
    usual: Thresholds,
) -> tuple[MetricReport, ...]:
    """The metrics with what moves each of them; what torch only counts differently is neither better nor worse."""
    shares = attribution.shares(compared, distinct, metrics)
    found = []
    for metric in metrics:
        owners = shares.get(metric.name, {})
        shown, of_metric = (
            {owner.key for owner in owners if not owner.guessed},
            attribution.summed(owners),
        )
        verdict, counted = metric.verdict, of_metric.get(COUNTED_OTHERWISE, 0)
        if counted and verdict != "changed" and isinstance(metric.new, (int, float)):
            left = metric.new - counted
            name = metric_name(metric)
            least = usual.get(name, LEAST)
            verdict = (
                "changed"
                if left == metric.old
                else verdict_of(name, metric.old, left, least)
            )
        parts = tuple(
            Part(key, amount, key not in shown) for key, amount in of_metric.items()
        )
        found.append(replace(metric, verdict=verdict, parts=parts))
    return tuple(sorted(found, key=metric_order))


def _ledger(compared: Sequence[Compared]) -> tuple[LedgerRow, ...]:
    return tuple(
        _row(old, new)
        for artifact in compared
        if artifact.stage == "passes"
        for old, new in ledger.pairs(
            *(
                ledger.runs(text, known)
                for text, known in zip(
                    (artifact.old, artifact.new), artifact.known, strict=True
                )
            )
        )
    )


def _row(old: ledger.PassRun | None, new: ledger.PassRun | None) -> LedgerRow:
    run = new or old
    assert run is not None
    row = run.row
    changed = not row.idle if old is None or new is None else old.effect != new.effect
    where = (None if new is None else new.row.where) or (
        None if old is None else old.row.where
    )
    before, after = (
        None if run_of is None else run_of.summary for run_of in (old, new)
    )
    return LedgerRow(row.graph, row.phase, row.name, where, before, after, changed)


def metric_history(
    root: Path, folder: PurePosixPath, bases: Bases = NO_BASES
) -> dict[str, list[Point]]:
    """Each metric's values, oldest torch version first. Raises GoldenError if a golden is damaged or not ours."""
    points: dict[str, list[Point]] = {}
    for series in golden_history.series(
        root, folder, lambda stage: stage == "metrics", bases
    ):
        if series.stem != "metrics":
            continue
        for golden in series.goldens:
            release = golden.release or golden.header.torch
            for name, value in (numbers(golden.body) or {}).items():
                points.setdefault(name, []).append(Point(release, value))
    return points
