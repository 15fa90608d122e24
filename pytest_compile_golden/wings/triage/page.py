"""What was found about a script, as the one page that a triager would write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from pytest_compile_golden.formats import stops
from pytest_compile_golden.formats.metrics import METRICS_FORMAT
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.recordings.recording import Recording
from pytest_compile_golden.report.counts import count
from pytest_compile_golden.report.lines import Line, printable
from pytest_compile_golden.wings.triage.runs import Part, Triage

_LONGEST = 140
_SHOWN = 5
PARTS: Mapping[Part, str] = {
    "program": "the program itself: it fails without torch.compile too",
    "dynamo": "Dynamo: it is there with the backend `eager`, which runs what Dynamo captured",
    "aot_autograd": "AOTAutograd: it is there with the backend `aot_eager` and not with `eager`",
    "decompositions": "decompositions or the partitioner: it is there with `aot_eager_decomp_partition` only",
    "inductor": "Inductor: it is gone with every backend that leaves Inductor out",
}


def page(script: Path, found: Sequence[Triage], cause: Sequence[str]) -> list[Line]:
    """One section for each environment, then where the problem began.

    cause: what another version of the compiler does differently, most important first.
    """
    lines: list[Line] = [("title", printable(script.name))]
    for one in found:
        lines += [("", ""), ("title", printable(f"torch {one.ran.torch}" if one.ran.torch else one.label))]
        lines += [(style, f"  {name:<14} {printable(text)[:_LONGEST]}") for style, name, text in _rows(one)]
    since = changed(found)
    if since is not None:
        good, bad = since
        lines += [("", ""), ("title", f"between torch {good.ran.torch} and {bad.ran.torch}")]
        lines += [("", f"  {printable(line)[:_LONGEST]}") for line in cause[: 2 * _SHOWN]]
        if not cause:
            lines += [("", "  nothing that torch logs of its compiles differs")]
    return lines


def changed(found: Sequence[Triage]) -> tuple[Triage, Triage] | None:
    """The first two environments, in the order given, of which only one goes wrong: the good one first."""
    for one, other in pairwise(found):
        if one.ran.bad != other.ran.bad:
            return (other, one) if one.ran.bad else (one, other)
    return None


def _rows(one: Triage) -> Iterator[tuple[str, str, str]]:
    ran = one.ran
    graphs = 0 if one.trace is None else _graphs(one.trace)
    failed = [] if one.trace is None else [case for case in one.trace.cases if case.message is not None]
    if ran.problem is None:
        yield "good", "runs", f"yes: {count(graphs, 'graph')} in {_frames(one.trace)}"
    else:
        yield "bad", "runs", f"no: {_first(ran.problem)}"
        for line in _own_frames(ran.traceback)[-1:]:
            yield "", "", line
    for case in failed[:_SHOWN]:
        yield "bad", "does not compile", f"{case.nodeid}: {_first(case.message or '')}"
    for stage, name in (("graph_breaks", "graph breaks"), ("recompiles", "recompiled")):
        there = _stops(one.trace, stage)
        yield "", name, str(sum(there.values()))
        for (at, reason), times in [*there.items()][:_SHOWN]:
            yield "", "", f"{at}: {reason}" + (f" ({times} times)" if times > 1 else "")
    yield from _values(one)
    if one.part is not None:
        yield "", "due to", PARTS[one.part]


def _values(one: Triage) -> Iterator[tuple[str, str, str]]:
    kinds = Counter(check.kind for check in one.ran.checks)
    if not one.ran.checks:
        yield "dim", "values", "not compared: nothing that torch.compile returned was called to the end"
        return
    style = "bad" if kinds["wrong"] else "good" if kinds["same"] else "dim"
    yield (
        style,
        "values",
        ", ".join(f"{kinds[kind]} {kind}" for kind in ("wrong", "same", "not compared") if kinds[kind]),
    )
    for check in [check for check in one.ran.checks if check.kind != "same"][:_SHOWN]:
        yield style, "", f"{check.function}: {check.detail}"


def _graphs(trace: Recording) -> int:
    numbers = (METRICS_FORMAT.numbers(case.text("metrics") or "") or {} for case in trace.cases)
    return sum(int(of_case.get("graphs", 0)) for of_case in numbers)


def _frames(trace: Recording | None) -> str:
    names = {case.nodeid.partition(" (compile ")[0] for case in trace.cases} if trace is not None else set()
    return count(len(names), "function")


def _stops(trace: Recording | None, stage: str) -> Counter[tuple[str, str]]:
    texts = [case.text(stage) or "" for case in trace.cases] if trace is not None else []
    return Counter((stop.at, stop.reason) for text in texts for stop in stops.read(text))


def _first(text: str) -> str:
    return next(iter(split_lines(text)), "no message")


def _own_frames(traceback: str) -> list[str]:
    """The lines of the script's own frames, last those that Dynamo was reading: `line 7, in f: return g(x)`."""
    lines = split_lines(traceback)
    return [
        f"{line.strip().partition(', ')[2]}: {after.strip()}"
        for line, after in pairwise(lines)
        if line.lstrip().startswith('File "')
        and "/torch/" not in line
        and "driver.py" not in line
        and "runpy" not in line
    ]
