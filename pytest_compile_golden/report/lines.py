"""Styled lines: plain data that crosses processes, coloured only where it is printed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
    """Print to a pytest TerminalWriter, which colours where its terminal can."""
    for style, text in lines:
        terminal.line(text, **_MARKUP.get(style, {}))


def printable(text: str) -> str:
    """`text` with control characters written out: a golden must not steer a terminal."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char == "\t" else repr(char)[1:-1] for char in text)


def printable_lines(text: str) -> str:
    """`text` with its line feeds, and all else as `printable` has it."""
    return "\n".join(map(printable, text.split("\n")))


def placed(text: str, where: str | None) -> str:
    """What changed, and its file and line."""
    return f"{text}   {where}" if where else text
