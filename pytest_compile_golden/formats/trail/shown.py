"""Two trails made readable: the steps that differ, each with its inventory line by line, and few digests."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_compile_golden.facts.steps import Decomposed, Fact, Item, Left, Lowered, Made, Offered, Stopped
from pytest_compile_golden.formats.text import with_times
from pytest_compile_golden.formats.trail.compare import Steps, decided_nothing


def in_words(old: Steps, new: Steps) -> tuple[list[str], list[str]]:
    """The lines of the steps that differ, for each side.

    Decisions with the same outcome are left out, as are checks if anything else distinguishes two texts; if nothing
    does, their digests are shown.
    """
    shown: tuple[list[str], list[str]] = [], []
    for name in dict.fromkeys([*old.facts, *new.facts]):
        if old.made(name).digest == new.made(name).digest != "" or decided_nothing(name, old, new):
            continue
        views = (
            ([*_held(name, old, new)], [*_held(name, new, old)]),
            ([*_held(name, old, new, checks=True)], [*_held(name, new, old, checks=True)]),
            ([*_lines(name, old)], [*_lines(name, new)]),
        )
        gone, come = next((view for view in views if view[0] != view[1]), views[-1])
        shown[0].extend(gone)
        shown[1].extend(come)
    return shown


def _held(name: str, here: Steps, there: Steps, *, checks: bool = False) -> Iterator[str]:
    """A stage's inventory, line by line; with a digest of arguments only if the other side has equally many."""
    others = {item.name: item for item in there.items(name)}
    if not here.items(name):
        yield from _lines(name, here)
    for item in here.items(name):
        if checks or not item.is_check:
            # Each line names its step, since a diff leaves out lines further up.
            yield f"{name:<16} {with_times(item.name, item.times)}{_detail(item, others.get(item.name))}"


def _detail(item: Item, other: Item | None) -> str:
    alike = other is not None and other.times == item.times and other.detail != item.detail
    return f"  arguments {item.detail}" if alike and item.detail else ""


def _lines(name: str, steps: Steps) -> Iterator[str]:
    """What was made or decided in a step, without its inventory."""
    facts = steps.facts.get(name, ())
    if facts and not isinstance(facts[0], Made):
        yield f"{name}:"
    yield from map(_line, facts)


def _line(fact: Fact) -> str:
    match fact:
        case Made():
            return f"{fact.stage:<16} {fact.size}  {fact.digest}" + _comment(fact.order and f"order {fact.order}")
        case Decomposed() | Lowered():
            times = f" [{fact.times}]" if fact.times > 1 else ""
            return f"  {fact.operator} -> {fact.became}{times}{_comment(fact.where)}"
        case Offered():
            return f"  {fact.kernel} -> {fact.configs}{_comment(fact.heuristic)}"
        case Stopped():
            return f"  {fact.reason}{_comment(fact.line)}"
        case Left():
            return f"  {fact.graph}: {fact.phase} / {fact.name}  {fact.digest}{_comment(fact.where)}"
    return ""


def _comment(text: str | None) -> str:
    return f"  # {text}" if text else ""
