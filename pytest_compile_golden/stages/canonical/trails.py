"""The trail of a compile; the text is the one that `stages/trail.py` writes."""

from __future__ import annotations

from collections.abc import Hashable

from pytest_compile_golden.lines import split_lines


def trail(text: str) -> Hashable:
    """Each step with its digest; sizes and places are for the reader, and decisions have no order."""
    steps: list[tuple[str, str]] = []
    decisions: list[tuple[str, str]] = []
    here = ""
    for line in split_lines(text):
        code = line.partition("  # ")[0].rstrip()
        if not code or code.startswith("#"):
            continue
        if code.startswith(" "):
            decisions.append((here, code))
        else:
            here = code.split()[0]
            steps.append((here, code.split()[-1]))
    return tuple(steps), tuple(sorted(decisions))
