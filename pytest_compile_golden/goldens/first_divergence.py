"""The first divergence of a changed case, named from the stages, the ledger of passes and the trail.

Data flows through the compiler in one direction, so whatever a step makes of an input that differs may follow from
that. The earliest sign is therefore the divergence, and a later one is named beside it only if its own input is as it
was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import chain

from pytest_compile_golden.changes import change as changes
from pytest_compile_golden.changes.schedules import GroupsChanged
from pytest_compile_golden.changes.trail import ProgramChanged, StageChanged, StageGone
from pytest_compile_golden.common.constants import KERNEL_STAGES
from pytest_compile_golden.common.quantity import listed
from pytest_compile_golden.formats import authors, evidence, graph_breaks
from pytest_compile_golden.formats.decisions import DECISIONS
from pytest_compile_golden.formats.graph_breaks import StopLine
from pytest_compile_golden.formats.graphs import GRAPH, GraphFormat
from pytest_compile_golden.formats.inductor_module import KernelsFormat
from pytest_compile_golden.formats.metrics.metric_table import NOT_COMPARED
from pytest_compile_golden.formats.pass_log import compare as ledger
from pytest_compile_golden.formats.schedules import equivalence as orders
from pytest_compile_golden.formats.schedules import form as schedule_form
from pytest_compile_golden.formats.trail import compare as trail
from pytest_compile_golden.formats.trail.compare import Steps
from pytest_compile_golden.goldens.compare_artifact import (
    Compared,
    capture_of,
    change_edits,
    first_divergence,
    in_pipeline_order,
    own_edits,
)
from pytest_compile_golden.stages import rank

_TOKEN = re.compile(r"[\w.]+|\S")
_RESUMED = "torch_dynamo_resume_in_"
_WHOLE_GRAPHS = ("pre_grad_graph", "aot_graph", "joint_graph")
"""Graphs from which all that follows is made, in the order of the pipeline."""
_LONGEST = 100
_MOST_INPUTS = 3
# A dtype, and a size in every dimension.
_SIZED = re.compile(r"\w+\[(?:\d+(?:, \d+)*)?\]")


@dataclass(frozen=True)
class Cause:
    """The first divergence."""

    phase: str
    """The phase of the pass or decision, or the stage."""
    what: changes.Change
    """What the pass, the decision or the stage does differently."""
    where: str | None
    """File and line in the installed torch, or the user's file."""
    change: Compared
    """The change that shows it."""
    shows: str = ""
    """The stage that shows it, for a change of a stage's own text."""
    more: int = 0
    """How many other changes the text has."""
    program: bool = False
    """Whether the program under test changed, or the inputs that the test gives it."""
    also: Cause | None = None
    """The first divergence in the scheduler or after it that cannot follow from this one; the first divergence of all,
    where it is only written otherwise and this one computes something else."""


def cause(compared: Sequence[Compared]) -> Cause | None:
    """The earliest sign of a change in the pipeline; None if nothing fails."""
    first = first_divergence(compared)
    if first is None:
        return None
    # A stage that is only known to have changed; for numbers, how.
    numbers = tuple(
        (metric.name, metric.old, metric.new)
        for metric in first.metrics
        if metric.new is not None and metric.name not in NOT_COMPARED
    )
    found = min(_candidates(compared), key=_rank, default=_bare(first, numbers))
    of_capture = [
        change for change in compared if capture_of(change) == capture_of(found.change)
    ]
    if _rank(found) <= rank("dynamo_graph") or "trail" not in {
        other.stage for other in of_capture
    }:
        found = _edited(of_capture) or found
    other = _also(found, of_capture)
    found, also = _described(found, of_capture), other and _described(other, of_capture)
    if found.what.is_notation:
        # What is computed otherwise does not follow from how something is written; before operators are traced, the
        # same shows in each graph.
        later = [
            candidate
            for candidate in _candidates(of_capture)
            if _rank(found) < rank("aot") <= _rank(candidate) < rank("lowering")
        ]
        if later:
            return replace(_described(min(later, key=_rank), of_capture), also=found)
        kernels = (
            change
            for change in of_capture
            if change.stage in KERNEL_STAGES and change is not found.change
        )
        also = also or next(
            (
                _described(_bare(kernel), of_capture)
                for kernel in kernels
                if kernel.kind == "structural" and own_edits(kernel)[0].changes_values
            ),
            None,
        )
        if also is not None and not also.what.is_notation:
            return replace(also, also=found)
    return replace(found, also=also)


