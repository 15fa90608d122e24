"""Parts of a compiled graph, of which torch records a CUDA graph each (torch/_inductor/scheduler.py: graph_partition).

Inductor makes parts of its operations. Here the operators of each part run, with what they take from other parts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from pytest_compile_golden.common.installed_torch import torch_release
from pytest_compile_golden.features.virtual_gpu import cuda_graphs
from pytest_compile_golden.features.virtual_gpu.graph_operators import (
    PostGradOperators,
    inputs_of,
)
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.targets.run_lowered_graph import (
    Call,
    call_with_strides,
    static_strides,
    storage_of,
    with_strides,
)
from pytest_compile_golden.torch_internals import device, dynamo, inductor, scheduler

_PARTS = "compile_golden_parts"


def install(patches: Patches, not_recorded: Callable[[], None]) -> None:
    """Have CUDA graphs recorded of a graph's operators.

    not_recorded: called for each graph that torch would record in several parts, and of which none can be.
    """
    patches.wrap(*scheduler.GRAPH_PARTITION.resolve(), _keeping_parts)
    patches.wrap(*scheduler.CUDAGRAPH_PARTS.resolve(), _recording(not_recorded))


@dataclass(frozen=True)
class _Operation:
    """An operation of Inductor's, by the names of nodes of the post-grad graph."""

    computes: str | None
    """The node whose value it is; None for a step on the way to one, or for what has no value."""
    origins: frozenset[str]
    """What it was made from, and what it was made for."""


@dataclass(frozen=True)
class _Scheduled:
    """A part that the scheduler has made."""

    recorded: bool
    operations: list[_Operation]


def _scheduled(graph: Any) -> list[_Scheduled]:
    """The parts of a lowered graph, in their order; none if torch was told not to make parts."""
    parts: list[_Scheduled] = vars(graph).get(_PARTS, [])
    return parts


