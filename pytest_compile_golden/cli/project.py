"""The project that a command is run in: its root folder and what its pytest configuration says about goldens."""

from __future__ import annotations

import configparser
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from pytest_compile_golden.common.constants import CACHE, DEFAULT_TARGETS, PYTEST_FILES
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.goldens.golden_paths import BASES_KEY, Bases, parse_bases

if TYPE_CHECKING:
    from pytest_compile_golden.goldens.metric_history import Thresholds


@dataclass(frozen=True)
class Project:
    """Where a run's folders are unless the command line says otherwise."""

    root: Path
    name: str
    """As its pyproject.toml says, or else its folder's."""
    goldens: Path
    pending: Path
    cache: Path
    """The folder in which pytest lets plugins keep data."""
    requirements: tuple[str, ...]
    """pip's arguments for what the cases need besides torch and this package."""
    bases: Bases
    targets: tuple[str, ...]
    """Those that its cases are compiled for by default."""

    @property
    def usual(self) -> Thresholds:
        """How far a metric must move to count, by the project's goldens, each of which is read for it."""
        from pytest_compile_golden.goldens.metric_history import thresholds

        return thresholds(self.goldens)


def find_project(start: Path | None = None) -> Project:
    """The project of the nearest folder with a pytest configuration, found the way pytest does; else of `start` itself.

    The search goes upward from `start`, by default the working directory.
    """
    here = Path.cwd() if start is None else start.absolute()
    for folder in (here, *here.parents):
        for name in PYTEST_FILES:
            settings = _settings(folder / name)
            if settings is not None:
                return _project(folder, settings)
    return _project(here, {})


def _project(root: Path, settings: dict[str, Any]) -> Project:
    cache = root / str(settings.get("cache_dir") or ".pytest_cache") / "d"
    pending = settings.get("compile_golden_pending")
    return Project(
        root=root,
        name=_name(root / "pyproject.toml") or root.name,
        goldens=root / str(settings.get("compile_golden_dir") or "goldens"),
        pending=root / str(pending) if pending else cache / CACHE,
        cache=cache,
        requirements=_arguments(settings.get("compile_golden_requirements")),
        bases=_bases(settings.get(BASES_KEY)),
        targets=tuple(
            " ".join(_arguments(settings.get("compile_golden_target")))
            .replace(",", " ")
            .split()
        )
        or DEFAULT_TARGETS,
    )


def _name(path: Path) -> str | None:
    try:
        return str(tomllib.loads(path.read_text(encoding="utf-8"))["project"]["name"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _bases(value: object) -> Bases:
    """An ini key of pytest's type `linelist`: a list in TOML, else one item per line."""
    return parse_bases(
        map(str, value)
        if isinstance(value, list)
        else filter(None, split_lines(str(value or "")))
    )


def _arguments(value: object) -> tuple[str, ...]:
    """An ini key of pytest's type `args`: a list in TOML, else split as in a shell."""
    return (
        tuple(map(str, value))
        if isinstance(value, list)
        else tuple(shlex.split(str(value or "")))
    )


def _settings(path: Path) -> dict[str, Any] | None:
    """pytest's table in a configuration file; None if there is no such file or it is only for other tools."""
    if not path.is_file():
        return None
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".toml":
            return _toml(path, tomllib.loads(text))
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        parser.read_string(text)
    except (
        tomllib.TOMLDecodeError,
        configparser.Error,
        UnicodeDecodeError,
        OSError,
    ) as error:
        raise click.ClickException(f"cannot read {path}: {error}") from None
    section = "tool:pytest" if path.name == "setup.cfg" else "pytest"
    if parser.has_section(section):
        return dict(parser[section])
    return {} if path.name.endswith("pytest.ini") else None


def _toml(path: Path, table: dict[str, Any]) -> dict[str, Any] | None:
    if path.name.endswith("pytest.toml"):
        settings = table.get("pytest", {})
    else:
        tool = table.get("tool", {}).get("pytest")
        if tool is None:
            return None
        settings = tool.get("ini_options", tool)
    return settings if isinstance(settings, dict) else {}