def _described(found: Cause, compared: Sequence[Compared]) -> Cause:
    """The cause with the first edit of its text, or the order of groups that it follows from, if only it shows it.

    compared: the changes of the same capture.
    """
    change = found.change
    if found.phase == change.stage:
        order = _order(
            change, {other.stage: other for other in compared}.get("scheduler_nodes")
        )
        if order is not None:
            return replace(found, what=order, where=None)
        own = (
            own_edits(change)
            if change.kind == "structural" and change.stage != DECISIONS
            else ()
        )
        if (
            own
            and change.declared.format.describes_edits
            and isinstance(found.what, StageChanged)
        ):
            return replace(
                found,
                what=own[0],
                shows=change.stage,
                more=len(own) - 1,
                where=found.where or own[0].where,
            )
    bare = isinstance(found.what, StageChanged) and not found.what.numbers
    return replace(found, what=stage_change(change)) if bare else found


def _bare(
    change: Compared, numbers: tuple[tuple[str, object, object], ...] = ()
) -> Cause:
    """A change of a whole stage; what it is about takes time to find, and is said only of the first."""
    gone = change.kind == "absent" and not numbers
    what = (
        StageGone(change.stage) if gone else StageChanged(change.stage, numbers=numbers)
    )
    return Cause(change.stage, what, None, change)


def _order(change: Compared, schedule: Compared | None) -> changes.Change | None:
    """How the scheduler ordered groups of unchanged contents, of which kernels only show the loops."""
    texts = change.old, change.new
    if (
        schedule is None
        or change.kind != "structural"
        or not isinstance(change.declared.format, KernelsFormat)
    ):
        return None
    order = (
        orders.moved(*schedule.documents) if schedule.documents is not None else None
    )
    return order if order is not None and authors.same_lines(*texts) else None


def stage_change(change: Compared) -> changes.Change:
    """A stage with what its change is about, or which compile only one side has."""
    if change.stage == DECISIONS and change.kind == "structural":
        return own_edits(change)[0]
    return (
        StageGone(change.stage)
        if change.kind == "absent"
        else StageChanged(change.stage, change.about)
    )


def _also(first: Cause, changes: Sequence[Compared]) -> Cause | None:
    """What changed after a graph that is the same as before: `first`, a change before that graph, does not explain it.

    changes: those of the same capture.
    """
    if _rank(first) >= rank("lowering"):
        return None
    by_stage = {change.stage: change for change in changes}
    same = trail.unchanged(*steps_of(by_stage.get("trail")))
    schedule = by_stage.get("scheduler_nodes")
    graphs = [
        graph for graph in _WHOLE_GRAPHS if graph in same and _rank(first) < rank(graph)
    ]
    if "post_grad_graph" in same:
        begin = "lowering"
    elif graphs:
        begin = graphs[-1]
    elif "lowered_ir" in same or (
        schedule is not None and _fused_differently(schedule)
    ):
        begin = "scheduler"
    else:
        return None
    # If operators were lowered to other operations, their kernels follow from that.
    end = (
        rank("launch") + 1
        if graphs or {"post_grad_graph", "lowered_ir"} & same
        else rank("triton_code")
    )
    passes = _first_pass(by_stage.get("passes"), by_stage.get("trail"), begin)
    found = [
        candidate
        for candidate in (*passes, *_candidates(changes))
        if rank(begin) <= _rank(candidate) < end
    ]
    return min(found, key=_rank, default=None)


def _fused_differently(change: Compared) -> bool:
    """Whether operations with unchanged reads and writes are in different groups."""
    if change.kind != "structural" or not any(
        isinstance(edit, GroupsChanged) for edit in change_edits(change)
    ):
        return False
    if change.documents is None:
        return False
    old, new = map(schedule_form.operations, change.documents)
    return bool(old == new)


def _candidates(changes: Sequence[Compared]) -> Iterator[Cause]:
    """Everything that changed; if two places show it, a stage's own golden comes before its digest in the trail."""
    collections: dict[str, dict[str, Compared]] = {}
    for change in in_pipeline_order(changes):
        if not change.declared.spans:
            if change.kind in ("structural", "absent"):
                yield _stopped(change) or _bare(change)
        # Something that does not count on its own, such as the order of nodes, may cause something that does.
        elif change.kind in ("structural", "cosmetic"):
            collections.setdefault(capture_of(change), {})[change.stage] = change
    for collection in collections.values():
        yield from _first_pass(collection.get("passes"), collection.get("trail"))
        if "trail" in collection:
            change = collection["trail"]
            for found in trail.divergences(*steps_of(change)):
                where = found.where or dict(change.locations).get(found.at or "")
                # A location in a trail, which is read without its evidence, with the torch that it is of.
                before = where is not None and where not in change.new
                yield Cause(
                    found.phase,
                    found.change,
                    evidence.placed(where, change.known[0 if before else 1]),
                    change,
                )


