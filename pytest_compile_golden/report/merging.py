"""Merges the shards of one run into one report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pytest_compile_golden.canary.reading import merged
from pytest_compile_golden.errors import ReportError
from pytest_compile_golden.report.case_groups import grouped
from pytest_compile_golden.report.model import CaseReport, Report, Side


def merge(reports: Sequence[Report]) -> Report:
    """One report with all cases of `reports`. If a case is in several, because its shard ran again, the last one wins.

    Raises ReportError if there are no reports, or if they are from different runs: another torch, or another split.
    """
    if not reports:
        raise ReportError("there are no reports to merge. Name the files that the shards wrote.")
    first = reports[0]
    for other in reports[1:]:
        for one, side in ((first.old, other.old), (first.new, other.new)):
            if (one.label, one.torch) != (side.label, side.torch):
                raise ReportError(
                    f"these reports are from different runs: {one.label} with torch {one.torch}, and {side.label} with "
                    f"torch {side.torch}. Only shards of the same run can be merged."
                )
    shards = {shard for report in reports for shard in report.shards}
    if len({shard.partition("/")[2] for shard in shards}) > 1:
        raise ReportError(f"these shards are not from the same run: {', '.join(sorted(shards))}.")
    cases: dict[str, CaseReport] = {case.nodeid: case for report in reports for case in report.cases}
    ordered = tuple(cases[nodeid] for nodeid in sorted(cases))
    return replace(
        first,
        old=_side([report.old for report in reports]),
        new=_side([report.new for report in reports]),
        cases=ordered,
        groups=grouped(ordered) if len(reports) > 1 else first.groups,  # they may be grouped by what was proved
        shards=tuple(sorted(shards, key=lambda shard: int(shard.partition("/")[0]))),
        functions=tuple(dict.fromkeys(function for report in reports for function in report.functions)),
        defaults=tuple(dict.fromkeys(default for report in reports for default in report.defaults)),
        reading=merged(report.reading for report in reports if report.reading is not None),
        notes=tuple(dict.fromkeys(note for report in reports for note in report.notes)),
    )


def _side(sides: Sequence[Side]) -> Side:
    errors = dict.fromkeys(side.error for side in sides if side.error is not None)
    return replace(
        sides[0],
        targets=tuple(sorted({target for side in sides for target in side.targets})),
        error="; ".join(errors) or None,
    )
