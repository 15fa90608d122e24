"""How many of something, in words; of several, the first ones and how many more there are."""

from __future__ import annotations

from collections.abc import Sequence


def plural(noun: str) -> str:
    """The noun for several."""
    return f"{noun}es" if noun.endswith(("ch", "s")) else f"{noun}s"


def quantity(number: int, noun: str) -> str:
    """`1 node`, `2 nodes`, `2 switches`."""
    return f"{number} {noun if number == 1 else plural(noun)}"


def listed(
    names: Sequence[str], most: int, rest: str = "more", separator: str = ", "
) -> str:
    """`a, b and 3 more`."""
    left_out = len(names) - most
    return separator.join(names[:most]) + (
        f" and {left_out} {rest}" if left_out > 0 else ""
    )
