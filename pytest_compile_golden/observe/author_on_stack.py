"""Which torch function wrote a line of generated code: found on the stack as the line is written."""

from __future__ import annotations

import ast
import functools
import inspect
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pytest_compile_golden.facts.generated_code import Author, EmittedLine
from pytest_compile_golden.observe.source_locations import in_torch, shown_path
from pytest_compile_golden.torch_internals import scheduler as names

_AUTHOR, _HELPER, _OPERATOR, _NOBODY = range(4)
# Functions that lines pass through on the way from the one that made them.
_HELPERS = frozenset(
    [
        "writeline",
        "writelines",
        "splice",
        "newline",
        "writeline_jit",
        "writeline_aot",
        "splice_jit",
        "splice_aot",
        "__add__",
        "do_cse",
        "namedvar",
        "check_dtype",
    ]
)
_HELPER_FILES = (
    "/_pytree.py",
    "/virtualized.py",
    "/ops_handler.py",
    "/contextlib.py",
    "/_indented_buffer.py",
    "/indented_buffer.py",
    "<string>",
)
# These move finished text whose authors are already known.
_MOVERS = frozenset(
    (
        "define_kernel",
        "_emit_kernel_to_wrapper",
        "_define_kernel_helper",
        "finalize_hook",
        "_generate",
    )
)
_INNER = ("func", "fn", "f", "impl", "scalar_func")
# A handler's operators are wrapped a few times; this stops at one that wraps itself.
_DEEPEST = 100
_OURS = "pytest_compile_golden"

Found = Any
"""A code object, or the class of a handler and the name of an operator."""


class Authors:
    """Collects lines with their authors. The replacement of `writeline` calls `note` with each line."""

    def __init__(self) -> None:
        self._deferred: Any = names.DEFERRED_LINE.get()
        self._lines: dict[str, Found] = {}
        self._others: dict[str, set[Found]] = {}
        # Hashing a code object takes microseconds, so they are looked up by address and kept alive.
        self._kinds: dict[int, int] = {}
        self._kept: list[types.CodeType] = []
        self._operators: dict[tuple[type, str], tuple[type, str]] = {}
        self._declare(names.CSE_OPERATOR.get().__code__, _OPERATOR)
        self._declare(names.CSE_GENERATE.get().__code__, _HELPER)
        # It writes text for people to read that looks like lines of a kernel.
        for method in vars(names.KERNEL_FORMATTER.get()).values():
            code = getattr(getattr(method, "__func__", method), "__code__", None)
            if code is not None:
                self._declare(code, _NOBODY)

    def _declare(self, code: types.CodeType, kind: int) -> int:
        self._kinds[id(code)] = kind
        self._kept.append(code)
        return kind

    def note(self, line: Any, depth: int) -> None:
        """Note that `line` was written by the function `depth` frames up or, if that is a helper, by its caller."""
        if type(line) is str:
            text = line.strip()
        elif isinstance(line, self._deferred):
            text = line.line.strip()
        else:
            return
        if not text:
            return
        frame = sys._getframe(depth)
        moved = frame.f_code.co_name == "splice"
        if moved and text in self._lines:
            return
        who = self._author(frame)
        if who is None:
            return
        for part in text.split("\n") if "\n" in text else (text,):
            old = self._lines.setdefault(part.strip(), who)
            if old is not who and not moved:
                self._others.setdefault(part.strip(), set()).add(who)

    def _author(self, frame: types.FrameType | None) -> Found:
        while frame is not None:
            code = frame.f_code
            kind = self._kinds.get(id(code))
            if kind is None:
                kind = self._declare(code, _kind(code))
            if kind == _AUTHOR:
                return code
            if kind == _OPERATOR:
                names = frame.f_locals
                key = (type(names["self"].parent_handler), names["name"])
                return self._operators.setdefault(key, key)
            if kind == _NOBODY:
                return None
            frame = frame.f_back
        return None

    def written(self) -> Iterator[EmittedLine]:
        """Every line, paired with each function that wrote it."""
        named: dict[Found, Author] = {}
        for text, first in self._lines.items():
            for who in (first, *self._others.get(text, ())):
                if who not in named:
                    named[who] = _named(who)
                if text:
                    yield EmittedLine(text, named[who])


def author_above(frame: types.FrameType | None) -> Author | None:
    """The first function from `frame` upwards that is not ours; None if there is none."""
    while frame is not None and _OURS in frame.f_code.co_filename:
        frame = frame.f_back
    return None if frame is None else _named(frame.f_code)


def author_of(function: Callable[..., Any]) -> Author:
    """The author entry for a torch function."""
    return _named(inspect.unwrap(function).__code__)


def _kind(code: types.CodeType) -> int:
    if code.co_name in _HELPERS or code.co_filename.endswith(_HELPER_FILES):
        return _HELPER
    if code.co_name in _MOVERS:
        return _NOBODY
    return _HELPER if _OURS in code.co_filename else _AUTHOR


def _named(who: Found) -> Author:
    if isinstance(who, types.CodeType):
        # A nested function is part of the one around it.
        # Python 3.11 and later.
        qualified: str | None = getattr(who, "co_qualname", None)
        qualified = qualified or _functions(who.co_filename).get(
            who.co_firstlineno, who.co_name
        )
        return Author(qualified.partition(".<")[0], _location(who))
    handler, name = who
    code = _operator(handler, name)
    if code is not None and in_torch(code.co_filename):
        return _named(code)
    owner = next((base for base in handler.__mro__ if name in vars(base)), handler)
    return Author(
        f"{owner.__qualname__}.{name}", None if code is None else _location(code)
    )


def _location(code: types.CodeType) -> str:
    return f"{shown_path(code.co_filename)}:{code.co_firstlineno}"


def _operator(handler: type, name: str) -> types.CodeType | None:
    """The code that an operator of a handler runs, behind decorators that do not say what they wrap."""
    function: Any = getattr(handler, name, None)
    for _ in range(_DEEPEST):
        function = getattr(function, "__func__", function)
        if hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        elif isinstance(function, functools.partial):
            function = function.keywords.get("_original_impl") or function.func
        else:
            inner = _closed_over(function)
            if inner is None:
                break
            function = inner
    code = getattr(function, "__code__", None)
    return code if isinstance(code, types.CodeType) else None


def _closed_over(function: Any) -> Any:
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        if name in _INNER and isinstance(
            cell.cell_contents, (types.FunctionType, staticmethod)
        ):
            return cell.cell_contents
    return None


@functools.lru_cache(maxsize=64)
def _functions(filename: str) -> dict[int, str]:
    names: dict[int, str] = {}

    def walk(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            inside = prefix
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                # The code of a decorated function starts at its first decorator.
                names[
                    min(
                        [
                            child.lineno,
                            *(decorator.lineno for decorator in child.decorator_list),
                        ]
                    )
                ] = prefix + child.name
                inside = f"{prefix}{child.name}{'.' if isinstance(child, ast.ClassDef) else '.<locals>.'}"
            walk(child, inside)

    try:
        walk(ast.parse(Path(filename).read_text(encoding="utf-8")), "")
    except (OSError, SyntaxError):
        return {}
    return names
