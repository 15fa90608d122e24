"""Where private names of torch are in another torch's sources: as before, moved, renamed, changed or gone."""

from __future__ import annotations

import ast
import functools
import hashlib
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from inspect import Parameter
from typing import Any

from pytest_compile_golden.torch_source.definitions import unlike
from pytest_compile_golden.torch_source.torch_package import (
    Defined,
    TorchPackage,
    definitions,
)

Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEEPEST = 4
"""Imports that lead from one module to the next."""


@dataclass(frozen=True)
class Fate:
    """What became of a name."""

    said: str
    """`is torch._inductor.x.y now: same body`, `takes (a, b), without `c``, `is gone, and nothing is like it`."""
    now: str = ""
    """Its new spelling, if that is sure."""


def fate(
    spellings: Sequence[str],
    takes: str,
    of_objects: bool,
    new: TorchPackage,
    old: TorchPackage | None,
) -> Fate | None:
    """What became of a name in `new`; None if it is there as we know it, or if the sources cannot tell.

    spellings: those that we know it under, `module:Qualified.name`. takes: the parameters that we rely on
    (`private_name.Name.takes`). of_objects: whether the last part is an attribute that objects have.
    old: sources that have the name, to recognise its body elsewhere.
    """
    changed: Fate | None = None
    for spelling in spellings:
        module, _, qualified = spelling.partition(":")
        if _is_compiled(new, module):
            return None
        found = _find(new, module, qualified, of_objects)
        if found is None:
            continue
        parameters = _parameters(found) if takes else None
        differs = "" if parameters is None else unlike(parameters, takes)
        if not differs:
            return None
        changed = changed or Fate(f"{spelling.replace(':', '.')} {differs}")
    if not all(new.holds(re.split("[.:]", spelling)[0]) for spelling in spellings):
        return None  # it may be in what is not here
    return changed or _elsewhere(spellings[0], of_objects, new, old)


def _elsewhere(
    spelling: str, of_objects: bool, new: TorchPackage, old: TorchPackage | None
) -> Fate:
    module, _, qualified = spelling.partition(":")
    shown = spelling.replace(":", ".")
    before = None if old is None else _find(old, module, qualified, of_objects)
    last = qualified.rpartition(".")[2]
    if not qualified:
        same = sorted(
            name
            for name in new.modules_with("")
            if name.rpartition(".")[2] == module.rpartition(".")[2]
        )
        near = f"; there is {', '.join(same[:3])}" if same else ""
        return Fate(f"{shown} is gone{near}")
    if of_objects:
        return Fate(
            f"{shown} is gone: nothing in {qualified.rpartition('.')[0]} sets or has `{last}`"
        )
    body = None if before is None else _body(before)
    if body is not None:
        for there, name in _with_body(body, module, last, new):
            # By the module that calls it, where it has to be replaced.
            imported = _find(new, module, name)
            there = (
                module if imported is not None and _body(imported) == body else there
            )
            return Fate(f"{shown} is {there}.{name} now: same body", f"{there}:{name}")
    for there in new.modules_with(f" {last}"):
        found = _find_here(new.tree(there), qualified.split("."))
        if (
            found is not None
            and before is not None
            and ast.dump(found) == ast.dump(before)
        ):
            return Fate(f"{shown} is in {there} now", f"{there}:{qualified}")
        if isinstance(found, (*Function, ast.ClassDef)):
            return Fate(f"{shown} is gone; {there} has another with this name")
    return Fate(f"{shown} is gone, and nothing has its name or its body")


def _with_body(
    body: bytes, module: str, last: str, new: TorchPackage
) -> Iterator[tuple[str, str]]:
    """Functions and classes with the body of one that is gone: in its module, wherever its name is, in its package."""
    package = module.rpartition(".")[0] + "."
    beside = (name for name in new.modules_with("def ") if name.startswith(package))
    for there in itertools.chain([module], new.modules_with(f" {last}"), beside):
        yield from ((there, name) for name in _by_body(new, there).get(body, ()))


@functools.cache
def _by_body(package: TorchPackage, module: str) -> dict[bytes, list[str]]:
    """The names of a module's functions and classes by what they do."""
    names: dict[bytes, list[str]] = {}
    for name, node in _all(package.tree(module)):
        if body := _body(node):
            names.setdefault(body, []).append(name)
    return names


def _all(tree: ast.AST | None, prefix: str = "") -> Iterator[tuple[str, Defined]]:
    for name, node in () if tree is None else definitions(tree):
        yield prefix + name, node
        if isinstance(node, ast.ClassDef):
            yield from _all(node, f"{prefix}{name}.")


def _find(
    package: TorchPackage, module: str, qualified: str, of_objects: bool = False
) -> ast.AST | None:
    """The definition of a name; for an attribute of objects, that of the class or function that has it."""
    path = qualified.split(".") if qualified else []
    if not of_objects:
        return (
            package.tree(module)
            if not path
            else _follow(package, module, path, _DEEPEST)
        )
    owner = _follow(package, module, path[:-1], _DEEPEST)
    return (
        owner
        if owner is not None and _mentions(package, module, owner, path[-1])
        else None
    )


