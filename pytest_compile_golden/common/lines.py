"""How text is split into lines everywhere: Python, the page in a browser and a diff must agree on line numbers."""

from __future__ import annotations

import re

_LONGEST_NUMBER = 4300
"""Digits of the largest number that Python writes as a text or reads from one."""
_LONGER = re.compile(rf"\d{{{_LONGEST_NUMBER + 1}}}")


def unreadable(text: str) -> str:
    """What Python would not read in a text, so that nothing of ours wrote it; empty if there is nothing."""
    if "\0" in text:
        return "it has a null character"
    # A number that is longer has a digit at one of these places.
    may_be = any(map(str.isdecimal, text[_LONGEST_NUMBER :: _LONGEST_NUMBER + 1]))
    return (
        "it has a number of thousands of digits"
        if may_be and _LONGER.search(text)
        else ""
    )


def split_lines(text: str) -> list[str]:
    """Split a text at line feeds only, and drop them; a trailing line feed does not start another line.

    `str.splitlines` also splits at form feeds, carriage returns, U+2028 and others, which can occur in a kernel's text.
    """
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines
