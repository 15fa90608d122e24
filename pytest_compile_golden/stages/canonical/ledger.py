"""The pass ledger and the numbers."""

from __future__ import annotations

from collections.abc import Hashable

from pytest_compile_golden.lines import split_lines

_SAME_OPERATORS = "same operators, other order or arguments"


def passes(text: str) -> Hashable:
    """What counts of a ledger: the rows of passes that did something. A pass that did nothing may come or go.

    Nor does it count that one changed no operator: its graph tells arguments and what depends on the order of nodes.
    """
    found = [row for line in split_lines(text) if (row := pass_row(line)) is not None]
    quiet = {
        at - 1 for at, row in enumerate(found) if row == _SAME_OPERATORS and not found[at - 1].startswith("pattern ")
    }
    return tuple(row for at, row in enumerate(found) if at not in quiet and at - 1 not in quiet)


def pass_row(line: str) -> str | None:
    """What counts of one row: not where the pass is defined; None for a pass that did nothing."""
    row = line.partition("  # ")[0].rstrip()
    return None if not row or row.endswith(" .") or row.startswith("#") else " ".join(row.split())


def metrics(text: str) -> Hashable:
    """The numbers, whatever their order and comments."""
    lines = (line.partition("#")[0].split("=", 1) for line in split_lines(text))
    return frozenset((parts[0].strip(), parts[1].strip()) for parts in lines if len(parts) == 2)
