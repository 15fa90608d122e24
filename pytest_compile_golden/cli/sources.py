"""Shared by `diff` and `bisect`: torch's own sources, if the torch versions of both sides are installed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pytest_compile_golden.environments import torch_installations
from pytest_compile_golden.environments.environments import Environments
from pytest_compile_golden.recordings.recording import Recording

if TYPE_CHECKING:
    from pytest_compile_golden.environments.side_recorder import Result
    from pytest_compile_golden.environments.sides import Side
    from pytest_compile_golden.report.model import Report

repository_option = click.option(
    "--torch-repo",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A clone of torch's repository, to also show the commits that touched the functions that are blamed.",
)


def added(report: Report, sides: Sequence[Side], results: Sequence[Result], repository: Path | None) -> Report:
    """The report with what torch's authors changed; unchanged if either torch is not installed here."""
    from pytest_compile_golden.report import torch_changes

    environments = Environments()
    old, new = (
        torch_installations.installed(side, result.run.torch if isinstance(result, Recording) else None, environments)
        for side, result in zip(sides, results, strict=True)
    )
    if not report.differs or old is None or new is None or old == new:
        return report
    return torch_changes.with_sources(report, old, new, repository)
