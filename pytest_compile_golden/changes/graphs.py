"""Changes of FX graphs."""

from __future__ import annotations

from pytest_compile_golden.changes.change import Change, Counts, Exchange, Topic

INPUT = "input"
CONSTANT = "parameter or constant"
"""What a type may be that of, besides the result of an operator."""


class AttentionBackendChanged(Change, code="attention-backend", kind="decision", topic="library", anywhere=True):
    """Another library computes attention."""

    before: str
    after: str


class OperatorsChanged(
    Exchange,
    Change,
    code="operators-changed",
    kind="decision",
    topic="operators",
    same_by=("gone_names", "come_names"),
    anywhere=True,
    named_by=("gone_names", "come_names"),
):
    """A graph calls other operators."""

    gone: Counts
    come: Counts
    library: bool = False
    """Whether they include those that libraries compute."""

    @property
    def topic(self) -> Topic:
        return "library" if self.library else "operators"


class GraphsChanged(Change, code="graphs-changed", kind="decision", topic="breaks", same_by=("more",)):
    """There are more or fewer graphs."""

    before: int
    after: int
    operators: Counts
    """Those that all graphs together call more, or less, often."""

    @property
    def more(self) -> bool:
        return self.after > self.before


class Folded(Change, code="constant-folded", kind="decision", topic="operators", same_by=("operators", "folded")):
    """Operators that are computed while compiling, or no longer are."""

    operators: Counts
    folded: bool


class ReplacedByEqual(Change, code="operator-renamed", kind="spelling", topic="operators"):
    """The same operator, from another place in torch's sources."""

    operators: Counts


class SameGraph(Change, code="same-graph", kind="spelling", topic="operators"):
    """The same graph: operands in another order, sizes written otherwise, or None for what operators newly take."""


class FiniteCheckAdded(
    Change, code="finite-check-added", kind="decision", topic="operators", same_by=(), anywhere=True
):
    """Softmax patterns check that their inputs are finite."""

    operators: Counts


class TypeChanged(
    Change, code="type-changed", kind="decision", topic="operators", same_by=("subject", "part", "before", "after")
):
    """The type of a result or an input."""

    subject: str
    """An operator, INPUT or CONSTANT."""
    part: str
    """`dtype`, `shape`, `strides`, `device`; empty if it has no such parts."""
    before: str
    after: str
    also: tuple[str, ...] = ()
    """Other operators whose results changed alike."""


class OperandChanged(Change, code="operand-changed", kind="decision", topic="operators"):
    """An operator is given the result of another one, in a graph with the same operators."""

    operator: str
    """Empty for what the graph returns."""
    before: str
    after: str
    """Operators, INPUT or CONSTANT."""


class InputsReordered(Change, code="inputs-reordered", kind="decision", topic="operators"):
    """A graph takes the same inputs in another order."""


class InputsChanged(Change, code="inputs-changed", kind="decision", topic="operators"):
    """A graph takes more or fewer inputs."""

    types: Counts
    added: bool


class ArgumentsChanged(Change, code="arguments-changed", kind="decision", topic="operators"):
    """An operator is called with other arguments."""

    operator: str
    gone: str
    """Arguments; empty if there were none."""
    come: str
    inside: str = ""
    """The argument that holds them: `5`, `name`."""
