"""How graphs differ besides: what passes make of other nodes, and how the joint graph is split."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pytest_compile_golden.changes.common_types import Exchanged
from pytest_compile_golden.changes.graphs import (
    OperatorsChanged,
    PassChanged,
    StrictnessChanged,
    TypeChanged,
)
from pytest_compile_golden.changes.trail import (
    ContentsChanged,
    Decomposition,
    DecompositionsChanged,
)
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
from pytest_compile_golden.formats.trail import compare as trail
from pytest_compile_golden.goldens import pass_changes
from pytest_compile_golden.goldens.compare_artifact import (
    Compared,
    in_pipeline_order,
    own_edits,
)
from pytest_compile_golden.goldens.consequences import (
    GRAPH_COPIES,
    GraphDifference,
    base,
    graph_differences,
    reads_attribute,
    saved_instead,
    subjects,
)
from pytest_compile_golden.goldens.distinct_change import (
    DistinctChange,
    independent,
)
from pytest_compile_golden.goldens.first_divergence import steps_of
from pytest_compile_golden.stages import rank, stage_made_by

OF_SPLITS = ("forward_graph", "backward_graph")
"""Stages that show how the joint graph is split; what comes later follows from that, and never the other way round."""

TRACED_CASTS = frozenset({"_to_copy"})
"""What casts are traced as, before they are decomposed."""


class Graphs(NamedTuple):
    """How the graphs of a case that reach Inductor differ."""

    differ: Mapping[str, GraphDifference]
    """Of those that both sides have and keep."""
    are_same: bool
    """Whether none differs, as the trail says, of any graph."""

    @classmethod
    def of(cls, compared: Sequence[Compared]) -> Graphs:
        same = [
            "post_grad_graph" in trail.unchanged(*steps_of(change))
            for change in compared
            if change.stage == "trail"
        ]
        return cls(graph_differences(compared), bool(same) and all(same))

    def difference(self, graph: str) -> GraphDifference | None:
        """How a graph differs; None if it is not known."""
        return GraphDifference() if self.are_same else self.differ.get(graph)

    def may_give_otherwise(self, operator: str) -> bool:
        """Whether an operator may be given something else than before."""
        return not (self.are_same or self.differ) or any(
            operator in difference.operators for difference in self.differ.values()
        )


def of_graphs(
    compared: Sequence[Compared], own: Sequence[DistinctChange]
) -> Iterator[DistinctChange]:
    """Changes of graphs that cannot follow from the case's own."""
    decomposed = list(_decomposed(compared, own))
    yield from decomposed
    passes = list(pass_changes.changed_passes(compared))
    yield from _in_place(compared, [*own, *decomposed], passes)
    yield from _given_otherwise(compared, own)
    if (folded := pass_changes.folded_zeros(compared, passes)) is not None:
        yield independent("joint_graph", folded)
    for place in pass_changes.done_in_place(compared):
        # Unless the pass is told, which says so.
        if not any(
            f"{base(name)}_" in subjects(change.what)
            for change in own
            for name, _ in place.what
        ):
            yield independent("post_grad_graph", place)
    splits, instead = _of_splits(compared, own, passes)
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
    for made in (
        *(
            removal
            for removal in pass_changes.removals(compared, passes)
            if not (removal.kept and by_passes)
        ),
        *patterns,
        *pass_changes.of_other_operators(compared, about),
    ):
        yield independent(stage_made_by(made.phase), made)
    for split in (*splits, *instead):
        yield independent("forward_graph", split)


def _of_splits(
    compared: Sequence[Compared],
    own: Sequence[DistinctChange],
    passes: Sequence[pass_changes.ChangedPass],
) -> tuple[list[PassChanged], list[Exchanged]]:
    """How the joint graph is split otherwise, and what forward saves instead, each unless the other says the same."""
    of_splits = [change for change in own if change.stage in OF_SPLITS]
    instead = (
        [
            Exchanged("saved-instead", saved.gone, saved.come, touches=saved.computed)
            for saved in saved_instead(compared)
        ]
        if all(isinstance(change.what, PassChanged) for change in of_splits)
        else []
    )
    splits = [
        split
        for split in (() if of_splits else pass_changes.partitions(compared, passes))
        if not any(_is_of_saved(split, saved) for saved in instead)
    ]
    of_passes = [change.what for change in own if isinstance(change.what, PassChanged)]
    return splits, [
        saved
        for saved in instead
        if not any(_is_of_saved(split, saved) for split in of_passes)
    ]


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
                yield independent(stage_made_by(found.phase), what)


def _computes_otherwise(what: Decomposition) -> bool:
    """Whether an operator is decomposed into others besides copies and views."""
    exchanged = [name for side in what.instead or () for name, _ in side]
    return any(
        not is_view(name) and base(name) not in GRAPH_COPIES for name in exchanged
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
                yield independent("dynamo_graph", edit)
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
            yield independent(stage, typed)
        for edit in arguments_in_place(found):
            if base(edit.subject) not in about | of_passes:
                yield independent(stage, edit)
        for edit in (*in_place(found), *for_effect(found)):
            if isinstance(edit, StrictnessChanged):
                told = any(change.code == edit.code for change in own)
            elif isinstance(edit, OperatorsChanged):
                # What replaces one operator in each place has been said of all of them.
                told = subjects(edit) <= about
            else:
                told = not of_passes.isdisjoint(subjects(edit))
            if not told:
                yield independent(stage, edit)


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
                yield independent(graph.stage, edit)


def _pairs_of(change: Compared | None) -> Iterable[Pairs]:
    return () if change is None else change.graph_pairs.values()


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
                yield independent(change.stage, edit)
            elif made is not None:
                made = pass_changes.in_every_graph(made, compared)
                yield independent(stage_made_by(made.phase), made)
        return
