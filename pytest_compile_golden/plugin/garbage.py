"""What the first case imported is no garbage: Python need not look through it again and again."""

from __future__ import annotations

import gc

import pytest

from pytest_compile_golden.plugin.fixtures import CASE


class Garbage:
    """Leaves what lives after a process's first case out of every later search for garbage.

    torch and its compiler are half a million objects, and a case makes enough new ones for the collector to go through
    all of them every few cases, which took a fifth of their time.
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
        # Behind pytest's own clean-up, which was registered later and searches for garbage twice.
        config.add_cleanup(self._put_back)

    def _put_back(self) -> None:
        # At its end the interpreter takes everything apart; bindings of C++ complain of what it leaves.
        if self._left_out:
            gc.unfreeze()
