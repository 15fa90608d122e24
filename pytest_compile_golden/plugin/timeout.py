"""A time limit for one case: if torch hangs, that case fails, not the run.

Not pytest-timeout: if C++ hangs and holds the GIL, neither its signal nor its thread gets to run (faulthandler's
timer, in C, does), and its thread ends the whole process even if an exception could still fail just the case.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import threading
import time
import traceback
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

from pytest_compile_golden.plugin.selection import target_of
from pytest_compile_golden.vocabulary import SWITCH

_FRAMES = 8
_DEADLINE = pytest.StashKey[float]()


class Timeout:
    """Ends a case that hangs in Python with an exception; one that hangs in C ends with its process.

    xdist replaces that process.
    """

    def __init__(self, config: pytest.Config, seconds: float) -> None:
        self._seconds = seconds
        # faulthandler has one timer per process, and pytest's own option takes precedence.
        self._watches = not float(config.getini("faulthandler_timeout") or 0)
        # While a test runs, pytest captures stderr itself.
        self._stderr = os.dup(2)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, None, None]:
        item.stash[_DEADLINE] = time.monotonic() + self._seconds
        with self._limit(item):
            yield

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        with self._limit(item):
            yield

    @contextmanager
    def _limit(self, item: pytest.Item) -> Iterator[None]:
        main = threading.current_thread() is threading.main_thread()
        if target_of(item) is None or not main or item.get_closest_marker("timeout") is not None:
            yield
            return
        left = max(0.01, item.stash[_DEADLINE] - time.monotonic())
        before = signal.signal(signal.SIGALRM, self._alarm)
        signal.setitimer(signal.ITIMER_REAL, left)
        if self._watches:
            # Only Python code sees a signal; faulthandler's thread does not need any to run.
            faulthandler.dump_traceback_later(left + max(2.0, self._seconds / 2), exit=True, file=self._stderr)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            if self._watches:
                faulthandler.cancel_dump_traceback_later()

    def _alarm(self, number: int, frame: FrameType | None) -> None:
        stack = "".join(traceback.format_stack(frame)[-_FRAMES:])
        # Not an Exception: torch catches those and carries on.
        pytest.fail(
            f"no result after {self._seconds:g} s ({SWITCH}-timeout). The case was in:\n{stack}".rstrip(), pytrace=False
        )


def is_on(config: pytest.Config) -> bool:
    """Whether pytest-timeout already limits this run; two alarms in one process would cancel each other."""
    if not config.pluginmanager.hasplugin("timeout"):
        return False
    try:
        limit = config.getoption("timeout", None) or config.getini("timeout") or os.environ.get("PYTEST_TIMEOUT")
    except (ValueError, KeyError):
        limit = None
    return bool(limit and float(str(limit)) > 0)
