"""What is significant in a ledger."""

from __future__ import annotations

import re
from collections.abc import Hashable

from pytest_compile_golden.formats.ledger.printed import REARRANGED
from pytest_compile_golden.lines import split_lines

# A pass whose patterns matched and left the graph as it was; the scheduler's steps have no operators to tell by.
_UNCHANGED = re.compile(r"(?!scheduler ).* (\d+) -> \1$")
_PATTERN = "pattern "


def canonical(text: str) -> Hashable:
    """What is significant in a ledger: what passes did to operators. A pass that did nothing may come or go.

    Nor does it count that one changed no operator: its graph tells arguments and what depends on the order of nodes.
    How often a pattern matched explains what its pass did, and says nothing else.
    """
    lines = (significant(line) for line in split_lines(text))
    significant_lines = [line for line in lines if line is not None and not line.startswith(_PATTERN)]
    return tuple(
        line
        for line, after in zip(significant_lines, [*significant_lines[1:], ""], strict=True)
        if REARRANGED not in (line, after) and (after[:1] in ("+", "-") or _UNCHANGED.match(line) is None)
    )


def significant(line: str) -> str | None:
    """What is significant in one row: not where the pass is defined; None for a pass that did nothing."""
    row = line.partition("  # ")[0].rstrip()
    return None if not row or row.endswith(" .") or row.startswith("#") else " ".join(row.split())
