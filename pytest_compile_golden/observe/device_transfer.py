"""Moves a program's modules, tensors and optimizers: those that it is, is bound to, closes over, names or is given."""

from __future__ import annotations

import dis
import functools
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import torch

from pytest_compile_golden.torch_internals import tensors

_pytree = tensors.PYTREE.get()

Move = Callable[[Any], Any]
Namespace = dict[str, Any]

_MOVED = (torch.Tensor, torch.nn.Module, torch.optim.Optimizer)
_FUNCTIONS = (types.FunctionType, types.MethodType, functools.partial)
# Objects of classes from these are not searched: what a program owns is in modules, or in objects of its own classes.
_OTHERS = sys.stdlib_module_names | {
    "torch",
    "triton",
    "numpy",
    "pytest",
    "_pytest",
    "pytest_compile_golden",
}


def move_all(
    fn: Callable[..., Any], values: Any, move: Move, *, fresh: bool = False
) -> tuple[Callable[..., Any], Any]:
    """`fn` with what it is, is bound to, closes over or names from its module, and `values`, on the target.

    All are moved in one call, so shared objects stay shared: an optimizer holds the parameters of the moved model.
    fresh: also copy lists, dicts and plain objects that hold nothing to move, constants of the module, and random
        generators, because a program may write to them.
    """
    collected: list[Any] = []

    def collect(value: Any) -> Any:
        collected.append(value)
        return value

    module = module_of(fn)
    first = _Moving(collect, module, fresh=fresh)
    first.function(fn), first.tree(values)
    moved = list(move(collected))
    placed = iter(moved)
    # A function that is copied although nothing moves would have other globals than the functions that it calls.
    namespace = (
        dict(module) if module and first.named and not _same(moved, collected) else None
    )
    second = _Moving(lambda value: next(placed), module, namespace, fresh=fresh)
    return second.function(fn), second.tree(values)


def is_plain_object(value: Any) -> bool:
    """Whether `value` is an instance of a user-defined class, which may hold tensors as attributes."""
    return (
        getattr(type(value), "__new__", None)
        is object.__new__  # its attributes are all its state
        and hasattr(value, "__dict__")
        and not isinstance(value, (*_MOVED, *_FUNCTIONS))
        and str(type(value).__module__).partition(".")[0] not in _OTHERS
    )


def contained(tree: Any) -> Iterator[Any]:
    """The modules, tensors and optimizers in a tree, including those in attributes of its plain objects."""
    seen: set[int] = set()
    waiting = [tree]
    while waiting:
        for leaf in _pytree.tree_leaves(waiting.pop()):
            if isinstance(leaf, _MOVED):
                yield leaf
            elif is_plain_object(leaf) and id(leaf) not in seen:
                seen.add(id(leaf))
                waiting.append(list(vars(leaf).values()))


def module_of(fn: Callable[..., Any]) -> Namespace | None:
    """The globals of a program that is a function, a method of a plain object, or a partial of one of these."""
    while isinstance(fn, (functools.partial, types.MethodType)):
        fn = fn.func if isinstance(fn, functools.partial) else fn.__func__
    return fn.__globals__ if isinstance(fn, types.FunctionType) else None


def globals_of(
    fn: types.FunctionType, module: Namespace | None, *, tensors: bool
) -> dict[str, Any]:
    """The globals of `module` that a function in it names: its functions, and what holds a module or an optimizer.

    tensors: also those that hold only tensors. Such constants stay on the device where the module made them: functions
        move them themselves.
    """
    if fn.__globals__ is not module:
        return {}
    wanted = _MOVED if tensors else (torch.nn.Module, torch.optim.Optimizer)
    named = {
        name: fn.__globals__[name]
        for name in fn.__code__.co_names
        if name in fn.__globals__
    }
    return {
        name: value
        for name, value in named.items()
        if getattr(value, "__globals__", None) is fn.__globals__
        or any(isinstance(one, wanted) for one in contained(value))
    }


def globals_written(fn: types.FunctionType) -> set[str]:
    """The names of the globals that a function changes itself."""
    writes = ("STORE_GLOBAL", "DELETE_GLOBAL")
    return {
        str(each.argval) for each in dis.get_instructions(fn) if each.opname in writes
    }


