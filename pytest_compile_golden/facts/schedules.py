"""Inductor's operations, the groups that the scheduler fuses them into, and what it decided on the way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from pytest_compile_golden.facts.generated_code import Author
from pytest_compile_golden.facts.graphs import Graph, GraphKey


class Computed(msgspec.Struct, frozen=True):
    """An operator of the post-grad graph, and how often an operation computes it."""

    operator: str
    times: int = 1

    def __str__(self) -> str:
        return self.operator if self.times == 1 else f"{self.operator} x{self.times}"


class Operation(msgspec.Struct, frozen=True):
    """One scheduler node: a loop nest, a reduction, a library call ..."""

    name: str
    kind: str
    outputs: tuple[str, ...] = ()
    """Buffers with their layout."""
    computes: tuple[Computed, ...] = ()
    reads: tuple[str, ...] = ()
    """Buffers and inputs, each with the index it is accessed at."""
    writes: tuple[str, ...] = ()
    body: tuple[str, ...] = ()
    """The loop body's lines."""
    nodes: tuple[str, ...] | None = None
    """The post-grad graph's nodes that it was made from, by name; the text leaves them out."""
    operators: tuple[str, ...] | None = None
    """The operators it computes, those they were decomposed from, and the user's calls; the text has only the first."""


class Group(msgspec.Struct, frozen=True):
    """The operations of one kernel or one call; before fusion, a single group without a kind has all operations."""

    kind: str
    """`pointwise`, `reduction`, `template`, `foreach`, `extern`, `nop` ..."""
    operations: tuple[Operation, ...]
    kernel: str | None = None
    """The name of the kernel that it became; None for a library call, and in a text, which leaves it out."""
    stream: int = 0
    """Which of the streams that the program enters it runs on, from 1 on; 0 for the one that is current at the call."""

    @property
    def name(self) -> str:
        """As torch names groups."""
        return "_".join(operation.name for operation in self.operations)

    @property
    def size(self) -> int:
        """The number of scheduler nodes in it."""
        return len(self.operations)

    @property
    def operators(self) -> frozenset[str]:
        """Every operator it computes: as in the post-grad graph, before decomposition, and as called by the user."""
        return frozenset(
            name for operation in self.operations for name in operation.operators or ()
        )

    def computes(self, operator: str) -> bool:
        """Whether this group computes `operator`: `layer_norm`, `aten.addmm`, `torch.nn.functional.gelu` ..."""
        return any(_names(operator, name) for name in self.operators)


def _names(wanted: str, operator: str) -> bool:
    parts = operator.split(".")
    return (
        operator == wanted
        or operator.startswith(wanted + ".")
        or any(part in (wanted, f"native_{wanted}", f"_{wanted}") for part in parts)
    )


class Choice(msgspec.Struct, frozen=True):
    """What autotuning chose for an operator, by timing or, on a virtual target, by policy."""

    operator: str
    chosen: str
    candidates: int


REFUSALS = "why operations were not fused"


class NotFused(msgspec.Struct, frozen=True):
    """Two operations, or groups fused so far, that were not fused, and torch's wording of the reason."""

    first: str
    second: str
    reason: str
    author: Author | None = None
    """The function that refused; the text leaves it out."""

    def __str__(self) -> str:
        return f"{self.first} with {self.second}"


class Counted(msgspec.Struct, frozen=True):
    """Pairs that were not fused for a like reason, and are not listed."""

    reason: str
    """Torch's wording, without the operations and numbers of each pair."""
    pairs: int


class Schedule(msgspec.Struct, frozen=True, tag=True):
    """The schedule of one graph at one point in time."""

    label: str
    groups: tuple[Group, ...]
    tuned_by: str | None = None
    """How `choices` were made, in words; None if there was nothing to choose."""
    choices: tuple[Choice, ...] = ()
    apart: tuple[NotFused, ...] | None = ()
    """None if the installed torch does not let us read them."""
    more_apart: tuple[Counted, ...] = ()

    @property
    def operations(self) -> tuple[Operation, ...]:
        """Those of all groups, in order."""
        return tuple(
            operation for group in self.groups for operation in group.operations
        )


def buffer(access: str) -> str:
    """`buf0` for `buf0[c0]` and for `buf0: f32[8] cpu`."""
    return access.partition("[")[0].partition(":")[0]


def type_of(output: str) -> str:
    """`f32[8] cpu` for `buf0: f32[8] cpu`."""
    return output.partition(": ")[2]


def index(access: str) -> str:
    """`2*c0` for `buf0[2*c0]`; empty without one."""
    return access.partition("[")[2].removesuffix("]") if access.endswith("]") else ""


def waits_for(operation: Operation, name: str) -> bool:
    """Whether loops only run after what made a buffer, or write over it, and read nothing of it."""
    accesses = (*operation.reads, *operation.writes)
    return (
        # Which adds to what is there.
        operation.kind != "scatter"
        and any(map(index, accesses))
        and not any(index(access) for access in accesses if buffer(access) == name)
    )


def ungrouped(operations: Iterable[Operation]) -> tuple[Group, ...]:
    """Operations that are not in any group."""
    alone = tuple(operations)
    return (Group("", alone),) if alone else ()


@dataclass(frozen=True)
class PassDiff:
    """What one pass worked on, before and after it; only for passes that changed it."""

    key: GraphKey
    phase: str
    name: str
    before: Graph | Schedule
    after: Graph | Schedule
