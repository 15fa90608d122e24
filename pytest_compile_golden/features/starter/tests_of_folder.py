"""What is compiled in a folder, and tests with invariants alone for what of it can be called.

Found in the text of its files: functions decorated with `torch.compile`, what is passed to it, and `module.compile()`.
Functions and module classes are called with tensors of a few usual shapes, a test that takes no argument as it is.
"""

from __future__ import annotations

import ast
import importlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

from pytest_compile_golden.api import capture
from pytest_compile_golden.common.constants import DEFAULT_TARGET
from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.features.starter.starter_program import (
    expression,
    identifier,
    in_one_line,
)
from pytest_compile_golden.observe.torch_errors import NO_CUDA

_COMPILE = "torch.compile"
_SHAPES = ("8, 64", "64, 64", "64", "2, 8, 64", "2, 8, 16, 16")
_TYPES = tuple(f"{dtype}[{shape}]" for dtype in ("f32", "i64") for shape in _SHAPES)
_NOT_SOURCE = frozenset({"build", "dist", "node_modules", "site-packages", "venv"})
# A test checks values, which only a target that runs kernels has; one that needs a GPU may do without.
_FOR_TESTS = ("native-cpu", DEFAULT_TARGET)
_MOST_SHOWN = 80
# A module of tests may skip them all, a script may end the process.
_FAILURES = (
    Exception,
    SystemExit,
    pytest.skip.Exception,
    pytest.fail.Exception,
    pytest.xfail.Exception,
)


@dataclass(frozen=True)
class CompileCall:
    """A place in a file at which something is compiled."""

    path: Path
    line: int
    code: str
    """As it is written, `torch.compile(model)`."""
    name: str = ""
    """The function or class of the module that is compiled, or the test that compiles it; empty if it is neither."""
    is_test: bool = False

    @property
    def where(self) -> str:
        """`package/layers.py:12: torch.compile(model)`, in one line."""
        code = (
            self.code
            if len(self.code) <= _MOST_SHOWN
            else f"{self.code[: _MOST_SHOWN - 3]}..."
        )
        return f"{os.path.relpath(self.path)}:{self.line}: {code}"


@dataclass(frozen=True)
class TestedProgram:
    """A program with inputs that it takes, and what its capture came to."""

    where: str
    module: str
    folder: Path
    """Where Python has to look for its module."""
    name: str
    inputs: tuple[str, ...]
    """An expression for each."""
    calls_compiler: bool
    """Whether it is a test, which calls the compiler itself."""
    target: str
    graph_breaks: int
    recompiles: int
    kernels: int
    makes_module: bool = False

    @property
    def test(self) -> str:
        """The name of its test, without `test_`."""
        return identifier(f"{self.module}_{self.name}".removeprefix("test_"))

    @property
    def called(self) -> str:
        """The expression that the test compiles."""
        return f"{self.module}.{self.name}" + ("()" if self.makes_module else "")


def compile_calls(folder: Path) -> list[CompileCall]:
    """Everything that is compiled in the Python files below `folder`, by file and line."""
    found: list[CompileCall] = []
    for path in sorted(folder.rglob("*.py")):
        if _NOT_SOURCE.isdisjoint(path.parts) and not any(
            part.startswith(".") for part in path.relative_to(folder).parts
        ):
            text = path.read_text(encoding="utf-8", errors="replace")
            if "compile" in text and "torch" in text:
                try:
                    found += _in_module(path, ast.parse(text))
                except (SyntaxError, ValueError):
                    # A template, or a file for another Python.
                    continue
    return found


def _in_module(path: Path, tree: ast.Module) -> Iterator[CompileCall]:
    definitions = {
        node.name
        for node in tree.body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    }
    for statement in tree.body:
        test = _test(statement)
        decorators: set[ast.expr] = set()
        for node in ast.walk(statement):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                decorators.update(node.decorator_list)
                own = node.name if node is statement else ""
                for decorator in node.decorator_list:
                    if _called(decorator) == _COMPILE:
                        yield CompileCall(
                            path,
                            decorator.lineno,
                            f"@{ast.unparse(decorator)}",
                            test or own,
                            bool(test),
                        )
            elif (
                isinstance(node, ast.Call)
                and node not in decorators
                and _compiles(node)
            ):
                named = _compiled_name(node)
                yield CompileCall(
                    path,
                    node.lineno,
                    ast.unparse(node),
                    test or (named if named in definitions else ""),
                    bool(test),
                )


