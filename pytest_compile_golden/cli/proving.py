"""Shared by `diff` and `bisect`: causes that are proved, which is a wing's work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import click

from pytest_compile_golden import seams
from pytest_compile_golden.cli import running
from pytest_compile_golden.environments.sides import Side

if TYPE_CHECKING:
    from pytest_compile_golden.environments.side_recorder import Result
    from pytest_compile_golden.report.model import Report

prove_option = click.option(
    "--prove",
    is_flag=True,
    help="Also prove which function or setting of torch made each distinct change, by undoing it in the newer torch: a "
    "minute or less for each. The torch of both sides must be installed.",
)


def added(report: Report, sides: Sequence[Side], results: Sequence[Result], run: running.RunOptions) -> Report:
    """The report with what undoing definitions of the newer torch showed about each distinct change.

    Raises UsageError if the sources of a side, or the interpreter of the newer one, are not on this machine, and
    NotInstalled if the wing is not there.
    """
    return cast("Report", seams.provided(seams.TOOLS, seams.PROOFS)(report, sides, results, run))
