"""Names for all tensors that a program can read or change: its inputs, and what its function owns."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch

from pytest_compile_golden.observe.device_transfer import (
    Namespace,
    globals_of,
    is_plain_object,
    module_of,
)
from pytest_compile_golden.observe.source_locations import closure_of
from pytest_compile_golden.torch_internals import tensors

pytree = tensors.PYTREE.get()


def inputs(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, torch.Tensor]:
    """The tensors among the inputs, by the names of their parameters: `x`, `tensors[0]`, `cache['key']`."""
    seen: set[int] = set()
    return _first_names(
        item
        for name, value in arguments(fn, args, kwargs).items()
        for item in _within(name, value, seen)
    )


def arguments(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """The inputs, by the names of their parameters."""
    called = fn.forward if isinstance(fn, torch.nn.Module) else fn
    try:
        return dict(inspect.signature(called).bind(*args, **kwargs).arguments)
    except (TypeError, ValueError):
        return {
            **{f"input {index}": value for index, value in enumerate(args)},
            **kwargs,
        }


def owned(fn: Callable[..., Any]) -> dict[str, torch.Tensor]:
    """What the function is, is bound to, closes over or names: `parameter weight`, `buffer running_mean`, `table`."""
    return _first_names(_of_function(fn, set(), module_of(fn)))


def _first_names(named: Iterator[tuple[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    first_of: dict[str, torch.Tensor] = {}
    seen: set[int] = set()
    for name, tensor in named:
        if id(tensor) not in seen:
            seen.add(id(tensor))
            first_of.setdefault(name, tensor)
    return first_of


def _of_function(
    fn: Any, seen: set[int], module: Namespace | None
) -> Iterator[tuple[str, torch.Tensor]]:
    if id(fn) in seen:
        return
    if isinstance(fn, torch.nn.Module):
        yield from _of_module("", fn, seen)
        return
    if is_plain_object(fn):
        yield from _within("self", fn, seen)
    seen.add(id(fn))
    if isinstance(fn, types.MethodType):
        yield from _within("self", fn.__self__, seen)
        yield from _of_function(fn.__func__, seen, module)
    elif isinstance(fn, functools.partial):
        yield from _of_function(fn.func, seen, module)
        yield from _within("partial", (fn.args, fn.keywords), seen)
    elif isinstance(fn, types.FunctionType):
        for name, content in {
            **globals_of(fn, module, tensors=True),
            **closure_of(fn),
        }.items():
            if isinstance(
                content, (types.FunctionType, types.MethodType, functools.partial)
            ):
                yield from _of_function(content, seen, module)
            else:
                yield from _within(name, content, seen)


def _within(
    name: str, value: Any, seen: set[int]
) -> Iterator[tuple[str, torch.Tensor]]:
    for path, leaf in pytree.tree_flatten_with_path(value)[0]:
        full = name + pytree.keystr(path)
        if isinstance(leaf, torch.Tensor):
            yield full, leaf
        elif isinstance(leaf, torch.nn.Module):
            yield from _of_module("" if name == "self" else f"{full}.", leaf, seen)
        elif isinstance(leaf, torch.optim.Optimizer):
            yield from _of_optimizer(leaf)
        elif is_plain_object(leaf) and id(leaf) not in seen:
            seen.add(id(leaf))
            for attribute, held in vars(leaf).items():
                yield from _within(f"{full}.{attribute}", held, seen)


def _of_module(
    prefix: str, module: torch.nn.Module, seen: set[int]
) -> Iterator[tuple[str, torch.Tensor]]:
    """Parameters, buffers, and tensors in other attributes, such as a state that each call replaces."""
    for name, parameter in module.named_parameters():
        yield f"parameter {prefix}{name}", parameter
    for name, buffer in module.named_buffers():
        yield f"buffer {prefix}{name}", buffer
    for path, inner in module.named_modules():
        if id(inner) not in seen:
            seen.add(id(inner))
            for attribute, held in vars(inner).items():
                if not attribute.startswith("_"):
                    name = f"{path}.{attribute}" if path else attribute
                    yield from _within(f"{prefix}{name}", held, seen)


def _of_optimizer(
    optimizer: torch.optim.Optimizer,
) -> Iterator[tuple[str, torch.Tensor]]:
    parameters = [
        parameter for group in optimizer.param_groups for parameter in group["params"]
    ]
    for index, parameter in enumerate(parameters):
        yield f"parameter {index}", parameter
        yield from _within(
            f"state of parameter {index}",
            dict(optimizer.state.get(parameter, {})),
            set(),
        )
