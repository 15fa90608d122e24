"""Kernels in other languages than Triton and C++, in which templates are written: CuteDSL, FlyDSL, a library's own."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator

from pytest_compile_golden.formats.inductor_module import KernelsFormat

_BY_KEYWORD = "stream"
"""The parameter that launches give by its name (torch/_inductor/codegen/cutedsl/cutedsl_kernel.py: run)."""


class TemplatesFormat(KernelsFormat):
    """Python, of which comments, layout, the kernel's own name and what functions call their values do not count."""

    lines_are_edits = True

    def form_of(self, source: str) -> Hashable:
        _, _, name = source.partition("\n")[0].partition(": ")
        try:
            tree = ast.parse(source.replace(name, "kernel") if name else source)
        except SyntaxError:
            return source
        return ast.unparse(_WithoutNames(tree).visit(tree))


class _WithoutNames(ast.NodeTransformer):
    """What a function binds is numbered in the order in which it does so, its parameters first."""

    def __init__(self, tree: ast.Module) -> None:
        self._numbers: dict[str, str] = {}
        self._functions = {
            node.name: _numbers_of(node)
            for node in tree.body
            if isinstance(node, ast.FunctionDef)
        }

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._visit_inside(node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return self._visit_inside(node)

    def _visit_inside(self, node: ast.FunctionDef | ast.Lambda) -> ast.AST:
        outside = self._numbers
        own = _numbers_of(node, len(outside))
        self._numbers = outside | own
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                argument.arg = own.get(argument.arg, argument.arg)
        if isinstance(node, ast.FunctionDef):
            node.body = [self.visit(statement) for statement in node.body]
        else:
            node.body = self.visit(node.body)
        self._numbers = outside
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._numbers.get(node.id, node.id)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        # A function of Triton is launched as `kernel[grid](...)`.
        called = node.func.value if isinstance(node.func, ast.Subscript) else node.func
        if isinstance(called, ast.Name) and called.id not in self._numbers:
            numbers = self._functions.get(called.id, {})
            for keyword in node.keywords:
                keyword.arg = keyword.arg and numbers.get(keyword.arg, keyword.arg)
        return self.generic_visit(node)


def _numbers_of(node: ast.FunctionDef | ast.Lambda, first: int = 0) -> dict[str, str]:
    """For each name that a function binds, one that no program has; its own if callers elsewhere may give it."""
    given = node.args.args[len(node.args.args) - len(node.args.defaults) :]
    by_name = {_BY_KEYWORD, *(argument.arg for argument in given)}
    return {
        name: name if name in by_name else f"${number}"
        for number, name in enumerate(dict.fromkeys(_bound(node)), first)
    }


def _bound(node: ast.AST) -> Iterator[str]:
    """The names that a function binds, without those that functions inside it do."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.arg):
            yield child.arg
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            yield child.id
        if not isinstance(child, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            yield from _bound(child)


TEMPLATES = TemplatesFormat("template", default_device="")
