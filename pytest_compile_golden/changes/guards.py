"""Changes of guards, and of where Dynamo stops."""

from __future__ import annotations

from pytest_compile_golden.changes.change import Change


class GlobalStateGuarded(Change, code="global-state", kind="decision", topic="guards"):
    """The guard on global state compares another value."""

    field: str


class GlobalStateListed(Change, code="global-state-listed", kind="accounting", topic="hints"):
    """The guard on global state has a setting more or less, which torch did not keep in it or no longer does."""

    field: str
    new: bool


class MarksGuarded(Change, code="marks-guarded", kind="accounting", topic="hints", same_by=("new",), anywhere=True):
    """Whether there are guards on the marks that Dynamo itself sets on tensors, such as sizes that are to vary."""

    marks: tuple[str, ...]
    new: bool


class SizesListed(Change, code="sizes-listed", kind="accounting", topic="hints", same_by=("listed",)):
    """Guards on sizes and strides that are checked in both, and listed in one."""

    guard: str
    listed: bool


class GuardsChanged(
    Change, code="guards-changed", kind="decision", topic="guards", same_by=("new", "same_kind"), named_by=("guards",)
):
    """Guards of one kind are new or gone."""

    guards: tuple[str, ...]
    new: bool
    subject: str = ""
    """`attributes`, `sizes`, `objects`; empty for any other kind."""
    attributes: tuple[str, ...] = ()
    same_kind: str = ""
    """The kind of guard, regardless of what is guarded."""


class GuardsReordered(Change, code="guards-reordered", kind="spelling", topic="guards"):
    """The same guards in another order."""


class CheckReplaced(Change, code="check-replaced", kind="decision", topic="guards"):
    """A check of the guard tree is another."""

    before: str
    """`TENSOR_MATCH in C++`."""
    after: str
    accesses: tuple[int, int] | None = None
    conditions: tuple[int, int] | None = None
    """Their numbers, where that is the difference."""


class CheckListed(Change, code="check-listed", kind="decision", topic="guards"):
    """A check of the guard tree is new or gone."""

    check: str
    new: bool


class StopsChanged(Change, code="stops-changed", kind="decision", topic="breaks"):
    """A graph break or a recompilation is new or gone."""

    noun: str
    reason: str
    at: str
    new: bool


class StopReworded(Change, code="stop-reworded", kind="spelling", topic="hints"):
    """torch explains the same graph break, or the same recompilation, in other words."""

    noun: str
    before: str = ""
    """Empty if only lines of less importance differ."""
    after: str = ""
