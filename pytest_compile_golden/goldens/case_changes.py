"""The changes of a case: its own, and those that may follow from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from msgspec import structs

from pytest_compile_golden.changes import change as changes
from pytest_compile_golden.changes.common_types import (
    CountedNewOrGone,
    Exchanged,
    NewOrGone,
)
from pytest_compile_golden.changes.graphs import (
    GraphsChanged,
    OperatorsChanged,
    PassChanged,
    StrictnessChanged,
    TypeChanged,
)
from pytest_compile_golden.changes.guards import GuardsChanged
from pytest_compile_golden.changes.kernels import (
    LeafChanged,
    StatementsChanged,
    ValueChanged,
    last_name,
)
from pytest_compile_golden.changes.numbers import EntriesChanged, MetricChanged
from pytest_compile_golden.changes.schedules import (
    OperationsChanged,
    OperationsMoved,
    ReadsChanged,
)
from pytest_compile_golden.changes.trail import (
    BecameOther,
    ContentsChanged,
    DecompositionsChanged,
    ResultsStored,
    StageGone,
)
from pytest_compile_golden.common.constants import KERNEL_STAGES
from pytest_compile_golden.formats.canonical_text import short
from pytest_compile_golden.formats.graph_choices import MADE_CONSTANT
from pytest_compile_golden.formats.graphs.edits import (
    checks_finite,
    viewed,
)
from pytest_compile_golden.formats.graphs.effects import is_view
from pytest_compile_golden.formats.metrics.metric_table import GUARDED, LISTED, LISTS
from pytest_compile_golden.formats.metrics.printed import changes as metric_changes
from pytest_compile_golden.formats.metrics.printed import numbers
from pytest_compile_golden.formats.pass_log import compare as ledger
from pytest_compile_golden.formats.trail import compare as trail
from pytest_compile_golden.goldens import kernel_changes, pass_changes
from pytest_compile_golden.goldens.compare_artifact import (
    Compared,
    in_pipeline_order,
    own_edits,
)
from pytest_compile_golden.goldens.consequences import (
    base,
    reads_attribute,
    subjects,
)
from pytest_compile_golden.goldens.distinct_change import DistinctChange, distinct
from pytest_compile_golden.goldens.first_divergence import Cause, passes_of, steps_of
from pytest_compile_golden.goldens.independent_changes import independent_changes
from pytest_compile_golden.goldens.independent_changes.of_graphs import (
    OF_SPLITS,
    TRACED_CASTS,
)
from pytest_compile_golden.goldens.independent_changes.of_schedules import OF_DIGESTS
from pytest_compile_golden.goldens.ranking import (
    JudgedNumber,
    better_or_worse,
    metric_name,
)
from pytest_compile_golden.goldens.same_nodes import in_memory
from pytest_compile_golden.stages import rank, stage_made_by

_OF_DYNAMO = ("program", "breaks")
# One result taken out of several: what became of it follows from the operator that made them.
_TAKEN_OUT = "operator.getitem"
_GUARDS, _PYTHON_GUARDS = "guards", "python_guards"
"""The metrics that count all guards, and those that are the most expensive."""
_COPIES_OF_INPUTS = ("copy_if_misaligned", "copy_misaligned")
"""What wrapper code copies misaligned inputs by, under its names in several versions."""
_OUT_OF_BOUNDS = "index out of bounds"
"""What a kernel says of an index that does not pass a check."""


@dataclass(frozen=True)
class CaseChanges:
    """The distinct changes of one case."""

    own: tuple[DistinctChange, ...] = ()
    """The case's own changes; the first is the earliest."""
    secondary: tuple[DistinctChange, ...] = ()
    """Changes that may follow from those, but count for this case too if other cases have them on their own."""


