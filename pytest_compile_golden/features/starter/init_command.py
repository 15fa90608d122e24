"""`compile-golden init`: a first case for a model, with pytest settings and a CI job for pull requests."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

import click
import jinja2
from packaging.version import Version

from pytest_compile_golden.cli import shared_options
from pytest_compile_golden.cli.console import console, show
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.common.constants import DEFAULT_TARGET, PYTEST_FILES, SWITCH
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.features.starter.starter_program import (
    ProgramCounts,
    StarterProgram,
)
from pytest_compile_golden.report.styled_lines import Line, printable

_GOLDENS = "corpus.txt"


if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_HERE = Path(__file__).parent
_WORKFLOWS = Path(".github", "workflows")


def case_file(program: StarterProgram, folder: Path) -> Path:
    """The path of the case's file. Raises CompileGoldenError if it already exists."""
    return _new_file(folder / f"test_{program.name}.py")


def _new_file(path: Path) -> Path:
    if path.exists():
        raise CompileGoldenError(
            f"{path} already exists: remove it, or choose another folder with --into."
        )
    return path


def write_case(program: StarterProgram, counts: ProgramCounts, path: Path) -> None:
    """Write the case's file to `path`."""
    _write_template(
        "case.py.jinja",
        {"program": program, "counts": counts, "target": DEFAULT_TARGET},
        path,
    )


def _write_template(name: str, values: Mapping[str, object], path: Path) -> None:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    text = environment.get_template(name).render(values)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def pytest_settings(
    root: Path, program: StarterProgram, folder: Path
) -> dict[str, str | list[str]]:
    """The pytest settings for a case in `folder`.

    If pip installs a package from the root, goldens are not put there: setuptools would take them for a package.
    """
    requirements = needed(root, program.requirements)
    values: dict[str, str | list[str]] = {}
    if "--editable" in requirements and not (root / "goldens").exists():
        values["compile_golden_dir"] = _relative(folder / "goldens", root)
    if requirements:
        values["compile_golden_requirements"] = list(requirements)
    if program.folder is not None:
        values["pythonpath"] = [_relative(program.folder, root)]
    return values


def _relative(path: Path, root: Path) -> str:
    return Path(os.path.relpath(path, root)).as_posix()


def write_settings(root: Path, values: Mapping[str, str | list[str]]) -> Path | None:
    """Add to pytest's settings what they do not say yet; returns their file, or None if they already say all of it."""
    for name in PYTEST_FILES:
        path = root / name
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        section = _section(path, text)
        if section is not None:
            lines = [
                _line(path, key, values[key])
                for key in values
                if not re.search(rf"^{key}\b", text, re.M)
            ]
            if section in text.split("\n") and not lines:
                return None
            path.write_text(_with_lines(text, section, lines), encoding="utf-8")
            return path
    path = root / "pytest.ini"
    path.write_text(
        "\n".join(["[pytest]", *(_line(path, *item) for item in values.items()), ""]),
        encoding="utf-8",
    )
    return path


def _section(path: Path, text: str) -> str | None:
    """The header of the section with pytest's settings, if the file has one or, like pyproject.toml, may get one."""
    if path.name == "pyproject.toml" and text:
        pytest_table = (
            tomllib.loads(text).get("tool", {}).get("pytest", {"ini_options": {}})
        )
        return (
            "[tool.pytest.ini_options]"
            if "ini_options" in pytest_table
            else "[tool.pytest]"
        )
    headers = ("[tool:pytest]",) if path.name == "setup.cfg" else ("[pytest]",)
    return next((header for header in headers if header in text.split("\n")), None)


def _with_lines(text: str, section: str, lines: Sequence[str]) -> str:
    added = "\n".join([section, *lines])
    if section not in text.split("\n"):
        return f"{text.rstrip()}\n\n{added}\n"
    return re.sub(
        rf"^{re.escape(section)}$", lambda _: added, text, count=1, flags=re.M
    )


def _line(path: Path, key: str, value: str | list[str]) -> str:
    if path.suffix == ".toml":
        return f"{key} = {json.dumps(value)}"
    return f"{key} = {value if isinstance(value, str) else ' '.join(value)}"


