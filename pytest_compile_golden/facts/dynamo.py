"""What Dynamo made of the program: bytecode, guards and stops."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bytecode:
    """One frame that Dynamo rewrote: (opcode, argument) lines before and after."""

    function: str
    original: tuple[str, ...]
    transformed: tuple[str, ...]


@dataclass(frozen=True)
class Guards:
    """The guards of one compiled frame, in the order in which they are checked."""

    function: str
    parts: tuple[str, ...]


@dataclass(frozen=True)
class Stop:
    """A graph break or a recompilation: why, and at which line of the user's code."""

    function: str
    reason: str
    code: str | None
    location: str | None = None
    """The location of that line: `file.py:12`."""
    limit: str | None = None
    """The limit that Dynamo had reached, after which it no longer compiles the frame: `recompile_limit = 8`."""
