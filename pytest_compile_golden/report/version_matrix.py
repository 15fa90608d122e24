"""Many versions side by side: each case's metrics, and where it changed; for a terminal, as Markdown and as JSON."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Literal

import msgspec
from rich.table import Column, Table
from rich.text import Text

from pytest_compile_golden.common import json_files
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.formats.decisions import DecisionsFormat
from pytest_compile_golden.formats.format import Number
from pytest_compile_golden.goldens.metric_history import Thresholds
from pytest_compile_golden.goldens.ranking import severity_key
from pytest_compile_golden.recordings import compare_cases
from pytest_compile_golden.recordings.recording import RecordedCase, Recording
from pytest_compile_golden.report import compare_recordings
from pytest_compile_golden.report.metric_columns import shown
from pytest_compile_golden.report.model import CaseReport, MetricReport, Report
from pytest_compile_golden.report.run_summary import headline as verdict
from pytest_compile_golden.report.styled_lines import grid, printable
from pytest_compile_golden.report.terminal_report import describe
from pytest_compile_golden.stages import stage_of

SHOWN = ("kernels", "bytes_accessed", "graph_breaks")
"""The metrics shown in a cell by default."""

Status = Literal["first", "same", "changed", "failed", "absent"]

FORMAT = 1
_CHANGED = "*"
_STYLES = {"changed": "bold yellow", "failed": "bold red", "absent": "dim"}
_GROUPS = 8


@dataclass(frozen=True)
class Cell:
    """One case on one version."""

    status: Status
    """`changed`: compared with the previous version that ran. `failed`: the test failed. `absent`: it was not run."""
    metrics: dict[str, Number]
    point: str = ""
    """The first divergence from the previous version."""
    again: str = ""
    """For a change, the earlier version that the case is the same as again; empty if there is none."""
    undone: dict[str, str] = field(default_factory=dict)
    """If there is none: the stages that changed and are the same as on an earlier version again, each with that."""


@dataclass(frozen=True)
class MatrixRow:
    """One case on every version."""

    nodeid: str
    target: str
    cells: tuple[Cell, ...]

    @property
    def changed(self) -> bool:
        """Whether any version differs from the one before it."""
        return self.failed or any(cell.status == "changed" for cell in self.cells)

    @property
    def failed(self) -> bool:
        """Whether the case failed on any version."""
        return any(cell.status == "failed" for cell in self.cells)


@dataclass(frozen=True)
class Matrix:
    """Cases as rows, versions as columns."""

    labels: tuple[str, ...]
    """The torch version of each column, or the name it was given if that has no torch or shares it with another."""
    rows: tuple[MatrixRow, ...]
    """Those that fail first, then those that cost more, those that cost less, and the others."""
    errors: dict[str, str]
    """Versions that could not be run, or are not complete, each with the reason."""
    steps: tuple[Report, ...]
    """Each version that ran, compared with the previous one that ran."""


def matrix(
    results: Sequence[tuple[str, Recording | CompileGoldenError]],
    usual: Thresholds | None = None,
) -> Matrix:
    """The matrix of the versions in the order given; a version that could not be run has an empty column.

    usual: see `compare_recordings.report`.
    """
    results = _labelled(results)
    ran = [
        (label, result) for label, result in results if isinstance(result, Recording)
    ]
    steps = tuple(
        compare_recordings.report(
            _after(old, ran[:at]), new, before, after, detail="brief", usual=usual
        )
        for at, ((before, old), (after, new)) in enumerate(pairwise(ran))
    )
    errors = {
        label: str(result)
        for label, result in results
        if not isinstance(result, Recording)
    }
    errors.update(
        {label: result.partial for label, result in ran if result.partial is not None}
    )
    cases = {case.nodeid: case for _, result in ran for case in result.cases}
    columns = [_column(label, ran, steps) for label, _ in results]
    rows = [
        MatrixRow(
            nodeid,
            case.target,
            tuple(column.get(nodeid, Cell("absent", {})) for column in columns),
        )
        for nodeid, case in sorted(cases.items())
    ]
    judged: defaultdict[str, list[MetricReport]] = defaultdict(list)
    for case_report in (
        case for step in steps for case in step.cases if case.outcome == "changed"
    ):
        judged[case_report.nodeid] += case_report.metrics
    rows.sort(key=lambda row: (not row.failed, severity_key(judged[row.nodeid])))
    return Matrix(tuple(label for label, _ in results), tuple(rows), errors, steps)


def _labelled(
    results: Sequence[tuple[str, Recording | CompileGoldenError]],
) -> list[tuple[str, Recording | CompileGoldenError]]:
    torches = [
        (result.run.torch or "").partition("+")[0]
        if isinstance(result, Recording)
        else ""
        for _, result in results
    ]
    number = Counter([*torches, *(label for label, _ in results)])
    return [
        (torch if torch and number[torch] == 1 + (torch == label) else label, result)
        for torch, (label, result) in zip(torches, results, strict=True)
    ]


def _column(
    label: str, ran: Sequence[tuple[str, Recording]], steps: Sequence[Report]
) -> dict[str, Cell]:
    """A cell for each case of the version; empty if it could not be run."""
    names = [name for name, _ in ran]
    if label not in names:
        return {}
    at = names.index(label)
    compared = {case.nodeid: case for case in steps[at - 1].cases} if at else {}
    return {
        case.nodeid: _cell(case, compared.get(case.nodeid), ran[: at + 1])
        for case in ran[at][1].cases
    }


def _cell(
    case: RecordedCase,
    compared: CaseReport | None,
    ran: Sequence[tuple[str, Recording]],
) -> Cell:
    """The cell of a case in the last of the versions that `ran`, `compared` with the one before it."""
    metrics = numbers(case)
    if case.outcome in ("failed", "error"):
        return Cell("failed", metrics, (case.message or "").partition("\n")[0])
    if case.verdict == "skipped":
        return Cell("absent", metrics)
    if compared is None or compared.outcome == "new":
        return Cell("first", metrics)
    point = "" if compared.divergence is None else compared.divergence.text
    if compared.as_before:
        return Cell("same", metrics, point)
    again = _same_earlier(case, ran)
    undone = {
        PurePosixPath(stage.file).stem: stage.again
        for stage in compared.stages
        if stage.again
    }
    return Cell("changed", metrics, point, again, {} if again else undone)


def _after(side: Recording, older: Sequence[tuple[str, Recording]]) -> Recording:
    """A recording whose cases know what older versions had, as those read from goldens do."""
    had: defaultdict[tuple[PurePosixPath, str], list[tuple[str, str]]] = defaultdict(
        list
    )
    for label, recording in reversed(older):
        for case in recording.cases:
            for artifact in case.artifacts:
                had[case.folder, artifact.stem].append((label, artifact.text))

    def earlier(case: RecordedCase) -> dict[str, tuple[tuple[str, str], ...]]:
        return {
            artifact.stem: tuple(had[case.folder, artifact.stem])
            for artifact in case.artifacts
        }

    return replace(
        side,
        cases=tuple(
            msgspec.structs.replace(case, earlier=earlier(case)) for case in side.cases
        ),
    )


def _same_earlier(case: RecordedCase, ran: Sequence[tuple[str, Recording]]) -> str:
    """The newest version, older than the previous one, in which the case is the same as in the last one."""
    *earlier, _, (_, last) = ran
    for label, recording in reversed(earlier):
        before = next(
            (
                candidate
                for candidate in recording.cases
                if candidate.folder == case.folder
            ),
            None,
        )
        if before is not None and before.verdict == case.verdict:
            aside = compare_cases.not_in_both(recording.run, last.run)
            if not compare_cases.differs(
                compare_cases.compared(before, case, recording.run.torch, aside)
            ):
                return label
    return ""


def numbers(case: RecordedCase) -> dict[str, Number]:
    """All metrics of a case; if several of its artifacts have the same metric, the first one. A suite's test has those
    of all that it compiles together."""
    metrics: dict[str, Number] = {}
    for artifact in case.artifacts:
        form = stage_of(artifact.stage, artifact.extension).format
        found = (
            form.totals(artifact.text)
            if isinstance(form, DecisionsFormat)
            else form.numbers(artifact.text)
        )
        metrics = {**(found or {}), **metrics}
    return metrics


def headline(matrix: Matrix) -> str:
    """`118 cases on 3 versions: 76 the same on all, 42 changed.`"""
    changed = sum(row.changed for row in matrix.rows)
    cases, versions = (
        quantity(len(matrix.rows), "case"),
        quantity(len(matrix.labels), "version"),
    )
    failed = (
        f", {quantity(len(matrix.errors), 'version')} incomplete"
        if matrix.errors
        else ""
    )
    return f"{cases} on {versions}: {len(matrix.rows) - changed} the same on all, {changed} changed{failed}."


def table(matrix: Matrix, names: Sequence[str], everything: bool = False) -> Table:
    """One row per case; cases that never changed are included only with `everything`."""
    shown_rows = grid(
        Column("case", overflow="fold"),
        *(
            Column(Text(label), justify="right", no_wrap=True)
            for label in matrix.labels
        ),
        Column("first divergence", overflow="fold"),
    )
    for row in _rows(matrix, everything):
        cells = [
            Text(_cell_text(cell, names), style=_STYLES.get(cell.status, ""))
            for cell in row.cells
        ]
        shown_rows.add_row(
            Text(printable(row.nodeid)), *cells, Text(_where(matrix, row))
        )
    return shown_rows


def legend(matrix: Matrix, names: Sequence[str], everything: bool = False) -> list[str]:
    """What the table itself does not say: the names of its numbers, and what it leaves out."""
    lines = [f"{', '.join(names)}; {_CHANGED} differs from the previous version"]
    left = sum(not row.changed for row in matrix.rows)
    if left and not everything:
        lines.append(
            f"{quantity(left, 'case')} the same on every version; use --all to show them"
        )
    reasons = {label: why.partition("\n")[0] for label, why in matrix.errors.items()}
    lines += [
        f"{printable(label)}: {printable(reason)}" for label, reason in reasons.items()
    ]
    return lines


def steps(matrix: Matrix) -> list[str]:
    """What changed from each version to the next, most important first."""
    lines = []
    for step in matrix.steps:
        lines.append(
            f"{printable(step.old.label)} -> {printable(step.new.label)}: {printable(verdict(step))}"
        )
        for group in step.groups[:_GROUPS]:
            lines.append(
                f"  {quantity(len(group.members), 'case'):>9}  {printable(describe(group))}"[
                    :200
                ]
            )
        if len(step.groups) > _GROUPS:
            lines.append(
                f"             {quantity(len(step.groups) - _GROUPS, 'more distinct change')}"
            )
    return lines


def markdown(matrix: Matrix, names: Sequence[str], everything: bool = False) -> str:
    """A table, with the legend above it and the steps below."""
    lines = [*(f"- {_plain(line)}" for line in legend(matrix, names, everything)), ""]
    lines.append(
        "| case | "
        + " | ".join(_plain(label) for label in matrix.labels)
        + " | first divergence |"
    )
    lines.append("|---" * (len(matrix.labels) + 2) + "|")
    for row in _rows(matrix, everything):
        texts = [
            (_plain(_cell_text(cell, names, " ")), cell.status in _STYLES)
            for cell in row.cells
        ]
        cells = [f"**{text}**" if marked else text for text, marked in texts]
        lines.append(
            f"| {_plain(row.nodeid)} | "
            + " | ".join([*cells, _plain(_where(matrix, row))])
            + " |"
        )
    return "\n".join(
        [
            *lines,
            "",
            "```",
            *(line.replace("`", "'") for line in steps(matrix)),
            "```",
            "",
        ]
    )


def as_json(matrix: Matrix) -> str:
    """Every case with all of its metrics."""
    return json_files.render(
        {
            "format": FORMAT,
            "labels": matrix.labels,
            "errors": matrix.errors,
            "rows": matrix.rows,
        }
    )


def _rows(matrix: Matrix, everything: bool) -> Iterator[MatrixRow]:
    return (row for row in matrix.rows if everything or row.changed)


def _cell_text(cell: Cell, names: Sequence[str], line_break: str = "\n") -> str:
    if cell.status == "absent":
        return "-"
    if cell.status == "failed" and not cell.metrics:
        return "failed"
    numbers = " ".join(
        shown(name, cell.metrics[name]) if name in cell.metrics else "-"
        for name in names
    )
    mark = {"changed": _CHANGED, "failed": " failed"}.get(cell.status, "")
    return f"{numbers}{mark}" + (
        f"{line_break}as on {cell.again} again" if cell.again else ""
    )


def _where(matrix: Matrix, row: MatrixRow) -> str:
    """At which versions a case changed, and at which point in the pipeline."""
    points = [
        f"{label}: {cell.point}"
        + "".join(
            f", {stage} as on {torch} again" for stage, torch in cell.undone.items()
        )
        for label, cell in zip(matrix.labels, row.cells, strict=True)
        if cell.status in ("changed", "failed") and cell.point
    ]
    return printable("; ".join(points))


def _plain(text: str) -> str:
    """`text` escaped, so that it cannot break out of a table cell or act as markup."""
    escaped = "".join(
        f"\\{char}" if char in r"\`*_{}[]#|~@<>" else char for char in printable(text)
    )
    return " ".join(escaped.split())