def case_changes(
    compared: Sequence[Compared], found: Cause | None, secondary: bool = True
) -> CaseChanges:
    """The distinct changes of one case with this first divergence; if nothing fails but new goldens, what its wrapper
    code checks otherwise, which counts if other cases have it on their own.

    What the trail, the ledger and the metrics say follows from them. Without `secondary`, only its own are returned.
    """
    checked = list(_checks(compared))
    # Those that may follow from what else changed in their wrappers, and those that cannot, which are its own too.
    may_follow = [replace(check, apart=False) for check in checked]
    if found is None:
        return CaseChanges(secondary=tuple(may_follow) if secondary else ())
    failing = [
        change
        for change in in_pipeline_order(compared)
        if change.fails and change.kind not in ("new", "metric")
    ]
    if not failing:
        return CaseChanges(own=tuple(_metrics(found.change)))
    own = list(_of_cause(found, failing))
    if found.also is not None:
        own += _of_cause(found.also, failing)
    own = _backend_first(own, compared, failing)
    # Built before any of it is added, since what is apart is judged by the changes that the case has without it.
    apart = list(
        independent_changes(compared, own, [each for each in checked if each.apart])
    )
    own = [
        left for change in own if (left := _without_told(change, apart)) is not None
    ] + apart
    # What kernels of other groups, or in another order, do otherwise follows from that.
    if any(
        change.what.kind == "decision"
        and rank("lowering") <= rank(change.stage) < rank("codegen")
        for change in own
    ):
        own = [
            change
            for change in own
            if change.apart
            or change.stage not in KERNEL_STAGES
            or change.what.kind != "code"
            or change.what.is_notation
        ]
    called = {
        name
        for change in own
        if change.code == "library-called"
        for name in subjects(change.what)
    }
    # Which operation calls it says the same.
    own = [
        change
        for change in own
        if not (
            isinstance(change.what, BecameOther)
            and change.apart
            and base(change.what.subject) in called
        )
    ]
    own = list(_without_repeated(own))
    own += _gone(failing)
    guards = list(_of_guards(compared))
    # If Dynamo captured something else, changes in guards may follow from that. Those on sizes do not follow from
    # another operator for reading an attribute, which is the same views, nor from what is only written otherwise; and
    # why there are more or fewer graphs is said by what became constant.
    captured = [
        change
        for change in own
        if rank(change.stage) <= rank("dynamo_graph") or change.topic in _OF_DYNAMO
    ]
    own += [
        guard
        for guard in guards
        if not captured
        or (
            guard.stage == LISTS
            and all(_leaves_it(guard.what, change.what) for change in captured)
        )
    ]
    own = [
        replace(distinct(change.stage, what, change.where), apart=change.apart)
        if isinstance(change.what, ResultsStored)
        and (what := in_memory(change.what, compared)) != change.what
        else change
        for change in _stored_together(own)
    ]
    known: dict[str, DistinctChange] = {}
    for change in own:
        known.setdefault(change.key, change)
    others = (
        (
            *guards,
            *_edits_after_codegen(failing, compared),
            *(
                distinct(change.stage, what)
                for change in failing
                for what in (
                    *kernel_changes.exchanged_functions(change),
                    *kernel_changes.rewritten(change),
                )
            ),
            *may_follow,
        )
        if secondary
        else ()
    )
    rest = {change.key: change for change in others if change.key not in known}
    return CaseChanges(tuple(known.values()), tuple(rest.values()))


def _without_repeated(own: Sequence[DistinctChange]) -> Iterator[DistinctChange]:
    """The changes without those that only show another one once more."""
    codes = {change.code for change in own}
    barriers = {
        change.what.fewer
        for change in own
        if isinstance(change.what, StatementsChanged) and change.what.barriers
    }
    stored = {
        base(name)
        for change in own
        if isinstance(change.what, ResultsStored)
        for name in (*change.what.operators, *change.what.contrary)
    }
    for change in own:
        match change.what:
            # What is stored is computed elsewhere.
            case ValueChanged(code="value-changed"):
                repeated = not stored.isdisjoint(map(last_name, change.what.names))
            # An operation more computes what is stored, and others read that instead of computing it.
            case OperationsChanged(kinds=kinds):
                called = any(kind.startswith("extern ") for kind in kinds)
                repeated = "results-stored" in codes and not called
            case ReadsChanged():
                repeated = "results-stored" in codes
            # An index that is no longer wrapped is checked for itself, beside the one that is, or along with the same.
            case StatementsChanged(code="runtime-checks"):
                lines = (*change.what.gone, *change.what.come)
                repeated = "negative-index" in codes and all(
                    _OUT_OF_BOUNDS in line for line in lines
                )
            # Some of the same barriers are idle.
            case NewOrGone(code="idle-barrier", new=more):
                repeated = (not more) in barriers
            # What is read by its strides is not copied for a call.
            case BecameOther(code="lowered-differently", is_restrided=True):
                repeated = "inputs-copied-for" in codes
            case _:
                repeated = False
        if not repeated:
            yield change


