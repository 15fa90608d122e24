"""A native recording against a virtual one of the same device, byte for byte: as a table for a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from pytest_compile_golden.common import json_files
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.goldens.compare_artifact import Compared
from pytest_compile_golden.recordings import compare_cases
from pytest_compile_golden.recordings.recording import RecordedCase, Recording
from pytest_compile_golden.report.styled_lines import Line, printable
from pytest_compile_golden.stages import rank

FORMAT = 1
_MARKS = {"same": "=", "cosmetic": "~", "structural": "#", "not comparable": "?"}
_STYLES = {"cosmetic": "bad", "structural": "bad", "not comparable": "dim"}
_REASONS = 40
Verdict = Literal["same", "cosmetic", "structural", "not comparable"]
# The config that a virtual target sets is part of the keys of torch's caches.
_OF_THE_TARGET = frozenset({"cache_key"})
# Each Python has its own bytecode, and Dynamo's work is counted in its instructions.
_OF_THE_PYTHON = frozenset({"dynamo_bytecode", "compile_cost"})


def render(fidelity: Fidelity) -> list[Line]:
    """The table, a legend of its columns and marks, and a reason for each mark other than `=`."""
    seen = {cell.stage for row in fidelity.rows for cell in row.cells if cell.stage}
    # Anything that is not a stage comes last.
    names = sorted(seen, key=lambda name: (rank(name), name))
    wide = max([len(row.case) for row in fidelity.rows], default=0)
    header = " ".join(f"{number:>2}" for number in range(1, len(names) + 1))
    lines: list[Line] = [("title", f"{'':<{wide}}  {header}")]
    for row in fidelity.rows:
        marks = " ".join(f"{_mark(row, name):>2}" for name in names)
        lines.append(
            (
                "bad" if row.differs else "",
                f"{printable(row.case):<{wide}}  {marks}".rstrip(),
            )
        )
    lines.append(("", ""))
    lines += [
        ("dim", f"{number:>2} {name}") for number, name in enumerate(names, start=1)
    ]
    lines.append(
        ("dim", "= same bytes, ~ cosmetic, # structural, ? not comparable, ! see below")
    )
    reasons = [line for row in fidelity.rows for line in _reasons(row)]
    if reasons:
        lines += [("", ""), *reasons[:_REASONS]]
    if len(reasons) > _REASONS:
        lines.append(
            ("dim", f"and {len(reasons) - _REASONS} more: --json FILE has all")
        )
    return [*lines, ("", ""), summary(fidelity)]


def summary(fidelity: Fidelity) -> Line:
    """One line: the torch version and targets, how many artifacts, and whether the virtual target matches them."""
    counts = ", ".join(
        f"{number} {verdict}" for verdict, number in fidelity.counts().items() if number
    )
    where = f"torch {fidelity.native.run.torch}, {_targets(fidelity.native)} against {_targets(fidelity.virtual)}"
    errors = sum(row.error is not None for row in fidelity.rows)
    text = f"{where}: {quantity(len(fidelity.rows), 'case')}; {counts or 'nothing compared'}"
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
    return json_files.render(facts)


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
        lines.append(
            ("bad", f"{printable(row.case)}: {printable(split_lines(row.error)[0])}")
        )
    for cell in row.cells:
        if cell.verdict != "same":
            why = split_lines(printable(cell.why or ""))[:1]
            artifact = f"{row.case} {cell.artifact}".rstrip()
            lines.append(
                (
                    _STYLES[cell.verdict],
                    f"{printable(artifact)}: {cell.verdict}; {''.join(why)}",
                )
            )
    return lines


def _targets(recording: Recording) -> str:
    return ", ".join(sorted({case.target for case in recording.cases})) or ", ".join(
        recording.run.targets
    )


def _side(recording: Recording) -> dict[str, Any]:
    run = recording.run
    facts = {
        name: getattr(run, name)
        for name in ("torch", "triton", "python", "platform", "normaliser", "started")
    }
    return {**facts, "target": _targets(recording), "cases": len(recording.cases)}


def _case(row: FidelityRow) -> dict[str, Any]:
    facts = ("stage", "artifact", "verdict", "why")
    artifacts = [{fact: getattr(cell, fact) for fact in facts} for cell in row.cells]
    return {"case": row.case, "error": row.error, "artifacts": artifacts}


@dataclass(frozen=True)
class FidelityCell:
    """One artifact of one case."""

    stage: str
    artifact: str
    """Its file name: a stage may have several artifacts in a case."""
    verdict: Verdict
    why: str | None = None


@dataclass(frozen=True)
class FidelityRow:
    """One case."""

    case: str
    """The folder of its goldens without the target: `cases/test_matmul/test_linear_gelu`."""
    cells: tuple[FidelityCell, ...]
    error: str | None = None
    """Why one or both sides did not pass."""

    @property
    def differs(self) -> bool:
        """Whether the virtual target did anything else than the device, or either failed."""
        return self.error is not None or any(
            cell.verdict in ("cosmetic", "structural") for cell in self.cells
        )


@dataclass(frozen=True)
class Fidelity:
    """All cases of both sides."""

    native: Recording
    virtual: Recording
    rows: tuple[FidelityRow, ...]

    @property
    def partial(self) -> str | None:
        """Why not all cases were compared; None if they were."""
        return self.native.partial or self.virtual.partial

    @property
    def shown(self) -> bool:
        """Whether this shows that the virtual target is faithful: nothing differs in a complete run with cases."""
        return (
            not self.partial
            and bool(self.counts()["same"])
            and not any(row.differs for row in self.rows)
        )

    def counts(self) -> dict[str, int]:
        """How many artifacts have each verdict."""
        verdicts = [cell.verdict for row in self.rows for cell in row.cells]
        return {verdict: verdicts.count(verdict) for verdict in get_args(Verdict)}


def compare(native: Recording, virtual: Recording) -> Fidelity:
    """Pair the cases of two recordings by everything but their targets."""
    native_cases, virtual_cases = (
        {case.folder.parent: case for case in side.cases} for side in (native, virtual)
    )
    aside = dict.fromkeys(
        compare_cases.not_in_both(native.run, virtual.run), "only one side recorded it"
    )
    pythons = [side.run.python.rpartition(".")[0] for side in (native, virtual)]
    if pythons[0] != pythons[1]:
        aside |= dict.fromkeys(
            _OF_THE_PYTHON, f"recorded with Python {' and '.join(pythons)}"
        )
    rows = []
    for folder in sorted({*native_cases, *virtual_cases}):
        first, second = native_cases.get(folder), virtual_cases.get(folder)
        if first is None or second is None:
            has = "virtual" if first is None else "native"
            rows.append(
                FidelityRow(str(folder), (), f"only the {has} side has this case")
            )
        else:
            cells = tuple(_cells(first, second, native.run.torch, aside))
            errors = [
                f"{case.outcome} on {case.target}: {case.message or 'no reason given'}"
                for case in (first, second)
                if case.outcome in ("failed", "error")
            ]
            rows.append(FidelityRow(str(folder), cells, "; ".join(errors) or None))
    return Fidelity(native, virtual, tuple(rows))


def _cells(
    native: RecordedCase,
    virtual: RecordedCase,
    torch: str | None,
    aside: Mapping[str, str],
) -> list[FidelityCell]:
    skipped = next(
        (case for case in (native, virtual) if case.outcome == "skipped"), None
    )
    if skipped is not None:
        return [
            FidelityCell(
                "",
                "",
                "not comparable",
                f"skipped on {skipped.target}: {skipped.message}",
            )
        ]
    pairs = compare_cases.compared(native, virtual, torch, frozenset(aside))
    cells = [_cell(pair) for pair in pairs if pair.stage not in _OF_THE_TARGET]
    for stage, why in {**virtual.unavailable, **native.unavailable}.items():
        cells.append(FidelityCell(stage, stage, "not comparable", why))
    cells += [
        FidelityCell(stage, stage, "not comparable", why)
        for stage, why in sorted(aside.items())
    ]
    return sorted(cells, key=lambda cell: rank(cell.stage))


def _cell(pair: Compared) -> FidelityCell:
    # Byte for byte: a purely cosmetic difference counts here too, and is reported as such.
    if not pair.differs:
        return FidelityCell(pair.stage, pair.file, "same")
    verdict: Verdict = "cosmetic" if pair.kind == "cosmetic" else "structural"
    native_lines, virtual_lines = split_lines(pair.old), split_lines(pair.new)
    index = next(
        (
            n
            for n, (a, b) in enumerate(zip(native_lines, virtual_lines, strict=False))
            if a != b
        ),
        min(len(native_lines), len(virtual_lines)),
    )
    shown = [
        lines[index].strip() if index < len(lines) else "nothing"
        for lines in (native_lines, virtual_lines)
    ]
    return FidelityCell(
        pair.stage,
        pair.file,
        verdict,
        f"line {index + 1}: native {shown[0]!r}, virtual {shown[1]!r}",
    )
