"""A pass as an expression that refers to it in torch, or as a copy of the user's source."""

from __future__ import annotations

import ast
import functools
import inspect
import types
from typing import Any

from pytest_compile_golden.observe.source_locations import closure_of, in_torch
from pytest_compile_golden.torch_names import device
from pytest_compile_golden.wings.eject.source import CannotEject, Source
from pytest_compile_golden.wings.eject.users_source import WORKAROUND, define_names, lambdas_at


def pass_expression(run: Any, source: Source) -> str:
    """The expression for `run` in a script; whatever it needs is added to `source`. Raises CannotEject."""
    if isinstance(run, functools.partial):
        arguments = [pass_expression(run.func, source), *map(source.value, run.args)]
        arguments += [f"{name}={source.value(argument)}" for name, argument in run.keywords.items()]
        source.imports["import functools"] = None
        return f"functools.partial({', '.join(arguments)})"
    if isinstance(getattr(run, "__self__", None), device.MATCHER.get()):
        return f"{source.value(run.__self__)}.apply"
    plain = inspect.unwrap(run)
    if isinstance(plain, types.FunctionType) and in_torch(plain.__code__.co_filename):
        run = plain
        if run.__name__ == "<lambda>":
            return _torch_lambda(run, source)
        if "." in run.__qualname__:
            raise CannotEject(
                f"{run.__qualname__} is a method of an object that only exists during a compile; eject another pass."
            )
    try:
        return source.value(run)
    except CannotEject as error:
        if error.located:
            raise
        raise CannotEject(f"the pass cannot be written in a script: it is {error}. {WORKAROUND}") from None


def _torch_lambda(run: types.FunctionType, source: Source) -> str:
    """A lambda from torch's source, with the names that it uses imported or defined."""
    lambdas = lambdas_at(run.__code__)
    if len(lambdas) != 1:
        raise CannotEject(
            f"there is not exactly one lambda at {run.__code__.co_filename}:{run.__code__.co_firstlineno}."
        )
    namespace = run.__globals__ | closure_of(run)
    return f"({define_names(ast.unparse(lambdas[0]), namespace, source, run.__globals__, run.__qualname__)})"