def _stored_together(own: Sequence[DistinctChange]) -> list[DistinctChange]:
    """The changes, with all of what is stored or inlined as one: where lowering ends a chain of operators is one
    decision, by which one result may be stored in the place of another."""
    several = [each for each in own if isinstance(each.what, ResultsStored)]
    if len(several) < 2:
        return list(own)
    first = several[0].what
    assert isinstance(first, ResultsStored)
    ways: tuple[list[str], list[str]] = [], []
    for each in several:
        what = each.what
        assert isinstance(what, ResultsStored)
        ways[what.stored is not first.stored].extend(what.operators)
        ways[what.stored is first.stored].extend(what.contrary)
    together = structs.replace(
        first,
        operators=tuple(dict.fromkeys(ways[0])),
        contrary=tuple(dict.fromkeys(ways[1])),
    )
    joined = replace(
        distinct(several[0].stage, together, several[0].where),
        apart=all(each.apart for each in several),
    )
    return [
        joined if each is several[0] else each
        for each in own
        if each is several[0] or not isinstance(each.what, ResultsStored)
    ]


def _leaves_it(condition: changes.Change, what: changes.Change) -> bool:
    """Whether another condition on sizes is no consequence of what is captured otherwise."""
    became_constant = (
        isinstance(condition, EntriesChanged) and condition.noun == MADE_CONSTANT
    )
    return (
        what.kind in changes.MINOR
        or reads_attribute(what)
        or (isinstance(what, GraphsChanged) and became_constant)
    )


def told_calls(several: Iterable[DistinctChange]) -> set[str]:
    """The calls of wrapper code that changes are about."""
    return {
        name
        for change in several
        if change.stage == "wrapper_code"
        for name in (
            _COPIES_OF_INPUTS
            if change.code == "inputs-checked"
            else subjects(change.what)
        )
    }


def _without_told(
    change: DistinctChange, apart: Sequence[DistinctChange]
) -> DistinctChange | None:
    """What is traced otherwise, without operators in whose place others are for themselves, unless these are all; what
    a graph calls otherwise, without what a pass removes for itself; calls of a wrapper without its checks and copies;
    None for what other changes tell: all calls, constants for zeros, or casts by which values are computed in another
    type."""
    if change.stage == "wrapper_code" and isinstance(change.what, Exchanged):
        told = told_calls(apart)
        gone, come = (
            tuple((name, times) for name, times in side if name not in told)
            for side in (change.what.gone, change.what.come)
        )
        if (gone, come) == (change.what.gone, change.what.come):
            return change
        what = structs.replace(change.what, gone=gone, come=come)
        return distinct(change.stage, what) if gone or come else None
    if subjects(change.what) == TRACED_CASTS and any(
        isinstance(other.what, TypeChanged) and other.what.part == "dtype"
        for other in apart
    ):
        return None
    zero = next((other for other in apart if other.code == "zero-folded"), None)
    if zero is not None and change.code == "constant-folded":
        return None if subjects(change.what) <= subjects(zero.what) else change
    if zero is not None and isinstance(change.what, PassChanged):
        made = {short(name) for name, _ in (*change.what.made, *change.what.unmade)}
        return None if "aten.full" in made else change
    if isinstance(change.what, ContentsChanged):
        return _without_strictness(change, change.what, apart)
    if not isinstance(change.what, OperatorsChanged):
        return change
    if change.code != "operators-traced":
        removed = [
            other.what.removed
            for other in apart
            if isinstance(other.what, PassChanged) and other.what.removes_only
        ]
        gone = _without(change.what.gone, removed)
        if gone == change.what.gone:
            return change
        what = structs.replace(change.what, gone=gone)
        # What is left of a call in the place of others is no longer one.
        return distinct(change.stage, what, change.where) if gone else None
    instead = [
        other.what
        for other in apart
        if isinstance(other.what, (OperatorsChanged, StrictnessChanged))
        and other.what.come
    ]
    gone = _without(change.what.gone, (each.gone for each in instead))
    come = _without(change.what.come, (each.come for each in instead))
    if not gone or gone == change.what.gone:
        return change
    what = structs.replace(change.what, gone=gone, come=come)
    return distinct(change.stage, what, change.where)


