"""What many captures leave behind in a process: nothing that grows."""

from __future__ import annotations

import functools
import gc
import sys
import types
from collections import Counter
from collections.abc import Iterator

import pytest
import torch

from pytest_compile_golden import capture

# Half of them on each target: anything that every capture there leaves behind shows up that many times. What fills up
# once has done so after the first four: no container then grows by four in forty captures, and each capture leaves
# about ten objects.
COUNT = 24
_WATCHED = ("torch", "triton", "pytest_compile_golden")


def _namespaces() -> Iterator[tuple[str, dict[str, object]]]:
    """The modules of torch, Triton and this package, and the classes in them."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in _WATCHED and isinstance(module, types.ModuleType):
            members = dict(vars(module))
            yield name, members
            for member in members.values():
                if isinstance(member, type) and member.__module__ == name:
                    yield f"{name}.{member.__qualname__}", dict(vars(member))


def identities() -> dict[str, tuple[int, str]]:
    """Every function (method, partial, cache) by qualified name: a different one there wraps the previous one."""
    kinds: tuple[type, ...] = (
        types.FunctionType,
        types.BuiltinFunctionType,
        functools.partial,
    )
    kinds = (*kinds, staticmethod, classmethod, property, functools._lru_cache_wrapper)
    return {
        f"{owner}.{name}": (id(value), type(value).__name__)
        for owner, members in _namespaces()
        for name, value in members.items()
        if isinstance(value, kinds)
    }


def sizes() -> dict[str, int]:
    """The size of every container that lives as long as the process, including function caches."""
    found: dict[str, int] = {}
    for owner, members in _namespaces():
        for name, value in members.items():
            if isinstance(value, (dict, list, set, frozenset)) and name != "__dict__":
                found[f"{owner}.{name}"] = len(value)
            elif isinstance(value, functools._lru_cache_wrapper):
                found[f"{owner}.{name}"] = value.cache_info().currsize
    return found


# Inspecting a deprecated name of torch's is not using it.
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_nothing_grows_with_the_number_of_captures() -> None:
    x = torch.randn(8)

    def take(count: int) -> None:
        for number in range(count):
            capture(
                lambda x: x.sigmoid().sqrt() + 1,
                x,
                target=("cuda-sm90", "cpu-avx2")[number % 2],
            )

    def alive() -> Counter[str]:
        gc.collect()
        return Counter(str(type(thing)) for thing in gc.get_objects())

    take(4)  # what torch imports and registers on first use
    functions, containers, objects = identities(), sizes(), alive()
    take(COUNT)
    now = identities()
    assert {
        name: now.get(name) for name in functions if now.get(name) != functions[name]
    } == {}
    grown = {name: (containers.get(name, 0), size) for name, size in sizes().items()}
    assert {
        name: both for name, both in grown.items() if both[1] - both[0] >= COUNT // 2
    } == {}
    # Caches fill up to their limits; a compile's shapes and fake tensors would be a hundred objects per capture.
    more = alive() - objects
    assert more["<class 'torch._subclasses.fake_tensor.FakeTensorMode'>"] < COUNT // 2
    assert more.total() / COUNT < 30, more.most_common(20)
