"""What is said of numbers that are neither a regression nor a win."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from pytest_compile_golden.changes.verdict import (
    Coalescing,
    CountedOtherwise,
    OtherGraphs,
    Reason,
    ResultChanged,
    Undone,
)

_PAID = ", at this price"
_RESULTS = {"old": "fixes a wrong result", "new": "computes a wrong result now"}

_ROWS: dict[type[Reason], Callable[[Any], str]] = {
    ResultChanged: lambda reason: _RESULTS[reason.wrong] + (f" on {reason.target}" if reason.target else ""),
    Undone: lambda reason: f"as on {reason.torch} again",
    CountedOtherwise: lambda reason: "the same runs; torch counts its bytes otherwise",
    OtherGraphs: lambda reason: (
        f"{reason.new} graphs are captured instead of {reason.old}, at as many graph breaks and recompilations"
    ),
    Coalescing: lambda _: "likely faster: the fused kernel had accesses that were not coalesced",
}


def why(reason: Reason | None, moved: bool = False) -> str:
    """The reason in a few words; empty if there is none. moved: whether a number moved."""
    said = "" if reason is None else _ROWS[type(reason)](reason)
    return said + (_PAID if moved and reason == ResultChanged("old") else "")


def results(wrong: Literal["old", "new"], some: int, cases: int, moved: bool) -> str:
    """What a change in `cases` cases does to the results of `some` of them. moved: whether a number moved."""
    return f"{_RESULTS[wrong]} in {some} of {cases} cases" + (_PAID if moved and wrong == "old" else "")
