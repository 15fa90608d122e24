"""Rows for numbers and for stages that are tables, and what is said about verdicts on numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any, Literal

from pytest_compile_golden.changes import numbers
from pytest_compile_golden.changes.common_types import NumberChanged
from pytest_compile_golden.changes.numbers import (
    Coalescing,
    CountedOtherwise,
    OtherGraphs,
    Reason,
    ResultChanged,
    Undone,
)
from pytest_compile_golden.common.quantity import listed, quantity
from pytest_compile_golden.formats.metrics.metric_table import WORDS
from pytest_compile_golden.messages.message_table import (
    more_or_fewer,
    new_or_gone,
    say,
)

_LONGEST = 40
"""Characters of an entry that is read as it is; of a longer one, the sizes that it is about come first."""
_MOST_FUNCTIONS = 3
_RELATIONS = {"Eq": ast.Eq, "Ne": ast.NotEq}
_SIZE = re.compile(r"\bsize\d+\b")
_PAID = ", at this cost"
_RESULTS = {"old": "fixes a wrong result", "new": "computes a wrong result now"}

_ROWS: dict[type[Reason], Callable[[Any], str]] = {
    ResultChanged: lambda reason: (
        _RESULTS[reason.wrong] + (f" on {reason.target}" if reason.target else "")
    ),
    Undone: lambda reason: f"as on {reason.torch} again",
    CountedOtherwise: lambda reason: (
        "the same runs; torch counts its bytes differently"
    ),
    OtherGraphs: lambda reason: (
        f"{quantity(reason.new, 'graph')} {'is' if reason.new == 1 else 'are'} captured instead of {reason.old}, "
        "at as many graph breaks and recompilations"
    ),
    Coalescing: lambda _: (
        "likely faster: the fused kernel had accesses that were not coalesced"
    ),
}


def _metric(change: numbers.MetricChanged) -> str | tuple[str, str]:
    """`fewer guards that run Python: 2 -> 1`, or `bytes_accessed up`."""
    name = change.name.rpartition(".")[2]
    if name not in WORDS or change.way == "changed":
        return change.key
    return (
        f"{more_or_fewer(change.way == 'up')} {WORDS[name]}",
        " -> ".join(
            f"{number:,}" if isinstance(number, int) else str(number)
            for number in (change.before, change.after)
        ),
    )


def _work(change: NumberChanged) -> tuple[str, str]:
    """`more work while compiling: conditions in codegen 30 -> 33 (+10%)`."""
    phase, _, counted = change.subject.partition(" ")
    share = (
        f" ({(change.after - change.before) / change.before:+.0%})"
        if change.before
        else ""
    )
    return (
        f"{'more' if change.more else 'less'} work while compiling",
        f"{counted} in {phase} {change.before} -> {change.after}{share}",
    )


def _counted(counted: tuple[tuple[str, int, int], ...]) -> str:
    return ", ".join(f"{name} {before} -> {after}" for name, before, after in counted)


def _entry(change: numbers.EntriesChanged) -> tuple[str, str]:
    noun, what, sizes = (
        change.noun.removesuffix(":"),
        _condition(change.what),
        sorted(set(_SIZE.findall(change.what))),
    )
    if len(what) > _LONGEST and sizes:
        noun = noun.replace("sizes", ", ".join(sizes))
    return new_or_gone(noun, change.new), what


def _conditions(change: numbers.ConditionsChanged) -> tuple[str, str]:
    """`fewer conditions on sizes: 5 by infer_size, 4 by is_contiguous`."""
    by = [f"{times} by {name or 'others'}" for name, times in change.by]
    return f"{change.how} conditions on sizes", listed(by, _MOST_FUNCTIONS)


def _condition(what: str) -> str:
    """A condition as sympy prints it, as people write it: `size0 // 2 != 0` for `Ne((size0//2), 0)`."""
    try:
        node = ast.parse(what, mode="eval").body
    except SyntaxError:
        return what
    match node:
        case ast.Call(func=ast.Name(id=name), args=[left, right]) if name in _RELATIONS:
            node = ast.Compare(left, [_RELATIONS[name]()], [right])
        case ast.Compare():
            pass
        case _:
            return what
    return ast.unparse(node)


def _differs(change: numbers.EntryDiffers) -> str:
    how = (
        f": {change.before or 'no reason'} -> {change.after or 'no reason'}"
        if change.before or change.after
        else " differs"
    )
    return f"{change.noun} {change.what}{how}"


say("metric-changed", _metric)
say(
    "work-changed",
    _work,
    several=lambda change: ("more or less work while compiling", _work(change)[1]),
)
say("memory-sum", "{subject}", "{before} -> {after}")
say("value-kept", "{new:+|-} {noun} {what}")
say("collectives-changed", lambda change: ("collectives", _counted(change.counted)))
say("entries-changed", _entry)
say("conditions-changed", _conditions)
say(
    "remainder-of-sizes",
    "% of sizes is {after} instead of {before} in conditions on them",
)
say("conditions-turned", "the same conditions on sizes, written from the other side")
say("entry-differs", _differs)
say(
    "cache-key-parts",
    lambda change: ("keys of torch's caches have other parts", listed(change.what, 4)),
)
say(
    "signature-changed",
    lambda change: (
        new_or_gone("row of the signature", change.new),
        ", ".join(change.what),
    ),
)
say("compiled-kernels", "{after} compiled kernels instead of {before}")
say(
    "launched-differently",
    "{dropped:dropped by torch|launched differently}",
    "{difference}",
)
say("machine-code", "different machine code", "{what}")
say(
    "instructions",
    lambda change: (
        "instructions",
        _counted(change.counted) + (f", {change.others} more" if change.others else ""),
    ),
)
say(
    "operands", "the same instructions, with different operands or in a different order"
)
say(
    "compilers",
    "machine code by other compilers",
    "{before} -> {after}",
)


def why(reason: Reason | None, paid: bool = False) -> str:
    """The reason in a few words; empty if there is none. paid: whether a number got worse."""
    said = "" if reason is None else _ROWS[type(reason)](reason)
    return said + (_PAID if paid and reason == ResultChanged("old") else "")


def unexplained() -> str:
    """What is said of numbers that none of a case's changes is known to move."""
    return "unexplained: no change of these cases is known to move this"


def counted_otherwise() -> str:
    """What is said of numbers that differ although kernels read, write and compute the same."""
    return "counted otherwise: torch counts this differently, of what is read, written and computed as before"


def results(wrong: Literal["old", "new"], some: int, cases: int, paid: bool) -> str:
    """What a change in `cases` cases does to the results of `some` of them. paid: whether a number got worse."""
    return f"{_RESULTS[wrong]} in {some} of {cases} cases" + (
        _PAID if paid and wrong == "old" else ""
    )
