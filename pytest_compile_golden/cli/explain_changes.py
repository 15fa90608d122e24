"""What a comparison finds out about its changes if asked to: proofs, smallest programs, changes of torch's sources."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from pytest_compile_golden import extensions
from pytest_compile_golden.common.installed_torch import torch_version
from pytest_compile_golden.environments import sides
from pytest_compile_golden.environments.side_recorder import Result
from pytest_compile_golden.environments.sides import Interpreter, Side
from pytest_compile_golden.environments.torch_environments import (
    Environments,
    installed,
)
from pytest_compile_golden.recordings.recording import Recording

if TYPE_CHECKING:
    from pytest_compile_golden.cli.record_sides import RunOptions
    from pytest_compile_golden.report.model import Report
    from pytest_compile_golden.report.proofs import Searched


prove_option = click.option(
    "--prove",
    is_flag=True,
    help="Also prove which function or setting of torch made each distinct change, by undoing it in the newer torch: a "
    "minute or less for each. The torch of both sides must be installed.",
)
reduce_option = click.option(
    "--reduce",
    "reduced",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Also look for the smallest program that shows it, for each of the first N distinct changes: a minute or two "
    "for each. The torch of both sides must be installed.",
)
_LONGEST_REDUCTION_S = 120.0


def searched(old: Side, new: Side, torch: str | None) -> Searched:
    """How to ask `prove` about what differs between two sides. torch: the older one's version."""
    from pytest_compile_golden.report.proofs import Searched

    label, version = shlex.quote(old.label), (torch or "").partition("+")[0]
    named = f"--old {label if sides.runs(old) else version}"
    if not sides.runs(old) and old.label != f"{sides.GOLDENS}@{version}":
        named += f" --texts {label}"
    if isinstance(new, Interpreter) and new.python != Path(sys.executable):
        return Searched(
            named, f"{shlex.quote(str(new.python))} -m pytest_compile_golden"
        )
    return Searched(
        named,
        torch=""
        if isinstance(new, Interpreter)
        else (torch_version() or "").partition("+")[0],
    )


def with_proofs(
    report: Report, sides: Sequence[Side], results: Sequence[Result], run: RunOptions
) -> Report:
    """The report with what undoing definitions of the newer torch version showed about each distinct change.

    Raises UsageError if the sources of a side, or the interpreter of the newer one, are not on this machine, and
    NotInstalled if the feature is not there.
    """
    return cast(
        "Report",
        extensions.provided(extensions.TOOLS, extensions.PROOFS)(
            report, sides, results, run
        ),
    )


def pythons_of(sides: Sequence[Side], results: Sequence[Result]) -> dict[str, Path]:
    """The interpreter of each side, by its label. Raises UsageError for a side whose torch is not on this machine."""
    environments, pythons = Environments(), {}
    for side, result in zip(sides, results, strict=True):
        torch = (
            installed(side, result.run.torch, environments)
            if isinstance(result, Recording)
            else None
        )
        if torch is None or torch.python is None:
            raise click.UsageError(
                f"--reduce needs the torch of {side.label} installed: name its interpreter."
            )
        pythons[side.label] = torch.python
    return pythons


def with_programs(
    report: Report,
    pythons: Mapping[str, Path],
    most: int,
    program_of: Callable[[str], str] = lambda nodeid: nodeid,
) -> Report:
    """The report with the smallest program that was found for each of its first `most` distinct changes.

    pythons: the older and the newer interpreter, by label. program_of: what `reduce` calls a case, by its id.
    Raises NotInstalled if the feature is not there.
    """
    until = time.monotonic() + most * _LONGEST_REDUCTION_S
    return cast(
        "Report",
        extensions.provided(extensions.TOOLS, extensions.PROGRAMS)(
            report, pythons, program_of, most, until
        ),
    )


def with_sources(
    report: Report,
    sides: Sequence[Side],
    results: Sequence[Result],
    repository: Path | None,
) -> Report:
    """The report with what torch's authors changed, or with notes on each torch version whose sources are not here."""
    from pytest_compile_golden.report import torch_changes

    if not report.differs or report.old.error or report.new.error:
        return report
    environments = Environments()
    torches = [
        result.run.torch if isinstance(result, Recording) else None
        for result in results
    ]
    old, new = (
        installed(side, torch, environments)
        for side, torch in zip(sides, torches, strict=True)
    )
    if old is None or new is None:
        found = zip(sides, torches, (old, new), strict=True)
        missing = [
            _missing(side, torch)
            for side, torch, its_torch in found
            if its_torch is None
        ]
        return replace(report, notes=(*report.notes, *missing))
    return (
        report
        if old == new
        else torch_changes.with_sources(report, old, new, repository)
    )


def _missing(side: Side, torch: str | None) -> str:
    what = f"what torch's authors changed is not shown: {side.label}"
    if isinstance(side, Interpreter):
        return f"{what} has its torch outside its own environment, where it is not looked for"
    if torch is None:
        return f"{what} does not say which torch it is from"
    version = torch.partition("+")[0]
    return f"{what} is from torch {version}, which is not installed here: `compile-golden env create {version}`"
