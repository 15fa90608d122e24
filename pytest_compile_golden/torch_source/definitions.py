"""A source text as a syntax tree, and what it defines by name; when two do, or take, the same.

A definition is a function or method with everything in it, or whatever else is bound at the top level or in a class.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from inspect import Parameter

from pytest_compile_golden.common.garbage_collection import gc_paused
from pytest_compile_golden.common.lines import split_lines

Function = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
_VARIADIC = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


@dataclass(frozen=True)
class Definitions:
    by_name: dict[str, ast.stmt]
    """The statements that bind each name: `f`, `Class`, `Class.method`, `CONSTANT`; the last one wins."""
    functions: dict[str, Function]
    """Those of them that define one."""
    calls: tuple[ast.Expr, ...]
    """The bare calls at the top level, which register things: `make_fallback(aten.sort)`."""
    spans: tuple[tuple[int, str, int], ...]
    """First line, name and last line of each function, in order."""


_DEEPEST = 200
"""Nodes within nodes. torch has 94 in 2.13; what works on a tree needs some three calls for each."""


def syntax_tree(text: str) -> ast.Module | None:
    """None for a text that this Python cannot parse, or that is nested more deeply than people write."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # The parser's own limit is a MemoryError.
        return None
    level: list[ast.AST] = [tree]
    for _ in range(_DEEPEST):
        level = [inner for node in level for inner in ast.iter_child_nodes(node)]
        if not level:
            return tree
    return None


@cache
def parsed(text: str) -> Definitions:
    """What a module's text defines; nothing for a text that `syntax_tree` refuses."""
    with gc_paused():
        tree = syntax_tree(text)
    body = [] if tree is None else tree.body
    bound = list(_bound(body, ""))
    functions = [(name, node) for name, node in bound if isinstance(node, FUNCTION)]
    spans = [
        (first_line(node), name, node.end_lineno or node.lineno)
        for name, node in functions
    ]
    calls = tuple(
        node
        for node in body
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    )
    return Definitions(dict(bound), dict(functions), calls, tuple(sorted(spans)))


def first_line(node: ast.stmt) -> int:
    """Where its code object says that it begins: at its first decorator."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def called_in(function: Function) -> set[str]:
    """The last parts of the names that it calls."""
    called = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
    return {
        node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
        for node in called
    }


def _bound(body: Sequence[ast.stmt], prefix: str) -> Iterator[tuple[str, ast.stmt]]:
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield prefix + node.name, node
            case ast.Assign() | ast.AnnAssign():
                targets = (
                    node.targets if isinstance(node, ast.Assign) else [node.target]
                )
                names = (
                    name.id
                    for target in targets
                    for name in ast.walk(target)
                    if isinstance(name, ast.Name)
                )
                yield from ((prefix + name, node) for name in names)
            case ast.Import() | ast.ImportFrom():
                yield from (
                    (prefix + (alias.asname or alias.name.split(".")[0]), node)
                    for alias in node.names
                )
        if isinstance(node, (ast.ClassDef, ast.If, ast.Try, ast.With)):
            inside = (
                f"{prefix}{node.name}." if isinstance(node, ast.ClassDef) else prefix
            )
            yield from _bound([*node.body, *getattr(node, "orelse", ())], inside)


def bare(node: ast.AST) -> str:
    """What a statement or an expression does, as a text: equal for two that differ only in docstrings, annotations,
    asserts and layout."""
    parts: list[str] = []
    _bare(node, parts)
    return "".join(parts)


_NO_EFFECT = frozenset({"returns", "type_comment", "type_params", "kind", "ctx"})


def _bare(node: object, parts: list[str]) -> None:
    if isinstance(node, list):
        parts.append("[")
        for item in node:
            if not (isinstance(item, ast.stmt) and _does_nothing(item)):
                _bare(item, parts)
                parts.append(",")
        parts.append("]")
    elif isinstance(node, ast.arg):
        parts.append(node.arg)
    elif isinstance(node, ast.AnnAssign):
        _bare(ast.Assign([node.target], node.value or ast.Constant(None)), parts)
    elif isinstance(node, ast.AST):
        parts.append(f"{type(node).__name__}(")
        for name in node._fields:
            if name not in _NO_EFFECT:
                _bare(getattr(node, name, None), parts)
                parts.append(";")
        parts.append(")")
    else:
        parts.append(repr(node))


def _does_nothing(node: ast.stmt) -> bool:
    """Docstrings, and asserts in both forms that torch writes them."""
    match node:
        case (
            ast.Assert()
            | ast.Pass()
            | ast.Expr(value=ast.Constant())
            | ast.AnnAssign(value=None)
        ):
            return True
        case ast.If(body=[ast.Raise(exc=raised)], orelse=[]):
            raised = raised.func if isinstance(raised, ast.Call) else raised
            return isinstance(raised, ast.Name) and raised.id == "AssertionError"
    return False


def lines(node: ast.stmt) -> list[str]:
    """The lines of a definition in a uniform layout, without its docstrings and asserts."""
    return split_lines(ast.unparse(_Shown().visit(ast.parse(ast.unparse(node)))))


class _Shown(ast.NodeTransformer):
    def generic_visit(self, node: ast.AST) -> ast.AST:
        for name in ("body", "orelse"):
            if isinstance(body := getattr(node, name, None), list) and body:
                kept = [statement for statement in body if not _does_nothing(statement)]
                setattr(node, name, kept or [ast.Pass()])
        return super().generic_visit(node)


def unlike(parameters: Sequence[Parameter], takes: str) -> str:
    """How they differ from `takes`, as of `private_name.Name`: `takes (a, b), without `c``; empty if not."""
    differences = [_without(parameters, either) for either in takes.split("|")]
    return differences[0] if all(differences) else ""


def _without(parameters: Sequence[Parameter], takes: str) -> str:
    names = [each.name for each in parameters if each.kind not in _VARIADIC]
    ordered = [
        each.name
        for each in parameters
        if each.kind not in (*_VARIADIC, Parameter.KEYWORD_ONLY)
    ]
    positions, _, keywords = (
        part.replace(",", " ").split() for part in takes.partition("*")
    )
    kinds = {each.kind for each in parameters}
    if Parameter.VAR_POSITIONAL in kinds:  # a wrapper, which passes on what it is given
        positions = positions[: len(ordered)]
    if Parameter.VAR_KEYWORD in kinds:
        keywords = []
    for index, name in enumerate(positions):
        if name != "_" and ordered[index : index + 1] != [name]:
            return f"takes ({', '.join(names)}), where `{name}` was number {index + 1}"
    return next(
        (
            f"takes ({', '.join(names)}), without `{name}`"
            for name in keywords
            if name not in names
        ),
        "",
    )
