"""A case's own torch config: keys are checked, then patched for the duration of one capture."""

from __future__ import annotations

import collections.abc
import difflib
import types
import typing
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib import resources
from typing import Any, Literal, Union

import torch

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.errors import InvalidOption, UnknownConfig
from pytest_compile_golden.torch_internals import dynamo, inductor

_MODULES: Mapping[str, Any] = {
    "inductor": inductor.CONFIG.get(),
    "dynamo": dynamo.CONFIG.get(),
    "functorch": inductor.AOT_CONFIG.get(),
}


def locate(key: str) -> tuple[str, str]:
    """The module and key of `max_autotune`, `triton.cudagraphs`, `dynamo.cache_size_limit` ..."""
    prefix, _, subkey = key.partition(".")
    if prefix in _MODULES and subkey:
        return prefix, subkey
    return "inductor", key


def _unknown(name: str, key: str) -> UnknownConfig:
    module = _MODULES[name]
    public_keys = [
        candidate for candidate in module._config if not candidate.startswith("_")
    ]
    close = difflib.get_close_matches(key, public_keys, n=3)
    history = _history(f"{name}.{key}")
    message = f"{module.__name__} of torch {torch.__version__} has no key {key!r}"
    if history:
        message += f"; {history}"
    elif close:
        message += f"; did you mean {', '.join(close)}?"
    return UnknownConfig(
        message
        + (". Set the key only for torch versions that have it." if history else "")
    )


def _history(key: str) -> str | None:
    """`torch 2.12, 2.13 has it` for a full key added or removed since the oldest supported torch, else None."""
    text = (
        resources.files(__package__).joinpath("config_history.txt").read_text("utf-8")
    )
    versions = dict(
        line.split(":", 1) for line in split_lines(text) if ":" in line
    ).get(key)
    return None if versions is None else f"torch {versions.strip()} has it"


def _group(name: str, key: str) -> UnknownConfig:
    module = _MODULES[name]
    members = [member for member in module._config if member.startswith(f"{key}.")]
    return UnknownConfig(
        f"{key!r} is a group of keys in {module.__name__}; use the full name of each, such as {members[0]!r}."
    )


def _accepts(hint: Any, value: Any) -> bool:
    """Whether a value has the type that torch annotates its key with; True for annotations we cannot check."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return True
    if origin is Literal:
        # torch also accepts False to turn some of these off (`triton.descriptive_names`).
        return isinstance(value, bool) or any(
            value == argument and type(value) is type(argument)
            for argument in arguments
        )
    if origin in (Union, types.UnionType):
        return any(_accepts(argument, value) for argument in arguments)
    if origin is collections.abc.Callable:
        return callable(value)
    kind = hint if origin is None else origin
    if kind is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind in (list, tuple):
        return isinstance(value, (list, tuple))
    if kind is set:
        return isinstance(value, collections.abc.Set)
    return isinstance(value, kind) if isinstance(kind, type) else True


def _in_words(hint: Any) -> str:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return " or ".join(map(repr, arguments))
    if origin in (Union, types.UnionType):
        return " or ".join(_in_words(argument) for argument in arguments)
    if hint is type(None):
        return "None"
    if origin is collections.abc.Callable:
        return "a function"
    return str(getattr(hint, "__name__", hint)) if origin is None else str(hint)


@contextmanager
def patched(config: Mapping[str, Any]) -> Iterator[None]:
    """Patch torch's configs. Keys are Inductor's unless they start with `dynamo.` or `functorch.`.

    Raises UnknownConfig for a key that the installed torch does not have, naming the torch versions that have it, and
    InvalidOption for a value that is not of the key's type.
    """
    values: dict[str, dict[str, Any]] = {}
    for full_key, value in config.items():
        name, key = locate(full_key)
        module = _MODULES[name]
        if key not in module._config:
            grouped = any(
                known_key.startswith(f"{key}.") for known_key in module._config
            )
            raise _group(name, key) if grouped else _unknown(name, key)
        hint, default = module.get_type(key), module._config[key].default
        # A default of None without an annotation says nothing about the type; some annotations leave out the default.
        if (
            hint is not type(None)
            and value is not default
            and not _accepts(hint, value)
        ):
            raise InvalidOption(
                f"{key} of {module.__name__} takes {_in_words(hint)}, not {value!r} (torch's default is {default!r})."
            )
        values.setdefault(name, {})[key] = value
    with ExitStack() as stack:
        for name, patch in values.items():
            stack.enter_context(_MODULES[name].patch(patch))
        yield
