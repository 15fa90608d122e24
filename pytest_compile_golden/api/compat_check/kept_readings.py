"""Asks a process of its own how far the installed torch can be read, once per torch, and keeps the answer."""

from __future__ import annotations

import contextlib
import functools
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import platformdirs
from packaging.version import Version

import pytest_compile_golden
from pytest_compile_golden.api.compat_check.reading import Reading, UnreadStage
from pytest_compile_golden.common import json_files
from pytest_compile_golden.common.constants import NEWEST_TORCH, VIRTUAL_GPU
from pytest_compile_golden.common.digest import of_texts
from pytest_compile_golden.common.installed_torch import (
    better_triton,
    torch_commit,
    torch_version,
    triton_version,
)
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.stages import stages
from pytest_compile_golden.targets import get_target
from pytest_compile_golden.targets.devices import CPUS, GPUS
from pytest_compile_golden.torch_internals.overrides import given

_FORMAT = 1
_OLDEST_TRIED = (2, 12)
"""The oldest release of torch with goldens in this package's repository."""
_DOCUMENT = json_files.Document(
    Reading,
    _FORMAT,
    CompileGoldenError,
    outdated="Run `compile-golden doctor --try`.",
    advice="Remove it.",
)
_PATIENCE = 600
"""Seconds for the programs of all targets, which take a few each."""


@dataclass(frozen=True)
class Asked:
    """A process that tries some targets, and writes an answer for each into a folder."""

    targets: tuple[str, ...]
    process: subprocess.Popen[str]
    answers: tempfile.TemporaryDirectory[str]

    def wait(self) -> list[Reading]:
        """The answers, which are also kept for the next run. A process that fails is an answer too."""
        try:
            _, errors = self.process.communicate(timeout=_PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            _, errors = self.process.communicate()
        with self.answers as folder:
            return [_answer(target, Path(folder), errors) for target in self.targets]


def can_try(targets: Sequence[str]) -> tuple[str, ...]:
    """Those targets that another process knows too: the built-in ones. A conftest.py's own are known only to pytest."""
    return tuple(
        target for target in dict.fromkeys(targets) if target in GPUS or target in CPUS
    )


def tried_already() -> bool:
    """Whether our own suite ran with this torch and this Triton: then a project's first run need not try them."""
    version = Version(torch_version() or "0")
    tried = (
        _OLDEST_TRIED <= version.release[:2] <= Version(NEWEST_TORCH).release
        and not version.is_prerelease
    )
    return tried and better_triton() is None and not given()


def known(target: str) -> Reading | None:
    """What an earlier process found out about the installed torch on this target; None if none did."""
    try:
        return _parse(_kept_at(target))
    except (OSError, CompileGoldenError):
        return None


def ask(targets: Sequence[str]) -> list[Asked]:
    """Start processes that try the targets: one for each vendor, since a process can only be for one vendor's GPUs."""
    by_vendor: dict[str, list[str]] = {}
    for target in targets:
        by_vendor.setdefault(get_target(target).vendor, []).append(target)
    return [_start(tuple(alike)) for alike in by_vendor.values()]


def write(reading: Reading, folder: Path) -> None:
    """Write the answer for one target."""
    text = json_files.render({"format": _FORMAT, **vars(reading)})
    (folder / f"{reading.targets[0]}.json").write_text(text, encoding="utf-8")


def _start(targets: tuple[str, ...]) -> Asked:
    answers = tempfile.TemporaryDirectory(prefix="compile-golden-canary-")
    command = [
        sys.executable,
        "-m",
        "pytest_compile_golden.api.compat_check",
        answers.name,
        *targets,
    ]
    # On a virtual GPU, which the processes of a run have, no other target could be entered.
    own = {name: value for name, value in os.environ.items() if name != VIRTUAL_GPU}
    process = subprocess.Popen(
        command, env=own, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    return Asked(targets, process, answers)


def _answer(target: str, folder: Path, errors: str) -> Reading:
    answer = folder / f"{target}.json"
    try:
        reading = _parse(answer)
    except (OSError, CompileGoldenError):
        # No stage can be read: the process that tried ended without an answer.
        chosen = get_target(target)
        every = tuple(
            stage.name
            for stage in stages()
            if stage.exists_on(chosen.device_type, chosen.vendor)
        )
        said = next(
            (line for line in reversed(split_lines(errors)) if line.strip()),
            "it said nothing",
        )
        reason = f"the process that tried it ended early: {said}"
        return Reading(
            torch_version() or "",
            (target,),
            every,
            tuple(UnreadStage(target, stage, reason) for stage in every),
        )
    with contextlib.suppress(OSError):
        path = _kept_at(target)
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(answer.read_bytes())
        Path(file.name).replace(path)
    return reading


def _parse(path: Path) -> Reading:
    return _DOCUMENT.parse(path.read_bytes(), str(path), lambda reading: reading)


def _kept_at(target: str) -> Path:
    # Spellings that a file gives, and our own sources where they are being edited, change what can be read.
    facts = (
        torch_version(),
        torch_commit(),
        triton_version(),
        sys.version,
        pytest_compile_golden.__version__,
        _edited(),
    )
    torch = of_texts(map(str, (*facts, sorted(given().items()))))[:16]
    return (
        platformdirs.user_cache_path("pytest-compile-golden")
        / "canary"
        / torch
        / f"{target}.json"
    )


@functools.cache
def _edited() -> float:
    """When our sources last changed; asked once, not for each target, since it looks at every file."""
    ours = Path(pytest_compile_golden.__file__).parent
    return max(path.stat().st_mtime for path in ours.rglob("*.py"))
