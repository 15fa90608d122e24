"""What the core leaves to others, under the names that they declare: installed packages, and the wings that are there.

An installed package declares entry points, and a wing has a file of the same form, `entry_points.txt`:

    [pytest_compile_golden.commands]
    site = pytest_compile_golden.wings.site.command:site

Nothing that is declared is imported before it is asked for.
"""

from __future__ import annotations

import sys
from configparser import ConfigParser
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from pytest_compile_golden.errors import NotInstalled

COMMANDS: Final = "pytest_compile_golden.commands"
"""Subcommands of `compile-golden`: a click.Command each."""
LOADERS: Final = "pytest_compile_golden.loaders"
"""What finds the programs of one kind of source for `compile-golden crater`: a `crater.loaders.Loader` each."""
PLUGINS: Final = "pytest_compile_golden.plugins"
"""pytest plugins, registered along with our own: fixtures, options, and the hooks of `plugin/hookspecs.py`."""
TOOLS: Final = "pytest_compile_golden.tools"
"""What the core calls if it is there, by what it does: KERNEL_COMPILER, NUMERICS, PROOFS, IDENTITIES."""

IDENTITIES: Final = "identities"
"""Writes the programs of a corpus differently; see `cli.crater.Rewriting`."""
KERNEL_COMPILER: Final = "kernel_compiler"
"""Compiles kernels to machine code; see `captured.KernelCompiler`."""
NUMERICS: Final = "numerics"
"""Runs what was compiled and compares it with eager; see `api.NumericsTool`."""
PROOFS: Final = "proofs"
"""Proves what made the changes in a report; see `cli.running.with_proofs`."""

_WINGS = Path(__file__).with_name("wings")
_OF_WINGS = {
    COMMANDS: {
        "eject": "eject",
        "fuzz": "numerics",
        "init": "starter",
        "packages": "packages",
        "patterns": "patterns",
        "prove": "prove",
        "site": "site",
        "triage": "triage",
        "warm": "warm",
    },
    TOOLS: {IDENTITIES: "identities", KERNEL_COMPILER: "machine_code", NUMERICS: "numerics", PROOFS: "prove"},
}
"""The wing that has each: all that the core knows of wings, so that it can name one that is not there."""


def entry_points(group: str) -> list[metadata.EntryPoint]:
    """What wings and installed packages declare in a group, wings first."""
    of_wings = [point for point in _of_wings() if point.group == group]
    return [*of_wings, *_of_packages(tuple(sys.path)).select(group=group)]


@cache
def _of_packages(path: tuple[str, ...]) -> Any:
    """All that packages on this path declare: reading it takes a while, and it is asked for at each plugin."""
    return metadata.entry_points()


@cache
def _of_wings() -> tuple[metadata.EntryPoint, ...]:
    tables = ConfigParser(delimiters="=", interpolation=None)
    tables.read(sorted(_WINGS.glob("*/entry_points.txt")), encoding="utf-8")
    return tuple(metadata.EntryPoint(*item, group) for group in tables.sections() for item in tables.items(group))


def provided(group: str, name: str) -> Any:
    """What is declared under `name`, imported; None if nothing is.

    Raises NotInstalled, which names the wing, if one of ours would have it.
    """
    point = next((point for point in entry_points(group) if point.name == name), None)
    if point is not None:
        return point.load()
    wing = _OF_WINGS.get(group, {}).get(name)
    if wing is None:
        return None
    raise NotInstalled(
        f"{name.replace('_', ' ')} is not installed: it is in pytest_compile_golden/wings/{wing}, which this "
        "installation lacks. Install all of pytest-compile-golden to have it."
    )
