"""Changes of FX graphs, and of what passes do to them."""

from __future__ import annotations

from collections import Counter

from pytest_compile_golden.changes.change import Change, Counts, Topic, row
from pytest_compile_golden.changes.common_types import Exchanged

INPUT = "input"
CONSTANT = "parameter or constant"
"""What a type may be that of, besides the result of an operator."""
_LIBRARY = frozenset(
    {"aten.addmm", "aten.mm", "aten.bmm", "aten.baddbmm", "aten.convolution"}
)
_DRAWS = "prims.inductor_random"
"""What Inductor draws random numbers by: from the same seed, others than an operator of torch's does."""
_STRICT = {"ge": "gt", "le": "lt"}
"""Comparisons that hold for equal values, with those that do not."""
# Operators too common to distinguish passes.
_PLAIN = frozenset(
    {"aten.add", "aten.sub", "aten.mul", "aten.div", "aten.where", "aten.neg"}
)


class OperatorsChanged(Exchanged):
    """A graph, or what is traced for one, calls other operators."""

    library: bool = False
    """Whether they include those that libraries compute."""

    @property
    def of_attributes(self) -> bool:
        """Whether operators stand for reading attributes, which Dynamo did as such, or again so
        (torch/_dynamo/variables/tensor.py: _VIEW_ATTR_TO_ATEN_OP)."""
        return ["getattr"] in (self.gone_names, self.come_names)

    @property
    def identity(self) -> tuple[object, ...]:
        # Which attributes a program reads is no other change.
        if self.of_attributes:
            return ("getattr", self.gone_names == ["getattr"])
        return super().identity

    @property
    def checks(self) -> bool:
        """Whether only one side has them, to check values at run time (torch/fx/passes/runtime_assert.py)."""
        return not (self.gone and self.come) and any(
            "._assert" in name for name, _ in (*self.gone, *self.come)
        )

    @property
    def topic(self) -> Topic:
        if self.checks:
            return "safety"
        return "library" if self.library else "operators"


class StrictnessChanged(
    Change,
    code="strictness-changed",
    kind="decision",
    topic="operators",
    same_by=("strict",),
    anywhere=True,
):
    """Comparisons hold no longer for equal values, or hold for them now."""

    gone: Counts
    come: Counts
    strict: bool

    @staticmethod
    def of(gone: Counts, come: Counts) -> StrictnessChanged | None:
        """The exchange of these operators, if each comparison is exchanged with its strict form, or each with the other
        one; None for any other exchange."""
        was, now = Counter(dict(gone)), Counter(dict(come))
        for strict, side, other in ((True, was, now), (False, now, was)):
            forms = Counter[str]()
            for name, times in side.items():
                first, _, rest = name.partition(".")
                compared, *overload = rest.split(".")
                if compared not in _STRICT:
                    break
                forms[".".join((first, _STRICT[compared], *overload))] += times
            else:
                if forms and forms == other:
                    return StrictnessChanged(gone=gone, come=come, strict=strict)
        return None


class GraphsChanged(
    Change, code="graphs-changed", kind="decision", topic="breaks", same_by=("more",)
):
    """There are more or fewer graphs."""

    before: int
    after: int
    operators: Counts
    """Those that all graphs together call more, or less, often."""

    @property
    def more(self) -> bool:
        """Whether there are more graphs than before."""
        return self.after > self.before


class TypeChanged(
    Change,
    code="type-changed",
    kind="decision",
    topic="operators",
    same_by=("subject", "part", "before", "after"),
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

    @property
    def is_layout(self) -> bool:
        """Whether the same values are only laid out differently in memory."""
        return self.part == "strides"


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
    repeated: bool = False
    """Whether, of all that it makes now, these are the nodes that repeat others."""

    @property
    def topic(self) -> Topic:
        if any(name == _DRAWS for name, _ in (*self.made, *self.unmade)):
            return "random"
        if _LIBRARY & {name for name, _ in (*self.made, *self.removed)}:
            return "library"
        return "fusion" if self.phase == "scheduler" else "operators"

    @property
    def listed(self) -> bool:
        """Whether the pass is one of torch's lists of patterns, of which a pattern says more."""
        return self.name.startswith("pass_pattern_")

    @property
    def removes_only(self) -> bool:
        """Whether a named pass removes operators that it did not remove, and does nothing else otherwise."""
        others = self.made or self.unmade or self.kept or self.pattern
        return bool(self.removed and self.name) and not (others or self.listed)

    @property
    def grown(self) -> int:
        """By how many nodes more than before it makes its graph grow."""
        old, new = (0 if nodes is None else nodes[1] - nodes[0] for nodes in self.nodes)
        return new - old

    @property
    def identity(self) -> tuple[object, ...]:
        if self.phase == "partition":
            # Which nodes are computed again in backward depends on the program, and follows from one decision; whether
            # random numbers are drawn again, from a state that is kept, is another.
            grown = self.grown > 0, self.grown < 0
            same = self.phase, self.name, self.ran_after, *grown
            again = any("rng_state" in name for name, _ in (*self.made, *self.unmade))
            return (*same, "rng_state") if again else same
        if self.removes_only:
            # Which operators of a program have no effect depends on the program.
            return self.phase, self.name, self.ran_after, "removed"
        kinds = [
            ("made", self.made),
            ("removed", self.removed),
            ("kept", self.kept),
            ("unmade", self.unmade),
        ]
        operators = "; ".join(
            f"{kind} {_significant(counted)}" for kind, counted in kinds if counted
        )
        return self.phase, self.name, self.ran_after, operators or self.pattern

    @property
    def names(self) -> tuple[str, ...]:
        operators = (
            name
            for side in (self.made, self.removed, self.kept, self.unmade)
            for name, _ in side
        )
        return tuple(filter(None, (self.name, self.pattern, *operators)))


def _significant(counted: Counts) -> str:
    """The operators that tell passes apart; all of them if none does."""
    names = sorted(name for name, times in counted if times)
    return " ".join([name for name in names if name not in _PLAIN] or names)


row(
    "operators-changed",
    OperatorsChanged,
    "decision",
    "operators",
    "A graph calls other operators.",
    same_by=("gone_names", "come_names"),
    named_by=("gone_names", "come_names"),
    anywhere=True,
)
row(
    "operators-traced",
    OperatorsChanged,
    "decision",
    "operators",
    "AOTAutograd is given other operators to decompose, each of which it decomposes as before.",
    same_by=("gone_names", "come_names"),
    named_by=("gone_names", "come_names"),
    anywhere=True,
)
