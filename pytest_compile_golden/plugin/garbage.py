"""Keeps the garbage collector from scanning over and over what the first case imported."""

from __future__ import annotations

import gc

import pytest

from pytest_compile_golden.plugin.fixtures import CASE


class Garbage:
    """Excludes what is alive after a process's first case from every later garbage collection.

    torch and its compiler are half a million objects, and a case creates enough new ones for the collector to scan all
    of them every few cases, which took a fifth of their time.
    """

    def __init__(self) -> None:
        self._left_out = False

    # Last: the case has left its target.
    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item: pytest.Item, nextitem: pytest.Item | None) -> None:
        if nextitem is not None and CASE in item.stash and not self._left_out:
            gc.collect()
            gc.freeze()
            self._left_out = True

    def pytest_configure(self, config: pytest.Config) -> None:
        # Runs after pytest's own clean-up, which was registered later and collects garbage twice.
        config.add_cleanup(self._put_back)

    def _put_back(self) -> None:
        # When the interpreter exits it destroys everything; C++ bindings complain about what it leaves.
        if self._left_out:
            gc.unfreeze()
