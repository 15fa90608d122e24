"""What compiled graphs compute on a device that computes: the graph that Inductor lowered, operator by operator."""

from __future__ import annotations

import itertools
import re
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from weakref import WeakValueDictionary

import torch

from pytest_compile_golden.errors import NeedsNativeTarget
from pytest_compile_golden.features.virtual_gpu import cuda_graphs, random_numbers
from pytest_compile_golden.targets.interpret import (
    Call,
    PostGrad,
    call_of,
    keep_sources,
    output_code_observers,
    with_strides,
)
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import (
    device,
    dynamo,
    inductor,
    kernels,
    scheduler,
    tensors,
)


def install(
    patches: Patches,
    run_by: Callable[[Any, str, Call], Call],
    in_parts: Callable[[], None],
) -> None:
    """Replace how GPU graphs run; CPU graphs are built and run as ever (torch/_inductor/graph.py).

    run_by: makes what runs, of a graph, its generated code, and the call that runs its operators. in_parts: called for
    each graph that torch would record as CUDA graphs in several parts, which is not recorded here.
    """
    tell = output_code_observers(patches)
    keep_sources(patches)
    numbers = itertools.count()
    calls: WeakValueDictionary[str, Any] = WeakValueDictionary()
    """Of the graphs that are still there, by what torch keeps a graph under."""

    def compiled(original: Callable[..., Any]) -> Callable[..., Any]:
        def compile_to_module_lines(graph: Any, wrapper_code: Any) -> Any:
            if not any(
                str(kind).startswith("cuda") for kind in kernels.DEVICE_TYPES.of(graph)
            ):
                return original(graph, wrapper_code)
            code = wrapper_code.value
            tell(code)
            call = run_by(
                graph,
                code,
                call_of(graph, PostGradOperators(graph.orig_gm, drawn_by_four(code))),
            )
            call = cuda_graphs.as_one_step(call, _written(graph))
            graph.compile_golden_source = code
            graph.cache_key = f"{_KEY}{next(numbers)}"
            calls[graph.cache_key] = call
            graph.cache_path = None
            graph.cache_linemap = []
            return types.SimpleNamespace(call=call, __file__="<compile_golden>")

        return compile_to_module_lines

    def loaded(original: Callable[..., Any]) -> Callable[..., Any]:
        def after_deserialization(saved: Any, constants: Any) -> Any:
            if not str(saved.cache_key).startswith(_KEY):
                return original(saved, constants)
            if (call := calls.get(saved.cache_key)) is None:
                raise NeedsNativeTarget(
                    "what was compiled for a virtual GPU can be loaded only where it was compiled, as long as the "
                    "compiled function is there: compile it again, or load it on a card."
                )
            saved.current_callable = call
            saved.recursively_apply_fns = saved.compiled_fn_runner = None
            return "<compile_golden>"

        return after_deserialization

    patches.wrap(*kernels.COMPILE_TO_MODULE_LINES.resolve(), compiled)
    with patches.feature("loading what was compiled") as own:
        own.wrap(*device.LOAD_SAVED.resolve(), loaded)
    with patches.feature(
        "graphs in which a pattern's lowering makes a kernel of its own"
    ) as own:
        own.wrap(*inductor.LOWERING_PATTERN.resolve(), _keeping_what_was_matched)
    with patches.feature("CUDA graphs") as own:
        own.wrap(*scheduler.PARTS_OF_GRAPH.resolve(), _counting_parts)
        own.wrap(*scheduler.CUDAGRAPH_PARTS.resolve(), _recording_whole(in_parts))


_KEY = "compile_golden_"
_PARTS = "compile_golden_parts"


