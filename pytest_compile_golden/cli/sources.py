"""Shared by `diff` and `bisect`: torch's own sources, if the torch versions of both sides are installed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_compile_golden.environments import torch_installations
from pytest_compile_golden.environments.environments import Environments
from pytest_compile_golden.environments.sides import Interpreter
from pytest_compile_golden.recordings.recording import Recording

if TYPE_CHECKING:
    from pytest_compile_golden.environments.side_recorder import Result
    from pytest_compile_golden.environments.sides import Side
    from pytest_compile_golden.report.model import Report


def added(report: Report, sides: Sequence[Side], results: Sequence[Result], repository: Path | None) -> Report:
    """The report with what torch's authors changed, or with notes on each torch whose sources are not here."""
    from pytest_compile_golden.report import torch_changes

    if not report.differs or report.old.error or report.new.error:
        return report
    environments = Environments()
    torches = [result.run.torch if isinstance(result, Recording) else None for result in results]
    old, new = (
        torch_installations.installed(side, torch, environments) for side, torch in zip(sides, torches, strict=True)
    )
    if old is None or new is None:
        found = zip(sides, torches, (old, new), strict=True)
        missing = [_missing(side, torch) for side, torch, its_torch in found if its_torch is None]
        return replace(report, notes=(*report.notes, *missing))
    return report if old == new else torch_changes.with_sources(report, old, new, repository)


def _missing(side: Side, torch: str | None) -> str:
    what = f"what torch's authors changed is not shown: {side.label}"
    if isinstance(side, Interpreter):
        return f"{what} has its torch outside its own environment, where it is not looked for"
    if torch is None:
        return f"{what} does not say which torch it is from"
    version = torch.partition("+")[0]
    return f"{what} is from torch {version}, which is not installed here: `compile-golden env create {version}`"
