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
from pytest_compile_golden.targets.patching import replaced
from pytest_compile_golden.torch_names import Name, dotted, subjects

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
    """What happened in a hook or a patch of ours, in one line, and which name of torch it is about if that is known."""
    if isinstance(error, UnsupportedTorch):
        return str(error)
    told = unlike(error, anywhere=True)
    return f"{type(error).__name__}: {error}{f'; {told}' if told else ''}"


def unlike(error: BaseException, *, anywhere: bool = False) -> str:
    """`torch._inductor.codecache.torch_key is not as this tool knows it`, if `error` looks like it; else empty.

    It does if it was raised by a statement of ours that uses something with a row, or by one of torch's that calls what
    we replaced. `anywhere`: no program of the user's runs there, so any function of ours on the stack may be to blame.
    """
    for cause in list(chain(error))[::-1]:
        if isinstance(cause, _KINDS) and (found := dict.fromkeys(_about(cause, anywhere))):
            return f"{' or '.join(found)} is not as this tool knows it"
    return ""


def _about(error: BaseException, anywhere: bool) -> list[str]:
    frames = list(traceback.walk_tb(error.__traceback__))[::-1]
    # By the innermost frame, or by the one that called it.
    for index, (frame, line) in enumerate(frames[:2]):
        if frame.f_code.co_filename.startswith(_OURS):
            around = _around(frame, line)
            found = [*_used(frame, _own_nodes(around[-1]))]
            if not found and not index and isinstance(error, AttributeError):
                # No operator of torch's raises one: what lacks the attribute is what this function asked torch for.
                found = [*_used(frame, ast.walk(around[0]))]
        else:
            source = linecache.getline(frame.f_code.co_filename, line)
            found = [name for name in replaced() if f"{name.rpartition('.')[2]}(" in source]
        if found:
            return found
    # What a statement makes of a name may be refused by a later one, or by torch.
    ours = [(frame, line) for frame, line in frames if anywhere and frame.f_code.co_filename.startswith(_OURS)]
    found_by = ([*_used(frame, ast.walk(_around(frame, line)[0]))] for frame, line in ours)
    return next((found for found in found_by if found), [])


def _used(frame: types.FrameType, nodes: Iterable[ast.AST]) -> Iterator[str]:
    """What these nodes use that has a row: the row itself, or a variable that holds its value."""
    variables = {**frame.f_globals, **frame.f_locals}
    for node in nodes:
        value: object = None
        if isinstance(node, ast.Name):
            value = variables.get(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = variables.get(node.value.id)
            value = getattr(module, node.attr, None) if isinstance(module, types.ModuleType) else None
        if isinstance(value, Name):
            yield dotted(value.at)
        elif isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
            name = f"{value.__module__}.{value.__qualname__}"
            if name in _with_rows():
                yield name


@functools.cache
def _with_rows() -> frozenset[str]:
    return frozenset(dotted(row.at) for rows in subjects().values() for row in rows)


@functools.cache
def _tree(file: str) -> ast.Module:
    return ast.parse(Path(file).read_text(encoding="utf-8"))


def _around(frame: types.FrameType, line: int) -> list[ast.stmt]:
    """The statements at `line`, from the outermost function on inwards."""
    around = [
        node
        for node in ast.walk(_tree(frame.f_code.co_filename))
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    functions = [index for index, node in enumerate(around) if isinstance(node, ast.FunctionDef)]
    return around[functions[0] if functions else 0 :]


def _own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement without those of the statements inside it."""
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop()
        yield node
        pending += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]
