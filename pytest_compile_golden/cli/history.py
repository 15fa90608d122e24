"""`compile-golden history CASE`: a case's goldens across torch versions, from files only."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from pytest_compile_golden.cli import completing, options
from pytest_compile_golden.cli.console import console, show
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.goldens.history import Series, cases, nodeids, of_bases, series
from pytest_compile_golden.names import check, chosen
from pytest_compile_golden.report.lines import printable
from pytest_compile_golden.report.texts import diff


@click.command(short_help="Show how a case's goldens changed over torch versions.")
@click.argument("case", shell_complete=completing.cases)
@click.option("--stage", metavar="NAME", shell_complete=completing.stages, help="Only this stage.")
@options.goldens
@click.option("--all", "everything", is_flag=True, help="Also show artifacts that no version changed.")
def history(case: str, stage: str | None, goldens: Path | None, everything: bool) -> None:
    """Show how the goldens of CASE changed from one torch version to the next.

    CASE is a test id, its folder under the goldens, whole words of either or, failing that, any part of one; * and ?
    are wildcards.
    """
    project = find_project(goldens)
    root = (goldens or project.goldens).absolute()
    folders = of_bases(cases(root) if root.is_dir() else (), project.bases)
    # Naming a case whose goldens are all its base's shows its base's.
    there = {
        folder: tuple(name for path in (folder, *above) for name in (str(path), *nodeids(path)))
        for folder, above in folders.items()
    }
    named = chosen([case], there, f" in {root}")
    every = {folder: series(root, folder, bases=project.bases) for folder in named}
    if stage is not None:
        check(
            f"stage among the goldens of {case!r}",
            [stage],
            (artifact.stage for artifacts in every.values() for artifact in artifacts),
        )
    to = console()
    for folder, artifacts in every.items():
        wanted = [artifact for artifact in artifacts if stage in (None, artifact.stage)]
        shown = [artifact for artifact in wanted if everything or stage or len(artifact.goldens) > 1]
        if wanted:
            show(to, [("title", printable(str(folder)))])
        for artifact in shown:
            _show(to, artifact)
        if same := [artifact.stem for artifact in wanted if artifact not in shown]:
            show(to, [("dim", f"  unchanged since the oldest torch: {', '.join(same)}")])


def _show(to: Console, artifact: Series) -> None:
    before = ""
    for number, golden in enumerate(artifact.goldens):
        since = "base" if golden.release is None else f"since torch {golden.release}"
        wrote = f"written by torch {golden.header.torch}, triton {golden.header.triton or 'none'}"
        gone = "" if golden.body else ", no such stage"
        own = golden.path.parent == artifact.folder
        name = golden.path.name if own else golden.path.relative_to(artifact.folder.parent)
        show(to, [("title" if number else "", f"  {name}  {since}, {wrote}{gone}")])
        if number:
            show(to, [(style, f"    {text}") for style, text in diff(before, golden.body)])
        before = golden.body
