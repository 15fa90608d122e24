"""Which graph nodes each scheduler operation computes. No text says so; it is found by following the data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from pytest_compile_golden.formats.graph.form import holes
from pytest_compile_golden.formats.graph.printed import Function
from pytest_compile_golden.formats.schedule.printed import Operation, Section

_CALL = re.compile(r"([\w.]+)\(")
_BUFFER = re.compile(r"[A-Za-z_]\w*")
_OUTPUT = re.compile(r"(\w+): (\w+\[[^\]]*\])")
# Views of a value: an operation may or may not include them among its nodes.
# fmt: off
_VIEWS = frozenset({
    "alias", "as_strided", "detach", "diagonal", "expand", "lift_fresh_copy", "permute", "reshape", "select", "slice",
    "split", "split_with_sizes", "squeeze", "t", "transpose", "unbind", "unfold", "unsqueeze", "view", "view_as_real",
})
# fmt: on


@dataclass(frozen=True)
class Origins:
    """The names of an operation's nodes."""

    nodes: frozenset[str]
    sure: bool
    """Whether the dataflow admits only these nodes; if not, these are all the candidates."""


@dataclass(frozen=True)
class _Node:
    name: str
    operator: str
    """Empty for an element of another node's result (getitem)."""
    type: str
    reads: tuple[str, ...]

    is_view: bool
    """Whether it only looks at a value and computes nothing."""


@dataclass(frozen=True)
class _Graph:
    inputs: frozenset[str]
    nodes: Mapping[str, _Node]

    @cached_property
    def from_inputs(self) -> Mapping[str, frozenset[str]]:
        """The graph's inputs that each node depends on."""
        inputs_of: dict[str, frozenset[str]] = {name: frozenset([name]) for name in self.inputs}
        for node in self.nodes.values():
            inputs_of[node.name] = frozenset().union(*(inputs_of.get(name, frozenset()) for name in node.reads))
        return inputs_of

    def above(self, name: str, computed: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
        """The nodes from `name` up to graph inputs and nodes `computed` elsewhere; and those inputs and nodes."""
        nodes: set[str] = set()
        ends: set[str] = set()
        left = [name]
        while left:
            ancestor = left.pop()
            if ancestor not in self.nodes or (ancestor in computed and ancestor != name):
                ends.add(ancestor)
            elif ancestor not in nodes:
                nodes.add(ancestor)
                left += self.nodes[ancestor].reads
        return frozenset(nodes), frozenset(ends)


def origins(function: Function, section: Section) -> dict[str, Origins]:
    """The nodes of each operation in a schedule of that graph, by the operation's name; without views."""
    graph = _graph(function)
    by_operation: dict[str, Origins] = {}
    held: dict[str, frozenset[str]] = {}
    """The nodes whose value a buffer may hold."""
    claimed: set[str] = set()
    """Nodes known to be written by one operation, and hence by no other."""
    depends: dict[str, frozenset[str]] = {}
    """The graph's inputs that a buffer depends on."""
    before: dict[str, Counter[str]] = {}
    """The operators computed for a buffer: an operation that reads it may name them too."""
    for operation in section.operations:
        reads = {_name(access) for access in operation.reads}
        inputs = frozenset().union(*(depends.get(name, frozenset([name])) for name in reads)) & graph.inputs
        wanted = Counter({computed.operator: computed.times for computed in operation.computes})
        roots, nodes = _followed(graph, operation, wanted, reads, held, before, claimed)
        if nodes is not None:
            claimed |= roots
            by_operation[operation.name] = Origins(nodes, True)
        else:
            called = [node for node in graph.nodes.values() if node.operator in wanted and not node.is_view]
            # A call on many tensors depends on more than the operation that produces one of its results.
            may_be = [node for node in called if graph.from_inputs[node.name] <= inputs] or called
            expected = {operator: times for operator, times in wanted.items() if not _is_view(operator)}
            sure = Counter(node.operator for node in may_be) == expected
            by_operation[operation.name] = Origins(frozenset(node.name for node in may_be), sure)
        for output in {_name(access) for access in (*operation.outputs, *operation.writes)}:
            held[output], depends[output], before[output] = roots, inputs, wanted
    return by_operation


def _followed(
    graph: _Graph,
    operation: Operation,
    wanted: Counter[str],
    reads: Iterable[str],
    held: Mapping[str, frozenset[str]],
    before: Mapping[str, Counter[str]],
    claimed: Container[str],
) -> tuple[frozenset[str], frozenset[str] | None]:
    """The nodes whose value it writes, and the nodes it computes; None for the latter if several sets fit, or none."""
    buffers = [name for name in reads if name in held]
    ready = frozenset().union(*(held[name] for name in buffers))
    repeated = {operator for name in buffers for operator in before[name]}
    shapes = {shape[2] for output in operation.outputs if (shape := _OUTPUT.match(output))}
    fits: dict[tuple[bool, frozenset[str]], set[str]] = {}
    read = graph.inputs & {*reads}
    for node in graph.nodes.values():
        if node.name in claimed or (shapes and node.type not in shapes):
            continue
        if not node.is_view and node.operator not in wanted:
            continue
        nodes, ends = graph.above(node.name, ready)
        computed = frozenset(name for name in nodes if not graph.nodes[name].is_view)
        counted = Counter(graph.nodes[name].operator for name in computed)
        missing = {operator for operator in wanted - counted if not _is_view(operator)}
        inputs = ends & graph.inputs
        whole = inputs == read and all(ends & held[name] for name in buffers)
        if computed and counted <= wanted and missing <= repeated and inputs <= read:
            fits.setdefault((whole, computed), set()).add(node.name)
    # Prefer candidates that read everything the operation reads.
    any_whole = any(whole for whole, _ in fits)
    best = {computed: roots for (whole, computed), roots in fits.items() if whole == any_whole}
    if len(best) != 1:
        return frozenset().union(*best.values()), None
    ((computed, names),) = best.items()
    return frozenset(names), computed


def _graph(function: Function) -> _Graph:
    values = function.values
    nodes: dict[str, _Node] = {}
    for line in function.lines:
        if not line.is_result:
            called, reads = _CALL.match(line.call), tuple(holes(line.call, values)[1])
            operator = called[1] if called else ""
            nodes[line.name] = _Node(line.name, operator, line.type, reads, _is_view(operator))
    return _Graph(frozenset(argument.name for argument in function.inputs), nodes)


def _is_view(operator: str) -> bool:
    """Whether it computes nothing: it is a view, or an element of another node's result, which has no operator."""
    parts = operator.split(".")
    return not operator or parts[min(1, len(parts) - 1)] in _VIEWS


def _name(access: str) -> str:
    """The buffer or input of an access, without index or layout."""
    match = _BUFFER.match(access)
    return match[0] if match else access
