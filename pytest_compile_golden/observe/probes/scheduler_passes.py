"""The scheduler's part of the pass ledger: what it does to its list of nodes, step by step."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from types import NoneType
from typing import Any

from pytest_compile_golden.facts.graphs import Pass
from pytest_compile_golden.facts.schedules import PassDiff, Schedule
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.probes.passes import UNOBSERVED
from pytest_compile_golden.observe.probes.scheduler import groups_of
from pytest_compile_golden.observe.source_locations import source_of, summary
from pytest_compile_golden.observe.torch_hooks import Hooks
from pytest_compile_golden.torch_internals import MissingName
from pytest_compile_golden.torch_internals import inductor as names

_CUSTOM = (names.PRE_FUSION_PASS, names.POST_FUSION_PASS)

Shape = list[tuple[str, str]]


def _shape(nodes: list[Any]) -> Shape:
    """Identifies a list of nodes: each group's name, which is made up of its members' names, and its loops."""
    return [(node.get_name(), str(names.GROUP.of(node, None))) for node in nodes]


class SchedulerPassesProbe:
    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        for slot in _CUSTOM:
            slot.resolve()  # read inside the scheduler, where nothing may be missing
        steps = _Steps(recorder)
        hooks.replace(
            names.SCHEDULER_INIT, functools.partial(_with_custom_passes, steps, hooks)
        )
        for row in names.STEPS:
            if row.expected:
                hooks.replace(row, functools.partial(steps.watched, hooks, row.last))


def _with_custom_passes(
    steps: _Steps, hooks: Hooks, original: Callable[..., Any]
) -> Callable[..., Any]:
    """`original`, the scheduler's `_init`, with the user's configured passes watched while it runs."""
    config = names.CONFIG.get()

    def wrapper(scheduler: Any, *args: Any, **kwargs: Any) -> Any:
        passes = {row.qualified: row.get() for row in _CUSTOM}
        watched = {
            slot: steps.watched(hooks, f"{slot} / {source_of(run)[0]}", run)
            for slot, run in passes.items()
            if run is not None
        }
        before = steps.scheduler, steps.last
        steps.scheduler, steps.last = scheduler, None
        try:
            with config.patch(watched):
                return original(scheduler, *args, **kwargs)
        finally:
            steps.scheduler, steps.last = before

    return wrapper


class _Steps:
    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.scheduler: Any = None
        self.last: tuple[Shape, Schedule] | None = None
        """The nodes as the last step left them."""
        self.running = False

    def watched(
        self, hooks: Hooks, name: str, original: Callable[..., Any]
    ) -> Callable[..., Any]:
        """`original`, a step that takes and returns a list of nodes, or works on the scheduler's own list."""
        begin = hooks.guarded(name, functools.partial(self._begin, name))
        end = hooks.guarded(name, functools.partial(self._end, name, original))

        @functools.wraps(original)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if self.scheduler is None or self.running:
                return original(*args, **kwargs)  # part of the running step
            # Methods take the nodes after self, functions take them first.
            nodes = next(
                (argument for argument in args if isinstance(argument, list)), None
            )
            before = begin(nodes)
            self.running = True
            started = time.perf_counter()
            try:
                result = original(*args, **kwargs)
            finally:
                self.running = False
            if before is not None:
                end(before, result, started, time.perf_counter() - started)
            return result

        return wrapper

    def _begin(self, name: str, listed: list[Any] | None) -> tuple[Shape, Schedule]:
        nodes = self.scheduler.nodes if listed is None else listed
        shape = _shape(nodes)
        if self.last is None or shape != self.last[0]:
            current = shape, self._schedule(nodes)
            if self.last is not None:
                row = Pass(
                    self.recorder.key,
                    "scheduler",
                    UNOBSERVED,
                    None,
                    0,
                    0,
                    True,
                    started=time.perf_counter(),
                )
                self._write(row, self.last, current)
            self.last = current
        return self.last

    def _end(
        self,
        name: str,
        original: Any,
        before: tuple[Shape, Schedule],
        result: Any,
        started: float,
        seconds: float,
    ) -> None:
        if not isinstance(result, (list, NoneType)):
            raise MissingName(
                f"the scheduler's step {name} returns a {type(result).__name__} and no list"
            )
        nodes = self.scheduler.nodes if result is None else result
        shape = _shape(nodes)
        self.last = before if shape == before[0] else (shape, self._schedule(nodes))
        row = Pass(
            key=self.recorder.key,
            phase="scheduler",
            name=name,
            where=source_of(original)[1],
            before=0,
            after=0,
            changed=self.last is not before,
            summary=summary(original),
            started=started,
            seconds=seconds,
        )
        self._write(row, before, self.last)

    def _write(
        self, row: Pass, before: tuple[Shape, Schedule], after: tuple[Shape, Schedule]
    ) -> None:
        row.before, row.after = len(before[0]), len(after[0])
        self.recorder.add("passes", row)
        if row.changed:
            self.recorder.add(
                "pass_diffs",
                PassDiff(row.key, row.phase, row.name, before[1], after[1]),
            )

    def _schedule(self, nodes: list[Any]) -> Schedule:
        return Schedule(self.recorder.key.label, groups_of(nodes, with_body=False))
