"""One change to torch's compiler and its expected effect."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.sensitivity.rewrite import Change, NotThere


@dataclass(frozen=True)
class Mutation:
    """A change in behaviour: at least one case must fail, and its first divergence must be where the change was made.

    blame: a regular expression that the report's first divergence must match: the pass, the pattern, or the stage whose
        part of the compiler was changed.
    """

    name: str
    kind: str
    """`pass skipped`, `pattern dropped`, `guard inverted`, `fusion rule` ..."""
    change: Change
    blame: str
    near: str = ""
    """A regular expression over cases: those to run first, because they use the changed code."""

    def blamed(self, divergence: str) -> bool:
        return re.search(self.blame, divergence) is not None


@dataclass(frozen=True)
class Neutral:
    """A change that alters what the compiler writes but not what it does: no case may fail."""

    name: str
    kind: str
    """`names`, `order`, `text`, `dict order` ..."""
    change: Change
    left_out: str = ""
    """A regular expression over cases that legitimately show the change; they are left out."""


def together(changes: Sequence[Neutral]) -> Neutral:
    """One change that makes all of them, except those that do not apply to this torch."""

    def apply() -> None:
        for change in changes:
            with contextlib.suppress(NotThere):
                change.change()

    left_out = "|".join(change.left_out for change in changes if change.left_out)
    return Neutral(f"{len(changes)} at once", "all", Change(apply), left_out)