def _without_strictness(
    change: DistinctChange, what: ContentsChanged, apart: Iterable[DistinctChange]
) -> DistinctChange | None:
    """What a step holds otherwise, without comparisons that are told to be strict now; None if these are all."""
    strict = [
        other.what for other in apart if isinstance(other.what, StrictnessChanged)
    ]
    fewer, more = what.exchanged
    left = {
        name
        for name, _ in (
            *_without(fewer, (each.gone for each in strict)),
            *_without(more, (each.come for each in strict)),
        )
    }
    if not strict or left.issuperset(what.things):
        return change
    gone, come = (
        tuple(each for each in side if each[0] in left)
        for side in (what.gone, what.come)
    )
    counted = tuple(each for each in what.counted if each[0] in left)
    rest = structs.replace(what, gone=gone, come=come, counted=counted)
    return distinct(change.stage, rest, change.where) if rest.things else None


def _without(counted: changes.Counts, told: Iterable[changes.Counts]) -> changes.Counts:
    """Operators without those that are told, of which overloads have one name."""
    left = Counter[str]()
    for each in told:
        left.update({base(name): times for name, times in each})
    kept = []
    for name, times in counted:
        both = min(left[base(name)], times)
        left[base(name)] -= both
        if both < times:
            kept.append((name, times - both))
    return tuple(kept)


def _of_cause(found: Cause, failing: Sequence[Compared]) -> Iterator[DistinctChange]:
    change, what = found.change, found.what
    if found.program:
        yield DistinctChange("dynamo_graph", what, what.key, found.where)
    elif change.kind == "absent":
        yield from _gone(failing)
    elif found.phase == change.stage:
        # If a test has several captures, each has an artifact of the stage.
        for other in failing:
            if other.stage == change.stage:
                yield from _of_artifact(other, found.where)
    elif what.code in OF_DIGESTS or (
        isinstance(what, ContentsChanged) and (what.arguments or what.is_structure)
    ):
        yield from _of_digest(found, failing)
    elif found.phase == "lowered_ir" and (scheduled := list(_scheduled(failing))):
        # Operations before fusion, whose operators the schedule has too.
        yield from scheduled
    elif _is_taken_out(what) and (kept := _first_kept(failing)) is not None:
        yield from _of_artifact(kept)
    elif isinstance(what, PassChanged):
        yield from _of_pass(what, found, failing)
    else:
        if isinstance(what, ContentsChanged) and what.step == "aot_graph":
            what = _with_viewed(what, failing)
        yield distinct(stage_made_by(found.phase), what, found.where)
        if isinstance(what, DecompositionsChanged):
            yield from _other_decompositions(what, failing)
        if what.code == "not-unpacked":
            # This is bookkeeping, and must not hide what else became of the operations.
            yield from _scheduled(failing)
        elif isinstance(what, ResultsStored):
            # Counted over all graphs, it does not say what became of each.
            yield from (
                change
                for change in _scheduled(failing)
                if isinstance(change.what, ResultsStored)
            )


def _with_viewed(what: ContentsChanged, failing: Sequence[Compared]) -> ContentsChanged:
    """With what views are of that are traced otherwise, by the first graph that is kept and has both sides."""
    if not all(map(is_view, what.things)):
        return what
    for change in failing:
        if change.stage in ("joint_graph", "post_grad_graph") and change.graph_pairs:
            of = {
                name for pairs in change.graph_pairs.values() for name in viewed(pairs)
            }
            return structs.replace(what, viewed=tuple(sorted(of)))
    return what


