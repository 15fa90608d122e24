"""A native recording against a virtual one of the same device: every stage of every case, byte for byte."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from pytest_compile_golden.goldens.compare import Compared
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.recordings import pairing
from pytest_compile_golden.recordings.recording import RecordedCase, Recording
from pytest_compile_golden.stages import rank

Verdict = Literal["same", "cosmetic", "structural", "not comparable"]
VERDICTS: tuple[Verdict, ...] = ("same", "cosmetic", "structural", "not comparable")


@dataclass(frozen=True)
class Cell:
    """One artifact of one case."""

    stage: str
    artifact: str
    """Its file name: a stage may have several artifacts in a case."""
    verdict: Verdict
    why: str | None = None
    native: str = ""
    virtual: str = ""
    """The two texts, if they differ."""


@dataclass(frozen=True)
class FidelityRow:
    """One case."""

    case: str
    """The folder of its goldens without the target: `cases/test_matmul/test_linear_gelu`."""
    cells: tuple[Cell, ...]
    error: str | None = None
    """Why one or both sides did not pass."""

    @property
    def differs(self) -> bool:
        return self.error is not None or any(cell.verdict in ("cosmetic", "structural") for cell in self.cells)


@dataclass(frozen=True)
class Fidelity:
    """All cases of both sides."""

    native: Recording
    virtual: Recording
    rows: tuple[FidelityRow, ...]

    @property
    def partial(self) -> str | None:
        return self.native.partial or self.virtual.partial

    @property
    def shown(self) -> bool:
        """Whether this shows that the virtual target is faithful: nothing differs in a complete run with cases."""
        return not self.partial and bool(self.counts()["same"]) and not any(row.differs for row in self.rows)

    def counts(self) -> dict[str, int]:
        verdicts = [cell.verdict for row in self.rows for cell in row.cells]
        return {verdict: verdicts.count(verdict) for verdict in VERDICTS}


# The config that a virtual target sets is part of the keys of torch's caches.
_OF_THE_TARGET = frozenset({"cache_key"})


def compare(native: Recording, virtual: Recording) -> Fidelity:
    """Pair the cases of two recordings by everything but their targets."""
    native_cases, virtual_cases = _by_case(native), _by_case(virtual)
    aside = pairing.not_in_both(native.run, virtual.run)
    rows = []
    for folder in sorted({*native_cases, *virtual_cases}):
        first, second = native_cases.get(folder), virtual_cases.get(folder)
        if first is None or second is None:
            rows.append(
                FidelityRow(str(folder), (), f"only the {'virtual' if first is None else 'native'} side has this case")
            )
        else:
            rows.append(
                FidelityRow(str(folder), tuple(_cells(first, second, native.run.torch, aside)), _error(first, second))
            )
    return Fidelity(native, virtual, tuple(rows))


def _by_case(recording: Recording) -> Mapping[PurePosixPath, RecordedCase]:
    return {case.folder.parent: case for case in recording.cases}


def _cells(native: RecordedCase, virtual: RecordedCase, torch: str | None, aside: frozenset[str]) -> list[Cell]:
    skipped = next((case for case in (native, virtual) if case.outcome == "skipped"), None)
    if skipped is not None:
        return [Cell("", "", "not comparable", f"skipped on {skipped.target}: {skipped.message}")]
    pairs = pairing.compared(native, virtual, torch, aside)
    cells = [_cell(pair) for pair in pairs if pair.stage not in _OF_THE_TARGET]
    for stage, why in {**virtual.unavailable, **native.unavailable}.items():
        cells.append(Cell(stage, stage, "not comparable", why))
    cells += [Cell(stage, stage, "not comparable", "only one side recorded it") for stage in sorted(aside)]
    return sorted(cells, key=lambda cell: rank(cell.stage))


def _cell(pair: Compared) -> Cell:
    # Byte for byte: a purely cosmetic difference counts here too, and is reported as such.
    if not pair.differs:
        return Cell(pair.stage, pair.file, "same")
    verdict: Verdict = "cosmetic" if pair.kind == "cosmetic" else "structural"
    return Cell(pair.stage, pair.file, verdict, _first_line(pair.old, pair.new), pair.old, pair.new)


def _first_line(native: str, virtual: str) -> str:
    native_lines, virtual_lines = split_lines(native), split_lines(virtual)
    index = next(
        (n for n, (a, b) in enumerate(zip(native_lines, virtual_lines, strict=False)) if a != b),
        min(len(native_lines), len(virtual_lines)),
    )
    shown = [lines[index].strip() if index < len(lines) else "nothing" for lines in (native_lines, virtual_lines)]
    return f"line {index + 1}: native {shown[0]!r}, virtual {shown[1]!r}"


def _error(native: RecordedCase, virtual: RecordedCase) -> str | None:
    messages = [
        f"{case.outcome} on {case.target}: {case.message or 'no reason given'}"
        for case in (native, virtual)
        if case.outcome in ("failed", "error")
    ]
    return "; ".join(messages) or None
