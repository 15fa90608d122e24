"""The plugin of `make test-replay`: the tests that compile nothing, with torch and Triton out of reach.

They replay what was captured before (records, texts, goldens, recordings, reports), or run pytest on cases of paper.
What needs torch is *live*: files that import it, tests that run in a fork with its imports, those with that marker.
"""

from __future__ import annotations

import ast
import os
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest

_REPOSITORY = Path(__file__).parents[1]
_OURS = ("tests", "pytest_compile_golden", "benchmarks", "cases", "tools")
_COMPILERS = ("torch", "triton")
WITH_TORCH = {"forks_with_torch", "forks_with_bare_torch", "forks_with_models"}
"""The fixtures of forks that have done torch's imports."""


def pytest_configure(config: pytest.Config) -> None:
    """Put modules that cannot be imported in front of torch and Triton, for each process of this run."""
    if hasattr(config, "workerinput"):
        return
    folder = tempfile.TemporaryDirectory(prefix="compile-golden-replay-")
    config.add_cleanup(folder.cleanup)
    for name in _COMPILERS:
        text = f"raise ImportError('{name} is out of reach of a replay')\n"
        Path(folder.name, f"{name}.py").write_text(text, encoding="utf-8")
    sys.path.insert(0, folder.name)
    os.environ["PYTHONPATH"] = os.pathsep.join(
        filter(None, [folder.name, os.environ.get("PYTHONPATH")])
    )


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    return (
        True
        if collection_path.suffix == ".py" and _imports_torch(collection_path)
        else None
    )


def is_live(item: pytest.Item) -> bool:
    """Whether a test needs torch."""
    marked = item.get_closest_marker("live") is not None
    return (
        marked
        or not WITH_TORCH.isdisjoint(getattr(item, "fixturenames", ()))
        or _imports_torch(item.path)
    )


@cache
def _imports_torch(file: Path) -> bool:
    """Whether torch or Triton is imported when a file is: by it, or by any of ours that it imports."""
    found, waiting = {file}, [file]
    while waiting:
        names = _imported(waiting.pop())
        if any(name.partition(".")[0] in _COMPILERS for name in names):
            return True
        new = {path for name in names for path in _files(name)} - found
        found |= new
        waiting += new
    return False


@cache
def _imported(file: Path) -> list[str]:
    """The modules that a file imports at its top level, with what it takes from them."""
    names: list[str] = []
    for node in ast.parse(file.read_bytes()).body:
        if isinstance(node, ast.ImportFrom):
            names += [
                str(node.module),
                *(f"{node.module}.{each.name}" for each in node.names),
            ]
        elif isinstance(node, ast.Import):
            names += [each.name for each in node.names]
    return names


@cache
def _files(name: str) -> list[Path]:
    """What is run to import our module of that name: its packages, and itself."""
    parts = name.split(".")
    if parts[0] not in _OURS:
        return []
    paths = [_REPOSITORY.joinpath(*parts[:count]) for count in range(1, len(parts) + 1)]
    files = [*(path / "__init__.py" for path in paths), paths[-1].with_suffix(".py")]
    return [path for path in files if path.is_file()]
