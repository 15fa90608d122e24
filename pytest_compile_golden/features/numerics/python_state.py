"""What a program changes besides tensors: numbers and text in what it closes over, names, is bound to or is given.

Each run has its own copies of the objects that a program closes over and is given. Globals, classes and variables of a
closure are the same ones for all, so they are put back after each.
"""

from __future__ import annotations

import collections
import functools
import itertools
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from pytest_compile_golden.common.program_call import Call
from pytest_compile_golden.features.numerics import tensor_names
from pytest_compile_golden.observe.device_transfer import (
    globals_written,
    is_plain_object,
)
from pytest_compile_golden.observe.source_locations import closure_of

_PLAIN = (bool, int, float, complex, str, bytes, types.NoneType)
_CONTAINERS = (list, dict, set, collections.deque)
_OTHERS = sys.stdlib_module_names | {"torch"}
_NOTHING = object()
_MOST, _DEEPEST = 4096, 32
"""How many values of a program are looked at, and how far down, for one with large tables or chains of objects."""


def plain_values(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """Numbers, text and the like that the program may change: `count`, `self.seen[0]`, `Model.names['first']`."""
    seen: set[int] = set()
    held = [*tensor_names.arguments(fn, args, kwargs).items(), *_owners(fn)]
    for function in _functions(fn):
        held += _named(function).items()
    found = (each for name, value in held for each in _within(name, value, seen))
    return dict(itertools.islice(found, _MOST))


def _within(
    name: str, value: Any, seen: set[int], depth: int = 0
) -> Iterator[tuple[str, Any]]:
    if isinstance(value, _PLAIN):
        yield name, value
        return
    if id(value) in seen or depth > _DEEPEST:
        return
    seen.add(id(value))
    parts: Iterable[tuple[str, Any]] = ()
    if isinstance(value, set):
        yield name, sorted(repr(each) for each in value if isinstance(each, _PLAIN))
    elif isinstance(value, dict):
        parts = [
            (f"{name}[{key!r}]", each)
            for key, each in value.items()
            if isinstance(key, _PLAIN)
        ]
    elif isinstance(value, (list, tuple, collections.deque)):
        parts = [(f"{name}[{index}]", each) for index, each in enumerate(value)]
    elif isinstance(value, torch.nn.Module):
        parts = [
            each
            for path, module in value.named_modules(prefix=name)
            for each in _attributes(path, module)
        ]
    elif is_plain_object(value) or _is_users(value):
        parts = _attributes(name, value)
    for part, each in parts:
        yield from _within(part, each, seen, depth + 1)


def _attributes(name: str, owner: Any) -> list[tuple[str, Any]]:
    return [
        (f"{name}.{attribute}", held)
        for attribute, held in vars(owner).items()
        if not attribute.startswith("_")
    ]


def _owners(fn: Any) -> Iterator[tuple[str, Any]]:
    """What a function is bound to, and the classes of a module or an object."""
    owner = _owner(fn)
    if not isinstance(owner, types.FunctionType):
        yield "self", owner
        for each in _classes(owner):
            yield each.__name__, each


def _owner(fn: Any) -> Any:
    while isinstance(fn, functools.partial):
        fn = fn.func
    return fn.__self__ if isinstance(fn, types.MethodType) else fn


def _functions(*given: Any) -> list[types.FunctionType]:
    """The functions that these are, and those of their modules that they, or what they name, have."""
    owners = (_owner(fn) for fn in given)
    modules = {
        (each if hasattr(each, "__code__") else type(each)).__module__
        for each in owners
    }
    waiting, seen, found = [*given], set(), []
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, functools.partial):
            waiting += [each.func, *each.args]
        elif isinstance(each, types.MethodType):
            waiting += [each.__func__, each.__self__]
        elif isinstance(each, types.FunctionType):
            if each.__module__ in modules and _is_own(each):
                found.append(each)
                waiting += _named(each).values()
        else:
            for owner in _classes(each):
                waiting += vars(owner).values()
    return found


def _named(function: types.FunctionType) -> dict[str, Any]:
    """What a function closes over, and the globals that it names."""
    named = {
        name: function.__globals__[name]
        for name in function.__code__.co_names
        if name in function.__globals__
    }
    return {**named, **closure_of(function)}


def _classes(value: Any) -> Iterator[type]:
    """The user's classes that a value is, or that it and the modules in it are of."""
    if isinstance(value, torch.nn.Module):
        found = {type(module): None for module in value.modules()}
    elif isinstance(value, type):
        found = {value: None}
    else:
        found = {type(value): None} if is_plain_object(value) else {}
    for each in found:
        yield from filter(_is_users, each.__mro__)


def _is_users(value: Any) -> bool:
    return isinstance(value, type) and _is_own(value)


def _is_own(value: type | types.FunctionType) -> bool:
    """Whether a class or a function is neither Python's nor torch's."""
    return str(value.__module__).partition(".")[0] not in _OTHERS


@contextmanager
def put_back(fn: Callable[..., Any], calls: Sequence[Call]) -> Iterator[None]:
    """Undo what a program, and what is done before calls, does to what all runs share."""
    functions = _functions(
        fn, *(call.before for call in calls if call.before is not None)
    )
    spaces = {id(each.__globals__): each.__globals__ for each in functions}
    written_globals = {name for each in functions for name in globals_written(each)}
    held = [value for each in functions for value in _named(each).values()]
    classes = {owner for value in (fn, *held) for owner in _classes(value)}
    mappings = [(space, dict(space)) for space in spaces.values()]
    attributes = [(each, dict(vars(each))) for each in classes]
    written = [value for _, before in attributes for value in before.values()] + held
    seen: set[int] = set()
    contents = [pair for value in written for pair in _contents(value, seen)]
    cells = [
        (cell, cell.cell_contents)
        for each in functions
        for cell in each.__closure__ or ()
        if isinstance(_content(cell), _PLAIN)
    ]
    codes = [
        (each, each.__code__, each.__defaults__)
        for each in written
        if isinstance(each, types.FunctionType)
    ]
    try:
        yield
    finally:
        for space, before in mappings:
            # Dynamo has names of its own there.
            space.update(
                {
                    name: value
                    for name, value in before.items()
                    if not name.startswith("__")
                }
            )
            for name in written_globals - before.keys():
                space.pop(name, None)
        for owner, before in attributes:
            for name in [name for name in vars(owner) if name not in before]:
                delattr(owner, name)
            for name, value in before.items():
                if vars(owner)[name] is not value:
                    setattr(owner, name, value)
        for cell, content in cells:
            cell.cell_contents = content
        for container, content in contents:
            container.clear()
            if isinstance(container, (dict, set)):
                container.update(content)
            else:
                container.extend(content)
        for function, code, defaults in codes:
            if function.__code__ is not code:
                function.__code__ = code
            function.__defaults__ = defaults


def _contents(value: Any, seen: set[int]) -> Iterator[tuple[Any, Any]]:
    """The containers in a value, each with a copy that has what is in it."""
    if type(value) in _CONTAINERS and id(value) not in seen:
        seen.add(id(value))
        yield value, value.copy()
        for each in value.values() if isinstance(value, dict) else value:
            yield from _contents(each, seen)


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not bound yet
        return _NOTHING
