"""The cost of compiling, as work rather than time: calls of the functions that each phase consists of.

The counted functions are called for each piece of work, above torch's caches, so the counts do not depend on what the
process compiled earlier. What happens once per process (registering patterns) is not counted, nor what other probes
ask of torch, nor running the compiled code.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from pytest_compile_golden.facts.costs import Work
from pytest_compile_golden.observe.compile_isolation import forget_shapes
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.torch_hooks import Hooks, running_hooks
from pytest_compile_golden.targets.pattern_registry import lazy_registrations
from pytest_compile_golden.torch_internals import compile_cost as names
from pytest_compile_golden.torch_internals import dynamo, inductor, named, scheduler

_RUNNING = ""
"""The phase outside all others: the program is running."""

PHASES = {
    dynamo.TRANSLATOR_RUN: "dynamo",
    dynamo.CHECK_FUNCTION_MANAGER: "guards",
    # From here on the backend; work outside its own phases below is AOTAutograd's.
    dynamo.CALL_USER_COMPILER: "aot",
    inductor.PRE_GRAD_PASSES: "pre_grad",
    inductor.JOINT_PASSES: "joint",
    inductor.PARTITION: "partition",
    inductor.POST_GRAD_PASSES: "post_grad",
    scheduler.RUN: "lowering",
    names.CODEGEN: "codegen",
    names.SCHEDULING: "scheduler",
}
"""The functions that make up phases; one called inside another is a phase of its own."""


class CompileCostProbe:
    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        # Anything answered from these caches would not be computed by counted calls.
        names.FAKE_CACHE.get()()
        forget_shapes()
        _trace_patterns_anew(hooks)
        work = _Counting()
        for name, kind in names.COUNTED.items():
            hooks.replace(name, work.counted(kind))
        for name, phase in PHASES.items():
            hooks.around(name, work.entering(phase), work.leave)
        for made_once in (*map(named, lazy_registrations()), names.EMPTY_GRAPH):
            hooks.around(made_once, work.pause, work.resume)

        def done() -> None:
            work.leave()
            for phase in PHASES.values():
                if counts := work.counts[phase]:
                    took = round(work.seconds[phase] * 1000)
                    recorder.add(
                        "compile_cost", Work(phase, tuple(sorted(counts.items())), took)
                    )

        hooks.on_exit(done)


def _trace_patterns_anew(hooks: Hooks) -> None:
    """Make each capture trace its patterns: since torch 2.15 a pattern traced for some inputs is kept for others."""
    traced: dict[int, tuple[Any, dict[Any, Any]]] = {}

    def of_this_capture(entry: Any) -> Any:
        table, key = entry
        if not isinstance(table, dict):
            raise TypeError(
                f"it answers {type(table).__name__} and {type(key).__name__}"
            )
        # Keep the table alive, so that no other table gets its id.
        return traced.setdefault(id(table), (table, {}))[1], key

    anew = hooks.guarded(names.TRACED_PATTERNS, of_this_capture)

    def make(lookup: Callable[..., Any]) -> Callable[..., Any]:
        def first_in_this_capture(*args: Any, **kwargs: Any) -> Any:
            entry = lookup(*args, **kwargs)
            return entry and (anew(entry) or entry)

        return first_in_this_capture

    if names.TRACED_PATTERNS.expected:
        hooks.replace(names.TRACED_PATTERNS, make)


class _Counting:
    def __init__(self) -> None:
        phases = (_RUNNING, *PHASES.values())
        self.counts: dict[str, Counter[str]] = {phase: Counter() for phase in phases}
        self.seconds: dict[str, float] = dict.fromkeys(phases, 0.0)
        self._running = [_RUNNING]
        self._counts = self.counts[_RUNNING]
        self._since = time.perf_counter()
        self._paused = 0

    def counted(self, kind: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """A wrapper for `Hooks.replace` that counts the calls of a function as `kind`."""

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def wrapper(*args: Any, **kwargs: Any) -> Any:
                if not running_hooks.depth and not self._paused:
                    self._counts[kind] += 1
                return original(*args, **kwargs)

            return wrapper

        return make

    def entering(self, phase: str) -> Callable[..., None]:
        def enter(*args: Any, **kwargs: Any) -> None:
            self._switch([*self._running, phase])

        return enter

    def leave(self, *args: Any, **kwargs: Any) -> None:
        self._switch(self._running[:-1] or [_RUNNING])

    def _switch(self, running: list[str]) -> None:
        now = time.perf_counter()
        self.seconds[self._running[-1]] += now - self._since
        self._since, self._running = now, running
        self._counts = self.counts[running[-1]]

    def pause(self, *args: Any, **kwargs: Any) -> None:
        self._paused += 1

    def resume(self, *args: Any, **kwargs: Any) -> None:
        self._paused -= 1