def _compiles(call: ast.Call) -> bool:
    """Whether it is `torch.compile(...)` or, as far as its text tells, `module.compile()`."""
    method = (
        isinstance(call.func, ast.Attribute)
        and call.func.attr == "compile"
        and not call.args
    )
    return _called(call) == _COMPILE or method


def _compiled_name(call: ast.Call) -> str:
    """What `torch.compile(name)` and `torch.compile(Module())` compile; empty for anything else."""
    first = call.args[0] if call.args else None
    if isinstance(first, ast.Call) and not first.args and not first.keywords:
        first = first.func
    return first.id if isinstance(first, ast.Name) else ""


def _called(node: ast.expr) -> str:
    """The name of what is called, or used as a decorator: `torch.compile`."""
    return ast.unparse(node.func if isinstance(node, ast.Call) else node)


def _test(statement: ast.stmt) -> str:
    """The name of a test that can be called without arguments; else empty."""
    if not isinstance(statement, ast.FunctionDef) or not statement.name.startswith(
        "test"
    ):
        return ""
    arguments = statement.args
    takes = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return "" if takes or statement.decorator_list else statement.name


def tested(call: CompileCall) -> TestedProgram:
    """Capture what is compiled at a place. Raises CompileGoldenError, in one line, if it cannot be called."""
    module, folder = _module_of(call.path)
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        member = getattr(importlib.import_module(module), call.name)
    except _FAILURES as error:  # whatever the user's module does when it is imported
        if any(said in str(error) for said in NO_CUDA):
            raise CompileGoldenError(
                f"{module} wants a GPU when it is imported; its tests have one with pytest --virtual-gpu h100"
            ) from error
        raise CompileGoldenError(
            f"{module} cannot be imported: {in_one_line(error)}"
        ) from error
    import torch

    makes_module = isinstance(member, type) and issubclass(member, torch.nn.Module)
    tries = (
        [()]
        if call.is_test
        else list(_tries(member.forward if makes_module else member, makes_module))
    )
    failed = ""
    for target, inputs in product(
        _FOR_TESTS if call.is_test else (DEFAULT_TARGET,), tries
    ):
        values = eval(
            f"({''.join(f'{value}, ' for value in inputs)})", {"torch": torch}
        )
        try:
            program = member() if makes_module else member
            backend = None if call.is_test else "inductor"
            metrics = capture(program, *values, target=target, backend=backend).metrics
        except _FAILURES as error:  # inputs of this shape are not what it takes, or it cannot be created like that
            # Of the other types of inputs, the first is the likeliest.
            if call.is_test or not failed:
                failed = str(error).partition("\n")[0] or type(error).__name__
            continue
        counts = metrics.graph_breaks, metrics.recompiles, metrics.kernels
        return TestedProgram(
            call.where,
            module,
            folder,
            call.name,
            inputs,
            call.is_test,
            target,
            *counts,
            makes_module,
        )
    raise CompileGoldenError(failed or "it takes no arguments that are tensors")


def _tries(function: object, method: bool) -> Iterator[tuple[str, ...]]:
    """Expressions for the arguments of `function`, all of the same type, in several types."""
    import inspect

    assert callable(function)
    parameters = list(inspect.signature(function).parameters.values())[method:]
    needed = [
        each
        for each in parameters
        if each.default is each.empty and each.kind is each.POSITIONAL_OR_KEYWORD
    ]
    for type_name in _TYPES if needed else _TYPES[:1]:
        yield tuple(expression(type_name) for _ in needed)


def _module_of(path: Path) -> tuple[str, Path]:
    """A file's module as Python imports it, and the folder in which Python has to look for it."""
    folder, names = path.parent, [] if path.name == "__init__.py" else [path.stem]
    while (folder / "__init__.py").is_file():
        names.insert(0, folder.name)
        folder = folder.parent
    return ".".join(names), folder
