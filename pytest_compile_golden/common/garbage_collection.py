"""Work whose objects nearly all stay, which garbage collection would scan over and over."""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager

_YOUNG = 20_000
"""New objects between two searches for garbage among them; Python's own number is 700."""


def set_aside() -> None:
    """Look for garbage seldom from now on, and not among what exists already, such as torch and its compiler."""
    gc.collect()
    gc.freeze()
    # When the interpreter exits it destroys everything, and C++ bindings complain about what it leaves.
    atexit.register(gc.unfreeze)
    young, *older = gc.get_threshold()
    gc.set_threshold(max(young, _YOUNG), *older)


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
