"""What was found out about a script, on one page: for each torch version, and what changed between two."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.facts.frames import frames
from pytest_compile_golden.features.triage.script_runs import PARTS, Triage
from pytest_compile_golden.report.styled_lines import Line, cut, printable
from pytest_compile_golden.stages import get_stage

_LONGEST = 140
_SHOWN = 5
_LIMIT = re.compile(r"re-?compile[ _]?limit|cache[ _]size[ _]limit", re.I)
"""In what torch says where it compiles no more versions of a function."""


def page(script: Path, found: Sequence[Triage], cause: Sequence[str]) -> list[Line]:
    """One section for each environment, then where the problem began.

    cause: what another version of the compiler does differently, most important first.
    """
    lines: list[Line] = [
        ("title", printable(script.name)),
        *(("", line) for line in about_gpu(found)),
    ]
    for one in found:
        lines += [
            ("", ""),
            (
                "title",
                printable(f"torch {one.ran.torch}" if one.ran.torch else one.label),
            ),
        ]
        lines += [
            (style, f"  {name:<14} {cut(printable(text), _LONGEST)}")
            for style, name, text in _rows(one, script)
        ]
    since = changed(found)
    if since is not None:
        good, bad = since
        lines += [
            ("", ""),
            ("title", f"between torch {good.ran.torch} and {bad.ran.torch}"),
        ]
        lines += [
            ("", f"  {cut(printable(line), _LONGEST)}") for line in cause[: 2 * _SHOWN]
        ]
        if not cause:
            lines += [("", "  nothing that torch logs of its compiles differs")]
    return lines


def about_gpu(found: Sequence[Triage]) -> list[str]:
    """What to know of what a virtual GPU computes, if there was one."""
    computed = {
        "kernels": "compiled graphs compute what its kernels do, interpreted, and all else what the CPU's operators do",
        "graph": "what it computes is what the CPU's operators do, in compiled graphs as well: kernels are not run",
    }
    ran_on = dict.fromkeys(
        (one.gpu, one.values) for one in found if one.gpu is not None
    )
    return [
        f"Run on a virtual {name}, compiled as for the card: {computed[values]}"
        for name, values in ran_on
    ]


def changed(found: Sequence[Triage]) -> tuple[Triage, Triage] | None:
    """The first two environments, in the order given, of which only one goes wrong: the good one first."""
    for one, other in pairwise(found):
        if one.ran.bad != other.ran.bad:
            return (other, one) if one.ran.bad else (one, other)
    return None


def _rows(one: Triage, script: Path) -> Iterator[tuple[str, str, str]]:
    ran = one.ran
    cases = () if one.trace is None else one.trace.cases
    numbers = get_stage("metrics").format.numbers
    graphs = [
        (numbers(case.text("metrics") or "") or {}).get("graphs")
        for case in cases
        if case.message is None
    ]
    failed = [case for case in cases if case.message is not None]
    functions = {case.nodeid.partition(" (compile ")[0] for case in cases}
    if ran.problem is None:
        inside = quantity(len(functions), "function")
        known = [int(each) for each in graphs if each is not None]
        if len(known) == len(graphs):
            inside = f"{quantity(sum(known), 'graph')} in {inside}"
        yield "good", "runs", f"yes: {inside}"
    else:
        yield "bad", "runs", f"no: {_first(ran.problem)}"
        for line in _own_frames(ran.traceback, script)[-1:]:
            yield "", "", line
    limited = [case for case in failed if _LIMIT.search(_first(case.message or ""))]
    for case in [case for case in failed if case not in limited][:_SHOWN]:
        yield "bad", "does not compile", f"{case.nodeid}: {_first(case.message or '')}"
    for stage, name in (("graph_breaks", "graph breaks"), ("recompiles", "recompiled")):
        stops_in = get_stage(stage).format.document
        stopped = (stop for case in cases for stop in stops_in(case.text(stage) or ""))
        there = Counter((stop.at, stop.reason) for stop in stopped)
        yield "", name, str(sum(there.values()))
        for (at, reason), times in list(there.items())[:_SHOWN]:
            yield "", "", f"{at}: {reason}" + (f" ({times} times)" if times > 1 else "")
    for case in limited[:_SHOWN]:
        function, _, time = case.nodeid.partition(" (compile ")
        after = f" after {int(time.rstrip(')')) - 1} compiles" if time else ""
        then = (
            "an error with fullgraph=True"
            if ran.problem is not None
            else "other calls run in eager mode"
        )
        yield (
            "bad",
            "limit reached",
            f"{function} is not recompiled any more{after}: {then}",
        )
    yield from _values(one)
    for place, line in enumerate(ran.interpreted):
        yield "dim", "" if place else "virtual GPU", line
    if one.part is not None:
        yield "", "due to", PARTS[one.part]


def _values(one: Triage) -> Iterator[tuple[str, str, str]]:
    checks = one.ran.checks
    if not checks:
        yield (
            "dim",
            "values",
            "not compared: nothing that torch.compile returned was called to the end",
        )
        return
    bad = any(not check or check.other_strides for check in checks)
    style = (
        "bad"
        if bad
        else "good"
        if any(check.verdict == "same" for check in checks)
        else "dim"
    )
    yield style, "values", one.ran.verdicts
    for check in [check for check in checks if check.verdict != "same"][:_SHOWN]:
        worst = check.worst
        if worst is None:
            yield style, "", f"{check.function}: {''.join(check.not_compared)}"
            continue
        yield style, "", f"{check.function}: {worst.what}: {worst.text}"
        if worst.reason not in ("", check.verdict):
            yield style, "", worst.reason


def _first(text: str) -> str:
    return next(iter(split_lines(text)), "no message")


def _own_frames(traceback: str, script: Path) -> list[str]:
    """The lines of the frames in the script and in files beside it, last those that Dynamo was reading."""
    folder = script.resolve().parent
    shown = []
    for frame in frames(traceback):
        file = Path(frame.file)
        if file.is_relative_to(folder) and "site-packages" not in file.parts:
            where = "" if file == script.resolve() else f"{file.relative_to(folder)}, "
            shown.append(
                f"{where}line {frame.line}, in {frame.function}: {frame.code.strip()}"
            )
    return shown
