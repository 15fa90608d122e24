"""The pass ledger and the numbers."""

from __future__ import annotations

import re
from collections.abc import Hashable

_SAME_OPERATORS = "same operators, other order or arguments"
# A pass whose patterns matched and left the graph as it was; the scheduler's steps have no operators to tell by.
_UNCHANGED = re.compile(r"(?!scheduler ).* (\d+) -> \1$")
_EXPLAINED = "pattern_matches"


def passes(text: str) -> Hashable:
    """What counts of a ledger: what passes did to operators. A pass that did nothing may come or go.

    Nor does it count that one changed no operator: its graph tells arguments and what depends on the order of nodes.
    How often a pattern matched explains what its pass did, and says nothing else.
    """
    found = [row for line in text.splitlines() if (row := pass_row(line)) is not None and row[:8] != "pattern "]
    return tuple(
        row
        for row, after in zip(found, [*found[1:], ""], strict=True)
        if _SAME_OPERATORS not in (row, after) and (after[:1] in ("+", "-") or _UNCHANGED.match(row) is None)
    )


def pass_row(line: str) -> str | None:
    """What counts of one row: not where the pass is defined; None for a pass that did nothing."""
    row = line.partition("  # ")[0].rstrip()
    return None if not row or row.endswith(" .") or row.startswith("#") else " ".join(row.split())


def metrics(text: str) -> Hashable:
    """The numbers, whatever their order and comments, without torch's count of what its patterns matched."""
    lines = (line.partition("#")[0].split("=", 1) for line in text.splitlines())
    numbers = ((parts[0].strip(), parts[1].strip()) for parts in lines if len(parts) == 2)
    return frozenset(number for number in numbers if number[0] != _EXPLAINED)
