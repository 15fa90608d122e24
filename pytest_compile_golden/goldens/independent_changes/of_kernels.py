"""How kernels are written otherwise for its own sake: what code generation decides alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_compile_golden.changes import change as changes
from pytest_compile_golden.changes.common_types import AttributeChanged
from pytest_compile_golden.changes.kernels import (
    ValueChanged,
    last_name,
)
from pytest_compile_golden.common.constants import KERNEL_STAGES
from pytest_compile_golden.goldens import kernel_changes
from pytest_compile_golden.goldens.compare_artifact import (
    Compared,
    change_edits,
)
from pytest_compile_golden.goldens.consequences import subjects
from pytest_compile_golden.goldens.distinct_change import (
    DistinctChange,
    independent,
)
from pytest_compile_golden.goldens.independent_changes.of_graphs import Graphs
from pytest_compile_golden.stages import rank

_COMBINED = "combo_grid_meta"
"""What Triton kernels have that combine several."""
_WRITTEN_BY_KERNELS = ("random", "safety")
"""Topics of changes that code generation decides alone: how a random number is written, and what is checked."""


def of_kernels(
    compared: Sequence[Compared],
    own: Sequence[DistinctChange],
    graphs: Graphs,
    made: kernel_changes.MadeByLowering,
) -> Iterator[DistinctChange]:
    """Changes of how kernels are written. made: see `of_schedules.made_by_lowering`."""
    for change in compared:
        if change.stage in KERNEL_STAGES and change.kind == "structural":
            for edit in (
                *_combined(change),
                *_written(change),
                *_of_same_work(change, compared, own, graphs, made),
            ):
                yield independent(change.stage, edit)


def _combined(change: Compared) -> Iterator[AttributeChanged]:
    """What code generation says of each kernel that combines several, whatever it computes."""
    if all(_COMBINED in text for text in (change.old, change.new)):
        for edit in change_edits(change):
            if (
                isinstance(edit, AttributeChanged)
                and edit.subject == "combo"
                and None in (edit.before, edit.after)
                and not edit.name.startswith("signature")
                and _is_of_one_side(edit, change)
            ):
                yield edit


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


def _written(change: Compared) -> Iterator[changes.Change]:
    """What is the same in other words, and what is decided where a kernel is written."""
    if (started := kernel_changes.threads_started(change)) is not None:
        yield started
    yield from kernel_changes.known_spellings(change)
    yield from kernel_changes.renamed_helpers(change)
    edits = change_edits(change)
    drawn = [
        edit
        for edit in edits
        if edit.code == "random-numbers"
        and isinstance(edit, ValueChanged)
        and edit.is_same_distribution
    ]
    # How a number is drawn is decided where it is written, whichever graph draws it.
    yield from drawn or kernel_changes.drawn_otherwise(change)
    # Which tensors are computed alike is found where a kernel is written.
    yield from (edit for edit in edits if edit.code == "body-shared")


def _of_same_work(
    change: Compared,
    compared: Sequence[Compared],
    own: Sequence[DistinctChange],
    graphs: Graphs,
    made: kernel_changes.MadeByLowering,
) -> Iterator[changes.Change]:
    """How kernels differ that compute, or access, the same on both sides."""
    told = set[str]()
    pairs = kernel_changes.named_pairs(change, compared)
    for graph, edit in kernel_changes.of_same_groups(
        change, pairs, compared, graphs.differ, graphs.are_same
    ):
        anywhere, about = made(graph)
        if (
            about.isdisjoint(subjects(edit))
            and (not anywhere or edit.topic in _WRITTEN_BY_KERNELS)
            and kernel_changes.holds_of_text(edit, change)
        ):
            told |= set(map(last_name, edit.names))
            yield edit
    if all(rank(one.stage) < rank("codegen") for one in own):
        for edit in kernel_changes.of_same_accesses(change, pairs, told, made):
            if kernel_changes.holds_of_text(edit, change):
                yield edit
