"""The large steps between the passes: tracing, differentiation, lowering, code generation."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from pytest_compile_golden.observe.hooks import Hooks
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.source_locations import source_of, summary
from pytest_compile_golden.record.graphs import Graph, GraphKey, Pass
from pytest_compile_golden.torch_names import MissingName, named

_TRACER = "torch._dynamo.symbolic_convert:InstructionTranslator.run"
_TRACED = "torch._dynamo.output_graph:OutputGraph.call_user_compiler"
_AOT = "torch._functorch._aot_autograd.graph_compile:"
_GRAPH = "torch._inductor.graph:GraphLowering."
_WRAPPER = "torch._inductor.codegen.wrapper:PythonWrapperCodegen."

Count = Callable[..., int]


class PipelineProbe:
    requires = ()

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        steps = _Pipeline(hooks, recorder)
        steps.dynamo()
        for name in ("aot_dispatch_base_graph", "aot_dispatch_autograd_graph"):
            steps.step("aot", _AOT + name, steps.captured, lambda result, *args: len(result[0].graph.nodes))
        steps.step(
            "lowering",
            _GRAPH + "run",
            lambda graph, *args: len(graph.module.graph.nodes),
            lambda result, graph, *args: len(graph.operations),
        )
        steps.step(
            "codegen",
            "torch._inductor.scheduler:Scheduler.codegen",
            lambda scheduler: len(scheduler.nodes),
            lambda result, scheduler: steps.wrapper_lines(),
        )
        steps.step(
            "codegen",
            _WRAPPER + "run_wrapper_ir_passes",
            lambda wrapper, *args: len(wrapper.lines),
            lambda result, wrapper, *args: len(wrapper.lines),
        )


class _Pipeline:
    def __init__(self, hooks: Hooks, recorder: Recorder) -> None:
        self.hooks = hooks
        self.recorder = recorder

    def step(self, phase: str, name: str, before: Count, after: Count) -> None:
        """Watch one function; `before` and `after` count what it works on; `after` gets its result first."""
        try:
            owner, attribute = named(name).resolve()
        except MissingName:
            return
        run = getattr(owner, attribute)

        def enter(*args: Any, **kwargs: Any) -> tuple[int, GraphKey, float]:
            return before(*args), self.recorder.key, time.perf_counter()

        def leave(token: tuple[int, GraphKey, float] | None, result: Any, *args: Any, **kwargs: Any) -> None:
            if token is not None:
                count, key, started = token
                seconds = time.perf_counter() - started
                self.add(key, phase, name, run, (count, after(result, *args)), started, seconds)

        self.hooks.around(name, enter, leave)

    def add(
        self, key: GraphKey, phase: str, name: str, run: Any, sizes: tuple[int, int], started: float, seconds: float
    ) -> None:
        short, where = name.partition(":")[2], source_of(run)[1]
        row = Pass(key, phase, short, where, *sizes, True, summary=summary(run), started=started, seconds=seconds)
        self.recorder.add("steps", row)

    def dynamo(self) -> None:
        """Watch the tracing of a frame, up to the call to the backend, which happens before tracing ends."""
        try:
            owner, attribute = named(_TRACER).resolve()
            named(_TRACED).resolve()
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
                self.add(self.recorder.key, "dynamo", _TRACER, run, sizes, started, seconds)

        def end(*args: Any, **kwargs: Any) -> None:
            running.pop()

        self.hooks.around(_TRACER, begin, end)
        self.hooks.before(_TRACED, traced)

    def captured(self, *args: Any) -> int:
        """The number of nodes in the graph that AOTAutograd was given."""
        graphs: list[Graph] = self.recorder.record.get("pre_grad_graph") or self.recorder.record.get("dynamo_graph")
        return len(graphs[-1].nodes) if graphs else 0

    @staticmethod
    def wrapper_lines() -> int:
        from torch._inductor.virtualized import V

        return len(V.graph.wrapper_code.lines)
