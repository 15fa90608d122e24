"""Rows for kernels."""

from __future__ import annotations

import re

from pytest_compile_golden.changes.kernels import (
    AccumulatorsUnread,
    ArgumentChanged,
    BodyShared,
    IdleBarrier,
    IndexCast,
    IntegerDivision,
    KernelsChanged,
    LanesFilled,
    LeafChanged,
    LoadHintChanged,
    LoadsRepeated,
    LoopNestChanged,
    MaskCast,
    MaskChanged,
    MaximumWritten,
    MetadataChanged,
    NegativeIndex,
    ParametersChanged,
    ReductionHintChanged,
    SameMachineCode,
    ScalarTail,
    ShapeChanged,
    SignOfDouble,
    SizeHintsChanged,
    SoftmaxFlag,
    StatementsChanged,
    TilingChanged,
    UnsignedAddition,
    ValueChanged,
)
from pytest_compile_golden.words.table import say

_DTYPE = re.compile(r"tl\.(?:u?int|b?float)\d+$")
_PERSISTENT = "persistent_reduction"


def _kernels(change: KernelsChanged) -> str:
    gone, come = " + ".join(change.gone), " + ".join(change.come)
    count = f"({change.before} -> {change.after} kernel{'s' if change.after != 1 else ''})"
    if change.number_gone > change.number_come:
        return f"fewer kernels, {gone} is gone {count}"
    return f"more kernels, besides {come} {count}" if change.number_come > change.number_gone else f"{gone} -> {come}"


def _loop_nest(change: LoopNestChanged) -> str:
    news = "kernel is of another kind"
    if change.after == _PERSISTENT:
        news = "reduction is persistent now"
    elif change.before == _PERSISTENT:
        news = "reduction is a loop now"
    return f"{news} (triton_heuristics.{change.before} -> {change.after})"


def _tiling(change: TilingChanged) -> str | tuple[str, str]:
    how = [f"{change.grids[0]} -> {change.grids[1]}"] * bool(change.grids and all(change.grids)) if change.grids else []
    how += [f"no {block}" for block in change.blocks_gone]
    title = f"kernel is tiled in {change.after}D instead of {change.before}D"
    return (title, ", ".join(how)) if how else title


def _metadata(change: MetadataChanged) -> tuple[str, str] | str:
    if change.before is None:
        entry = f"{change.name} = {change.after} is new"
    elif change.after is None:
        entry = f"{change.name} = {change.before} is gone"
    else:
        entry = f"{change.name}: {change.before} -> {change.after}"
    return ("combo kernels", f"launch metadata {entry}") if change.combo else f"launch metadata {entry}"


def _statements(change: StatementsChanged) -> str:
    if change.barriers:
        fewer = len(change.gone) > len(change.come)
        return f"threads wait for each other {'less' if fewer else 'more'} often (debug_barrier)"
    parts = []
    for sign, lines in (("-", change.gone), ("+", change.come)):
        if lines:
            parts.append(f"{sign} {lines[0]}" + (f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""))
    return "  ".join(parts)


def _argument(change: ArgumentChanged) -> str:
    if not change.argument:
        return f"{change.function} is given one argument {'more' if change.gained else 'less'}: {change.value}"
    return f"{change.function} {'gains' if change.gained else 'loses'} {change.argument}={change.value}"


def _hint(change: LoadHintChanged) -> str:
    if not (change.before and change.after):
        how, value = ("gains", change.after) if change.after else ("loses", change.before)
        return f"{change.function} {how} {change.hint}={value}"
    return f"{change.function} has {change.hint}={change.after} instead of {change.before}"


def _value(change: ValueChanged) -> str:
    return f"{change.before} -> {change.after}"


say(SameMachineCode, lambda _: "the same machine code, written otherwise")
say(KernelsChanged, _kernels)
say(LoopNestChanged, _loop_nest)
say(TilingChanged, _tiling)
say(MetadataChanged, _metadata)
say(ReductionHintChanged, lambda change: f"reduction hint {change.before} -> {change.after}")
say(SizeHintsChanged, lambda change: ("size_hints", f"{change.before} -> {change.after}"))
say(
    ParametersChanged,
    lambda change: (
        f"{change.function} {'gains' if change.gained else 'loses'} parameter {', '.join(change.parameters)}"
    ),
)
say(
    BodyShared,
    lambda change: (
        "tensors that are computed alike share one body of a kernel"
        if change.shared
        else "each tensor has a body of its own in a kernel"
    ),
)
say(StatementsChanged, _statements)
say(LoadsRepeated, lambda change: f"the same values are loaded {'more' if change.more else 'less'} often")
say(
    IdleBarrier,
    lambda change: (
        f"threads wait for each other {'more' if change.more else 'less'} often, where nothing that is written is read"
    ),
)
say(ValueChanged, _value)
say(
    MaximumWritten,
    _value,
    several=lambda _: "Triton's own maximum and minimum in place of Inductor's",
)
say(NegativeIndex, lambda change: ("negative index is no longer wrapped", _value(change)))
say(SignOfDouble, lambda change: ("sign test covers float64", _value(change)))
say(UnsignedAddition, lambda change: ("integers are added unsigned, which cannot overflow", _value(change)))
say(LanesFilled, lambda change: ("lanes past the end of a vector are filled", _value(change)))
say(MaskCast, lambda change: ("mask is cast by a function", _value(change)))
say(IntegerDivision, lambda change: ("integer // and % are calls", _value(change)))
say(IndexCast, lambda change: ("index is cast where it is used", f"index -> index{change.casts}"))
say(ArgumentChanged, _argument)
say(SoftmaxFlag, lambda change: ("online-softmax helper takes one more flag", _argument(change)))
say(LoadHintChanged, _hint, several=lambda change: f"other {change.hint} of {change.function}")
say(
    LeafChanged,
    lambda change: (
        f"a value is of type {change.after} instead of {change.before}"
        if _DTYPE.match(change.before) and _DTYPE.match(change.after)
        else f"{change.before} -> {change.after}"
    ),
)
say(MaskChanged, lambda change: ("other mask", f"{change.before} -> {change.after}"))
say(ShapeChanged, lambda change: ("block of another shape", f"{change.before} -> {change.after}"))
say(ScalarTail, lambda change: ("tail of a vectorised loop is scalar now", f"+ {change.loop}"))
say(
    AccumulatorsUnread,
    lambda change: ("reduction sets up an array of accumulators that nothing reads", change.declaration),
)
