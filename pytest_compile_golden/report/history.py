"""A case's metrics across its goldens: the oldest, and each overlay."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from pytest_compile_golden.formats.metrics.printed import numbers
from pytest_compile_golden.goldens import history
from pytest_compile_golden.goldens.bases import NO_BASES, Bases
from pytest_compile_golden.report.model import Point


def metric_history(root: Path, folder: PurePosixPath, bases: Bases = NO_BASES) -> dict[str, list[Point]]:
    """Each metric's values, oldest torch first. Raises GoldenError if a golden is damaged or not ours."""
    points: dict[str, list[Point]] = {}
    for series in history.series(root, folder, lambda stage: stage == "metrics", bases):
        if series.stem != "metrics":
            continue
        for golden in series.goldens:
            release = golden.release or golden.header.torch
            for name, value in (numbers(golden.body) or {}).items():
                points.setdefault(name, []).append(Point(release, value))
    return points
