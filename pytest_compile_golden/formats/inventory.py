"""The contents of a text, counted by kind. A trail keeps this next to the digest to describe differences in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_compile_golden.formats.digest import short
from pytest_compile_golden.formats.operators import short as plain_name
from pytest_compile_golden.formats.text import with_times

INPUT, OUTPUT, SAVED = "input", "output", "saved_value"
ALLOCATION, REUSE, FREE, LAUNCH, CHECK = "allocation", "reuse", "free", "launch", "check"
_THINGS = frozenset({INPUT, OUTPUT, SAVED, ALLOCATION, REUSE, FREE, LAUNCH})
CAST = "ops.to_dtype"
_COPIED = "copy_if_misaligned"
COPIED_BY = "torch/_inductor/compile_fx.py:get_input_idxs_to_check"
"""The function that chooses which inputs wrapper code copies if they are misaligned."""
_ITEM = re.compile(r"(\S+?)(?: x(\d+))?(?: ([0-9a-v]{2}))?$")
_BASE = re.compile(r"as (\w+)(?:: (.*))?$")
_MOST_SHOWN = 4


@dataclass(frozen=True)
class Item:
    """One kind of thing in a text: an operator, a library call, allocations."""

    name: str
    times: int = 1
    detail: str = ""
    """A digest of the arguments and result types of all of them, ignoring names and order."""

    @property
    def is_check(self) -> bool:
        """Whether it is a check; comparisons ignore those."""
        return self.name.startswith("assert_")


Inventory = tuple[Item, ...]


@dataclass(frozen=True)
class Counted:
    """One occurrence of a thing."""

    name: str
    detail: str = ""
    """Its arguments without names, and its result type."""


def inventory(occurrences: Iterable[Counted]) -> Inventory:
    """Occurrences by name, in order of first appearance."""
    by_name: dict[str, list[str]] = {}
    for occurrence in occurrences:
        name = re.sub(r"[\s,]+", "_", occurrence.name.removesuffix(".default")).lstrip("-.")
        by_name.setdefault(name, []).append(occurrence.detail)
    return tuple(Item(name, len(details), _short(details)) for name, details in by_name.items())


def _short(texts: Iterable[str]) -> str:
    parts = sorted(filter(None, texts))
    return short(parts, 2) if parts else ""


def write(items: Inventory, base: tuple[str, Inventory] | None = None) -> str:
    """The items on one line, as differences from an earlier step (`base`: its name and items) if that is shorter.

    A name starts with a dot if its first part is that of the previous name.
    """
    full = ", ".join(_items(items))
    if base is None:
        return full
    name, base_items = base
    before, after = ({item.name: item for item in several} for several in (base_items, items))
    different = [f"-{key}" for key in before if key not in after]
    different += _items(item for item in items if before.get(item.name) != item)
    text = f"as {name}: {', '.join(different)}" if different else f"as {name}"
    # Only if the order of the items can be restored from the base.
    return text if len(text) < len(full) and read(text, {name: base_items}) == items else full


def _items(items: Iterable[Item]) -> Iterator[str]:
    last = ""
    for item in items:
        first, dot, inner = item.name.partition(".")
        name = f".{inner}" if dot and first == last else item.name
        last = first
        yield f"{name}{f' x{item.times}' if item.times > 1 else ''}{item.detail and f' {item.detail}'}"


def read(text: str, earlier: Mapping[str, Inventory]) -> Inventory:
    """The items of a line, given those of earlier steps by name. Raises ValueError for any other line."""
    items: dict[str, Item] = {}
    listed = text
    if based := _BASE.match(text):
        if based[1] not in earlier:
            raise ValueError(text)
        items, listed = {item.name: item for item in earlier[based[1]]}, based[2] or ""
    first = ""
    for entry in filter(None, listed.split(", ")):
        match = _ITEM.match(entry)
        if match is None:
            raise ValueError(entry)
        if based and entry.startswith("-"):
            items.pop(entry[1:], None)
            continue
        name = first + match[1] if match[1].startswith(".") else match[1]
        first = name.partition(".")[0]
        items[name] = Item(name, int(match[2] or 1), match[3] or "")
    return tuple(items.values())


def describe(old: Inventory, new: Inventory) -> str:
    """How the second differs from the first, in words; empty if the inventories do not show it."""
    counts, others = (
        [[item for item in items if item.is_check is checks] for items in (old, new)] for checks in (False, True)
    )
    return _counted(*counts) or _detailed(*counts) or _counted(*others)


def copies(old: Inventory, new: Inventory) -> str:
    """How many more or fewer inputs wrapper code copies, regardless of other changes; empty if just as many."""
    before, after = (next((item.times for item in items if item.name == _COPIED), 0) for items in (old, new))
    return _change(_COPIED, before, after)


def casts(more: int) -> str:
    """In words, how many `more` casts loop bodies have, or how many fewer if negative."""
    return f"{abs(more)} cast{'s' if abs(more) > 1 else ''} {'more' if more > 0 else 'fewer'} in loop bodies"


def _counted(old: Sequence[Item], new: Sequence[Item]) -> str:
    before, after = ({item.name: item.times for item in items} for items in (old, new))
    # What replaced the removed items says more than how many there are of the rest.
    gone, come = (
        [item for item in one if item.name not in other and item.name not in _THINGS and item.name != _COPIED]
        for one, other in ((old, after), (new, before))
    )
    swapped = {item.name for item in (*gone, *come)} if gone and come else set()
    parts = [" -> ".join(" + ".join(map(_times, side)) for side in (gone, come))] if swapped else []
    for name in dict.fromkeys([*before, *after]):
        if name not in swapped and (change := _change(name, before.get(name, 0), after.get(name, 0))):
            parts.append(change)
    return _listed(parts)


def _times(item: Item) -> str:
    return with_times(plain_name(item.name), item.times)


def _change(name: str, old: int, new: int) -> str:
    if old == new:
        return ""
    if name == _COPIED:
        return f"{'more' if new > old else 'fewer'} inputs are copied where misaligned, {old} -> {new}"
    if name == CAST:
        return casts(new - old)
    if name not in _THINGS:
        return f"{plain_name(name)} {old} -> {new}"
    return f"{abs(new - old)} {_thing(name, abs(new - old))} {'more' if new > old else 'fewer'}"


def _thing(name: str, times: int = 2) -> str:
    plain = name.replace("_", " ")
    return plain if times == 1 else f"{plain}{'es' if plain.endswith('ch') else 's'}"


def _detailed(old: Sequence[Item], new: Sequence[Item]) -> str:
    """With equal counts, the first item whose arguments or results differ; the others may follow from it."""
    before = {item.name: item for item in old}
    differ = [item.name for item in new if before.get(item.name, item).detail != item.detail]
    if not differ:
        return ""
    first = _thing(differ[0]) if differ[0] in _THINGS else plain_name(differ[0])
    if differ[0] == INPUT:
        return "the same operators, inputs of other types"
    if differ[0] == ALLOCATION:
        return "the same calls, allocations of other sizes or types"
    more = f", the first of {len(differ)}" if len(differ) > 1 else ""
    return f"the same calls, other arguments or types at {first}{more}"


def _listed(parts: Sequence[str]) -> str:
    left_out = len(parts) - _MOST_SHOWN
    return ", ".join(parts[:_MOST_SHOWN]) + (f" and {left_out} more" if left_out > 0 else "")
