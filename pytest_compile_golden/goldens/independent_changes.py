"""What a case changes besides its own changes, and that cannot follow from these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from pytest_compile_golden.changes import change as changes
from pytest_compile_golden.changes.common_types import (
    AttributeChanged,
    Exchanged,
    Replaced,
)
from pytest_compile_golden.changes.graphs import (
    OperatorsChanged,
    PassChanged,
    StrictnessChanged,
    TypeChanged,
)
from pytest_compile_golden.changes.kernels import (
    ValueChanged,
    last_name,
)
from pytest_compile_golden.changes.schedules import OF_GROUPS, OperationsMoved
from pytest_compile_golden.changes.trail import (
    BecameOther,
    ContentsChanged,
    Decomposition,
    DecompositionsChanged,
    not_unpacked,
)
from pytest_compile_golden.common.constants import KERNEL_STAGES
from pytest_compile_golden.formats.arithmetic import twice
from pytest_compile_golden.formats.graphs.argument_edits import arguments_in_place
from pytest_compile_golden.formats.graphs.edits import is_attention
from pytest_compile_golden.formats.graphs.effects import is_view
from pytest_compile_golden.formats.graphs.equivalence import Pairs
from pytest_compile_golden.formats.graphs.independent_edits import (
    dtypes,
    for_effect,
    given_otherwise,
    in_place,
    types_in_place,
)
from pytest_compile_golden.formats.schedules.edits import same_operations
from pytest_compile_golden.formats.trail import compare as trail
from pytest_compile_golden.formats.wrapper import OF_THE_PROGRAM
from pytest_compile_golden.goldens import kernel_changes, pass_changes
from pytest_compile_golden.goldens.compare_artifact import (
    Compared,
    change_edits,
    in_pipeline_order,
    own_edits,
)
from pytest_compile_golden.goldens.consequences import (
    GRAPH_COPIES,
    GraphDifference,
    base,
    graph_differences,
    prefix,
    reads_attribute,
    saved_instead,
    schedule_edits,
    subjects,
)
from pytest_compile_golden.goldens.distinct_change import DistinctChange, distinct
from pytest_compile_golden.goldens.first_divergence import steps_of
from pytest_compile_golden.goldens.same_nodes import (
    accessing_alike,
    edits_of_same_nodes,
    reordered,
    stored_instead,
)
from pytest_compile_golden.stages import rank, stage_made_by

_SAME = GraphDifference()
_COMBINED = "combo_grid_meta"
"""What Triton kernels have that combine several."""
_KERNEL = "triton_"
"""What the name of a kernel has in it that such C++ starts."""
OF_SPLITS = ("forward_graph", "backward_graph")
"""Stages that show how the joint graph is split; what comes later follows from that, and never the other way round."""
_WRITTEN_BY_KERNELS = ("random", "safety")
"""Topics of changes that code generation decides alone: how a random number is written, and what is checked."""
TRACED_CASTS = frozenset({"_to_copy"})
"""What casts are traced as, before they are decomposed."""
OF_DIGESTS = frozenset({"size-changed", "step-reconnected", "step-reordered"})
"""Changes of a step of which only a digest says that it differs."""
_OF_STEPS = OF_DIGESTS | {"contents-changed", "pass-changed"}
"""Changes of a step that is known by an inventory of what it holds."""


def independent_changes(
    compared: Sequence[Compared],
    own: Sequence[DistinctChange],
    checked: Iterable[DistinctChange],
) -> Iterator[DistinctChange]:
    """Changes of schedules and kernels that cannot follow from the case's own: in a graph in which those have changed
    nothing, or among operations that compute nothing that they are about.

    compared: also what is the same on both sides.
    checked: what is checked otherwise by wrapper code that calls the same.
    """
    known = {change.stage: change for change in compared}
    differ = graph_differences(compared)
    same_graphs = "trail" in known and "post_grad_graph" in trail.unchanged(
        *steps_of(known["trail"])
    )
    of_same_nodes = edits_of_same_nodes(compared)
    alike = accessing_alike(compared)
    made = _made_by_lowering(compared, own, of_same_nodes)
    told = {change.what.key for change in own}
    for graph, edits in schedule_edits(compared).items():
        anywhere, about = made(graph)
        for edit in of_same_nodes.get(graph, ()):
            # Which kernel makes a value is known to follow from nothing that is stored otherwise. Where all operations
            # are the same, the groups themselves tell it.
            independent = (
                graph not in alike
                and told.isdisjoint(
                    each.key for each in edits if each.code in OF_GROUPS
                )
                if edit.code in OF_GROUPS
                else not (anywhere or about & subjects(edit))
            )
            if independent and not (edit.follows or edit.is_notation):
                yield replace(distinct("scheduler_nodes", edit), apart=True)
        for edit in edits:
            # The same place is read, which says that nothing before asked for another; and operations that access the
            # same are fused otherwise for their own sake, whatever they compute.
            if not edit.follows and (
                edit.code == "index-written"
                or (edit.code in OF_GROUPS and graph in alike)
            ):
                yield replace(distinct("scheduler_nodes", edit), apart=True)
        if not same_graphs and graph not in differ:
            continue
        changed = _SAME if same_graphs else differ[graph]
        for edit in edits:
            touched = frozenset(map(base, edit.touches))
            # Which is decided for that call, whatever else is computed.
            if edit.code == "inputs-copied-for":
                # A copy that the graph itself has, or no longer has, is none for a library.
                apart = touched.isdisjoint(changed.new) and changed.new.isdisjoint(
                    GRAPH_COPIES
                )
            else:
                apart = (
                    not anywhere
                    and touched.isdisjoint(changed.near | about)
                    and about.isdisjoint(subjects(edit))
                )
            if touched and apart and not (edit.follows or edit.is_notation):
                yield replace(distinct("scheduler_nodes", edit), apart=True)
    # Which operations are in one kernel, and in which order these run, is decided after what is stored.
    scheduled = [
        one.what
        for one in own
        if rank("lowering") <= rank(one.stage) < rank("codegen")
        and one.code not in OF_GROUPS | {"operations-moved"}
    ]
    operators = [
        base(what.subject)
        for what in scheduled
        if isinstance(what, BecameOther) and what.code == "lowered-differently"
    ]
    # An operator that is lowered otherwise decides what is stored around it; of any other change, nothing says where.
    if len(operators) == len(scheduled):
        stored = stored_instead(compared, operators)
        if stored is not None:
            yield replace(distinct("scheduler_nodes", stored), apart=True)
    yield from _remainders(compared)
    yield from checked
    yield from _of_exported(compared, own)
    yield from _of_streams(compared)
    for change in compared:
        if change.stage != "trail":
            continue
        sides = steps_of(change)
        if trail.unpacked_no_longer(*sides):
            # Bookkeeping of all calls that have one result.
            unpacked = not_unpacked()
            yield distinct(stage_made_by("lowering"), unpacked, unpacked.where)
        for lowered in trail.called_or_computed(*sides):
            # Unless it is given something else, or is told to be lowered otherwise.
            operator = base(lowered.subject)
            given = not (same_graphs or differ) or any(
                operator in difference.operators for difference in differ.values()
            )
            if not given and not any(operator in subjects(each.what) for each in own):
                found = distinct(stage_made_by("lowering"), lowered)
                yield replace(found, apart=True)
    decomposed = list(_decomposed(compared, own))
    yield from decomposed
    passes = list(pass_changes.changed_passes(compared))
    yield from _in_place(compared, [*own, *decomposed], passes)
    yield from _given_otherwise(compared, own)
    if (folded := pass_changes.folded_zeros(compared, passes)) is not None:
        yield replace(distinct("joint_graph", folded), apart=True)
    for place in pass_changes.done_in_place(compared):
        # Unless the pass is told, which says so.
        if not any(
            f"{base(name)}_" in subjects(change.what)
            for change in own
            for name, _ in place.what
        ):
            yield replace(distinct("post_grad_graph", place), apart=True)
    splits = (
        list(pass_changes.partitions(compared, passes))
        if not any(change.stage in OF_SPLITS for change in own)
        else []
    )
    instead = [
        Exchanged("saved-instead", saved.gone, saved.come, touches=saved.computed)
        for saved in saved_instead(compared)
        if all(
            isinstance(change.what, PassChanged)
            for change in own
            if change.stage in OF_SPLITS
        )
    ]
    splits = [
        split
        for split in splits
        if not any(_is_of_saved(split, saved) for saved in instead)
    ]
    of_passes = [change.what for change in own if isinstance(change.what, PassChanged)]
    instead = [
        saved
        for saved in instead
        if not any(_is_of_saved(split, saved) for split in of_passes)
    ]
    left = {counted for split in splits for counted in split.made}
    about = frozenset(name for change in own for name in subjects(change.what))
    patterns = [
        pattern
        for pattern in pass_changes.patterns_alone(compared)
        if about.isdisjoint(subjects(pattern))
    ]
    by_patterns = {name for pattern in patterns for name in subjects(pattern)}
    for other in _of_other_nodes(compared, own, passes):
        if other.code == "operators-changed" and subjects(other.what) <= by_patterns:
            continue
        # What the partitioner leaves is in the graphs after it.
        if not (
            isinstance(other.what, OperatorsChanged)
            and other.stage == "post_grad_graph"
            and not other.what.gone
            and left.issuperset(other.what.come)
        ):
            yield other
    # What another pass left may be why one removes something no longer.
    by_passes = any(
        isinstance(change.what, PassChanged) and not change.apart for change in own
    )
    for removal in pass_changes.removals(compared, passes):
        if removal.kept and by_passes:
            continue
        stage = stage_made_by(removal.phase)
        yield replace(distinct(stage, removal, removal.where), apart=True)
    for pattern in patterns:
        stage = stage_made_by(pattern.phase)
        yield replace(distinct(stage, pattern, pattern.where), apart=True)
    for made_alone in pass_changes.of_other_operators(compared, about):
        stage = stage_made_by(made_alone.phase)
        yield replace(distinct(stage, made_alone, made_alone.where), apart=True)
    for split in splits:
        yield replace(distinct("forward_graph", split, split.where), apart=True)
    for saved in instead:
        yield replace(distinct("forward_graph", saved), apart=True)
    if reordered(compared) and not any(
        isinstance(change.what, OperationsMoved) for change in own
    ):
        moved = OperationsMoved(())
        yield replace(distinct("scheduler_nodes", moved), apart=True)
    for change in compared:
        if change.stage in KERNEL_STAGES and change.kind == "structural":
            combined = all(_COMBINED in text for text in (change.old, change.new))
            for edit in change_edits(change) if combined else ():
                if not isinstance(edit, AttributeChanged) or edit.subject != "combo":
                    continue
                # What code generation says of each kernel that combines several, whatever it computes.
                if (
                    None in (edit.before, edit.after)
                    and not edit.name.startswith("signature")
                    and _is_of_one_side(edit, change)
                ):
                    yield replace(distinct(change.stage, edit), apart=True)
            drawn = [
                edit
                for edit in change_edits(change)
                if edit.code == "random-numbers"
                and isinstance(edit, ValueChanged)
                and edit.is_same_distribution
            ]
            if (started := kernel_changes.threads_started(change)) is not None:
                yield replace(distinct(change.stage, started), apart=True)
            for edit in (
                *kernel_changes.known_spellings(change),
                *kernel_changes.renamed_helpers(change),
            ):
                yield replace(distinct(change.stage, edit), apart=True)
            for edit in drawn or kernel_changes.drawn_otherwise(change):
                # How a number is drawn is decided where it is written, whichever graph draws it.
                yield replace(distinct(change.stage, edit), apart=True)
            for edit in change_edits(change):
                if edit.code == "body-shared":
                    # Which tensors are computed alike is found where a kernel is written.
                    yield replace(distinct(change.stage, edit), apart=True)
            told = set[str]()
            pairs = kernel_changes.named_pairs(change, compared)
            for graph, edit in kernel_changes.of_same_groups(
                change, pairs, compared, differ, same_graphs
            ):
                anywhere, about = made(graph)
                if (
                    about.isdisjoint(subjects(edit))
                    and (not anywhere or edit.topic in _WRITTEN_BY_KERNELS)
                    and kernel_changes.holds_of_text(edit, change)
                ):
                    told |= set(map(last_name, edit.names))
                    yield replace(distinct(change.stage, edit), apart=True)
            if all(rank(one.stage) < rank("codegen") for one in own):
                for edit in kernel_changes.of_same_accesses(change, pairs, told, made):
                    if kernel_changes.holds_of_text(edit, change):
                        yield replace(distinct(change.stage, edit), apart=True)


def _is_of_one_side(edit: AttributeChanged, change: Compared) -> bool:
    """Whether no kernel that combines several has this entry on the other side, whatever is combined there."""
    name = edit.name.rpartition("[")[2].rstrip("]") or edit.name
    before, after = (
        any(
            name in kernel
            for kernel in text.split("\n@triton_heuristics")
            if _COMBINED in kernel
        )
        for text in (change.old, change.new)
    )
    return before != after


def _of_exported(
    compared: Sequence[Compared], own: Sequence[DistinctChange]
) -> Iterator[DistinctChange]:
    """What the C++ around an exported program does otherwise, if else only kernels are written otherwise: besides
    starting them, it follows from none of that."""
    if any(change.stage not in KERNEL_STAGES for change in own):
        return
    for change in compared:
        if change.stage == "aot_wrapper" and change.kind == "structural":
            for edit in change_edits(change):
                starts = any(_KERNEL in name for name in subjects(edit))
                if not (starts or edit.follows or edit.is_notation):
                    yield replace(distinct(change.stage, edit), apart=True)


def _of_streams(compared: Sequence[Compared]) -> Iterator[DistinctChange]:
    """By which function wrapper code gets at streams that the program made: that is decided for all of them."""
    for change in compared:
        if change.stage == "wrapper_code":
            gone, come = (
                [name for name in OF_THE_PROGRAM if f"{name}(" in text]
                for text in (change.old, change.new)
            )
            if len(gone) == len(come) == 1 and gone != come:
                found = ValueChanged("value-changed", f"{gone[0]}(a)", f"{come[0]}(a)")
                yield replace(distinct(change.stage, found), apart=True)


def _remainders(compared: Sequence[Compared]) -> Iterator[DistinctChange]:
    """A remainder of a remainder in an index of a schedule that is one on the other side: no place is another."""
    for change in compared:
        if change.stage != "scheduler_nodes" or not (change.old and change.new):
            continue
        old, new = twice(change.old), twice(change.new)
        # Loops have other names where others run around them, so that only all or none can be compared.
        if bool(old) != bool(new):
            nested, one = next(iter((old or new).items()))
            sides = (nested, one) if old else (one, nested)
            written = Replaced("index-written", *sides)
            yield replace(distinct(change.stage, written), apart=True)


def _is_of_saved(made: PassChanged, saved: Exchanged) -> bool:
    """Whether all that a partitioner leaves more is what forward no longer saves, and backward computes again."""
    # Where one is saved as a view, backward makes that again, too.
    more = {name for name, _ in (*made.made, *made.kept) if not is_view(name)}
    fewer = made.unmade or made.removed or made.repeated
    return (
        made.phase == "partition"
        and bool(more)
        and not fewer
        and more <= {name for name, _ in saved.gone}
    )


def _made_by_lowering(
    compared: Sequence[Compared],
    own: Sequence[DistinctChange],
    of_same_nodes: Mapping[str, Sequence[changes.Change]],
) -> kernel_changes.MadeByLowering:
    """For each graph, the operators that the case's own changes of lowering and scheduling are about, as far as they
    may have changed that graph, and whether one of them may be about any operator."""
    lowered = [
        change
        for change in own
        if rank("lowering") <= rank(change.stage) < rank("codegen")
    ]
    # Over all graphs, although only in one it may be told by the operations.
    counted = {
        change.what.key for change in lowered if change.stage != "scheduler_nodes"
    }
    edits = schedule_edits(compared)
    in_graph = {
        graph: {edit.key for edit in (*edits[graph], *of_same_nodes.get(graph, ()))}
        for graph in edits
    }
    told = {key for keys in in_graph.values() for key in keys}
    same = {
        prefix(change) + name
        for change in compared
        if change.stage == "scheduler_nodes" and change.documents is not None
        for name in same_operations(*change.documents)
    }

    @cache
    def made(graph: str) -> tuple[bool, frozenset[str]]:
        concern = [
            change
            for change in lowered
            if (
                change.what.key in in_graph.get(graph, ())
                or change.what.key not in told
                if change.stage == "scheduler_nodes" and change.what.key not in counted
                # What the loops of operations compute may differ although the operations are the same.
                else graph not in same or change.code in _OF_STEPS
            )
        ]
        # Of an option, its value names nothing that is computed.
        about = (
            (change.what.name,)
            if isinstance(change.what, AttributeChanged)
            else (*subjects(change.what), *map(base, change.what.touches))
            for change in concern
        )
        # Of steps that are known by what they hold, nothing says which of the program's operators these compute.
        anywhere = any(change.code in _OF_STEPS for change in concern)
        return anywhere, frozenset(name for names in about for name in names)

    return made


def _decomposed(
    compared: Sequence[Compared], own: Sequence[DistinctChange]
) -> Iterator[DistinctChange]:
    """Operators that both sides call and trace or decompose into others, if what comes before is only that others are
    called or that results are laid out otherwise: with other sizes, they may be decomposed otherwise."""
    before = [change for change in own if rank(change.stage) < rank("aot_graph")]
    laid_out = [
        change
        for change in before
        if isinstance(change.what, TypeChanged) and change.what.is_layout
    ]
    called = [
        change
        for change in before
        if change.code in ("operators-changed", "operator-renamed")
    ]
    if not before or len(laid_out) + len(called) != len(before):
        return
    about = frozenset(name for change in own for name in subjects(change.what))
    read = all(reads_attribute(change.what) for change in before)
    for change in compared:
        for found in (
            trail.divergences(*steps_of(change)) if change.stage == "trail" else ()
        ):
            what = found.change
            if not about.isdisjoint(subjects(what)):
                continue
            match what:
                case DecompositionsChanged(main=main) if main.before and main.after:
                    # What is laid out differently may be copied differently, and is computed as before.
                    apart = not laid_out or _computes_otherwise(main)
                case ContentsChanged(step="aot_graph", gone=gone, come=come):
                    apart = read and any(
                        not is_view(name) for name, _ in (*gone, *come)
                    )
                case _:
                    apart = False
            if apart:
                yield replace(
                    distinct(stage_made_by(found.phase), what, found.where), apart=True
                )


def _in_place(
    compared: Sequence[Compared],
    own: Sequence[DistinctChange],
    passes: Sequence[pass_changes.ChangedPass],
) -> Iterator[DistinctChange]:
    """What follows from no other node, as far as it is not told: types in Dynamo's graph and, if something else is
    traced, operators and what they are given in the first graph after that which is kept."""
    if any(change.topic == "program" for change in own):
        return
    graphs = {
        change.stage: change
        for change in in_pipeline_order(compared)
        if change.kind == "structural"
    }
    attends = any(is_attention(name) for each in own for name in subjects(each.what))
    for found in _pairs_of(graphs.get("dynamo_graph")):
        for edit in types_in_place(found):
            # Which library computes attention decides how its result is laid out.
            if not (
                attends
                and isinstance(edit, TypeChanged)
                and edit.is_layout
                and is_attention(edit.subject)
            ):
                yield replace(distinct("dynamo_graph", edit), apart=True)
    traced = own and rank(own[0].stage) <= rank("aot_graph")
    if not traced or isinstance(own[0].what, PassChanged):
        return
    about = frozenset(name for change in own for name in subjects(change.what))
    # A cast more or less is how other types come about that values are computed in.
    casts = any(subjects(change.what) == TRACED_CASTS for change in own)
    of_passes = frozenset(name for _, operators in passes for name in operators)
    stages = ("aot_graph", "joint_graph", "post_grad_graph")
    stage = next((name for name in stages if name in graphs), "")
    for found in _pairs_of(graphs.get(stage)):
        for typed in dtypes(found) if casts else ():
            yield replace(distinct(stage, typed), apart=True)
        for edit in arguments_in_place(found):
            if base(edit.subject) not in about | of_passes:
                yield replace(distinct(stage, edit), apart=True)
        for edit in (*in_place(found), *for_effect(found)):
            if isinstance(edit, StrictnessChanged):
                told = any(change.code == edit.code for change in own)
            elif isinstance(edit, OperatorsChanged):
                # What replaces one operator in each place has been said of all of them.
                told = subjects(edit) <= about
            else:
                told = not of_passes.isdisjoint(subjects(edit))
            if not told:
                yield replace(distinct(stage, edit), apart=True)


def _given_otherwise(
    compared: Sequence[Compared], own: Sequence[DistinctChange]
) -> Iterator[DistinctChange]:
    """Operators that no other change is about, and that are given what another one is given in place of its result, in
    the first graph that is kept of what is traced."""
    if any(change.topic == "program" for change in own):
        return
    about = frozenset(name for change in own for name in subjects(change.what))
    graph = next(
        (
            change
            for change in in_pipeline_order(compared)
            if change.stage in ("aot_graph", "joint_graph", "post_grad_graph")
            and change.kind == "structural"
        ),
        None,
    )
    # A pass that made that graph otherwise may have put one value in the place of another.
    if graph is None or any(
        isinstance(change.what, PassChanged)
        and stage_made_by(change.what.phase) == graph.stage
        for change in own
    ):
        return
    for found in _pairs_of(graph):
        for edit in given_otherwise(found):
            if base(edit.subject) not in about:
                yield replace(distinct(graph.stage, edit), apart=True)


def _pairs_of(change: Compared | None) -> Iterable[Pairs]:
    return () if change is None else change.graph_pairs.values()


def _computes_otherwise(what: Decomposition) -> bool:
    """Whether an operator is decomposed into others besides copies and views."""
    exchanged = [name for side in what.instead or () for name, _ in side]
    return any(
        not is_view(name) and base(name) not in GRAPH_COPIES for name in exchanged
    )


def _of_other_nodes(
    compared: Sequence[Compared],
    own: Sequence[DistinctChange],
    passes: Sequence[pass_changes.ChangedPass],
) -> Iterator[DistinctChange]:
    """What became of nodes that have nothing to do with those that the case's own changes are about, in the first graph
    that has both: as the pass that did just that, if there is one."""
    of_graphs = [change for change in own if rank(change.stage) < rank("lowering")]
    # What the program calls is decomposed into other operators, and what is kept for backward has other types.
    if not of_graphs or any(
        rank(change.stage) < rank("aot_graph") for change in of_graphs
    ):
        return
    split = any(change.stage in OF_SPLITS for change in of_graphs)
    about = frozenset(name for change in of_graphs for name in subjects(change.what))
    last = max(rank(change.stage) for change in of_graphs)
    for change in in_pipeline_order(compared):
        if (
            change.stage not in ("joint_graph", "post_grad_graph")
            or change.kind != "structural"
        ):
            continue
        edits = [edit for edit in own_edits(change) if edit.code == "operators-changed"]
        if rank(change.stage) <= last or all(
            about.isdisjoint(subjects(edit)) for edit in edits
        ):
            continue
        for edit in edits:
            if edit.follows or not about.isdisjoint(subjects(edit)):
                continue
            about_edit = subjects(edit)
            made = next(
                (made for made, operators in passes if operators <= about_edit),
                None,
            )
            if made is None and not split:
                yield replace(distinct(change.stage, edit), apart=True)
            elif made is not None:
                made = pass_changes.in_every_graph(made, compared)
                yield replace(
                    distinct(stage_made_by(made.phase), made, made.where), apart=True
                )
        return
