"""Callables that are already compiled: the function inside, and the options that torch.compile was given."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from pytest_compile_golden.errors import AlreadyCompiled, InvalidOption
from pytest_compile_golden.observe.compile_options import CompileOptions
from pytest_compile_golden.observe.config_patches import locate
from pytest_compile_golden.observe.source_locations import closure_of
from pytest_compile_golden.torch_internals import Attribute, MissingName
from pytest_compile_golden.torch_internals import user_code as names


@dataclass(frozen=True)
class _Compiled:
    function: Callable[..., Any]
    context: Any
    """The torch._dynamo.eval_frame.OptimizeContext that torch.compile made."""
    compiled_in_place: torch.nn.Module | None = None
    """The module, if `module.compile()` was called."""
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    """The arguments of a functools.partial around it: inputs of the compiled code like any other."""


@contextmanager
def to_compile(
    fn: Callable[..., Any], options: CompileOptions
) -> Iterator[tuple[Callable[..., Any], CompileOptions]]:
    """What to pass to torch.compile: for an already compiled callable, the function inside and its own options.

    Raises InvalidOption for options that contradict each other or the callable's own, and AlreadyCompiled for a
    callable that was compiled with another backend.
    """
    if options.backend is None:
        yield fn, options
        return
    compiled = _find(fn)
    if compiled is None:
        _check_config(
            options.config,
            _options_of_mode(options.mode, options.dynamic),
            f"mode={options.mode!r} sets",
        )
        yield fn, options
        return
    options = _inherited(name_of(fn), compiled, options)
    calls = [
        call._replace(
            args=(*compiled.args, *call.args), kwargs={**compiled.kwargs, **call.kwargs}
        )
        for call in options.calls
    ]
    with _plain(compiled.compiled_in_place):
        yield compiled.function, replace(options, calls=calls)


def name_of(fn: Callable[..., Any]) -> str:
    """The name that the author gave the function."""
    if isinstance(fn, functools.partial):
        return name_of(fn.func)
    if isinstance(fn, names.OPTIMIZED_MODULE.get()):
        fn = fn._orig_mod
    return str(getattr(fn, "__qualname__", type(fn).__qualname__))


def _find(fn: Any) -> _Compiled | None:
    if isinstance(fn, functools.partial):
        inside = _find(fn.func)
        if inside is None:
            return None
        return replace(
            inside,
            args=(*inside.args, *fn.args),
            kwargs={**inside.kwargs, **fn.keywords},
        )
    if isinstance(fn, names.OPTIMIZED_MODULE.get()):
        # torch.compiler.disable makes one too.
        compiled = isinstance(fn.dynamo_ctx, names.OPTIMIZE_CONTEXT.get())
        return _Compiled(fn._orig_mod, fn.dynamo_ctx) if compiled else None
    if isinstance(fn, torch.nn.Module):
        return _find_in_module(fn)
    if isinstance(fn, types.MethodType):
        if (
            isinstance(fn.__self__, torch.nn.Module)
            and fn.__func__ is type(fn.__self__).__call__
        ):
            return _find(fn.__self__)
        return _bound(fn.__func__, fn.__self__)
    if isinstance(fn, types.FunctionType):
        context = _context(fn)
        return None if context is None else _Compiled(_inside(fn), context)
    return _bound(getattr(type(fn), "__call__", None), fn)  # noqa: B004  # that of the class, which may be decorated


def _find_in_module(module: torch.nn.Module) -> _Compiled | None:
    in_place = names.IN_PLACE.of(module)
    if in_place is not None:
        context = _context(getattr(in_place, "__func__", in_place))
        return (
            None
            if context is None
            else _Compiled(module, context, compiled_in_place=module)
        )
    forward = module.forward
    if isinstance(forward, types.MethodType):  # @torch.compile on `def forward`
        return _bound(forward.__func__, forward.__self__)
    context = _context(forward)  # module.forward = torch.compile(module.forward)
    return None if context is None else _Compiled(_inside(forward), context)


def _bound(method: Any, owner: object) -> _Compiled | None:
    """A method decorated with torch.compile, as the undecorated method bound to `owner`."""
    context = _context(method)
    return (
        None
        if context is None
        else _Compiled(types.MethodType(_inside(method), owner), context)
    )


def _context(fn: Any) -> Any:
    """The context that `fn` is a wrapper of (torch/_dynamo/eval_frame.py: _TorchDynamoContext.__call__), if any.

    The attributes of `fn` alone don't prove it: functools.wraps copies them to decorators around the wrapper.
    """
    if not isinstance(fn, types.FunctionType) or names.ORIGINAL.of(fn, None) is None:
        return None
    context = closure_of(fn).get("self")
    return context if isinstance(context, names.OPTIMIZE_CONTEXT.get()) else None


def _inside(fn: Any) -> Any:
    function = names.ORIGINAL.of(fn)
    code = getattr(function, "__code__", None)
    # Dynamo wraps a function that it cannot trace as a frame in one that it can (wrap_inline).
    if code is not None and code.co_filename == names.WRAPPERS.get().__file__:
        return getattr(function, "__wrapped__", function)
    return function


def _inherited(
    name: str, compiled: _Compiled, options: CompileOptions
) -> CompileOptions:
    context = compiled.context
    backends = list(_backends(context))
    inductor = _options_of_backend(name, backends[-1])
    try:
        dynamic, fullgraph = names.DYNAMIC.of(context), names.FULLGRAPH.of(context)
        guard_filter = names.GUARD_FILTER.of(names.HOOKS.of(context), None)
    except MissingName as error:
        raise AlreadyCompiled(
            f"{name} is already compiled, and torch {torch.__version__} does not reveal the options ({error}). "
            "Pass the original function, and give the options to the capture."
        ) from None
    for key, theirs in (("dynamic", dynamic), ("fullgraph", fullgraph)):
        ours = getattr(options, key)
        if ours is not None and ours != theirs:
            raise _contradiction(name, f"{key}={theirs!r}", f"{key}={ours!r}")
    if options.mode is not None and _options_of_mode(options.mode, dynamic) != inductor:
        shown = (
            ", ".join(f"{key}={value!r}" for key, value in inductor.items())
            or "no mode or options"
        )
        raise _contradiction(name, shown, f"mode={options.mode!r}")
    _check_config(options.config, inductor, f"{name} was compiled with")
    optional = {
        "name": getattr(backends[-1], "name", None),
        "recompile_limit": next(
            filter(None, (_of(names.RECOMPILE_LIMIT, backend) for backend in backends)),
            None,
        ),
        "shapes_spec": _of(names.SHAPES_SPEC, context),
        "dynamic_shapes": _of(names.DYNAMIC_SHAPES, context),
    }
    more = {} if guard_filter is None else {"guard_filter_fn": guard_filter}
    kept = {key: value for key, value in optional.items() if value is not None}
    return replace(
        options,
        dynamic=dynamic,
        fullgraph=fullgraph,
        inherited={"options": {**inductor, **more}, **kept},
    )


def _backends(context: Any) -> Iterator[Any]:
    """Torch's wrappers around the backend, outermost first, and the backend (torch/_dynamo/convert_frame.py)."""
    backend = context.callback
    yield backend
    while (backend := names.WRAPPED_BACKEND.of(backend, None)) is not None:
        yield backend


