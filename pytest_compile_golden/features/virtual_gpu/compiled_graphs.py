"""What compiled graphs compute on a device that computes: the graph that Inductor lowered, operator by operator."""

from __future__ import annotations

import itertools
import types
from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

from pytest_compile_golden.errors import NeedsNativeTarget
from pytest_compile_golden.features.virtual_gpu import cuda_graphs, graph_parts
from pytest_compile_golden.features.virtual_gpu.graph_operators import (
    PostGradOperators,
    drawn_by_four,
    keeping_what_was_matched,
)
from pytest_compile_golden.targets.after_code_generation import (
    keep_sources,
    output_code_observers,
)
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.targets.run_lowered_graph import Call, call_of
from pytest_compile_golden.torch_internals import device, inductor, kernels


def install(
    patches: Patches,
    run_by: Callable[[Any, str, Call], Call],
    not_recorded: Callable[[], None],
) -> None:
    """Replace how GPU graphs run; CPU graphs are built and run as ever (torch/_inductor/graph.py).

    run_by: makes what runs, of a graph, its generated code, and the call that runs its operators. not_recorded: called
    for each graph that torch would record as CUDA graphs in several parts, if what runs are not its operators.
    """
    tell = output_code_observers(patches)
    keep_sources(patches)
    numbers = itertools.count()
    made: WeakValueDictionary[str, graph_parts.Whole | graph_parts.InParts] = (
        WeakValueDictionary()
    )
    """Of the graphs that are still there, by what torch keeps a graph under."""

    def compiled(original: Callable[..., Any]) -> Callable[..., Any]:
        def compile_to_module_lines(graph: Any, wrapper_code: Any) -> Any:
            if not any(
                str(kind).startswith("cuda") for kind in kernels.DEVICE_TYPES.of(graph)
            ):
                return original(graph, wrapper_code)
            code = wrapper_code.value
            tell(code)
            drawn = drawn_by_four(code)
            by_operators = call_of(graph, PostGradOperators(graph.orig_gm, drawn))
            call = run_by(graph, code, by_operators)
            names = inductor.WRITTEN_INPUTS.of(graph)
            written = [
                place
                for place, name in enumerate(inductor.GRAPH_INPUTS.of(graph))
                if name in names
            ]
            runs: graph_parts.Whole | graph_parts.InParts
            if call is by_operators and graph_parts.are_several(graph):
                runs = graph_parts.InParts(graph, drawn, written)
            else:
                call = cuda_graphs.as_one_step(call, written)
                runs = graph_parts.Whole(graph, call)
            runner = runs.runner()
            graph.compile_golden_source = code
            graph.cache_key = f"{_KEY}{next(numbers)}"
            made[graph.cache_key] = runs
            graph.cache_path = None
            graph.cache_linemap = []
            return types.SimpleNamespace(
                call=runner.call, runner=runner, __file__="<compile_golden>"
            )

        return compile_to_module_lines

    def loaded(original: Callable[..., Any]) -> Callable[..., Any]:
        def after_deserialization(saved: Any, constants: Any) -> Any:
            if not str(saved.cache_key).startswith(_KEY):
                return original(saved, constants)
            if (runs := made.get(saved.cache_key)) is None:
                raise NeedsNativeTarget(
                    "what was compiled for a virtual GPU can be loaded only where it was compiled, as long as the "
                    "compiled function is there: compile it again, or load it on a card."
                )
            runner = runs.runner()
            saved.current_callable = runner.call
            saved.recursively_apply_fns = runner.recursively_apply_fns
            saved.compiled_fn_runner = runner
            return "<compile_golden>"

        return after_deserialization

    patches.wrap(*kernels.COMPILE_TO_MODULE_LINES.resolve(), compiled)
    with patches.feature("loading what was compiled") as own:
        own.wrap(*device.LOAD_SAVED.resolve(), loaded)
    with patches.feature(
        "graphs in which a pattern's lowering makes a kernel of its own"
    ) as own:
        own.wrap(*inductor.LOWERING_PATTERN.resolve(), keeping_what_was_matched)
    with patches.feature("CUDA graphs") as own:
        graph_parts.install(own, not_recorded)


_KEY = "compile_golden_"
