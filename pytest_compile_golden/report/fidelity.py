"""A fidelity comparison as a table for a terminal and as JSON."""

from __future__ import annotations

from collections import Counter
from typing import Any

from pytest_compile_golden import documents
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.recordings.fidelity import Fidelity, FidelityRow
from pytest_compile_golden.recordings.recording import Recording
from pytest_compile_golden.report.counts import count
from pytest_compile_golden.report.lines import Line, printable
from pytest_compile_golden.stages import rank

FORMAT = 1
_MARKS = {"same": "=", "cosmetic": "~", "structural": "#", "not comparable": "?"}
_STYLES = {"cosmetic": "bad", "structural": "bad", "not comparable": "dim"}
_REASONS = 40


def render(fidelity: Fidelity) -> list[Line]:
    """The table, a legend of its columns and marks, and a reason for each mark other than `=`."""
    names = _columns(fidelity)
    wide = max([len(row.case) for row in fidelity.rows], default=0)
    header = " ".join(f"{number:>2}" for number in range(1, len(names) + 1))
    lines: list[Line] = [("title", f"{'':<{wide}}  {header}")]
    for row in fidelity.rows:
        marks = " ".join(f"{_mark(row, name):>2}" for name in names)
        lines.append(("bad" if row.differs else "", f"{printable(row.case):<{wide}}  {marks}".rstrip()))
    lines.append(("", ""))
    lines += [("dim", f"{number:>2} {name}") for number, name in enumerate(names, start=1)]
    lines.append(("dim", "= same bytes, ~ cosmetic, # structural, ? not comparable, ! see below"))
    reasons = [line for row in fidelity.rows for line in _reasons(row)]
    if reasons:
        lines += [("", ""), *reasons[:_REASONS]]
    if len(reasons) > _REASONS:
        lines.append(("dim", f"and {len(reasons) - _REASONS} more: --json FILE has all"))
    return [*lines, ("", ""), summary(fidelity)]


def summary(fidelity: Fidelity) -> Line:
    """One line: the torch version and targets, how many artifacts, and whether the virtual target matches them."""
    counts = ", ".join(f"{number} {verdict}" for verdict, number in fidelity.counts().items() if number)
    where = f"torch {fidelity.native.run.torch}, {_targets(fidelity.native)} against {_targets(fidelity.virtual)}"
    errors = sum(row.error is not None for row in fidelity.rows)
    text = f"{where}: {count(len(fidelity.rows), 'case')}; {counts or 'nothing compared'}"
    text += f"; {errors} did not pass" if errors else ""
    text += f"; {fidelity.partial}" if fidelity.partial else ""
    return ("good" if fidelity.shown else "bad"), text


def document(fidelity: Fidelity, device: Any) -> str:
    """Everything as JSON, without the texts: those are in the recordings."""
    facts = {
        "format": FORMAT,
        "shown": fidelity.shown,
        "partial": fidelity.partial,
        "counts": fidelity.counts(),
        "device": device,
        "native": _side(fidelity.native),
        "virtual": _side(fidelity.virtual),
        "cases": [_case(row) for row in fidelity.rows],
    }
    return documents.render(facts)


def _columns(fidelity: Fidelity) -> list[str]:
    """The stages that any case has, in pipeline order; anything that is not a stage comes last."""
    seen = Counter(cell.stage for row in fidelity.rows for cell in row.cells if cell.stage)
    return sorted(seen, key=lambda name: (rank(name), name))


def _mark(row: FidelityRow, stage: str) -> str:
    """The worst verdict among this stage's artifacts; empty if the case has none."""
    verdicts = [cell.verdict for cell in row.cells if cell.stage in (stage, "")]
    for verdict in ("structural", "cosmetic", "not comparable", "same"):
        if verdict in verdicts:
            return _MARKS[verdict]
    return "!" if row.error is not None and not row.cells else ""


def _reasons(row: FidelityRow) -> list[Line]:
    lines: list[Line] = []
    if row.error is not None:
        lines.append(("bad", f"{printable(row.case)}: {printable(split_lines(row.error)[0])}"))
    for cell in row.cells:
        if cell.verdict != "same":
            why = split_lines(printable(cell.why or ""))[:1]
            artifact = f"{row.case} {cell.artifact}".rstrip()
            lines.append((_STYLES[cell.verdict], f"{printable(artifact)}: {cell.verdict}; {''.join(why)}"))
    return lines


def _targets(recording: Recording) -> str:
    return ", ".join(sorted({case.target for case in recording.cases})) or ", ".join(recording.run.targets)


def _side(recording: Recording) -> dict[str, Any]:
    run = recording.run
    facts = {name: getattr(run, name) for name in ("torch", "triton", "python", "platform", "normaliser", "started")}
    return {**facts, "target": _targets(recording), "cases": len(recording.cases)}


def _case(row: FidelityRow) -> dict[str, Any]:
    facts = ("stage", "artifact", "verdict", "why")
    artifacts = [{fact: getattr(cell, fact) for fact in facts} for cell in row.cells]
    return {"case": row.case, "error": row.error, "artifacts": artifacts}
