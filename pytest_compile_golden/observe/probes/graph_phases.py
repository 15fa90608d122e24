"""AOTAutograd and Inductor's graph phases: the graph at each boundary between them."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from pytest_compile_golden.common.constants import AOT_INDUCTOR, INDUCTOR
from pytest_compile_golden.facts.graphs import Graph, GraphKey, Partition
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.record_graphs import expression, record_graph
from pytest_compile_golden.observe.torch_hooks import Hooks
from pytest_compile_golden.torch_internals import Name, inductor
from pytest_compile_golden.torch_internals import inductor as names


class _PhaseProbe:
    """Records the graph after a recursive phase; the phase calls itself for subgraphs, which are part of the graph."""

    stage: str
    phase: Name

    def wanted(self, key: GraphKey) -> bool:
        return True

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        def left(result: Any, gm: Any, *args: Any, **kwargs: Any) -> None:
            if self.wanted(recorder.key):
                module = result if result is not None else gm
                recorder.add(
                    self.stage, record_graph(module.graph, recorder.key, module)
                )

        hooks.outermost(self.phase, after=left)


class PreGradGraphProbe(_PhaseProbe):
    stage = "pre_grad_graph"
    phase = names.PRE_GRAD_PASSES


class AotGraphProbe:
    """The graph as AOTAutograd traced it: functional and decomposed, before any Inductor pass."""

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        def traced(gm: Any, *args: Any, **kwargs: Any) -> None:
            recorder.add("aot_graph", record_graph(gm.graph, recorder.key, gm))

        hooks.outermost(names.JOINT_PASSES, before=traced)


class OtherBackendsProbe:
    """The same for a backend other than Inductor: the graph as AOTAutograd passes it to the backend's compilers."""

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        if recorder.record.backend in (INDUCTOR, AOT_INDUCTOR):
            return
        traced: list[Graph] = []

        def made(result: Any, *args: Any, **kwargs: Any) -> None:
            traced.append(record_graph(result[0].graph, recorder.key, result[0]))

        def finish() -> None:
            # A backend that is a function may have called Inductor.
            if not recorder.record.get("aot_graph"):
                for graph in traced:
                    recorder.add("aot_graph", graph)

        for row in inductor.DISPATCHERS:
            hooks.after(row, made)
        hooks.on_exit(finish)


class JointGraphProbe(_PhaseProbe):
    stage = "joint_graph"
    phase = names.JOINT_PASSES

    def wanted(self, key: GraphKey) -> bool:
        # The joint passes also run in inference, where there is only a forward graph.
        return key.direction == "joint"


class PostGradGraphProbe(_PhaseProbe):
    stage = "post_grad_graph"
    phase = names.POST_GRAD_PASSES


class DirectionProbe:
    """Tells the other probes which of a training case's graphs the compiler is working on."""

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        def switch(direction: str) -> GraphKey:
            before = recorder.key
            recorder.key = replace(before, direction=direction)
            return before

        def partitioning(*args: Any, **kwargs: Any) -> GraphKey:
            return switch("joint")

        def compiling(*args: Any, **kwargs: Any) -> GraphKey:
            if kwargs.get("is_backward"):
                return switch("backward")
            return switch("" if kwargs.get("is_inference") else "forward")

        def done(
            before: GraphKey | None, result: Any, *args: Any, **kwargs: Any
        ) -> None:
            if before is not None:
                recorder.key = before

        hooks.around(names.PARTITION, partitioning, done)
        hooks.around(names.CODEGEN_AND_COMPILE, compiling, done)


class PartitionProbe:
    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        def split(result: Any, joint: Any, *args: Any, **kwargs: Any) -> None:
            forward, backward = result
            key = replace(recorder.key, direction="forward")
            recorder.add("forward_graph", record_graph(forward.graph, key, forward))
            behind = replace(key, direction="backward")
            recorder.add(
                "backward_graph", record_graph(backward.graph, behind, backward)
            )
            # The forward graph returns the user's outputs first, then what backward needs
            # (torch/_functorch/partitioners.py).
            returned = next(
                node for node in reversed(forward.graph.nodes) if node.op == "output"
            ).args[0]
            saved = tuple(
                expression(value) for value in returned[kwargs["num_fwd_outputs"] :]
            )
            recorder.add("partition", Partition(key, saved))

        hooks.after(names.PARTITION, split)
