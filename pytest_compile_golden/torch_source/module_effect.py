"""What of a module has an effect on what runs: which of its functions differ from another version's, and whether what
runs when it is imported does."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from pytest_compile_golden.common.garbage_collection import gc_paused
from pytest_compile_golden.torch_source.definitions import (
    FUNCTION,
    Function,
    syntax_tree,
)

_READ = "jit"
"""In the name of a decorator that reads the source of a function, which then need not run to matter: `triton.jit`."""
_NESTING = (ast.If, ast.Try, ast.With)


@dataclass
class Module:
    """A module's text, taken apart."""

    functions: dict[str, list[str]] = field(default_factory=dict)
    """What each function does, by qualified name, as a text; several if it is defined more than once."""
    imported: list[str] = field(default_factory=list)
    """What runs when it is imported: everything but the bodies of functions, and functions that nothing sees but by
    their name."""
    imports: set[tuple[str, str, str]] = field(default_factory=set)
    """Imports at the top level: module, what is taken from it, the name that it is bound to."""


@dataclass(frozen=True)
class Effect:
    """What differs between two texts of a module."""

    whole: bool
    """Whether something does that runs when it is imported."""
    functions: frozenset[str] = frozenset()
    """The functions of the old one that differ, by qualified name."""
    imports: tuple[tuple[str, str], ...] = ()
    """What only the new one imports: a module, as it is written there, and what is taken from it."""


def effect(old: str, new: str) -> Effect:
    """What differs between two texts of a module."""
    if old == new:
        return Effect(False)
    with gc_paused():
        before, after = _module(old), _module(new)
    if (
        before is None
        or after is None
        or before.imported != after.imported
        or before.imports - after.imports
    ):
        return Effect(True)
    more = after.imports - before.imports
    bound = {name for _, _, name in before.imports} | set(before.functions)
    if any(name in bound or taken == "*" for _, taken, name in more):
        return Effect(True)
    functions = frozenset(
        name
        for name, texts in before.functions.items()
        if after.functions.get(name) != texts
    )
    return Effect(False, functions, tuple((module, taken) for module, taken, _ in more))


def _module(text: str) -> Module | None:
    """None for a text that this Python cannot parse."""
    tree = syntax_tree(text)
    if tree is None:
        return None
    module = Module()
    _take_apart(tree.body, "", module)
    return module


def _take_apart(body: list[ast.stmt], prefix: str, module: Module) -> None:
    for number, node in enumerate(body):
        if isinstance(node, FUNCTION):
            _function(node, prefix, module)
        elif isinstance(node, ast.ClassDef):
            parts = (*node.decorator_list, *node.bases, *node.keywords)
            module.imported += [f"class {prefix}{node.name}", *map(_text, parts)]
            _take_apart(node.body, f"{prefix}{node.name}.", module)
        elif isinstance(node, _NESTING) and not _for_types(node):
            for name, value in ast.iter_fields(node):
                module.imported.append(name)
                for part in value if isinstance(value, list) else [value]:
                    if isinstance(part, ast.ExceptHandler):
                        module.imported.append(_text(part.type) if part.type else "")
                        _take_apart(part.body, prefix, module)
                    elif isinstance(part, ast.stmt):
                        _take_apart([part], prefix, module)
                    elif isinstance(part, ast.AST):
                        module.imported.append(_text(part))
        elif isinstance(node, (ast.Import, ast.ImportFrom)) and not prefix:
            module.imports.update(_imports(node))
        elif not (_for_types(node) or (number == 0 and _is_text(node))):
            module.imported.append(_text(node))


def _function(node: Function, prefix: str, module: Module) -> None:
    name = f"{prefix}{node.name}"
    whole = _text(node)
    module.functions.setdefault(name, []).append(whole)
    decorators = [_text(decorator) for decorator in node.decorator_list]
    if any(_READ in decorator for decorator in decorators):
        module.imported.append(whole)
    elif decorators:  # which get the function, and may look at what it takes
        module.imported += [*decorators, f"def {name}", _text(node.args)]
    elif prefix:  # a method may override another
        module.imported.append(f"def {name}")


def _imports(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str, str]]:
    for alias in node.names:
        if isinstance(node, ast.Import):
            yield alias.name, "", alias.asname or alias.name.partition(".")[0]
        else:
            yield (
                f"{'.' * node.level}{node.module or ''}",
                alias.name,
                alias.asname or alias.name,
            )


def _for_types(node: ast.stmt) -> bool:
    """`if TYPE_CHECKING:`"""
    return (
        isinstance(node, ast.If)
        and not node.orelse
        and "TYPE_CHECKING" in ast.unparse(node.test)
    )


def _is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _text(node: ast.AST) -> str:
    """The code without places, comments and docstrings."""
    for inner in ast.walk(node):
        body = getattr(inner, "body", None)
        if (
            isinstance(inner, (*FUNCTION, ast.ClassDef))
            and isinstance(body, list)
            and _is_text(body[0])
        ):
            body[0] = ast.Pass()
    return ast.dump(node)
