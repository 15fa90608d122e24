"""What to call the first divergence of a changed case: out of the stages, the ledger of passes and the trail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_compile_golden.formats import authors, stops
from pytest_compile_golden.formats.code import KernelsFormat
from pytest_compile_golden.formats.dynamo import GuardsFormat
from pytest_compile_golden.formats.format import Format
from pytest_compile_golden.formats.ledger import compare as ledger
from pytest_compile_golden.formats.metrics.compare import MetricChange
from pytest_compile_golden.formats.metrics.table import NOT_COMPARED
from pytest_compile_golden.formats.schedule import form as schedules
from pytest_compile_golden.formats.schedule import order as orders
from pytest_compile_golden.formats.trail import compare as trail
from pytest_compile_golden.goldens import program
from pytest_compile_golden.goldens.compare import Change, capture_of, first_divergence, in_pipeline_order, own_edits
from pytest_compile_golden.stages import rank

_LONGEST = 120


@dataclass(frozen=True)
class Cause:
    """The first divergence."""

    phase: str
    """The phase whose pass or decision it is, or the stage."""
    text: str
    """`post_grad / remove_noop_ops: 18 -> 14, now nothing`, or a stage."""
    where: str | None
    """File and line in the installed torch, or the user's file."""
    change: Change
    """The change that shows it."""
    program: bool = False
    """Whether it is the program under test that changed, or what the test gives it."""
    also: Cause | None = None
    """The first divergence among those of the scheduler or behind it that cannot follow from this one."""


def cause(changes: Sequence[Change], trails: Sequence[Change] = ()) -> Cause | None:
    """Of everything that says that something changed, what is earliest in the pipeline; None where nothing fails.

    trails: of the run that changed, where no golden has any, so that only who wrote a line can be known.
    """
    first = first_divergence(changes)
    if first is None:
        return None
    found = min(_candidates(changes), key=_rank, default=_alone(first))
    its = [change for change in changes if capture_of(change) == capture_of(found.change)]
    if _rank(found) <= rank("dynamo_graph") or "trail" not in {each.stage for each in its}:
        edited = program.edited(its)
        if edited is not None:
            found = Cause("dynamo_graph", edited.text, edited.where, edited.change, program=True)
    also = _also(found, its)
    return replace(_authored(found, its, trails), also=also and _authored(also, its, trails))


def _authored(found: Cause, changes: Sequence[Change], trails: Sequence[Change]) -> Cause:
    """A change of kernels or guards with the function that wrote what changed, where that is known; of groups, who
    decided."""
    told = next((each for each in changes if each.stage == "trail"), None)
    change = found.change
    its = {each.stage: each for each in changes if capture_of(each) == capture_of(change)}
    if told is not None and found.phase in ("scheduler", "scheduler_nodes"):
        return _decided(found, told, its.get("scheduler_nodes"))
    if found.phase != change.stage:
        return found
    scheduled = _behind_kernels(found, its)
    if scheduled is not None:
        return scheduled
    blamed = blame(change, [*changes, *trails])
    if blamed is None:
        # Of a stage that does not say how deep a change goes, what it is, where it has words for that.
        words = type(change.declared.format).edits is not Format.edits
        bare = words and found.text == change.stage and change.kind == "structural"
        if not bare:
            return found
        where = found.where or own_edits(change)[0].where
        return replace(found, text=f"{change.stage}: {_shortened(_told(change))}", where=where)
    lines = [f"`{_shortened(line)}`" for line in (blamed.old, blamed.new) if line]
    what = " -> ".join(lines) if len(lines) == 2 else f"{lines[0]} {'is new' if blamed.new else 'is gone'}"
    return replace(found, text=f"{found.phase} / {blamed.author.function}: {what}", where=blamed.author.where)


def _told(change: Change) -> str:
    """Its edits in a few words: the first, and how many more there are."""
    told = own_edits(change)
    return told[0].label + (f" (and {len(told) - 1} more)" if len(told) > 1 else "")


def is_authored(change: Change) -> bool:
    """Whether it is of a kind of text of which torch's functions write single lines."""
    return isinstance(change.declared.format, (GuardsFormat, KernelsFormat))


