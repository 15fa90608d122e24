"""A seam: things of one kind by name, our own, those of installed packages and those that a conftest.py registers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import metadata
from typing import Any, Generic, TypeVar

from pytest_compile_golden.errors import CompileGoldenError

T = TypeVar("T")


class Registry(Generic[T]):
    """Things of one kind, each under its name, in order.

    Our own come first, then those of entry points, which are loaded when somebody first asks, then whatever is added;
    but each right after the one that it says it comes after.
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
        """`kind` is what one of them is called, `group` that of the entry points; `fits` tells one from anything else.

        `same` says whether one that is added again under its name is the one that is there: then it replaces it.
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
        """Make `item` known and return it.

        Raises CompileGoldenError where another one has its name, or where what it comes after does not exist.
        """
        self._load_built_in()
        return self._add(item)

    def remove(self, name: str) -> None:
        """Forget the one called `name`; nothing happens where there is none."""
        self._items.pop(name, None)

    def discard(self, item: T) -> None:
        """Forget `item`; nothing happens where it is not known."""
        self.remove(self._name(item))

    def get(self, name: str) -> T | None:
        """The one called `name`. Entry points are loaded only where it is not known already."""
        self._load_built_in()
        if name not in self._items:
            self._load_entry_points()
        return self._items.get(name)

    def all(self) -> dict[str, T]:
        """All of them by name, in order."""
        self._load_entry_points()
        return dict(self._items)

    def declared(self) -> tuple[str, ...]:
        """The names that are known without loading anything but our own: an entry point is called what it gives."""
        self._load_built_in()
        points = () if self._entry_points_loaded else tuple(point.name for point in self._entry_points())
        return tuple(dict.fromkeys((*self._items, *points)))

    def _add(self, item: T) -> T:
        name, after = self._name(item), self._after(item)
        registered = self._items.get(name)
        if registered is not None and not self._same(registered, item):
            raise CompileGoldenError(f"a {self._kind} {name!r} is registered already; choose another name.")
        if after is None or registered is not None:
            self._items[name] = item
            return item
        if after not in self._items:
            raise CompileGoldenError(
                f"the {self._kind} {name!r} comes after {after!r}, which does not exist; there are: "
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
        for point in self._entry_points():
            loaded: Any = point.load()
            item = loaded if self._fits(loaded) else loaded() if callable(loaded) else loaded
            if not self._fits(item):
                raise CompileGoldenError(
                    f"the entry point {point.name} = {point.value} in {self._group} gave {item!r}, which is not a "
                    f"{self._kind}."
                )
            self._add(item)

    def _entry_points(self) -> list[metadata.EntryPoint]:
        return list(metadata.entry_points(group=self._group))
