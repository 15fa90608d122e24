"""What a test file depends on: files of a project, and what affects all cases of a run, of which nothing is imported.

Of all modules that a run loaded, a file depends on those that it names anywhere, even in a string, on those that its
objects come from, and on whatever these depend on. A module that nothing visibly uses was loaded by other means:
everything depends on it. Torch, other packages, this plugin and environment variables affect all.
"""

from __future__ import annotations

import ast
import os
import platform
import sys
import sysconfig
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import util
from importlib.util import resolve_name
from pathlib import Path
from types import FunctionType, ModuleType

from pytest_compile_golden.common.digest import of_texts

_INSTALLED = frozenset({"site-packages", "dist-packages"})
_STANDARD = sysconfig.get_path("stdlib")
PACKAGES = ("torch", "triton", "pytest_compile_golden")
"""Packages in which any file may affect any case, including one that was edited in place."""
_VARIABLES = ("TORCH", "PYTORCH", "TRITON", "CUDA", "AOT_")
_ASIDE = frozenset({"__pycache__", "include", "share", "test", "testing"})


@dataclass(frozen=True)
class Loaded:
    """The project's modules in a process, or in several."""

    files: dict[str, str] = field(default_factory=dict)
    """Module name to its file under the project's root, or to an absolute path if it is elsewhere."""
    uses: dict[str, list[str]] = field(default_factory=dict)
    """Module name to the modules that its objects come from."""

    def add(self, other: Loaded) -> None:
        """Also hold what another process has loaded, as the workers of a run each load some."""
        self.files.update(other.files)
        for name, used in other.uses.items():
            self.uses[name] = sorted({*self.uses.get(name, ()), *used})


def loaded(root: Path) -> Loaded:
    """What this process has loaded from the project in `root` and from anything else that is not installed."""
    files, uses = {}, {}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        # Modules that a compiler wrote and ran have no spec.
        if (
            isinstance(file, str)
            and getattr(module, "__spec__", None)
            and name.partition(".")[0] not in PACKAGES
        ):
            relative = _of_project(Path(file), root)
            if relative is not None:
                files[name], uses[name] = relative, _origins(module)
    return Loaded(
        files, {name: sorted(used & files.keys()) for name, used in uses.items()}
    )


class Imports:
    """Finds out which files a file depends on; each is parsed once."""

    def __init__(self, root: Path, found: Loaded) -> None:
        self._root = root
        self._found = found
        self._names: dict[str, list[str]] = {}
        for name, file in found.files.items():
            self._names.setdefault(file, []).append(name)
        self._direct: dict[str, set[str]] = {}

    def of(self, files: Iterable[str]) -> set[str]:
        """These files and everything they depend on."""
        reached: set[str] = set()
        ahead = list(files)
        while ahead:
            file = ahead.pop()
            if file not in reached:
                reached.add(file)
                ahead += self._of(file)
        return reached

    def unused(self, files: Iterable[str]) -> set[str]:
        """What was loaded although none of these files depends on it."""
        return self.of(set(self._names) - self.of(files))

    def _of(self, file: str) -> set[str]:
        if file not in self._direct:
            files = self._found.files
            names = self._names.get(file, [])
            named = {
                *names,
                *(used for name in names for used in self._found.uses.get(name, ())),
            }
            if file.endswith(".py"):
                module = names[0] if names else ""
                is_package = Path(file).name == "__init__.py"
                package = module if is_package else module.rpartition(".")[0]
                named.update(_named(self._root / file, package))
            self._direct[file] = {
                files[prefix]
                for name in named
                for prefix in _prefixes(name)
                if prefix in files
            }
        return self._direct[file]


def _of_project(file: Path, root: Path) -> str | None:
    name = file.relative_to(root) if file.is_relative_to(root) else file
    return (
        None
        if _INSTALLED & set(name.parts) or file.is_relative_to(_STANDARD)
        else name.as_posix()
    )


def _origins(module: ModuleType) -> set[str]:
    modules = set()
    for value in list(vars(module).values()):
        if isinstance(value, ModuleType):
            modules.add(value.__name__)
        else:
            # For anything but classes and functions, use the class: their own attributes may be computed.
            owner = value if isinstance(value, (type, FunctionType)) else type(value)
            modules.add(str(owner.__module__))
    return modules


def _named(path: Path, package: str) -> Iterator[str]:
    """The full names of what the file imports or may import, whether modules or something in them."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        # Gone or edited since, so not what was loaded.
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                try:
                    base = resolve_name("." * node.level + base, package)
                except ImportError:
                    continue
            yield from (f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and _is_name(node.value):
            yield str(node.value)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and all(
        part.isidentifier() for part in value.split(".")
    )


def _prefixes(name: str) -> Collection[str]:
    parts = name.split(".")
    return [".".join(parts[: number + 1]) for number in range(len(parts))]


def surroundings(options: Iterable[str]) -> str:
    """A digest that is the same in two runs that can only differ in the contents of the cases themselves."""
    packages = (fact for name in PACKAGES for fact in _files_of(name))
    return of_texts(
        [
            sys.version,
            platform.machine(),
            *options,
            "",
            *variables(),
            "",
            *distributions(),
            "",
            *packages,
        ]
    )


def variables() -> list[str]:
    """The environment variables that what is compiled may depend on, each with its value."""
    return [
        f"{name}={value}"
        for name, value in sorted(os.environ.items())
        if name.startswith(_VARIABLES)
    ]


def distributions() -> list[str]:
    """The names of folders that say what is installed, and in which version."""
    names = set()
    for entry in sys.path:
        with suppress(OSError):  # a zip file, or nothing
            names |= {
                path.name
                for path in Path(entry).iterdir()
                if path.suffix in (".dist-info", ".egg-info")
            }
    return sorted(names)


def package_files(package: str) -> Iterator[tuple[Path, Path]]:
    """Each file of an installed package that may matter to a compile, and its path inside the package."""
    spec = util.find_spec(package)
    if spec is None or spec.origin is None:
        return
    root = Path(spec.origin).parent
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(set(folders) - _ASIDE)
        for path in (Path(folder, name) for name in sorted(names)):
            yield path, path.relative_to(root)


def _files_of(package: str) -> Iterator[str]:
    """Names, sizes and times of a package's code."""
    for path, _ in package_files(package):
        if path.suffix in (".py", ".so"):
            stat = path.stat()
            yield f"{path} {stat.st_size} {stat.st_mtime_ns}"
