"""A case's own torch config: checked keys, patched for the time of one capture."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
import torch._dynamo.config
import torch._functorch.config
import torch._inductor.config

from pytest_compile_golden.errors import UnknownConfig

_MODULES: Mapping[str, Any] = {
    "inductor": torch._inductor.config,
    "dynamo": torch._dynamo.config,
    "functorch": torch._functorch.config,
}


def _locate(key: str) -> tuple[str, str]:
    """The module and key of `max_autotune`, `triton.cudagraphs`, `dynamo.cache_size_limit` ..."""
    prefix, _, rest = key.partition(".")
    if prefix in _MODULES and rest:
        return prefix, rest
    return "inductor", key


def _unknown(name: str, key: str) -> UnknownConfig:
    from pytest_compile_golden.observe.config_history import versions_with

    module = _MODULES[name]
    known = [each for each in module._config if not each.startswith("_")]
    close = difflib.get_close_matches(key, known, n=3)
    history = versions_with(f"{name}.{key}")
    message = f"{module.__name__} of torch {torch.__version__} has no key {key!r}"
    if history:
        message += f"; {history}"
    elif close:
        message += f"; did you mean {', '.join(close)}?"
    return UnknownConfig(message + (". Give the key only where torch has it." if history else ""))


@contextmanager
def patched(config: Mapping[str, Any]) -> Iterator[None]:
    """Patch torch's configs. Keys are Inductor's unless they begin with `dynamo.` or `functorch.`.

    Raises UnknownConfig, naming the torch versions that have the key, for one that the installed torch does not have.
    """
    values: dict[str, dict[str, Any]] = {}
    for full_key, value in config.items():
        name, key = _locate(full_key)
        if not hasattr(_MODULES[name], key):
            raise _unknown(name, key)
        values.setdefault(name, {})[key] = value
    with ExitStack() as stack:
        for name, patch in values.items():
            stack.enter_context(_MODULES[name].patch(patch))
        yield
