"""What of one side is more than the other has, where several may be alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

T = TypeVar("T")


def surplus(
    items: Iterable[T], others: Iterable[T], key: Callable[[T], Hashable]
) -> list[T]:
    """The items without one of the same key among `others`, each of which is the counterpart of one."""
    counterparts = Counter(map(key, others))
    left = []
    for item in items:
        if counterparts[its := key(item)]:
            counterparts[its] -= 1
        else:
            left.append(item)
    return left
