"""The contents of a text, counted by kind, to describe how a step without a golden of its own differs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_compile_golden.changes.common_types import (
    NewOrGone,
    NumberChanged,
    Replaced,
)
from pytest_compile_golden.changes.trail import ContentsChanged
from pytest_compile_golden.common.digest import short
from pytest_compile_golden.facts.trail import Item
from pytest_compile_golden.formats.canonical_text import short as plain_name

INPUT, OUTPUT, SAVED = "input", "output", "saved_value"
ALLOCATION, REUSE, FREE, LAUNCH, CHECK = (
    "allocation",
    "reuse",
    "free",
    "launch",
    "check",
)
THINGS = frozenset({INPUT, OUTPUT, SAVED, ALLOCATION, REUSE, FREE, LAUNCH})
CAST = "ops.to_dtype"
_COPIED = "copy_if_misaligned"

Inventory = tuple[Item, ...]


@dataclass(frozen=True)
class Occurrence:
    """One occurrence of a thing."""

    name: str
    detail: str = ""
    """Its arguments without names, and its result type."""


def inventory(occurrences: Iterable[Occurrence]) -> Inventory:
    """Occurrences by name, in order of first appearance."""
    by_name: dict[str, list[str]] = {}
    for occurrence in occurrences:
        name = re.sub(r"[\s,]+", "_", occurrence.name.removesuffix(".default")).lstrip(
            "-."
        )
        by_name.setdefault(name, []).append(occurrence.detail)
    return tuple(
        Item(name, len(details), _digest(details)) for name, details in by_name.items()
    )


def _digest(texts: Iterable[str]) -> str:
    parts = sorted(filter(None, texts))
    return short(parts) if parts else ""


def difference(
    step: str, old: Inventory, new: Inventory
) -> ContentsChanged | NumberChanged | None:
    """How the second differs from the first; None if the inventories do not show it."""
    things = [[item for item in items if not item.is_check] for items in (old, new)]
    checks = [[item for item in items if item.is_check] for items in (old, new)]
    changed = (
        _counted(step, *things) or _detailed(step, *things) or _counted(step, *checks)
    )
    if (
        changed is not None
        and not (changed.gone or changed.come)
        and len(changed.counted) == 1
    ):
        ((name, before, after),) = changed.counted
        if name == _COPIED:
            return NumberChanged("inputs-checked", before, after)
    return changed


def copies(old: Inventory, new: Inventory) -> NumberChanged | None:
    """How many more or fewer inputs wrapper code copies, regardless of other changes; None if just as many."""
    before, after = (
        next((item.times for item in items if item.name == _COPIED), 0)
        for items in (old, new)
    )
    return NumberChanged("inputs-checked", before, after) if before != after else None


def checks(old: Inventory, new: Inventory) -> Iterator[NewOrGone | Replaced]:
    """The kinds of checks that only one side has, whatever kernels do.

    A check whose name begins with another's does the same for several things at once; one that there are at least as
    many fewer of another as there are of it checks these instead.
    """
    counted = [
        {item.name: item.times for item in items if item.is_check}
        for items in (old, new)
    ]
    before, after = (
        [item.name for item in items if item.is_check] for items in (old, new)
    )
    at_once: dict[tuple[str, str], None] = {}
    for one, other, is_new in ((before, after, False), (after, before, True)):
        for name in one:
            if name in other:
                continue
            alike = [
                each for each in other if name.startswith(each) or each.startswith(name)
            ]
            if not alike:
                had, has = counted if is_new else counted[::-1]
                instead = [
                    each
                    for each, times in had.items()
                    if times - has.get(each, 0) >= has[name]
                ]
                if len(instead) == 1:
                    pair = (instead[0], name) if is_new else (name, instead[0])
                    yield Replaced("checks-exchanged", *pair)
                else:
                    yield NewOrGone("wrapper-checks", (name,), is_new)
            for each in alike:
                at_once[(each, name) if is_new else (name, each)] = None
    for pair in at_once:
        yield Replaced("checks-joined", *pair)


def same_calls(old: Inventory, new: Inventory) -> bool:
    """Whether wrapper code allocates and calls the same, whatever it checks and kernels do."""
    freely = {REUSE, FREE, LAUNCH, _COPIED}
    before, after = (
        {
            item.name: item.times
            for item in items
            if not (item.is_check or item.name in freely)
        }
        for items in (old, new)
    )
    return before == after


def _counted(
    step: str, old: Sequence[Item], new: Sequence[Item]
) -> ContentsChanged | None:
    old, new = _as_named(old, new)
    before = {item.name: item.times for item in old}
    after = {item.name: item.times for item in new}

    def only_among(items: Sequence[Item], others: Mapping[str, int]) -> list[Item]:
        named = (
            item for item in items if item.name not in THINGS and item.name != _COPIED
        )
        return [item for item in named if item.name not in others]

    def more_among(items: Sequence[Item], others: Mapping[str, int]) -> list[Item]:
        in_both = [
            (item, others[item.name])
            for item in items
            if item.name in others and item.name not in THINGS
        ]
        return [
            Item(item.name, item.times - times)
            for item, times in in_both
            if item.times > times
        ]

    # What replaced the removed items says more than how many there are of the rest.
    gone, come = only_among(old, after), only_among(new, before)
    # Nothing new replaced them if there is as much more of one that was there before.
    more, fewer = more_among(new, before), more_among(old, after)
    if gone and not come and _times(gone) == _times(more) and not fewer:
        come = more
    elif come and not gone and _times(come) == _times(fewer) and not more:
        gone = fewer
    swapped = {item.name for item in (*gone, *come)} if gone and come else set()
    counted = tuple(
        (name, before.get(name, 0), after.get(name, 0))
        for name in dict.fromkeys([*before, *after])
        if name not in swapped and before.get(name, 0) != after.get(name, 0)
    )
    if not (swapped or counted):
        return None
    if not swapped:
        return ContentsChanged(step, counted=counted)
    was, now = (
        tuple((item.name, item.times) for item in side) for side in (gone, come)
    )
    return ContentsChanged(step, was, now, counted)


def _as_named(
    old: Sequence[Item], new: Sequence[Item]
) -> tuple[list[Item], list[Item]]:
    """Both sides with each thing as it is named, and counted as that: an operator with all its overloads or, where it
    is called as often as before, each overload by its own name."""
    totals = [Counter[str](), Counter[str]()]
    for total, side in zip(totals, (old, new), strict=True):
        for item in side:
            total[plain_name(item.name)] += item.times
    counted = [Counter[str](), Counter[str]()]
    for counts, side in zip(counted, (old, new), strict=True):
        for item in side:
            name = plain_name(item.name)
            whole = totals[0][name] == totals[1][name]
            counts[item.name if whole else name] += item.times
    first, second = (
        [Item(name, times) for name, times in counts.items()] for counts in counted
    )
    return first, second


def _times(items: Iterable[Item]) -> int:
    return sum(
        item.times for item in items if item.name not in THINGS and item.name != _COPIED
    )


def _detailed(
    step: str, old: Sequence[Item], new: Sequence[Item]
) -> ContentsChanged | None:
    """With equal counts, the items whose arguments or results differ; all but the first may follow from it."""
    before = {item.name: item for item in old}
    differ = [
        plain_name(item.name)
        for item in new
        if before.get(item.name, item).detail != item.detail
    ]
    return ContentsChanged(step, arguments=tuple(differ)) if differ else None
