"""The torch of a side, if it is installed on this machine: for reading its sources."""

from __future__ import annotations

import sys
from pathlib import Path

from packaging.version import InvalidVersion, Version

from pytest_compile_golden.environments.environments import Environments
from pytest_compile_golden.environments.sides import Interpreter, Side
from pytest_compile_golden.torch_source import installation
from pytest_compile_golden.torch_source.installation import Installation


def installed(side: Side, torch: str | None, environments: Environments) -> Installation | None:
    """The installation that a side's interpreter has, else one of version `torch`, with which it was recorded."""
    if isinstance(side, Interpreter):
        return installation.of(side.python)
    pythons = [Path(sys.executable), *(environment.python for environment in environments)]
    installations = [its_torch for python in pythons if (its_torch := installation.of(python)) is not None]
    return next(
        (candidate for candidate in installations if torch is not None and _same(candidate.version, torch)), None
    )


def _same(one: str | None, other: str) -> bool:
    try:
        return one is not None and Version(one).public == Version(other).public
    except InvalidVersion:
        return False
