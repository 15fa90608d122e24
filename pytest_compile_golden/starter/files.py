"""What a first case needs in a repository: its file, pytest's settings and a job for pull requests."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import jinja2

from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.starter.counts import Counts
from pytest_compile_golden.starter.program import Program
from pytest_compile_golden.vocabulary import DEFAULT_TARGET, PYTEST_FILES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_HERE = Path(__file__).parent
_KEY = "compile_golden_requirements"
_WORKFLOW = Path(".github", "workflows", "torch-compile.yml")
_INSTALL = "  INSTALL: --editable .[cases]"


def place(program: Program, folder: Path) -> Path:
    """Where the case's file goes. Raises CompileGoldenError where there is one of its name."""
    path = folder / f"test_{program.name}.py"
    if path.exists():
        raise CompileGoldenError(f"{path} is there already: remove it, or give another folder with --into.")
    return path


def write_case(program: Program, counts: Counts, path: Path) -> None:
    """The case's file, at `path`."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    text = environment.get_template("case.py.jinja").render(program=program, counts=counts, target=DEFAULT_TARGET)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def write_settings(root: Path, requirements: Sequence[str]) -> Path | None:
    """pytest's settings: what other versions' environments install for the cases; None where they say so already."""
    for name in PYTEST_FILES:
        path = root / name
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        section = _section(path, text)
        if section is not None:
            if _KEY in text:
                return None
            path.write_text(_with_key(text, section, _line(path, requirements)), encoding="utf-8")
            return path
    path = root / "pytest.ini"
    path.write_text(f"[pytest]\n{_line(path, requirements)}\n", encoding="utf-8")
    return path


def _section(path: Path, text: str) -> str | None:
    """The header of the section with pytest's settings, where the file has one or, as pyproject.toml, may get one."""
    if path.name == "pyproject.toml" and text:
        pytest_table = tomllib.loads(text).get("tool", {}).get("pytest", {"ini_options": {}})
        return "[tool.pytest.ini_options]" if "ini_options" in pytest_table else "[tool.pytest]"
    headers = ("[tool:pytest]",) if path.name == "setup.cfg" else ("[pytest]",)
    return next((header for header in headers if header in text.split("\n")), None)


def _with_key(text: str, section: str, line: str) -> str:
    if section not in text.split("\n"):
        return f"{text.rstrip()}\n\n{section}\n{line}\n"
    return re.sub(rf"^{re.escape(section)}$", lambda found: f"{found[0]}\n{line}", text, count=1, flags=re.M)


def _line(path: Path, requirements: Sequence[str]) -> str:
    if path.suffix == ".toml":
        return f"{_KEY} = {json.dumps(list(requirements))}"
    return f"{_KEY} = {' '.join(requirements)}"


def write_job(root: Path, requirements: Sequence[str]) -> Path | None:
    """The job for pull requests, which installs `requirements`; None where there is one of its name."""
    path = root / _WORKFLOW
    if path.exists():
        return None
    text = (_HERE / "pull-request.yml").read_text(encoding="utf-8")
    path.parent.mkdir(parents=True, exist_ok=True)
    packages = " ".join(["pytest-compile-golden", *requirements])
    path.write_text(text.replace(_INSTALL, f"  INSTALL: {packages}"), encoding="utf-8")
    return path


def needed(root: Path, program: Program) -> tuple[str, ...]:
    """pip's arguments for what the case needs: the repository, where pip can install it, and the program's own."""
    installable = any((root / name).is_file() for name in ("setup.py", "setup.cfg")) or _builds(root / "pyproject.toml")
    return (*(("--editable", ".") if installable else ()), *program.requirements)


def _builds(path: Path) -> bool:
    return path.is_file() and "project" in tomllib.loads(path.read_text(encoding="utf-8"))
