"""Many versions side by side: each case's metrics, and where it changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.formats.format import Number
from pytest_compile_golden.recordings.recording import RecordedCase, Recording
from pytest_compile_golden.report import comparing
from pytest_compile_golden.report.model import Report
from pytest_compile_golden.stages import stage_of

SHOWN = ("kernels", "bytes_accessed", "graph_breaks")
"""The metrics shown in a cell by default."""

Status = Literal["first", "same", "changed", "failed", "absent"]


@dataclass(frozen=True)
class Cell:
    """One case on one version."""

    status: Status
    """`changed`: compared with the previous version that ran. `failed`: the test failed. `absent`: it was not run."""
    metrics: dict[str, Number]
    point: str = ""
    """The first divergence from the previous version."""


@dataclass(frozen=True)
class MatrixRow:
    """One case on every version."""

    nodeid: str
    target: str
    cells: tuple[Cell, ...]

    @property
    def changed(self) -> bool:
        return any(cell.status in ("changed", "failed") for cell in self.cells)


@dataclass(frozen=True)
class Matrix:
    """Cases as rows, versions as columns."""

    labels: tuple[str, ...]
    rows: tuple[MatrixRow, ...]
    errors: dict[str, str]
    """Versions that could not be run, or did not finish, each with the reason."""
    steps: tuple[Report, ...]
    """Each version that ran, compared with the previous one that ran."""


def matrix(results: Sequence[tuple[str, Recording | CompileGoldenError]]) -> Matrix:
    """The matrix of the versions in the order given; a version that could not be run has an empty column."""
    ran = [(label, result) for label, result in results if isinstance(result, Recording)]
    steps = tuple(
        comparing.report(old, new, before, after, brief=True) for (before, old), (after, new) in pairwise(ran)
    )
    errors = {label: str(result) for label, result in results if not isinstance(result, Recording)}
    errors.update({label: result.partial for label, result in ran if result.partial is not None})
    cases = {case.nodeid: case for _, result in ran for case in result.cases}
    columns = [_column(label, result, steps) for label, result in results]
    rows = tuple(
        MatrixRow(nodeid, case.target, tuple(column.get(nodeid, Cell("absent", {})) for column in columns))
        for nodeid, case in sorted(cases.items())
    )
    return Matrix(tuple(label for label, _ in results), rows, errors, steps)


def _column(label: str, result: Recording | CompileGoldenError, steps: Sequence[Report]) -> dict[str, Cell]:
    if not isinstance(result, Recording):
        return {}
    step = next((step for step in steps if step.new.label == label), None)
    return {case.nodeid: _cell(case, step) for case in result.cases}


def _cell(case: RecordedCase, step: Report | None) -> Cell:
    metrics = numbers(case)
    if case.outcome in ("failed", "error"):
        return Cell("failed", metrics, (case.message or "").partition("\n")[0])
    if case.verdict == "skipped":
        return Cell("absent", metrics)
    compared = (
        None if step is None else next((candidate for candidate in step.cases if candidate.nodeid == case.nodeid), None)
    )
    if compared is None or compared.outcome == "new":
        return Cell("first", metrics)
    point = "" if compared.divergence is None else compared.divergence.text
    return Cell("same" if compared.as_before else "changed", metrics, point)


def numbers(case: RecordedCase) -> dict[str, Number]:
    """All metrics of a case; if several of its artifacts have the same metric, the first one."""
    metrics: dict[str, Number] = {}
    for artifact in case.artifacts:
        stage = stage_of(artifact.stage, artifact.extension)
        metrics = {**(stage.format.numbers(artifact.text) or {}), **metrics}
    return metrics
