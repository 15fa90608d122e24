"""The older version: an environment's, a folder's, or a wheel's."""

from __future__ import annotations

import importlib.machinery
import os
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath

from pytest_compile_golden.environments import sides
from pytest_compile_golden.errors import SideFailed
from pytest_compile_golden.torch_source import installation
from pytest_compile_golden.torch_source.installation import Sources


@contextmanager
def version(text: str, package: str, python_of: Callable[[str], Path]) -> Iterator[Sources]:
    """The version of `package` that `text` names; a wheel is unpacked for the time of the block.

    python_of: the interpreter of an environment that has the torch version it is given.
    Raises SideFailed if `text` names nothing that has the package.
    """
    path = Path(os.path.normpath(Path.cwd() / Path(text).expanduser()))
    if path.suffix == ".whl" and path.is_file():
        with tempfile.TemporaryDirectory(prefix="compile-golden-") as folder:
            _unpack(path, package, Path(folder))
            yield _holding(Sources(Path(folder), package), text)
        return
    if (path / package).is_dir():
        yield Sources(path, package)
        return
    side = sides.parse(text)
    python = side.python if isinstance(side, sides.Interpreter) else python_of(text)
    if (found := installation.of(python)) is None:
        raise SideFailed(f"{python} has no torch in its environment. Name the folder that contains the package.")
    yield _holding(replace(found, package=package), text)


def installed(package: str, project: Path) -> Sources:
    """What this interpreter imports as `package`, from the project before all other folders.

    Raises SideFailed if there is none.
    """
    finder = importlib.machinery.PathFinder
    found = finder.find_spec(package, [str(project), *sys.path])
    if found is None or found.origin is None or Path(found.origin).name != "__init__.py":
        raise SideFailed(f"This interpreter has no package {package}. Name one whose definitions can be undone.")
    return Sources(Path(found.origin).parents[1], package, Path(sys.executable))


def _holding(sources: Sources, text: str) -> Sources:
    if not (sources.folder / sources.package).is_dir():
        raise SideFailed(f"{text} has no package {sources.package}. Name a folder or a wheel that contains it.")
    return sources


def _unpack(wheel: Path, package: str, folder: Path) -> None:
    """Write the modules and templates of a package; nothing outside `folder`, whatever the wheel says."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            parts = PurePosixPath(name).parts
            if parts[:1] == (package,) and name.endswith(installation.READ) and ".." not in parts:
                archive.extract(name, folder)