def _of(row: Attribute, value: Any) -> Any:
    """What `value` has, on a torch that has such a thing."""
    return row.of(value, None) if row.expected else None


def _options_of_backend(name: str, backend: Any) -> dict[str, Any]:
    if type(backend) is names.INDUCTOR_BACKEND.get():
        return dict(backend.config)
    called = getattr(backend, "compiler_name", None) or getattr(
        backend, "__name__", type(backend).__name__
    )
    if called == "inductor":
        return {}  # torch._dynamo.optimize("inductor")
    raise AlreadyCompiled(
        f"{name} was compiled with the backend {called!r}, which a capture cannot reuse. "
        "Pass the function from before torch.compile, and give the backend to the capture: backend=..."
    )


def _options_of_mode(mode: str | None, dynamic: bool | None) -> dict[str, Any]:
    """The Inductor options that a mode implies; empty for an unknown mode, which torch reports itself."""
    modes = names.MODE_OPTIONS.get()(dynamic=dynamic)
    return dict(modes.get(mode, {}))


def _check_config(
    config: Mapping[str, Any], compiled: Mapping[str, Any], who: str
) -> None:
    """A compile's options take precedence over torch's config, so a config key that contradicts them has no effect."""
    for full_key, value in config.items():
        module, key = locate(full_key)
        if module == "inductor" and key in compiled and compiled[key] != value:
            raise InvalidOption(
                f"{who} {key}={compiled[key]!r}, but config has {full_key!r}: {value!r}, which torch would ignore. "
                "Remove one of them."
            )


def _contradiction(name: str, theirs: str, ours: str) -> InvalidOption:
    return InvalidOption(
        f"{name} was compiled with {theirs}, but the capture has {ours}. Remove that, or pass the function "
        "from before torch.compile with all options."
    )


@contextmanager
def _plain(module: torch.nn.Module | None) -> Iterator[None]:
    """Undo `module.compile()` for the duration of the block."""
    if module is None:
        yield
        return
    compiled = module._compiled_call_impl
    module._compiled_call_impl = None
    try:
        yield
    finally:
        module._compiled_call_impl = compiled
