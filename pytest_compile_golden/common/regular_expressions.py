"""Regular expressions that every layer applies to texts: several at once, and what leaves out numbers or addresses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
# Numbers, and numeric suffixes of values; a type keeps its width.
_TYPE = re.compile(r"\b(?:b?f|i|u|c|fp|u?int|b?float|complex|sm)\d+\w*")
_NUMBER = re.compile(
    r"(?<![A-Za-z])\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|(?<=[A-Za-z_])_*\d+(?:_\d+)*"
)


def replaced(table: Iterable[tuple[str, str]]) -> Callable[[str], str]:
    """What replaces several patterns in a text, one after the other; each comes with what it becomes."""
    rules = [(re.compile(pattern), replacement) for pattern, replacement in table]

    def replace(text: str) -> str:
        for pattern, replacement in rules:
            text = pattern.sub(replacement, text)
        return text

    return replace


def without_addresses(text: str) -> str:
    """`text` without the addresses in Python's reprs of objects."""
    return _ADDRESS.sub("", text)


def without_numbers(text: str) -> str:
    """`text` without the numbers of values, sizes and constants."""
    marked = _TYPE.sub(
        lambda match: "".join(
            chr(ord(char) + 0x2050) if char.isdigit() else char for char in match[0]
        ),
        text,
    )
    return _NUMBER.sub("#", marked)
