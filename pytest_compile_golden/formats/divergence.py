"""The first step of a compile that went another way than before."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Divergence:
    """A step that did or decided something else."""

    phase: str
    """A phase or a stage of the pipeline, as its table names them."""
    text: str
    """`post_grad / remove_noop_ops: 18 -> 14, now nothing`."""
    where: str | None
    """File and line in the installed torch, or the user's file."""
    at: str | None = None
    """The line of the program that it happened at, as graphs quote it."""