class _Moving:
    """A walk through a program, always in the same order: one walk collects objects, another inserts the moved ones."""

    def __init__(
        self,
        move: Move,
        module: Namespace | None,
        namespace: Namespace | None = None,
        *,
        fresh: bool,
    ) -> None:
        """module: the globals of the program's module. namespace: those of all function copies; by default the same.

        Dynamo looks up names of any other module in that module itself, where the originals are
        (torch/_dynamo/symbolic_convert.py: get_global_source_and_value).
        """
        self._move = move
        self._moved: dict[int, Any] = {}
        self._module = module
        self._namespace = namespace
        self._fresh = fresh
        self.named = False
        """Whether a function names something that is moved."""

    def function(self, fn: Any) -> Any:
        """A copy of a function, or of an object that is called, with what it closes over moved; once for each."""
        if is_plain_object(fn):
            return self._object(fn)
        if id(fn) not in self._moved:
            # For a recursive function, which finds itself in its own closure.
            self._moved[id(fn)] = fn
            self._moved[id(fn)] = self._function(fn)
        return self._moved[id(fn)]

    def tree(self, value: Any) -> Any:
        return _pytree.tree_map(self._leaf, value)

    def _leaf(self, value: Any) -> Any:
        if isinstance(value, _MOVED):
            return self._move(value)
        if isinstance(value, _FUNCTIONS):
            return self.function(value)
        if self._fresh and isinstance(value, torch.Generator):
            return self._moved.setdefault(id(value), value.clone_state())
        return self._object(value) if is_plain_object(value) else value

    def _kept_tree(self, value: Any) -> Any:
        """`tree`, or `value` itself if it is all on the target already: a function may append to a list."""
        leaves, spec = _pytree.tree_flatten(value)
        placed = [self._leaf(leaf) for leaf in leaves]
        written = self._fresh and type(value) in (list, dict)
        return (
            value
            if _same(placed, leaves) and not written
            else _pytree.tree_unflatten(placed, spec)
        )

    def _function(self, fn: Any) -> Any:
        if isinstance(fn, torch.nn.Module):
            return self._move(fn)
        if isinstance(fn, types.MethodType):
            function, owner = self.function(fn.__func__), self._leaf(fn.__self__)
            return (
                fn
                if _same((function, owner), (fn.__func__, fn.__self__))
                else types.MethodType(function, owner)
            )
        if isinstance(fn, functools.partial):
            return functools.partial(
                self.function(fn.func), *self.tree(fn.args), **self.tree(fn.keywords)
            )
        if isinstance(fn, types.FunctionType):
            closure = fn.__closure__ or ()
            cells = tuple(self._cell(cell) for cell in closure)
            named = globals_of(fn, self._module, tensors=self._fresh)
            self.named |= any(
                next(contained(value), None) is not None for value in named.values()
            )
            placed = {name: self._kept_tree(value) for name, value in named.items()}
            # A function that changes globals has to change those that copies of other functions read.
            in_copy = (
                self._namespace is not None
                and fn.__globals__ is self._module
                and bool(globals_written(fn))
            )
            if in_copy or not _same(
                (*cells, *placed.values()), (*closure, *named.values())
            ):
                namespace = fn.__globals__
                if self._namespace is not None and namespace is self._module:
                    namespace = self._namespace
                    namespace.update(placed)
                copy = types.FunctionType(
                    fn.__code__, namespace, fn.__name__, fn.__defaults__, cells or None
                )
                copy.__kwdefaults__, copy.__dict__ = (
                    fn.__kwdefaults__,
                    dict(fn.__dict__),
                )
                return functools.update_wrapper(copy, fn)
        return fn

    def _cell(self, cell: types.CellType) -> types.CellType:
        try:
            content = cell.cell_contents
        except ValueError:  # not bound yet
            return cell
        placed = self._kept_tree(content)
        return cell if placed is content else types.CellType(placed)

    def _object(self, value: Any) -> Any:
        """A copy of `value` with its attributes moved, or `value` itself if nothing in it has to move."""
        if id(value) in self._moved:
            return self._moved[id(value)]
        self._moved[id(value)] = value
        if not self._fresh and next(contained(value), None) is None:
            return value
        copy = object.__new__(type(value))
        self._moved[id(value)] = copy
        before = dict(vars(value))
        vars(copy).update(
            {name: self.tree(attribute) for name, attribute in before.items()}
        )
        if not self._fresh and _same(list(contained(copy)), list(contained(value))):
            self._moved[id(value)] = value
        return self._moved[id(value)]


def _same(new: Any, old: Any) -> bool:
    return all(one is other for one, other in zip(new, old, strict=True))
