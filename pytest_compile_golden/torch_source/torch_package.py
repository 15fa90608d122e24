"""torch's sources as texts and as syntax trees, from a folder that holds the package or from a wheel.

Nothing is imported or unpacked.
"""

from __future__ import annotations

import ast
import re
import zipfile
import zlib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.torch_source.definitions import syntax_tree

Defined = (
    ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign
)
DAMAGED = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)
"""What zipfile raises for an archive that is cut off, damaged, encrypted or packed in a way that it cannot unpack."""
_MOST = 1 << 30
"""Bytes that are read of a package; torch 2.13 has a tenth of it."""
_LARGEST = 4_000_000
"""Bytes; nothing that people write is larger."""


def read_member(wheel: zipfile.ZipFile, name: str) -> bytes:
    """A file of a wheel; empty if it is larger than what people write, whatever the wheel says of it."""
    with wheel.open(name) as file:
        data = file.read(_LARGEST)
    return data if len(data) < _LARGEST else b""


class TorchPackage:
    """The `.py` and `.pyi` files of one torch."""

    def __init__(self, path: Path) -> None:
        """path: `torch/` itself, the folder that contains it, or a `.whl`. Raises CompileGoldenError for any other."""
        self._wheel: zipfile.ZipFile | None = None
        try:
            if path.is_file():
                self._wheel = zipfile.ZipFile(path)
        except (OSError, *DAMAGED) as error:
            raise CompileGoldenError(
                f"{path} is not a wheel ({error}). {_NAME_ONE}"
            ) from None
        self._root = path.parent if (path / "_inductor").is_dir() else path
        self._trees: dict[str, ast.Module | None] = {}
        self._texts: dict[str, str] = {}
        self._room = _MOST
        if not self.holds("torch"):
            raise CompileGoldenError(f"there is no torch in {path}. {_NAME_ONE}")

    @cached_property
    def files(self) -> frozenset[str]:
        """Relative to the folder that contains torch, with slashes."""
        if self._wheel is not None:
            return frozenset(
                name
                for name in self._wheel.namelist()
                if name.endswith((".py", ".pyi"))
            )
        found = (
            path
            for top in ("torch", "triton")
            for path in (self._root / top).rglob("*.py*")
        )
        return frozenset(
            path.relative_to(self._root).as_posix()
            for path in found
            if path.suffix in (".py", ".pyi")
        )

    @cached_property
    def _searched(self) -> list[str]:
        return sorted(
            file
            for file in self.files
            if file.startswith(_SEARCHED) and file.endswith(".py")
        )

    @property
    def version(self) -> str:
        """What `torch/version.py` says; `unknown` if it says nothing."""
        for node in ast.walk(self._parsed("torch/version.py") or ast.Module([], [])):
            match node:
                case ast.Assign(
                    [ast.Name("__version__")], ast.Constant(str(version))
                ) if _VERSION.fullmatch(version):
                    return version
        return "unknown"

    def holds(self, package: str) -> bool:
        """Whether there is anything of `torch`, or of `triton`."""
        return any(file.startswith(f"{package}/") for file in self.files)

    def has(self, module: str) -> bool:
        """Whether the package has a module of that dotted name."""
        return self.file(module) is not None

    def file(self, module: str) -> str | None:
        """The file of `torch._inductor.ir`; for compiled modules, the stub that describes them."""
        base = module.replace(".", "/")
        return next((name for end in _ENDS if (name := base + end) in self.files), None)

    def tree(self, module: str) -> ast.Module | None:
        """None for a module that is not there, or that this Python cannot parse."""
        file = self.file(module)
        return None if file is None else self._parsed(file)

    def text(self, file: str) -> str:
        """A file's text; empty if there is no such file, or it is larger than any source."""
        if file not in self._texts:
            self._texts[file] = self._read(file)
        return self._texts[file]

    def _read(self, file: str) -> str:
        try:
            if self._wheel is not None:
                data = read_member(self._wheel, file)
            else:
                path = self._root / file
                data = (
                    path.read_bytes()
                    if path.is_file() and path.stat().st_size < _LARGEST
                    else b""
                )
            self._room -= len(data)
            return data.decode("utf-8", "replace") if self._room > 0 else ""
        except (OSError, KeyError, *DAMAGED):
            return ""

    def modules_with(self, word: str) -> Iterator[str]:
        """The modules of the compiler whose text contains `word`, in alphabetical order."""
        for file in self._searched:
            if word in self.text(file):
                yield (
                    file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
                )

    def _parsed(self, file: str) -> ast.Module | None:
        if file not in self._trees:
            self._trees[file] = syntax_tree(self.text(file))
        return self._trees[file]


_VERSION = re.compile(r"[0-9][0-9A-Za-z.+]{0,60}")
_ENDS = (".py", "/__init__.py", ".pyi", "/__init__.pyi")
_SEARCHED = (
    "torch/_",
    "torch/fx/",
    "torch/utils/",
    "torch/distributed/",
    "torch/nn/",
    "triton/",
)
_NAME_ONE = "Name a folder that contains the package torch, such as an environment's site-packages, or a .whl of it."


def definitions(tree: ast.AST) -> Iterator[tuple[str, Defined]]:
    """Everything that a module or a class defines by name, in the order of the file, also below `if`, `try`, `with`."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name, node
        elif isinstance(node, ast.Assign):
            yield from (
                (target.id, node)
                for target in node.targets
                if isinstance(target, ast.Name)
            )
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, node
        elif isinstance(node, (ast.If, ast.Try, ast.With, ast.ExceptHandler)):
            yield from definitions(node)
