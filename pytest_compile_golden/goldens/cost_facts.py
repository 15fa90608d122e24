"""What the kernels of each graph move, compute and hold on both sides: as the stage `cost` has recorded it or, where it
has not, as in goldens, as far as the schedule shows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from pytest_compile_golden.facts.costs import KernelShares, Liveness
from pytest_compile_golden.facts.schedules import Group, Operation, buffer, type_of
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.costs import COST
from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.goldens.compare_artifact import Compared
from pytest_compile_golden.goldens.consequences import prefix
from pytest_compile_golden.goldens.kernel_pairs import SideKernel, kernel_pairs
from pytest_compile_golden.goldens.side_schedule import SideSchedule

_TYPE = re.compile(r"[a-z]+(?P<bits>\d+)\w*\[(?P<sizes>[^\]]*)\]")
"""`f32[64, s77]`"""


class LaunchedGroups(NamedTuple):
    """One launch of a kernel, or one call of a library."""

    operations: tuple[Operation, ...]
    is_call: bool
    runs_loops: bool
    """Whether it is a C++ kernel, which has all loops between two library calls."""


@dataclass(frozen=True)
class GraphShares:
    """What the kernels of a graph move and compute, and the launches of these kernels, by side."""

    moved: tuple[list[KernelShares], list[KernelShares]]
    launches: tuple[list[LaunchedGroups], list[LaunchedGroups]]
    recorded: bool
    """Whether `moved` was recorded with the stage `cost`, and is not taken from the schedule."""


def graph_shares(
    compared: Sequence[Compared], schedules: Mapping[str, Sequence[SideSchedule]]
) -> dict[str, GraphShares]:
    """What is known of each graph that has a schedule."""
    recorded = _recorded(compared)
    inputs = _inputs(compared)
    pairs = kernel_pairs(compared)
    found = {}
    for graph, sides in schedules.items():
        kernels = [
            [
                kernel
                for pair in pairs.get(graph, ())
                if (kernel := pair[side]) is not None
            ]
            for side in (0, 1)
        ]
        launches = [*_launches(kernels[0])], [*_launches(kernels[1])]
        shares = recorded.get(graph, ([], []))
        # A graph of which nothing is left to compute has no kernels.
        if not any(shares) or any(
            of_side and not known
            for of_side, known in zip(kernels, shares, strict=True)
        ):
            types = inputs.get(graph, ({}, {}))
            old, new = (
                [*_of_schedule(graph, of_side, side, of_inputs)]
                for of_side, side, of_inputs in zip(kernels, sides, types, strict=True)
            )
            found[graph] = GraphShares((old, new), launches, False)
        else:
            found[graph] = GraphShares(shares, launches, True)
    return found


def _recorded(
    compared: Sequence[Compared],
) -> dict[str, tuple[list[KernelShares], list[KernelShares]]]:
    found: dict[str, tuple[list[KernelShares], list[KernelShares]]] = {}
    for artifact, side, fact in _facts(compared):
        if isinstance(fact, KernelShares):
            name = prefix(artifact) + fact.graph
            found.setdefault(name, ([], []))[side].append(fact)
    return found


def _facts(
    compared: Sequence[Compared],
) -> Iterator[tuple[Compared, int, KernelShares | Liveness]]:
    for artifact in compared:
        if artifact.stage == "cost":
            for side, text in enumerate((artifact.old, artifact.new)):
                for fact in evidence.read(
                    artifact.known[side], text, KernelShares | Liveness
                ):
                    yield artifact, side, fact


def _launches(kernels: Sequence[SideKernel]) -> Iterator[LaunchedGroups]:
    """The launches of each kernel; a C++ kernel may have several groups."""
    for kernel in kernels:
        launches = kernel.launches or 1
        size = len(kernel.groups) // launches
        for first in range(0, size * launches, size or 1):
            groups = kernel.groups[first : first + size]
            operations = tuple(each for group in groups for each in group.operations)
            yield LaunchedGroups(operations, kernel.kind == "extern", kernel.runs_loops)


def _of_schedule(
    graph: str,
    kernels: Sequence[SideKernel],
    schedule: SideSchedule,
    inputs: Mapping[str, str],
) -> Iterator[KernelShares]:
    """What each group reads of other groups, and leaves in memory for them: whole buffers, as torch counts them
    (torch/_inductor/scheduler.py: get_read_write_buffer_accesses). Where no text says what a group computes, each node
    counts as one operation."""
    types = dict(inputs)
    for operation in schedule.operations.values():
        for output in operation.outputs:
            types[buffer(output)] = type_of(output)
    for kernel in kernels:
        for group, cost in zip(kernel.groups, kernel.costs, strict=True):
            flops = None if cost is None else cost.number("flops")
            yield KernelShares(
                graph,
                group.name,
                tuple(
                    (name, nbytes(types.get(name, "")))
                    for name in _accessed(group, schedule)
                ),
                ((group.name, flops),)
                if flops is not None
                else tuple(
                    (each.name, len(schedule.computed[each.name]))
                    for each in group.operations
                ),
            )


def _accessed(group: Group, schedule: SideSchedule) -> list[str]:
    """The buffers and inputs that a group reads of others, and those that it leaves in memory."""
    made = {buffer(output) for each in group.operations for output in each.outputs}
    accesses = (
        buffer(access)
        for each in group.operations
        for access in (*each.reads, *each.writes, *each.outputs)
    )
    return [
        name
        for name in dict.fromkeys(accesses)
        if name not in made or name in schedule.written
    ]


def nbytes(type_text: str) -> int:
    """The bytes of `f32[64, 64]`, with 1 in the place of each symbol."""
    found = _TYPE.match(type_text)
    if found is None:
        return 0
    sizes = (each.strip() for each in found["sizes"].split(",") if each.strip())
    elements = prod(int(size) if size.isdigit() else 1 for size in sizes)
    return elements * int(found["bits"]) // 8


def _inputs(
    compared: Sequence[Compared],
) -> dict[str, tuple[dict[str, str], dict[str, str]]]:
    """By graph and side, the type of each input."""
    found: dict[str, tuple[dict[str, str], dict[str, str]]] = {}
    for artifact in compared:
        if artifact.stage == "post_grad_graph" and artifact.documents is not None:
            for side, graphs in enumerate(artifact.documents):
                for graph in graphs:
                    found.setdefault(prefix(artifact) + graph.name, ({}, {}))[
                        side
                    ].update((each.name, each.type) for each in graph.inputs)
    return found


def liveness(compared: Sequence[Compared], graph: str, side: int) -> Liveness | None:
    """What a graph holds while each of its kernels runs, of the run that holds most; None if that is not recorded."""
    most = peaks(compared).get(graph, (None, None))[side]
    return next(
        (
            fact
            for artifact, number, fact in _facts(compared)
            if number == side
            and isinstance(fact, Liveness)
            and prefix(artifact) + fact.graph == graph
            and fact.most == most
        ),
        None,
    )


def peaks(compared: Sequence[Compared]) -> dict[str, tuple[int, int]]:
    """The most bytes that each graph holds at once, before and after, of those that both sides have."""
    found: dict[str, tuple[int, int]] = {}
    for artifact in compared:
        if artifact.stage == "cost" and artifact.old and artifact.new:
            try:
                old, new = (
                    {graph.name: graph.peak_memory for graph in COST.read(text)}
                    for text in (artifact.old, artifact.new)
                )
            except Unreadable:
                continue
            for name in old.keys() & new.keys():
                found[prefix(artifact) + name] = old[name], new[name]
    return found
