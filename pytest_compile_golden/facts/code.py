"""Who wrote generated code."""

from __future__ import annotations

import msgspec


class Author(msgspec.Struct, frozen=True):
    """A function in torch, or in the user's code, that wrote code or decided something."""

    function: str
    """Its qualified name: `TritonKernel.load`."""
    where: str | None
    """File and line of its definition."""
