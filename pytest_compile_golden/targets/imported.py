"""torch's modules by package, without scanning all the thousands of modules of a process each time."""

from __future__ import annotations

import sys
from functools import cache
from types import ModuleType


class _Package:
    """The modules imported so far whose names begin with one of some prefixes."""

    def __init__(self, prefixes: tuple[str, ...]) -> None:
        self.prefixes = prefixes
        self.looked_at: set[str] = set()
        self.names: list[str] = []

    def look(self) -> None:
        new = [name for name in sys.modules if name not in self.looked_at]
        self.looked_at.update(new)
        self.names += [name for name in new if name.startswith(self.prefixes)]


_package = cache(_Package)


def imported(*prefixes: str) -> dict[str, ModuleType]:
    """The modules whose names begin with one of `prefixes`, by name, in the order of their import."""
    package = _package(prefixes)
    package.look()
    return {name: sys.modules[name] for name in package.names if name in sys.modules}
