"""What programs set for the whole process and the compiler obeys: read before a test, put back after it.

What torch itself keeps of a compile is put back after each capture: `compile_isolation.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from pytest_compile_golden.torch_internals import dynamo, inductor, user_code
from pytest_compile_golden.torch_internals import process as names

_UNKNOWN = object()
"""What this torch cannot show, or refuses to say: it is neither compared nor put back."""
_CONFIGS = (
    dynamo.CONFIG.at,
    inductor.AOT_CONFIG.at,
    inductor.CONFIG.at,
    "torch.compiler.config",
    names.FX_CONFIG.at,
)
_DEVICES = ("cpu", "cuda")
_PRECISIONS = tuple(
    (backend, part)
    for backend, parts in (
        ("generic", ("all",)),
        ("cuda", ("all", "matmul", "conv", "rnn")),
        ("mkldnn", ("all", "matmul", "conv", "rnn")),
    )
    for part in parts
)
"""What torch.backends has an `fp32_precision` of (torch/backends/__init__.py)."""


@dataclass(frozen=True)
class _Setting:
    """One value that the process has, with its name for people."""

    name: str
    read: Callable[[], object]
    write: Callable[[Any], object]


def read() -> dict[str, object]:
    """The value of everything that could be read, by name, in a few tenths of a millisecond. Imports nothing."""
    # What is set in torch's configs, by `module:key`; a value that is the key's default is not listed.
    unset = names.CONFIG_UNSET.get() if names.CONFIG_UNSET.here else None
    found: dict[str, object] = {}
    for module in _CONFIGS:
        for key, entry in _entries(module).items():
            value = entry.user_override
            # One for each thread in newer versions (torch/utils/_config_module.py).
            value = value.get() if isinstance(value, ContextVar) else value
            # Reading a key sets it to a copy of its default, if that can be changed in place.
            if value is not unset and not _same(value, _default(entry, unset)):
                found[f"{module}:{key}"] = _copied(value)
    return {**{setting.name: _value(setting) for setting in _settings()}, **found}


def put_back(before: Mapping[str, object]) -> list[str]:
    """Make the state what it was; returns what was different, as `name = value`."""
    now = read()
    left = changed(before, now)
    if not left:
        return []
    with names.UNFROZEN.get()() if names.UNFROZEN.here else nullcontext():
        for setting in _settings():
            # Read again: writing one may change another.
            if setting.name in before and not _same(
                before[setting.name], _value(setting)
            ):
                setting.write(before[setting.name])
    for name in sorted(now.keys() | before.keys()):
        module, _, key = name.partition(":")
        if key and not _same(before.get(name, _UNKNOWN), now.get(name, _UNKNOWN)):
            value = before.get(name, _UNKNOWN)
            if value is _UNKNOWN:
                value = _default(_entries(module)[key], names.CONFIG_UNSET.get())
            setattr(sys.modules[module], key, _copied(value))
    return [name.replace(":", ".") + _shown(now.get(name, _UNKNOWN)) for name in left]


def changed(before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
    """The names of what differs."""
    return [
        name
        for name in dict.fromkeys([*before, *after])
        if not _same(before.get(name, _UNKNOWN), after.get(name, _UNKNOWN))
    ]


def _shown(value: object) -> str:
    return "" if value is _UNKNOWN or isinstance(value, tuple) else f" = {value!r:.60}"


def _value(setting: _Setting) -> object:
    try:
        return setting.read()
    except Exception:  # an older torch version, or a mixture of settings that torch refuses to describe
        return _UNKNOWN


def _same(one: object, other: object) -> bool:
    try:
        return one is other or (type(one) is type(other) and bool(one == other))
    except Exception:  # an object of the user's that cannot be compared
        return False


_STANCE, _DEFAULT_STANCE = "torch.compiler.set_stance", "default"


def _settings() -> Iterable[_Setting]:
    yield from _ALWAYS
    if user_code.STANCE.module not in sys.modules:
        # What it is once a test has imported Dynamo, and has set nothing.
        yield _Setting(_STANCE, lambda: _DEFAULT_STANCE, lambda value: None)
    elif all(
        row.here
        for row in (user_code.STANCE, user_code.SET_STANCE, user_code.STANCE_CLASS)
    ):
        usual = user_code.STANCE_CLASS.get()()
        yield _Setting(
            _STANCE,
            lambda: (
                _DEFAULT_STANCE
                if user_code.STANCE.get() == usual
                else user_code.STANCE.get()
            ),
            lambda value: user_code.SET_STANCE.get()(
                usual if value == _DEFAULT_STANCE else value
            ),
        )


def _attribute(owner: object, name: str, key: str) -> _Setting:
    return _Setting(
        f"{name}.{key}", partial(getattr, owner, key), partial(setattr, owner, key)
    )


def _default_device() -> object:
    context = names.DEVICE_IN_CONTEXT.of(names.DEVICE_CONTEXT.get(), None)
    return None if context is None else context.device


def _precision() -> object:
    return (
        torch.get_float32_matmul_precision(),
        torch.backends.cuda.matmul.allow_tf32,
        torch.backends.cudnn.allow_tf32,
        *(names.GET_PRECISION.get()(*of) for of in _PRECISIONS),
    )


def _set_precision(before: tuple[Any, ...]) -> None:
    # In this order: the older settings overwrite the newer ones (aten/src/ATen/Context.cpp).
    torch.set_float32_matmul_precision(before[0])
    torch.backends.cuda.matmul.allow_tf32 = before[1]
    torch.backends.cudnn.allow_tf32 = before[2]
    for of, value in zip(_PRECISIONS, before[3:], strict=True):
        names.SET_PRECISION.get()(*of, value)


_ALWAYS = (
    _Setting(
        "torch.set_default_dtype", torch.get_default_dtype, torch.set_default_dtype
    ),
    _Setting("torch.set_default_device", _default_device, torch.set_default_device),
    _Setting("torch.set_num_threads", torch.get_num_threads, torch.set_num_threads),
    _Setting("torch.set_grad_enabled", torch.is_grad_enabled, torch.set_grad_enabled),
    _Setting(
        "torch.use_deterministic_algorithms",
        torch.get_deterministic_debug_mode,
        torch.set_deterministic_debug_mode,
    ),
    _attribute(
        torch.utils.deterministic,
        "torch.utils.deterministic",
        "fill_uninitialized_memory",
    ),
    _Setting("float32 matmul and convolution precision", _precision, _set_precision),
    *(
        _attribute(torch.backends.cuda.matmul, "torch.backends.cuda.matmul", key)
        for key in (
            "allow_fp16_reduced_precision_reduction",
            "allow_bf16_reduced_precision_reduction",
            "allow_fp16_accumulation",
        )
    ),
    *(
        _attribute(torch.backends.cudnn, "torch.backends.cudnn", key)
        for key in ("enabled", "benchmark", "deterministic")
    ),
    *(
        _Setting(
            f"torch.backends.cuda.enable_{kind}_sdp",
            getattr(torch.backends.cuda, f"{kind}_sdp_enabled"),
            getattr(torch.backends.cuda, f"enable_{kind}_sdp"),
        )
        for kind in ("flash", "mem_efficient", "math", "cudnn")
    ),
    *(
        setting
        for device in _DEVICES
        for setting in (
            _Setting(
                f"torch.autocast({device!r})",
                partial(torch.is_autocast_enabled, device),
                partial(torch.set_autocast_enabled, device),
            ),
            _Setting(
                f"torch.set_autocast_dtype({device!r})",
                partial(torch.get_autocast_dtype, device),
                partial(torch.set_autocast_dtype, device),
            ),
        )
    ),
)


def _entries(module: str) -> Mapping[str, Any]:
    known = sys.modules.get(module)
    return (
        names.CONFIG_ENTRIES.of(known)
        if known is not None and names.CONFIG_ENTRIES.here
        else {}
    )


def _default(entry: Any, unset: object) -> object:
    return (
        entry.default if entry.env_value_default is unset else entry.env_value_default
    )


def _copied(value: object) -> object:
    """A list, set or dictionary apart from what the config holds, which can be changed in place."""
    return value.copy() if type(value) in (list, set, dict) else value  # type: ignore[attr-defined]