def _other_decompositions(
    what: DecompositionsChanged, failing: Sequence[Compared]
) -> Iterator[DistinctChange]:
    """Operators in which something else is exchanged: none of these follows from another."""
    for change in failing:
        if change.stage == "trail":
            for other in trail.divergences(*steps_of(change)):
                if isinstance(other.change, DecompositionsChanged):
                    found = distinct(
                        stage_made_by(other.phase), other.change, other.where
                    )
                    if other.change != what:
                        yield replace(found, apart=True)


def _is_taken_out(what: changes.Change) -> bool:
    if isinstance(what, ResultsStored):
        return what.operators == (_TAKEN_OUT,)
    return isinstance(what, BecameOther) and what.subject == _TAKEN_OUT


def _gone(failing: Sequence[Compared]) -> Iterator[DistinctChange]:
    """Stages that are gone: one change with the key of the first of them, since the later ones follow from it."""
    names = list(
        dict.fromkeys(change.stage for change in failing if change.kind == "absent")
    )
    if names:
        what = StageGone(names[0], tuple(names[1:]))
        yield DistinctChange(names[0], what, what.key)


def _of_artifact(
    change: Compared, where: str | None = None
) -> Iterator[DistinctChange]:
    """Its edits. where: the place of the first of them."""
    for edit in own_edits(change):
        yield distinct(change.stage, edit, where)
        where = None


def _of_digest(found: Cause, failing: Sequence[Compared]) -> Iterator[DistinctChange]:
    """For a step that is kept only as a digest: its effect in the first later stage that is kept."""
    kept = _first_kept(failing)
    if kept is not None:
        yield from _of_artifact(kept)
    else:
        yield DistinctChange(found.phase, found.what, found.what.key)


def _scheduled(failing: Sequence[Compared]) -> Iterator[DistinctChange]:
    for change in failing:
        if change.stage == "scheduler_nodes" and change.kind == "structural":
            for own_edit in own_edits(change):
                if own_edit.topic == "fusion" or isinstance(own_edit, OperationsMoved):
                    yield distinct(change.stage, own_edit)


def _first_kept(failing: Sequence[Compared]) -> Compared | None:
    for change in failing:
        if (
            not change.declared.spans
            and change.kind == "structural"
            and change.stage != "guards"
        ):
            return change
    return None


def _of_pass(
    made: PassChanged, found: Cause, failing: Sequence[Compared]
) -> Iterator[DistinctChange]:
    ledger_change = next(
        (change for change in failing if change.stage == "passes"), None
    )
    if ledger_change is not None:
        # The trail has only a digest of what the pass left.
        made = ledger.first_changed(*passes_of(ledger_change), made) or made
    stage = stage_made_by(found.phase)
    if checks_finite(name for name, _ in made.made):
        yield distinct(
            stage,
            CountedNewOrGone("finite-check-added", made.made, new=True),
            found.where,
        )
        return
    if made.topic == "fusion":
        # Which kernels were made from what says more than how many.
        for change in failing:
            if change.stage == stage or change.stage in KERNEL_STAGES:
                fused = [
                    one
                    for one in own_edits(change)
                    if one.topic == "fusion"
                    or (isinstance(one, OperationsMoved) and one.operations)
                ]
                if fused:
                    # The step that fuses is not the one that decides.
                    yield distinct(stage, fused[0])
                    return
    yield distinct(stage, pass_changes.in_every_graph(made, failing), found.where)


def _backend_first(
    own: list[DistinctChange], compared: Sequence[Compared], failing: Sequence[Compared]
) -> list[DistinctChange]:
    """If a graph calls another library, that is what happened, whichever pass caused it; unless the pass that makes
    these calls is known, and what came before it is about other operators. What the partitioner has computed again is
    no call of another library."""
    joint = any(change.stage == "joint_graph" for change in compared)
    for change in failing:
        if change.stage.endswith("_graph") and change.kind == "structural":
            library = [one for one in own_edits(change) if one.topic == "library"]
            if library and joint and change.stage in OF_SPLITS:
                break  # and what comes later shows the same
            if (
                library
                and own
                and own[0].topic != "program"
                and all(one.topic != "library" for one in own)
            ):
                first = own[0]
                made = next(pass_changes.of_libraries(failing), None)
                if made is not None and (
                    (isinstance(first.what, PassChanged) and first.what.removes_only)
                    or subjects(first.what).isdisjoint(map(base, _operators(made)))
                ):
                    made = pass_changes.in_every_graph(made, failing)
                    called = distinct(stage_made_by(made.phase), made, made.where)
                    return [first, replace(called, apart=True), *own[1:]]
                where = None if made is None else made.where
                return [distinct(change.stage, library[0], where), *own[1:]]
    return own