def _counting_parts(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps the step that knows a graph's parts: those that CUDA graphs are recorded of, and those between them."""

    def compute(self: Any, signatures: Any) -> None:
        original(self, signatures)
        for recorded in scheduler.PARTS.of(dynamo.VIRTUALIZED.get().graph):
            vars(recorded)[_PARTS] = len(signatures)  # it is frozen

    return compute


def _recording_whole(
    in_parts: Callable[[], None],
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Replaces the step that records parts: a graph's operators run as a whole, so only a whole one is recorded."""

    def wrapping(original: Callable[..., None]) -> Callable[..., None]:
        def post_compile(
            example_inputs: Any, compiled_graph: Any, *args: Any, **kwargs: Any
        ) -> None:
            recorded = scheduler.COMPILED_PARTS.of(compiled_graph) or ()
            reasons = device.CUDAGRAPH_INFO.of(compiled_graph).cudagraph_fail_reasons
            if reasons or not recorded:
                original(example_inputs, compiled_graph, *args, **kwargs)
            elif vars(recorded[0]).get(_PARTS) == 1:
                whole = scheduler.CUDAGRAPH_WHOLE.get()
                whole(example_inputs, compiled_graph, *args, **kwargs)
            else:
                in_parts()
                compiled_graph.partition_maps = []  # as of a graph without any
                original(example_inputs, compiled_graph, *args, **kwargs)
                compiled_graph.partition_maps = recorded

        return post_compile

    return wrapping


def _written(graph: Any) -> list[int]:
    """The places of the inputs that a graph writes to."""
    written = inductor.WRITTEN_INPUTS.of(graph)
    return [
        place
        for place, name in enumerate(inductor.GRAPH_INPUTS.of(graph))
        if name in written
    ]


_MATCHED = "compile_golden_matched"


def has_operators(graph: torch.fx.GraphModule) -> bool:
    """Whether all of a post-grad graph can be computed by operators.

    False with a function that only Inductor can call, where what a pass replaced by it is not known
    (torch/_inductor/fx_passes/b2b_gemm.py).
    """
    return all(
        _MATCHED in node.meta or not device.LOWERS_ITSELF.of(node.target, False)
        for node in graph.graph.nodes
    )


@dataclass(frozen=True)
class _Matched:
    """The operators that a pattern has replaced by a function that only Inductor can call, as it takes IR."""

    operators: torch.fx.GraphModule
    inputs: tuple[str, ...]
    """The names of the nodes that they take."""
    result: str
    """The name of the node that they end in, which a match that was replaced before takes under this name."""


def _keeping_what_was_matched(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps the step that replaces a match (torch/_inductor/pattern_matcher.py: LoweringPatternEntry.apply)."""

    def apply(self: Any, match: Any, graph: Any, node: Any) -> Any:
        matched = _matched(match, graph)
        before = set(graph.nodes)
        result = original(self, match, graph, node)
        for new in set(graph.nodes) - before:
            new.meta[_MATCHED] = matched
        return result

    return apply


def _matched(match: Any, graph: Any) -> _Matched:
    copy, copies, inputs = torch.fx.Graph(), {}, []
    matched = set(match.nodes)

    def copied(node: Any) -> Any:
        if node not in copies:  # one that the match takes
            copies[node] = copy.placeholder(node.name)
            inputs.append(node.name)
        return copies[node]

    nodes = [node for node in graph.nodes if node in matched]
    for node in nodes:
        for taken in node.all_input_nodes:
            if taken not in matched:
                copied(taken)
    for node in nodes:
        copies[node] = copy.node_copy(node, copied)
    copy.output(copies[nodes[-1]])
    return _Matched(
        torch.fx.GraphModule(graph.owning_module, copy), tuple(inputs), nodes[-1].name
    )


_DRAWS = re.compile(
    r"^# +%(\w+) :.* = call_function\[target=torch\.ops\.prims\.inductor_random\b",
    re.MULTILINE,
)


def drawn_by_four(code: str) -> frozenset[str]:
    """The nodes of which a kernel of this code uses all four numbers of a draw (triton_helpers.py: rand4x).

    Each kernel has the nodes that it computes in a comment before it (codegen/wrapper.py: get_kernel_metadata).
    """
    found: set[str] = set()
    pieces = code.split("async_compile.triton(")
    for before, kernel in itertools.pairwise(pieces):
        if "4x(" in kernel.partition("''', device_str")[0]:
            found.update(_DRAWS.findall(before.rpartition("''', device_str")[2]))
    return frozenset(found)


class PostGradOperators(PostGrad):
    """Runs a post-grad graph on the device's tensors."""

    def __init__(self, module: Any, drawn_by_four: frozenset[str]) -> None:
        # What was matched may take values that no node of the graph takes any longer.
        keeps_values = any(_MATCHED in node.meta for node in module.graph.nodes)
        super().__init__(module, garbage_collect_values=not keeps_values)
        self._replaced: dict[str, Any] = {}
        self._drawn_by_four = drawn_by_four
        self._in_eager = {
            node: node.meta["eager_input_vals"]
            for node in module.graph.nodes
            if _wants_eager_strides(node)
        }

    def fetch_args_kwargs_from_env(self, n: Any) -> tuple[Any, Any]:
        fetched: tuple[Any, Any] = super().fetch_args_kwargs_from_env(n)
        return _as_in(self._in_eager[n], fetched) if n in self._in_eager else fetched

    def run_node(self, n: Any) -> Any:
        matched = n.meta.get(_MATCHED)
        if matched is not None:
            values = {
                node.name: value for node, value in self.env.items()
            } | self._replaced
            result = matched.operators(*(values[name] for name in matched.inputs))
            self._replaced[matched.result] = result
            return result
        if str(n.target).startswith("prims.inductor_"):
            args, kwargs = self.fetch_args_kwargs_from_env(n)
            if (drawn := self._drawn(n, *args, **kwargs)) is not None:
                return drawn
        return super().run_node(n)

    def _drawn(self, n: Any, *args: Any, **kwargs: Any) -> torch.Tensor | None:
        """What Inductor's random operators give in kernels; None for others, and for those that draw as eager does."""
        match str(n.target).removeprefix("prims.").removesuffix(".default"):
            case "inductor_seeds" if torch.device(args[1]).type == "cuda":
                return random_numbers.seeds(args[0], args[1])
            case "inductor_random" if args[1].is_cuda and not args[1].dim():
                size, seed, mode = args
                return random_numbers.floats(
                    size, seed, mode == "randn", n.name in self._drawn_by_four
                )
            case "inductor_randint" if args[3].is_cuda and not args[3].dim():
                low, high, size, seed = args
                return random_numbers.integers(low, high, size, seed)
        return None


def _wants_eager_strides(node: Any) -> bool:
    """Whether Inductor gives this operator tensors with the strides that eager gave it, whatever passes have changed.

    As torch/_inductor/graph.py: GraphLowering.call_function. One that writes to what it is given takes it as it is.
    """
    constraints, exact = device.LAYOUT_CONSTRAINTS, device.EXACT_STRIDES
    if "eager_input_vals" not in node.meta or not (constraints.here and exact.here):
        return False
    if (
        not isinstance(node.target, tensors.OPERATOR.get())
        or constraints.get()(node.target) is not exact.get()
    ):
        return False
    return all(
        argument.alias_info is None for argument in node.target._schema.arguments
    )


def _as_in(eager: Any, given: Any) -> Any:
    """`given`, an operator's arguments, with the strides of those that eager gave it, which are fake tensors."""
    if isinstance(given, torch.Tensor) and isinstance(eager, torch.Tensor):
        strides = eager.stride()
        known = given.shape == eager.shape and all(
            isinstance(stride, int) for stride in strides
        )
        return with_strides(given, strides if known else None, set())
    if isinstance(given, (list, tuple)) and isinstance(eager, (list, tuple)):
        return type(given)(_as_in(*pair) for pair in zip(eager, given, strict=True))
    if isinstance(given, dict):
        return {name: _as_in(eager.get(name), value) for name, value in given.items()}
    return given
