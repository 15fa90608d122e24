"""How a text is cut into lines, everywhere: Python, the page in a browser and a diff must agree on their numbers."""

from __future__ import annotations


def split_lines(text: str) -> list[str]:
    """The lines of a text, at line feeds only, without them; a line feed at the end begins no further line.

    `str.splitlines` also cuts at form feeds, carriage returns, U+2028 and others, which can stand in a kernel's text.
    """
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines
