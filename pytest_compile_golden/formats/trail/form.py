"""The significant content of a trail."""

from __future__ import annotations

from collections.abc import Hashable

from pytest_compile_golden.formats.trail.printed import FEEDS
from pytest_compile_golden.lines import split_lines


def canonical(text: str) -> Hashable:
    """Each step with its digest, and decisions unordered; sizes, locations and inventories are for the reader.

    Decompositions, lowerings and what stopped Dynamo explain the digest of the step that they feed, and count only if
    that step is missing.
    """
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
            here = code.split()[0].rstrip(":")
            steps.append((here, code.split()[-1]))
    names = {name for name, _ in steps}
    lists = {name for name in names if FEEDS.get(name) in names}
    counting = tuple(step for step in steps if step[0] not in lists)
    return counting, tuple(sorted(decision for decision in decisions if decision[0] not in lists))
