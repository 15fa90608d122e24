"""Changes of kernels: which there are, how they are launched and what they do."""

from __future__ import annotations

import re

from pytest_compile_golden.changes.change import Change, Topic

_FUNCTION = re.compile(r"[A-Za-z_][\w.:]*(?=(?:<[^()]*>)?\()")


class KernelsChanged(Change, code="kernels-changed", kind="decision", topic="fusion", same_by=("gone_or_come",)):
    """There are other kernels."""

    gone: tuple[str, ...]
    come: tuple[str, ...]
    number_gone: int
    number_come: int
    before: int
    """All kernels."""
    after: int

    @property
    def gone_or_come(self) -> tuple[str, ...]:
        return ("-", *self.gone) if self.number_gone > self.number_come else ("+", *self.come)


class LoopNestChanged(Change, code="loop-nest", kind="decision", topic="memory"):
    """A kernel is of a different kind of Triton heuristics."""

    before: str
    after: str

    @property
    def names(self) -> tuple[str, ...]:
        return "triton_heuristics", self.before, self.after


class TilingChanged(Change, code="tiling", kind="decision", topic="memory", same_by=("before", "after"), anywhere=True):
    """A kernel is tiled in more or fewer dimensions."""

    before: int
    after: int
    grids: tuple[str, str] | None = None
    """The kinds of grids, if they differ."""
    blocks_gone: tuple[str, ...] = ()


class MetadataChanged(Change, code="launch-metadata", kind="decision", topic="launch", named_by=("name",)):
    """An entry of what a kernel is launched with."""

    name: str
    before: str | None
    """None if it had no such entry."""
    after: str | None
    combo: bool = False
    """Whether it is a kernel that combines several."""


class ReductionHintChanged(Change, code="reduction-hint", kind="hint", topic="launch"):
    """Inductor's hint for choosing the launch of a reduction."""

    before: str
    after: str

    @property
    def names(self) -> tuple[str, ...]:
        return "reduction_hint", "ReductionHint"


class SizeHintsChanged(Change, code="size-hints", kind="hint", topic="launch", same_by=()):
    """The sizes that a kernel is tuned for."""

    before: str
    after: str


class SameMachineCode(Change, code="same-machine-code", kind="spelling", topic="hints"):
    """Kernels that are written otherwise and compile to the same machine code."""


class ParametersChanged(Change, code="kernel-parameters", named_by=("function", "parameters")):
    """A function takes other parameters."""

    function: str
    parameters: tuple[str, ...]
    gained: bool


class BodyShared(Change, code="body-shared", same_by=("shared",)):
    """A kernel for several lists of tensors has one body for those that are computed alike, or again one for each."""

    shared: bool


class StatementsChanged(Change, code="statements-changed", same_by=("outlines",)):
    """A kernel has statements without a counterpart."""

    gone: tuple[str, ...]
    come: tuple[str, ...]
    outlines: tuple[str, ...] = ()
    """What they have in common with such statements elsewhere."""

    @property
    def barriers(self) -> bool:
        """Whether they are all barriers, at which the threads of a block wait for each other."""
        return all("debug_barrier" in line for line in (*self.gone, *self.come))

    @property
    def topic(self) -> Topic:
        return "memory" if self.barriers else "arithmetic"

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for line in (*self.gone, *self.come) for name in functions(line))


class ChecksChanged(StatementsChanged, code="runtime-checks", topic="safety", same_by=("fewer",)):
    """A kernel checks less, or more, of what it is given while it runs: that indices are in bounds, that a condition
    holds."""

    @property
    def fewer(self) -> bool:
        return len(self.gone) > len(self.come)

    @property
    def topic(self) -> Topic:
        return "safety"


class WrittenInPlace(Change, code="written-in-place", topic="memory", same_by=("more",)):
    """A kernel writes more or fewer of its results over what it reads (torch/_inductor/config.py: inplace_buffers)."""

    before: int
    after: int

    @property
    def more(self) -> bool:
        return self.after > self.before


class LoadsRepeated(Change, code="loads-repeated", topic="memory"):
    """A kernel loads the same values more or less often."""

    more: bool

    @property
    def names(self) -> tuple[str, ...]:
        return ("tl.load",)


class IdleBarrier(Change, code="idle-barrier", kind="hint", topic="hints"):
    """The threads of a kernel wait for each other, or no longer do, where it reads nothing that it writes."""

    more: bool

    @property
    def names(self) -> tuple[str, ...]:
        return ("tl.debug_barrier",)


class ValueChanged(Change, code="value-changed", anywhere=True):
    """A value is computed otherwise: the operation that changed, without its operands."""

    before: str
    after: str

    @property
    def identity(self) -> tuple[object, ...]:
        if self._same_by is not None:
            return super().identity
        # `triton_helpers.maximum -> tl.maximum` is the same change as `triton_helpers.minimum -> tl.minimum`.
        before, after = functions(self.before), functions(self.after)
        old, new = ([name.rpartition(".")[2] for name in side] for side in (before, after))
        if old and old[:1] == new[:1] and before != after:
            return self.before.replace(f"{old[0]}(", "f("), self.after.replace(f"{old[0]}(", "f(")
        return self.before, self.after

    @property
    def names(self) -> tuple[str, ...]:
        return (*functions(self.before), *functions(self.after))


class RandomNumbers(ValueChanged, code="random-numbers", topic="random"):
    """Random numbers come from another function."""


class IndexCast(Change, code="index-cast", same_by=("to_float",)):
    """An index is cast where it is used."""

    casts: str

    @property
    def to_float(self) -> bool:
        return "float" in self.casts

    @property
    def is_notation(self) -> bool:
        return True

    @property
    def names(self) -> tuple[str, ...]:
        return ("to",)


class ArgumentChanged(Change, code="call-argument", anywhere=True, named_by=("function", "argument")):
    """A function is given one argument more or less."""

    function: str
    argument: str
    """Its name; empty for one without."""
    value: str
    gained: bool


class LoadHintChanged(
    Change,
    code="hints-changed",
    kind="hint",
    topic="hints",
    same_by=("function", "hint"),
    named_by=("function", "hint"),
):
    """Where a load or store leaves its data in the cache."""

    function: str
    hint: str
    """`eviction_policy`, `cache_modifier`, `volatile`."""
    before: str
    """Empty if there was none."""
    after: str


HINTS = frozenset({ReductionHintChanged.code, LoadHintChanged.code, IdleBarrier.code})
"""Without these, kernels may be compared as machine code."""


class LeafChanged(Change, code="constant-changed", anywhere=True):
    """A constant or a name."""

    before: str
    after: str
    what: str = ""
    """`number` or `name` if it is one."""

    @property
    def identity(self) -> tuple[object, ...]:
        return (self.what,) if self.what else (self.before, self.after)

    @property
    def changes_values(self) -> bool:
        return self.what != "name"


class MaskChanged(Change, code="mask-changed", topic="memory", same_by=()):
    """Which lanes take part."""

    before: str
    after: str


class ShapeChanged(Change, code="block-shape", topic="memory"):
    """A block of values has another shape."""

    before: str
    after: str


class ScalarTail(Change, code="scalar-tail", topic="memory", same_by=()):
    """What a vectorised loop leaves over is computed one by one."""

    loop: str


class AccumulatorsUnread(Change, code="accumulators-unread", kind="spelling", same_by=(), named_by=("declaration",)):
    """A reduction sets up an array of accumulators that nothing reads, which compilers leave out."""

    declaration: str


def functions(code: str) -> list[str]:
    """The functions that code calls."""
    return _FUNCTION.findall(code)
