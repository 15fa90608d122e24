"""A pass as an expression that finds it in torch, or as a copy of the user's own source."""

from __future__ import annotations

import ast
import builtins
import functools
import importlib
import inspect
import linecache
import sys
import textwrap
import types
from typing import Any

from pytest_compile_golden.eject.source import CannotEject, Source
from pytest_compile_golden.observe.places import in_torch, matcher_home


def pass_expression(run: Any, source: Source) -> str:
    """What calls `run` in a script; what it needs is added to `source`. Raises CannotEject."""
    if isinstance(run, functools.partial):
        given = [pass_expression(run.func, source), *(value_expression(each, source) for each in run.args)]
        given += [f"{name}={value_expression(each, source)}" for name, each in run.keywords.items()]
        source.imports["import functools"] = None
        return f"functools.partial({', '.join(given)})"
    matcher = getattr(run, "__self__", None)
    if type(matcher).__name__ == "PatternMatcherPass":
        return _matcher(matcher, source) + ".apply"
    run = inspect.unwrap(run)
    if isinstance(run, types.FunctionType) and "." in run.__qualname__ and in_torch(run.__code__.co_filename):
        if run.__name__ == "<lambda>":
            return _torchs_lambda(run, source)
        raise CannotEject(
            f"{run.__qualname__} is a method of an object that only exists during a compile; eject another pass."
        )
    return value_expression(run, source)


def _matcher(matcher: Any, source: Source) -> str:
    home = matcher_home(matcher)
    if home is None or not home[0].__name__.startswith("torch."):
        raise CannotEject("the patterns are not held by a module of torch; eject the pass that applies them.")
    module, variable, subscript = home
    package, _, short = module.__name__.rpartition(".")
    source.imports[f"from {package} import {short}"] = None
    return f"{short}.{variable}{subscript}"


def value_expression(value: Any, source: Source) -> str:
    """A function, class, instance or literal that a pass needs, under a name in the script."""
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return repr(value)
    if isinstance(value, (tuple, list)):
        inside = ", ".join(value_expression(each, source) for each in value)
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' if len(value) == 1 else ''})"
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(f"{value_expression(k, source)}: {value_expression(v, source)}" for k, v in value.items())
            + "}"
        )
    if isinstance(value, types.ModuleType):
        source.imports[f"import {value.__name__}"] = None
        return str(value.__name__)
    if isinstance(value, (types.FunctionType, type)) and not _is_users(value):
        return _from_torch(value, source)
    if isinstance(value, (types.FunctionType, type)):
        return _copied(value, source)
    if type(value).__module__.startswith("triton."):
        return _tritons(value, source)
    if type(value).__name__ == "FakeTensorUpdater":
        source.imports["from torch._inductor.fx_utils import FakeTensorUpdater"] = None
        return "FakeTensorUpdater(gm)"  # torch makes one of the same graph when the phase begins
    held = _held_by_torch(value, source)
    return held if held is not None else _instance(value, source)


def _is_users(value: Any) -> bool:
    root = value.__module__.partition(".")[0]
    return root not in ("torch", "triton", "functools", "operator", "math") and root not in sys.stdlib_module_names


def _from_torch(value: Any, source: Source) -> str:
    found: Any = getattr(importlib.import_module(value.__module__), value.__name__, None)
    if found is not value and getattr(found, "__wrapped__", None) is not value:
        raise CannotEject(f"{value.__module__}.{value.__qualname__} is made while torch compiles; eject another pass.")
    if value.__module__ != "builtins":
        source.imports[f"from {value.__module__} import {value.__name__}"] = None
    return str(value.__name__)


def _held_by_torch(value: Any, source: Source) -> str | None:
    """An object that a module of torch holds: a pass that is an instance, an operator."""
    text = str(value)
    if type(value).__module__ == "torch._ops":
        return source.function(value)
    for name, module in list(sys.modules.items()):
        if name.startswith("torch._inductor.fx_passes."):
            for variable, each in list(vars(module).items()):
                if each is value or getattr(each, "__wrapped__", None) is value:
                    source.imports[f"from {name} import {variable}"] = None
                    return variable
    if type(value).__module__.startswith("torch") and text.startswith("torch."):
        return text
    return None


