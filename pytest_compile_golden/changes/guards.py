"""Changes of guards."""

from __future__ import annotations

from pytest_compile_golden.changes.change import Change


class GuardsChanged(
    Change,
    code="guards-changed",
    kind="decision",
    topic="guards",
    same_by=("new", "same_kind"),
    named_by=("guards",),
):
    """Guards of one kind are new or gone."""

    guards: tuple[str, ...]
    new: bool
    subject: str = ""
    """`attributes`, `sizes`, `objects`; empty for any other kind."""
    attributes: tuple[str, ...] = ()
    same_kind: str = ""
    """The kind of guard, regardless of what is guarded."""


class CheckReplaced(Change, code="check-replaced", kind="decision", topic="guards"):
    """A check of the guard tree is another."""

    before: str
    """`TENSOR_MATCH in C++`."""
    after: str
    accesses: tuple[int, int] | None = None
    conditions: tuple[int, int] | None = None
    """Their numbers, where that is the difference."""
