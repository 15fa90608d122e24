"""Changes of numbers and of stages that are tables, and why worse numbers are no regression, or better ones no win."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from pytest_compile_golden.changes.change import Change, Counts, Topic


class MetricChanged(Change, code="metric-changed", kind="accounting", topic="fusion"):
    """A metric without any other change that explains it."""

    name: str
    """With that of its capture in front, if a case has several."""
    before: object
    after: object
    guarded: bool = False
    """Whether it counts guards."""

    @property
    def topic(self) -> Topic:
        return "guards" if self.guarded else "fusion"

    @property
    def way(self) -> str:
        """`up`, `down` or, unless both are numbers, `changed`."""
        if isinstance(self.before, (int, float)) and isinstance(
            self.after, (int, float)
        ):
            return "up" if self.after > self.before else "down"
        return "changed"

    @property
    def key(self) -> str:
        return f"{self.name} {self.way}"


class EntriesChanged(
    Change,
    code="entries-changed",
    kind="decision",
    topic="launch",
    same_by=("new", "noun", "what"),
):
    """An entry of a list of decisions is new or gone: a condition on sizes, a part of a cache key."""

    new: bool
    noun: str
    what: str
    about: Topic = "launch"

    @property
    def topic(self) -> Topic:
        return self.about


class ConditionsChanged(
    Change,
    code="conditions-changed",
    kind="decision",
    topic="guards",
    same_by=("how",),
):
    """There are more or fewer conditions on sizes, or others, which are too long to be told one by one."""

    how: Literal["more", "fewer", "other"]
    by: Counts
    """The functions of torch that ask for them, most first; empty for one that is not known."""


class EntryDiffers(
    Change,
    code="entry-differs",
    kind="decision",
    topic="launch",
    same_by=("noun", "what"),
):
    """The same decision, for another reason."""

    noun: str
    what: str
    before: str
    """The reason; empty for one that is kept as a digest only."""
    after: str
    about: Topic = "launch"

    @property
    def topic(self) -> Topic:
        return self.about


class LaunchedDifferently(
    Change,
    code="launched-differently",
    kind="decision",
    topic="launch",
    same_by=("dropped",),
):
    """Compiled kernels are launched differently, or left out by torch."""

    difference: str
    dropped: bool = False


@dataclass(frozen=True)
class Reason:
    """One kind of reason; what is said about it stands in `messages`."""

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
    """Everything that changed is as an older torch version had it."""

    explains_numbers = False
    torch: str


@dataclass(frozen=True)
class CountedOtherwise(Reason):
    """The same runs, and torch counts its bytes differently."""


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
