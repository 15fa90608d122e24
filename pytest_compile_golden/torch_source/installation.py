"""One installed torch: its files, its functions, and the commit it was built from."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pytest_compile_golden.installed import commit_in

_VERSION = re.compile(r"^__version__ = ['\"]([^'\"+]+)", re.M)
_RELEASE = re.compile(r"\d+\.\d+\.\d+")
_PLACE = re.compile(r"(torch/[\w/.-]+\.\w+):(\d+)(?:@(.+))?")
_HASH = re.compile(r"[0-9a-f]{40}")
_LONGEST = 4_000_000

Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Installation:
    """A folder that contains the torch package, such as an environment's site-packages."""

    folder: Path

    @property
    def commit(self) -> str | None:
        """The commit of pytorch/pytorch that it was built from; None if the wheel does not say."""
        return commit_in(self._text("torch/version.py"))

    @property
    def version(self) -> str | None:
        """Without the local part: `2.13.0`."""
        match = _VERSION.search(self._text("torch/version.py"))
        return match[1] if match else None

    def functions(self, file: str) -> dict[str, Definition]:
        """The functions of a file by qualified name; empty if there is no such file."""
        return _functions(self.folder / file) if _inside(file) else {}

    def function_at(self, where: str) -> str | None:
        """The qualified name of the function that `torch/a.py:12` is in, or that `torch/a.py:C.f` names."""
        file, _, line = where.rpartition(":")
        if line in self.functions(file):
            return line
        at = int(line) if line.isdigit() else 0
        around = [
            (_start(definition), name)
            for name, definition in self.functions(file).items()
            if _start(definition) <= at <= (definition.end_lineno or 0)
        ]
        return max(around)[1] if around else None

    def imported(self, file: str, dotted: str) -> tuple[str, str] | None:
        """The file and the qualified name that `ir.FallbackKernel.create` refers to in `file`, given its imports."""
        first, _, inner = dotted.partition(".")
        for name, module, member in _imports(self.folder / file) if _inside(file) else ():
            if name != first:
                continue
            base = Path(file).parents[module.level - 1] if module.level else Path()
            path = base / (module.module or "").replace(".", "/")
            for candidate, inside in ((path / f"{member}.py", ""), (path.with_suffix(".py"), member)):
                if _inside(candidate.as_posix()) and (self.folder / candidate).is_file():
                    return candidate.as_posix(), ".".join(filter(None, (inside, inner)))
        return None

    def siblings(self, file: str) -> Iterator[str]:
        """The files beside `file` that belong to the same backend: `codegen/triton.py` and `codegen/simd.py`."""
        own = Path(file)
        family = next((stems for stems in _FAMILIES if own.stem.startswith(stems[0])), (own.stem,))
        wrappers = "wrapper" in own.stem
        for path in sorted((self.folder / own.parent).glob("*.py")) if _inside(file) else ():
            if path.stem == "common" or (path.stem.startswith(family) and ("wrapper" in path.stem) == wrappers):
                yield (own.parent / path.name).as_posix()

    def _text(self, file: str) -> str:
        return _text(self.folder / file)


_FAMILIES = (("triton", "simd"), ("simd", "triton"), ("cpp",), ("wrapper",))


def source_root(commit: str | None, version: str | None = None) -> str | None:
    """The URL of torch's sources on GitHub: at the commit, or else at the tag of a release."""
    release = (version or "").partition("+")[0]
    ref = f"v{release}" if _RELEASE.fullmatch(release) else None
    if commit is not None and _HASH.fullmatch(commit):  # a report may come from anywhere
        ref = commit
    return ref and f"https://github.com/pytorch/pytorch/blob/{ref}/"


def comparison(old: str | None, new: str | None) -> str | None:
    """The URL that compares two commits of torch; None if one is unknown."""
    known = all(commit is not None and _HASH.fullmatch(commit) for commit in (old, new))
    return f"https://github.com/pytorch/pytorch/compare/{old}...{new}" if known else None


def at_version(where: str, version: str) -> str:
    """`torch/a.py:12@2.14.1`: a line of a certain torch; anything but a file and line in torch stays as it is."""
    return f"{where}@{version}" if _PLACE.fullmatch(where) and "@" not in where else where


def source_link(root: str | None, where: str) -> str | None:
    """The URL of `torch/a.py:12` below a root, or of `torch/a.py:12@2.14.1` in that release.

    None for anything but a file and line in torch, or if it is not known where its sources are.
    """
    match = _PLACE.fullmatch(where)
    if match and match[3]:
        root = source_root(None, match[3])
    return f"{root}{match[1]}#L{match[2]}" if root and match else None


def of(python: Path) -> Installation | None:
    """The torch of an environment's interpreter; None if it is not in the environment's site-packages."""
    # Not resolved: an environment's python is a link.
    root = python.parent.parent
    for folder in [*sorted(root.glob("lib/python3*/site-packages")), root / "Lib" / "site-packages"]:
        if (folder / "torch" / "version.py").is_file():
            return Installation(folder)
    return None


def _start(definition: Definition) -> int:
    return min([definition.lineno, *(decorator.lineno for decorator in definition.decorator_list)])


def _inside(file: str) -> bool:
    return file.startswith("torch/") and ".." not in file


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _LONGEST:
            return ""
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


@lru_cache(maxsize=64)
def _functions(path: Path) -> dict[str, Definition]:
    try:
        tree = ast.parse(_text(path))
    except (SyntaxError, ValueError, RecursionError):
        return {}
    return dict(_walk(tree, ""))


@lru_cache(maxsize=64)
def _imports(path: Path) -> tuple[tuple[str, ast.ImportFrom, str], ...]:
    """Each name that a file imports at the top level, the import, and the name in the imported module."""
    try:
        tree = ast.parse(_text(path))
    except (SyntaxError, ValueError, RecursionError):
        return ()
    imports = (node for node in tree.body if isinstance(node, ast.ImportFrom))
    return tuple((alias.asname or alias.name, node, alias.name) for node in imports for alias in node.names)


def _walk(node: ast.AST, prefix: str) -> Iterator[tuple[str, Definition]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield prefix + child.name, child
        elif isinstance(child, ast.ClassDef):
            yield from _walk(child, f"{prefix}{child.name}.")
        elif isinstance(child, (ast.If, ast.Try, ast.With)):
            yield from _walk(child, prefix)
