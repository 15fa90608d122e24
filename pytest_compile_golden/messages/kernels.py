"""Rows for kernels."""

from __future__ import annotations

import re

from pytest_compile_golden.changes import kernels, known_rewrites
from pytest_compile_golden.changes.common_types import (
    AttributeChanged,
    Replaced,
    Simple,
)
from pytest_compile_golden.changes.kernels import ValueChanged
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.common.surplus import surplus
from pytest_compile_golden.formats.statements import TEMPORARY
from pytest_compile_golden.messages.message_table import (
    Said,
    and_more,
    difference,
    more_or_fewer,
    say,
)

_DTYPE = re.compile(r"tl\.(?:u?int|b?float)\d+$")
_ROUNDED = re.compile(r"(.+?)\.to\(tl\.(b?float16)\)\.to\(tl\.float32\)")
"""A value that is cast to fewer bits and back, and what it is before that."""
_BOUNDS = re.compile(r"= (.+?); ?\w+ < (.+?);")
"""Where a loop of C++ begins and ends."""
_CONSTANT = re.compile(r"static_cast<int64_t>\((\d+)L?\)$")
"""A constant bound of such a loop, which is cast."""
_IN_BRACKETS = re.compile(r"\w+\['(\w+)'\]")
_MESSAGE = re.compile(r'"([^"]+)"')
_CAST = re.compile(r"\.to\(tl\.\w+\)")
"""A cast of a value in Triton."""
_PERSISTENT = "persistent_reduction"
_REDUCED = {
    "INNER": "a contiguous dimension",
    "OUTER": "a dimension that is not contiguous",
    "OUTER_TINY": "a small dimension that is not contiguous",
    "DEFAULT": "any dimension",
}
"""What a reduction is over, by its hint (torch/_inductor/runtime/hints.py: ReductionHint)."""


def _kernels(change: kernels.KernelsChanged) -> str:
    gone, come = " + ".join(change.gone), " + ".join(change.come)
    noun = f"{change.language} kernel".strip()
    count = f"({change.before} -> {quantity(change.after, noun)})"
    if change.number_gone > change.number_come:
        return f"fewer kernels, {gone} is gone {count}"
    return (
        f"more kernels, besides {come} {count}"
        if change.number_come > change.number_gone
        else f"{gone} -> {come}"
    )


def _loop_nest(change: Replaced) -> str:
    news = "kernel is of a different kind"
    if change.after == _PERSISTENT:
        news = "reduction is persistent now"
    elif (change.before, change.after) == (_PERSISTENT, "reduction"):
        news = "reduction is a loop now"
    return f"{news} (triton_heuristics.{change.before} -> {change.after})"


def _tiling(change: kernels.TilingChanged) -> str | tuple[str, str]:
    title = f"kernel is tiled in {_dimensions(change)}"
    how = _blocks(change)
    return (title, how) if how else title


def _tiling_of_several(change: kernels.TilingChanged) -> tuple[str, str]:
    title = f"kernel is tiled in {more_or_fewer(change.more)} dimensions"
    return title, ", ".join(filter(None, (_dimensions(change), _blocks(change))))


def _dimensions(change: kernels.TilingChanged) -> str:
    return f"{change.after}D instead of {change.before}D"


def _blocks(change: kernels.TilingChanged) -> str:
    how = [f"no {block}" for block in change.blocks_gone]
    if change.grids and all(change.grids):
        how.insert(0, f"{change.grids[0]} -> {change.grids[1]}")
    return ", ".join(how)


def _metadata(change: AttributeChanged) -> tuple[str, str] | str:
    entry = _IN_BRACKETS.sub(r"\1", change.name) if change.subject else change.name
    if change.before is None:
        entry = f"{entry} = {change.after} is new"
    elif change.after is None:
        entry = f"{entry} = {change.before} is gone"
    else:
        entry = f"{entry}: {change.before} -> {change.after}"
    return (
        ("metadata of combo kernels, which do the work of several", entry)
        if change.subject
        else f"launch metadata {entry}"
    )