def _tritons(value: Any, source: Source) -> str:
    """A kernel of the user's, or a constant that one of them names."""
    source.imports["import triton"] = None
    if type(value).__name__ == "constexpr":
        source.imports["import triton.language"] = None
        return f"triton.language.constexpr({value_expression(value.value, source)})"
    function = value
    while hasattr(function, "fn"):  # tuned, heuristics, compiled: each holds the next
        function = function.fn
    return _copied(function, source, decorator="@triton.jit")


def _instance(value: Any, source: Source) -> str:
    """An object of a class of the user's, made again from its attributes."""
    kind = value_expression(type(value), source)
    try:
        state = value_expression(dict(vars(value)), source)
    except (CannotEject, TypeError):
        raise CannotEject(f"{type(value).__qualname__} has attributes that no script can write down.") from None
    return f"instance({kind}, {state})"


def _copied(value: Any, source: Source, decorator: str = "") -> str:
    """The source of a function or class of the user's, with whatever of the user's it names.

    Its decorators are left out; where `decorator` is given they stay, and it stands in where there are none.
    """
    try:
        text = textwrap.dedent(inspect.getsource(value))
        tree = ast.parse(text)
    except (OSError, TypeError, SyntaxError):
        raise CannotEject(
            f"{value.__qualname__} has no source to copy; write the pass as a function in a file."
        ) from None
    name = str(value.__name__)
    statement = tree.body[0]
    if name == "<lambda>":
        (found, *others) = [each for each in ast.walk(tree) if isinstance(each, ast.Lambda)]
        if others:
            raise CannotEject("several lambdas stand in the line of the pass; write it as a function of its own.")
        name, text = "own_pass", f"own_pass = {ast.unparse(found)}\n"
        statement = ast.parse(text).body[0]
    elif isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        if decorator:
            text = text if statement.decorator_list else f"{decorator}\n{text}"
        elif statement.decorator_list:
            statement.decorator_list = []
            text = ast.unparse(statement) + "\n"
    mark = f"# copied: {value.__module__}.{value.__qualname__}\n"
    if any(each.startswith(mark) for each in source.definitions):
        return name
    source.definitions.append(mark)  # a function may name itself
    _define_names(statement, _names_in(value), source, name)
    source.definitions.remove(mark)
    source.definitions.append(mark + text)
    return name


def _names_in(value: Any) -> dict[str, Any]:
    if isinstance(value, type):
        return dict(vars(sys.modules[value.__module__]))
    closure = inspect.getclosurevars(value)
    return {**value.__globals__, **closure.nonlocals}


def _define_names(statement: ast.AST, known: dict[str, Any], source: Source, own: str) -> None:
    used = dict.fromkeys(each.id for each in ast.walk(statement) if isinstance(each, ast.Name))
    stored = {each.id for each in ast.walk(statement) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    arguments = {each.arg for each in ast.walk(statement) if isinstance(each, ast.arg)}
    for name in used:
        if name in stored | arguments | {own} or name not in known or (hasattr(builtins, name) and name not in known):
            continue
        value = known[name]
        if isinstance(value, types.ModuleType):
            package, _, short = value.__name__.rpartition(".")
            alias = "" if name == value.__name__ else f" as {name}"
            line = f"from {package} import {short}" if short == name and package else f"import {value.__name__}{alias}"
            source.imports[line] = None
            continue
        made = value_expression(value, source)
        if made != name:
            source.definitions.append(f"{name} = {made}\n")


def _torchs_lambda(run: Any, source: Source) -> str:
    """A lambda of torch's source, with the names that it uses imported or defined."""
    lines = linecache.getlines(run.__code__.co_filename)
    found = [
        each
        for each in ast.walk(ast.parse("".join(lines)))
        if isinstance(each, ast.Lambda) and each.lineno == run.__code__.co_firstlineno
    ]
    if len(found) != 1:
        raise CannotEject(f"no one lambda stands at {run.__code__.co_filename}:{run.__code__.co_firstlineno}.")
    _define_names(found[0], _names_in(run), source, "")
    return f"({ast.unparse(found[0])})"
