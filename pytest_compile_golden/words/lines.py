"""Rows for texts about which no more is known than their lines."""

from __future__ import annotations

from pytest_compile_golden.changes.change import Counts
from pytest_compile_golden.changes.lines import (
    CallsChanged,
    DiffersAsAWhole,
    InputChecksChanged,
    LineAdded,
    LineMoved,
    LineRemoved,
    LineReplaced,
    LinesChanged,
    LooksDifferent,
    NewGoldens,
    Rewritten,
)
from pytest_compile_golden.words.english import counted, number, parenthesised
from pytest_compile_golden.words.table import say

_MOST_CALLS = 6


def _lines(change: LinesChanged) -> str:
    shown = [f"{sign} {line}" for sign, line in (("-", change.gone), ("+", change.come)) if line]
    more = [number(change.more_lines, "more line")] * bool(change.more_lines)
    more += [number(change.more_places, "more place")] * bool(change.more_places)
    return "  ".join(shown) + parenthesised(more)


def _calls(sign: str, calls: Counts) -> list[str]:
    names = counted(calls)
    left_out = [f"{sign} {len(names) - _MOST_CALLS} more"] * (len(names) > _MOST_CALLS)
    return [f"{sign} {name}" for name in names[:_MOST_CALLS]] + left_out


say(LinesChanged, _lines)
say(Rewritten, lambda change: f"rewritten, from {change.before} to {change.after} lines")
say(LineAdded, lambda change: f"+ {change.line}")
say(LineRemoved, lambda change: f"- {change.line}")
say(LineReplaced, lambda change: f"- {change.gone}  + {change.come}")
say(LineMoved, lambda change: ("moved", change.line))
say(
    InputChecksChanged,
    lambda change: (
        f"wrapper code {'checks sizes and strides of its inputs' if change.more else 'no longer checks its inputs'}",
        " ".join(_calls("+", change.come) + _calls("-", change.gone)),
    ),
)
say(CallsChanged, lambda change: ("different calls", " ".join(_calls("+", change.come) + _calls("-", change.gone))))
say(DiffersAsAWhole, lambda _: "differs as a whole")
say(NewGoldens, lambda _: "new goldens")
say(LooksDifferent, lambda _: "names, comments or layout")
