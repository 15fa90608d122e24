"""Rows for texts about which no more is known than their lines."""

from __future__ import annotations

from pytest_compile_golden.changes import lines
from pytest_compile_golden.changes.change import Counts
from pytest_compile_golden.changes.common_types import Exchanged
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.messages.message_table import counted, parenthesised, say

_MOST_CALLS = 6


def _lines(change: lines.LinesChanged) -> tuple[str, str]:
    shown = [
        f"{sign} {line}"
        for sign, line in (("-", change.gone), ("+", change.come))
        if line
    ]
    more = ((change.more_lines, "more line"), (change.more_places, "more place"))
    return "different lines", "  ".join(shown) + parenthesised(
        quantity(several, noun) for several, noun in more if several
    )


def _calls(change: Exchanged) -> str:
    return " ".join(_named("+", change.come) + _named("-", change.gone))


def _named(sign: str, calls: Counts) -> list[str]:
    names = counted(calls)
    listed = [f"{sign} {name}" for name in names[:_MOST_CALLS]]
    if len(names) > _MOST_CALLS:
        listed.append(f"{sign} {len(names) - _MOST_CALLS} more")
    return listed


say("lines-changed", _lines)
say("rewritten", "rewritten, from {before} to {after} lines")
say("line-added", "new line", "{what}")
say("line-removed", "line gone", "{what}")
say("line-replaced", "different line", "- {before}  + {after}")
say("line-moved", "a line is in another place", "{what}")
say(
    "input-checks",
    lambda change: (
        f"wrapper code {'checks sizes and strides of its inputs' if change.more else 'no longer checks its inputs'}",
        _calls(change),
    ),
)
say("calls-changed", lambda change: ("different calls", _calls(change)))
say("differs", "differs as a whole")
say("new-goldens", "new goldens")
say("looks-different", "names, comments or layout")
