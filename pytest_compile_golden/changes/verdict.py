"""Why numbers that got worse, or better, are neither a regression nor a win."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal


@dataclass(frozen=True)
class Reason:
    """One kind of reason; what is said about it stands in `words`."""

    explains_numbers: ClassVar[bool] = True
    """Whether it says nothing about a case of which no number moved."""


@dataclass(frozen=True)
class ResultChanged(Reason):
    """What is compiled on one side computes something else than eager, and what is on the other does not."""

    explains_numbers = False
    wrong: Literal["old", "new"]
    target: str = ""
    """If another one: there the same test has the same change, and results are computed."""


@dataclass(frozen=True)
class Undone(Reason):
    """Everything that changed is as an older torch had it."""

    explains_numbers = False
    torch: str


@dataclass(frozen=True)
class CountedOtherwise(Reason):
    """The same runs, and torch counts its bytes otherwise."""


@dataclass(frozen=True)
class OtherGraphs(Reason):
    """Dynamo captures more or fewer graphs at as many breaks and recompilations: it compiles another part."""

    old: int
    new: int


@dataclass(frozen=True)
class Coalescing(Reason):
    """Kernels were split, and neighbouring threads access neighbouring elements again."""

    accesses: tuple[str, ...]
    """Those that were far apart: `arg0_1[128*c0]`."""
