"""Changes of operations and of the groups that the scheduler makes of them."""

from __future__ import annotations

from pytest_compile_golden.changes.change import Change, Counts, Exchange, Topic


class CandidatesChanged(Change, code="candidates-changed", kind="decision", topic="launch", same_by=("operator",)):
    """Autotuning chooses among fewer candidates, or among more and otherwise."""

    operator: str
    before: int
    after: int


class CandidatesAdded(CandidatesChanged, code="candidates-added", kind="accounting"):
    """Autotuning chooses among more candidates, and chooses as before where nothing is measured."""


class ChosenChanged(Change, code="choice-changed", kind="decision", topic="library"):
    """Autotuning chooses another kind of implementation."""

    operator: str
    before: str
    after: str


class TemplateArgumentChanged(Change, code="template-argument", kind="decision", topic="launch"):
    """A template is given other arguments."""

    name: str
    before: str | None
    after: str | None


class TemplateOptionListed(TemplateArgumentChanged, code="template-option-listed", kind="accounting"):
    """A template has an option more or less, which torch did not pass to it or no longer does."""

    @property
    def identity(self) -> tuple[object, ...]:
        """Whatever its value."""
        return self.name, self.after is None


class Fused(Change, code="fused", kind="decision", topic="fusion", same_by=("groups",)):
    """Kernels became one, or fewer."""

    groups: tuple[str, ...]
    """What the kernels computed."""
    before: int
    after: int


class FusionLost(Change, code="fusion-lost", kind="decision", topic="fusion", same_by=("groups",)):
    """A kernel became several."""

    whole: tuple[str, ...]
    groups: tuple[str, ...]
    """What the kernels compute now."""
    before: int
    after: int


class OperationsChanged(
    Change, code="operations-changed", kind="decision", topic="fusion", same_by=("more", "kinds", "of")
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
        return sorted({name for name, _ in (*self.gone, *self.come)})


class KindsChanged(Change, code="operation-kinds", kind="decision"):
    """As many operations, of other kinds."""

    gone: Counts
    come: Counts

    @property
    def topic(self) -> Topic:
        return "library" if any("extern" in kind for kind, _ in (*self.gone, *self.come)) else "fusion"


class ValueWithIndex(KindsChanged, code="value-with-index", same_by=()):
    """A maximum or minimum is computed with its index, or where its index is, as torch's lowering of both decides
    (torch/_inductor/lowering.py: reduce_max)."""


class InputsCopiedFor(Change, code="inputs-copied-for", kind="decision", topic="fusion"):
    """Inputs of a library call are copied into the layout that it needs, or no longer are."""

    operators: Counts
    copied: bool


class ReductionSteps(Change, code="reduction-steps", kind="decision", topic="fusion"):
    """A reduction takes two steps, or one."""

    operators: tuple[str, ...]
    two: bool


class LibraryCalled(Change, code="library-called", kind="decision", topic="library"):
    """A library computes an operator instead of a kernel, or the other way round."""

    operator: str
    library: bool


class ReadsChanged(
    Exchange,
    Change,
    code="reads-changed",
    kind="decision",
    topic="fusion",
    same_by=("more", "come_names", "gone_names"),
):
    """An operation reads more or fewer values."""

    operation: str
    times: int
    more: bool
    come: Counts = ()
    """Operators that it computes now."""
    gone: Counts = ()


class ReadListedAgain(Change, code="read-listed-again", kind="accounting", topic="fusion", same_by=("more",)):
    """torch lists a read of the same place more or less often; what is read is the same."""

    more: bool


class BodyChanged(Exchange, Change, code="body-changed", same_by=("gone_names", "come_names")):
    """A loop body calls other operators, or calls them more or less often."""

    gone: Counts
    come: Counts


class CastsChanged(Change, code="casts-changed", same_by=("more",)):
    """Loop bodies have more or fewer casts."""

    times: int
    more: bool


class BodyLineChanged(Change, code="body-line"):
    """A line of a loop body."""

    before: str
    after: str


class IndexChanged(Change, code="index-changed", topic="memory"):
    """A value is read or written at another index."""

    before: str
    after: str


class IndexWritten(IndexChanged, code="index-written", same_by=()):
    """The same index, in other terms: the same place, reached by other arithmetic."""


class RowsPadded(Change, code="rows-padded", kind="decision", topic="memory", same_by=("padded",)):
    """Rows of a buffer have elements between them that nothing reads, so that each begins at an aligned address, or no
    longer do (torch/_inductor/ir.py: Layout._pad_strides)."""

    before: int
    """A stride, in elements."""
    after: int

    @property
    def padded(self) -> bool:
        return self.after > self.before


class DimensionsChanged(Change, code="loop-dimensions", topic="memory", same_by=("dimensions",)):
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
