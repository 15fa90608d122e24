"""The large steps between the passes: tracing, differentiation, lowering, code generation."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from pytest_compile_golden.facts.graphs import Graph, GraphKey, Pass
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.source_locations import source_of, summary
from pytest_compile_golden.observe.torch_hooks import Hooks
from pytest_compile_golden.torch_internals import MissingName, Name, dynamo, inductor
from pytest_compile_golden.torch_internals import scheduler as names

Count = Callable[..., int]


class PipelineProbe:
    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        steps = _Pipeline(hooks, recorder)
        steps.dynamo()
        for row in inductor.DISPATCHERS:
            steps.step(
                "aot",
                row,
                steps.captured,
                lambda result, *args: len(result[0].graph.nodes),
            )
        steps.step(
            "lowering",
            names.RUN,
            lambda graph, *args: len(graph.module.graph.nodes),
            lambda result, graph, *args: len(graph.operations),
        )
        steps.step(
            "codegen",
            names.SCHEDULER_CODEGEN,
            lambda scheduler: len(scheduler.nodes),
            lambda result, scheduler: len(
                dynamo.VIRTUALIZED.get().graph.wrapper_code.lines
            ),
        )
        steps.step(
            "codegen",
            names.WRAPPER_PASSES,
            lambda wrapper, *args: len(wrapper.lines),
            lambda result, wrapper, *args: len(wrapper.lines),
        )


class _Pipeline:
    def __init__(self, hooks: Hooks, recorder: Recorder) -> None:
        self.hooks = hooks
        self.recorder = recorder

    def step(self, phase: str, name: Name, before: Count, after: Count) -> None:
        """Watch one function; `before` and `after` count what it works on; `after` gets its result first."""
        try:
            owner, attribute = name.resolve()
        except MissingName:
            return
        run = getattr(owner, attribute)

        def enter(*args: Any, **kwargs: Any) -> tuple[int, GraphKey, float]:
            return before(*args), self.recorder.key, time.perf_counter()

        def leave(
            token: tuple[int, GraphKey, float] | None,
            result: Any,
            *args: Any,
            **kwargs: Any,
        ) -> None:
            if token is not None:
                count, key, started = token
                seconds = time.perf_counter() - started
                self.add(
                    key,
                    phase,
                    name,
                    run,
                    (count, after(result, *args)),
                    started,
                    seconds,
                )

        self.hooks.around(name, enter, leave)

    def add(
        self,
        key: GraphKey,
        phase: str,
        name: Name,
        run: Any,
        sizes: tuple[int, int],
        started: float,
        seconds: float,
    ) -> None:
        row = Pass(
            key,
            phase,
            name.qualified,
            source_of(run)[1],
            *sizes,
            True,
            summary=summary(run),
            started=started,
            seconds=seconds,
        )
        self.recorder.add("steps", row)

    def dynamo(self) -> None:
        """Watch the tracing of a frame, up to the call to the backend, which happens before tracing ends."""
        try:
            owner, attribute = dynamo.TRANSLATOR_RUN.resolve()
            dynamo.CALL_USER_COMPILER.resolve()
        except MissingName:
            return
        run = getattr(owner, attribute)
        running: list[tuple[int, float]] = []

        def begin(translator: Any, *args: Any, **kwargs: Any) -> None:
            running.append((len(translator.instructions), time.perf_counter()))

        def traced(output: Any, gm: Any, *args: Any, **kwargs: Any) -> None:
            if running:
                instructions, started = running[-1]
                sizes = instructions, len(gm.graph.nodes)
                seconds = time.perf_counter() - started
                self.add(
                    self.recorder.key,
                    "dynamo",
                    dynamo.TRANSLATOR_RUN,
                    run,
                    sizes,
                    started,
                    seconds,
                )

        def end(*args: Any, **kwargs: Any) -> None:
            running.pop()

        self.hooks.around(dynamo.TRANSLATOR_RUN, begin, end)
        self.hooks.before(dynamo.CALL_USER_COMPILER, traced)

    def captured(self, *args: Any) -> int:
        """The number of nodes in the graph that AOTAutograd was given."""
        graphs: list[Graph] = self.recorder.record.get(
            "pre_grad_graph"
        ) or self.recorder.record.get("dynamo_graph")
        return len(graphs[-1].nodes) if graphs else 0
