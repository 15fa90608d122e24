"""Changes to the installed torch, in memory: new source for a function, a different value, a pattern removed.

A function is changed by replacing its code, so every alias, table and closure that holds it sees the change. A change
is made in its own process (see `runner.py`) before anything is compiled there, and is never undone.
"""

from __future__ import annotations

import ast
import functools
import importlib
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Change:
    """Changes torch in this process when called. Raises NotThere if this torch lacks what is to be changed."""

    make: Callable[[], None]
    function: str = ""
    """`package.module:Qualified.name` of the function whose code is replaced, if it is a single function."""

    def __call__(self) -> None:
        self.make()


class NotThere(Exception):
    """The thing to be changed does not exist in the installed torch."""


def find(name: str) -> tuple[Any, str, Any]:
    """Owner, attribute and raw value of `package.module:Qualified.name`. Raises NotThere."""
    module_name, _, path = name.partition(":")
    try:
        owner: Any = importlib.import_module(module_name)
        *outer, attribute = path.split(".")
        for part in outer:
            owner = vars(owner)[part]
        return owner, attribute, vars(owner)[attribute]
    except (ImportError, KeyError):
        raise NotThere(name) from None


def _function(name: str) -> types.FunctionType:
    """The plain function behind decorators, descriptors and caches; caches are cleared."""
    value = find(name)[2]
    while not isinstance(value, types.FunctionType) or hasattr(value, "__wrapped__"):
        if isinstance(value, functools._lru_cache_wrapper):
            value.cache_clear()
        inner = next(
            (
                getattr(value, attribute)
                for attribute in ("__wrapped__", "__func__", "fget", "func", "fn")
                if hasattr(value, attribute)
            ),
            None,
        )
        if inner is None:
            raise NotThere(f"{name} is not a function")
        value = inner
    # A decorator that does not say what it wraps.
    own = name.rpartition(".")[2].rpartition(":")[2]
    for cell in value.__closure__ or () if value.__code__.co_name != own else ():
        if (
            isinstance(cell.cell_contents, types.FunctionType)
            and cell.cell_contents.__code__.co_name == own
        ):
            return cell.cell_contents
    return value


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


Rewrite = Callable[[list[str], ast.FunctionDef], list[str]]
_rewrites: dict[types.FunctionType, list[Rewrite]] = {}
"""The rewrites of each function so far: the next one is applied on top of them."""


def _recompile(name: str, rewrite: Rewrite) -> None:
    """Give the function called `name` the code of its rewritten source lines; line numbers stay those of the file."""
    function = _function(name)
    code = function.__code__
    lines = Path(code.co_filename).read_text(encoding="utf-8").splitlines()
    tree = ast.parse("\n".join(lines))
    definitions = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and node.name == code.co_name
        and min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        == code.co_firstlineno
    ]
    if not definitions:
        raise NotThere(f"{name} has no source")
    node = definitions[0]
    assert node.end_lineno is not None
    start, end = node.lineno - 1, node.end_lineno
    body = lines[start:end]
    for each_rewrite in (*_rewrites.get(function, ()), rewrite):
        body = each_rewrite(body, node)
    lines[start:end] = body
    module = compile("\n".join(lines), code.co_filename, "exec", dont_inherit=True)
    for candidate in _codes(module):
        if (
            candidate.co_name == code.co_name
            and candidate.co_firstlineno == code.co_firstlineno
        ):
            function.__code__ = candidate
            _rewrites.setdefault(function, []).append(rewrite)
            return
    raise AssertionError(f"{name} is not in its own source any more")


def edit(name: str, *changes: tuple[str, str]) -> Change:
    """Replace text in the source of the function called `name`: for each `(old, new)`, every occurrence of `old`."""

    def apply() -> None:
        def rewrite(lines: list[str], node: ast.FunctionDef) -> list[str]:
            text = "\n".join(lines)
            for old, new in changes:
                if old not in text:
                    raise NotThere(f"{name} has no {old!r}")
                text = text.replace(old, new)
            return text.split("\n")

        _recompile(name, rewrite)

    return Change(apply, name)