def _statements(change: kernels.StatementsChanged) -> Said:
    if change.barriers:
        return f"threads wait for each other {'less' if change.fewer else 'more'} often (debug_barrier)"
    how = (
        "different" if change.gone and change.come else more_or_fewer(bool(change.come))
    )
    return f"kernel has {how} statements", _shown(change)


def _shown(change: kernels.StatementsChanged) -> str:
    parts = []
    for sign, lines in (("-", change.gone), ("+", change.come)):
        if lines:
            parts.append(f"{sign} {lines[0]}{and_more(len(lines) - 1, 'line')}")
    return "  ".join(parts)


def _checks(change: kernels.StatementsChanged) -> str:
    """What is said of a value that does not pass, if a check says it; else the lines."""
    come, gone = (
        [
            TEMPORARY.sub("index", message)
            for line in lines
            for message in _MESSAGE.findall(line)
        ]
        for lines in (change.come, change.gone)
    )
    more, fewer = (gone, come) if change.fewer else (come, gone)
    # A check that both sides have is neither new nor gone.
    said = surplus(more, fewer, str)
    return said[0] if said else _shown(change)


def _template(change: kernels.TemplateRewritten) -> str:
    lines = f"{quantity(change.lines_gone, 'line')} gone, {change.lines_come} new"
    functions = [f"with {name}()" for name in change.come[:1]] + [
        f"without {name}()" for name in change.gone[:1]
    ]
    return f"C++ template of the kernel is written differently: {', '.join([lines, *functions])}"


def _argument(change: AttributeChanged) -> str:
    if not change.name:
        return f"{change.subject} is given {difference(1, 'argument', change.new)}: {change.value}"
    return f"{change.subject} {'gains' if change.new else 'loses'} {change.name}={change.value}"


def _hint(change: AttributeChanged) -> str:
    if change.before is None or change.after is None:
        return _argument(change)
    return (
        f"{change.subject} has {change.name}={change.after} instead of {change.before}"
    )


def _rewrite(change: ValueChanged | AttributeChanged) -> Said:
    """What the row of a known rewrite says, ahead of what is said of any such change."""
    told = (
        _argument(change)
        if isinstance(change, AttributeChanged)
        else f"{change.before} -> {change.after}"
    )
    return known_rewrites.ROWS[change.code].sentence, told


def _value(change: ValueChanged) -> Said:
    """Values that are rounded on the way are said to be: their casts to fewer bits and back."""
    told = f"{change.before} -> {change.after}"
    for one, other, more in (
        (change.before, change.after, True),
        (change.after, change.before, False),
    ):
        rounded = _ROUNDED.fullmatch(other)
        if rounded is not None and rounded[1] == one:
            how = f"rounded to {rounded[2]}" if more else f"not rounded to {rounded[2]}"
            return f"a value is {how} on the way", told
    if _CAST.sub("", change.before) == _CAST.sub("", change.after):
        return "a value is cast differently", told
    if change.is_other_function:
        return "a value is computed by another function", told
    return "a value is computed differently", told


def _hinted(change: Replaced) -> Said:
    told = f"ReductionHint.{change.before} -> ReductionHint.{change.after}"
    if change.before not in _REDUCED or change.after not in _REDUCED:
        return "reduction has a different hint", told
    return (
        f"launch of a reduction is chosen for {_REDUCED[change.after]} instead of {_REDUCED[change.before]}",
        told,
    )


def _cast(change: kernels.IndexCast) -> str:
    if change.before and change.after:
        return "cast to another type"
    return "cast" if change.after else "no longer cast"


