"""Which nodes of two graphs are counterparts, whatever their names and their order."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from pytest_compile_golden.formats.graph.form import Node, nodes
from pytest_compile_golden.formats.graph.printed import Function

_TAKEN_OUT = "\0["


@dataclass
class Pairs:
    """Nodes of an old and a new graph, as far as they have counterparts, in the order of the old one."""

    nodes: list[tuple[Node, Node]] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)
    """The counterpart of each input and result of the old graph."""
    makers: tuple[dict[str, Node], dict[str, Node]] = field(default_factory=lambda: ({}, {}))
    """The node that makes each value, on both sides; inputs have none."""

    def reconnected(self, old: Node, new: Node) -> Iterator[tuple[str, str]]:
        """The values that a node reads instead of others, each with the one that it read before."""
        if len(old.reads) == len(new.reads):
            yield from (
                (was, now) for was, now in zip(old.reads, new.reads, strict=True) if self.values.get(was) != now
            )

    def made_by(self, side: int, value: str) -> Node | None:
        """The node that a value comes from, looking through what takes one result out of several; None for an input."""
        node = self.makers[side].get(value)
        while node is not None and node.text.startswith(_TAKEN_OUT) and node.reads[0] in self.makers[side]:
            node = self.makers[side][node.reads[0]]
        return node


def pairs(old: Function, new: Function) -> Pairs:
    """Nodes that are computed alike from the inputs are counterparts; of the others, those with the same call that read
    most of the same, and then those that call the same operator."""
    every = before, after = list(nodes(old)), list(nodes(new))
    found = Pairs(makers=({node.name: node for node in before}, {node.name: node for node in after}))
    found.values.update((was.name, now.name) for was, now in zip(old.inputs, new.inputs, strict=False))
    keys = [_keys(function, side) for function, side in zip((old, new), every, strict=True)]
    alike: dict[int, deque[Node]] = {}
    for node in every[1]:
        alike.setdefault(keys[1][node.name], deque()).append(node)
    partners: dict[str, Node] = {}
    for node in every[0]:
        if same := alike.get(keys[0][node.name]):
            partners[node.name] = same.popleft()
            found.values[node.name] = partners[node.name].name
    left = {node.name: node for same in alike.values() for node in same}
    for call in (_same_call, _same_operator):
        candidates: dict[object, list[Node]] = {}
        for node in every[1]:
            if node.name in left:
                candidates.setdefault(call(node), []).append(node)
        for node in every[0]:
            if node.name not in partners and (several := candidates.get(call(node))):
                # Most often the first reads the same, so that not all need to be asked.
                reading_alike = (other for other in several if not any(found.reconnected(node, other)))
                best = next(reading_alike, None) or min(
                    several, key=lambda other: len([*found.reconnected(node, other)])
                )
                several.remove(best)
                del left[best.name]
                partners[node.name] = best
                found.values[node.name] = best.name
    found.nodes = [(node, partners[node.name]) for node in every[0] if node.name in partners]
    return found


def _same_call(node: Node) -> tuple[str, str]:
    return node.target, node.text


def _same_operator(node: Node) -> str:
    return node.target


def _keys(function: Function, every: list[Node]) -> dict[str, int]:
    """For each value, a hash of how it is computed from the inputs."""
    keys = {argument.name: index for index, argument in enumerate(function.inputs)}
    for node in every:
        keys[node.name] = hash((node.text, *(keys.get(name, name) for name in node.reads)))
    return keys