def write_job(root: Path, requirements: Sequence[str]) -> Path | None:
    """Write the job for pull requests, which installs `requirements` and this torch, which recorded the goldens.

    Returns its path, or None if a file of that name already exists.
    """
    torch = Version(version("torch"))
    # Nightlies are on a separate index.
    pinned = [] if torch.is_prerelease else [f"torch=={torch.public}"]
    packages = " ".join(["pytest-compile-golden", *pinned, *requirements])
    return _write_workflow(
        root / _WORKFLOWS / "torch-compile.yml",
        "pull-request.yml",
        {"INSTALL": packages},
    )


def write_weekly_job(root: Path, source: str) -> Path | None:
    """Write the weekly job over a corpus, which compares nightlies with the release of this torch.

    Returns its path, or None if a file of that name already exists.
    """
    packages = " ".join(["pytest-compile-golden", *needed(root, ())])
    values = {"CORPUS": '""', "SOURCES": json.dumps(source), "INSTALL": packages}
    values["OLD_TORCH"] = json.dumps(Version(version("torch")).base_version)
    return _write_workflow(
        root / _WORKFLOWS / "torch-compile-corpus.yml", "crater.yml", values
    )


def _write_workflow(
    path: Path, template: str, values: Mapping[str, str]
) -> Path | None:
    if path.exists():
        return None
    text = (_HERE / template).read_text(encoding="utf-8")
    for name, value in values.items():
        before = next(
            line for line in text.split("\n") if line.startswith(f"  {name}: ")
        )
        text = text.replace(f"{before}\n", f"  {name}: {value}\n", 1)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def needed(root: Path, requirements: Sequence[str]) -> tuple[str, ...]:
    """pip's arguments for what is compiled: the repository, if pip can install it, and the packages that it needs."""
    path = root / "pyproject.toml"
    table = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    installable = (
        any((root / name).is_file() for name in ("setup.py", "setup.cfg"))
        or "project" in table
    )
    return (*(("--editable", ".") if installable else ()), *requirements)


@click.command(short_help="Write a first case, settings and a CI job.")
@click.argument("model", metavar="MODEL")
@click.option(
    "--input",
    "inputs",
    metavar="TYPE",
    multiple=True,
    help="An input of MODULE:FUNCTION: 'f32[8, 1024]', a number, or 'f32[]cpu' for a tensor that stays on the CPU.",
)
@click.option(
    "--into",
    type=shared_options.FOLDER,
    default=Path("tests", "compile"),
    help="The folder for the case (default: tests/compile).",
)
@click.option(
    "--record/--no-record",
    default=True,
    help="Whether to run the case once to create its goldens.",
)
@click.option(
    "--crater",
    is_flag=True,
    help="MODEL is a corpus, a source of `crater`: write its goldens and a weekly CI job.",
)
def init(
    model: str, inputs: tuple[str, ...], into: Path, record: bool, crater: bool
) -> None:
    """Write a first case into this repository, with pytest settings and a CI job that checks pull requests.

    MODEL is a model type or class from transformers (`llama`, `ViTModel`), a function or a module of your own
    (`package.module:name`, with --input for each input), or a file written by torch.export.save (`model.pt2`). For a
    folder of a package or of tests, it lists what is compiled there, and writes tests with invariants alone for it.
    """
    if crater:
        _corpus(model, record)
        return
    if Path(model).is_dir():
        _folder(Path(model), into)
        return
    if model.endswith(os.sep):
        raise CompileGoldenError(f"there is no folder {model}.")

    from pytest_compile_golden.features.starter.starter_program import (
        count,
        of_export,
        of_object,
    )
    from pytest_compile_golden.features.starter.transformers_model import (
        of_transformers,
    )

    root = find_project().root
    folder = into if into.is_absolute() else root / into
    if model.endswith(".pt2"):
        program = of_export(Path(model), folder)
    elif ":" in model:
        program = of_object(model, inputs)
    else:
        program = of_transformers(model)
    settings = pytest_settings(root, program, folder)
    case = case_file(program, folder)
    _say(
        [
            (
                "",
                f"compiling {program.title}{' with 1, 2 and 3 layers' if program.layered else ''}",
            )
        ]
    )
    write_case(program, count(program, case), case)
    written = [
        case,
        write_settings(root, settings),
        write_job(root, needed(root, program.requirements)),
    ]
    _say(
        [("", f"wrote {os.path.relpath(path)}") for path in written if path is not None]
    )
    if record:
        _run("-m", "pytest", SWITCH, "--snapshot-update", "-q", str(case))
    _say(
        [
            (
                "",
                f"pytest {SWITCH} {os.path.relpath(case)}  # fails if torch.compile does something different with it",
            )
        ]
    )


