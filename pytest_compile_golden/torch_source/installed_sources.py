"""One installed torch, or another package: where its files are, what they define, and the commit it was built from."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from pytest_compile_golden.common.installed_torch import commit_in
from pytest_compile_golden.torch_source.definitions import Function, parsed

_VERSION = re.compile(r"^__version__ = ['\"]([^'\"+]+)", re.M)
_RELEASE = re.compile(r"\d+\.\d+\.\d+")
_PLACE = re.compile(r"(torch/[\w/.-]+\.\w+):(\d+)(?:@(.+))?")
_HASH = re.compile(r"[0-9a-f]{40}")
_LONGEST = 4_000_000
READ = (".py", ".jinja")
"""The ends of the names of what is read of a package: its modules, and its templates of kernels."""


@dataclass(frozen=True)
class Sources:
    """A package in a folder such as an environment's site-packages. Nothing in it is imported."""

    folder: Path
    package: str = "torch"
    python: Path | None = field(default=None, compare=False)
    """An interpreter that has it, if it can be run."""

    @property
    def commit(self) -> str | None:
        """The commit of pytorch/pytorch that it was built from; None if the wheel does not say."""
        return commit_in(self.text("torch/version.py"))

    @property
    def version(self) -> str | None:
        """Of torch, without the local part: `2.13.0`."""
        match = _VERSION.search(self.text("torch/version.py"))
        return match[1] if match else None

    def text(self, file: str) -> str:
        """The text of `torch/_inductor/ir.py`; empty if the package has no such file."""
        return _text(self.folder / file) if self._holds(file) else ""

    def definitions(self, file: str) -> dict[str, ast.stmt]:
        """The statements that bind each name: `f`, `Class`, `Class.method`, `CONSTANT`; the last one wins."""
        return parsed(self.text(file)).by_name

    def functions(self, file: str) -> dict[str, Function]:
        """Those by qualified name; empty if there is no such file."""
        return parsed(self.text(file)).functions

    def function(self, file: str, name: str) -> Function | None:
        """A function or a method, `Class.method`, of a file; None if it has none of that name."""
        return self.functions(file).get(name)

    def value(self, file: str, name: str) -> ast.expr | None:
        """The expression that a name is bound to by an assignment to it alone; None for anything else."""
        node = self.definitions(file).get(name)
        return (
            getattr(node, "value", None)
            if isinstance(node, (ast.Assign, ast.AnnAssign))
            else None
        )

    def calls(self, file: str) -> tuple[ast.Expr, ...]:
        """The bare calls at the top level, which register things: `make_fallback(aten.sort)`."""
        return parsed(self.text(file)).calls

    def function_at(self, where: str) -> str | None:
        """The qualified name of the function that `torch/a.py:12` is in, or that `torch/a.py:C.f` names."""
        file, _, at = where.rpartition(":")
        if not at.isdigit():
            return at if self.function(file, at) else None
        spans = parsed(self.text(file)).spans
        found = bisect_right(spans, (int(at), "\uffff", 0)) - 1
        return spans[found][1] if found >= 0 and int(at) <= spans[found][2] else None

    def imported(self, file: str, dotted: str) -> tuple[str, str] | None:
        """The file and the qualified name that `ir.FallbackKernel.create` refers to in `file`, given its imports."""
        first, _, inner = dotted.partition(".")
        node = self.definitions(file).get(first)
        if not isinstance(node, ast.ImportFrom):
            return None
        base = Path(file).parents[node.level - 1] if node.level else Path()
        path = base / (node.module or "").replace(".", "/")
        for member in (
            alias.name for alias in node.names if first == (alias.asname or alias.name)
        ):
            for candidate, inside in (
                (path / f"{member}.py", ""),
                (path.with_suffix(".py"), member),
            ):
                if self.text(candidate.as_posix()):
                    return candidate.as_posix(), ".".join(filter(None, (inside, inner)))
        return None

    def siblings(self, file: str) -> Iterator[str]:
        """The files beside `file` that belong to the same backend: `codegen/triton.py` and `codegen/simd.py`."""
        own = Path(file)
        family = next(
            (stems for stems in _FAMILIES if own.stem.startswith(stems[0])), (own.stem,)
        )
        wrappers = "wrapper" in own.stem
        for path in (
            sorted((self.folder / own.parent).glob("*.py")) if self._holds(file) else ()
        ):
            if path.stem == "common" or (
                path.stem.startswith(family) and ("wrapper" in path.stem) == wrappers
            ):
                yield (own.parent / path.name).as_posix()

    def templates(self, folder: str) -> list[str]:
        """The templates of kernels that the modules in a folder may load (torch/_inductor/utils.py: load_template)."""
        return [
            f"{folder}/templates/{path.name}"
            for path in sorted((self.folder / folder / "templates").glob("*.jinja"))
        ]

    def _holds(self, file: str) -> bool:
        return (
            file.startswith(f"{self.package}/")
            and file.endswith(READ)
            and ".." not in file
        )


_FAMILIES = (("triton", "simd"), ("simd", "triton"), ("cpp",), ("wrapper",))


def source_root(commit: str | None, version: str | None = None) -> str | None:
    """The URL of torch's sources on GitHub: at the commit, or else at the tag of a release."""
    release = (version or "").partition("+")[0]
    ref = f"v{release}" if _RELEASE.fullmatch(release) else None
    # A report may come from anywhere.
    if commit is not None and _HASH.fullmatch(commit):
        ref = commit
    return ref and f"https://github.com/pytorch/pytorch/blob/{ref}/"


def comparison(old: str | None, new: str | None) -> str | None:
    """The URL that compares two commits of torch; None if one is unknown, or both are the same."""
    known = all(commit is not None and _HASH.fullmatch(commit) for commit in (old, new))
    return (
        f"https://github.com/pytorch/pytorch/compare/{old}...{new}"
        if known and old != new
        else None
    )


def at_version(where: str, version: str) -> str:
    """`torch/a.py:12@2.14.1`: a line of a certain torch; anything but a file and line in torch stays as it is."""
    return (
        f"{where}@{version.partition('+')[0]}"
        if _PLACE.fullmatch(where) and "@" not in where
        else where
    )


def source_link(root: str | None, where: str) -> str | None:
    """The URL of `torch/a.py:12` below a root, or of `torch/a.py:12@2.14.1` in that release.

    None for anything but a file and line in torch, or if it is not known where its sources are.
    """
    match = _PLACE.fullmatch(where)
    if match and match[3]:
        root = source_root(None, match[3])
    return f"{root}{match[1]}#L{match[2]}" if root and match else None


def of(python: Path) -> Sources | None:
    """The torch of an environment's interpreter; None if it is not in the environment's site-packages."""
    # Not resolved: an environment's python is a link.
    root = python.parent.parent
    for folder in [
        *sorted(root.glob("lib/python3*/site-packages")),
        root / "Lib" / "site-packages",
    ]:
        if (folder / "torch" / "version.py").is_file():
            return Sources(folder, python=python)
    return None


@cache
def _text(path: Path) -> str:
    try:
        return (
            path.read_text(encoding="utf-8", errors="replace")
            if path.stat().st_size < _LONGEST
            else ""
        )
    except OSError:
        return ""
