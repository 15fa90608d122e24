"""What is kept of each program of a corpus: a row in one SQLite file, and texts by content where they are compared.

`features/crater` writes it, and any comparison takes it for a side. A run's cases are in a folder: `recording.py`.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Literal

import msgspec
from packaging.version import Version

from pytest_compile_golden.common.format_version import NORMALISER
from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.formats.metrics.printed import LINES, MetricLine
from pytest_compile_golden.goldens.case_files import StoredArtifact
from pytest_compile_golden.recordings.recording import RecordedCase, Recording, Run

Outcome = Literal[
    "captured",
    "nothing compiled",
    "torch failed",
    "eager fails too",
    "needs a value",
    "out of time",
    "out of memory",
    "ours",
]
Texts = Mapping[str, str]
"""Each text by its digest."""

_FORMAT = 1
_MAGIC = b"SQLite format 3\0"
_TABLES = """
create table if not exists rows (
    program text not null, torch text not null, target text not null, rewrite text not null,
    outcome text not null, reason text not null, error text not null, frame text not null,
    metrics text not null, stages text not null, unavailable text not null,
    seconds real not null, memory integer not null, normaliser integer not null,
    primary key (program, torch, target, rewrite)
) without rowid;
create table if not exists texts (digest text primary key, text blob not null) without rowid;
create table if not exists sides (torch text primary key, facts text not null) without rowid;
"""


def is_rows(path: Path) -> bool:
    """Whether it may be such a file."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


class TorchRows(msgspec.Struct, frozen=True):
    """What all rows of one torch version share."""

    torch: str
    triton: str | None
    python: str
    platform: str
    commit: str | None
    started: str = ""
    """When its first row was asked for, in UTC, ISO 8601."""


class Row(msgspec.Struct, frozen=True):
    """One program, on one torch version, for one target."""

    program: str
    torch: str
    """The installed version, with its local part."""
    target: str
    outcome: Outcome
    normaliser: int
    rewrite: str = ""
    """The identity by which the program was rewritten; empty for the program itself."""
    reason: str = ""
    """Why nothing was captured, in one line that ends with the user's line if it is known."""
    error: str = ""
    """The class of torch's error."""
    frame: str = ""
    """The innermost function of torch that the error came through: `torch/_inductor/lowering.py: cat`."""
    metrics: dict[str, int | float | str | bool] = {}
    stages: dict[str, str] = {}
    """The digest of each artifact's text, by file name."""
    unavailable: dict[str, str] = {}
    """Stages that this torch cannot show, each with the reason."""
    seconds: float = 0.0
    """Of processor, to make, compile and write it down."""
    memory: int = 0
    """The most that its process had used until then, in MiB."""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What there is one row of."""
        return self.program, self.torch, self.target, self.rewrite


_COLUMNS = Row.__struct_fields__


class Rows:
    """The file. Every row is written as a whole before the next one is: whatever ends the process, no row is lost."""

    def __init__(self, path: Path) -> None:
        """Opens the file, which is made if there is none. Raises GoldenError if it is something else."""
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(path, timeout=120)
            version = self._file.execute("pragma user_version").fetchone()[0]
            if version not in (0, _FORMAT):
                raise GoldenError(
                    f"{path} has format {version}, but this version reads {_FORMAT}. Make a new file."
                )
            self._file.executescript(f"{_TABLES} pragma user_version = {_FORMAT};")
        except (OSError, sqlite3.Error) as error:
            raise GoldenError(
                f"{path} is not a file of crater ({error}). Name another one."
            ) from None

    def close(self) -> None:
        self._file.close()

    def keep(self, row: Row, texts: Texts) -> None:
        """Write a row, in place of an older one with its key, and the texts that are not there yet."""
        values = [_stored(getattr(row, column)) for column in _COLUMNS]
        with self._undamaged(), self._file as file:
            file.executemany(
                "insert or ignore into texts values (?, ?)",
                [
                    (digest, zlib.compress(text.encode("utf-8", "backslashreplace"), 6))
                    for digest, text in texts.items()
                ],
            )
            file.execute(
                f"insert or replace into rows ({', '.join(_COLUMNS)}) values ({', '.join('?' * len(_COLUMNS))})",
                values,
            )

    def keep_side(self, side: TorchRows) -> None:
        """Write it; the first start is kept."""
        started = next(
            (known.started for known in self.sides() if known.torch == side.torch), ""
        )
        side = msgspec.structs.replace(side, started=started or side.started)
        with self._undamaged(), self._file as file:
            facts = msgspec.json.encode(side).decode()
            file.execute(
                "insert or replace into sides values (?, ?)", (side.torch, facts)
            )

    def sides(self) -> list[TorchRows]:
        """The torch versions that have rows, each with what these share. Raises GoldenError."""
        with self._undamaged():
            found = self._file.execute("select facts from sides order by torch")
            several = [msgspec.json.decode(facts, type=TorchRows) for (facts,) in found]
            for side in several:
                Version(side.torch)  # raises ValueError
            return several

    def all(self) -> list[Row]:
        """Every row, by program."""
        with self._undamaged():
            columns = ", ".join(_COLUMNS)
            found = self._file.execute(
                f"select {columns} from rows order by program, target, torch, rewrite"
            )
            return [_row(values) for values in found]

    def text(self, digest: str) -> str | None:
        """The text with this digest, if it was kept."""
        with self._undamaged():
            found = self._file.execute(
                "select text from texts where digest = ?", (digest,)
            ).fetchone()
            return None if found is None else zlib.decompress(found[0]).decode("utf-8")

    def artifacts(self, row: Row, other: Row) -> Iterator[StoredArtifact]:
        """The texts of a program, to be compared with `other`: none if it is the same on both sides.

        What one of them did not keep is left out on both, but for the numbers.
        """
        for name, digest in row.stages.items() if row.stages != other.stages else ():
            stem, _, extension = name.rpartition(".")
            stage = stem.partition(".")[0]
            text = self.text(digest)
            if text is None and stage == "metrics":
                yield _metrics(row)
            elif text is not None and (
                name not in other.stages
                or stage == "metrics"
                or self.text(other.stages[name])
            ):
                yield StoredArtifact(stage, stem, extension, text)

    @contextmanager
    def _undamaged(self) -> Iterator[None]:
        """Raises GoldenError for a file that cannot be used, or what no run of crater wrote."""
        try:
            yield
        except (
            sqlite3.Error,
            ValueError,
            TypeError,
            RecursionError,
            zlib.error,
        ) as error:
            raise GoldenError(
                f"{self._path} is damaged or cannot be written ({error}). Restore it, or compile its programs anew."
            ) from None

    def add(self, theirs: Rows) -> None:
        """Take over what another file has, such as another machine's shard; rows that both have stay as they are."""
        known = {row.key for row in self.all()}
        for side in theirs.sides():
            self.keep_side(side)
        for row in theirs.all():
            if row.key not in known:
                texts = {digest: theirs.text(digest) for digest in row.stages.values()}
                self.keep(
                    row,
                    {
                        digest: text
                        for digest, text in texts.items()
                        if text is not None
                    },
                )


