"""Links between the texts of a case: the user's lines, nodes, groups and kernel lines, on both sides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from pytest_compile_golden.common.constants import KERNEL_STAGES
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.facts.schedules import Operation, Schedule
from pytest_compile_golden.formats import authors
from pytest_compile_golden.formats.authors import Authors
from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.formats.graphs import GRAPH
from pytest_compile_golden.formats.graphs.printed import HEAD, LINE, PrintedGraph
from pytest_compile_golden.formats.inductor_module import KernelsFormat, Piece
from pytest_compile_golden.formats.schedules import provenance
from pytest_compile_golden.formats.schedules.printed import GROUP
from pytest_compile_golden.report.html.pictures import boxes_of
from pytest_compile_golden.report.model import CaseReport, StageReport
from pytest_compile_golden.stages import stage_of

_OPERATOR = re.compile(r"(?:aten|prims|torch)?\.?(\w+)")

_Lines = list[list[Any]]
"""The linked lines of a text: their number, the nodes that highlight them, those they highlight, and their author."""
GRAPH_STAGE, GROUPS_STAGE = "post_grad_graph", "scheduler_nodes"


def linked_lines(case: CaseReport) -> dict[str, Any] | None:
    """For each side and stage, the linked lines; None if the case's report has no readable post-grad graph.

    Each line has the numbers of the nodes that highlight it, and of those that it highlights; a node that both sides
    have has one number. A kernel line with no known node highlights its whole group, and no node highlights it.
    """
    stages = {
        stage.stage: stage
        for stage in case.stages
        if stage.kind not in ("unavailable", "absent") and stage.new
    }
    if GRAPH_STAGE not in stages:
        return None
    old, new = (read(stages, which) for which in ("old", "new"))
    if old is None or new is None:
        return None
    number_nodes(old, new)
    return {"old": _side(old, stages, "old"), "new": _side(new, stages, "new")}


def _side(
    side: SideTexts, stages: Mapping[str, StageReport], which: str
) -> dict[str, Any]:
    # The user's lines that nodes come from, as [text, node numbers].
    lines: dict[str, list[int]] = {}
    for function in side.functions.values():
        code = None
        for line in function.lines:
            code = line.code or code
            if code is not None and not line.is_result:
                lines.setdefault(code, []).append(side.ids[function.name, line.name])
    texts: dict[str, Any] = {
        "source": [[code, numbers] for code, numbers in lines.items()],
        stages[GRAPH_STAGE].file: _nodes(side, text_of(stages[GRAPH_STAGE], which)),
    }
    if GROUPS_STAGE in stages:
        texts[stages[GROUPS_STAGE].file] = _operations(
            side, text_of(stages[GROUPS_STAGE], which)
        )
    if side.kernels is not None:
        texts[side.kernels.file] = _kernels(side, side.kernels)
    return {"texts": texts, "authors": [*side.authors]}


def _nodes(side: SideTexts, text: str) -> _Lines:
    numbered = [
        (at, side.ids.get((function, name))) for at, function, name in nodes(text)
    ]
    return [
        [at, [number], [number], None] for at, number in numbered if number is not None
    ]


def _computed(
    side: SideTexts, schedule: Schedule, operations: Iterable[Operation]
) -> set[int]:
    """The numbers of the nodes that operations of a schedule were made from."""
    label = schedule.label
    # A graph called by another, in a branch or a loop, is scheduled after it under the same name.
    if next(each for each in side.schedules if each.label == label) is not schedule:
        return set()
    names = [name for operation in operations for name in operation.nodes or ()]
    return {side.ids[label, name] for name in names if (label, name) in side.ids}


def _operations(side: SideTexts, text: str) -> _Lines:
    lines: _Lines = []
    for at, number, group, name in operations(text):
        schedule = side.schedules[number]
        chosen = [
            op for op in schedule.groups[group].operations if name in (None, op.name)
        ]
        if numbers := sorted(_computed(side, schedule, chosen)):
            lines.append([at, numbers, numbers, None])
    return lines


def _kernels(side: SideTexts, texts: KernelTexts) -> _Lines:
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
    for at, graph, kernel in kernels(texts.pieces):
        numbers = of_kernel.get((graph, kernel), set())
        several = side.wrote.get(at, ())
        author = several[0] if len(several) == 1 else None
        by = (
            None
            if author is None
            else side.authors.setdefault(
                (author.function, author.where), len(side.authors)
            )
        )
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


def nodes(text: str) -> Iterator[tuple[int, str, str]]:
    """Each line of a graph that assigns a value: its number from 0, its function and the value's name."""
    here = ""
    for at, line in enumerate(split_lines(text)):
        head = HEAD.match(line)
        if head is not None:
            here = head[1]
        elif (match := LINE.match(line)) is not None:
            yield at, here, match[1]


