"""Shared by `diff` and `bisect`: what torch's authors changed, as far as both torches are here, and proved causes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from pytest_compile_golden import seams
from pytest_compile_golden.cli import running
from pytest_compile_golden.environments.environments import Environments, installed
from pytest_compile_golden.environments.sides import Interpreter
from pytest_compile_golden.recordings.recording import Recording

if TYPE_CHECKING:
    from pytest_compile_golden.environments.side_recorder import Result
    from pytest_compile_golden.environments.sides import Side
    from pytest_compile_golden.report.model import Report

prove_option = click.option(
    "--prove",
    is_flag=True,
    help="Also prove which function or setting of torch made each distinct change, by undoing it in the newer torch: a "
    "minute or less for each. The torch of both sides must be installed.",
)


def with_proofs(report: Report, sides: Sequence[Side], results: Sequence[Result], run: running.RunOptions) -> Report:
    """The report with what undoing definitions of the newer torch showed about each distinct change.

    Raises UsageError if the sources of a side, or the interpreter of the newer one, are not on this machine, and
    NotInstalled if the wing is not there.
    """
    return cast("Report", seams.provided(seams.TOOLS, seams.PROOFS)(report, sides, results, run))


def with_sources(report: Report, sides: Sequence[Side], results: Sequence[Result], repository: Path | None) -> Report:
    """The report with what torch's authors changed, or with notes on each torch whose sources are not here."""
    from pytest_compile_golden.report import torch_changes

    if not report.differs or report.old.error or report.new.error:
        return report
    environments = Environments()
    torches = [result.run.torch if isinstance(result, Recording) else None for result in results]
    old, new = (installed(side, torch, environments) for side, torch in zip(sides, torches, strict=True))
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
