"""`compile-golden overlays`: what overlays change, and giving up those of versions that are no longer supported."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import click

from pytest_compile_golden.cli import shared_options
from pytest_compile_golden.cli.accept import listed
from pytest_compile_golden.cli.changes import known
from pytest_compile_golden.cli.console import console, show
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.goldens import evidence_file, golden_history
from pytest_compile_golden.goldens.golden_paths import GoldenPath, parse_version
from pytest_compile_golden.goldens.golden_store import Store, WrittenGolden, codes
from pytest_compile_golden.stages import stage_of


@click.command(
    short_help="List what overlays change, and squash those that are no longer needed."
)
@click.option(
    "--squash",
    metavar="VERSION",
    help="The oldest torch version that the goldens must still support.",
)
@shared_options.goldens
def overlays(squash: str | None, goldens: Path | None) -> None:
    """List for each release how many goldens overlay older ones, and what they change, each code with its meaning.

    With --squash, what a run on VERSION uses becomes the oldest golden, and what only older versions use is deleted.
    """
    project = find_project(goldens)
    store = Store((goldens or project.goldens).absolute(), project.bases)
    oldest = None if squash is None else parse_version(squash)
    written: list[WrittenGolden] = []
    releases: dict[str, Counter[str]] = {}
    # Bases first: what they keep decides what their targets need.
    folders = sorted(
        golden_history.cases(store.root),
        key=lambda folder: (len(project.bases.below(folder)), folder),
    )
    for folder in folders:
        for series in golden_history.series(store.root, folder, bases=project.bases):
            extension = series.goldens[-1].path.suffix.removeprefix(".")
            stage = stage_of(series.stage, extension)
            if oldest is not None:
                written += store.squash(
                    GoldenPath(folder, series.stem, extension), stage, oldest
                )
                continue
            for under, over in pairwise(series.goldens):
                if (
                    over.path.parent == folder
                    and over.release is not None
                    and not evidence_file.holds(over.path)
                ):
                    changed = codes(stage, under.body, over.body)
                    releases.setdefault(over.release, Counter()).update(["", *changed])
    to = console()
    if oldest is not None:
        said = (
            f"{quantity(len(written), 'file')} changed."
            if written
            else f"no overlay is older than torch {squash}."
        )
        show(to, [*listed(store), ("", said)])
    for release, changes in sorted(
        releases.items(), key=lambda item: parse_version(item[0])
    ):
        show(to, [("", f"torch {release}: {quantity(changes[''], 'overlay')}")])
        for code, times in changes.most_common():
            if code:
                show(to, [("", f"  {times:>4}  {code:24} {known()[code].meaning}")])
    if oldest is None and not releases:
        show(to, [("", "no overlays.")])