def _follow(
    package: TorchPackage, module: str, path: Sequence[str], deep: int
) -> ast.AST | None:
    """A definition in the module, or in the one that it imports the name from."""
    tree = package.tree(module)
    found = _find_here(tree, path)
    if found is not None or tree is None or deep == 0:
        return found
    inherited = _inherited(package, module, path, deep)
    if inherited is not None:
        return inherited
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            source = _absolute(module, package, node)
            for alias in node.names:
                if alias.name == "*" or (alias.asname or alias.name) == path[0]:
                    if (
                        not package.holds(source.partition(".")[0])
                        and alias.name != "*"
                    ):
                        return alias  # of another package, whose sources are not here
                    rest = [path[0] if alias.name == "*" else alias.name, *path[1:]]
                    if package.has(f"{source}.{rest[0]}"):
                        whole = f"{source}.{rest[0]}"
                        return (
                            package.tree(whole)
                            if len(rest) == 1
                            else _follow(package, whole, rest[1:], deep - 1)
                        )
                    found = _follow(package, source, rest, deep - 1)
                    if found is not None:
                        return found
    return None


def _inherited(
    package: TorchPackage, module: str, path: Sequence[str], deep: int
) -> ast.AST | None:
    """A member of a class that one of its bases defines."""
    if len(path) < 2:
        return None
    owner = _follow(package, module, path[:-1], deep - 1)
    for base in owner.bases if isinstance(owner, ast.ClassDef) else ():
        name = base.value if isinstance(base, ast.Subscript) else base
        parts = ast.unparse(name).split(".")
        found = (
            _follow(package, module, [*parts, path[-1]], deep - 1)
            if parts != list(path[:-1])
            else None
        )
        if found is not None:
            return found
    return None


def _find_here(tree: ast.AST | None, path: Sequence[str]) -> ast.AST | None:
    for part in path:
        if isinstance(tree, (ast.Assign, ast.AnnAssign)):
            return tree  # what an object has is not told by the line that makes it
        matching = (
            [node for name, node in definitions(tree) if name == part]
            if tree is not None
            else []
        )
        tree = matching[-1] if matching else None
    return tree


def _absolute(module: str, package: TorchPackage, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    is_package = (package.file(module) or "").endswith(("__init__.py", "__init__.pyi"))
    parts = module.split(".")
    parts = parts[: len(parts) - node.level + is_package]
    return ".".join([*parts, *filter(None, [node.module])])


def _is_compiled(package: TorchPackage, module: str) -> bool:
    """Whether the module, or one that contains it, is compiled code of which only a stub says something."""
    parts = module.split(".")
    above = (".".join(parts[: n + 1]) for n in range(len(parts)))
    return any((package.file(name) or "").endswith(".pyi") for name in above)


def _mentions(
    package: TorchPackage, module: str, owner: ast.AST, attribute: str
) -> bool:
    """Whether a class or one of its bases, or a function, declares or sets an attribute."""
    for node in ast.walk(owner):
        match node:
            case (
                ast.Attribute(attr=name) | ast.Constant(value=name) | ast.Name(id=name)
            ):
                if name == attribute:
                    return True
            case ast.FunctionDef(name=name) | ast.arg(arg=name):
                if name == attribute:
                    return True
    bases = owner.bases if isinstance(owner, ast.ClassDef) else []
    for base in bases:
        found = _follow(
            package,
            module,
            ast.unparse(base).partition("[")[0].split("."),
            _DEEPEST - 1,
        )
        if (
            found is not None
            and found is not owner
            and _mentions(package, module, found, attribute)
        ):
            return True
    return False


def _parameters(found: ast.AST) -> list[Parameter] | None:
    """Those of a function, or of what makes a class's objects; None for anything else."""
    if isinstance(found, ast.ClassDef):
        found = next(
            (node for name, node in definitions(found) if name == "__init__"), found
        )
        return (_parameters(found) or [])[1:] if isinstance(found, Function) else None
    if not isinstance(found, Function):
        return None
    taken = found.args
    bound = any(
        isinstance(each, ast.Name) and each.id == "classmethod"
        for each in found.decorator_list
    )
    kinds: dict[Any, Sequence[ast.arg | None]] = {
        Parameter.POSITIONAL_ONLY: taken.posonlyargs,
        Parameter.POSITIONAL_OR_KEYWORD: taken.args,
        Parameter.VAR_POSITIONAL: [taken.vararg],
        Parameter.KEYWORD_ONLY: taken.kwonlyargs,
        Parameter.VAR_KEYWORD: [taken.kwarg],
    }
    every = [
        Parameter(each.arg, kind)
        for kind, group in kinds.items()
        for each in group
        if each is not None
    ]
    return every[bound:]


def _body(node: ast.AST) -> bytes | None:
    """A digest of what a function or a class does, without its name and its documentation.

    None for what is too small to tell.
    """
    if not isinstance(node, (*Function, ast.ClassDef)):
        return None
    body = [
        each
        for each in node.body
        if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
    ]
    text = "\n".join(ast.dump(each) for each in body)
    arguments = ast.dump(node.args) if isinstance(node, Function) else ""
    return (
        hashlib.sha256(f"{arguments}\n{text}".encode()).digest()
        if len(text) > 200
        else None
    )