def _one_by_one(change: Simple) -> str | tuple[str, str]:
    """How many rounds of a loop are made without vectors, if its bounds are constants."""
    whole = change.code == "scalar-loop"
    news = (
        "a loop is computed without vectors now"
        if whole
        else "tail of a vectorised loop is scalar now"
    )
    bounds = _BOUNDS.search(change.what[0])
    numbers = [_CONSTANT.match(bound) for bound in bounds.groups()] if bounds else []
    if not numbers or None in numbers:
        return news
    start, end = (int(number[1]) for number in numbers if number)
    return news, quantity(end, "round") if whole else f"the last {end - start} of {end}"


_DIFFERENCE = "{before} -> {after}"

say("same-machine-code", "the same machine code, from source written differently")
say("kernels-changed", _kernels)
say("loop-nest", _loop_nest)
say("tiling", _tiling, several=_tiling_of_several)
say("launch-metadata", _metadata)
say(
    "argument-type",
    "a kernel of yours is given arguments as {after} instead of {before}",
    "{name}",
)
say("reduction-hint", _hinted)
say(
    "divisible-arguments",
    "{more:more|fewer} arguments of a kernel are said to be multiples of 16",
    "{before} -> {after}",
)
say("size-hints", "kernel is tuned for different sizes", _DIFFERENCE)
say("kernel-parameters", "{noun} {new:gains|loses} parameter {what}")
say(
    "body-shared",
    "{new:tensors that are computed alike share one body of a kernel|each tensor has a body of its own in a kernel}",
)
say("statements-changed", _statements)
say(
    "runtime-checks",
    lambda change: (
        f"{'fewer' if change.fewer else 'more'} checks while the kernel runs",
        _checks(change),
    ),
)
say(
    "written-in-place",
    "kernel writes {more:more|fewer} results over what it reads",
    _DIFFERENCE,
)
say(
    "function-called",
    "{what} is {new:one call of the function of that name instead of several operations"
    "|several operations instead of one call of the function of that name}",
)
say(
    "accumulators-by-row",
    "looped reduction {new:has an accumulator for each row, and reduces each block within the loop"
    "|has an accumulator for each element of a block, and reduces these after the loop}",
)
say("loads-repeated", "the same values are loaded {new:more|less} often")
say(
    "idle-barrier",
    "threads wait for each other {new:more|less} often (debug_barrier), where nothing that was written is read",
)
say("value-changed", _value)
say("random-numbers", "random numbers come from another function", _DIFFERENCE)
say("index-type", "kernel numbers its elements by {after} instead of {before}")
say(
    "index-cast",
    lambda change: (
        f"index is {_cast(change)} where it is used",
        f"index{change.before} -> index{change.after}",
    ),
)
say(
    "call-argument",
    lambda change: (
        _argument(change)
        if change.before is None or change.after is None
        else (
            f"{change.subject} is given another size",
            f"{change.before} -> {change.after}",
        )
    ),
)
say(
    "hints-changed",
    _hint,
    several=lambda change: f"different {change.name} of {change.subject}",
)
say(
    "constant-changed",
    lambda change: (
        f"a value is of type {change.after} instead of {change.before}"
        if _DTYPE.match(change.before) and _DTYPE.match(change.after)
        else ("constant is rounded differently", f"{change.before} -> {change.after}")
        if change.is_rounding
        else (
            f"different {'name' if change.what == 'name' else 'constant'}",
            f"{change.before} -> {change.after}",
        )
    ),
)
say("template-rewritten", _template)
say("mask-changed", "different mask", _DIFFERENCE)
say("block-shape", "block of a different shape", _DIFFERENCE)
say("scalar-tail", _one_by_one)
say("scalar-loop", _one_by_one)
say("vector-loop", "a loop is computed with vectors now")
say(
    "threads-in-loops",
    "threads are {new:started in each round of a loop|no longer started in each round of a loop}",
)
say("values-reordered", "kernel computes the same values in another order")
say(
    "accumulators-unread",
    "reduction sets up an array of accumulators that nothing reads",
    "{what}",
)
for code in known_rewrites.ROWS:
    say(code, _rewrite)
