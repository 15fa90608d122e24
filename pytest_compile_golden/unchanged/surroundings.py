"""What affects all cases of a run: torch, other packages, this plugin, environment variables. Nothing is imported."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib import util
from pathlib import Path

from pytest_compile_golden.unchanged.record import digest

PACKAGES = ("torch", "triton", "pytest_compile_golden")
"""Packages in which any file may affect any case, including one that was edited in place."""
_VARIABLES = ("TORCH", "PYTORCH", "TRITON", "CUDA", "AOT_")
_ASIDE = frozenset({"__pycache__", "include", "testing"})


def surroundings(options: Iterable[str]) -> str:
    """A digest that is the same in two runs that can only differ in the contents of the cases themselves."""
    packages = (fact for name in PACKAGES for fact in _package(name))
    variables = (f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith(_VARIABLES))
    return digest([sys.version, platform.machine(), *options, "", *variables, "", *_distributions(), "", *packages])


def _distributions() -> list[str]:
    """The names of folders that say what is installed, and in which version."""
    names = set()
    for entry in sys.path:
        with suppress(OSError):  # a zip file, or nothing
            names |= {path.name for path in Path(entry).iterdir() if path.suffix in (".dist-info", ".egg-info")}
    return sorted(names)


def _package(name: str) -> Iterator[str]:
    """Names, sizes and times of a package's code."""
    spec = util.find_spec(name)
    root = None if spec is None or spec.origin is None else Path(spec.origin).parent
    for folder, folders, files in os.walk(root) if root is not None else ():
        folders[:] = sorted(set(folders) - _ASIDE)
        for path in (Path(folder, file) for file in sorted(files) if file.endswith((".py", ".so"))):
            stat = path.stat()
            yield f"{path} {stat.st_size} {stat.st_mtime_ns}"
