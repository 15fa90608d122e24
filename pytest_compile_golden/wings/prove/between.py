"""Proves the distinct changes between two sides of a comparison, each with the torch that it has on this machine."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from pytest_compile_golden.cli import running
from pytest_compile_golden.environments.environments import Environments, installed
from pytest_compile_golden.environments.side_recorder import Result
from pytest_compile_golden.environments.sides import Interpreter, Side
from pytest_compile_golden.recordings.recording import Recording
from pytest_compile_golden.report.model import Report
from pytest_compile_golden.torch_source import installation
from pytest_compile_golden.wings.prove import changes
from pytest_compile_golden.wings.prove.definitions import Sources
from pytest_compile_golden.wings.prove.older import Version


def added(report: Report, sides: Sequence[Side], results: Sequence[Result], run: running.RunOptions) -> Report:
    """See `cli.explaining.with_proofs`."""
    old, new = results
    if not (isinstance(old, Recording) and isinstance(new, Recording)) or not report.differs:
        return report
    environments = Environments()
    versions = []
    for side, result in zip(sides, (old, new), strict=True):
        found = installed(side, result.run.torch, environments)
        if found is None:
            raise click.UsageError(f"--prove needs the torch of {side.label} installed: name its interpreter.")
        versions.append(Version(Sources(found.folder), _interpreter(side, found.folder, environments)))
    before, now = versions
    if now.python is None:
        raise click.UsageError(f"--prove compiles with the torch of {sides[1].label}: name its interpreter.")
    request = run.side_recorder([], runs=1).request
    with running.SideProgress() as watcher:
        return changes.proved(report, (old, new), (before, now), request, lambda text: watcher.say(sides[1], text))


def _interpreter(side: Side, folder: Path, environments: Environments) -> Path | None:
    """The interpreter that has the torch in `folder`."""
    pythons = [side.python] if isinstance(side, Interpreter) else []
    pythons += [Path(sys.executable), *(environment.python for environment in environments)]
    return next((python for python in pythons if (its := installation.of(python)) and its.folder == folder), None)