def _folder(source: Path, into: Path) -> None:
    """List what is compiled in `source`, and write tests with invariants alone for what of it can be called."""
    from pytest_compile_golden.common.quantity import quantity
    from pytest_compile_golden.features.starter.tests_of_folder import (
        TestedProgram,
        compile_calls,
        tested,
    )

    root = find_project().root
    path = _new_file(
        (into if into.is_absolute() else root / into) / "test_invariants.py"
    )
    calls = compile_calls(source.resolve())
    if not calls:
        raise CompileGoldenError(
            f"nothing is compiled in {source}: no file there calls torch.compile."
        )
    programs: dict[tuple[Path, str], TestedProgram | str] = {}
    _say([("", f"{quantity(len(calls), 'call')} of torch.compile in {source}:")])
    for call in calls:
        key = call.path, call.name
        if call.name and key not in programs:
            try:
                programs[key] = tested(call)
            except CompileGoldenError as error:
                programs[key] = str(error)
        found = programs.get(key)
        if isinstance(found, str):
            said = f"no test: {split_lines(found)[0]}"
        elif found is not None:
            said = f"test_{found.test}"
        else:
            said = "no test: it is neither a function or class of its module, nor in a test without arguments"
        _say([("", f"  {call.where}"), ("", f"    {said}")])
    written = [
        program for program in programs.values() if isinstance(program, TestedProgram)
    ]
    if not written:
        raise CompileGoldenError(
            "none of these can be called without more about its inputs. Give one with them: compile-golden init "
            "MODULE:FUNCTION --input 'f32[8, 1024]'; or watch a whole suite: pytest --compile-golden-suite."
        )
    values = {
        "modules": sorted({program.module for program in written}),
        "folders": sorted(
            {_relative(program.folder, path.parent) for program in written}
        ),
        "programs": written,
    }
    _write_template("invariants.py.jinja", values, path)
    _say([("", f"wrote {os.path.relpath(path)}")])
    _run("-m", "pytest", SWITCH, "-q", str(path))
    _say(
        [
            (
                "",
                f"pytest {SWITCH} {os.path.relpath(path)}  # fails if one of these invariants no longer holds",
            )
        ]
    )


def _corpus(source: str, record: bool) -> None:
    """The goldens of a corpus, one file of numbers and digests, and the job that compares nightlies over it."""
    from pytest_compile_golden.features.crater import loaders

    root = find_project().root
    loaders.programs([source])  # raises if there are none
    written = [write_weekly_job(root, source)]
    if record and not (root / _GOLDENS).exists():  # what is there has been reviewed
        _run(
            "-m",
            "pytest_compile_golden",
            "crater",
            source,
            f"--goldens={root / _GOLDENS}",
            "--update",
        )
        written.append(root / _GOLDENS)
    _say(
        [("", f"wrote {os.path.relpath(path)}") for path in written if path is not None]
    )
    _say(
        [
            (
                "",
                f"compile-golden crater {source} --goldens {_GOLDENS}  # fails if torch.compile does something else",
            )
        ]
    )


def _run(*command: str) -> None:
    if subprocess.run([sys.executable, *command], check=False).returncode:
        raise click.ClickException(
            "what was written does not pass as it is; see the output above."
        )


def _say(lines: list[Line]) -> None:
    show(console(), [(style, printable(text)) for style, text in lines])
