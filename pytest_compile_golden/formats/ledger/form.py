"""What counts of a ledger."""

from __future__ import annotations

from collections.abc import Hashable

from pytest_compile_golden.formats.ledger.printed import REARRANGED


def canonical(text: str) -> Hashable:
    """What counts of a ledger: the rows of passes that did something. A pass that did nothing may come or go.

    Nor does it count that one changed no operator: its graph tells arguments and what depends on the order of nodes.
    """
    found = [counts for line in text.splitlines() if (counts := significant(line)) is not None]
    quiet = {at - 1 for at, line in enumerate(found) if line == REARRANGED and not found[at - 1].startswith("pattern ")}
    return tuple(line for at, line in enumerate(found) if at not in quiet and at - 1 not in quiet)


def significant(line: str) -> str | None:
    """What counts of one row: not where the pass is defined; None for a pass that did nothing."""
    row = line.partition("  # ")[0].rstrip()
    return None if not row or row.endswith(" .") or row.startswith("#") else " ".join(row.split())
