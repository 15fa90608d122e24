"""Rows for kernels."""

from __future__ import annotations

import re

from pytest_compile_golden.changes import kernels, known_rewrites
from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.changes.kernels import ArgumentChanged, ValueChanged
from pytest_compile_golden.words.table import Said, and_more, say

_DTYPE = re.compile(r"tl\.(?:u?int|b?float)\d+$")
_PERSISTENT = "persistent_reduction"


def _kernels(change: kernels.KernelsChanged) -> str:
    gone, come = " + ".join(change.gone), " + ".join(change.come)
    count = f"({change.before} -> {change.after} kernel{'s' if change.after != 1 else ''})"
    if change.number_gone > change.number_come:
        return f"fewer kernels, {gone} is gone {count}"
    return f"more kernels, besides {come} {count}" if change.number_come > change.number_gone else f"{gone} -> {come}"


def _loop_nest(change: kernels.LoopNestChanged) -> str:
    news = "kernel is of a different kind"
    if change.after == _PERSISTENT:
        news = "reduction is persistent now"
    elif (change.before, change.after) == (_PERSISTENT, "reduction"):
        news = "reduction is a loop now"
    return f"{news} (triton_heuristics.{change.before} -> {change.after})"


def _tiling(change: kernels.TilingChanged) -> str | tuple[str, str]:
    how = [f"{change.grids[0]} -> {change.grids[1]}"] * bool(change.grids and all(change.grids)) if change.grids else []
    how += [f"no {block}" for block in change.blocks_gone]
    title = f"kernel is tiled in {change.after}D instead of {change.before}D"
    return (title, ", ".join(how)) if how else title


def _metadata(change: kernels.MetadataChanged) -> tuple[str, str] | str:
    if change.before is None:
        entry = f"{change.name} = {change.after} is new"
    elif change.after is None:
        entry = f"{change.name} = {change.before} is gone"
    else:
        entry = f"{change.name}: {change.before} -> {change.after}"
    return ("combo kernels", f"launch metadata {entry}") if change.combo else f"launch metadata {entry}"


def _statements(change: kernels.StatementsChanged) -> str:
    if change.barriers:
        fewer = len(change.gone) > len(change.come)
        return f"threads wait for each other {'less' if fewer else 'more'} often (debug_barrier)"
    parts = []
    for sign, lines in (("-", change.gone), ("+", change.come)):
        if lines:
            parts.append(f"{sign} {lines[0]}{and_more(len(lines) - 1, 'line')}")
    return "  ".join(parts)


def _argument(change: ArgumentChanged) -> str:
    if not change.argument:
        return f"{change.function} is given one argument {'more' if change.gained else 'fewer'}: {change.value}"
    return f"{change.function} {'gains' if change.gained else 'loses'} {change.argument}={change.value}"


def _hint(change: kernels.LoadHintChanged) -> str:
    if not (change.before and change.after):
        how, value = ("gains", change.after) if change.after else ("loses", change.before)
        return f"{change.function} {how} {change.hint}={value}"
    return f"{change.function} has {change.hint}={change.after} instead of {change.before}"


def _rewrite(change: Change) -> Said:
    """What the row of a known rewrite says, ahead of what is said of any such change."""
    if isinstance(change, ArgumentChanged):
        told = _argument(change)
    else:
        assert isinstance(change, ValueChanged)
        told = f"{change.before} -> {change.after}"
    sentence = known_rewrites.ROWS[change.code].sentence
    return (sentence, told) if sentence else told


_DIFFERENCE = "{before} -> {after}"

say(kernels.SameMachineCode, "the same machine code, from source written differently")
say(kernels.KernelsChanged, _kernels)
say(kernels.LoopNestChanged, _loop_nest)
say(kernels.TilingChanged, _tiling)
say(kernels.MetadataChanged, _metadata)
say(kernels.ReductionHintChanged, "reduction hint {before} -> {after}")
say(kernels.SizeHintsChanged, "size_hints", _DIFFERENCE)
say(kernels.ParametersChanged, "{function} {gained:gains|loses} parameter {parameters}")
say(
    kernels.BodyShared,
    "{shared:tensors that are computed alike share one body of a kernel|each tensor has a body of its own in a kernel}",
)
say(kernels.StatementsChanged, _statements)
say(
    kernels.ChecksChanged,
    lambda change: (
        f"{'fewer' if change.fewer else 'more'} checks while the kernel runs",
        _statements(change),
    ),
)
say(kernels.WrittenInPlace, "kernel writes {more:more|fewer} results over what it reads", _DIFFERENCE)
say(kernels.LoadsRepeated, "the same values are loaded {more:more|less} often")
say(kernels.IdleBarrier, "threads wait for each other {more:more|less} often, where nothing that is written is read")
say(ValueChanged, _DIFFERENCE)
say(kernels.RandomNumbers, "random numbers come from another function", _DIFFERENCE)
say(kernels.IndexCast, "index is cast where it is used", "index -> index{casts}")
say(ArgumentChanged, _argument)
say(kernels.LoadHintChanged, _hint, several=lambda change: f"different {change.hint} of {change.function}")
say(
    kernels.LeafChanged,
    lambda change: (
        f"a value is of type {change.after} instead of {change.before}"
        if _DTYPE.match(change.before) and _DTYPE.match(change.after)
        else f"{change.before} -> {change.after}"
    ),
)
say(kernels.MaskChanged, "different mask", _DIFFERENCE)
say(kernels.ShapeChanged, "block of a different shape", _DIFFERENCE)
say(kernels.ScalarTail, "tail of a vectorised loop is scalar now", "+ {loop}")
say(kernels.AccumulatorsUnread, "reduction sets up an array of accumulators that nothing reads", "{declaration}")
for kind in known_rewrites.TYPES.values():
    several = bool(known_rewrites.ROWS[kind.code].several)
    say(kind, _rewrite, several=(lambda change: known_rewrites.ROWS[change.code].several) if several else None)
