"""The operators of the graph that Inductor lowered, run one by one on a device that computes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from pytest_compile_golden.features.virtual_gpu import philox
from pytest_compile_golden.targets.run_lowered_graph import PostGrad, with_strides
from pytest_compile_golden.torch_internals import device, tensors

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


def keeping_what_was_matched(original: Callable[..., Any]) -> Callable[..., Any]:
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


def inputs_of(node: Any) -> list[Any]:
    """The nodes that a node of a post-grad graph takes, in which a match has the operators that were matched."""
    if (matched := node.meta.get(_MATCHED)) is None:
        return list(node.all_input_nodes)
    by_name = {}
    for each in node.graph.nodes:
        if each is node:
            break
        by_name[each.name] = each
        if (before := each.meta.get(_MATCHED)) is not None:
            by_name[before.result] = each
    return [by_name[name] for name in matched.inputs]


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
        self._taken = {
            node: inputs_of(node)
            for node in module.graph.nodes
            if _MATCHED in node.meta
        }
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
            return matched.operators(*(self.env[node] for node in self._taken[n]))
        if str(n.target).startswith("prims.inductor_"):
            args, kwargs = self.fetch_args_kwargs_from_env(n)
            if (drawn := self._drawn(n, *args, **kwargs)) is not None:
                return drawn
        return super().run_node(n)

    def _drawn(self, n: Any, *args: Any, **kwargs: Any) -> torch.Tensor | None:
        """What Inductor's random operators give in kernels; None for others, and for those that draw as eager does."""
        match str(n.target).removeprefix("prims.").removesuffix(".default"):
            case "inductor_seeds" if torch.device(args[1]).type == "cuda":
                return philox.seeds(args[0], args[1])
            case "inductor_random" if args[1].is_cuda and not args[1].dim():
                size, seed, mode = args
                return philox.floats(
                    size, seed, mode == "randn", n.name in self._drawn_by_four
                )
            case "inductor_randint" if args[3].is_cuda and not args[3].dim():
                low, high, size, seed = args
                return philox.integers(low, high, size, seed)
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