def _keeping_parts(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps the step that makes parts."""

    def graph_partition(self: Any) -> Any:
        partitions, signatures = original(self)
        vars(dynamo.VIRTUALIZED.get().graph)[_PARTS] = [
            _Scheduled(
                not signature.skip_cudagraph,
                [
                    _operation(node.node)
                    for group in groups
                    for node in group.get_nodes()
                    if node.node is not None
                ],
            )
            for groups, signature in zip(partitions, signatures, strict=True)
        ]
        return partitions, signatures

    return graph_partition


def _operation(operation: Any) -> _Operation:
    origins = inductor.ORIGINS.of(operation)
    node = inductor.ORIGIN_NODE.of(operation)
    if node is None and isinstance(operation, inductor.OVERLOAD.get()):
        node = max(origins, default=None)  # it is made when its node is lowered
    names = frozenset(each.name for each in origins)
    return _Operation(None if node is None else node.name, names)


def _recording(
    not_recorded: Callable[[], None],
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    def wrapping(original: Callable[..., None]) -> Callable[..., None]:
        def post_compile(
            example_inputs: Any, compiled_graph: Any, *args: Any, **kwargs: Any
        ) -> None:
            theirs = scheduler.COMPILED_PARTS.of(compiled_graph)
            mine = scheduler.GRAPH_RUNNER.of(compiled_graph)
            reasons = device.CUDAGRAPH_INFO.of(compiled_graph).cudagraph_fail_reasons
            if reasons or not theirs or not isinstance(mine, Runner):
                original(example_inputs, compiled_graph, *args, **kwargs)
                return
            if not mine.partitions:
                not_recorded()
            compiled_graph.partition_maps = [
                dataclasses.replace(
                    their,
                    input_index_mapping=list(takes),
                    output_index_mapping=_mapping(gives),
                )
                for their, takes, gives in zip(theirs, mine.takes, mine.gives)  # noqa: B905
            ]
            try:
                original(example_inputs, compiled_graph, *args, **kwargs)
            finally:
                compiled_graph.partition_maps = theirs

        return post_compile

    return wrapping


def _mapping(gives: list[list[int]]) -> list[Any]:
    """As torch/_inductor/utils.py: GraphPartitionMap has it, since 2.14 with all places of each result."""
    if torch_release() >= (2, 14):
        return gives
    return [places[0] if places else None for places in gives]


@dataclass(eq=False)
class Runner:
    """What torch gets of a compiled graph, as the `Runner` of generated code (torch/_inductor/codegen/wrapper.py)."""

    made_by: Whole | InParts
    call: Call = field(init=False)
    partitions: list[Call] = field(default_factory=list)
    """What CUDA graphs are recorded of; empty if nothing is. torch deletes it when the graph is no longer called."""
    takes: list[Sequence[int | None]] = field(default_factory=list)
    """Of each, the places in the graph's inputs of what it takes; None for what another part has made."""
    gives: list[list[list[int]]] = field(default_factory=list)
    """Of each, the places in the graph's outputs of what it gives, which may have several, or none."""

    def recursively_apply_fns(
        self, functions: Sequence[Callable[[Call], Call]]
    ) -> None:
        """Replace each of the partitions by what a function makes of it; torch calls this."""
        self.partitions = [
            function(call)
            for function, call in zip(functions, self.partitions, strict=True)
        ]


class Whole:
    """A graph that runs as a whole, and is recorded if torch records all of it."""

    def __init__(self, graph: Any, call: Call) -> None:
        self._call = call
        self._is_recorded = [part.recorded for part in _scheduled(graph)] == [True]
        self._takes = range(len(inductor.GRAPH_INPUTS.of(graph)))
        self._gives = [[place] for place in range(len(graph.graph_outputs))]

    def runner(self) -> Runner:
        runner = Runner(self)
        runner.call = self._run
        if self._is_recorded:
            runner.partitions = [self._run]
            runner.takes, runner.gives = [self._takes], [self._gives]
            runner.call = lambda args: runner.partitions[0](args)
        return runner

    def _run(self, args: list[Any]) -> Sequence[Any]:
        return self._call(args)


def are_several(graph: Any) -> bool:
    """Whether torch records a part of this graph, and there are others."""
    parts = _scheduled(graph)
    return any(part.recorded for part in parts) and len(parts) > 1


@dataclass(eq=False)
class _Part:
    recorded: bool
    nodes: list[Any]
    """In the order in which they run."""
    takes: list[Any] = field(default_factory=list)
    """Nodes of other parts, and inputs of the graph."""
    gives: list[Any] = field(default_factory=list)
    """Its nodes that other parts take, or that the graph returns."""
    last_use: dict[Any, list[Any]] = field(default_factory=dict)
    """What is not used any more when a node has run."""
    free: list[Any] = field(default_factory=list)
    """What it takes, and no later part does."""

    def sizes(self) -> list[tuple[int, int]]:
        """Sizes that differ from call to call, as places in `takes` and dimensions: torch records once for each."""
        return [
            (place, dim)
            for place, node in enumerate(self.takes)
            if isinstance(node.meta.get("val"), torch.Tensor)
            for dim, size in enumerate(node.meta["val"].shape)
            if isinstance(size, torch.SymInt)
        ]


def _split(module: Any, parts: Sequence[_Scheduled]) -> list[_Part]:
    """A graph in the parts that the scheduler made, and one more, which returns the results.

    A node belongs to the first part whose operations compute it, and what no operation computes, such as a view, where
    its inputs are. What only depends on the graph's inputs runs in each part that needs it.
    """
    *nodes, output = module.graph.nodes
    taken = {node: inputs_of(node) for node in [*nodes, output]}
    users: dict[Any, set[Any]] = {node: set() for node in taken}
    for node, given in taken.items():
        for each in given:
            users[each].add(node)
    by_name = {node.name: node for node in nodes}
    computed = {each.computes for part in parts for each in part.operations}
    earliest: dict[Any, int] = {}
    for place, scheduled in enumerate(parts):
        for operation in scheduled.operations:
            if operation.computes in by_name:
                made_from = [by_name[operation.computes]]
                for node in made_from:  # which grows
                    made_from += [
                        each
                        for each in taken[node]
                        if each.name in operation.origins and each not in made_from
                    ]
            else:
                names = operation.origins - computed
                made_from = [by_name[name] for name in names if name in by_name]
            for node in made_from:
                earliest.setdefault(node, place)
    home: dict[Any, int] = {output: len(parts)}
    for node in nodes:
        if node.op != "placeholder":
            places = [home[each] for each in taken[node] if each in home]
            if node in earliest:
                places.append(earliest[node])
            if places:
                home[node] = max(places)
    split = [_Part(part.recorded, []) for part in parts] + [_Part(False, [])]
    for place, part in enumerate(split):
        needed = {node for node, at in home.items() if at == place}
        for node in reversed(nodes):
            free = node not in home and node.op != "placeholder"
            if free and not needed.isdisjoint(users[node]):
                needed.add(node)
        part.nodes = [node for node in [*nodes, output] if node in needed]
        used = dict.fromkeys(each for node in part.nodes for each in taken[node])
        part.takes = [node for node in used if node not in needed]
        for node in part.takes:
            if node in home and node not in split[home[node]].gives:
                split[home[node]].gives.append(node)
    split[-1].gives.append(output)
    later: set[Any] = set()
    for part in reversed(split):
        part.free = [node for node in part.takes if node not in later]
        later.update(part.takes)
        seen = set(part.gives)
        for node in reversed(part.nodes):
            last = [each for each in dict.fromkeys(taken[node]) if each not in seen]
            part.last_use[node] = last if node in seen else [*last, node]
            seen.update(last)
    return split


class InParts(PostGradOperators):
    """A graph whose operators run part by part."""

    def __init__(
        self, graph: Any, drawn_by_four: frozenset[str], written: Iterable[int]
    ) -> None:
        """written: the places of the inputs that it writes to."""
        super().__init__(graph.orig_gm, drawn_by_four)
        self._parts = _split(self.module, _scheduled(graph))
        nodes: list[Any] = list(self.module.graph.nodes)
        self._inputs = [node for node in nodes if node.op == "placeholder"]
        self._unwritten = set(self._inputs) - {self._inputs[place] for place in written}
        returned = nodes[-1].args[0]
        self._outputs = (
            list(returned) if isinstance(returned, (list, tuple)) else [returned]
        )
        self._strides = [static_strides(result) for result in graph.graph_outputs]
        self._strides_of = {
            node: strides
            for node, strides in zip(self._outputs, self._strides, strict=False)
            if isinstance(node, torch.fx.Node)
        }

    def runner(self) -> Runner:
        runner = Runner(self)
        for part in self._parts:
            if part.recorded:
                written = [
                    place
                    for place, node in enumerate(part.takes)
                    if node not in self._unwritten
                ]
                call = cuda_graphs.as_one_step(self._call_of(part), written)
                runner.partitions.append(call)
                sizes = [None for _ in part.sizes()]
                places = [
                    self._inputs.index(node) if node in self._inputs else None
                    for node in part.takes
                ]
                runner.takes.append([*places, *sizes])
                runner.gives.append(
                    [
                        [
                            at
                            for at, output in enumerate(self._outputs)
                            if output is node
                        ]
                        for node in part.gives
                    ]
                )
        runner.call = call_with_strides(
            lambda *inputs: self._run_parts(inputs, runner.partitions), self._strides
        )
        return runner

    def _run_parts(self, inputs: Sequence[Any], partitions: Sequence[Call]) -> Any:
        values = dict(zip(self._inputs, inputs, strict=True))
        recorded = iter(partitions)
        for part in self._parts:
            given = [values[node] for node in part.takes]
            given += [given[place].shape[dim] for place, dim in part.sizes()]
            for node in part.free:
                del values[node]
            call = next(recorded) if part.recorded else self._call_of(part)
            results = call(given)
            values.update(zip(part.gives, results, strict=True))
        return values[self._parts[-1].gives[0]]

    def _call_of(self, part: _Part) -> Call:
        def call(args: list[Any]) -> Sequence[Any]:
            mine = {storage_of(each) for each in args if isinstance(each, torch.Tensor)}
            self.env = dict(zip(part.takes, args))  # noqa: B905  # behind them are sizes
            args.clear()
            try:
                for node in part.nodes:
                    self.env[node] = self.run_node(node)
                    for unused in part.last_use[node]:
                        del self.env[unused]
                return [
                    with_strides(self.env[node], self._strides_of.get(node), mine)
                    for node in part.gives
                ]
            finally:
                self.env.clear()

        return call