def blame(change: Change, changes: Sequence[Change], said: str = "") -> authors.Blamed | None:
    """Who wrote what changed of kernels or guards, or, of several edits, what is `said` of one; None if nobody knows.

    changes: those of the same case, of which the trail may tell.
    """
    told = next((each for each in changes if each.stage == "trail" and capture_of(each) == capture_of(change)), None)
    form = change.declared.format
    if change.kind != "structural":
        return None
    if isinstance(form, GuardsFormat):
        tables = form.wrote(change.golden_text), form.wrote(change.actual_text)
    elif isinstance(form, KernelsFormat) and told is not None:
        tables = trail.wrote(told.golden_text), trail.wrote(told.actual_text)
    else:
        return None
    found = authors.blamed(form, (change.golden_text, change.actual_text), tables, said)
    if found is None or told is None or told.golden_text != told.actual_text:
        return found
    # One trail for both sides was written by an older torch than the newer of them: its lines are none of theirs.
    file = (found.author.where or "").rpartition(":")[0]
    return replace(found, author=replace(found.author, where=f"{file}:{found.author.function}" if file else None))


def _alone(change: Change) -> Cause:
    """A stage of which nothing is known but that it changed; of numbers, how."""
    told = [f"{each.name} {each.old} -> {each.new}" for each in change.metrics if _is_told(each)]
    return Cause(change.stage, f"{change.stage}: {', '.join(told)}" if told else named(change), None, change)


def _is_told(change: MetricChange) -> bool:
    return change.new is not None and change.name not in NOT_COMPARED


def _shortened(line: str) -> str:
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."


def _decided(found: Cause, told: Change, schedule: Change | None) -> Cause:
    """A change of what is fused with the function that refuses now, or did."""
    if schedule is None:
        return found
    tables = trail.refused(told.actual_text), trail.refused(told.golden_text)
    for before, now in schedules.refusals(schedule.golden_text, schedule.actual_text):
        author = authors.refuser(now or before, *tables)
        if author is not None:
            stage = found.phase == schedule.stage
            what, _, how = ("scheduler", "", "") if stage else found.text.partition(": ")
            said = f"{now}, before: {before}" if now and before else now or f"no more: {before}"
            return replace(found, text=f"{what} / {author.function}: {said}{how and f' ({how})'}", where=author.where)
    return found


def _behind_kernels(found: Cause, its: Mapping[str, Change]) -> Cause | None:
    """What the scheduler did otherwise with groups that hold what they did: only their kernels' loops show it.

    its: the changes of the same capture, by stage.
    """
    form, texts = found.change.declared.format, (found.change.golden_text, found.change.actual_text)
    if not isinstance(form, KernelsFormat) or found.change.kind != "structural":
        return None
    schedule, told = its.get("scheduler_nodes"), its.get("trail")
    order = "" if schedule is None else orders.moved(schedule.golden_text, schedule.actual_text)
    if order and authors.same_lines(*texts):
        return replace(found, text=f"scheduler / fuse_nodes: {order}", where=None)
    before, after = map(form.loops, texts)
    if before == after or told is None:
        return None
    tables = trail.refused(told.golden_text), trail.refused(told.actual_text)
    # More loops are kept apart by who refuses now, fewer were by who did.
    author = authors.news(*(tables if before < after else tables[::-1]))
    if author is None:
        return None
    how = "keeps" if before < after else "no longer keeps"
    said = f"{how} loops of a kernel apart ({before} -> {after})"
    return replace(found, text=f"scheduler / {author.function}: {said}", where=author.where)


def named(change: Change) -> str:
    """A stage, and how deep its change goes."""
    if change.kind == "absent":
        return f"{change.stage} (gone: this compile has none)"
    # `post_grad_graph (graph)` would say it twice.
    return f"{change.stage} ({change.depth})" if change.depth not in change.stage else change.stage


