"""The contents of a text, counted by kind. A trail keeps this next to the digest to describe differences in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_compile_golden.changes.decisions import ContentsChanged, InputsChecked
from pytest_compile_golden.formats.digest import short
from pytest_compile_golden.formats.operators import short as plain_name

INPUT, OUTPUT, SAVED = "input", "output", "saved_value"
ALLOCATION, REUSE, FREE, LAUNCH, CHECK = "allocation", "reuse", "free", "launch", "check"
THINGS = frozenset({INPUT, OUTPUT, SAVED, ALLOCATION, REUSE, FREE, LAUNCH})
CAST = "ops.to_dtype"
_COPIED = "copy_if_misaligned"
_ITEM = re.compile(r"(\S+?)(?: x(\d+))?(?: ([0-9a-v]{2}))?$")
_BASE = re.compile(r"as (\w+)(?:: (.*))?$")


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


def difference(step: str, old: Inventory, new: Inventory) -> ContentsChanged | InputsChecked | None:
    """How the second differs from the first; None if the inventories do not show it."""
    counted, checks = (
        [[item for item in items if item.is_check is checks] for items in (old, new)] for checks in (False, True)
    )
    changed = _counted(step, *counted) or _detailed(step, *counted) or _counted(step, *checks)
    if changed is not None and not (changed.gone or changed.come) and len(changed.counted) == 1:
        ((name, before, after),) = changed.counted
        if name == _COPIED:
            return InputsChecked(before, after)
    return changed


def copies(old: Inventory, new: Inventory) -> InputsChecked | None:
    """How many more or fewer inputs wrapper code copies, regardless of other changes; None if just as many."""
    before, after = (next((item.times for item in items if item.name == _COPIED), 0) for items in (old, new))
    return InputsChecked(before, after) if before != after else None


def _counted(step: str, old: Sequence[Item], new: Sequence[Item]) -> ContentsChanged | None:
    before, after = ({item.name: item.times for item in items} for items in (old, new))
    # What replaced the removed items says more than how many there are of the rest.
    gone, come = (
        [item for item in one if item.name not in other and item.name not in THINGS and item.name != _COPIED]
        for one, other in ((old, after), (new, before))
    )
    swapped = {item.name for item in (*gone, *come)} if gone and come else set()
    counted = tuple(
        (plain_name(name), before.get(name, 0), after.get(name, 0))
        for name in dict.fromkeys([*before, *after])
        if name not in swapped and before.get(name, 0) != after.get(name, 0)
    )
    if not (swapped or counted):
        return None
    before_now = [tuple((plain_name(item.name), item.times) for item in side if swapped) for side in (gone, come)]
    return ContentsChanged(step, before_now[0], before_now[1], counted)


def _detailed(step: str, old: Sequence[Item], new: Sequence[Item]) -> ContentsChanged | None:
    """With equal counts, the items whose arguments or results differ; all but the first may follow from it."""
    before = {item.name: item for item in old}
    differ = [plain_name(item.name) for item in new if before.get(item.name, item).detail != item.detail]
    return ContentsChanged(step, arguments=tuple(differ)) if differ else None
