"""A case's changes as distinct changes, each of which other cases may have as well."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_compile_golden.formats.edits import Edit, Topic, edit, without_numbers
from pytest_compile_golden.formats.ledger.edits import pass_edit
from pytest_compile_golden.formats.metrics.table import GUARDED, LISTED, LISTS, WORDS
from pytest_compile_golden.formats.schedule import order
from pytest_compile_golden.formats.schedule.unpacked import NOT_UNPACKED
from pytest_compile_golden.formats.trail import compare as trail
from pytest_compile_golden.goldens import decided
from pytest_compile_golden.goldens.cause import Cause, blame, is_authored
from pytest_compile_golden.goldens.compare import Change, change_edits, in_pipeline_order, own_edits
from pytest_compile_golden.goldens.ranking import Metric, better_or_worse, metric_key, metric_name
from pytest_compile_golden.stages import phase, rank, stage_made_by, stage_of
from pytest_compile_golden.vocabulary import KERNEL_STAGES

# A step that goldens keep only as a digest, so that no more is known of it than its size or its counts.
_DIGEST = re.compile(
    r"(\w+): (?:(?:\d+ \w+|none) -> (?:\d+ \w+|none)|same size, other contents|other order of nodes"
    r"|(?P<counted>the same calls, .*))$"
)
# Operations before fusion, whose operators the schedule has too.
_OPERATIONS = "lowered_ir: "
_OF_DYNAMO = ("program", "breaks")
# One result taken out of several: what became of it follows from the operator that made them.
_TAKEN_OUT = "lowering / operator.getitem: "


@dataclass(frozen=True)
class DistinctChange:
    """One change in torch, in the program or in one of its project's passes, however many cases have it."""

    stage: str
    """The stage where it shows first."""
    text: str
    """As a colleague would put it."""
    key: str
    """Equal for the same change in another case."""
    topic: Topic
    where: str | None = None
    """File and line in torch or in the user's code, as far as known."""


@dataclass(frozen=True)
class CaseChanges:
    """The distinct changes of one case."""

    own: tuple[DistinctChange, ...] = ()
    """The case's own changes; the first is the earliest."""
    besides: tuple[DistinctChange, ...] = ()
    """Changes that may follow from those, but count for this case too if other cases have them on their own."""


def case_changes(changes: Sequence[Change], found: Cause | None, besides: bool = True) -> CaseChanges:
    """The distinct changes of one case with this first divergence; none if nothing fails but new goldens.

    What the trail, the ledger and the metrics say follows from them. Without `besides`, only its own are returned.
    """
    if found is None:
        return CaseChanges()
    failing = [change for change in in_pipeline_order(changes) if change.fails and change.kind not in ("new", "metric")]
    if not failing:
        return CaseChanges(own=tuple(_metrics(found.change)))
    own = list(_of_cause(found, failing, changes))
    if found.also is not None:
        own += _of_cause(found.also, failing, changes)
    own = _backend_first(own, failing)
    own += _gone(failing)
    guards = list(_of_guards(changes))
    # If Dynamo captured something else, changes in guards may follow from that.
    follow = any(rank(change.stage) <= rank("dynamo_graph") or change.topic in _OF_DYNAMO for change in own)
    own += [] if follow else guards
    own = list({change.key: change for change in reversed(own)}.values())[::-1]
    known = {change.key for change in own}
    others = (*guards, *_copies(changes), *_edits_after_codegen(failing)) if besides else ()
    rest = {change.key: change for change in others if change.key not in known}
    return CaseChanges(tuple(own), tuple(rest.values()))


def _of_cause(found: Cause, failing: Sequence[Change], changes: Sequence[Change]) -> Iterator[DistinctChange]:
    change = found.change
    if found.program:
        yield DistinctChange("dynamo_graph", found.text, without_numbers(found.text), "program", found.where)
        return
    if change.kind == "absent":
        yield from _gone(failing)
        return
    if found.phase == change.stage:
        # If a test has several captures, each has an artifact of the stage.
        for other in failing:
            if other.stage == change.stage:
                yield from _of_artifact(other, found.where, changes)
        return
    in_phase = phase(found.phase)
    if _DIGEST.match(found.text):
        yield from _of_digest(found, failing)
    elif found.text.startswith(_OPERATIONS) and (scheduled := list(_scheduled(failing))):
        yield from scheduled
    elif found.text.startswith(_TAKEN_OUT) and (kept := _first_kept(failing)) is not None:
        yield from _of_artifact(kept)
    elif in_phase is not None and in_phase.passes and found.phase != "lowering":
        yield from _of_pass(found, failing)
    else:
        made = decided.edit_of(found.phase, found.text)
        yield _distinct(stage_made_by(found.phase), made, found.where)
        if made is NOT_UNPACKED:
            # This is bookkeeping, and must not hide what else became of the operations.
            yield from _scheduled(failing)


def _gone(failing: Sequence[Change]) -> Iterator[DistinctChange]:
    """Stages that are gone: one change with the key of the first of them, since the later ones follow from it."""
    names = list(dict.fromkeys(change.stage for change in failing if change.kind == "absent"))
    if names:
        more = f", nor {', '.join(names[1:])}" if len(names) > 1 else ""
        yield DistinctChange(names[0], f"gone: the compile has no {names[0]}{more}", f"gone: {names[0]}", "lost")


def _of_artifact(change: Change, where: str | None = None, changes: Sequence[Change] = ()) -> Iterator[DistinctChange]:
    """Its edits; if there are several, each with the author of its lines, as far as the case's `changes` show it."""
    edits = own_edits(change)
    for own_edit in edits:
        author_location = where
        if len(edits) > 1 and is_authored(change):
            blamed = blame(change, changes, own_edit.label)
            author_location = None if blamed is None else blamed.author.where
        yield _distinct(change.stage, own_edit, author_location)