def operations(text: str) -> Iterator[tuple[int, int, int, str | None]]:
    """Each line in a group of a schedule: its number, its section, the group within the section, and its operation.

    The numbers count from 0. A group's own line has no operation.
    """
    section = group = -1
    operation: str | None = None
    inside = False
    for at, line in enumerate(split_lines(text)):
        if not line.startswith(" "):
            section, group, inside = (
                section + bool(line.strip() and not line.startswith("#")),
                -1,
                False,
            )
        elif line.startswith(GROUP):
            group, operation, inside = group + 1, None, True
        elif line.startswith("  ") and line[2:3] != " ":
            inside = False
        elif inside and line.startswith("    ") and line[4:5] != " ":
            operation = line.lstrip().partition(": ")[0]
        if inside:
            yield at, section, group, operation


def kernels(pieces: Iterable[Piece]) -> Iterator[tuple[int, str, str]]:
    """Each line of a kernel: its number from 0, and the graph and name of the kernel."""
    at = 0
    for piece in pieces:
        lines = 1 + len(split_lines(piece.source))
        if piece.kernel is not None:
            yield from (
                (at + offset, piece.graph, piece.kernel) for offset in range(lines)
            )
        # Pieces are separated by two empty lines.
        at += lines + 2


@dataclass(frozen=True)
class KernelTexts:
    """The kernels of one side."""

    file: str
    text: str
    pieces: tuple[Piece, ...]


@dataclass
class SideTexts:
    """One side's texts, parsed."""

    functions: Mapping[str, PrintedGraph]
    schedules: tuple[Schedule, ...]
    kernels: KernelTexts | None
    wrote: Authors
    """The functions that wrote each line of the kernels."""
    ids: dict[tuple[str, str], int] = field(default_factory=dict)
    """The number of each node, by graph and name."""
    authors: dict[tuple[str, str | None], int] = field(default_factory=dict)
    """The number of each torch function that wrote a line."""


def text_of(stage: StageReport, which: str) -> str:
    """The text of a stage on a side, `old` or `new`; if both are the same, the report holds only the new one."""
    return (stage.old if which == "old" and stage.old is not None else stage.new) or ""


def read(stages: Mapping[str, StageReport], which: str) -> SideTexts | None:
    """A side of a case from its stages, which include `post_grad_graph`; None if a text is unreadable."""
    texts = {name: text_of(stage, which) for name, stage in stages.items()}
    known = {
        name: stage.old_evidence if which == "old" else stage.new_evidence
        for name, stage in stages.items()
    }
    kernels: KernelTexts | None = None
    wrote: Authors = {}
    try:
        functions = GRAPH.read(texts[GRAPH_STAGE])
        schedules = (
            provenance.read(texts[GROUPS_STAGE], known[GROUPS_STAGE])
            if GROUPS_STAGE in texts
            else ()
        )
        for name in KERNEL_STAGES:
            form = stage_of(name, "").format
            if name in stages and kernels is None and isinstance(form, KernelsFormat):
                kernels = KernelTexts(
                    stages[name].file, texts[name], form.read(texts[name])
                )
                wrote = authors.read(texts[name], known[name])
    except Unreadable:
        return None
    return SideTexts(
        {function.name: function for function in functions}, schedules, kernels, wrote
    )


def number_nodes(old: SideTexts, new: SideTexts) -> None:
    """Number the nodes of both sides; a node that both have gets the same number."""
    count = 0
    for name in {**old.functions, **new.functions}:
        before, after = _keys(old.functions.get(name)), _keys(new.functions.get(name))
        matcher = SequenceMatcher(
            None, [key for _, key in before], [key for _, key in after], autojunk=False
        )
        for kind, low, high, start, end in matcher.get_opcodes():
            paired = kind == "equal"
            for at in range(low, high):
                old.ids[name, before[at][0]] = count + at - low
                if paired:
                    new.ids[name, after[start + at - low][0]] = count + at - low
            count += high - low
            for at in range(start, end) if not paired else ():
                new.ids[name, after[at][0]] = count
                count += 1


def _keys(function: PrintedGraph | None) -> list[tuple[str, str]]:
    """The names of a graph's inputs and lines, each with a key that is equal if they do the same in two graphs."""
    if function is None:
        return []
    named = [
        *(argument.name for argument in function.inputs),
        *(line.name for line in function.lines),
    ]
    return [
        (name, box.key) for name, box in zip(named, boxes_of(function), strict=True)
    ]
