"""Kernels and wrapper code: syntax trees and token streams without local names."""

from __future__ import annotations

import ast
import re

from pytest_compile_golden.stages.canonical.text import plain

_CPP_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_CPP_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[A-Za-z_]\w*|\.?\d[\w.+]*|\S')
# Bookkeeping around a kernel that torch 2.13 added to every C++ kernel; it changes nothing of what the kernel computes.
_CPP_BOOKKEEPING = re.compile(r"[^\n;{}]*inductor_cpu_(?:throw_if_)?integer_div_error[^\n;]*;")
# Checks of the wrapper's inputs and of what library calls return; where they stand differs between versions.
_CHECKS = re.compile(r"assert_(?:size_stride|tensor_metadata|alignment)\w*$")

_NOTHING = {"None", "False", "0", "[]", "{}", "()", "set()"}


_LOCAL = re.compile(r"\btmp\d+\b")


class _Renamer(ast.NodeTransformer):
    """Gives the arguments and local variables of each function the names of their place: v0, v1 ..."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        outer, self.names = self.names, {}
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                self._bind(argument.arg)
        for child in ast.walk(ast.Module(body=node.body, type_ignores=[])):
            if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
                self._bind(child.id)
        self.generic_visit(node)
        self.names = outer
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg = self.names.get(node.arg, node.arg)
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        # The message of a device-side assertion repeats the condition.
        if isinstance(node.value, str):
            node.value = _LOCAL.sub(lambda found: self.names.get(found[0], found[0]), node.value)
        return node

    def _bind(self, name: str) -> None:
        self.names.setdefault(name, f"v{len(self.names)}")


class _WithoutChecks(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and _CHECKS.match(call.func.id):
            return None
        return node


class _WithoutEmptyMetadata(ast.NodeTransformer):
    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        if node.arg in ("triton_meta", "inductor_meta") and isinstance(node.value, ast.Dict):
            kept = [
                (key, value)
                for key, value in zip(node.value.keys, node.value.values, strict=True)
                if ast.unparse(value) not in _NOTHING
            ]
            node.value = ast.Dict(keys=[key for key, _ in kept], values=[value for _, value in kept])
        return node


def python(text: str) -> object:
    """The syntax tree with local names by place, without comments and layout. Text that is no Python: plain."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return plain(text)
    return ast.dump(_Renamer().visit(tree))


def wrapper(text: str) -> object:
    """As `python`, without the checks of sizes and strides."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return plain(text)
    return ast.dump(_Renamer().visit(_WithoutChecks().visit(tree)))


def triton(text: str) -> object:
    """As `python`, without metadata that says no: `None`, `False`, 0 or empty is what a missing entry means."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return plain(text)
    return ast.dump(_Renamer().visit(_WithoutEmptyMetadata().visit(tree)))


def cpp(text: str) -> object:
    """The stream of tokens with temporaries numbered by first appearance, without comments and bookkeeping."""
    places: dict[str, str] = {}

    def place(found: re.Match[str]) -> str:
        return places.setdefault(found[0], f"v{len(places)}")

    return _CPP_TOKEN.findall(_LOCAL.sub(place, _CPP_BOOKKEEPING.sub("", _CPP_COMMENT.sub("", text))))
