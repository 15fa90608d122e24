"""Starts each test from the session's state: what a test leaves set in torch is put back, and named."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Generator
from typing import Any

import pytest

from pytest_compile_golden.errors import CaseWarning
from pytest_compile_golden.plugin.selection import target_of

_BEFORE = pytest.StashKey[dict[str, object]]()


class SessionState:
    """The session's state is what conftest.py files and fixtures of a wider scope than the test have set.

    It is read before the first fixture of the test itself, and put back after the last. torch is imported for that only
    if the test is a case.
    """

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Generator[None, object, object]:
        if fixturedef.scope == "function":
            self._begin(request.node)
            return (yield)
        # A test may ask for it while it runs (getfixturevalue): what it sets is the session's state from then on.
        before = request._pyfuncitem.stash.get(_BEFORE, None)
        if before is None:
            return (yield)
        from pytest_compile_golden.observe import process_state

        outside = process_state.read()
        try:
            return (yield)
        finally:
            inside = process_state.read()
            for name in process_state.changed(outside, inside):
                before.pop(name, None)
                if name in inside:
                    before[name] = inside[name]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> None:
        self._begin(item)  # a test without fixtures of its own

    def _begin(self, item: pytest.Item) -> None:
        if _BEFORE in item.stash or not ("torch" in sys.modules or _needs_torch(item)):
            return
        from pytest_compile_golden.observe import process_state

        item.stash[_BEFORE] = dict(process_state.read())
        # The first finalizer is the last to run.
        item.addfinalizer(lambda: _put_back(item))


def _needs_torch(item: pytest.Item) -> bool:
    """Whether the test is a case for one of our own targets, which import torch."""
    from pytest_compile_golden.targets import get_target

    name = target_of(item)
    return name is not None and type(get_target(name)).__module__.startswith("pytest_compile_golden.")


def _put_back(item: pytest.Item) -> None:
    from pytest_compile_golden.observe import process_state

    before: dict[str, object] = item.stash[_BEFORE]
    left = process_state.put_back(before)
    del item.stash[_BEFORE]
    if left:
        warnings.warn(
            f"{item.nodeid} left {', '.join(left)}. It was put back, so that no other test depends on it: undo it in "
            "the test or its fixture, or set it for all tests in conftest.py.",
            CaseWarning,
            stacklevel=1,
        )
