"""Programs of a launch that wait for each other: each runs until it waits, and then another one does."""

from __future__ import annotations

import ast
import inspect
import textwrap
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pytest_compile_golden.features.numerics.interpreter.kernel_faults import Fault
from pytest_compile_golden.torch_internals import user_code

JITFunction = user_code.JIT_FUNCTION.get()
_ROUNDS = 64
"""How often all programs may wait one after another, without any of them writing, until they wait for ever."""


class _Ended(BaseException):
    """Ends a program that is waiting when its launch ends with an error."""


class _Worker(threading.Thread):
    """A thread that runs programs until one of them waits; then that one has it for itself."""

    def __init__(self, work: Callable[[], None]) -> None:
        super().__init__(daemon=True)
        self.work = work
        self.go, self.paused = threading.Semaphore(0), threading.Semaphore(0)
        self.error: BaseException | None = None
        self.done = self.ending = False

    def run(self) -> None:
        self.go.acquire()
        try:
            with np.errstate(all="ignore"):  # which is a thread's own
                self.work()
        except _Ended:
            pass
        except BaseException as error:  # the launch's thread raises it
            self.error = error
        self.done = True
        self.paused.release()

    def resume(self) -> None:
        """Let it run until it waits or ends. Raises what its program raised."""
        self.go.release()
        self.paused.acquire()
        if self.error is not None:
            raise self.error

    def wait(self) -> None:
        """Called by the thread itself."""
        self.paused.release()
        self.go.acquire()
        if self.ending:
            raise _Ended


class Turns:
    """The programs of one launch, of which one runs at a time."""

    def __init__(self) -> None:
        self._current: _Worker | None = None
        self._waits = 0
        self._live = 0

    def run(self, count: int, program: Callable[[int], None]) -> None:
        """Run `program` with each number below `count`. Raises what it raises, and Fault if all wait for ever."""
        started = 0

        def work() -> None:
            nonlocal started
            while started < count:
                started += 1
                program(started - 1)

        waiting: deque[_Worker] = deque()
        try:
            while started < count or waiting:
                if started < count:
                    worker = _Worker(work)
                    worker.start()
                else:
                    worker = waiting.popleft()
                waiting.append(worker)
                self._current, self._live = worker, len(waiting)
                worker.resume()
                if worker.done:
                    waiting.remove(worker)
        finally:
            self._current = None
            for worker in waiting:
                worker.ending = True
                worker.go.release()
            for worker in waiting:
                worker.join()

    def wrote(self) -> None:
        """A program has changed memory, so what the others wait for may have happened."""
        self._waits = 0

    def wait(self) -> None:
        """The program that calls this has only looked at memory, perhaps not for the last time: let the others run.

        Raises Fault if all of them only wait.
        """
        if self._current is None:
            return
        self._waits += 1
        if self._waits > _ROUNDS * self._live:
            raise Fault(
                "waits", "waits for something that no program of this launch does"
            )
        self._current.wait()


def may_wait(function: Any, lines: Sequence[str], known: dict[Any, bool]) -> bool:
    """Whether a kernel, or a function that it calls, has a loop that may end when other programs have done something.

    function: what is under triton.jit. lines: its source. known: the answers so far.
    """
    if function in known:
        return known[function]
    known[function] = False  # what is asked for it meanwhile is a recursion
    tree = ast.parse(textwrap.dedent("".join(lines)))
    names = {**function.__globals__, **inspect.getclosurevars(function).nonlocals}
    called = [
        _value(node.func, names)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
    ]
    known[function] = any(
        isinstance(node, ast.While) for node in ast.walk(tree)
    ) or any(
        may_wait(each.fn, each.raw_src, known)
        for each in called
        if isinstance(each, JITFunction)
    )
    return known[function]


def _value(expression: ast.expr, names: dict[str, Any]) -> Any:
    """What a dotted name means; None for other expressions."""
    if isinstance(expression, ast.Name):
        return names.get(expression.id)
    if isinstance(expression, ast.Attribute):
        return getattr(_value(expression.value, names), expression.attr, None)
    return None
