"""The names of passes and patterns, and where they are defined in torch's or the user's source."""

from __future__ import annotations

import contextlib
import functools
import linecache
import re
import sys
import types
from pathlib import Path
from typing import Any

import torch

from pytest_compile_golden.torch_internals import inductor

_MATCHERS = "torch._inductor.fx_passes."
_FIRST_SENTENCE = re.compile(r"(.+?[.!?])(?=\s|$)", re.S)


def unwrapped(function: Any) -> Any:
    """The function that a pass ends up running: behind partials, wrappers, and torch's lambdas that only call it."""
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        elif (called := _called_by_lambda(function) or _bound(function)) is not None:
            function = called
        else:
            return function


def _called_by_lambda(function: Any) -> Any:
    code = getattr(function, "__code__", None)
    if code is None or code.co_name != "<lambda>" or not in_torch(code.co_filename):
        return None
    named = (function.__globals__.get(name) for name in code.co_names)
    return next(
        (
            value
            for value in (*named, *closure_of(function).values())
            if isinstance(value, types.FunctionType)
        ),
        None,
    )


def _bound(function: Any) -> Any:
    """The partial behind a torch wrapper that takes its name, as for attention patterns with bound arguments.

    See torch/_inductor/fx_passes/fuse_attention.py: partialize_and_update_signature.
    """
    code = getattr(function, "__code__", None)
    if (
        code is None
        or code.co_name == function.__name__
        or not in_torch(code.co_filename)
    ):
        return None
    return next(
        (
            value
            for value in closure_of(function).values()
            if isinstance(value, functools.partial)
        ),
        None,
    )


def closure_of(function: Any) -> dict[str, Any]:
    """The variables that a function closes over, by name; those not bound yet are left out."""
    values = {}
    names = getattr(getattr(function, "__code__", None), "co_freevars", ())
    for name, cell in zip(
        names, getattr(function, "__closure__", None) or (), strict=False
    ):
        with contextlib.suppress(ValueError):
            values[name] = cell.cell_contents
    return values


def source_of(function: Any) -> tuple[str, str | None]:
    """The name of the function that a pass or pattern runs, and its `file:line`, with torch's own paths relative."""
    plain = _plain(function)
    code = _code(plain)
    name = getattr(plain, "__qualname__", type(plain).__qualname__)
    return (
        name,
        f"{shown_path(code.co_filename)}:{code.co_firstlineno}"
        if code is not None
        else None,
    )


def summary(function: Any) -> str | None:
    """The first sentence of a pass's docstring."""
    plain = _plain(function)
    text = (
        getattr(plain, "__doc__", None)
        if hasattr(plain, "__qualname__")
        else type(plain).__doc__
    )
    # Some docstrings start with an example rather than a sentence.
    match = _FIRST_SENTENCE.match((text or "").strip())
    return " ".join(match[1].split()) if match else None


def _plain(function: Any) -> Any:
    function = unwrapped(function)
    return getattr(function, "__func__", function)


def _code(plain: Any) -> types.CodeType | None:
    return getattr(plain, "__code__", None) or getattr(
        vars(type(plain)).get("__call__"), "__code__", None
    )


@functools.cache
def in_torch(filename: str) -> bool:
    """Whether a file belongs to torch."""
    return Path(filename).is_relative_to(Path(torch.__file__).parent)


def written_by_user(function: Any) -> bool:
    """Whether `function` runs code that has a source and is not torch's own."""
    code = _code(_plain(function))
    return code is not None and not in_torch(code.co_filename)


@functools.cache
def shown_path(filename: str) -> str:
    """`torch/_inductor/...` for torch's files, the file name alone for others."""
    root = Path(torch.__file__).parent.parent
    path = Path(filename)
    return path.relative_to(root).as_posix() if in_torch(filename) else path.name


def pattern_source(entry: Any) -> tuple[str, str | None]:
    """A pattern's name and `file:line`: of its search function, or of the function that handles its matches.

    A replacement pattern keeps its search function only in the closure of its check
    (torch/_inductor/pattern_matcher.py: register_replacement).
    """
    search = closure_of(inductor.EXTRA_CHECK.of(entry, None)).get("search_fn")
    if search is not None:
        return source_of(search)
    if (handler := inductor.HANDLER.of(entry, None)) is not None:
        return source_of(handler)
    name = inductor.PATTERN_NAME.of(entry, None) if inductor.PATTERN_NAME.here else None
    return str(name or type(entry).__name__), None


@functools.lru_cache(maxsize=256)
def matcher_location(matcher: Any) -> tuple[types.ModuleType, str, str] | None:
    """Where torch or the user keeps a PatternMatcherPass: the module, the variable and the subscript, if any."""
    ours = [
        module
        for name, module in list(sys.modules.items())
        if name.startswith(_MATCHERS)
    ]
    others = [
        module
        for name, module in list(sys.modules.items())
        if not name.startswith("torch")
    ]
    for module in (*ours, *others):
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if value is matcher:
                return module, name, ""
            if isinstance(value, (list, dict)) and name[:2] != "__":
                # A module's own kind of dict may make what it holds when it is asked, as those of transformers.
                items = (
                    enumerate(value) if isinstance(value, list) else dict.items(value)
                )
                for key, item in items:
                    if item is matcher:
                        return module, name, f"[{key!r}]"
    return None


def matcher_source(matcher: Any) -> tuple[str, str | None]:
    """The name of a PatternMatcherPass, and where the variable that holds it is assigned."""
    location = matcher_location(matcher)
    own_name = str(matcher.pass_name or "")
    if location is None:
        return own_name or "pattern_matcher", None
    module, variable, subscript = location
    where = None
    file = getattr(module, "__file__", None)
    assigned = re.compile(rf"{re.escape(variable)}\s*(:[^=]*)?=")
    for number, line in enumerate(linecache.getlines(file) if file else (), 1):
        if assigned.match(line):
            where = f"{shown_path(str(file))}:{number}"
            break
    return (
        own_name or f"{module.__name__.rpartition('.')[2]}.{variable}{subscript}",
        where,
    )