def _stored(value: object) -> object:
    return (
        msgspec.json.encode(value, order="deterministic").decode()
        if isinstance(value, dict)
        else value
    )


def _row(values: tuple[object, ...]) -> Row:
    facts = dict(zip(_COLUMNS, values, strict=True))
    for column in ("metrics", "stages", "unavailable"):
        facts[column] = msgspec.json.decode(str(facts[column]))
    return msgspec.convert(facts, Row)


def numbers(rows: Rows, side: TorchRows) -> Recording:
    """All programs of one torch version, with nothing but their metrics."""
    mine = [row for row in rows.all() if row.torch == side.torch and not row.rewrite]
    return recording(
        side, [(row, [_metrics(row)] if row.metrics else []) for row in mine]
    )


def recording(
    side: TorchRows, programs: Sequence[tuple[Row, Iterable[StoredArtifact]]]
) -> Recording:
    """Each program of `programs` with what is known of its stages."""
    rows = [row for row, _ in programs]
    run = Run(
        torch=side.torch,
        triton=side.triton,
        python=side.python,
        platform=side.platform,
        normaliser=max((row.normaliser for row in rows), default=NORMALISER),
        targets=tuple(sorted({row.target for row in rows})),
        options={},
        started=side.started,
        seconds=sum(row.seconds for row in rows),
        cases=len(rows),
        errors={},
        exit_status=0,
        commit=side.commit,
        recorded=len(rows),
    )
    return Recording(run, tuple(_case(row, artifacts) for row, artifacts in programs))


def _case(row: Row, artifacts: Iterable[StoredArtifact]) -> RecordedCase:
    captured = row.outcome == "captured"
    return RecordedCase(
        folder=PurePosixPath(row.program, row.target),
        nodeid=f"{row.program}[{row.target}]",
        target=row.target,
        outcome="passed" if captured else "failed",
        message=None if captured else f"{row.outcome}: {row.reason}",
        seconds=row.seconds,
        artifacts=tuple(artifacts),
        unavailable=row.unavailable,
    )


def _metrics(row: Row) -> StoredArtifact:
    text = LINES.write(
        MetricLine(metric, value) for metric, value in sorted(row.metrics.items())
    )
    return StoredArtifact("metrics", "metrics", "toml", text)
