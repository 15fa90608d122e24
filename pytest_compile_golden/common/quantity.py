"""How many of something, in words."""

from __future__ import annotations


def plural(noun: str) -> str:
    """The noun for several."""
    return f"{noun}es" if noun.endswith(("ch", "s")) else f"{noun}s"


def quantity(number: int, noun: str) -> str:
    """`1 node`, `2 nodes`, `2 switches`."""
    return f"{number} {noun if number == 1 else plural(noun)}"