def _stopped(change: Compared) -> Cause | None:
    """For a stage that lists graph breaks or recompilations, the first entry that is new or gone."""
    if change.stage not in graph_breaks.STOPS:
        return None
    for what, stop in graph_breaks.differences(
        change.stage, *map(graph_breaks.read, (change.old, change.new))
    ):
        return Cause(change.stage, what, dict(change.locations).get(stop.at), change)
    return None


def steps_of(change: Compared | None) -> tuple[Steps, Steps]:
    """The steps of both sides of a trail; none without one."""
    return (
        (Steps(()), Steps(()))
        if change is None
        else (trail.read(change.old), trail.read(change.new))
    )


def passes_of(change: Compared) -> tuple[list[ledger.PassRun], list[ledger.PassRun]]:
    """The passes of both sides of a ledger, including those that did nothing as far as its evidence names them."""
    old, new = change.known
    return ledger.runs(change.old, old), ledger.runs(
        change.new, new, dict(change.locations)
    )


def _first_pass(
    passes: Compared | None, trail_change: Compared | None, begin: str = ""
) -> Iterator[Cause]:
    """The first pass, or the first scheduler step, that does something different, according to the ledger and to the
    trail's digest of what each left.

    begin: the phase or stage from which on they are looked at; all of them if empty.
    """
    change = passes or trail_change
    if change is None:
        return
    steps = steps_of(trail_change)
    left = list(map(trail.passes, steps))
    rows = left
    if passes is not None:
        rows = [
            ledger.with_digests(runs, by)
            for runs, by in zip(passes_of(passes), left, strict=True)
        ]
    if begin:
        rows = [
            [run for run in row if rank(run.row.phase) >= rank(begin)] for row in rows
        ]
    found = ledger.divergence(*rows)
    given = (
        found is not None
        and found.phase == "pre_fusion"
        and _given_otherwise(rows, steps)
    )
    if found is not None and not given:
        yield Cause(found.phase, found.change, found.where, change)


def _given_otherwise(
    rows: Sequence[Sequence[ledger.PassRun]], steps: tuple[Steps, Steps]
) -> bool:
    """Whether steps before fusion, which remove and reorder, cannot have made `lowered_ir` what it is now.

    They were given whatever is new in it, unless they remove less; then they were not given whatever is gone from it.
    """
    took, take = (
        sum(run.row.nodes.grown for run in row if run.pre_fusion and run.row.nodes)
        for row in rows
    )
    return trail.gained("lowered_ir", *(steps if take <= took else steps[::-1]))


def _rank(found: Cause) -> int:
    return rank(found.phase)


