"""Environments with a torch version in them: created once with venv and pip (or uv), kept in the user's cache."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path

import filelock
import msgspec
import platformdirs
from packaging.version import InvalidVersion, Version

from pytest_compile_golden.common import json_files
from pytest_compile_golden.common.digest import of_texts
from pytest_compile_golden.common.installed_torch import triton_for
from pytest_compile_golden.common.name_matching import unknown
from pytest_compile_golden.environments import install_torch
from pytest_compile_golden.environments.install_torch import Installer
from pytest_compile_golden.environments.sides import Interpreter, Side
from pytest_compile_golden.errors import EnvironmentFailed, UnknownName
from pytest_compile_golden.torch_source import installed_sources
from pytest_compile_golden.torch_source.installed_sources import Sources

FORMAT = 1
_MARK = "environment.json"
_NAME = re.compile(r"torch-[A-Za-z0-9.+!_-]+-py3\.\d+-[0-9a-f]{8}")
_SOURCES = re.compile(r"pyproject\.toml|setup\.(cfg|py)|.*requirements.*\.txt")
# How long to wait for another process that is installing the same torch.
_LONGEST_S = 3600.0

Say = Callable[[str], None]


@dataclass(frozen=True)
class Wanted:
    """What an environment must contain. Equal ones share one environment."""

    torch: str
    project: Path
    """The root of the project whose cases run there; relative requirements are relative to it."""
    requirements: tuple[str, ...] = ()
    """pip's arguments for what the cases need, such as `--editable .[cases]`."""
    pip: tuple[str, ...] = ()
    """pip's arguments for every install: an index for nightlies, `--pre`."""
    python: Path = Path(sys.executable)
    pins: tuple[str, ...] = ()
    """Requirements that are installed last, whatever torch and the project ask for, such as another Triton."""

    @property
    def name(self) -> str:
        """Its folder's name: the versions, and a digest of everything else that decides what is in it."""
        facts = [
            self.torch,
            os.fspath(self.project),
            *self.requirements,
            "",
            *self.pip,
            os.fspath(self.python),
        ]
        facts += self.pins
        digest = of_texts(facts)[:8]
        return (
            f"torch-{self.torch}-py{install_torch.python_release(self.python)}-{digest}"
        )

    @property
    def sources(self) -> str:
        """A digest of the project's files that say what it needs, which may change while the requirements do not."""
        texts = [
            path.read_bytes()
            for path in sorted(self.project.iterdir())
            if _SOURCES.fullmatch(path.name)
        ]
        return hashlib.sha256(b"\0".join(texts)).hexdigest()[:16]


@dataclass(frozen=True)
class TorchEnvironment:
    """An environment that is ready."""

    folder: Path
    torch: str
    """As installed: `2.13.0+cpu`."""
    project: str
    sources: str
    """`Wanted.sources` at the time it was filled."""

    @property
    def name(self) -> str:
        """As `compile-golden env` lists it."""
        return self.folder.name

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return install_torch.python_of(self.folder)

    @property
    def used(self) -> datetime:
        """When it was last requested."""
        return datetime.fromtimestamp(
            (self.folder / _MARK).stat().st_mtime, timezone.utc
        )

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(
            path.lstat().st_size for path in self.folder.rglob("*") if not path.is_dir()
        )


class _Mark(msgspec.Struct):
    """What is read from the file that marks an environment as ready."""

    format: int
    torch: str
    project: str
    sources: str


