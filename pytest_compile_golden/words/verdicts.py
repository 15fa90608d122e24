"""What is said of numbers that are neither a regression nor a win."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_compile_golden.changes.verdict import Coalescing, CountedOtherwise, Reason, ResultFixed, Undone
from pytest_compile_golden.words.english import listed

_SHOWN = 2


def _coalescing(reason: Coalescing) -> str:
    was = "was" if len(reason.accesses) == 1 else "were"
    return f"likely faster: {listed(reason.accesses, _SHOWN)} {was} not coalesced in the fused kernel"


_ROWS: dict[type[Reason], Callable[[Any], str]] = {
    ResultFixed: lambda reason: "fixes a wrong result, at this price",
    Undone: lambda reason: f"as on {reason.torch} again",
    CountedOtherwise: lambda reason: "the same runs; torch counts its bytes otherwise",
    Coalescing: _coalescing,
}


def why(reason: Reason | None) -> str:
    """The reason in a few words; empty if there is none."""
    return "" if reason is None else _ROWS[type(reason)](reason)
