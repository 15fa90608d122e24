"""Keep each target's pattern-matcher patterns apart: torch registers them once per process, for one device."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterator
from typing import Any

from pytest_compile_golden.targets.patching import Patches

_PACKAGE = "torch._inductor.fx_passes"


class _Contents:
    """What is registered in every PatternMatcherPass of the process."""

    def __init__(self, passes: dict[int, Any]) -> None:
        self.patterns = {key: {at: list(all_) for at, all_ in each.patterns.items()} for key, each in passes.items()}
        self.seen = {key: {text: list(all_) for text, all_ in _seen(each).items()} for key, each in passes.items()}

    def show(self, passes: dict[int, Any]) -> None:
        """Make the passes hold this; a pass made later than this was taken keeps what it has."""
        for key, each in passes.items():
            if key in self.patterns:
                _refill(each.patterns, self.patterns[key])
                _refill(_seen(each), self.seen[key])

    def without(self, others: _Contents) -> _Contents:
        """This, minus each pattern that is also in `others`: told apart by what it matches and how it is applied."""
        for key, patterns in self.patterns.items():
            for at, entries in patterns.items():
                drop = {_identity(entry) for entry in others.patterns.get(key, {}).get(at, ())}
                entries[:] = [entry for entry in entries if _identity(entry) not in drop]
            for text in others.seen.get(key, {}):
                self.seen[key].pop(text, None)
        return self


class _Own:
    """One target's patterns, and its own run-once caches of the functions that register them."""

    def __init__(self, contents: _Contents) -> None:
        self.contents = contents
        self.once: dict[tuple[str, str], Callable[..., Any]] = {}


_pristine: _Contents | None = None
_own: dict[str, _Own] = {}


def install(patches: Patches, key: str) -> None:
    """Show the patterns of target `key` until `patches` are undone, registered afresh on its first use.

    The joint-graph and post-grad passes register most patterns lazily, once per input device, into global lists
    (torch/_inductor/fx_passes/joint_graph.py `lazy_init`). Without this a target's set would depend on what the process
    compiled before, and patterns traced for one device would be tried on another.
    """
    global _pristine
    _import_all()
    passes = _passes()
    if _pristine is None:
        _pristine = _without_lazy_ones(passes)
    own = _own.setdefault(key, _Own(_pristine))
    outside = _Contents(passes)

    def swap_back() -> None:
        own.contents = _Contents(passes)
        outside.show(passes)

    patches.callback(swap_back)
    own.contents.show(passes)
    for module, name, lazy in _lazies():
        once = own.once.setdefault((module, name), functools.cache(lazy.__wrapped__))
        patches.replace(sys.modules[module], name, once)


@functools.cache
def _import_all() -> None:
    # A module first imported inside a target would register its eager patterns into that target's set only.
    package = importlib.import_module(_PACKAGE)
    for found in pkgutil.iter_modules(package.__path__):
        if found.name not in ("fb",):
            try:
                importlib.import_module(f"{_PACKAGE}.{found.name}")
            except ImportError:  # needs an optional package that torch.compile would not find either
                continue
    importlib.import_module("torch._inductor.kernel.mm")


def _seen(each: Any) -> dict[str, list[Any]]:
    return getattr(each, "seen_patterns", {})


def _refill(mapping: dict[Any, list[Any]], contents: dict[Any, list[Any]]) -> None:
    mapping.clear()
    for at, entries in contents.items():
        mapping[at] = list(entries)


def _passes() -> dict[int, Any]:
    """All PatternMatcherPass objects that torch's fx_passes hold, by id; they live as long as the process."""
    from torch._inductor.pattern_matcher import PatternMatcherPass

    found: dict[int, Any] = {}

    def collect(value: object) -> None:
        if isinstance(value, PatternMatcherPass):
            found[id(value)] = value
        elif isinstance(value, (list, tuple)):
            for each in value:
                collect(each)
        elif isinstance(value, dict):
            for each in list(value.values()):
                if isinstance(each, (PatternMatcherPass, list, tuple)):
                    collect(each)

    for name, module in list(sys.modules.items()):
        if name.startswith((_PACKAGE, "torch._inductor.kernel")):
            for value in list(vars(module).values()):
                if isinstance(value, (PatternMatcherPass, list, tuple, dict)):
                    collect(value)
    return found


def _lazies() -> Iterator[tuple[str, str, Any]]:
    """The cached functions of fx_passes that register patterns as a side effect: (module, name, function)."""
    for module_name, module in list(sys.modules.items()):
        if not module_name.startswith(_PACKAGE):
            continue
        for name, value in list(vars(module).items()):
            registers = name.endswith("_init") or name.startswith("_register_")
            if registers and isinstance(value, functools._lru_cache_wrapper) and value.__module__ == module_name:
                yield module_name, name, value


def _identity(entry: Any) -> tuple[str, str]:
    return type(entry).__name__, repr(entry.pattern)


def _without_lazy_ones(passes: dict[int, Any]) -> _Contents:
    """What import alone registers, even if the process has compiled with Inductor before it entered any target."""
    contents = _Contents(passes)
    ran = [(module, name, lazy) for module, name, lazy in _lazies() if lazy.cache_info().currsize]
    if not ran:
        return contents
    # Register the lazy ones once more, into empty passes, to know them by what they match.
    import torch

    with Patches() as patches:
        patches.callback(_Contents(passes).show, passes)
        for each in passes.values():
            each.patterns.clear()
            _seen(each).clear()
        for module, name, lazy in _lazies():
            patches.replace(sys.modules[module], name, functools.cache(lazy.__wrapped__))
        for module, name, _ in ran:
            if name == "lazy_init":
                sys.modules[module].lazy_init(torch.device("cpu"))
        lazily = _Contents(passes)
    return contents.without(lazily)
