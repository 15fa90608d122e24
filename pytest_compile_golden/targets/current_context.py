"""What the process is in the middle of, one of each kind: a target, ranks, a program's last call."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, TypeVar

T = TypeVar("T")

# Of the process, not of a thread: torch compiles, and runs backward passes, in threads of its own.
_parts: dict[type, Any] = {}


def now(kind: type[T]) -> T | None:
    """The one of this kind that the process is in; None if it is in none."""
    return _parts.get(kind)


@contextlib.contextmanager
def within(part: object) -> Iterator[None]:
    """Be in `part` until the block ends, instead of in any other of its kind."""
    kind = type(part)
    outer = _parts.get(kind)
    _parts[kind] = part
    try:
        yield
    finally:
        if outer is None:
            del _parts[kind]
        else:
            _parts[kind] = outer
