"""Inductor's operations before fusion and the scheduler's groups after it, as text and facts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.schedule import near_misses, printed
from pytest_compile_golden.record import Record
from pytest_compile_golden.record.schedules import Autotuned, NotFused, Schedule, SchedulerNode


@dataclass(frozen=True)
class KernelGroup:
    """The nodes that became one kernel or one call."""

    name: str
    kind: str
    """`pointwise`, `reduction`, `template`, `foreach`, `extern`, `nop` ..."""
    operators: frozenset[str]
    """Every operator it computes: as in the post-grad graph, before decomposition, and as called by the user."""
    size: int
    """The number of scheduler nodes in it."""

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


@dataclass(frozen=True, repr=False)
class ScheduleArtifact(Artifact):
    """The scheduler's groups in all graphs."""

    groups: tuple[KernelGroup, ...]
    not_fused: tuple[NotFused, ...]

    def fused(self, *operators: str) -> bool:
        """Whether some group computes all of `operators`.

        Raises ValueError for an operator that no group computes: a misspelt name must not make a check pass or fail.
        """
        for operator in operators:
            if not any(group.computes(operator) for group in self.groups):
                known = sorted({name for group in self.groups for name in group.operators})
                raise ValueError(f"no scheduler node computes {operator!r}; operators here: {', '.join(known)}")
        return any(all(group.computes(operator) for operator in operators) for group in self.groups)


def schedule_text(schedule: Schedule) -> str:
    """The groups without their numbers, so that a diff of two schedules shows what moved between them."""
    return printed.write(printed.loose_group(group.kind, _operations(group.nodes)) for group in schedule.groups)


def _operations(nodes: Iterable[SchedulerNode]) -> tuple[printed.Operation, ...]:
    return tuple(
        printed.Operation(
            node.name,
            node.kind,
            node.outputs,
            tuple(printed.Computed(name, times) for name, times in node.computes),
            node.reads,
            node.writes,
            node.body,
        )
        for node in nodes
    )


def render_operations(record: Record, stage: str) -> Artifact | None:
    """Inductor IR as lowering left it, with loop bodies; None if nothing was lowered."""
    schedules: list[Schedule] = record.get(stage)
    sections = []
    for schedule in schedules:
        operations = _operations(node for group in schedule.groups for node in group.nodes)
        sections.append(printed.Section(schedule.key.label, printed.ungrouped(operations)))
    return Artifact(stage, printed.write(sections)) if schedules else None


def render_groups(record: Record, stage: str) -> ScheduleArtifact | None:
    """Groups after fusion, and pairs that were not fused with torch's reason; None if nothing was lowered.

    Of very many pairs the nearest misses are listed, and the others counted by reason (`near_misses`).
    """
    schedules: list[Schedule] = record.get(stage)
    refused: list[NotFused] = record.get("not_fused")
    if not schedules:
        return None
    groups = tuple(
        KernelGroup(
            group.name, group.kind, frozenset(name for node in group.nodes for name in node.operators), len(group.nodes)
        )
        for schedule in schedules
        for group in schedule.groups
    )
    sections = [_section(record, schedule, refused) for schedule in schedules]
    return ScheduleArtifact(stage, printed.write(sections), groups, tuple(refused))


def _section(record: Record, schedule: Schedule, refused: Iterable[NotFused]) -> printed.Section:
    choices: list[Autotuned] = [choice for choice in record.get("autotuned") if choice.key == schedule.key]
    group_of = {node.name: number for number, group in enumerate(schedule.groups) for node in group.nodes}
    groups = tuple(printed.PrintedGroup(group.kind, _operations(group.nodes)) for group in schedule.groups)
    pairs = (
        printed.Pair(pair.first, pair.second, re.sub(r"\s+", " ", pair.reason).strip())
        for pair in refused
        # A refusal does not matter if both ended up in one group.
        if pair.key == schedule.key and _group_of(pair.first, group_of) != _group_of(pair.second, group_of)
    )
    return printed.Section(
        schedule.key.label,
        groups,
        (record.policy or "by timing") if choices else None,
        tuple(printed.Choice(choice.operator, choice.chosen, choice.candidates) for choice in choices),
        *near_misses.listed(pairs, (operation for group in groups for operation in group.operations)),
    )


def _group_of(name: str, group_of: dict[str, int]) -> int | None:
    """The final group of a node or of nodes fused so far, whose names torch joins with underscores."""
    return group_of.get(name, group_of.get(name.partition("_")[0]))
