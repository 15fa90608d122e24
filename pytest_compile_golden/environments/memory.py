"""Recordings of earlier runs, kept until the project or the torch they were made with changes."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import platformdirs

from pytest_compile_golden.environments.sides import Accepted, Interpreter, Recorded, Release, Side
from pytest_compile_golden.environments.suite import Request
from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.formats.normaliser import NORMALISER
from pytest_compile_golden.recordings import recording
from pytest_compile_golden.recordings.recording import Recording
from pytest_compile_golden.vocabulary import PYTEST_FILES

_TO_ITS_END = (0, 1)
"""pytest's exit statuses for a run that was not interrupted and had cases."""
# If the same version of torch is installed again, this file is new too.
_ASK = "import importlib.util, os; f = importlib.util.find_spec('torch').origin; print(f, os.stat(f).st_mtime_ns)"


class Memory:
    """A folder in the user's cache for one project, in its current state, and one request."""

    def __init__(self, request: Request, goldens: Path, root: Path | None = None) -> None:
        wanted = [*request.cases, "", *request.targets, "", request.stages or ""]
        facts = [*wanted, str(NORMALISER), *_project(request.project, goldens)]
        root = root or platformdirs.user_cache_path("pytest-compile-golden") / "bisect"
        self._root = root / _digest(facts)

    def folder(self, side: Side) -> Path:
        """Where the side's recording is, or will be."""
        return self._root / _digest(_identity(side))

    def get(self, side: Side) -> Recording | None:
        """The side's recording, if it is complete. The remains of an interrupted run are deleted."""
        folder = self.folder(side)
        try:
            recorded = recording.read(folder)
        except GoldenError:
            recorded = None
        if recorded is not None and recorded.run.exit_status in _TO_ITS_END and not recorded.damaged:
            return recorded
        shutil.rmtree(folder, ignore_errors=True)
        return None

    def forget(self) -> None:
        shutil.rmtree(self._root, ignore_errors=True)


def _identity(side: Side) -> list[str]:
    if isinstance(side, Interpreter):
        answer = subprocess.run([side.python, "-c", _ASK], capture_output=True, encoding="utf-8", errors="replace")
        return [os.fspath(side.python), answer.stdout]
    if isinstance(side, Release):
        return [side.torch, *side.pins]
    if isinstance(side, Accepted):
        return [os.fspath(side.goldens.root)]
    return [os.fspath(side.folder if isinstance(side, Recorded) else side.path)]


def _project(root: Path, goldens: Path) -> Iterator[str]:
    """Names, sizes and times of all files that decide what the cases do."""
    for folder, folders, names in os.walk(root):
        here = Path(folder)
        folders[:] = sorted(name for name in folders if not _aside(here / name) and here / name != goldens)
        for name in sorted(names):
            if name.endswith(".py") or name in PYTEST_FILES:
                stat = (here / name).stat()
                yield f"{here / name} {stat.st_size} {stat.st_mtime_ns}"


def _aside(folder: Path) -> bool:
    """Whether a folder holds no sources of the project: hidden, made by tools, an environment, or a recording."""
    hidden = folder.name[0] == "." or folder.name in ("__pycache__", "node_modules")
    return hidden or (folder / "pyvenv.cfg").exists() or recording.is_recording(folder)


def _digest(facts: list[str]) -> str:
    return hashlib.sha256("\0".join(facts).encode("utf-8", "surrogateescape")).hexdigest()[:16]