def _edited(changes: Sequence[Compared]) -> Cause | None:
    """What changed in the program or its inputs, judging by its lines that graphs quote; None if the graph that Dynamo
    captured, or its lines and inputs, are unchanged.

    changes: of one capture.
    """
    by_stage = {
        change.stage: change
        for change in changes
        if change.kind in ("structural", "cosmetic")
    }
    trail_change = by_stage.get("trail")
    steps = steps_of(trail_change)
    if trail_change is not None and not trail.differ("dynamo_graph", *steps):
        return None
    other_operators = not trail.same_operators("dynamo_graph", *steps)
    # Their lines quote the program.
    graphs = [
        change
        for change in by_stage.values()
        if isinstance(change.declared.format, GraphFormat)
    ]
    if trail_change is None and "dynamo_graph" not in by_stage:
        # Nothing shows what Dynamo captured: only graphs that really changed count.
        graphs = [change for change in graphs if change.kind == "structural"]
    stopped = {line for change in by_stage.values() for line in _break_lines(change)}
    # A line that another graph quotes is still in the program: a later pass may drop the nodes that come from it.
    anywhere = [
        {code for text in texts for _, code in map(_as_written, GRAPH.quoted(text))}
        for texts in zip(*((change.old, change.new) for change in graphs), strict=True)
    ] or [set(), set()]
    for change in graphs:
        # Code after a graph break is quoted as a function of its own; the line that breaks, not at all.
        both = [list(GRAPH.quoted(text)) for text in (change.old, change.new)]
        old, new = (
            [line for line in map(_as_written, quoted) if line not in stopped]
            for quoted in both
        )
        # Where only one torch version goes on after a break, only it quotes what follows.
        goes_on = [
            any(function.startswith(_RESUMED) for function, _ in quoted)
            for quoted in both
        ]
        alone = {
            _as_written(line)
            for quoted in both
            for line in quoted
            if goes_on[0] != goes_on[1] and line[0].startswith(_RESUMED)
        }
        # A line may be quoted as one of another function: torch has functions of its own for Python's (`sum`).
        gone, come = (
            [line for line in one if line not in alone and line[1] not in quotes]
            for one, quotes in ((old, anywhere[1]), (new, anywhere[0]))
        )
        # Torch may start to quote another frame, or none; the user changed lines of a function that both sides quote.
        known = {function for function, _ in old}
        functions = [
            function
            for function in dict.fromkeys(function for function, _ in new)
            if function in known
        ]
        for function, before, after in _edits(gone, come, functions):
            if not (other_operators or (before and after)):
                # A later pass dropped a node, and its line with it: an edit has other operators, or another line.
                continue
            where = dict(change.locations).get(f"{function}: {after}")
            what = ProgramChanged("program", _difference(before, after))
            return Cause("dynamo_graph", what, where, change, program=True)
    for change in graphs:
        # The inputs of backward are what torch saved.
        if change.stage == "backward_graph":
            continue
        if text := _inputs(*map(GRAPH.input_types, (change.old, change.new))):
            return Cause(
                "dynamo_graph",
                ProgramChanged("inputs", text),
                None,
                change,
                program=True,
            )
    return None


def _as_written(line: tuple[str, str]) -> tuple[str, str]:
    function, code = line
    return function.removeprefix(_RESUMED), code


def _break_lines(change: Compared) -> Iterator[tuple[str, str]]:
    """The lines at which Dynamo stopped, on either side."""
    stopped: Iterable[StopLine] = ()
    if change.stage == "trail":
        stopped = (
            stop
            for steps in steps_of(change)
            for several in steps.stops.values()
            for stop in several
        )
    elif change.stage in graph_breaks.STOPS:
        stopped = (
            stop
            for text in (change.old, change.new)
            for stop in graph_breaks.read(text)
        )
    for stop in stopped:
        function, _, code = stop.at.partition(": ")
        yield _as_written((function, code))


def _inputs(old: Sequence[str], new: Sequence[str]) -> str:
    """Which inputs have different shapes or dtypes; empty if torch may be the cause.

    Torch chooses which sizes are symbols, what else is an input (attributes, sizes), and the order of inputs.
    """
    changed = list(
        dict.fromkeys(
            (one, other) for one, other in zip(old, new, strict=False) if one != other
        )
    )
    if (
        len(old) != len(new)
        or sorted(old) == sorted(new)
        or any(not _SIZED.match(kind) for kind in chain(*changed))
    ):
        return ""
    parts = [f"{one} -> {other}" for one, other in changed]
    return listed(parts, _MOST_INPUTS, separator="; ")


def _edits(
    gone: Sequence[tuple[str, str]],
    come: Sequence[tuple[str, str]],
    functions: Sequence[str],
) -> Iterator[tuple[str, str, str]]:
    """Each function with a line before and after; empty for a line that is new, or gone."""
    for function in functions:
        before, after = (
            [code for name, code in lines if name == function] for lines in (gone, come)
        )
        for index in range(max(len(before), len(after))):
            yield (
                function,
                "".join(before[index : index + 1]),
                "".join(after[index : index + 1]),
            )


def _difference(before: str, after: str) -> str:
    """What one line has in place of the other; both lines if one only adds to the other, or it would be too long."""
    if not (before and after):
        return f"-{before}" if before else f"+{after}"
    old, new = (
        [match.span() for match in _TOKEN.finditer(line)] for line in (before, after)
    )
    matcher = SequenceMatcher(
        None, _TOKEN.findall(before), _TOKEN.findall(after), autojunk=False
    )
    edits = [edit for edit in matcher.get_opcodes() if edit[0] != "equal"]
    if all(kind == "replace" for kind, *_ in edits):
        pairs = [
            (
                before[old[low][0] : old[high - 1][1]],
                after[new[start][0] : new[end - 1][1]],
            )
            for _, low, high, start, end in edits
        ]
        short = "; ".join(f"{gone} -> {come}" for gone, come in pairs)
        if len(short) <= _LONGEST:
            return short
    return f"{before} -> {after}"
