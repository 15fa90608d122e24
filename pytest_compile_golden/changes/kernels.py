"""Changes of kernels: which there are, how they are launched and what they do."""

from __future__ import annotations

import math
import re

from pytest_compile_golden.changes.change import Change, CodedChange, Topic, row

_ROUNDED = 2**-7
"""The largest relative difference between a number and the same in `bfloat16`."""
_FUNCTION = re.compile(r"[A-Za-z_][\w.:]*(?=(?:<[^()]*>)?\()")
_VALUE = re.compile(r"(?:tmp\w+|[a-h…])\.(?=\w+$)")
"""A value of which a method is called."""
_ONE_CALL = re.compile(r"[\w.]+\((?:[^()]|\([^()]*\))*\)")


class KernelsChanged(
    Change,
    code="kernels-changed",
    kind="decision",
    topic="fusion",
    same_by=("gone_or_come",),
):
    """There are other kernels."""

    gone: tuple[str, ...]
    come: tuple[str, ...]
    number_gone: int
    number_come: int
    before: int
    """All kernels."""
    after: int
    language: str = ""
    """That they are written in: `Triton`, `C++`; a graph may have others beside these."""

    @property
    def gone_or_come(self) -> tuple[str, ...]:
        """A sign, and the kernels of the side that has more of its own."""
        return (
            ("-", *self.gone)
            if self.number_gone > self.number_come
            else ("+", *self.come)
        )


class TilingChanged(
    Change,
    code="tiling",
    kind="decision",
    topic="memory",
    same_by=("more",),
    anywhere=True,
):
    """A kernel is tiled in more or fewer dimensions."""

    before: int
    after: int
    grids: tuple[str, str] | None = None
    """The kinds of grids, if they differ."""
    blocks_gone: tuple[str, ...] = ()

    @property
    def more(self) -> bool:
        """Whether it has more dimensions now."""
        return self.after > self.before


class StatementsChanged(CodedChange):
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
    def fewer(self) -> bool:
        """Whether more statements are gone than new."""
        return len(self.gone) > len(self.come)

    @property
    def topic(self) -> Topic:
        return (
            "memory"
            if self.code == "statements-changed" and self.barriers
            else self.row.topic
        )

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(
            name for line in (*self.gone, *self.come) for name in functions(line)
        )


class ValueChanged(CodedChange):
    """A value is computed otherwise: the operation that changed, without its operands."""

    before: str
    after: str

    @property
    def identity(self) -> tuple[object, ...]:
        if self.row.same_by is not None:
            return super().identity
        # `triton_helpers.maximum -> tl.maximum` is the same change as `triton_helpers.minimum -> tl.minimum`.
        before, after = functions(self.before), functions(self.after)
        old, new = (
            [name.rpartition(".")[2] for name in side] for side in (before, after)
        )
        if old and old[:1] == new[:1] and before != after:
            return self.before.replace(f"{old[0]}(", "f("), self.after.replace(
                f"{old[0]}(", "f("
            )
        return self.before, self.after

    @property
    def names(self) -> tuple[str, ...]:
        called = (*functions(self.before), *functions(self.after))
        return tuple(_VALUE.sub("", name) for name in called)

    @property
    def is_one_call(self) -> bool:
        """Whether both sides are a call, and nothing is done with its result."""
        return all(map(_ONE_CALL.fullmatch, (self.before, self.after)))

    @property
    def is_other_function(self) -> bool:
        """Whether another function computes it, and none is called on what the other side calls."""
        before, after = (
            [_VALUE.sub("", name) for name in functions(side)]
            for side in (self.before, self.after)
        )
        return (
            self.is_one_call
            and before != after
            and self.before not in self.after
            and self.after not in self.before
        )

    @property
    def is_same_distribution(self) -> bool:
        """Whether both sides are random numbers, not something that is made of them, and these are distributed alike:
        `rand4x` and `rand`."""
        if not self.is_one_call:
            return False
        drawn = (functions(self.before), functions(self.after))
        before, after = (
            {name.rpartition(".")[2].removesuffix("4x") for name in names}
            for names in drawn
        )
        return before == after


class IndexCast(
    Change,
    code="index-cast",
    same_by=("added",),
    about=("to",),
    is_notation=True,
):
    """An index is cast where it is used, or no longer is, or to another type."""

    before: str
    """The casts: `.to(tl.int32)`."""
    after: str

    @property
    def added(self) -> str:
        """Whether it was cast before, and is now."""
        return f"{bool(self.before):d}{bool(self.after):d}"


HINTS = frozenset({"reduction-hint", "hints-changed", "idle-barrier"})
"""Without these, kernels may be compared as machine code."""


class LeafChanged(Change, code="constant-changed", anywhere=True):
    """A constant or a name."""

    before: str
    after: str
    what: str = ""
    """`number` or `name` if it is one."""

    @property
    def identity(self) -> tuple[object, ...]:
        if self.is_rounding:
            return ("rounding",)
        # Whole numbers are sizes and offsets, too.
        if self.is_fraction:
            return ("fraction",)
        return (self.what,) if self.what else (self.before, self.after)

    @property
    def is_size(self) -> bool:
        """Whether it is a whole number, which may be a size, an offset or the bound of a loop."""
        return self.what == "number" and not self.is_fraction

    @property
    def is_fraction(self) -> bool:
        """Whether it is a number that is no whole one."""
        return self.what == "number" and not (
            _is_whole(self.before) and _is_whole(self.after)
        )

    @property
    def is_rounding(self) -> bool:
        """Whether it is a number that is as near to the other as in a type with fewer bits."""
        if not self.is_fraction:
            return False
        try:
            return math.isclose(float(self.before), float(self.after), rel_tol=_ROUNDED)
        except ValueError:
            return False

    @property
    def changes_values(self) -> bool:
        """Whether a number or a constant is another one, and not only a name."""
        return self.what != "name"


class TemplateRewritten(Change, code="template-rewritten", same_by=("come", "gone")):
    """The C++ that torch's source has for a kernel, around the loops that Inductor writes, is another."""

    gone: tuple[str, ...]
    """The functions that it no longer defines."""
    come: tuple[str, ...]
    lines_gone: int
    lines_come: int


def _is_whole(number: str) -> bool:
    return number.removeprefix("-").rstrip("uUlL").isdecimal()


def functions(code: str) -> list[str]:
    """The functions that code calls."""
    return _FUNCTION.findall(code)


def last_name(function: str) -> str:
    """`expm1` for `libdevice.expm1`, `std::expm1` and the method `tmp0.expm1`."""
    return re.split(r"[.:]", function)[-1]


row(
    "statements-changed",
    StatementsChanged,
    "code",
    "arithmetic",
    "A kernel has statements without a counterpart.",
    same_by=("outlines",),
)
row(
    "runtime-checks",
    StatementsChanged,
    "code",
    "safety",
    (
        "A kernel checks less, or more, of what it is given while it runs: that indices are in bounds, that a "
        "condition holds."
    ),
    same_by=("fewer",),
)
row(
    "value-changed",
    ValueChanged,
    "code",
    "arithmetic",
    "A value is computed otherwise: the operation that changed, without its operands.",
    anywhere=True,
)
row(
    "random-numbers",
    ValueChanged,
    "code",
    "random",
    "Random numbers come from another function.",
    anywhere=True,
)
