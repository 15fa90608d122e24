"""Which of torch's names an error is about, for a function that is called or answers in another way than we know."""

from __future__ import annotations

import ast
import functools
import inspect
import sys
import traceback
import types
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from pytest_compile_golden.errors import CompileGoldenError, UnsupportedTorch, chain
from pytest_compile_golden.targets.patching import answering, describe, replaced
from pytest_compile_golden.torch_internals import Name, dotted, subjects

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
            raise UnsupportedTorch(
                f"{told} ({type(error).__name__}: {error})"
            ) from error
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
    we replaced, and not by a function of the user's, or by torch on arguments that are passed on as they were given.
    `anywhere`: no program of the user's runs there, so any function of ours on the stack may be to blame.
    """
    for cause in list(chain(error))[::-1]:
        if isinstance(cause, _KINDS) and (
            found := dict.fromkeys(_about(cause, anywhere))
        ):
            return f"{' or '.join(found)} is not as this tool knows it"
    return ""


def _about(error: BaseException, anywhere: bool) -> list[str]:
    frames = list(traceback.walk_tb(error.__traceback__))[::-1]
    found: list[str] = []
    if frames and (anywhere or _owner(frames[0][0]) != "program"):
        innermost, line = frames[0]
        if _owner(innermost) == "ours":
            around = _around(innermost, line)
            found = list(_used(innermost, _own_nodes(around[-1], passed_on=False)))
            if not found and isinstance(error, AttributeError):
                # No operator of torch's raises one: what lacks the attribute is what this function asked torch for.
                found = list(_used(innermost, ast.walk(around[0])))
        else:
            found = list(_replaced_calls(innermost, line))
        if not found and len(frames) > 1:
            caller, line = frames[1]
            if _owner(caller) == "ours":
                found = list(
                    _used(
                        caller, _own_nodes(_around(caller, line)[-1], passed_on=False)
                    )
                )
            elif _owner(innermost) == "ours" or answering(innermost.f_code):
                found = list(_replaced_calls(caller, line))
    if found:
        return found
    # What a statement makes of a name may be refused by a later one, or by torch.
    ours = [
        (frame, line) for frame, line in frames if anywhere and _owner(frame) == "ours"
    ]
    found_by = (
        list(_used(frame, ast.walk(_around(frame, line)[0]))) for frame, line in ours
    )
    return next((found for found in found_by if found), [])


def _owner(frame: types.FrameType) -> Literal["ours", "torch", "python", "program"]:
    """Whose code a frame runs, by its code and the module that it belongs to."""
    if frame.f_code.co_filename.startswith(_OURS):
        return "ours"
    package = str(frame.f_globals.get("__name__")).partition(".")[0]
    if package in ("torch", "triton"):
        return "torch"
    return "python" if package in sys.stdlib_module_names else "program"


def _replaced_calls(frame: types.FrameType, line: int) -> Iterator[str]:
    """What we replaced of that which a statement of torch's calls, by the module or the class that has it."""
    if _owner(frame) != "torch":
        return
    known, statement = replaced(), _around(frame, line)[-1]
    for node in _own_nodes(statement):
        # What torch raises on purpose does not fail for what the message asks.
        if isinstance(node, ast.Call) and not isinstance(statement, ast.Raise):
            yield from (name for name in _names(node.func, frame) if name in known)


def _names(function: ast.expr, frame: types.FrameType) -> Iterator[str]:
    """The names under which torch has a function that is called: `torch._inductor.graph.GraphLowering.run`."""
    variables = {**frame.f_globals, **frame.f_locals}
    if isinstance(function, ast.Name):
        value = variables.get(function.id)
        if function.id not in frame.f_locals:
            yield f"{frame.f_globals['__name__']}.{function.id}"
        # Others have imported by name what is replaced by changing its code.
        if isinstance(value, types.FunctionType) and (
            function.id in frame.f_locals or answering(value.__code__)
        ):
            yield f"{value.__module__}.{value.__qualname__}"
    elif isinstance(function, ast.Attribute):
        path, root = [function.attr], function.value
        while isinstance(root, ast.Attribute):
            path.insert(0, root.attr)
            root = root.value
        owner = variables.get(root.id) if isinstance(root, ast.Name) else None
        for attribute in path[:-1]:
            # Statically: a property of torch's would run its code again.
            owner = inspect.getattr_static(owner, attribute, None)
        if isinstance(owner, types.ModuleType):
            yield f"{owner.__name__}.{function.attr}"
        else:
            classes = inspect.getmro(owner if isinstance(owner, type) else type(owner))
            having = next(
                (each for each in classes if function.attr in vars(each)), None
            )
            if having is not None:
                yield f"{describe(having)}.{function.attr}"


def _used(frame: types.FrameType, nodes: Iterable[ast.AST]) -> Iterator[str]:
    """What these nodes use that has a row: the row itself, or a variable that holds its value."""
    variables = {**frame.f_globals, **frame.f_locals}
    for node in nodes:
        value: object = None
        if isinstance(node, ast.Name):
            value = variables.get(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = variables.get(node.value.id)
            value = (
                getattr(module, node.attr, None)
                if isinstance(module, types.ModuleType)
                else None
            )
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
    return ast.parse(
        Path(file).read_text(encoding="utf-8") if Path(file).is_file() else ""
    )


def _around(frame: types.FrameType, line: int) -> list[ast.stmt]:
    """The statements at `line`, from the outermost function on inwards; one that does nothing if they are not known."""
    around = [
        node
        for node in ast.walk(_tree(frame.f_code.co_filename))
        if isinstance(node, ast.stmt)
        and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    functions = [
        index for index, node in enumerate(around) if isinstance(node, ast.FunctionDef)
    ]
    return around[functions[0] if functions else 0 :] or [ast.Pass()]


def _own_nodes(statement: ast.stmt, passed_on: bool = True) -> Iterator[ast.AST]:
    """The nodes of a statement without those of the statements inside it.

    passed_on: also the functions that are given all arguments as we were given them, `original(self, *args, **kwargs)`.
    """
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop()
        yield node
        children = [
            child
            for child in ast.iter_child_nodes(node)
            if not isinstance(child, ast.stmt)
        ]
        if isinstance(node, ast.Call) and not passed_on and _passes_on(node):
            children.remove(node.func)
        pending += children


def _passes_on(call: ast.Call) -> bool:
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    starred = [each for each in call.args if isinstance(each, ast.Starred)]
    return bool(starred) and all(
        isinstance(each, (ast.Name, ast.Starred)) for each in arguments
    )
