"""`compile-golden init`: a first case for a model, with pytest settings and a CI job for pull requests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click

from pytest_compile_golden.cli import options
from pytest_compile_golden.cli.console import console, show
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.report.lines import Line, printable
from pytest_compile_golden.vocabulary import SWITCH

_GOLDENS = "corpus.txt"


@click.command(short_help="Write a first case, settings and a CI job.")
@click.argument("model", metavar="MODEL")
@click.option(
    "--input", "inputs", metavar="TYPE", multiple=True, help="An input of MODULE:FUNCTION, such as 'f32[8, 1024]'."
)
@click.option(
    "--into",
    type=options.FOLDER,
    default=Path("tests", "compile"),
    help="The folder for the case (default: tests/compile).",
)
@click.option("--record/--no-record", default=True, help="Whether to run the case once to create its goldens.")
@click.option(
    "--crater", is_flag=True, help="MODEL is a corpus, a source of `crater`: write its goldens and a weekly CI job."
)
def init(model: str, inputs: tuple[str, ...], into: Path, record: bool, crater: bool) -> None:
    """Write a first case into this repository, with pytest settings and a CI job that checks pull requests.

    MODEL is a model type or class from transformers (`llama`, `ViTModel`), a function or a module of your own
    (`package.module:name`, with --input for each input), or a file written by torch.export.save (`model.pt2`).
    """
    if crater:
        _corpus(model, record)
        return
    from pytest_compile_golden.wings.starter import files
    from pytest_compile_golden.wings.starter.program import count, of_export, of_object
    from pytest_compile_golden.wings.starter.transformers_model import of_transformers

    root = find_project().root
    folder = into if into.is_absolute() else root / into
    if model.endswith(".pt2"):
        program = of_export(Path(model), folder)
    elif ":" in model:
        program = of_object(model, inputs)
    else:
        program = of_transformers(model)
    settings = files.settings(root, program, folder)
    case = files.case_file(program, folder)
    _say([("", f"compiling {program.title}{' with 1, 2 and 3 layers' if program.layered else ''}")])
    files.write_case(program, count(program, case), case)
    written = [
        case,
        files.write_settings(root, settings),
        files.write_job(root, files.needed(root, program.requirements)),
    ]
    _say([("", f"wrote {os.path.relpath(path)}") for path in written if path is not None])
    if record:
        _run("-m", "pytest", SWITCH, "--snapshot-update", "-q", str(case))
    _say([("", f"pytest {SWITCH} {os.path.relpath(case)}  # fails if torch.compile does something different with it")])


def _corpus(source: str, record: bool) -> None:
    """The goldens of a corpus, one file of numbers and digests, and the job that compares nightlies over it."""
    from pytest_compile_golden.crater import loaders
    from pytest_compile_golden.wings.starter import files

    root = find_project().root
    loaders.programs([source])  # raises if there are none
    written = [files.write_weekly_job(root, source)]
    if record and not (root / _GOLDENS).exists():  # what is there has been reviewed
        _run("-m", "pytest_compile_golden", "crater", source, f"--goldens={root / _GOLDENS}", "--update")
        written.append(root / _GOLDENS)
    _say([("", f"wrote {os.path.relpath(path)}") for path in written if path is not None])
    _say([("", f"compile-golden crater {source} --goldens {_GOLDENS}  # fails if torch.compile does something else")])


def _run(*command: str) -> None:
    if subprocess.run([sys.executable, *command], check=False).returncode:
        raise click.ClickException("what was written does not pass as it is; see the output above.")


def _say(lines: list[Line]) -> None:
    show(console(), [(style, printable(text)) for style, text in lines])
