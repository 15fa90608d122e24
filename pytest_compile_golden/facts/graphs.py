"""FX graphs, and the passes over them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec


class GraphKey(msgspec.Struct, frozen=True, tag=True):
    """The graph of a case that something belongs to."""

    index: int
    """Index of the Dynamo graph, from 0, in the order of compilation."""
    direction: str = ""
    """`""` for inference and before AOTAutograd, else `joint`, `forward` or `backward`."""
    split: int | None = None
    """Index of the part, from 0, if the graph was split for DistributedDataParallel; None for the whole graph."""

    @property
    def label(self) -> str:
        """As texts name the graph: `graph_0_backward`."""
        split = "" if self.split is None else f"_split_{self.split}"
        return f"graph_{self.index}{split}" + (
            f"_{self.direction}" if self.direction else ""
        )


@dataclass(frozen=True)
class TensorType:
    """A tensor's static properties, as text: sizes and strides may be symbols."""

    dtype: str
    shape: tuple[str, ...]
    stride: tuple[str, ...]
    contiguous: bool
    device: str


@dataclass(frozen=True)
class Node:
    """One FX node; arguments are already Python expressions over the names of other nodes."""

    name: str
    op: str
    target: str
    args: tuple[str, ...]
    kwargs: tuple[tuple[str, str], ...]
    type: TensorType | str | None
    """The type of a tensor, the expression of a symbolic number, None for anything else."""
    code: str | None
    """The user's line that this node comes from: `function: source`."""
    location: str | None = None
    """The location of that line: `file.py:12`."""


class Graph(msgspec.Struct, frozen=True, tag=True):
    """An FX graph with the graphs it calls."""

    key: GraphKey
    nodes: tuple[Node, ...]
    subgraphs: tuple[tuple[str, Graph], ...] = ()

    def with_subgraphs(self) -> Iterator[Graph]:
        """Itself, and the graphs that it calls, and so on."""
        yield self
        for _, subgraph in self.subgraphs:
            yield from subgraph.with_subgraphs()


@dataclass(frozen=True)
class Signed:
    """An input or an output of an exported program."""

    name: str
    kind: str
    """As torch.export names it: `parameter`, `buffer`, `user_input`, `buffer_mutation` ..."""
    target: str = ""
    """Its name in the program: the parameter, or the buffer or the input that is written to."""


@dataclass(frozen=True)
class Exported:
    """A program as exported by torch.export, functional and in ATen's own operators."""

    graph: Graph
    inputs: tuple[Signed, ...]
    outputs: tuple[Signed, ...]
    ranges: tuple[tuple[str, str], ...]
    """Symbolic sizes with the ranges of their values: `s77`, `[2, 64]`."""


@dataclass(frozen=True)
class Partition:
    """What the partitioner saved for backward."""

    key: GraphKey
    saved: tuple[str, ...]
    """Names of the forward graph's values that backward reads, including sizes."""


@dataclass
class PatternMatch:
    """How often one pattern matched inside one pass."""

    name: str
    where: str | None
    count: int = 0


@dataclass
class Pass:
    """One run of one pass over one graph."""

    key: GraphKey
    phase: str
    """`pre_grad`, `joint`, `partition`, `freezing`, `post_grad`, `lowering` or `scheduler`."""
    name: str
    where: str | None
    """`torch/_inductor/...py:LINE` of the function that it ran, or the user's file."""
    before: int
    after: int
    """Nodes in the graph before and after."""
    changed: bool
    added: dict[str, int] = field(default_factory=dict)
    removed: dict[str, int] = field(default_factory=dict)
    patterns: list[PatternMatch] = field(default_factory=list)
    missed: dict[str, str] = field(default_factory=dict)
    """The user's patterns that it tried and that matched nothing, each with what stood in the way."""
    summary: str | None = None
    """The first sentence of its docstring."""
    started: float = 0.0
    """In seconds of `time.perf_counter()`."""
    seconds: float = 0.0
    graphs: tuple[int, ...] = ()
    """The graph as it found and as it left it, by position in the record's `pass_graphs`; empty if it has no graph."""
    part: int = 0
    """Tells the graphs of one key apart, of which each runs through the passes: a graph and those that it calls."""

    @property
    def slot(self) -> str:
        """The setting that a custom pass is in, whose name is `slot / own name`; empty for a pass of torch's.

        torch gives one of its own the name of a slot (torch/_inductor/fx_passes/post_grad.py: post_grad_passes).
        """
        return (
            ""
            if (self.where or "").startswith("torch/")
            else self.name.rpartition(" / ")[0]
        )

    def is_called(self, name: str) -> bool:
        """Whether `name` names the pass: as the ledger does, or by its slot or its own name alone.

        Of the own name `test_x.<locals>.Fused`, `Fused` is enough.
        """
        own = self.name.rpartition(" / ")[2]
        last = own.rpartition(".")[2]
        return name in (
            self.name,
            own,
            last,
            *((self.slot, f"{self.slot} / {last}") if self.slot else ()),
        )


@dataclass(frozen=True)
class Decision:
    """What happened to one operator at one point in the pipeline."""

    key: GraphKey
    operator: str
    became: str
    """`decomposed`, or the kind of Inductor IR that its lowering returned."""
    where: str | None
    """`torch/...py:LINE` of the decomposition or lowering."""
