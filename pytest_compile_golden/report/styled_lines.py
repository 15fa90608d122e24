"""Styled lines: plain data that can cross processes, coloured only when printed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Column, Table

Line = tuple[str, str]
"""A style (`""`, `title`, `dim`, `good`, `bad`, `added`, `removed`) and the text."""

_MARKUP: dict[str, dict[str, bool]] = {
    "title": {"bold": True},
    "dim": {"light": True},
    "good": {"green": True},
    "bad": {"red": True},
    "added": {"green": True},
    "removed": {"red": True},
}


def write(terminal: Any, lines: Sequence[Sequence[str]]) -> None:
    """Print to a pytest TerminalWriter, which uses colour if its terminal supports it."""
    for style, text in lines:
        terminal.line(printable_lines(text), **_MARKUP.get(style, {}))


def grid(*columns: Column | str) -> Table:
    """A table without borders."""
    from rich.table import Table  # not imported by a run of pytest

    return Table(*columns, box=None, header_style="bold", pad_edge=False)


def printable(text: str) -> str:
    """`text` with control characters escaped: a golden must not control a terminal."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char == "\t" else repr(char)[1:-1]
        for char in text
    )


def printable_lines(text: str) -> str:
    """`printable`, but keeping line feeds."""
    return "\n".join(map(printable, text.split("\n")))


def placed(text: str, where: str | None) -> str:
    """`text`, followed by its file and line if there is one."""
    return f"{text}   {where}" if where else text


def cut(text: str, width: int) -> str:
    """`text` cut to at most `width` columns."""
    return text if len(text) <= width else f"{text[: width - 1]}…"
