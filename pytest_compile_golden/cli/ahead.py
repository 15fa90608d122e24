"""`compile-golden doctor --sources`: which private names moved in a torch that is not installed, and where to."""

from __future__ import annotations

import functools
from importlib import util
from pathlib import Path

import click

from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.torch_names import Attribute, Name, given, subjects
from pytest_compile_golden.torch_source.moved_names import Fate, fate
from pytest_compile_golden.torch_source.package import Package


def read_ahead(path: Path, write: bool) -> bool:
    """Print what became of each name in the torch at `path`, and return whether all of them can be used.

    With `write`, the new spellings that are sure go into the project's file, which later runs read.
    """
    new = Package(path)
    rows = [row for table in subjects().values() for row in table if row.expected_in(new.version)]
    fates = {row: found for row in rows if (found := _fate(row, new))}
    click.echo(f"torch {new.version}: {len(rows) - len(fates)} of {len(rows)} names are as we know them")
    for row, found in fates.items():
        click.echo(f"  {found.said}\n      for {row.use}; without it: {row.lost}")
    sure = {row.at: found.now for row, found in fates.items() if found.now}
    if write and sure:
        file = find_project().root / given.FILE
        given.write(file, f"torch {new.version}", sure)
        click.echo(f"{len(sure)} new spellings written to {file}")
        fates = {row: found for row, found in fates.items() if not found.now}
    elif sure:
        click.echo(f"--write adds the {len(sure)} that are sure to {given.FILE}, which every run of the project reads")
    return not fates


def _fate(row: Name, new: Package) -> Fate | None:
    return fate(row.spellings, row.takes, isinstance(row, Attribute), new, _installed())


@functools.cache
def _installed() -> Package | None:
    """The installed torch's sources, which have the names as we know them."""
    spec = util.find_spec("torch")
    return None if spec is None or spec.origin is None else Package(Path(spec.origin).parents[1])
