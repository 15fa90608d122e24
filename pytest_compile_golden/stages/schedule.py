"""Inductor's operations before fusion and the scheduler's groups after it, as text and facts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_compile_golden.observe.record import FusionGroup, NotFused, Record, Schedule, SchedulerNode
from pytest_compile_golden.stages.artifact import Artifact


@dataclass(frozen=True)
class Group:
    """What became one kernel or one call."""

    name: str
    kind: str
    """`pointwise`, `reduction`, `template`, `foreach`, `extern`, `nop` ..."""
    operators: frozenset[str]
    """Every operator it computes: of the post-grad graph, before decomposition, and as the user called it."""
    size: int
    """Scheduler nodes in it."""

    def computes(self, operator: str) -> bool:
        """Whether `operator` is in this group: `layer_norm`, `aten.addmm`, `torch.nn.functional.gelu` ..."""
        return any(_names(operator, each) for each in self.operators)


def _names(wanted: str, operator: str) -> bool:
    parts = operator.split(".")
    return (
        operator == wanted
        or operator.startswith(wanted + ".")
        or any(part in (wanted, f"native_{wanted}", f"_{wanted}") for part in parts)
    )


@dataclass(frozen=True, repr=False)
class ScheduleArtifact(Artifact):
    """The scheduler's groups over all graphs."""

    groups: tuple[Group, ...]
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


def _node_lines(node: SchedulerNode, indent: str) -> Iterator[str]:
    yield f"{indent}{node.name}: {node.kind}"
    for output in node.outputs:
        yield f"{indent}  {output}"
    if node.computes:
        counted = (name if times == 1 else f"{name} x{times}" for name, times in node.computes)
        yield f"{indent}  computes {', '.join(counted)}"
    if node.reads:
        yield f"{indent}  reads {', '.join(node.reads)}"
    if node.writes:
        yield f"{indent}  writes {', '.join(node.writes)}"
    for line in node.body:
        yield f"{indent}  | {line}"


def schedule_text(schedule: Schedule) -> str:
    """The groups without their numbers, so that a diff of two schedules shows what moved between them."""
    lines = (line for group in schedule.groups for line in (f"group: {group.kind}", *_lines_of(group, "  ")))
    return "\n".join(lines) + "\n"


def _lines_of(group: FusionGroup, indent: str) -> Iterator[str]:
    for node in group.nodes:
        yield from _node_lines(node, indent)


def _operators(group: FusionGroup) -> frozenset[str]:
    return frozenset(name for node in group.nodes for name in node.operators)


def render_lowered_ir(record: Record) -> Artifact | None:
    """Inductor IR as lowering left it, with loop bodies; None where nothing was lowered."""
    schedules: list[Schedule] = record.get("lowered_ir")
    lines: list[str] = []
    for schedule in schedules:
        lines += ([""] if lines else []) + [f"{schedule.key.label}:"]
        for group in schedule.groups:
            for node in group.nodes:
                lines += _node_lines(node, "  ")
    return Artifact("lowered_ir", "\n".join(lines) + "\n") if schedules else None


def render_scheduler_nodes(record: Record) -> ScheduleArtifact | None:
    """Groups after fusion, and pairs that stayed apart with torch's reason; None where nothing was lowered."""
    schedules: list[Schedule] = record.get("scheduler_nodes")
    refused: list[NotFused] = record.get("not_fused")
    if not schedules:
        return None
    lines: list[str] = []
    for schedule in schedules:
        lines += ([""] if lines else []) + [f"{schedule.key.label}:"]
        for number, group in enumerate(schedule.groups):
            lines.append(f"  group {number}: {group.kind}")
            for node in group.nodes:
                lines += _node_lines(node, "    ")
        chosen = [each for each in record.get("autotuned") if each.key == schedule.key]
        if chosen:
            lines.append(f"  autotuned ({record.policy or 'by timing'}):")
            lines += [f"    {each.operator}: {each.chosen} of {each.candidates} candidates" for each in chosen]
        # A refusal on the way to one group does not matter.
        home = {node.name: number for number, group in enumerate(schedule.groups) for node in group.nodes}
        apart = dict.fromkeys(
            f"    {each.first} with {each.second}: {_reason(each.reason)}"
            for each in refused
            if each.key == schedule.key and _group_of(each.first, home) != _group_of(each.second, home)
        )
        if apart:
            lines += ["  not fused:", *apart]
    groups = tuple(
        Group(group.name, group.kind, _operators(group), len(group.nodes))
        for schedule in schedules
        for group in schedule.groups
    )
    return ScheduleArtifact("scheduler_nodes", "\n".join(lines) + "\n", groups, tuple(refused))


def _group_of(name: str, home: dict[str, int]) -> int | None:
    """The final group of a node or of nodes fused so far, whose names torch joins with underscores."""
    return home.get(name, home.get(name.partition("_")[0]))


def _reason(reason: str) -> str:
    return re.sub(r"\s+", " ", reason).strip()
