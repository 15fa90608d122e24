"""Two trails made readable: the steps that differ, each with its inventory line by line, and few digests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_compile_golden.formats.inventory import Item
from pytest_compile_golden.formats.text import with_times
from pytest_compile_golden.formats.trail.printed import AUTHORS, FEEDS, REFUSALS, TrailStep, lines

_NEVER = (AUTHORS, REFUSALS)
"""Digests of who wrote what, which comparisons ignore."""


def in_words(old: Sequence[TrailStep], new: Sequence[TrailStep]) -> tuple[list[str], list[str]]:
    """The lines of the steps that differ, for each side.

    Decisions with the same outcome are left out, as are checks if anything else distinguishes two texts; if nothing
    does, their digests are shown.
    """
    before, after = ({step.name: step for step in steps} for steps in (old, new))
    shown: tuple[list[str], list[str]] = [], []
    for name in dict.fromkeys([*before, *after]):
        one, other = before.get(name, TrailStep(name)), after.get(name, TrailStep(name))
        if name in _NEVER or one.digest == other.digest != "" or _decided_nothing(name, before, after):
            continue
        views = (
            ([*_held(one, other)], [*_held(other, one)]),
            ([*_held(one, other, checks=True)], [*_held(other, one, checks=True)]),
            ([*lines(one)], [*lines(other)]),
        )
        gone, come = next((view for view in views if view[0] != view[1]), views[-1])
        shown[0].extend(gone)
        shown[1].extend(come)
    return shown


def _decided_nothing(name: str, before: Mapping[str, TrailStep], after: Mapping[str, TrailStep]) -> bool:
    fed = FEEDS.get(name, "")
    return fed in before and fed in after and before[fed].digest == after[fed].digest


def _held(step: TrailStep, other: TrailStep, *, checks: bool = False) -> Iterator[str]:
    """The step's inventory, line by line; with a digest of arguments only if the other side has equally many."""
    if not step.contents:
        yield from lines(step) if step != TrailStep(step.name) else ()
        return
    there = {item.name: item for item in other.contents}
    for item in step.contents:
        if checks or not item.is_check:
            # Each line names its step, since a diff leaves out lines further up.
            yield f"{step.name:<16} {with_times(item.name, item.times)}{_detail(item, there.get(item.name))}"


def _detail(item: Item, other: Item | None) -> str:
    alike = other is not None and other.times == item.times and other.detail != item.detail
    return f"  arguments {item.detail}" if alike and item.detail else ""
