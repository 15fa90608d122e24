"""Which of torch's names an error is about, for a function that is called or answers in another way than we know."""

from __future__ import annotations

import ast
import functools
import linecache
import traceback
import types
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_compile_golden.errors import CompileGoldenError, UnsupportedTorch, chain
from pytest_compile_golden.targets.patching import replaced_now
from pytest_compile_golden.torch_names import Name

_OURS = str(Path(__file__).parents[1])
_KINDS = (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError)


@contextmanager
def explained() -> Iterator[None]:
    """Turn an error of ours that is about a name of torch into an UnsupportedTorch that says so."""
    try:
        yield
    except CompileGoldenError:
        raise
    except Exception as error:
        if told := unlike(error):
            raise UnsupportedTorch(f"{told} ({type(error).__name__}: {error})") from error
        raise


def because(error: BaseException) -> str:
    """What happened, in one line, and which name of torch it is about, if that can be told."""
    if isinstance(error, UnsupportedTorch):
        return str(error)
    told = unlike(error)
    return f"{type(error).__name__}: {error}{f'; {told}' if told else ''}"


def unlike(error: BaseException) -> str:
    """`torch._inductor.codecache.torch_key is not as it was`, if `error` looks like it; else empty.

    It does if it was raised by a statement of ours that uses a row, or by one of torch's that calls what we replaced.
    """
    for cause in list(chain(error))[::-1]:
        if isinstance(cause, _KINDS) and (found := dict.fromkeys(_about(cause))):
            return f"{' or '.join(found)} is not as this tool knows it"
    return ""


def _about(error: BaseException) -> list[str]:
    """By the innermost frame, or by the one that called it."""
    for frame, line in list(traceback.walk_tb(error.__traceback__))[:-3:-1]:
        if frame.f_code.co_filename.startswith(_OURS):
            function = _around(frame.f_code.co_filename, line)
            # What a statement makes of a name may be refused by a later one of the same function.
            found = [*_rows(frame, _own_nodes(function[-1]))] or [*_rows(frame, ast.walk(function[0]))]
        else:
            source = linecache.getline(frame.f_code.co_filename, line)
            found = [name for name in replaced_now() if f"{name.rpartition('.')[2]}(" in source]
        if found:
            return found
    return []


def _rows(frame: types.FrameType, nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The rows that these nodes read, themselves or through a variable of their module."""
    bound = _bound(frame.f_code.co_filename)
    for node in nodes:
        expression = bound.get(node.id) if isinstance(node, ast.Name) else node
        if isinstance(expression, ast.Attribute) and isinstance(expression.value, ast.Name):
            row = getattr(frame.f_globals.get(expression.value.id), expression.attr, None)
            if isinstance(row, Name):
                yield row.at.replace(":", ".")


@functools.cache
def _tree(file: str) -> ast.Module:
    return ast.parse(Path(file).read_text(encoding="utf-8"))


@functools.cache
def _bound(file: str) -> dict[str, ast.expr]:
    """The variables of a module that are what a row is: `x = names.X.get()`."""
    assigned = [each for each in _tree(file).body if isinstance(each, ast.Assign) and isinstance(each.value, ast.Call)]
    return {
        target.id: call.func.value
        for target, call in ((each.targets[0], each.value) for each in assigned)
        if isinstance(target, ast.Name) and isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    }


def _around(file: str, line: int) -> list[ast.stmt]:
    """The statements at `line`, from the innermost function on inwards."""
    around = [
        node
        for node in ast.walk(_tree(file))
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    functions = [index for index, node in enumerate(around) if isinstance(node, ast.FunctionDef)]
    return around[functions[-1] if functions else 0 :]


def _own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement without those of the statements inside it."""
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop()
        yield node
        pending += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]