def _operators(made: PassChanged) -> Iterator[str]:
    for side in (made.made, made.unmade, made.removed, made.kept):
        yield from (name for name, _ in side)


def _edits_after_codegen(
    failing: Sequence[Compared], compared: Sequence[Compared]
) -> Iterator[DistinctChange]:
    # Graphs and schedules follow from what comes before them; code generation has changes of its own.
    for change in (
        change for change in failing if rank(change.stage) > rank("codegen")
    ):
        if (
            change.kind == "structural"
            and change.old
            and change.new
            and not change.declared.spans
        ):
            yield from (
                distinct(change.stage, own_edit)
                for own_edit in kernel_changes.edits_of_counterparts(change, compared)
                # That a size is another in one case says nothing of sizes in the next.
                if not (isinstance(own_edit, LeafChanged) and own_edit.is_size)
            )


def _checks(compared: Sequence[Compared]) -> Iterator[DistinctChange]:
    """What wrapper code checks otherwise, by which function, and which inputs it copies if they are misaligned: that is
    decided for all that it calls."""
    for change in compared:
        if change.stage == "trail":
            for what, apart in trail.checks(*steps_of(change)):
                yield replace(distinct("wrapper_code", what), apart=apart)


def _metrics(change: Compared) -> Iterator[DistinctChange]:
    guards = [metric for metric in change.metrics if metric_name(metric) in GUARDED]
    metrics = [*better_or_worse(change.metrics), *guards] or change.metrics
    yield from (_of_metric(change.stage, metric) for metric in metrics)


def _of_guards(compared: Sequence[Compared]) -> Iterator[DistinctChange]:
    """Numbers of guards that are better or worse; for guards that a stage lists, which ones are new or gone, and for
    others how many there are, unless those that run Python are other ones, too."""
    listed = [
        change
        for change in compared
        if change.stage == LISTS and change.kind == "structural"
    ]
    for change in listed:
        yield from _of_artifact(change)
    for change in compared:
        if change.stage == "guards" and change.kind == "structural":
            # Those on sizes are listed above, and the others are on objects that the program uses.
            for edit in own_edits(change):
                of_objects = isinstance(edit, GuardsChanged) and edit.subject != "sizes"
                if of_objects or edit.kind in changes.MINOR:
                    yield replace(distinct("guards", edit), apart=True)
    for change in compared:
        for metric in change.metrics:
            if metric_name(metric) in GUARDED and not (
                listed and metric_name(metric) in LISTED
            ):
                yield _of_metric("guards", metric)
    if not any(
        change.stage == "guards" and change.kind == "structural" for change in compared
    ):
        for change in compared:
            yield from _numbers_of_guards(change)


def _numbers_of_guards(change: Compared) -> Iterator[DistinctChange]:
    """Neither direction is better, which makes no text differ."""
    if change.stage != "metrics" or not (change.old and change.new):
        return
    old, new = map(numbers, (change.old, change.new))
    differ = metric_changes(old, new) if old and new else ()
    of_python = {
        each.name.replace(_PYTHON_GUARDS, _GUARDS)
        for each in differ
        if metric_name(each) == _PYTHON_GUARDS
    }
    for each in differ:
        if metric_name(each) == _GUARDS and each.name not in of_python:
            yield _of_metric("guards", each)


def _of_metric(stage: str, metric: JudgedNumber) -> DistinctChange:
    what = MetricChanged(
        metric.name, metric.old, metric.new, guarded=metric_name(metric) in GUARDED
    )
    return DistinctChange(stage, what, what.key)
