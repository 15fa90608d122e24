"""Whether operators became one kernel, and if not, how near they came to it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pytest_compile_golden.facts.schedules import Group, NotFused, Schedule
from pytest_compile_golden.formats.answer import Answer
from pytest_compile_golden.formats.schedule.near_misses import parts


def fused(schedules: Sequence[Schedule], operators: Sequence[str]) -> Answer:
    """Whether a group of `schedules` computes all of `operators`, each of which some group computes."""
    for schedule in schedules:
        for group in schedule.groups:
            if _computed(group, operators) == set(operators):
                return Answer(True, f"{group.name} of {schedule.label}")
    nearest = max(schedules, key=lambda schedule: len(_places(schedule, operators)))
    places = _places(nearest, operators)
    if len(places) < len(operators):
        return Answer(False, "; ".join(_in_graph(schedule, operators) for schedule in schedules))
    where = ", ".join(f"{operator} in {' and '.join(group.name for group in places[operator])}" for operator in places)
    refused = _refused(nearest, list(places.values()))
    return Answer(False, f"{nearest.label} has {where}; {_why(refused)}")


def _why(refused: NotFused | None) -> str:
    if refused is None:
        return "torch did not say why these were not fused"
    by = f" by {refused.author.function}" if refused.author is not None else ""
    return f"{refused} was refused{by}: {refused.reason}"


def _computed(group: Group, operators: Collection[str]) -> set[str]:
    return {operator for operator in operators if group.computes(operator)}


def _places(schedule: Schedule, operators: Collection[str]) -> dict[str, list[Group]]:
    """The groups that compute each of `operators`, without those that no group here computes."""
    found = {operator: [group for group in schedule.groups if group.computes(operator)] for operator in operators}
    return {operator: groups for operator, groups in found.items() if groups}


def _in_graph(schedule: Schedule, operators: Collection[str]) -> str:
    return f"{schedule.label} has {', '.join(_places(schedule, operators)) or 'none of them'}"


def _refused(schedule: Schedule, places: Sequence[Sequence[Group]]) -> NotFused | None:
    """The refusal of the largest parts of two groups that compute different ones of the operators."""
    groups = list(dict.fromkeys(group for groups in places for group in groups))
    between: list[NotFused] = []
    for pair in schedule.apart:
        sides = [
            {group for group in groups if {operation.name for operation in group.operations} & set(parts(side))}
            for side in (pair.first, pair.second)
        ]
        if sides[0] and sides[1] and sides[0] != sides[1]:
            between.append(pair)
    return max(between, key=lambda pair: len(parts(pair.first)) + len(parts(pair.second)), default=None)
