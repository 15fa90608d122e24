"""Failures that most cases of a target share: they say something about the target or this tool, not about the cases."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.report.model import CaseReport

_FEWEST = 3
"""So many cases have to fail alike before it is more than chance."""
# `observe/failures.py: reason` ends with the user's line, in which alone such failures differ.
_LOCATION = re.compile(r", at [\w.-]+\.py:\d+: .*$")
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


@dataclass(frozen=True)
class CommonFailure:
    """One error that most cases of some targets fail with."""

    error: str
    targets: tuple[str, ...]
    failed: int
    cases: int
    """All cases of these targets."""

    @property
    def text(self) -> str:
        """One finding: `147 of 149 cases for cuda-sm90 fail alike, ...: ERROR`."""
        return (
            f"{self.failed} of {self.cases} cases for {', '.join(self.targets)} fail alike: this tool or its target "
            f"does not work on this torch, the cases are not to blame: {self.error}"
        )


def error_of(case: CaseReport) -> str:
    """The first line of a case's error, without addresses and the user's line that it ends with."""
    return _ADDRESS.sub("", _LOCATION.sub("", next(iter(split_lines(case.error or "")), "failed")))


def common_failures(cases: Iterable[CaseReport]) -> tuple[CommonFailure, ...]:
    """The errors that more than half of all cases of a target share, each with all targets for which it is so."""
    totals: Counter[str] = Counter()
    errors: Counter[tuple[str, str]] = Counter()
    for case in cases:
        totals[case.target] += 1
        if case.outcome == "error" and case.target:
            errors[error_of(case), case.target] += 1
    targets: dict[str, list[str]] = {}
    for (error, target), failed in sorted(errors.items()):
        if failed >= _FEWEST and 2 * failed > totals[target]:
            targets.setdefault(error, []).append(target)
    return tuple(
        CommonFailure(
            error, tuple(alike), sum(errors[error, target] for target in alike), sum(totals[target] for target in alike)
        )
        for error, alike in targets.items()
    )
