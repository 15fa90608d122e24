"""Which of the pairs that were not fused are worth a line each: all of a few, and the nearest misses of many."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import chain, zip_longest

from pytest_compile_golden.facts.schedules import Counted, NotFused, Operation
from pytest_compile_golden.facts.schedules import buffer as buffer_of

MOST = 100
"""Pairs that a graph lists. Concatenations of concatenations, as in DenseNet, have tens of thousands."""

_OF_THIS_PAIR = re.compile(r"(?<!\w)op\d+(?:_op\d+)*(?!\w)|-?(?<!\w)\d+(?:\.\d+)?(?!\w)")


def kind_of(reason: str) -> str:
    """A reason without the operations and numbers of the pair that it was given for."""
    return _OF_THIS_PAIR.sub("…", reason)


def listed(
    pairs: Iterable[NotFused], operations: Iterable[Operation]
) -> tuple[tuple[NotFused, ...], tuple[Counted, ...]]:
    """The pairs to list, in their order, and how many more there are for each kind of reason.

    Every kind of reason gets its share. Within a kind, a pair of which one side reads what the other writes comes
    first, then one whose sides read the same buffer; among these, one pair of each first operation before a second.
    """
    every = tuple(dict.fromkeys(pairs))
    if len(every) <= MOST:
        return every, ()
    by_name = {operation.name: operation for operation in operations}
    by_kind: dict[str, list[NotFused]] = {}
    for pair in every:
        by_kind.setdefault(kind_of(pair.reason), []).append(pair)
    nearest = (_nearest_first(alike, by_name) for alike in by_kind.values())
    in_turns = [pair for pair in chain.from_iterable(zip_longest(*nearest)) if pair is not None]
    chosen, others = set(in_turns[:MOST]), in_turns[MOST:]
    more = Counter(kind_of(pair.reason) for pair in others)
    return tuple(pair for pair in every if pair in chosen), tuple(Counted(*item) for item in sorted(more.items()))


def parts(side: str) -> list[str]:
    """The operations that one side of a pair is made of, whose names torch joins with underscores."""
    return [name for name in side.split("_") if name]


def _nearest_first(pairs: Iterable[NotFused], by_name: dict[str, Operation]) -> list[NotFused]:
    seen: Counter[tuple[int, str]] = Counter()
    ranks: dict[NotFused, tuple[int, int]] = {}
    for pair in pairs:
        distance = _distance(pair, by_name)
        ranks[pair] = distance, seen[distance, pair.first]
        seen[distance, pair.first] += 1
    return sorted(ranks, key=lambda pair: ranks[pair])


def _distance(pair: NotFused, by_name: dict[str, Operation]) -> int:
    sides = [[by_name[name] for name in parts(side) if name in by_name] for side in (pair.first, pair.second)]
    reads = [{buffer for op in side for buffer in map(buffer_of, op.reads)} for side in sides]
    makes = [{buffer for op in side for buffer in map(buffer_of, (*op.outputs, *op.writes))} for side in sides]
    if makes[0] & reads[1] or makes[1] & reads[0]:
        return 0
    return 1 if reads[0] & reads[1] else 2
