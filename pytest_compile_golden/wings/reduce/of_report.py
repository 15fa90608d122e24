"""`--reduce`: for the first distinct changes of a report, the smallest program that shows each."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from pytest_compile_golden.cli.console import say
from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.report.case_groups import told_apart
from pytest_compile_golden.report.model import CaseGroup, Report
from pytest_compile_golden.wings.reduce.question import Keep
from pytest_compile_golden.wings.reduce.reduction import Reduced, Reduction
from pytest_compile_golden.wings.reduce.side import TorchProcess

_MEMBERS = 3
"""How many cases of a change are tried, if no program can be written of the first."""
_SECONDS = 60
"""For one compile."""


def added(
    report: Report, pythons: Mapping[str, Path], program_of: Callable[[str], str], most: int, until: float
) -> Report:
    """See `cli.running.with_programs`."""
    chosen = [group for group in report.groups if group.is_change and group.keys][:most]
    if not chosen:
        return report
    with ExitStack() as stack:
        sides = [stack.enter_context(TorchProcess(label, python)) for label, python in pythons.items()]
        seconds = {case.nodeid: case.seconds or 0.0 for case in report.cases}
        found = {
            group.keys: _reduced(
                sorted(group.members, key=lambda member: seconds.get(member, 0.0)), group, sides, program_of, until
            )
            for group in chosen
        }
    groups: list[CaseGroup] = []
    for group in report.groups:
        reduced = found.get(group.keys)
        if reduced is None:
            groups.append(group)
        else:
            # What the smallest program does not share is not the same change.
            groups += told_apart(replace(group, program=reduced.script), report.cases, reduced.others)
    return replace(report, groups=tuple(groups))


def _reduced(
    members: Sequence[str], group: CaseGroup, sides: list[TorchProcess], program_of: Callable[[str], str], until: float
) -> Reduced | None:
    """What is found for a change in the first of its cases of which a program can be made: the fastest first."""
    for member in members[:_MEMBERS]:
        # Of a program of a corpus, the id ends with its target; a test is named with its own.
        target = None if "::test" in member else member.rpartition("[")[2].rstrip("]")
        try:
            return Reduction(
                sides,
                program_of(member),
                Keep("change", group=group),
                target,
                until,
                _SECONDS,
                os.cpu_count() or 1,
                check=False,
            ).run()
        except CompileGoldenError as error:
            say(f"{member}: {error}")
    return None
