"""`compile-golden init`: a first case for a model, with pytest settings and a CI job for pull requests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click

from pytest_compile_golden.cli.console import console, show
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.report.lines import Line, printable
from pytest_compile_golden.vocabulary import SWITCH


@click.command(short_help="Write a first case, settings and a CI job.")
@click.argument("model", metavar="MODEL")
@click.option(
    "--input", "inputs", metavar="TYPE", multiple=True, help="An input of MODULE:FUNCTION, such as 'f32[8, 1024]'."
)
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("tests", "compile"),
    help="The folder for the case (default: tests/compile).",
)
@click.option("--record/--no-record", default=True, help="Whether to run the case once to create its goldens.")
def init(model: str, inputs: tuple[str, ...], into: Path, record: bool) -> None:
    """Write a first case into this repository, with pytest settings and a CI job that checks pull requests.

    MODEL is a model type or class from transformers (`llama`, `ViTModel`), a function or a module of your own
    (`package.module:name`, with --input for each input), or a file written by torch.export.save (`model.pt2`).
    """
    from pytest_compile_golden.wings.starter import files
    from pytest_compile_golden.wings.starter.own_program import of_export, of_object
    from pytest_compile_golden.wings.starter.program import count
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
    written = [case, files.write_settings(root, settings), files.write_job(root, files.needed(root, program))]
    _say([("", f"wrote {os.path.relpath(path)}") for path in written if path is not None])
    if record:
        _run("-m", "pytest", SWITCH, "--snapshot-update", "-q", str(case))
    _say([("", f"pytest {SWITCH} {os.path.relpath(case)}  # fails if torch.compile does something different with it")])


def _run(*command: str) -> None:
    done = subprocess.run([sys.executable, *command], check=False)
    if done.returncode:
        raise click.ClickException("the case does not pass as written; see pytest's output above.")


def _say(lines: list[Line]) -> None:
    show(console(), [(style, printable(text)) for style, text in lines])
