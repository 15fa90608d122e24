"""Rows of a case's kernels: each before and after, its costs in words, and why it was split or merged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from pytest_compile_golden.facts.schedules import Computed
from pytest_compile_golden.formats.canonical_text import short
from pytest_compile_golden.goldens.compare_artifact import Compared
from pytest_compile_golden.goldens.kernel_pairs import (
    KernelPair,
    SideKernel,
    kernel_pairs,
)
from pytest_compile_golden.report.metric_columns import difference, shown
from pytest_compile_golden.report.model import KernelRow, ReportedKernel

COSTS = {"bytes": "bytes_accessed", "flops": "flops", "least_ns": "least_time"}
"""The metric whose unit is used for each cost of a kernel."""


def kernel_rows(compared: Sequence[Compared]) -> Iterator[KernelRow]:
    """Every kernel and library call in a case's artifacts; nothing if a text is unreadable."""
    for graph, pairs in kernel_pairs(compared).items():
        for pair in pairs:
            old, new = pair
            changed = (
                old is None
                or new is None
                or old.does != new.does
                or old.launches != new.launches
            )
            why = tuple(dict.fromkeys(_why(pair, pairs))) if changed else ()
            before, after = (None if side is None else reported(side) for side in pair)
            yield KernelRow(graph, before, after, changed, why)


def reported(side: SideKernel) -> ReportedKernel:
    """A kernel as reports show it."""
    return ReportedKernel(
        kind=side.kind,
        name=side.name,
        computes=tuple(
            str(Computed(short(name), times)) for name, times in side.operators.items()
        ),
        launches=side.launches,
        bytes=side.bytes,
        flops=side.flops,
        least_ns=side.least_ns,
    )


def cost_columns(
    old: ReportedKernel | None, new: ReportedKernel | None
) -> tuple[list[str], list[str]]:
    """The number of launches, and a line for each known cost: `64.0 KiB -> 32.2 KiB (-31.8 KiB)`."""
    launches = [_change("launches", old, new, "launches")]
    costs = [_change(field, old, new, metric) for field, metric in COSTS.items()]
    return [text for text in launches if text], [text for text in costs if text]


def _change(
    field: str, old: ReportedKernel | None, new: ReportedKernel | None, metric: str
) -> str:
    before, after = (
        None if kernel is None else getattr(kernel, field) for kernel in (old, new)
    )
    if before is None and after is None:
        return ""
    if old is None or new is None or before == after:
        return shown(metric, before if after is None else after)
    by = (
        ""
        if before is None or after is None
        else f" ({difference(metric, after - before)})"
    )
    return f"{shown(metric, before)} -> {shown(metric, after)}{by}"


def _why(pair: KernelPair, pairs: Sequence[KernelPair]) -> Iterator[str]:
    """What it was merged into or split off from, and which kernels it was or is kept apart from, with the scheduler's
    reasons."""
    old, new = pair
    others = [other_pair for other_pair in pairs if other_pair is not pair]
    if new is None and old is not None:
        into = [
            after
            for before, after in others
            if after and _gained(before, after) & old.operators
        ]
        yield from (f"merged into {kernel.title}" for kernel in into[:1])
    if old is None and new is not None:
        out_of = [
            before
            for before, after in others
            if before and _gained(after, before) & new.operators
        ]
        yield from (f"split off {kernel.title}" for kernel in out_of[:1])
    # Only kernels that changed too matter: from all others it was, and still is, apart.
    for side, words in ((0, "was apart from"), (1, "is apart from")):
        this, that = pair[side], pair[1 - side]
        for other in others:
            yield from _apart(this, that, other[side], other[1 - side], words)


def _gained(old: SideKernel | None, new: SideKernel) -> Counter[str]:
    return new.operators - (old.operators if old is not None else Counter())


def _apart(
    this: SideKernel | None,
    that: SideKernel | None,
    other: SideKernel | None,
    its: SideKernel | None,
    words: str,
) -> Iterator[str]:
    """Why one side kept two kernels apart that are one kernel on the other side."""
    if this is None or other is None or (that is None) == (its is None):
        return
    one = that or its
    assert one is not None
    if not (this.operators & one.operators and other.operators & one.operators):
        return
    reasons = [
        reason
        for pair, reason in this.apart
        if pair & this.operations and pair & other.operations
    ]
    yield from (f"{words} {other.title}: {reason}" for reason in dict.fromkeys(reasons))
