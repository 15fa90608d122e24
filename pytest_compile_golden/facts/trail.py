"""What each step of a compile made and decided, in pipeline order: stages as digests, and the decisions in between.

The whole texts of all stages would be many times as long as what most changes touch.
"""

from __future__ import annotations

import msgspec


class Item(msgspec.Struct, frozen=True, array_like=True):
    """One kind of thing in a stage's text: an operator, a library call, allocations."""

    name: str
    times: int = 1
    detail: str = ""
    """A digest of the arguments and result types of all of them, ignoring names and order; empty if they have none."""

    @property
    def is_check(self) -> bool:
        """Whether it is a check; comparisons ignore those."""
        return self.name.startswith("assert_")


class StageDigest(msgspec.Struct, frozen=True, array_like=True, tag="step"):
    """What a stage holds."""

    at: int
    """The position among all facts of a trail, in pipeline order."""
    stage: str
    size: str
    """`6 nodes`."""
    digest: str
    """Of its canonical form."""
    order: str = ""
    """A digest of the operators in the order of the nodes, which comparisons ignore."""


class StageContents(msgspec.Struct, frozen=True, array_like=True, tag="inventory"):
    """What a stage without a golden of its own holds, by kind in order of first appearance."""

    digest: str
    """That of the stage: stages that are the same share it."""
    items: tuple[Item, ...]


class Decomposed(msgspec.Struct, frozen=True, array_like=True, tag="decomposition"):
    """What an operator is decomposed into, and how often."""

    at: int
    operator: str
    became: str
    times: int
    where: str | None
    """File and line of the decomposition."""


class Lowered(msgspec.Struct, frozen=True, array_like=True, tag="lowering"):
    """The kind of Inductor IR that an operator is lowered to, and how often."""

    at: int
    operator: str
    became: str
    times: int
    where: str | None


class Stopped(msgspec.Struct, frozen=True, array_like=True, tag="stop"):
    """Where Dynamo broke the graph, or compiled again."""

    at: int
    stage: str
    """`graph_breaks` or `recompiles`."""
    reason: str
    line: str
    """`function: source line`."""


class PassOutput(msgspec.Struct, frozen=True, array_like=True, tag="pass"):
    """The graph as a pass that changed it left it."""

    at: int
    graph: str
    phase: str
    name: str
    digest: str
    where: str | None


class LaunchConfigs(msgspec.Struct, frozen=True, array_like=True, tag="launch"):
    """The blocks and warps that are offered for a kernel, and the function that offers them."""

    at: int
    kernel: str
    configs: str
    heuristic: str | None
    where: str | None


Decision = Decomposed | Lowered
Fact = (
    StageDigest
    | StageContents
    | Decomposed
    | Lowered
    | Stopped
    | PassOutput
    | LaunchConfigs
)


class PassesRun(msgspec.Struct, frozen=True, array_like=True, tag="ran"):
    """Passes that ran one after another over one graph, whether or not they did anything."""

    at: int
    """Its position among all such facts of a compile."""
    graph: str
    phase: str
    names: tuple[str, ...]
    """Those of passes that did nothing; empty for one that did something, whose row the ledger has."""
