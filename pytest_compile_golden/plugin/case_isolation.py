"""Keeps the cases of one process from affecting each other: what they leave set, what they take, how long they run."""

from __future__ import annotations

import faulthandler
import gc
import logging
import os
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, nullcontext
from importlib import _bootstrap
from importlib.machinery import ModuleSpec
from types import FrameType, ModuleType
from typing import Any

import pytest

from pytest_compile_golden.common.constants import SWITCH
from pytest_compile_golden.common.garbage_collection import set_aside
from pytest_compile_golden.errors import CaseWarning
from pytest_compile_golden.plugin.case_selection import target_of
from pytest_compile_golden.plugin.hookspecs import CASE

_BEFORE = pytest.StashKey[dict[str, object]]()
_IMPORTS = pytest.StashKey["_Imports"]()
_FRAMES = 8
_DEADLINE = pytest.StashKey[float]()


class SessionState:
    """Starts each test from the session's state: what a test leaves set in torch is put back, and named.

    The session's state is what conftest.py files, fixtures of a wider scope than the test and modules have set, the
    latter when they were first imported. A module is imported once per process: were it put back, only the first test
    that imports it would have it.

    It is read before the first fixture of the test itself, and put back after the last. torch is imported for that only
    if the test is a case.
    """

    def __init__(self, suite: bool) -> None:
        """suite: whether the tests are an existing suite, whose habits nobody is told about."""
        self._suite = suite

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(
        self, fixturedef: Any, request: Any
    ) -> Generator[None, object, object]:
        if fixturedef.scope == "function":
            self._begin(request.node)
            return (yield)
        # A test may ask for it while it runs (getfixturevalue): what it sets is the session's state from then on.
        before = request._pyfuncitem.stash.get(_BEFORE, None)
        if before is None:
            return (yield)
        with _kept(before, []):
            return (yield)

    # Around what other plugins set for the test.
    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        self._begin(item)  # a test without fixtures of its own
        return (yield)

    def _begin(self, item: pytest.Item) -> None:
        if _BEFORE in item.stash or not ("torch" in sys.modules or _needs_torch(item)):
            return
        from pytest_compile_golden.observe import global_settings

        item.stash[_BEFORE] = dict(global_settings.read())
        item.stash[_IMPORTS] = _Imports(item.stash[_BEFORE])
        item.stash[_IMPORTS].watch()
        # The first finalizer is the last to run.
        item.addfinalizer(
            lambda: _put_back(item, silent=self._suite and target_of(item) is None)
        )


def _needs_torch(item: pytest.Item) -> bool:
    """Whether the test is a case for one of our own targets, which import torch."""
    from pytest_compile_golden.targets import get_target

    name = target_of(item)
    return name is not None and type(get_target(name)).__module__.startswith(
        "pytest_compile_golden."
    )


def _put_back(item: pytest.Item, *, silent: bool) -> None:
    from pytest_compile_golden.observe import global_settings

    imports = item.stash[_IMPORTS]
    imports.stop()
    before: dict[str, object] = item.stash[_BEFORE]
    left = global_settings.put_back(before)
    del item.stash[_BEFORE], item.stash[_IMPORTS]
    if silent:
        return
    for module, names in imports.made.items():
        warnings.warn(
            f"{item.nodeid} is the first to import {module}, which sets {', '.join(names).replace(':', '.')}. It "
            "stays set, as it does without this plugin. Import it in conftest.py; otherwise what the other tests "
            "compile depends on their order.",
            CaseWarning,
            stacklevel=1,
        )
    if left:
        warnings.warn(
            f"{item.nodeid} changed {', '.join(left)} and did not restore it. It has been reset, so that no other test "
            "depends on it; use monkeypatch, or set it for all tests in conftest.py.",
            CaseWarning,
            stacklevel=1,
        )


@contextmanager
def _kept(before: dict[str, object], names: list[str]) -> Iterator[None]:
    """Make what the block changes part of the state `before` a test, and add its names to `names`."""
    from pytest_compile_golden.observe import global_settings

    outside = global_settings.read()
    try:
        yield
    finally:
        inside = global_settings.read()
        names += global_settings.changed(outside, inside)
        for name in names:
            before.pop(name, None)
            if name in inside:
                before[name] = inside[name]