def _also(first: Cause, changes: Sequence[Change]) -> Cause | None:
    """What changed behind the graph although what it is given did not: `first`, a change of the graph, explains none.

    changes: those of the same capture.
    """
    if _rank(first) >= rank("lowering"):
        return None
    by_stage = {change.stage: change for change in changes}
    same = trail.unchanged(*_texts(by_stage.get("trail")))
    schedule = by_stage.get("scheduler_nodes")
    if "post_grad_graph" in same:
        begin = "lowering"
    elif "lowered_ir" in same or (schedule is not None and _fused_differently(schedule)):
        begin = "scheduler"
    else:
        return None
    # Where operators were lowered to other operations, their kernels follow from it.
    end = rank("launch") + 1 if {"post_grad_graph", "lowered_ir"} & same else rank("triton_code")
    passes = _first_pass(by_stage.get("passes"), by_stage.get("trail"), scheduler=True)
    found = [each for each in (*passes, *_candidates(changes)) if rank(begin) <= _rank(each) < end]
    return min(found, key=_rank, default=None)


def _fused_differently(change: Change) -> bool:
    """Whether operations that read and write what they did are in other groups."""
    if change.kind != "structural" or change.depth != "fusion":
        return False
    old, new = map(schedules.operations, (change.golden_text, change.actual_text))
    return old is not None and old == new


def _candidates(changes: Sequence[Change]) -> Iterator[Cause]:
    """Everything that changed; of what is said twice, a stage's own golden before its digest in the trail."""
    collections: dict[str, dict[str, Change]] = {}
    for change in in_pipeline_order(changes):
        if not change.declared.spans:
            if change.kind in ("structural", "absent"):
                yield _stopped(change) or Cause(change.stage, named(change), None, change)
        # What does not count by itself, such as an order of nodes, may be the cause of what does.
        elif change.kind in ("structural", "cosmetic"):
            collections.setdefault(capture_of(change), {})[change.stage] = change
    for collection in collections.values():
        yield from _first_pass(collection.get("passes"), collection.get("trail"))
        if "trail" in collection:
            change = collection["trail"]
            for found in trail.divergences(change.golden_text, change.actual_text):
                where = found.where or dict(change.places).get(found.at or "")
                yield Cause(found.phase, found.text, where, change)


def _stopped(change: Change) -> Cause | None:
    """Of the stages that tell of graph breaks and recompilations, the first that is new or gone."""
    if change.stage not in stops.STOPS:
        return None
    old, new = map(stops.read, (change.golden_text, change.actual_text))
    for words, stop in stops.news(change.stage, old, new):
        return Cause(change.stage, words, dict(change.places).get(stop.at), change)
    return None


def _first_pass(passes: Change | None, trail_change: Change | None, scheduler: bool = False) -> Iterator[Cause]:
    """The first pass, or the first step of the scheduler, to do something else: by the ledger, and by what the trail
    says that each left."""
    change = passes or trail_change
    if change is None:
        return
    left = [trail.passes(text) for text in _texts(trail_change)]
    rows = left
    if passes is not None:
        rows = [ledger.with_digests(ledger.runs(text), by) for text, by in zip(_texts(passes), left, strict=True)]
    if scheduler:
        rows = [[run for run in row if run.row.phase == "scheduler"] for row in rows]
    found = ledger.divergence(*rows)
    given = found is not None and found.phase == "pre_fusion" and _given_otherwise(rows, _texts(trail_change))
    if found is not None and not given:
        yield Cause(found.phase, found.text, found.where, change)


def _given_otherwise(rows: Sequence[Sequence[ledger.Run]], trails: tuple[str, str]) -> bool:
    """Whether steps before fusion, which take away and reorder, cannot have made `lowered_ir` what it is now.

    What is there now and was not they were given, unless they take away less; then what is gone was not given to them.
    """
    took, take = (sum(run.row.nodes.grown for run in row if run.pre_fusion and run.row.nodes) for row in rows)
    return trail.gained("lowered_ir", *(trails if take <= took else trails[::-1]))


def _texts(change: Change | None) -> tuple[str, str]:
    return ("", "") if change is None else (change.golden_text, change.actual_text)


def _rank(each: Cause) -> int:
    return rank(each.phase)
