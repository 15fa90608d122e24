"""What a case changes besides its own changes, and that cannot follow from these.

of_graphs: how graphs differ besides: what passes make of other nodes, and how the joint graph is split
of_kernels: how kernels are written otherwise for its own sake: what code generation decides alone
of_schedules: how graphs are scheduled otherwise for its own sake: what is stored, copied, fused, and in which order
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pytest_compile_golden.changes.kernels import ValueChanged
from pytest_compile_golden.changes.trail import not_unpacked
from pytest_compile_golden.common.constants import KERNEL_STAGES
from pytest_compile_golden.formats.trail import compare as trail
from pytest_compile_golden.formats.wrapper import OF_THE_PROGRAM
from pytest_compile_golden.goldens.compare_artifact import (
    Compared,
    change_edits,
)
from pytest_compile_golden.goldens.consequences import (
    base,
    subjects,
)
from pytest_compile_golden.goldens.distinct_change import (
    DistinctChange,
    distinct,
    independent,
)
from pytest_compile_golden.goldens.first_divergence import steps_of
from pytest_compile_golden.goldens.independent_changes.of_graphs import (
    Graphs,
    of_graphs,
)
from pytest_compile_golden.goldens.independent_changes.of_kernels import of_kernels
from pytest_compile_golden.goldens.independent_changes.of_schedules import (
    made_by_lowering,
    of_order,
    of_schedules,
)
from pytest_compile_golden.goldens.same_nodes import edits_of_same_nodes
from pytest_compile_golden.stages import stage_made_by

_KERNEL = "triton_"
"""What the name of a kernel has in it that such C++ starts."""


def independent_changes(
    compared: Sequence[Compared],
    own: Sequence[DistinctChange],
    checked: Iterable[DistinctChange],
) -> Iterator[DistinctChange]:
    """Changes that cannot follow from the case's own: in a graph in which those have changed nothing, or among
    operations that compute nothing that they are about.

    compared: also what is the same on both sides.
    checked: what is checked otherwise by wrapper code that calls the same.
    """
    graphs = Graphs.of(compared)
    of_same_nodes = edits_of_same_nodes(compared)
    made = made_by_lowering(compared, own, of_same_nodes)
    yield from of_schedules(compared, own, graphs, of_same_nodes, made)
    yield from checked
    yield from _of_exported(compared, own)
    yield from _of_streams(compared)
    yield from _of_lowering(compared, own, graphs)
    yield from of_graphs(compared, own)
    yield from of_order(compared, own)
    yield from of_kernels(compared, own, graphs, made)


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
                    yield independent(change.stage, edit)


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
                yield independent(change.stage, found)


def _of_lowering(
    compared: Sequence[Compared], own: Sequence[DistinctChange], graphs: Graphs
) -> Iterator[DistinctChange]:
    """Operators that are lowered to something else, and results of calls that are represented otherwise."""
    for change in compared:
        if change.stage != "trail":
            continue
        sides = steps_of(change)
        if trail.unpacked_no_longer(*sides):
            # Bookkeeping of all calls that have one result.
            yield distinct(stage_made_by("lowering"), not_unpacked())
        for lowered in trail.called_or_computed(*sides):
            # Unless it is given something else, or is told to be lowered otherwise.
            operator = base(lowered.subject)
            if not graphs.may_give_otherwise(operator) and not any(
                operator in subjects(each.what) for each in own
            ):
                yield independent(stage_made_by("lowering"), lowered)
