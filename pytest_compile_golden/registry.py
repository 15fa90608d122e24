"""An extension point: items of one kind by name, built in, from installed packages or registered in a conftest.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.seams import entry_points

T = TypeVar("T")


class Registry(Generic[T]):
    """Items of one kind by name, in order.

    Built-in items come first, then those of entry points, which are loaded on first use, then those that are added; an
    item that says which one it comes after is placed right behind that one.
    """

    def __init__(
        self,
        kind: str,
        *,
        group: str,
        fits: Callable[[object], bool],
        name: Callable[[T], str],
        built_in: Callable[[], Iterable[T]] = tuple,
        after: Callable[[T], str | None] = lambda item: None,
        same: Callable[[T, T], bool] = lambda one, other: False,
    ) -> None:
        """`kind` is the word for an item, `group` the entry point group; `fits` recognises an item.

        `same` says whether an item added under an existing name is the same item: if so, it replaces the existing one.
        """
        self._kind = kind
        self._group = group
        self._fits = fits
        self._name = name
        self._built_in = built_in
        self._after = after
        self._same = same
        self._items: dict[str, T] = {}
        self._built_in_loaded = False
        self._entry_points_loaded = False

    def add(self, item: T) -> T:
        """Register `item` and return it.

        Raises CompileGoldenError if another item has its name, or if the item that it comes after does not exist.
        """
        self._load_built_in()
        return self._add(item)

    def remove(self, name: str) -> None:
        """Remove the item called `name`, if there is one."""
        self._items.pop(name, None)

    def discard(self, item: T) -> None:
        """Remove `item`, if it is registered."""
        self.remove(self._name(item))

    def get(self, name: str) -> T | None:
        """The item called `name`. Entry points are loaded only if it is not already known."""
        self._load_built_in()
        if name not in self._items:
            self._load_entry_points()
        return self._items.get(name)

    def all(self) -> dict[str, T]:
        """All items by name, in order."""
        self._load_entry_points()
        return dict(self._items)

    def declared(self) -> tuple[str, ...]:
        """The names that are known without loading entry points, each of which has the name of its item."""
        self._load_built_in()
        points = () if self._entry_points_loaded else tuple(point.name for point in entry_points(self._group))
        return tuple(dict.fromkeys((*self._items, *points)))

    def _add(self, item: T) -> T:
        name, after = self._name(item), self._after(item)
        registered = self._items.get(name)
        if registered is not None and not self._same(registered, item):
            raise CompileGoldenError(f"a {self._kind} {name!r} is already registered; choose another name.")
        if after is None or registered is not None:
            self._items[name] = item
            return item
        if after not in self._items:
            raise CompileGoldenError(
                f"the {self._kind} {name!r} comes after {after!r}, which does not exist; available: "
                f"{', '.join(self._items)}."
            )
        items = list(self._items.items())
        items.insert(list(self._items).index(after) + 1, (name, item))
        self._items = dict(items)
        return item

    def _load_built_in(self) -> None:
        if not self._built_in_loaded:
            self._built_in_loaded = True
            for item in self._built_in():
                self._add(item)

    def _load_entry_points(self) -> None:
        self._load_built_in()
        if self._entry_points_loaded:
            return
        self._entry_points_loaded = True
        for point in entry_points(self._group):
            loaded: Any = point.load()
            item = loaded if self._fits(loaded) else loaded() if callable(loaded) else loaded
            if not self._fits(item):
                raise CompileGoldenError(
                    f"the entry point {point.name} = {point.value} in {self._group} provides {item!r}, which is not a "
                    f"{self._kind}."
                )
            self._add(item)
