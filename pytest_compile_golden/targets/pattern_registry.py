"""Keep the pattern-matcher patterns of targets apart: torch registers them once per process, for one device."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pytest_compile_golden.targets.import_torch import imported
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import device as names

_PACKAGE = "torch._inductor.fx_passes"


Passes = dict[int, Any]
"""PatternMatcherPass objects by id: two of them that hold the same patterns are not the same pass."""
_Copy = Callable[[dict[Any, list[Any]]], dict[Any, list[Any]]]


def _copied(entries: dict[Any, list[Any]]) -> dict[Any, list[Any]]:
    """With its own lists: torch appends to those that it has."""
    return {key: list(values) for key, values in entries.items()}


class _Contents:
    """What is registered in every PatternMatcherPass of the process."""

    def __init__(self, passes: Passes, copied: _Copy = _copied) -> None:
        """copied: `dict` if the passes are about to hold something else, and leave their lists to these contents."""
        self.patterns = {
            key: copied(matcher.patterns) for key, matcher in passes.items()
        }
        # With these torch notices that a pattern is registered twice (pattern_matcher.py: register_replacement).
        self.seen = {key: copied(_seen(matcher)) for key, matcher in passes.items()}

    def show(self, passes: Passes, copied: _Copy = _copied) -> None:
        """Make the passes hold these contents; a pass that was made after they were recorded keeps its own.

        copied: `dict` if these contents are not asked for again.
        """
        for key, matcher in passes.items():
            if key in self.patterns:
                # In place: torch's modules, and whoever imported from them, hold the dictionaries themselves.
                for shown, wanted in (
                    (matcher.patterns, self.patterns[key]),
                    (_seen(matcher), self.seen[key]),
                ):
                    shown.clear()
                    shown.update(copied(wanted))

    def without(self, others: _Contents) -> _Contents:
        """These contents without the patterns in `others`, compared by what they match and how they are applied."""
        for key, patterns in self.patterns.items():
            for operator, entries in patterns.items():
                drop = {
                    _identity(entry)
                    for entry in others.patterns.get(key, {}).get(operator, ())
                }
                entries[:] = [
                    entry for entry in entries if _identity(entry) not in drop
                ]
            for text in others.seen.get(key, {}):
                self.seen[key].pop(text, None)
        return self


class _Lazy(NamedTuple):
    """A torch function that its cache runs only once, registering patterns for the device it is first run for."""

    module: str
    name: str
    function: Any

    def put(self, patches: Patches, run_once: Callable[..., Any]) -> None:
        """Make torch call `run_once` instead."""
        patches.replace(sys.modules[self.module], self.name, run_once)


@dataclass
class _Own:
    """One target's patterns, and its own run-once caches of the functions that register them."""

    contents: _Contents
    once: dict[str, Callable[..., Any]] = field(default_factory=dict)
    """By module and name. Torch's own caches say "done" for whichever target came first."""


_pristine: _Contents | None = None
"""What import alone registers: each target starts with this."""
_own: dict[str, _Own] = {}


def install(patches: Patches, key: str) -> None:
    """Show the patterns of target `key` until `patches` are undone, registered afresh on its first use.

    The joint-graph and post-grad passes register most patterns lazily, once per input device, into global lists
    (torch/_inductor/fx_passes/joint_graph.py `lazy_init`). Otherwise, a target's set would depend on what the process
    compiled before, and patterns traced for one device would be tried on another.
    """
    global _pristine
    _import_all()
    passes = _passes()
    if _pristine is None:
        _pristine = _without_lazy_ones(passes)
    own = _own.setdefault(key, _Own(_pristine))
    outside = _Contents(passes, dict)

    def swap_back() -> None:
        own.contents = _Contents(passes, dict)
        outside.show(passes, dict)

    patches.callback(swap_back)
    own.contents.show(passes)
    for lazy in _lazy_functions():
        full_name = f"{lazy.module}.{lazy.name}"
        lazy.put(
            patches,
            own.once.setdefault(full_name, functools.cache(lazy.function.__wrapped__)),
        )


@functools.cache
def _import_all() -> None:
    # A module first imported inside a target would register its eager patterns into that target's set only.
    package = names.FX_PASSES.get()
    for submodule in pkgutil.iter_modules(package.__path__):
        if submodule.name != "fb":  # for Meta's own builds
            try:
                importlib.import_module(f"{_PACKAGE}.{submodule.name}")
            except ImportError:
                # Needs an optional package that torch.compile would not find either.
                continue
    names.PRODUCT_KERNELS.get()


def _seen(matcher: Any) -> dict[str, list[Any]]:
    seen: dict[str, list[Any]] = names.SEEN_PATTERNS.of(matcher)
    return seen


def _passes() -> Passes:
    """All PatternMatcherPass objects that torch's fx_passes hold; they live as long as the process."""
    PatternMatcherPass = names.MATCHER.get()
    sought = (list, tuple, dict, PatternMatcherPass)
    matchers: Passes = {}
    looked_into: set[int] = set()  # many modules hold the table of all lowerings
    waiting: list[Iterable[Any]] = [
        vars(module).values()
        for module in imported(_PACKAGE, "torch._inductor.kernel").values()
    ]
    while waiting:
        for value in waiting.pop():
            if not isinstance(value, sought):
                continue
            if isinstance(value, PatternMatcherPass):
                matchers[id(value)] = value
            elif id(value) not in looked_into:
                looked_into.add(id(value))
                waiting.append(value.values() if isinstance(value, dict) else value)
    return matchers


def lazy_registrations() -> tuple[str, ...]:
    """The torch functions that register patterns, once per process, as `module:name`."""
    return tuple(f"{lazy.module}:{lazy.name}" for lazy in _lazy_functions())


def _lazy_functions() -> Iterator[_Lazy]:
    """The cached functions of fx_passes that register patterns as a side effect, recognized by torch's naming."""
    for name in imported(_PACKAGE):
        yield from _lazy_functions_in(name)


@functools.cache
def _lazy_functions_in(module: str) -> tuple[_Lazy, ...]:
    return tuple(
        _Lazy(module, name, value)
        for name, value in list(vars(sys.modules[module]).items())
        if (name.endswith("_init") or name.startswith("_register_"))
        and isinstance(value, functools._lru_cache_wrapper)
        and value.__module__ == module
    )


def _identity(entry: Any) -> str:
    """Equal for entries that match the same and do the same with it: torch makes new objects on each registration."""
    return f"{type(entry).__name__} {entry.pattern!r}"


def _without_lazy_ones(passes: Passes) -> _Contents:
    """What import alone registers, even if the process has compiled with Inductor before it entered any target."""
    contents = _Contents(passes)
    ran = [lazy for lazy in _lazy_functions() if lazy.function.cache_info().currsize]
    if not ran:
        return contents
    # Register the lazy ones once more, into empty passes, to recognize them by what they match.
    import torch

    with Patches() as patches:
        patches.callback(_Contents(passes).show, passes)
        for matcher in passes.values():
            matcher.patterns.clear()
            _seen(matcher).clear()
        for lazy in _lazy_functions():
            lazy.put(patches, functools.cache(lazy.function.__wrapped__))
        for lazy in ran:
            if lazy.name == "lazy_init":  # it runs the others
                sys.modules[lazy.module].lazy_init(torch.device("cpu"))
        lazily = _Contents(passes)
    return contents.without(lazily)
