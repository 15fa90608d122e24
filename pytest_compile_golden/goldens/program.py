"""Whether the program under test changed, judging by its lines that graphs quote, or its inputs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import chain

from pytest_compile_golden.changes.decisions import ProgramChanged
from pytest_compile_golden.formats import stops
from pytest_compile_golden.formats.graph import GRAPH, GraphFormat
from pytest_compile_golden.formats.trail import compare as trail
from pytest_compile_golden.goldens.compare import Compared

_TOKEN = re.compile(r"[\w.]+|\S")
_RESUMED = "torch_dynamo_resume_in_"
_LONGEST = 100
_MOST_INPUTS = 3
# A dtype, and a size in every dimension.
_KNOWN = re.compile(r"\w+\[(?:\d+(?:, \d+)*)?\]")


@dataclass(frozen=True)
class Edited:
    """How the program, or its inputs, changed."""

    what: ProgramChanged
    where: str | None
    """File and line of the program, if the run that captured it recorded them."""
    change: Compared
    """The change of a graph that shows it."""


def edited(changes: Sequence[Compared]) -> Edited | None:
    """What changed in the program or its inputs; None if the graph that Dynamo captured, or its lines and inputs, are
    unchanged.

    changes: of one capture.
    """
    by_stage = {change.stage: change for change in changes if change.kind in ("structural", "cosmetic")}
    trail_change = by_stage.get("trail")
    if trail_change is not None and not trail.differ("dynamo_graph", trail_change.old, trail_change.new):
        return None
    other_operators = trail_change is None or not trail.same_operators(
        "dynamo_graph", trail_change.old, trail_change.new
    )
    # Their lines quote the program.
    graphs = [change for change in by_stage.values() if isinstance(change.declared.format, GraphFormat)]
    if trail_change is None and "dynamo_graph" not in by_stage:
        # Nothing shows what Dynamo captured: only graphs that really changed count.
        graphs = [change for change in graphs if change.kind == "structural"]
    stopped = {line for change in by_stage.values() for line in _stopped(change)}
    for change in graphs:
        # Code after a graph break is quoted as a function of its own; the line that breaks, not at all.
        both = [list(GRAPH.quoted(text)) for text in (change.old, change.new)]
        old, new = ([line for line in map(_as_written, quoted) if line not in stopped] for quoted in both)
        # Where only one torch goes on after a break, only it quotes what follows.
        goes_on = [any(function.startswith(_RESUMED) for function, _ in quoted) for quoted in both]
        alone = {
            _as_written(line)
            for quoted in both
            for line in quoted
            if goes_on[0] != goes_on[1] and line[0].startswith(_RESUMED)
        }
        gone, come = (
            [line for line in one if line not in other and line not in alone] for one, other in ((old, new), (new, old))
        )
        # Torch may start to quote another frame, or none; the user changed lines of a function that both sides quote.
        known = {function for function, _ in old}
        functions = [function for function in dict.fromkeys(function for function, _ in new) if function in known]
        for function, before, after in _edits(gone, come, functions):
            if not (other_operators or (before and after)):
                # A later pass dropped a node, and its line with it: an edit has other operators, or another line.
                continue
            where = dict(change.locations).get(f"{function}: {after}")
            return Edited(ProgramChanged("program", _difference(before, after)), where, change)
    for change in graphs:
        # The inputs of backward are what torch saved.
        if change.stage == "backward_graph":
            continue
        if text := _inputs(*map(GRAPH.input_types, (change.old, change.new))):
            return Edited(ProgramChanged("inputs", text), None, change)
    return None


def _as_written(line: tuple[str, str]) -> tuple[str, str]:
    function, code = line
    return function.removeprefix(_RESUMED), code


def _stopped(change: Compared) -> Iterator[tuple[str, str]]:
    """The lines at which Dynamo stopped, on either side."""
    for text in (change.old, change.new):
        if change.stage == "trail":
            stopped = trail.stopped(text)
        elif change.stage in stops.STOPS:
            stopped = stops.read(text)
        else:
            return
        for stop in stopped:
            function, _, code = stop.at.partition(": ")
            yield _as_written((function, code))


def _inputs(old: Sequence[str], new: Sequence[str]) -> str:
    """Which inputs have different shapes or dtypes; empty if torch may be the cause.

    Torch chooses which sizes are symbols, what else is an input (attributes, sizes), and the order of inputs.
    """
    changed = list(dict.fromkeys((one, other) for one, other in zip(old, new, strict=False) if one != other))
    if len(old) != len(new) or sorted(old) == sorted(new) or any(not _KNOWN.match(kind) for kind in chain(*changed)):
        return ""
    parts = [f"{one} -> {other}" for one, other in changed]
    more = f" and {len(parts) - _MOST_INPUTS} more" if len(parts) > _MOST_INPUTS else ""
    return "; ".join(parts[:_MOST_INPUTS]) + more


def _edits(
    gone: Sequence[tuple[str, str]], come: Sequence[tuple[str, str]], functions: Sequence[str]
) -> Iterator[tuple[str, str, str]]:
    """Each function with a line before and after; empty for a line that is new, or gone."""
    for function in functions:
        before, after = ([code for name, code in lines if name == function] for lines in (gone, come))
        for index in range(max(len(before), len(after))):
            yield function, "".join(before[index : index + 1]), "".join(after[index : index + 1])


def _difference(before: str, after: str) -> str:
    """What differs between two lines, or the lines themselves if that would be too long."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    parts = []
    for kind, low, high, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            gone, come = " ".join(old[low:high]), " ".join(new[start:end])
            parts.append(f"{gone} -> {come}" if gone and come else f"-{gone}" if gone else f"+{come}")
    short = "; ".join(parts)
    if before and after and len(short) <= _LONGEST:
        return short
    return f"{before} -> {after}" if before and after else f"-{before}" if before else f"+{after}"
