"""Links between the texts of a case: the user's lines, nodes, groups and kernel lines, on both sides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pytest_compile_golden.facts.schedules import Operation, Schedule
from pytest_compile_golden.formats import line_numbers
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.report.html.kin_sides import (
    GRAPH_STAGE,
    GROUPS_STAGE,
    KernelTexts,
    Side,
    number_nodes,
    read,
    text_of,
)
from pytest_compile_golden.report.model import CaseReport, StageReport

_OPERATOR = re.compile(r"(?:aten|prims|torch)?\.?(\w+)")

_Lines = list[list[Any]]
"""The linked lines of a text: their number, the nodes that highlight them, those they highlight, and their author."""


def kin(case: CaseReport) -> dict[str, Any] | None:
    """For each side and stage, the linked lines; None if the case's report has no readable post-grad graph.

    Each line has the numbers of the nodes that highlight it, and of those that it highlights; a node that both sides
    have has one number. A kernel line with no known node highlights its whole group, and no node highlights it.
    """
    stages = {stage.stage: stage for stage in case.stages if stage.kind not in ("unavailable", "absent") and stage.new}
    if GRAPH_STAGE not in stages:
        return None
    old, new = (read(stages, which) for which in ("old", "new"))
    if old is None or new is None:
        return None
    number_nodes(old, new)
    return {"old": _side(old, stages, "old"), "new": _side(new, stages, "new")}


def _side(side: Side, stages: Mapping[str, StageReport], which: str) -> dict[str, Any]:
    texts: dict[str, Any] = {
        "source": _source(side),
        stages[GRAPH_STAGE].file: _nodes(side, text_of(stages[GRAPH_STAGE], which)),
    }
    if GROUPS_STAGE in stages:
        texts[stages[GROUPS_STAGE].file] = _operations(side, text_of(stages[GROUPS_STAGE], which))
    if side.kernels is not None:
        texts[side.kernels.file] = _kernels(side, side.kernels)
    return {"texts": texts, "authors": [*side.authors]}


def _source(side: Side) -> list[list[Any]]:
    """The user's lines that nodes come from, as [text, node numbers]."""
    lines: dict[str, list[int]] = {}
    for function in side.functions.values():
        code = None
        for line in function.lines:
            code = line.code or code
            if code is not None and not line.is_result:
                lines.setdefault(code, []).append(side.ids[function.name, line.name])
    return [[code, numbers] for code, numbers in lines.items()]


def _nodes(side: Side, text: str) -> _Lines:
    numbered = [(at, side.ids.get((function, name))) for at, function, name in line_numbers.nodes(text)]
    return [[at, [number], [number], None] for at, number in numbered if number is not None]


def _computed(side: Side, schedule: Schedule, operations: Iterable[Operation]) -> set[int]:
    """The numbers of the nodes that operations of a schedule were made from."""
    label = schedule.label
    # A graph called by another, in a branch or a loop, is scheduled after it under the same name.
    if next(each for each in side.schedules if each.label == label) is not schedule:
        return set()
    names = [name for operation in operations for name in operation.nodes or ()]
    return {side.ids[label, name] for name in names if (label, name) in side.ids}


def _operations(side: Side, text: str) -> _Lines:
    lines: _Lines = []
    for at, number, group, name in line_numbers.operations(text):
        schedule = side.schedules[number]
        chosen = [op for op in schedule.groups[group].operations if name in (None, op.name)]
        if numbers := sorted(_computed(side, schedule, chosen)):
            lines.append([at, numbers, numbers, None])
    return lines


def _kernels(side: Side, texts: KernelTexts) -> _Lines:
    lines: _Lines = []
    of_kernel: dict[tuple[str, str | None], set[int]] = {}
    for schedule in side.schedules:
        for group in schedule.groups:
            numbers = of_kernel.setdefault((schedule.label, group.kernel), set())
            numbers |= _computed(side, schedule, group.operations)
    called = {
        side.ids[name, line.name]: _operator(line.call)
        for name, function in side.functions.items()
        for line in function.lines
        if not line.is_result
    }
    printed, last = split_lines(texts.text), ""
    for at, graph, kernel in line_numbers.kernels(texts.form, texts.text):
        numbers = of_kernel.get((graph, kernel), set())
        several = side.wrote.get(at, ())
        author = several[0] if len(several) == 1 else None
        by = None if author is None else side.authors.setdefault((author.function, author.where), len(side.authors))
        mine: list[int] = []
        if f"{graph} {kernel}" != last or f"def {kernel}(" in printed[at]:
            # The title and the first line of a kernel represent the whole kernel.
            last, mine = f"{graph} {kernel}", sorted(numbers)
        elif author is not None:
            # The function that wrote a line is named after the operator, which only one node may call.
            written = author.function.rpartition(".")[2].rstrip("_")
            same = [number for number in numbers if called.get(number) == written]
            mine = same if len(same) == 1 else []
        if numbers or by is not None:
            lines.append([at, mine, mine or sorted(numbers), by])
    return lines


def _operator(call: str) -> str:
    """`mul` for `aten.mul.Tensor(a, b)`."""
    match = _OPERATOR.match(call)
    return match[1] if match else ""