def _of_digest(found: Cause, failing: Sequence[Change]) -> Iterator[DistinctChange]:
    """For a step that is kept only as a digest: its effect in the first later stage that is kept."""
    kept = _first_kept(failing)
    if kept is not None:
        yield from _of_artifact(kept)
        return
    step, _, what = found.text.partition(": ")
    if _counted(found.text):
        yield DistinctChange(found.phase, found.text, without_numbers(found.text), "operators")
        return
    sizes = [int(number) for number in re.findall(r"\d+", what)]
    less = len(sizes) == 2 and ("smaller" if sizes[1] < sizes[0] else "larger" if sizes[1] > sizes[0] else "")
    text = f"{step} is {less}: {what}" if less else f"{step} differs, but only its digest is kept"
    yield DistinctChange(found.phase, text, f"{step} {less or 'differs'}", "operators")


def _counted(text: str) -> bool:
    match = _DIGEST.match(text)
    return match is not None and match["counted"] is not None


def _scheduled(failing: Sequence[Change]) -> Iterator[DistinctChange]:
    for change in failing:
        if change.stage == "scheduler_nodes" and change.kind == "structural":
            yield from (
                _distinct(change.stage, own_edit) for own_edit in own_edits(change) if own_edit.topic == "fusion"
            )


def _first_kept(failing: Sequence[Change]) -> Change | None:
    for change in failing:
        if not _spans(change) and change.kind == "structural" and change.stage != "guards":
            return change
    return None


def _of_pass(found: Cause, failing: Sequence[Change]) -> Iterator[DistinctChange]:
    whole, _, what = found.text.partition(": ")
    # Phase and pass; a pattern, or the function that refused to fuse, may follow.
    named = " / ".join(whole.split(" / ")[:2])
    made: Edit | None = None
    for change in failing:
        if change.stage == "passes" and made is None:
            made = pass_edit(change.golden_text, change.actual_text, named)
    stage = stage_made_by(found.phase)
    if made is not None and made.topic == "fusion":
        # Which kernels were made from what says more than how many.
        for change in failing:
            if change.stage == stage or change.stage in KERNEL_STAGES:
                fused = [one for one in own_edits(change) if one.topic == "fusion" or order.names_moved_operations(one)]
                if fused:
                    yield _distinct(stage, fused[0], found.where)
                    return
    if made is None:
        made = edit(f"{whole} {what}", "operators", key=without_numbers(f"{named} {what}"))
    yield _distinct(stage, made, found.where)


def _backend_first(own: list[DistinctChange], failing: Sequence[Change]) -> list[DistinctChange]:
    """If a graph calls another library, that is what happened, whichever pass caused it."""
    for change in failing:
        if change.stage.endswith("_graph") and change.kind == "structural":
            library = [one for one in own_edits(change) if one.topic == "library"]
            if library and own and own[0].topic not in ("program", "library"):
                return [_distinct(change.stage, library[0], own[0].where), *own[1:]]
    return own


def _edits_after_codegen(failing: Sequence[Change]) -> Iterator[DistinctChange]:
    # Graphs and schedules follow from what comes before them; code generation has changes of its own.
    for change in (change for change in failing if rank(change.stage) > rank("codegen")):
        if change.kind == "structural" and change.golden_text and change.actual_text and not _spans(change):
            yield from (_distinct(change.stage, own_edit) for own_edit in change_edits(change))


def _copies(changes: Sequence[Change]) -> Iterator[DistinctChange]:
    """Wrapper code that copies more or fewer inputs, which follows from none of its calls; only the trail has it."""
    for change in changes:
        if change.stage == "trail" and (found := trail.copies(change.golden_text, change.actual_text)):
            yield _distinct(found.phase, decided.edit_of(found.phase, found.text), found.where)


def _metrics(change: Change) -> Iterator[DistinctChange]:
    metrics = better_or_worse(change.metrics) or change.metrics
    for metric in metrics:
        topic: Topic = "guards" if metric_name(metric) in GUARDED else "fusion"
        yield DistinctChange(change.stage, _words_of(metric), metric_key(metric), topic)


def _of_guards(changes: Sequence[Change]) -> Iterator[DistinctChange]:
    """Numbers of guards that are better or worse; for guards that a stage lists, which ones are new or gone."""
    listed = [change for change in changes if change.stage == LISTS and change.kind == "structural"]
    for change in listed:
        yield from _of_artifact(change)
    for change in changes:
        for metric in better_or_worse(change.metrics):
            if metric_name(metric) in GUARDED and not (listed and metric_name(metric) in LISTED):
                yield DistinctChange("guards", _words_of(metric), metric_key(metric), "guards")


def _words_of(metric: Metric) -> str:
    """`fewer guards that run Python: 2 -> 1`, `more nodes in post_grad_graph: 14 -> 15`, or `bytes_accessed up`."""
    key, name = metric_key(metric), metric_name(metric)
    if name not in WORDS or key == f"{metric.name} changed":
        return key
    return f"{'more' if key.endswith(' up') else 'fewer'} {WORDS[name]}: {metric.old} -> {metric.new}"


def _distinct(stage: str, own_edit: Edit, where: str | None = None) -> DistinctChange:
    # A library can be chosen before the graph is split in two, after that, or without any backward.
    anywhere = own_edit.anywhere or own_edit.topic == "library"
    return DistinctChange(
        stage,
        own_edit.label,
        own_edit.key if anywhere else f"{stage}: {own_edit.key}",
        own_edit.topic,
        own_edit.where or where,
    )


def _spans(change: Change) -> bool:
    return stage_of(change.stage, change.path.suffix.removeprefix(".")).spans
