"""Links between the texts of a case: the user's lines, nodes, groups and kernel lines, on both sides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_compile_golden.formats import authors, line_numbers
from pytest_compile_golden.formats.code import Piece
from pytest_compile_golden.formats.kernel_groups import kernels_of
from pytest_compile_golden.formats.origins import Origins, origins
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


@dataclass
class _Links:
    """The linked lines of one text: `[line, own, all, sure, by]`."""

    lines: list[list[Any]] = field(default_factory=list)

    def add(
        self,
        line: int,
        own: Iterable[int],
        every: Iterable[int] | None = None,
        sure: bool = True,
        by: int | None = None,
    ) -> None:
        mine = sorted(own)
        self.lines.append([line, mine, mine if every is None else sorted(every), int(sure), by])


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
    computed, groups = _computed(side)
    if GROUPS_STAGE in stages:
        texts[stages[GROUPS_STAGE].file] = _operations(text_of(stages[GROUPS_STAGE], which), computed, groups)
    if side.kernels is not None:
        texts[side.kernels.file] = _kernels(side, side.kernels, computed, groups)
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


def _nodes(side: Side, text: str) -> list[list[Any]]:
    links = _Links()
    for at, function, name in line_numbers.nodes(text):
        if (number := side.ids.get((function, name))) is not None:
            links.add(at, [number])
    return links.lines


_Groups = list[list[list[tuple[str, Origins]]]]
"""For each section, and each of its groups, the operations with their nodes."""


def _computed(side: Side) -> tuple[dict[tuple[int, str], tuple[list[int], bool]], _Groups]:
    """The node numbers of each operation, by section and name; and the groups."""
    computed: dict[tuple[int, str], tuple[list[int], bool]] = {}
    groups: _Groups = []
    seen: set[str] = set()
    for at, section in enumerate(side.sections):
        function = side.functions.get(section.label)
        # A graph called by another, in a branch or a loop, is scheduled after it under the same name.
        own = origins(function, section) if function is not None and section.label not in seen else {}
        seen.add(section.label)
        for name, node_origins in own.items():
            computed[at, name] = [side.ids[section.label, node] for node in node_origins.nodes], node_origins.sure
        groups.append(
            [
                [(op.name, own.get(op.name, Origins(frozenset(), False))) for op in group.operations]
                for group in section.groups
            ]
        )
    return computed, groups


def _operations(
    text: str, computed: Mapping[tuple[int, str], tuple[list[int], bool]], groups: _Groups
) -> list[list[Any]]:
    links = _Links()
    for at, section, group, operation in line_numbers.operations(text):
        names = [operation] if operation is not None else [name for name, _ in groups[section][group]]
        found = [computed[section, name] for name in names if (section, name) in computed]
        numbers = {number for ids, _ in found for number in ids}
        if numbers:
            links.add(at, numbers, sure=all(sure for _, sure in found))
    return links.lines


def _kernels(
    side: Side, texts: KernelTexts, computed: Mapping[tuple[int, str], tuple[list[int], bool]], groups: _Groups
) -> list[list[Any]]:
    links = _Links()
    wrote = authors.by_line(texts.text, side.wrote)
    of_kernel = _of_kernels(side, texts.pieces, computed, groups)
    called = {
        side.ids[name, line.name]: _operator(line.call)
        for name, function in side.functions.items()
        for line in function.lines
        if not line.is_result
    }
    lines, last = split_lines(texts.text), ""
    for at, graph, kernel in line_numbers.kernels(texts.form, texts.text):
        numbers, sure = of_kernel.get((graph, kernel), (set(), False))
        author = wrote.get(at)
        by = None if author is None else side.authors.setdefault((author.function, author.where), len(side.authors))
        mine: set[int] = set()
        if f"{graph} {kernel}" != last or f"def {kernel}(" in lines[at]:
            # The title and the first line of a kernel represent the whole kernel.
            last, mine = f"{graph} {kernel}", numbers
        elif author is not None:
            written = author.function.rpartition(".")[2].rstrip("_")
            mine = {number for number in numbers if called[number] == written}
            sure = sure and len(mine) == 1
        if numbers or by is not None:
            links.add(at, mine, mine or numbers, sure if mine else True, by)
    return links.lines


def _of_kernels(
    side: Side,
    pieces: Iterable[Piece],
    computed: Mapping[tuple[int, str], tuple[list[int], bool]],
    groups: _Groups,
) -> dict[tuple[str, str], tuple[set[int], bool]]:
    """The node numbers of each kernel, by graph and name, and whether they are certain."""
    by_kernel: dict[tuple[str, str], tuple[set[int], bool]] = {}
    kernels: dict[str, list[str]] = {}
    for piece in pieces:
        if piece.kernel is not None:
            kernels.setdefault(piece.graph, []).append(piece.kernel)
    for graph, names in kernels.items():
        its = [
            (at, number)
            for at, section in enumerate(side.sections)
            if section.label == graph
            for number in range(len(section.groups))
        ]
        may_be = kernels_of([side.sections[at].groups[number] for at, number in its], names)
        for kernel, name in enumerate(names):
            # One kernel may consist of several groups.
            mine = [where for where, kernels_there in zip(its, may_be, strict=True) if kernel in kernels_there]
            ops = [(at, op) for at, number in mine for op, _ in groups[at][number]]
            known_origins = [computed[key] for key in ops if key in computed]
            known = len(mine) == 1 or all(
                len(kernels_there) == 1 for kernels_there in may_be if kernel in kernels_there
            )
            by_kernel[graph, name] = (
                {number for numbers, _ in known_origins for number in numbers},
                known and all(s for _, s in known_origins),
            )
    return by_kernel


def _operator(call: str) -> str:
    """`mul` for `aten.mul.Tensor(a, b)`."""
    match = _OPERATOR.match(call)
    return match[1] if match else ""
