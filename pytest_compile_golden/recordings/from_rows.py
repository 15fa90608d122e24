"""The programs of a corpus on one torch, as if a run of them had been recorded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from pytest_compile_golden.formats.metrics.printed import MetricLine, write
from pytest_compile_golden.formats.normaliser import NORMALISER
from pytest_compile_golden.goldens.case_files import StoredArtifact
from pytest_compile_golden.recordings.recording import RecordedCase, Recording, Run
from pytest_compile_golden.recordings.rows import Row, Rows, Side


def numbers(rows: Rows, side: Side) -> Recording:
    """All programs of one torch, with nothing but their metrics."""
    mine = [row for row in rows.all() if row.torch == side.torch and not row.rewrite]
    return recording(side, [(row, [metrics(row)] if row.metrics else []) for row in mine])


def recording(side: Side, programs: Sequence[tuple[Row, Iterable[StoredArtifact]]]) -> Recording:
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


def metrics(row: Row) -> StoredArtifact:
    text = write(MetricLine(metric, value) for metric, value in sorted(row.metrics.items()))
    return StoredArtifact("metrics", "metrics", "toml", text)
