"""Who wrote generated code."""

from __future__ import annotations

import msgspec


class Author(msgspec.Struct, frozen=True):
    """A function in torch, or in the user's code, that wrote code or decided something."""

    function: str
    """Its qualified name: `TritonKernel.load`."""
    where: str | None
    """File and line of its definition."""


class Wrote(msgspec.Struct, frozen=True, array_like=True, tag="author"):
    """The lines of a text that functions of one file wrote."""

    file: str
    """Empty if it is not known."""
    functions: tuple[tuple[str, int, str], ...]
    """Each function with the line of its definition, 0 if unknown, and the lines of the text: `0-3,7`."""
