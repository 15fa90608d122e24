"""A short line diff of two texts."""

from __future__ import annotations

import difflib

from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.report.lines import Line, printable

_STYLES = {"+": "added", "-": "removed"}


def diff(old: str, new: str, *, limit: int | None = None, context: int = 2) -> list[Line]:
    """Removed and added lines with some context; after `limit` lines only how many more there are."""
    found: list[Line] = []
    hunks = difflib.unified_diff(split_lines(old), split_lines(new), n=context, lineterm="")
    for number, line in enumerate(hunks):
        if number < 2:  # the names of the two files
            continue
        if line.startswith("@@"):
            if found:
                found.append(("dim", "..."))
            continue
        found.append((_STYLES.get(line[0], ""), f"{line[0]} {printable(line[1:])}".rstrip()))
    if limit is not None and len(found) > limit:
        more = len(found) - limit
        found = [*found[:limit], ("dim", f"... {more} more line{'s' if more > 1 else ''}")]
    return found
