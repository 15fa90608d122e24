"""Where Dynamo stops: graph breaks and recompilations, by reason and line of the program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_compile_golden.changes.common_types import NewOrGone, Replaced
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.surplus import surplus

STOPS: Mapping[str, str] = {
    "graph_breaks": "graph break",
    "recompiles": "recompilation",
}
"""The stages that list them, each with the noun for a single one."""
_LONGEST = 120


@dataclass(frozen=True)
class StopLine:
    """Where Dynamo stopped, or compiled again."""

    reason: str
    at: str
    """`function: source line`."""


def stop(reason: Sequence[str], at: str) -> StopLine:
    """A stop with the most informative line of its reason: the first line may only introduce the others."""
    lines = (
        [line for line in reason if not line.endswith(":")]
        or list(reason)
        or ["no reason given"]
    )
    return StopLine(lines[0].replace("  # ", " ")[:_LONGEST], at)


def read(text: str) -> list[StopLine]:
    """The stops listed in a stage's text; empty if the text is not of such a stage."""
    entries: list[tuple[str, list[str]]] = []
    for line in split_lines(text):
        number, _, at = line.partition(": ")
        if number.isdecimal() and at:
            entries.append((at, []))
        elif entries:
            entries[-1][1].append(line.strip())
    return [stop(reason, at) for at, reason in entries]


def differences(
    stage: str, old: Sequence[StopLine], new: Sequence[StopLine]
) -> Iterator[tuple[NewOrGone, StopLine]]:
    """The stops that only one side has. Stops are matched by line, since torch may reword the reason."""
    noun = STOPS[stage]
    for stops, others, is_new in ((new, old, True), (old, new, False)):
        for current in surplus(stops, others, lambda stop: stop.at):
            what = current.reason, current.at
            yield NewOrGone("stops-changed", what, is_new, noun), current


def reworded(stage: str, old: Sequence[StopLine], new: Sequence[StopLine]) -> Replaced:
    """How the reason for a stop at the same line as before is worded now."""
    reasons = {earlier.at: earlier.reason for earlier in old}
    for current in new:
        before = reasons.get(current.at, current.reason)
        if before != current.reason:
            return Replaced(
                "stop-reworded", before, current.reason, subject=STOPS[stage]
            )
    return Replaced("stop-reworded", "", "", subject=STOPS[stage])
