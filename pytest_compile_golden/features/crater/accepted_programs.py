"""The reviewed file of a corpus: a line per program and target, with its outcome, numbers and digests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from pytest_compile_golden.common import files
from pytest_compile_golden.common.digest import short
from pytest_compile_golden.common.format_version import NORMALISER
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.recordings.corpus_rows import Row
from pytest_compile_golden.report.styled_lines import Line, printable
from pytest_compile_golden.stages import get_stage

Text = Callable[[str], str | None]
"""The text with a digest, if it was kept."""

_DIGITS = 8
_SHOWN = 20
_TITLE = "# compile-golden crater, normaliser "


class AcceptedProgram(msgspec.Struct, frozen=True):
    """What one program is accepted to do."""

    program: str
    target: str
    outcome: str
    seconds: float
    """Of processor, as far as it is known: a power of two."""
    metrics: dict[str, int | float | str | bool] = {}
    stages: dict[str, str] = {}
    """The beginning of a digest of what counts in each artifact, by file name: not of names, order or comments."""

    @property
    def key(self) -> tuple[str, str]:
        """What it is compared by with another line."""
        return self.program, self.target


def of(row: Row, text: Text) -> AcceptedProgram:
    """What to write of a row. No exact time, and no digest of the numbers, which are there themselves."""
    texts = {
        name: text(digest)
        for name, digest in row.stages.items()
        if not name.startswith("metrics")
    }
    stages = {
        name: short(get_stage(name.partition(".")[0]).format.canonical(body))[:_DIGITS]
        for name, body in texts.items()
        if body is not None
    }
    numbers = {name: value for name, value in row.metrics.items() if value}
    # Rounded up to a power of two: seconds differ from run to run, and must not make the file differ, too.
    power = 0.125
    while power < row.seconds:
        power *= 2
    return AcceptedProgram(row.program, row.target, row.outcome, power, numbers, stages)


def write(path: Path, rows: Sequence[Row], torch: str, text: Text) -> None:
    """Write the rows of one torch version; the seconds of a line stay if they are about right."""
    before = seconds(path) if path.exists() else {}
    lines = [f"{_TITLE}{NORMALISER}, torch {torch}"]
    for row in sorted(rows, key=lambda row: (row.program, row.target)):
        line = of(row, text)
        known = before.get(row.program)
        if known is not None and known / 2 <= line.seconds <= known * 2:
            line = msgspec.structs.replace(line, seconds=known)
        lines.append(msgspec.json.encode(line, order="sorted").decode())
    files.write(path, "".join(f"{line}\n" for line in lines), "goldens of a corpus")


def read(path: Path) -> list[AcceptedProgram]:
    """Raises GoldenError for a file that is not one of ours, or was written with another normaliser."""
    title, *lines = split_lines(path.read_text(encoding="utf-8")) or [""]
    if not title.startswith(f"{_TITLE}{NORMALISER},"):
        raise GoldenError(
            f"{path} does not begin with `{_TITLE}{NORMALISER}`. Write it again with --update."
        )
    try:
        return [msgspec.json.decode(line, type=AcceptedProgram) for line in lines]
    except msgspec.DecodeError as error:
        raise GoldenError(
            f"{path} is damaged ({error}). Restore it, or write it again with --update."
        ) from None


def seconds(path: Path) -> dict[str, float]:
    """How long each program takes."""
    return {line.program: line.seconds for line in read(path)}


def compared(path: Path, rows: Sequence[Row], text: Text) -> list[Line]:
    """A line for each program that is not as accepted; empty if all are. Programs without a row are not compared."""
    known = {line.key: line for line in read(path)}
    told: list[Line] = []
    for line in (of(row, text) for row in rows):
        before = known.get(line.key)
        what = "new" if before is None else "; ".join(_differences(before, line))
        if what:
            told.append(("bad", f"{printable(line.program)}[{line.target}]: {what}"))
    rest = [("dim", f"... and {len(told) - _SHOWN} more")] if len(told) > _SHOWN else []
    return [*told[:_SHOWN], *rest]


def _differences(old: AcceptedProgram, new: AcceptedProgram) -> list[str]:
    if old.outcome != new.outcome:
        return [f"{old.outcome} -> {new.outcome}"]
    numbers = [
        f"{name} {old.metrics.get(name, 0)} -> {new.metrics.get(name, 0)}"
        for name in sorted({*old.metrics, *new.metrics})
        if old.metrics.get(name) != new.metrics.get(name)
    ]
    both = (
        old.stages.keys() & new.stages.keys()
        if not (old.stages and new.stages)
        else {*old.stages, *new.stages}
    )
    texts = [
        name for name in sorted(both) if old.stages.get(name) != new.stages.get(name)
    ]
    return [*numbers, *([f"differs: {', '.join(texts)}"] if texts else [])]
