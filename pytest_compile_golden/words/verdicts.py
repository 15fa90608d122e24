"""What is said of numbers that are neither a regression nor a win."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_compile_golden.changes.verdict import Coalescing, CountedOtherwise, Reason, ResultFixed, Undone

_ROWS: dict[type[Reason], Callable[[Any], str]] = {
    ResultFixed: lambda reason: "fixes a wrong result, at this price",
    Undone: lambda reason: f"as on {reason.torch} again",
    CountedOtherwise: lambda reason: "the same runs; torch counts its bytes otherwise",
    Coalescing: lambda _: "likely faster: the fused kernel had accesses that were not coalesced",
}


def why(reason: Reason | None) -> str:
    """The reason in a few words; empty if there is none."""
    return "" if reason is None else _ROWS[type(reason)](reason)
