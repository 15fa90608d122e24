"""`--reduce`: for the first distinct changes of a report, the smallest program that shows each."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from pytest_compile_golden.cli.console import say
from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.features.reduce.interestingness import Keep
from pytest_compile_golden.features.reduce.reduction import Reduction
from pytest_compile_golden.features.reduce.reduction_result import Reduced
from pytest_compile_golden.features.reduce.torch_process import TorchProcess
from pytest_compile_golden.report.case_groups import told_apart
from pytest_compile_golden.report.model import CaseGroup, Report

_MEMBERS = 3
"""How many cases of a change are tried at most."""
_NO_SHORTER = 2
"""Lines of the shortest program that there is: a function that returns what one operator computes."""
_SECONDS = 60
"""For one compile."""


def added(
    report: Report,
    pythons: Mapping[str, Path],
    program_of: Callable[[str], str],
    most: int,
    until: float,
) -> Report:
    """See `cli.explain_changes.with_programs`."""
    chosen = [group for group in report.groups if group.is_change and group.keys][:most]
    if not chosen:
        return report
    with ExitStack() as stack:
        sides = [
            stack.enter_context(TorchProcess(label, python))
            for label, python in pythons.items()
        ]
        seconds = {case.nodeid: case.seconds or 0.0 for case in report.cases}
        found = {}
        for place, group in enumerate(chosen):
            now = time.monotonic()
            share = (until - now) / (len(chosen) - place)
            members = sorted(group.members, key=lambda member: seconds.get(member, 0.0))
            found[group.keys] = _shortest(
                members, group, sides, program_of, now + share
            )
    groups: list[CaseGroup] = []
    for group in report.groups:
        reduced = found.get(group.keys)
        if reduced is None:
            groups.append(group)
        else:
            # What the smallest program does not share is not the same change.
            groups += told_apart(
                replace(group, program=reduced.noted_script),
                report.cases,
                reduced.others,
            )
    return replace(report, groups=tuple(groups))


def _shortest(
    members: Sequence[str],
    group: CaseGroup,
    sides: list[TorchProcess],
    program_of: Callable[[str], str],
    until: float,
) -> Reduced | None:
    """The shortest program that is found for a change in its first cases, as far as time allows: the fastest first."""
    found: list[Reduced] = []
    for member in members[:_MEMBERS]:
        if found and (
            found[-1].program.lines <= _NO_SHORTER or time.monotonic() > until
        ):
            break
        # Of a program of a corpus, the id ends with its target; a test is named with its own.
        target = None if "::test" in member else member.rpartition("[")[2].rstrip("]")
        reduction = Reduction(
            sides,
            program_of(member),
            Keep("change", group=group),
            target,
            until,
            _SECONDS,
            os.cpu_count() or 1,
            check=False,
        )
        try:
            found.append(reduction.run())
        except CompileGoldenError as error:
            say(f"{member}: {error}")
    return min(
        found,
        key=lambda one: (
            one.program.lines,
            one.program.operators,
            len(one.program.text),
        ),
        default=None,
    )
