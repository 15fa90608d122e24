"""The patterns of torch: those with a function to put in their place, and those that a function of torch handles."""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

from pytest_compile_golden.observe.source_locations import source_of
from pytest_compile_golden.torch_names import device, eject, inductor
from pytest_compile_golden.torch_names import patterns as names


@dataclass(frozen=True)
class Replaced:
    """One pattern that torch replaces, as it is registered for some inputs."""

    name: str
    where: str | None
    search: Callable[..., Any]
    replacement: Callable[..., Any]
    inputs: Sequence[Any]
    """Those that torch traces it with."""
    numbers: Mapping[str, float]
    """Values of the numbers that it takes: any other would match too."""


@dataclass(frozen=True)
class Handled:
    """One pattern whose matches a function of torch handles."""

    name: str
    where: str | None
    entry: Any
    """Has the `pattern`, and is asked to `apply` it to a match."""
    config: Mapping[str, Any] = field(default_factory=dict)
    """Settings of Inductor with which its pass runs."""


@contextlib.contextmanager
def watched() -> Iterator[list[Replaced]]:
    """Notes every replacement pattern that is registered in the block.

    torch keeps only what it traced of them (torch/_inductor/pattern_matcher.py: register_replacement), so they must
    not be registered yet: use this before the first compile for a target.
    """
    found: list[Replaced] = []
    owner, attribute = names.REGISTER.resolve()
    register = getattr(owner, attribute)
    signature = inspect.signature(register)

    def noted(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        found.append(
            Replaced(
                *source_of(given["search_fn"]),
                given["search_fn"],
                given["replace_fn"],
                tuple(given["example_inputs"]),
                {**(given.get("scalar_workaround") or {})},
            )
        )
        return register(*args, **kwargs)

    with mock.patch.object(owner, attribute, noted):
        yield found


def handled() -> list[Handled]:
    """The patterns in the passes of all modules of Inductor that are imported."""
    found: dict[int, Handled] = {}
    for module in [module for name, module in [*sys.modules.items()] if name.startswith("torch._inductor.")]:
        for name, value in [*vars(module).items()]:
            for key, of in value.items() if isinstance(value, dict) else [("", value)]:
                for matching in of if isinstance(of, (list, tuple)) else [of]:
                    for entry in _handlers(matching):
                        new = Handled(*source_of(entry.handler), entry, _switched_on(name.lower(), key))
                        found.setdefault(id(entry), new)
    return [*found.values()]


def _handlers(value: Any) -> Iterator[Any]:
    every = names.ENTRIES.of(value).values() if isinstance(value, device.MATCHER.get()) else ()
    yield from (entry for several in every for entry in several if not isinstance(entry, eject.REPLACEMENT_ENTRY.get()))


def _switched_on(name: str, key: object) -> dict[str, Any]:
    """What makes a pass run that does not by default: the option with its name, or the switch."""
    config, option = inductor.CONFIG.get(), name.replace("_patterns", "_fusion_options")
    if key and isinstance(getattr(config, option, None), dict):
        return {option: {"normalization_pass": {}, key: {}} if option.startswith("pre_") else {key: {}}}
    return {name: True} if getattr(config, name, None) is False else {}
