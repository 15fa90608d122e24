"""The passes that torch's graph phases call directly, without the observer: read from the phases' own source."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import textwrap
from collections.abc import Iterator
from importlib.util import resolve_name
from types import ModuleType
from typing import Any

from pytest_compile_golden.torch_names import MissingName
from pytest_compile_golden.torch_names import inductor as names

# These take the graph module but only read it.
_LOOK_ONLY = frozenset(
    {"_run_pre_dispatch_passes", "fake_tensor_prop", "fuse_fx", "get_all_devices", "numeric_check_if_enabled"}
)
# torch/fx/graph.py and torch/_inductor/fx_utils.py: called on an object of the phase, without the graph.
_METHODS = {row.at.rpartition(".")[2]: row for row in (names.ELIMINATE_DEAD_CODE, names.INCREMENTAL_UPDATE)}


@functools.cache
def bare_passes() -> tuple[str, ...]:
    """`module:name`, as the phase looks it up, of each function that a phase calls directly on its graph."""
    calls: list[str] = []
    for source in names.PHASE_SOURCES:
        try:
            owner, attribute = source.resolve()
            tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(getattr(owner, attribute)))))
        except (MissingName, OSError, TypeError, SyntaxError):
            continue
        function = tree.body[0]
        if isinstance(function, ast.FunctionDef):
            calls += _calls(owner, function)
    return tuple(dict.fromkeys(calls))


def _calls(module: ModuleType, function: ast.FunctionDef) -> Iterator[str]:
    graph = function.args.args[0].arg
    imported = {
        alias.asname or alias.name: (
            resolve_name("." * node.level + (node.module or ""), module.__package__ or ""),
            alias.name,
        )
        for node in ast.walk(function)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    observed = set(_inside_observer(function))
    for call in ast.walk(function):
        if not isinstance(call, ast.Call) or call in observed:
            continue
        called = call.func
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if isinstance(called, ast.Attribute) and name in _METHODS:
            yield _METHODS[name].at
        elif name in _LOOK_ONLY or not any(_is_graph(arg, graph) for arg in call.args[:1]):
            continue
        elif isinstance(called, ast.Name) and name in imported:
            yield ":".join(imported[name])
        elif isinstance(called, ast.Name) and _is_pass(vars(module).get(name)):
            yield f"{module.__name__}:{name}"
        elif isinstance(called, ast.Attribute) and _is_module(package := ast.unparse(called.value)):
            yield f"{package}:{name}"


def _inside_observer(function: ast.FunctionDef) -> Iterator[Any]:
    """The nodes inside passes that the observer runs: `GraphTransformObserver(...).apply_graph_pass(lambda ...)`."""
    for call in ast.walk(function):
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") in ("apply_graph_pass", "apply_gm_pass"):
            yield from (node for argument in call.args for node in ast.walk(argument))


def _is_graph(node: ast.expr, graph: str) -> bool:
    if isinstance(node, ast.Attribute) and node.attr == "graph":
        node = node.value
    return isinstance(node, ast.Name) and node.id == graph


def _is_pass(value: Any) -> bool:
    # A phase makes its observers from a class, with some of the arguments bound.
    return callable(value) and not inspect.isclass(value) and not isinstance(value, functools.partial)


def _is_module(dotted: str) -> bool:
    try:
        importlib.import_module(dotted)
    except ImportError:
        return False
    return True
