"""The kernels of one side of a case: names from the code, operators from the scheduler's groups, costs from `cost`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePosixPath

from pytest_compile_golden.facts.costs import KernelCost
from pytest_compile_golden.facts.schedules import Computed, Group, Schedule
from pytest_compile_golden.formats import cost
from pytest_compile_golden.formats.code import KernelsFormat
from pytest_compile_golden.formats.operators import short
from pytest_compile_golden.formats.schedule import links, printed
from pytest_compile_golden.formats.schedule.form import canonical
from pytest_compile_golden.report.model import ReportedKernel
from pytest_compile_golden.stages import stage_of

# What a group becomes that is no kernel: a library call, or nothing, as a buffer that others write into.
_CALL = re.compile(r"extern")
_NOTHING = re.compile(r"nop|unpack|concat")

Operations = frozenset[tuple[int, str]]
"""Operations by section and name."""


@dataclass(frozen=True)
class SideKernel:
    """A kernel, and what identifies and explains it."""

    kernel: ReportedKernel
    does: Hashable
    """Equal for kernels that do the same thing, whatever their names."""
    operators: Counter[str]
    operations: Operations = frozenset()
    apart: tuple[tuple[Operations, str], ...] = ()
    """The pairs of the graph's operations that were not fused, each with torch's reason."""

    @property
    def title(self) -> str:
        """Its name; for a library call, what it computes."""
        return self.kernel.name or ", ".join(map(short, self.operators))


@dataclass
class _Graph:
    """What is known about one graph."""

    groups: list[Group] = field(default_factory=list)
    section: list[int] = field(default_factory=list)
    """The index of each group's section."""
    apart: list[tuple[Operations, str]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    sources: list[Hashable] = field(default_factory=list)
    costs: list[KernelCost] = field(default_factory=list)


def side_kernels(artifacts: Mapping[str, tuple[str, str, str]]) -> dict[str, list[SideKernel]]:
    """The kernels and calls of each graph, in the order in which they first run. Raises Unreadable.

    A kernel without evidence of the groups that became it is only a name. artifacts: stage, text and evidence by file
    name. If a case has several artifacts of one stage, graph names are prefixed with
    the artifact's name: `decode.graph_0`.
    """
    graphs: dict[str, _Graph] = {}
    for file, (stage, text, evidence) in artifacts.items():
        prefix = PurePosixPath(file).stem.removeprefix(stage).removeprefix(".")
        prefix += "." if prefix else ""
        kernels = stage_of(stage, "").format
        if not text:
            continue
        if stage == "scheduler_nodes":
            for number, section in enumerate(links.read(text, evidence)):
                _schedule(graphs.setdefault(prefix + section.label, _Graph()), number, section)
        elif stage == "cost":
            for costs in cost.COST.read(text):
                graphs.setdefault(prefix + costs.name, _Graph()).costs += costs.kernels
        elif isinstance(kernels, KernelsFormat):
            for piece in kernels.read(text):
                if piece.kernel is not None:
                    graph = graphs.setdefault(prefix + piece.graph, _Graph())
                    graph.names.append(piece.kernel)
                    graph.sources.append(kernels.canonical(kernels.write([piece])))
    return {label: list(_kernels(graph)) for label, graph in graphs.items()}


def _schedule(graph: _Graph, number: int, section: Schedule) -> None:
    graph.groups += section.groups
    graph.section += [number] * len(section.groups)
    for pair in section.apart:
        # A group that had already been fused is named after its members, joined.
        both = frozenset((number, name) for name in (*pair.first.split("_"), *pair.second.split("_")))
        graph.apart.append((both, pair.reason))


def _kernels(graph: _Graph) -> Iterator[SideKernel]:
    numbers = {name: number for number, name in enumerate(graph.names)}
    members: dict[int | str, list[int]] = {}
    for at, group in enumerate(graph.groups):
        if group.kernel in numbers:
            members.setdefault(numbers[group.kernel], []).append(at)
        elif _CALL.search(group.kind) or not (numbers or _NOTHING.search(group.kind)):
            # Calls, and kernels of which there is no source, are the same if they do the same.
            members.setdefault(_work(group), []).append(at)
    costs = _costs(graph)
    for which, groups in members.items():
        yield _kernel(graph, which if isinstance(which, int) else None, groups, [costs.get(at) for at in groups])
    for number, name in enumerate(graph.names):
        if number not in members:
            yield SideKernel(ReportedKernel("", name), graph.sources[number], Counter())


def _kernel(graph: _Graph, number: int | None, groups: Sequence[int], costs: Sequence[KernelCost | None]) -> SideKernel:
    operators: Counter[str] = Counter()
    # Each launch of a kernel computes the same; several loops in one C++ kernel run one after another.
    different = {_work(graph.groups[at]): at for at in reversed(groups)}
    for at in reversed(different.values()):
        for operation in graph.groups[at].operations:
            for computed in operation.computes:
                operators[computed.operator] += computed.times
    kernel = ReportedKernel(
        kind=" + ".join(dict.fromkeys(graph.groups[at].kind for at in groups)),
        name="" if number is None else graph.names[number],
        computes=tuple(str(Computed(short(name), times)) for name, times in operators.items()),
        launches=len(groups) // len(different),
        bytes=_sum([None if kernel is None else _moved(kernel) for kernel in costs]),
        flops=_sum([None if kernel is None else kernel.number("flops") for kernel in costs]),
        least_ns=_sum([None if kernel is None else kernel.least_ns for kernel in costs]),
    )
    operations = frozenset(
        (graph.section[at], operation.name) for at in groups for operation in graph.groups[at].operations
    )
    # The source defines a kernel; the nodes it came from add nothing.
    does = tuple(_form(graph.groups[at]) for at in groups) if number is None else graph.sources[number]
    return SideKernel(kernel, does, operators, operations, tuple(graph.apart))


@lru_cache(maxsize=1 << 12)
def _form(group: Group) -> str:
    """Equal for groups that access the same memory in the same way, whatever they compute."""
    return repr(canonical(printed.write([printed.loose_group(group.kind, group.operations)])))


def _work(group: Group) -> str:
    """Equal for groups that do the same work: groups are printed without loop bodies, but with operators."""
    return repr((_form(group), [sorted(map(str, operation.computes)) for operation in group.operations]))


def _costs(graph: _Graph) -> dict[int, KernelCost]:
    """The cost of each group. Both are in the same order, but groups that only provide memory for others have no
    cost entry."""
    waiting: dict[Hashable, list[int]] = {}
    for at, group in enumerate(graph.groups):
        operators = (computed.operator for operation in group.operations for computed in operation.computes)
        waiting.setdefault((group.kind, cost.listed(operators)), []).append(at)
    by_group: dict[int, KernelCost] = {}
    for kernel in graph.costs:
        if groups := waiting.get((kernel.kind, kernel.operators)):
            by_group[groups.pop(0)] = kernel
    return by_group


def _moved(kernel: KernelCost) -> int:
    return (kernel.number("read") or 0) + (kernel.number("written") or 0)


def _sum(numbers: Sequence[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == len(numbers) else None
