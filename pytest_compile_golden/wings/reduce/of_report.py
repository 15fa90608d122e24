"""`--reduce`: for the first distinct changes of a report, the smallest program that shows each."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from pytest_compile_golden.cli.console import say
from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.report.model import CaseGroup, Report
from pytest_compile_golden.wings.reduce.reduction import Reduction
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
            group.keys: _program(
                sorted(group.members, key=lambda member: seconds.get(member, 0.0)), group, sides, program_of, until
            )
            for group in chosen
        }
    groups = tuple(replace(group, program=found.get(group.keys, "")) for group in report.groups)
    return replace(report, groups=groups)


def _program(
    members: Sequence[str], group: CaseGroup, sides: list[TorchProcess], program_of: Callable[[str], str], until: float
) -> str:
    """The script of a change, made of the first of its cases of which one can be made: the fastest first."""
    for member in members[:_MEMBERS]:
        # Of a program of a corpus, the id ends with its target; a test is named with its own.
        target = None if "::test" in member else member.rpartition("[")[2].rstrip("]")
        try:
            return (
                Reduction(
                    sides,
                    program_of(member),
                    f"key:{group.keys[0]}\n{group.text}",
                    target,
                    until,
                    _SECONDS,
                    os.cpu_count() or 1,
                    check=False,
                )
                .run()
                .script
            )
        except CompileGoldenError as error:
            say(f"{member}: {error}")
    return ""
