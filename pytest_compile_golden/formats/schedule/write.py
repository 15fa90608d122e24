"""Inductor's operations before fusion, and the scheduler's groups after it, put together from what was recorded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from pytest_compile_golden.facts.schedules import Choice, Group, NotFused, Schedule, ungrouped
from pytest_compile_golden.formats.answer import Answer
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.schedule import links, near_misses, printed
from pytest_compile_golden.formats.schedule.fused import fused
from pytest_compile_golden.record import Record


@dataclass(frozen=True, repr=False)
class ScheduleArtifact(Artifact):
    """The scheduler's groups in all graphs."""

    schedules: tuple[Schedule, ...]
    not_fused: tuple[NotFused, ...]
    """Every pair, also of operations that became one group in the end."""

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups of all graphs."""
        return tuple(group for schedule in self.schedules for group in schedule.groups)

    def fused(self, *operators: str) -> Answer:
        """Whether some group computes all of `operators`; if not, a failing assert shows how near they came to it.

        Raises ValueError for an operator that no group computes: a misspelt name must not make a check pass or fail.
        """
        for operator in operators:
            if not any(group.computes(operator) for group in self.groups):
                known = sorted({name for group in self.groups for name in group.operators})
                raise ValueError(f"no scheduler node computes {operator!r}; operators here: {', '.join(known)}")
        return fused(self.schedules, operators)


def schedule_text(schedule: Schedule) -> str:
    """The groups without their numbers, so that a diff of two schedules shows what moved between them."""
    return printed.write(printed.loose_group(group.kind, group.operations) for group in schedule.groups)


def render_operations(record: Record, stage: str) -> Artifact | None:
    """Inductor IR as lowering left it, with loop bodies; None if nothing was lowered."""
    schedules: list[Schedule] = record.get(stage)
    sections = [Schedule(schedule.label, ungrouped(schedule.operations)) for schedule in schedules]
    return Artifact(stage, printed.write(sections)) if schedules else None


def render_groups(record: Record, stage: str) -> ScheduleArtifact | None:
    """Groups after fusion, and pairs that were not fused with torch's reason; None if nothing was lowered.

    Of very many pairs the nearest misses are listed, and the others counted by reason (`near_misses`).
    """
    schedules = tuple(scheduled(record))
    if not schedules:
        return None
    refused: list[tuple[str, NotFused]] = record.get("not_fused")
    facts = (*links.links(schedules), *links.refused(pair for _, pair in refused))
    return ScheduleArtifact(stage, printed.write(schedules), schedules, tuple(pair for _, pair in refused), facts=facts)


def scheduled(record: Record) -> Iterator[Schedule]:
    """The schedule of each graph, with what was said about it at other times: choices, refusals, names of kernels."""
    choices: list[tuple[str, Choice]] = record.get("autotuned")
    refused: list[tuple[str, NotFused]] = record.get("not_fused")
    kernels: list[tuple[str, str, tuple[str, ...]]] = record.get("kernels")
    for schedule in record.get("scheduler_nodes"):
        group_of = {op.name: number for number, group in enumerate(schedule.groups) for op in group.operations}
        chosen = tuple(choice for label, choice in choices if label == schedule.label)
        kernel_of = {name: kernel for label, kernel, names in kernels if label == schedule.label for name in names}
        pairs: dict[tuple[str, str, str], NotFused] = {}
        for label, pair in refused:
            # A refusal does not matter if both ended up in one group.
            if label == schedule.label and _group_of(pair.first, group_of) != _group_of(pair.second, group_of):
                pairs.setdefault((pair.first, pair.second, pair.reason), pair)
        apart, more_apart = near_misses.listed(pairs.values(), schedule.operations)
        yield replace(
            schedule,
            groups=tuple(replace(group, kernel=kernel_of.get(group.operations[0].name)) for group in schedule.groups),
            tuned_by=(record.policy or "by timing") if chosen else None,
            choices=chosen,
            apart=apart,
            more_apart=more_apart,
        )


def _group_of(name: str, group_of: dict[str, int]) -> int | None:
    """The final group of a node or of nodes fused so far, whose names torch joins with underscores."""
    return group_of.get(name, group_of.get(name.partition("_")[0]))
