"""Changes of FX graphs, and of what passes do to them."""

from __future__ import annotations

from pytest_compile_golden.changes.change import Change, Counts, Exchange, Topic

INPUT = "input"
CONSTANT = "parameter or constant"
"""What a type may be that of, besides the result of an operator."""
_LIBRARY = frozenset({"aten.addmm", "aten.mm", "aten.bmm", "aten.baddbmm", "aten.convolution"})
# Operators too common to distinguish passes.
_PLAIN = frozenset({"aten.add", "aten.sub", "aten.mul", "aten.div", "aten.where", "aten.neg"})


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
    """A graph takes the same inputs in a different order."""


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


class PassRenamed(Change, code="pass-renamed", kind="spelling", topic="operators"):
    """A pass does under another name what one did before."""

    phase: str
    before: str
    after: str


class NodesFound(Change, code="nodes-found", kind="accounting", topic="operators"):
    """Steps of the scheduler find more or fewer nodes; they leave as many as before, or take away as many."""


class PassChanged(Change, code="pass-changed", kind="decision", topic="operators"):
    """A pass treats its graph differently."""

    phase: str
    name: str
    """Empty for a change that no known pass made."""
    ran_after: str = ""
    """For such a change, the pass of the same phase that ran before it."""
    pattern: str = ""
    """The pattern that matched more or less often, or the only one that matched."""
    matched: tuple[int, int] | None = None
    """How often it matched before and now; None if just as often."""
    nodes: tuple[tuple[int, int] | None, tuple[int, int] | None] = (None, None)
    """The nodes that it found and left, before and now; None where it did nothing."""
    ran: bool = True
    runs: bool = True
    """Whether it ran before, and runs now."""
    made: Counts = ()
    """Operators that it makes now, or makes more of."""
    unmade: Counts = ()
    """Operators that it made before."""
    removed: Counts = ()
    """Operators that it removes now."""
    kept: Counts = ()
    """Operators that it removed before."""

    @property
    def topic(self) -> Topic:
        if _LIBRARY & {name for name, _ in (*self.made, *self.removed)}:
            return "library"
        return "fusion" if self.phase == "scheduler" else "operators"

    @property
    def listed(self) -> bool:
        """Whether the pass is one of torch's lists of patterns, of which a pattern says more."""
        return self.name.startswith("pass_pattern_")

    @property
    def grown(self) -> int:
        """By how many nodes more than before it makes its graph grow."""
        old, new = (0 if nodes is None else nodes[1] - nodes[0] for nodes in self.nodes)
        return new - old

    @property
    def identity(self) -> tuple[object, ...]:
        if self.phase == "partition":
            # Which nodes are computed again in backward depends on the program, and follows from one decision.
            return self.phase, self.name, self.ran_after, self.grown > 0, self.grown < 0
        kinds = [("made", self.made), ("removed", self.removed), ("kept", self.kept), ("unmade", self.unmade)]
        operators = "; ".join(f"{kind} {_significant(counted)}" for kind, counted in kinds if counted)
        return self.phase, self.name, self.ran_after, operators or self.pattern

    @property
    def names(self) -> tuple[str, ...]:
        operators = (name for side in (self.made, self.removed, self.kept, self.unmade) for name, _ in side)
        return tuple(filter(None, (self.name, self.pattern, *operators)))


def _significant(counted: Counts) -> str:
    """The operators that tell passes apart; all of them if none does."""
    names = sorted(name for name, times in counted if times)
    return " ".join([name for name in names if name not in _PLAIN] or names)