class _Imports:
    """Makes what modules set while a test imports them first part of the state `before` it."""

    def __init__(self, before: dict[str, object]) -> None:
        self._before = before
        self._inside = False
        self._load: Callable[[ModuleSpec], ModuleType] | None = None
        self._callback: Callable[[], object] | None = None
        self.made: dict[str, list[str]] = {}
        """By module, what it set, or what it imported did."""

    def watch(self) -> None:
        # Python runs a module there, once, however it is imported (importlib/_bootstrap.py: _find_and_load_unlocked).
        # A reload, which is the test's own doing, does not come this way.
        self._load = getattr(_bootstrap, "_load_unlocked", None)
        if self._load is not None:
            vars(_bootstrap)["_load_unlocked"] = self._loading

    def stop(self) -> None:
        if self._load is not None:
            vars(_bootstrap)["_load_unlocked"] = self._load

    def _in_compiled_function(self) -> bool:
        """Whether Dynamo looks at each frame, and would compile the functions that read the state."""
        if self._callback is None and "torch._dynamo" in sys.modules:
            from pytest_compile_golden.torch_internals.dynamo import FRAME_CALLBACK

            self._callback = FRAME_CALLBACK.get() if FRAME_CALLBACK.here else None
        return self._callback is not None and self._callback() not in (None, False)

    def _loading(self, spec: ModuleSpec) -> ModuleType:
        __tracebackhide__ = True
        assert self._load is not None
        if self._inside:
            return self._load(spec)
        # Ours and the private ones of torch set nothing, and are most of what a first compile imports.
        sets_nothing = spec.name.startswith(("pytest_compile_golden.", "torch._"))
        self._inside, names = True, list[str]()
        try:
            with (
                nullcontext()
                if sets_nothing or self._in_compiled_function()
                else _kept(self._before, names)
            ):
                return self._load(spec)
        finally:
            self._inside = False
            if names:
                self.made[spec.name] = names


def release_captured() -> None:
    """Give stderr to handlers that torch made while pytest captured it; call before pytest closes what it captured.

    With TORCH_LOGS=+inductor, torch logs its caches when the interpreter exits (torch/_inductor/remote_cache.py:
    dump_cache_stats).
    """
    for name, logger in logging.Logger.manager.loggerDict.items():
        if name.partition(".")[0] == "torch" and isinstance(logger, logging.Logger):
            for handler in logger.handlers:
                stream = getattr(handler, "stream", None)
                if (
                    isinstance(handler, logging.StreamHandler)
                    and type(stream).__module__ == "_pytest.capture"
                ):
                    # `setStream` flushes the other one, which may be closed.
                    handler.stream = sys.__stderr__


class Garbage:
    """Excludes what is alive when a process's first case begins, and when it ends, from every later garbage collection.

    torch and its compiler are half a million objects, and a case creates enough new ones for the collector to scan all
    of them every few cases, which took a fifth of their time. While they are imported, nothing becomes garbage, and
    scanning takes a tenth of the time: it is off until the first test's body begins. Of what a case creates, most stays
    until it ends: looking for garbage as often as Python does takes a tenth of its time.
    """

    def __init__(self) -> None:
        self._left_out = False
        self._was_on = gc.isenabled()
        gc.disable()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> None:
        if CASE in item.stash and self._was_on:
            # Its target has imported torch: what the case itself leaves is then looked for among its own objects.
            if len(item.session.items) > 1:
                gc.collect()
            gc.freeze()
        self._turn_on()

    # Last: the case has left its target.
    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> None:
        if CASE in item.stash and not self._left_out:
            usual = gc.get_threshold()
            item.config.add_cleanup(lambda: gc.set_threshold(*usual))
            # Until the interpreter exits: pytest collects garbage when the session ends. What the only case of a run
            # has left is not worth a search.
            set_aside(collect=nextitem is not None)
            self._left_out = True

    def pytest_configure(self, config: pytest.Config) -> None:
        config.add_cleanup(self._turn_on)

    def _turn_on(self) -> None:
        if self._was_on:
            self._was_on = False
            gc.enable()


class Timeout:
    """A time limit for one case: one that hangs in Python ends with an exception, one that hangs in C with its process.

    xdist replaces that process. Not pytest-timeout: if C++ hangs and holds the GIL, neither its signal nor its thread
    gets to run (faulthandler's timer, in C, does), and its thread ends the whole process even if an exception could
    still fail just the case.
    """

    def __init__(self, config: pytest.Config, seconds: float, suite: bool) -> None:
        """suite: whether every test is a case."""
        self._seconds = seconds
        self._suite = suite
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
        if (
            not (self._suite or target_of(item))
            or not main
            or item.get_closest_marker("timeout") is not None
        ):
            yield
            return
        left = max(0.01, item.stash[_DEADLINE] - time.monotonic())
        before = signal.signal(signal.SIGALRM, self._alarm)
        signal.setitimer(signal.ITIMER_REAL, left)
        if self._watches:
            # Only Python code sees a signal; faulthandler's thread does not need any to run.
            faulthandler.dump_traceback_later(
                left + max(2.0, self._seconds / 2), exit=True, file=self._stderr
            )
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
            f"no result after {self._seconds:g} s ({SWITCH}-timeout). The case was in:\n{stack}".rstrip(),
            pytrace=False,
        )


def is_limited(config: pytest.Config) -> bool:
    """Whether pytest-timeout already limits this run; two alarms in one process would cancel each other."""
    if not config.pluginmanager.hasplugin("timeout"):
        return False
    try:
        limit = (
            config.getoption("timeout", None)
            or config.getini("timeout")
            or os.environ.get("PYTEST_TIMEOUT")
        )
    except (ValueError, KeyError):
        limit = None
    return bool(limit and float(str(limit)) > 0)
