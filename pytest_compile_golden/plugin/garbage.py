"""Keeps the garbage collector from scanning over and over what collection and the first case import."""

from __future__ import annotations

import atexit
import gc

import pytest

from pytest_compile_golden.plugin.fixtures import CASE


class Garbage:
    """Excludes what is alive after a process's first case from every later garbage collection.

    torch and its compiler are half a million objects, and a case creates enough new ones for the collector to scan all
    of them every few cases, which took a fifth of their time. While they are imported, nothing becomes garbage, and
    scanning takes a tenth of the time: it is off until the first test's body begins.
    """

    def __init__(self) -> None:
        self._left_out = False
        self._was_on = gc.isenabled()
        gc.disable()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> None:
        self._turn_on()

    # Last: the case has left its target.
    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item: pytest.Item, nextitem: pytest.Item | None) -> None:
        if CASE in item.stash and not self._left_out:
            gc.collect()
            gc.freeze()
            # Not before: pytest collects garbage when the session ends. Not later: when the interpreter exits it
            # destroys everything, and C++ bindings complain about what it leaves.
            atexit.register(gc.unfreeze)
            self._left_out = True

    def pytest_configure(self, config: pytest.Config) -> None:
        config.add_cleanup(self._turn_on)

    def _turn_on(self) -> None:
        if self._was_on:
            self._was_on = False
            gc.enable()