def prepend(name: str, statement: str) -> Change:
    """Insert `statement` at the start of the function called `name`."""

    def apply() -> None:
        def rewrite(lines: list[str], node: ast.FunctionDef) -> list[str]:
            first = node.body[0]
            offset = first.lineno - node.lineno
            added = [" " * first.col_offset + line for line in statement.splitlines()]
            return lines[:offset] + added + lines[offset:]

        _recompile(name, rewrite)

    return Change(apply, name)


def skip(name: str, returning: str = "None") -> Change:
    """Have the function called `name` do nothing and return an expression over its arguments."""
    return prepend(name, f"return {returning}")


def value(name: str, new: object) -> Change:
    """Set an attribute of a module or class to a new value."""

    def apply() -> None:
        owner, attribute, _ = find(name)
        setattr(owner, attribute, new)

    return Change(apply)


def setting(name: str, new: object) -> Change:
    """Set a config key to a new value: `inductor.KEY`, `dynamo.KEY`, `functorch.KEY`."""

    def apply() -> None:
        package, _, key = name.partition(".")
        config: Any = importlib.import_module(f"torch._{package}.config")
        if not hasattr(config, key):
            raise NotThere(name)
        setattr(config, key, new)

    return Change(apply)


def without(table: str, *keys: str) -> Change:
    """Remove entries from a dict of operators: `aten.gelu` removes all of its overloads."""

    def apply() -> None:
        operators: dict[Any, Any] = find(table)[2]
        for key in keys:
            gone = [
                operator
                for operator in operators
                if str(operator) == key or str(operator).startswith(key + ".")
            ]
            if not gone:
                raise NotThere(f"{table}[{key}]")
            for operator in gone:
                del operators[operator]

    return Change(apply)


def _matchers() -> Iterator[Any]:
    """Every PatternMatcherPass that an Inductor module holds, including those in lists and dicts."""
    from torch._inductor.pattern_matcher import PatternMatcherPass

    for name, module in list(sys.modules.items()):
        if name.startswith("torch._inductor"):
            for value in list(vars(module).values()):
                inner = (
                    value.values()
                    if isinstance(value, dict)
                    else value
                    if isinstance(value, list)
                    else [value]
                )
                yield from (
                    element
                    for element in list(inner)
                    if isinstance(element, PatternMatcherPass)
                )


def _pattern_names(entry: Any) -> Iterator[str | None]:
    """The names of a pattern, of the function that handles its matches, and of its search function."""
    yield getattr(entry, "pattern_name", None)
    yield getattr(getattr(entry, "handler", None), "__qualname__", None)
    # A replacement pattern keeps its search function in the closure of its check
    # (torch/_inductor/pattern_matcher.py: register_replacement).
    check = getattr(entry, "extra_check", None)
    names = getattr(getattr(check, "__code__", None), "co_freevars", ())
    for name, cell in zip(
        names, getattr(check, "__closure__", None) or (), strict=False
    ):
        if name == "search_fn":
            yield getattr(cell.cell_contents, "__name__", None)


def without_pattern(*names: str) -> Change:
    """Remove every pattern with one of these names or a handler so named, both now and when registered later."""

    def apply() -> None:
        from torch._inductor import pattern_matcher

        def unwanted(entry: Any) -> bool:
            return any(name in names for name in _pattern_names(entry))

        for matcher in _matchers():
            for entries in matcher.patterns.values():
                entries[:] = [entry for entry in entries if not unwanted(entry)]
        register = pattern_matcher.PatternEntry.register

        def registered(self: Any, *args: Any, **kwargs: Any) -> None:
            if not unwanted(self):
                register(self, *args, **kwargs)

        pattern_matcher.PatternEntry.register = registered

    return Change(apply)


def moved_down(*names: str, by: int) -> Change:
    """Move functions some lines further down in their files, otherwise unchanged."""

    def apply() -> None:
        for name in names:
            function = _function(name)
            code = function.__code__
            function.__code__ = code.replace(co_firstlineno=code.co_firstlineno + by)

    return Change(apply)


def reversed_table(name: str) -> Change:
    """Reverse the order of a dict's entries."""

    def apply() -> None:
        table: dict[Any, Any] = find(name)[2]
        entries = list(table.items())[::-1]
        table.clear()
        table.update(entries)

    return Change(apply)