class Environments:
    """All environments of this user."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = (
            root
            or platformdirs.user_cache_path("pytest-compile-golden") / "environments"
        )

    def __iter__(self) -> Iterator[TorchEnvironment]:
        yield from filter(None, map(self._read, self._folders()))

    def get(self, wanted: Wanted, say: Say = lambda line: None) -> TorchEnvironment:
        """The environment that contains `wanted`, created now if there is none. Raises EnvironmentFailed."""
        environment = self._ready(wanted)
        if environment is not None:
            return environment
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            with filelock.FileLock(
                self.root / f"{wanted.name}.lock", timeout=_LONGEST_S
            ):
                # Another process may have created it in the meantime.
                return self._ready(wanted) or self._make(wanted, say)
        except (OSError, filelock.Timeout) as error:
            raise EnvironmentFailed(
                f"cannot create {self.root / wanted.name}: {error}."
            ) from None

    def remove(self, name: str) -> None:
        """Delete one, ready or unfinished. Raises UnknownName if there is none of that name."""
        folder = self.root / name
        if not _NAME.fullmatch(name) or folder.is_symlink() or not folder.is_dir():
            names = [*(environment.name for environment in self), *self.unready()]
            raise UnknownName(unknown("environment", name, names))
        # The mark goes first, so that a half-removed environment is not used.
        (folder / _MARK).unlink(missing_ok=True)
        shutil.rmtree(folder)
        for leftover in (f"{name}.log", f"{name}.lock"):
            (self.root / leftover).unlink(missing_ok=True)

    def unready(self) -> list[str]:
        """Names of environments that were never finished."""
        return [
            folder.name
            for folder in self._folders()
            if folder.is_dir() and not self._read(folder)
        ]

    def _folders(self) -> list[Path]:
        there = sorted(self.root.iterdir()) if self.root.is_dir() else []
        return [folder for folder in there if _NAME.fullmatch(folder.name)]

    def _ready(self, wanted: Wanted) -> TorchEnvironment | None:
        """The environment, if it matches the project's own files as they are now."""
        environment = self._read(self.root / wanted.name)
        if environment is None or environment.sources != wanted.sources:
            return None
        (environment.folder / _MARK).touch()
        return environment

    def _make(self, wanted: Wanted, say: Say) -> TorchEnvironment:
        folder, log = self.root / wanted.name, self.root / f"{wanted.name}.log"
        outdated = self._read(folder) is not None
        (folder / _MARK).unlink(missing_ok=True)
        if folder.exists() and not outdated:
            shutil.rmtree(folder)  # left by a killed process
        try:
            with log.open("w", encoding="utf-8", errors="replace") as file:
                installer = Installer(
                    folder, wanted.python, wanted.project, wanted.pip, file, say
                )
                torch = _install(installer, wanted, outdated)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        made_at = datetime.now(timezone.utc).isoformat(timespec="seconds")
        facts = {
            "format": FORMAT,
            **asdict(wanted),
            "torch": torch,
            "sources": wanted.sources,
            "made": made_at,
        }
        (folder / _MARK).write_text(json_files.render(facts), encoding="utf-8")
        environment = self._read(folder)
        assert environment is not None
        return environment

    def _read(self, folder: Path) -> TorchEnvironment | None:
        """The environment in a folder; None if it is not one, or not ready, or its interpreter is gone."""
        try:
            facts = msgspec.json.decode((folder / _MARK).read_bytes(), type=_Mark)
        except (OSError, ValueError, RecursionError):
            return None
        if facts.format != FORMAT:
            return None
        environment = TorchEnvironment(
            folder, facts.torch, facts.project, facts.sources
        )
        # exists() follows the link: the Python that it was made from may have been removed.
        return environment if environment.python.exists() else None


def _install(installer: Installer, wanted: Wanted, outdated: bool) -> str:
    """Fill a new environment, or bring an outdated one up to date; returns torch's version there."""
    if not outdated:
        installer.venv()
        installer.install([f"torch=={wanted.torch}"], f"torch {wanted.torch}")
    torch, brings_triton = installer.torch()
    batches: list[Sequence[str]] = [wanted.requirements] if wanted.requirements else []
    triton = triton_for(torch)
    if triton is not None and not brings_triton:
        batches.append([triton])
    constraint = [f"torch=={torch}"]
    for requirements in batches:
        installer.install(requirements, " ".join(requirements), constraint)
    if not installer.has_tool():
        installer.install(install_torch.tool(), "pytest-compile-golden", constraint)
    if wanted.pins:
        # On their own: together with torch, which pins its Triton, there would be no solution.
        installer.install(wanted.pins, " ".join(wanted.pins), constraint)
    return torch


def installed(
    side: Side, torch: str | None, environments: Environments
) -> Sources | None:
    """The installation that a side's interpreter has, else one of version `torch`, with which it was recorded."""
    if isinstance(side, Interpreter):
        return installed_sources.of(side.python)
    pythons = [
        Path(sys.executable),
        *(environment.python for environment in environments),
    ]
    installations = [
        its_torch
        for python in pythons
        if (its_torch := installed_sources.of(python)) is not None
    ]
    return next(
        (
            candidate
            for candidate in installations
            if torch is not None and _same(candidate.version, torch)
        ),
        None,
    )


def _same(one: str | None, other: str) -> bool:
    try:
        return one is not None and Version(one).public == Version(other).public
    except InvalidVersion:
        return False
