"""How text is split into lines everywhere: Python, the page in a browser and a diff must agree on line numbers."""

from __future__ import annotations


def split_lines(text: str) -> list[str]:
    """Split a text at line feeds only, and drop them; a trailing line feed does not start another line.

    `str.splitlines` also splits at form feeds, carriage returns, U+2028 and others, which can occur in a kernel's text.
    """
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines
