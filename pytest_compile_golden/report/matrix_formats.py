"""A matrix as a table for a terminal, as Markdown, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Column, Table
from rich.text import Text

from pytest_compile_golden import documents
from pytest_compile_golden.report.counts import count
from pytest_compile_golden.report.lines import printable
from pytest_compile_golden.report.matrix import Cell, Matrix, MatrixRow
from pytest_compile_golden.report.metrics import shown
from pytest_compile_golden.report.overview import describe
from pytest_compile_golden.report.words import headline as verdict

FORMAT = 1
_CHANGED = "*"
_STYLES = {"changed": "bold yellow", "failed": "bold red", "absent": "dim"}
_GROUPS = 8


def headline(matrix: Matrix) -> str:
    """`118 cases on 3 versions: 76 the same on all, 42 changed.`"""
    changed = sum(row.changed for row in matrix.rows)
    cases, versions = count(len(matrix.rows), "case"), count(len(matrix.labels), "version")
    failed = f", {count(len(matrix.errors), 'version')} incomplete" if matrix.errors else ""
    return f"{cases} on {versions}: {len(matrix.rows) - changed} the same on all, {changed} changed{failed}."


def table(matrix: Matrix, names: Sequence[str], everything: bool = False) -> Table:
    """One row per case; cases that never changed are included only with `everything`."""
    grid = Table(
        Column("case", overflow="fold"),
        *(Column(Text(label), justify="right", no_wrap=True) for label in matrix.labels),
        Column("first divergence", overflow="fold"),
        box=None,
        header_style="bold",
        pad_edge=False,
    )
    for row in _rows(matrix, everything):
        cells = [Text(_cell_text(cell, names), style=_STYLES.get(cell.status, "")) for cell in row.cells]
        grid.add_row(Text(printable(row.nodeid)), *cells, Text(_where(matrix, row)))
    return grid


def legend(matrix: Matrix, names: Sequence[str], everything: bool = False) -> list[str]:
    """What the table itself does not say: the names of its numbers, and what it leaves out."""
    lines = [f"{', '.join(names)}; {_CHANGED} differs from the previous version"]
    left = sum(not row.changed for row in matrix.rows)
    if left and not everything:
        lines.append(f"{count(left, 'case')} the same on every version; use --all to show them")
    reasons = {label: why.partition("\n")[0] for label, why in matrix.errors.items()}
    lines += [f"{printable(label)}: {printable(reason)}" for label, reason in reasons.items()]
    return lines


def steps(matrix: Matrix) -> list[str]:
    """What changed from each version to the next, most important first."""
    lines = []
    for step in matrix.steps:
        lines.append(f"{printable(step.old.label)} -> {printable(step.new.label)}: {printable(verdict(step))}")
        for group in step.groups[:_GROUPS]:
            lines.append(f"  {count(len(group.members), 'case'):>9}  {printable(describe(group))}"[:200])
        if len(step.groups) > _GROUPS:
            lines.append(f"             {count(len(step.groups) - _GROUPS, 'more distinct change')}")
    return lines


def markdown(matrix: Matrix, names: Sequence[str], everything: bool = False) -> str:
    """A table, with the legend above it and the steps below."""
    lines = [*(f"- {_plain(line)}" for line in legend(matrix, names, everything)), ""]
    lines.append("| case | " + " | ".join(_plain(label) for label in matrix.labels) + " | first divergence |")
    lines.append("|---" * (len(matrix.labels) + 2) + "|")
    for row in _rows(matrix, everything):
        texts = [(_plain(_cell_text(cell, names, " ")), cell.status in _STYLES) for cell in row.cells]
        cells = [f"**{text}**" if marked else text for text, marked in texts]
        lines.append(f"| {_plain(row.nodeid)} | " + " | ".join([*cells, _plain(_where(matrix, row))]) + " |")
    return "\n".join([*lines, "", "```", *(line.replace("`", "'") for line in steps(matrix)), "```", ""])


def as_json(matrix: Matrix) -> str:
    """Every case with all of its metrics."""
    return documents.render({"format": FORMAT, "labels": matrix.labels, "errors": matrix.errors, "rows": matrix.rows})


def _rows(matrix: Matrix, everything: bool) -> Iterator[MatrixRow]:
    return (row for row in matrix.rows if everything or row.changed)


def _cell_text(cell: Cell, names: Sequence[str], line_break: str = "\n") -> str:
    if cell.status == "absent":
        return "-"
    if cell.status == "failed" and not cell.metrics:
        return "failed"
    numbers = " ".join(shown(name, cell.metrics[name]) if name in cell.metrics else "-" for name in names)
    mark = {"changed": _CHANGED, "failed": " failed"}.get(cell.status, "")
    return f"{numbers}{mark}" + (f"{line_break}as on {cell.again} again" if cell.again else "")


def _where(matrix: Matrix, row: MatrixRow) -> str:
    """At which versions a case changed, and at which point in the pipeline."""
    points = [
        f"{label}: {cell.point}" + "".join(f", {stage} as on {torch} again" for stage, torch in cell.undone.items())
        for label, cell in zip(matrix.labels, row.cells, strict=True)
        if cell.status in ("changed", "failed") and cell.point
    ]
    return printable("; ".join(points))


def _plain(text: str) -> str:
    """`text` escaped, so that it cannot break out of a table cell or act as markup."""
    escaped = "".join(f"\\{char}" if char in r"\`*_{}[]#|~@<>" else char for char in printable(text))
    return " ".join(escaped.split())
