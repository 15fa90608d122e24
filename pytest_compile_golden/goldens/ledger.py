"""Two pass ledgers compared in the order of the passes: which pass was the first to do something else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from pytest_compile_golden.lines import split_lines

_GRAPH = re.compile(r"^(\S+):$")
_ROW = re.compile(r"^  (?P<phase>\S+) +(?P<name>\S.*?) +(?P<nodes>\.|\d+ -> \d+)(?:  # (?P<where>.*))?$")
# The step that comes after `lowered_ir` is taken (torch/_inductor/scheduler.py: Scheduler._init).
_FUSION = "fuse_nodes"
_PATTERN = re.compile(r"^      pattern (?P<name>.+): matched (?P<count>\d+)(?:  # (?P<where>.*))?$")

# The stage whose text a phase's passes make.
MADE_BY: dict[str, str] = {
    "pre_grad": "pre_grad_graph",
    "joint": "joint_graph",
    "partition": "forward_graph",
    "freezing": "post_grad_graph",
    "post_grad": "post_grad_graph",
    "lowering": "lowered_ir",
    "pre_fusion": "lowered_ir",
    "scheduler": "scheduler_nodes",
}


@dataclass
class Row:
    """One pass of one graph, as `stages/passes.py` writes it."""

    graph: str
    phase: str
    name: str
    where: str | None
    nodes: tuple[int, int] | None
    """Before and after; None for a pass that did nothing."""
    patterns: dict[str, tuple[int, str | None]] = field(default_factory=dict)
    """How often each pattern matched, and where it stands."""
    operators: list[str] = field(default_factory=list)
    left: str | None = None
    """A digest of the graph as the pass left it, where the trail has one."""
    pre_fusion: bool = False
    """A step of the scheduler before `lowered_ir` is taken."""

    @property
    def key(self) -> tuple[str, str, str]:
        return self.graph, self.phase, self.name

    @property
    def made(self) -> str:
        """The phase that a change of this pass belongs to, a key of MADE_BY."""
        return "pre_fusion" if self.pre_fusion else self.phase

    @property
    def idle(self) -> bool:
        return self.nodes is None and not self.patterns

    @property
    def effect(self) -> object:
        """What it did, whatever the size of the graph that it did it to."""
        grown = None if self.nodes is None else self.nodes[1] - self.nodes[0]
        return grown, {name: count for name, (count, _) in self.patterns.items()}, self.operators

    @property
    def said(self) -> str:
        """What it did, a line for the nodes, for each pattern and for the operators; empty for nothing."""
        nodes = [] if self.nodes is None else [_did(self)]
        patterns = [f"{name}: matched {count}" for name, (count, _) in self.patterns.items()]
        return "\n".join([*nodes, *patterns, *self.operators])


@dataclass(frozen=True)
class Divergence:
    """The first pass that did something else."""

    phase: str
    text: str
    """`post_grad / remove_noop_ops: 18 -> 14, now nothing`."""
    where: str | None
    """File and line in the installed torch, or the user's file."""


def read(text: str) -> list[Row]:
    """The rows of a ledger; lines that are none of ours are passed over."""
    rows: list[Row] = []
    graph = ""
    fusing = False
    for line in split_lines(text):
        if found := _GRAPH.match(line):
            graph = found[1]
        elif found := _ROW.match(line):
            before, _, after = found["nodes"].partition(" -> ")
            nodes = (int(before), int(after)) if after else None
            fusing = found["phase"] == "scheduler" and (fusing or found["name"] == _FUSION)
            pre_fusion = found["phase"] == "scheduler" and not fusing
            rows.append(Row(graph, found["phase"], found["name"], found["where"], nodes, pre_fusion=pre_fusion))
        elif rows and (found := _PATTERN.match(line)):
            rows[-1].patterns[found["name"]] = int(found["count"]), found["where"]
        elif rows and line.strip():
            rows[-1].operators.append(line.strip())
    return rows


def with_digests(rows: list[Row], left: list[Row]) -> list[Row]:
    """`rows` of a ledger, each with what the trail says that it left."""
    following = iter(left)
    next_one = next(following, None)
    for row in rows:
        if next_one is not None and row.nodes is not None and row.key == next_one.key:
            row.left = next_one.left
            next_one = next(following, None)
    return rows


def divergence(old_rows: list[Row], new_rows: list[Row]) -> Divergence | None:
    """The first pass whose effect differs; None where every pass did to its graph what it did before.

    Where a graph comes into its first pass that did something with another number of nodes, the change is older than
    that pass, and None too.
    """
    for old, new in pairs(old_rows, new_rows):
        if old is None or new is None:
            row = old or new
            if row is None or row.idle:
                continue
            news = "does not run any more" if new is None else "runs now"
            return Divergence(row.made, f"{row.phase} / {row.name}: {news}", row.where)
        if old.effect != new.effect or (old.left and new.left and old.left != new.left):
            if old.nodes is not None and new.nodes is not None and old.nodes[0] != new.nodes[0]:
                return None
            if old.pre_fusion and _came_in(old, old_rows) != _came_in(new, new_rows):
                return None
            return _changed(old, new)
        if old.nodes is not None and new.nodes is not None and old.nodes != new.nodes:
            return None
    return None


def pairs(old: list[Row], new: list[Row]) -> Iterator[tuple[Row | None, Row | None]]:
    """Rows of the same pass side by side, in the order of the run."""
    matcher = SequenceMatcher(None, [row.key for row in old], [row.key for row in new], autojunk=False)
    for what, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if what == "equal":
            yield from zip(old[old_from:old_to], new[new_from:new_to], strict=True)
        else:
            yield from ((row, None) for row in old[old_from:old_to])
            yield from ((None, row) for row in new[new_from:new_to])


def _came_in(row: Row, rows: list[Row]) -> int | None:
    """How many nodes a pass was given: one that did nothing, as many as the next that did something to that graph."""
    for each in rows[next(at for at, each in enumerate(rows) if each is row) :]:
        if each.graph == row.graph and each.phase == row.phase and each.nodes is not None:
            return each.nodes[0]
    return None


def _changed(old: Row, new: Row) -> Divergence:
    where = new.where or old.where
    for name in dict.fromkeys([*old.patterns, *new.patterns]):
        (before, old_where), (after, new_where) = old.patterns.get(name, (0, None)), new.patterns.get(name, (0, None))
        if before != after:
            text = f"{new.phase} / {new.name} / pattern {name}: matched {before} -> {after}"
            return Divergence(new.made, text, new_where or old_where)
    if old.nodes != new.nodes:
        news = f"{_did(old)}, now {_did(new)}"
    elif old.operators != new.operators:
        news = f"{_operators(old)}, now {_operators(new)}"
    else:
        news = "same operators, other arguments"
    return Divergence(new.made, f"{new.phase} / {new.name}: {news}", where)


def _did(row: Row) -> str:
    return "nothing" if row.nodes is None else f"{row.nodes[0]} -> {row.nodes[1]} nodes"


def _operators(row: Row) -> str:
    return " ".join(row.operators) or "nothing"
