"""Changes of operations and of the groups that the scheduler makes of them."""

from __future__ import annotations

from pytest_compile_golden.changes.change import Change, CodedChange, Counts, Topic, row
from pytest_compile_golden.changes.common_types import Exchanged


class GroupsChanged(CodedChange):
    """Kernels became fewer, or more."""

    groups: tuple[str, ...]
    """What the kernels computed that became fewer, or what those compute that there are more of."""
    before: int
    after: int
    whole: tuple[str, ...] = ()
    """What the kernels computed that became more."""

    @property
    def in_any_order(self) -> list[str]:
        """The groups by name, and each by what it computes: one change may be found twice, among other groups, or from
        graphs that name the operators of a group in another order."""
        return sorted(map(_in_any_order, self.groups))


def _in_any_order(group: str) -> str:
    if not group.startswith("("):
        return group
    return f"({', '.join(sorted(group.strip('()').split(', ')))})"


class OperationsChanged(
    Change,
    code="operations-changed",
    kind="decision",
    topic="fusion",
    same_by=("more", "kinds", "of"),
):
    """A schedule has more or fewer operations."""

    times: int
    more: bool
    gone: Counts
    """Kinds of operations."""
    come: Counts
    of: tuple[str, ...] = ()
    """The operators of the program that they compute."""

    @property
    def kinds(self) -> list[str]:
        """The kinds of operations that there are more or fewer of."""
        return sorted({name for name, _ in (*self.gone, *self.come)})


class KindsChanged(Exchanged):
    """As many operations, of other kinds."""

    @property
    def topic(self) -> Topic:
        return (
            "library"
            if any("extern" in kind for kind, _ in (*self.gone, *self.come))
            else "fusion"
        )


class ReadsChanged(Exchanged):
    """An operation reads more or fewer values, and may compute other operators."""

    operation: str
    times: int
    more: bool


class DimensionsChanged(
    Change, code="loop-dimensions", topic="memory", same_by=("dimensions",)
):
    """Loops run over more or fewer dimensions."""

    dimensions: tuple[int, int]
    before: str
    """An index."""
    after: str


class OperationsMoved(Change, code="operations-moved", kind="decision", topic="memory"):
    """Operations run earlier or later."""

    operations: tuple[str, ...]
    """Those that moved; none if only their order is known to differ."""
    beside: str = ""
    """An operation that stayed."""
    earlier: bool = True
    swapped: bool = False
    """Whether it is only known that the first of the operations that differ and `beside` changed places."""


row(
    "fused",
    GroupsChanged,
    "decision",
    "fusion",
    "Kernels became one, or fewer.",
    same_by=("in_any_order",),
)
row(
    "fusion-lost",
    GroupsChanged,
    "decision",
    "fusion",
    "A kernel became several.",
    same_by=("in_any_order",),
)
row(
    "regrouped",
    GroupsChanged,
    "decision",
    "fusion",
    "As many kernels of the same operations, fused otherwise.",
)
OF_GROUPS = frozenset({"fused", "fusion-lost", "regrouped"})
"""The codes of changes of which operations are in one kernel."""
row(
    "operation-kinds",
    KindsChanged,
    "decision",
    "arithmetic",
    "As many operations, of other kinds.",
)
row(
    "value-with-index",
    KindsChanged,
    "decision",
    "arithmetic",
    (
        "A maximum or minimum is computed with its index, or where its index is, as torch's lowering of both "
        "decides (torch/_inductor/lowering.py: reduce_max)."
    ),
    same_by=(),
)
row(
    "reads-changed",
    ReadsChanged,
    "decision",
    "fusion",
    "An operation reads more or fewer values.",
    same_by=("more", "come_names", "gone_names"),
)
