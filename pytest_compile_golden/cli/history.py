"""`compile-golden history CASE`: a case's goldens across torch versions, from files only."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

import click
from rich.console import Console

from pytest_compile_golden.cli import shared_options, shell_completion
from pytest_compile_golden.cli.console import console, show
from pytest_compile_golden.cli.find_cases import named
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.common.name_matching import check, chosen
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.formats.format import WHOLE_LINES
from pytest_compile_golden.formats.line_edits import labels
from pytest_compile_golden.formats.metrics.printed import changes as metric_changes
from pytest_compile_golden.goldens import evidence_file
from pytest_compile_golden.goldens.golden_history import (
    Series,
    cases,
    nodeids,
    of_bases,
    series,
)
from pytest_compile_golden.goldens.metric_history import Thresholds, thresholds
from pytest_compile_golden.goldens.severity import judged
from pytest_compile_golden.messages.sentences import sentence
from pytest_compile_golden.report.metric_columns import table
from pytest_compile_golden.report.styled_lines import Line, printable
from pytest_compile_golden.report.text_diff import diff
from pytest_compile_golden.stages import stage_of

_EDITS = 8


@click.command(short_help="Show how a case's goldens changed over torch versions.")
@click.argument("case", shell_complete=shell_completion.cases)
@click.option(
    "--stage",
    metavar="NAME",
    shell_complete=shell_completion.stages,
    help="Only this stage.",
)
@shared_options.goldens
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Also show artifacts that no version changed.",
)
def history(
    case: str, stage: str | None, goldens: Path | None, everything: bool
) -> None:
    """Show how the goldens of CASE changed from one torch version to the next.

    CASE is a test id, its folder under the goldens, whole words of either or, failing that, any part of one; * and ?
    are wildcards.
    """
    project = find_project(goldens)
    root = (goldens or project.goldens).absolute()
    folders = of_bases(cases(root) if root.is_dir() else (), project.bases)
    # Naming a case whose goldens are all its base's shows its base's.
    there = {
        folder: tuple(
            name for path in (folder, *above) for name in (str(path), *nodeids(path))
        )
        for folder, above in folders.items()
    }
    found = chosen([named(case, root)], there, f" in {root}")
    every = {folder: series(root, folder, bases=project.bases) for folder in found}
    if stage is not None:
        check(
            f"stage among the goldens of {case!r}",
            [stage],
            (artifact.stage for artifacts in every.values() for artifact in artifacts),
        )
    to, usual = console(), thresholds(root)
    for folder, artifacts in every.items():
        wanted = [artifact for artifact in artifacts if stage in (None, artifact.stage)]
        shown = [
            artifact
            for artifact in wanted
            if everything or stage or len(artifact.goldens) > 1
        ]
        if wanted:
            show(to, [("title", printable(os.path.relpath(root / folder)))])
        for artifact in shown:
            _show(to, artifact, usual)
        if same := [artifact.stem for artifact in wanted if artifact not in shown]:
            show(to, [("dim", f"  same on all torch versions: {', '.join(same)}")])


def _show(to: Console, artifact: Series, usual: Thresholds) -> None:
    before = ""
    for number, golden in enumerate(artifact.goldens):
        since = "base" if golden.release is None else f"since torch {golden.release}"
        wrote = f"written by torch {golden.header.torch}, triton {golden.header.triton or 'none'}"
        gone = "" if golden.body else ", no such stage"
        path = (
            evidence_file.file_of(golden.path)
            if evidence_file.holds(golden.path)
            else golden.path
        )
        name = (
            path.name
            if path.parent == artifact.folder
            else path.relative_to(artifact.folder.parent)
        )
        of_stage = f" ({artifact.stem})" if path != golden.path else ""
        show(
            to,
            [
                (
                    "title" if number else "",
                    f"  {name}{of_stage}  {since}, {wrote}{gone}",
                )
            ],
        )
        if number:
            show(to, _changes(golden.path, artifact.stage, before, golden.body, usual))
        before = golden.body


def _changes(
    path: PurePosixPath, stage_name: str, old: str, new: str, usual: Thresholds
) -> list[Line]:
    """What changed, in words, and then the diff, unless the golden is of facts and digests, which say nothing."""
    if not (old and new):
        return []
    stage = stage_of(stage_name, path.suffix.removeprefix("."))
    before, after = stage.format.numbers(old), stage.format.numbers(new)
    if before is not None and after is not None:
        metrics = judged(metric_changes(before, after), None, (), usual=usual)
        return [(style, f"    {row}") for style, row in table(metrics)]
    edits = labels(stage.format, stage.comment, old, new)
    words = [
        edit for edit in edits if not edit.follows and edit.code not in WHOLE_LINES
    ]
    lines: list[Line] = [
        ("", f"    {printable(sentence(edit))}") for edit in words[:_EDITS]
    ]
    if len(words) > _EDITS:
        lines.append(("dim", f"    ... {quantity(len(words) - _EDITS, 'more edit')}"))
    if not evidence_file.holds(path):
        lines += [(style, f"    {text}") for style, text in diff(old, new)]
    return lines
