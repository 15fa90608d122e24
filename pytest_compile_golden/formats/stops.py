"""What stops Dynamo: graph breaks and recompilations, by reason and by the line of the program."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_compile_golden.lines import split_lines

STOPS: Mapping[str, str] = {"graph_breaks": "graph break", "recompiles": "recompilation"}
"""The stages that tell of them, each with a word for one."""
_FIRST = re.compile(r"\d+: (.+)$")
_LONGEST = 120


@dataclass(frozen=True)
class Stop:
    """Where Dynamo stopped, or compiled again."""

    reason: str
    at: str
    """`function: source line`."""


def stop(reason: Sequence[str], at: str) -> Stop:
    """With the line of its reason that says most: the first one may only say that there is a reason."""
    lines = [line for line in reason if not line.endswith(":")] or [*reason] or ["no reason given"]
    return Stop(lines[0].replace("  # ", " ")[:_LONGEST], at)


def read(text: str) -> list[Stop]:
    """Those that a stage's text tells of; none where it is no such text."""
    found: list[tuple[str, list[str]]] = []
    for line in split_lines(text):
        if first := _FIRST.match(line):
            found.append((first[1], []))
        elif found:
            found[-1][1].append(line.strip())
    return [stop(reason, at) for at, reason in found]


def news(stage: str, old: Sequence[Stop], new: Sequence[Stop]) -> Iterator[tuple[str, Stop]]:
    """What only one side has, in words; the same line is the same place, however torch words the reason today."""
    what = STOPS[stage]
    for stops, others, said in ((new, old, f"new {what}"), (old, new, f"no {what} any more")):
        places = Counter(each.at for each in others)
        for each in stops:
            if places[each.at]:
                places[each.at] -= 1
            else:
                yield f"{said}: {each.reason}, at `{each.at}`", each


def reworded(stage: str, old: Sequence[Stop], new: Sequence[Stop]) -> str:
    """How what stops at the same lines as before is told now."""
    reasons = {each.at: each.reason for each in old}
    for each in new:
        before = reasons.get(each.at, each.reason)
        if before != each.reason:
            return f"the same {STOPS[stage]}, told as: {each.reason}, before as: {before}"
    return f"the same {STOPS[stage]}, explained in other words"
