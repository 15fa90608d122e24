"""The replacement patterns of torch: a function to find, the function to put in its place, and inputs for both."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unittest import mock

from pytest_compile_golden.observe.source_locations import source_of
from pytest_compile_golden.torch_names import patterns as names


@dataclass(frozen=True)
class Registered:
    """One pattern, as torch registers it for some inputs."""

    name: str
    where: str | None
    search: Callable[..., Any]
    replacement: Callable[..., Any]
    inputs: Sequence[Any]
    """Those that torch traces it with."""
    numbers: Mapping[str, float]
    """Values of the numbers that it takes: any other would match too."""


@contextlib.contextmanager
def watched() -> Iterator[list[Registered]]:
    """Notes every replacement pattern that is registered in the block.

    torch keeps only what it traced of them (torch/_inductor/pattern_matcher.py: register_replacement), so they must
    not be registered yet: use this before the first compile for a target.
    """
    found: list[Registered] = []
    owner, attribute = names.REGISTER.resolve()
    register = getattr(owner, attribute)
    signature = inspect.signature(register)

    def noted(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        found.append(
            Registered(
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
