"""What can be added, under the names that it declares: by the features of this package, and by installed packages.

An installed package declares entry points, and a feature has a file of the same form, `entry_points.txt`:

    [pytest_compile_golden.commands]
    site = pytest_compile_golden.features.site.site_command:site

Nothing that is declared is imported before it is asked for. Of stages, probes, targets and the like there is a
`Registry`: built in, from installed packages, or registered in a conftest.py.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from configparser import ConfigParser
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from pytest_compile_golden.errors import CompileGoldenError, NotInstalled

COMMANDS: Final = "pytest_compile_golden.commands"
"""Subcommands of `compile-golden`: a click.Command each."""
LOADERS: Final = "pytest_compile_golden.loaders"
"""What finds the programs of one kind of source for `crater`: a `features.crater.loaders.Loader` each."""
PLUGINS: Final = "pytest_compile_golden.plugins"
"""pytest plugins, registered along with our own: fixtures, options, and the hooks of `plugin/hookspecs.py`."""
TOOLS: Final = "pytest_compile_golden.tools"
"""What the core calls if it is there, by what it does: KERNEL_COMPILER, NUMERICS, PROOFS, IDENTITIES, PROGRAMS."""

IDENTITIES: Final = "identities"
"""Writes the programs of a corpus differently; see `features.crater.crater_command.Rewriting`."""
KERNEL_COMPILER: Final = "kernel_compiler"
"""Compiles kernels to machine code; see `captured.KernelCompiler`."""
NUMERICS: Final = "numerics"
"""Runs what was compiled and compares it with eager; see `api.NumericsTool`."""
PROOFS: Final = "proofs"
"""Proves what made the changes in a report; see `cli.explain_changes.with_proofs`."""
PROGRAMS: Final = "programs"
"""Finds the smallest program for each change in a report; see `cli.explain_changes.with_programs`."""

_ROOT = Path(__file__).parents[1]
_FEATURES = Path(__file__).with_name("features")
_LABS = _ROOT / "labs"
"""Experiments, which a checkout of the repository has and an installation does not."""
_OF_FEATURES = {
    COMMANDS: {
        "crater": "crater",
        "case": "reduce",
        "eject": "eject",
        "fidelity": "fidelity",
        "init": "starter",
        "prove": "prove",
        "reduce": "reduce",
        "run": "virtual_gpu",
        "site": "site",
        "triage": "triage",
        "warm": "warm",
    },
    TOOLS: {
        KERNEL_COMPILER: "machine_code",
        NUMERICS: "numerics",
        PROGRAMS: "reduce",
        PROOFS: "prove",
    },
}
"""The feature that has each: all that the core knows of features, so that it can name one that is not there."""
_OF_LABS = {COMMANDS: ("fuzz", "packages", "patterns"), TOOLS: (IDENTITIES,)}
"""What experiments provide, each in a folder of the same name."""
T = TypeVar("T")


def entry_points(group: str) -> list[metadata.EntryPoint]:
    """What features and installed packages declare in a group, features first."""
    of_features = [point for point in _of_features() if point.group == group]
    return [*of_features, *_of_packages(tuple(sys.path)).select(group=group)]


@cache
def _of_packages(path: tuple[str, ...]) -> Any:
    """All that packages on this path declare: reading it takes a while, and it is asked for at each plugin."""
    return metadata.entry_points()


@cache
def _of_features() -> tuple[metadata.EntryPoint, ...]:
    tables = ConfigParser(delimiters="=", interpolation=None)
    folders = (
        [_FEATURES, _LABS] if (_ROOT / "pyproject.toml").is_file() else [_FEATURES]
    )
    tables.read(
        [
            file
            for folder in folders
            for file in sorted(folder.glob("*/entry_points.txt"))
        ],
        encoding="utf-8",
    )
    return tuple(
        metadata.EntryPoint(*item, group)
        for group in tables.sections()
        for item in tables.items(group)
    )


def provided(group: str, name: str) -> Any:
    """What is declared under `name`, imported; None if nothing is.

    Raises NotInstalled, which names the feature or the experiment, if one of ours would have it.
    """
    point = next((point for point in entry_points(group) if point.name == name), None)
    if point is not None:
        return point.load()
    if name in _OF_LABS.get(group, ()):
        raise NotInstalled(
            f"{name} is an experiment, which is not installed: it is in labs/{name} of the repository. Check that out, "
            "install pytest-compile-golden from it with `pip install --editable .`, and run the command again."
        )
    feature = _OF_FEATURES.get(group, {}).get(name)
    if feature is None:
        return None
    raise NotInstalled(
        f"{name.replace('_', ' ')} is not installed: it is in pytest_compile_golden/features/{feature}, which this "
        "installation lacks. Install all of pytest-compile-golden to have it."
    )


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
        points = (
            ()
            if self._entry_points_loaded
            else tuple(point.name for point in entry_points(self._group))
        )
        return tuple(dict.fromkeys((*self._items, *points)))

    def _add(self, item: T) -> T:
        name, after = self._name(item), self._after(item)
        registered = self._items.get(name)
        if registered is not None and not self._same(registered, item):
            raise CompileGoldenError(
                f"a {self._kind} {name!r} is already registered; choose another name."
            )
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
            item = (
                loaded
                if self._fits(loaded)
                else loaded()
                if callable(loaded)
                else loaded
            )
            if not self._fits(item):
                raise CompileGoldenError(
                    f"the entry point {point.name} = {point.value} in {self._group} provides {item!r}, which is not a "
                    f"{self._kind}."
                )
            self._add(item)
