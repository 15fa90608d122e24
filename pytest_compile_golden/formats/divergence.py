"""The first step of a compile that went differently than before."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_compile_golden.changes.change import Change


@dataclass(frozen=True)
class Divergence:
    """A step that did or decided something different."""

    phase: str
    """A phase or stage, as named in the pipeline's table."""
    change: Change
    """What it did or decided."""
    where: str | None
    """File and line in the installed torch or in the user's code."""
    at: str | None = None
    """The line of the program at which it happened, as graphs quote it."""
