"""Work whose objects nearly all stay, which garbage collection would scan over and over."""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager

_YOUNG = 50_000
"""New objects between two searches for garbage among them; Python's own number is 700."""


def set_aside(collect: bool = True) -> None:
    """Look for garbage seldom from now on, and not among what exists already, such as torch and its compiler.

    collect: look for it among them a last time; else what is garbage now stays until the process ends.
    """
    if collect:
        gc.collect()
    gc.freeze()
    atexit.register(_return_to_nanobind)
    young, *older = gc.get_threshold()
    gc.set_threshold(max(young, _YOUNG), *older)


def _return_to_nanobind() -> None:
    """Let the interpreter destroy everything when it exits, if a module complains about what it leaves.

    Modules made with nanobind do, such as Triton's since 3.9. Without one, nothing is destroyed one by one, which takes
    more than a second for torch and its compiler.
    """
    if any(kind.__module__ == "nanobind" for kind in type.__subclasses__(type)):
        gc.unfreeze()


def collect_all() -> None:
    """Free what is garbage, also what became so while the collector was off. It looks no more among what is left."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


@contextmanager
def gc_paused() -> Iterator[None]:
    """Turn garbage collection off: it takes a sixth of a comparison's time, and nineteen twentieths of parsing's."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.freeze()  # or the next collection would scan all of it
            gc.enable()
