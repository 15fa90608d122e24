"""Fills one environment with the standard tools: venv, then uv if it is installed, then pip."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from typing import IO
from urllib.parse import urlparse

import msgspec

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.errors import EnvironmentFailed

TOOL = "pytest-compile-golden"
_TIMEOUT_S = 3600.0
_ASK_TORCH = """
import json
from importlib import metadata
needs = [name.lower().replace("_", "-") for name in metadata.requires("torch") or ()]
print(json.dumps([metadata.version("torch"), any(name.startswith(("triton", "pytorch-triton")) for name in needs)]))
"""
_ASK_TOOL = f"from importlib import metadata; metadata.version({TOOL!r})"
_SAID = re.compile(r"(?:\x1b\[[0-9;]*m)*\s*(?:ERROR|error):\s*(.*)")


class Installer:
    """Creates one environment; all output of the tools goes to `log`."""

    def __init__(
        self,
        folder: Path,
        python: Path,
        project: Path,
        pip: Sequence[str],
        log: IO[str],
        say: Callable[[str], None],
    ) -> None:
        self._folder = folder
        self._base = python
        self._project = project
        self._pip = list(pip)
        self._log = log
        self._say = say
        self._python = python_of(folder)
        self._uv = shutil.which("uv")

    def venv(self) -> None:
        """Make the environment, with nothing in it. Raises SideFailed."""
        self._say("creating the environment")
        # Without its own pip, which takes longer than everything else: the base's can install into it.
        self._must(
            [
                os.fspath(self._base),
                "-m",
                "venv",
                "--without-pip",
                os.fspath(self._folder),
            ],
            "venv",
        )

    def install(
        self, requirements: Sequence[str], subject: str, constraints: Sequence[str] = ()
    ) -> None:
        """Raises EnvironmentFailed with what pip said."""
        self._say(f"installing {subject}")
        arguments = [*self._pip, *requirements]
        if constraints:
            file = self._folder / "constraints.txt"
            file.write_text(
                "".join(f"{line}\n" for line in constraints), encoding="utf-8"
            )
            arguments += ["--constraint", os.fspath(file)]
        python = os.fspath(self._python)
        if self._uv is not None:
            # pip compiles to bytecode by itself. Without it, each process with torch starts some four seconds later.
            install = [
                self._uv,
                "pip",
                "install",
                "--compile-bytecode",
                "--python",
                python,
                *arguments,
            ]
            if self._run(install).returncode == 0:
                return
            # uv does not read pip's configuration, which may name a private index or a folder of wheels.
            self._say(f"installing {subject} with pip, because uv failed")
        self._must(
            [
                *self._pip_command(),
                "install",
                "--disable-pip-version-check",
                *arguments,
            ],
            subject,
        )

    def _pip_command(self) -> list[str]:
        base_pip = [
            os.fspath(self._base),
            "-m",
            "pip",
            "--python",
            os.fspath(self._python),
        ]
        if self._run([*base_pip, "--version"]).returncode == 0:
            return base_pip
        # A base without pip, or with one older than 22.3. If pip is already there, this does nothing.
        self._must([os.fspath(self._python), "-m", "ensurepip"], "pip")
        return [os.fspath(self._python), "-m", "pip"]

    def torch(self) -> tuple[str, bool]:
        """The installed torch's version, and whether it brings its own Triton."""
        answer = self._must([os.fspath(self._python), "-c", _ASK_TORCH], "torch")
        return msgspec.json.decode(split_lines(answer)[-1], type=tuple[str, bool])

    def has_tool(self) -> bool:
        """Whether the project's own requirements brought this package."""
        return self._run([os.fspath(self._python), "-c", _ASK_TOOL]).returncode == 0

    def _must(self, command: Sequence[str], subject: str) -> str:
        done = self._run(command)
        if done.returncode != 0:
            reasons = [
                match[1]
                for line in split_lines(done.stdout)
                if (match := _SAID.match(line))
            ]
            last = split_lines(done.stdout.strip())[-1:] or ["no output"]
            raise EnvironmentFailed(
                f"{subject} could not be installed: {(reasons or last)[-1].strip()}. The full output: {self._log.name}"
            )
        return done.stdout

    def _run(self, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        self._log.write(f"$ {' '.join(command)}\n")
        # PYTHONPATH would show the tools packages that are not in the environment.
        environment = {
            name: value
            for name, value in os.environ.items()
            if name not in ("PYTHONPATH", "PYTHONHOME")
        }
        try:
            done = subprocess.run(
                command,
                cwd=self._project,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                errors="replace",
                timeout=_TIMEOUT_S,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise EnvironmentFailed(f"cannot run {command[0]}: {error}.") from None
        self._log.write(done.stdout)
        self._log.flush()
        return done


def python_of(folder: Path) -> Path:
    """The interpreter of a virtual environment."""
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


@functools.cache
def python_release(python: Path) -> str:
    """The version of an interpreter, such as `3.11`. Raises EnvironmentFailed if it does not run."""
    ask = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        return subprocess.run(
            [python, "-c", ask],
            capture_output=True,
            check=True,
            encoding="utf-8",
            timeout=60,
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError) as error:
        raise EnvironmentFailed(
            f"{python} does not run: {error}. Name another with --python."
        ) from None


def tool() -> list[str]:
    """pip's arguments that install this package as it is installed here. Raises EnvironmentFailed if it is not."""
    from urllib.request import url2pathname  # imports all of http and ssl

    try:
        distribution = metadata.distribution(TOOL)
    except metadata.PackageNotFoundError:
        checkout = Path(__file__).parents[2]
        if (checkout / "pyproject.toml").is_file():  # only on PYTHONPATH
            return ["--editable", os.fspath(checkout)]
        raise EnvironmentFailed(
            f"{TOOL} is not installed here, so it cannot be installed beside another torch. Install it with pip, or "
            "name an interpreter that has it instead of a version of torch."
        ) from None
    origin = msgspec.json.decode(distribution.read_text("direct_url.json") or "{}")
    if "dir_info" in origin:
        folder = url2pathname(urlparse(origin["url"]).path)
        return (
            ["--editable", folder] if origin["dir_info"].get("editable") else [folder]
        )
    return [f"{TOOL}=={distribution.version}"]
