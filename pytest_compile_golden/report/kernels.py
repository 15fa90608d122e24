"""The kernels of a case before and after, paired: what each computes and costs, and why it was split or merged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence

from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.goldens.compare import Compared
from pytest_compile_golden.report.kernel_sides import SideKernel, side_kernels
from pytest_compile_golden.report.model import KernelRow

_Pair = tuple[SideKernel | None, SideKernel | None]
# From most to least specific: kernels are paired by the first key on which they agree.
_ALIKE: tuple[Callable[[SideKernel], Hashable], ...] = (
    lambda kernel: (kernel.kernel.name, kernel.does),
    lambda kernel: kernel.does,
    lambda kernel: kernel.kernel.name or None,
    lambda kernel: (kernel.kernel.kind, frozenset(kernel.operators.items())) if kernel.operators else None,
    lambda kernel: frozenset(kernel.operators) or None,
)


def kernel_rows(compared: Sequence[Compared]) -> Iterator[KernelRow]:
    """Every kernel and library call in a case's artifacts; nothing if a text is unreadable."""
    # Groups that only one side has would make all its kernels differ from the other side's.
    artifacts = [
        artifact for artifact in compared if artifact.stage != "scheduler_nodes" or (artifact.old and artifact.new)
    ]
    try:
        old = side_kernels(
            {artifact.file: (artifact.stage, artifact.old, artifact.old_evidence) for artifact in artifacts}
        )
        new = side_kernels(
            {artifact.file: (artifact.stage, artifact.new, artifact.new_evidence) for artifact in artifacts}
        )
    except Unreadable:
        return
    for graph in {**new, **old}:
        pairs = _paired(old.get(graph, ()), new.get(graph, ()))
        for pair in pairs:
            yield _row(graph, pair, pairs)


def _paired(old: Sequence[SideKernel], new: Sequence[SideKernel]) -> list[_Pair]:
    """Pairs in the order of the new side; a kernel that no longer exists comes after the one it used to follow."""
    partner: dict[int, int] = {}
    for alike in _ALIKE:
        free: dict[Hashable, list[int]] = {}
        for at, kernel in enumerate(old):
            if at not in partner.values() and (key := alike(kernel)) is not None:
                free.setdefault(key, []).append(at)
        for at, kernel in enumerate(new):
            if at not in partner and (same := free.get(alike(kernel))):
                partner[at] = same.pop(0)
    # Pair the rest by how many operators they have in common, most first.
    common = [
        ((old[was].operators & new[at].operators).total(), at, was)
        for at in range(len(new))
        if at not in partner
        for was in range(len(old))
        if was not in partner.values()
    ]
    for _, at, was in sorted((entry for entry in common if entry[0]), key=lambda entry: -entry[0]):
        if at not in partner and was not in partner.values():
            partner[at] = was
    pairs: list[_Pair] = [(old[partner[at]] if at in partner else None, kernel) for at, kernel in enumerate(new)]
    for was, before in enumerate(old):
        if was not in partner.values():
            behind = next((at for at, (one, _) in enumerate(pairs) if was and one is old[was - 1]), -1)
            pairs.insert(behind + 1, (before, None))
    return pairs


def _row(graph: str, pair: _Pair, pairs: Sequence[_Pair]) -> KernelRow:
    old, new = pair
    changed = old is None or new is None or old.does != new.does or old.kernel.launches != new.kernel.launches
    why = tuple(dict.fromkeys(_why(pair, pairs))) if changed else ()
    before, after = (None if side is None else side.kernel for side in pair)
    return KernelRow(graph, before, after, changed, why)


def _why(pair: _Pair, pairs: Sequence[_Pair]) -> Iterator[str]:
    """What it was merged into or split off from, and which kernels it was or is kept apart from, with the scheduler's
    reasons."""
    old, new = pair
    others = [other_pair for other_pair in pairs if other_pair is not pair]
    if new is None and old is not None:
        into = [after for before, after in others if after and _gained(before, after) & old.operators]
        yield from (f"merged into {kernel.title}" for kernel in into[:1])
    if old is None and new is not None:
        out_of = [before for before, after in others if before and _gained(after, before) & new.operators]
        yield from (f"split off {kernel.title}" for kernel in out_of[:1])
    # Only kernels that changed too matter: from all others it was, and still is, apart.
    for side, words in ((0, "was apart from"), (1, "is apart from")):
        this, that = pair[side], pair[1 - side]
        for other in others:
            yield from _apart(this, that, other[side], other[1 - side], words)


def _gained(old: SideKernel | None, new: SideKernel) -> Counter[str]:
    return new.operators - (old.operators if old is not None else Counter())


def _apart(
    this: SideKernel | None, that: SideKernel | None, other: SideKernel | None, its: SideKernel | None, words: str
) -> Iterator[str]:
    """Why one side kept two kernels apart that are one kernel on the other side."""
    if this is None or other is None or (that is None) == (its is None):
        return
    one = that or its
    assert one is not None
    if not (this.operators & one.operators and other.operators & one.operators):
        return
    reasons = [reason for pair, reason in this.apart if pair & this.operations and pair & other.operations]
    yield from (f"{words} {other.title}: {reason}" for reason in dict.fromkeys(reasons))
