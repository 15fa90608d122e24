"""What belongs together in the texts of a case: the user's lines, nodes, groups and lines of kernels, on both sides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from pytest_compile_golden.formats import authors, places
from pytest_compile_golden.formats.authors import Wrote
from pytest_compile_golden.formats.code import KernelsFormat, Piece
from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.formats.graph import GRAPH
from pytest_compile_golden.formats.graph.printed import Function
from pytest_compile_golden.formats.origins import Origins, origins
from pytest_compile_golden.formats.schedule import GROUPS
from pytest_compile_golden.formats.schedule.printed import Section
from pytest_compile_golden.formats.trail import compare as trail
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.report.html.pictures import boxes_of
from pytest_compile_golden.report.model import CaseReport, StageReport
from pytest_compile_golden.stages import stage_of

_GRAPH, _GROUPS, _KERNELS = "post_grad_graph", "scheduler_nodes", ("triton_code", "cpp_code")
# Groups that become a call of a library, or nothing, and no kernel.
_NO_KERNEL = re.compile(r"extern|nop|unpack|concat")
_KINDS = {"poi": "pointwise", "red": "reduction", "per": "reduction", "tem": "template", "for": "foreach"}
_TRITON = re.compile(r"triton_(\w{3})_")
_OPERATOR = re.compile(r"(?:aten|prims|torch)?\.?(\w+)")


@dataclass(frozen=True)
class _Kernels:
    """The kernels of one side."""

    file: str
    text: str
    form: KernelsFormat
    pieces: tuple[Piece, ...]


@dataclass
class _Side:
    """One side's texts, taken apart."""

    functions: Mapping[str, Function]
    sections: tuple[Section, ...]
    kernels: _Kernels | None
    wrote: tuple[Wrote, ...]
    ids: dict[tuple[str, str], int] = field(default_factory=dict)
    """The number of each node, by graph and name."""
    authors: dict[tuple[str, str | None], int] = field(default_factory=dict)
    """The number of each function of torch's that wrote a line."""


@dataclass
class _Links:
    """The lines of one text that have kin: `[line, own, all, sure, by]`."""

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
    """For each side and stage the lines with kin; None where a case's report holds no graph that changed or stayed.

    Each line has the numbers of the nodes that light it, and those that it lights; the same node on both sides has one
    number. A line of a kernel that no node is known of lights all of its group, and is lit by none.
    """
    stages = {each.stage: each for each in case.stages if each.kind not in ("unavailable", "absent") and each.new}
    if _GRAPH not in stages:
        return None
    old, new = (_side(stages, which) for which in ("old", "new"))
    if old is None or new is None:
        return None
    _number(old, new)
    return {"old": _told(old, stages, "old"), "new": _told(new, stages, "new")}


def _text(stage: StageReport, which: str) -> str:
    # Where both sides are alike the report holds the new text only.
    return (stage.old if which == "old" and stage.old is not None else stage.new) or ""


def _side(stages: Mapping[str, StageReport], which: str) -> _Side | None:
    try:
        functions = GRAPH.read(_text(stages[_GRAPH], which))
        sections = GROUPS.read(_text(stages[_GROUPS], which)) if _GROUPS in stages else ()
        tables = trail.wrote(_text(stages["trail"], which)) if "trail" in stages else ()
        kernels = next((_kernels_of(stages[name], which) for name in _KERNELS if name in stages), None)
    except Unreadable:
        return None
    return _Side({each.name: each for each in functions}, sections, kernels, tuple(tables))


def _kernels_of(stage: StageReport, which: str) -> _Kernels | None:
    form, text = stage_of(stage.stage, "").format, _text(stage, which)
    return _Kernels(stage.file, text, form, form.read(text)) if isinstance(form, KernelsFormat) else None


def _number(old: _Side, new: _Side) -> None:
    """One number for a node that both sides have."""
    count = 0
    for name in {**old.functions, **new.functions}:
        before, after = _keys(old.functions.get(name)), _keys(new.functions.get(name))
        matcher = SequenceMatcher(None, [key for _, key in before], [key for _, key in after], autojunk=False)
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


def _keys(function: Function | None) -> list[tuple[str, str]]:
    """The names of a graph's inputs and lines, each with what is equal for those of two graphs that do the same."""
    if function is None:
        return []
    named = [*(each.name for each in function.inputs), *(each.name for each in function.lines)]
    return [(name, box.key) for name, box in zip(named, boxes_of(function), strict=True)]


def _told(side: _Side, stages: Mapping[str, StageReport], which: str) -> dict[str, Any]:
    found: dict[str, Any] = {"source": _source(side), stages[_GRAPH].file: _nodes(side, _text(stages[_GRAPH], which))}
    computed, groups = _computed(side)
    if _GROUPS in stages:
        found[stages[_GROUPS].file] = _operations(_text(stages[_GROUPS], which), computed, groups)
    if side.kernels is not None:
        found[side.kernels.file] = _kernels(side, side.kernels, computed, groups)
    return {"texts": found, "authors": [*side.authors]}


def _source(side: _Side) -> list[list[Any]]:
    """The user's lines that nodes come from: text, nodes."""
    lines: dict[str, list[int]] = {}
    for function in side.functions.values():
        code = None
        for line in function.lines:
            code = line.code or code
            if code is not None and not line.is_result:
                lines.setdefault(code, []).append(side.ids[function.name, line.name])
    return [[code, numbers] for code, numbers in lines.items()]


def _nodes(side: _Side, text: str) -> list[list[Any]]:
    links = _Links()
    for at, function, name in places.nodes(text):
        if (number := side.ids.get((function, name))) is not None:
            links.add(at, [number])
    return links.lines


_Groups = list[list[list[tuple[str, Origins]]]]
"""For each section, and each of its groups, the operations with their nodes."""


def _computed(side: _Side) -> tuple[dict[tuple[int, str], tuple[list[int], bool]], _Groups]:
    """The numbers of the nodes of each operation, by section and name; and the groups."""
    computed: dict[tuple[int, str], tuple[list[int], bool]] = {}
    groups: _Groups = []
    seen: set[str] = set()
    for at, section in enumerate(side.sections):
        function = side.functions.get(section.label)
        # A graph that another calls, in a branch or a loop, is scheduled under the same name, behind it.
        own = origins(function, section) if function is not None and section.label not in seen else {}
        seen.add(section.label)
        for name, each in own.items():
            computed[at, name] = [side.ids[section.label, node] for node in each.nodes], each.sure
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
    for at, section, group, operation in places.operations(text):
        names = [operation] if operation is not None else [name for name, _ in groups[section][group]]
        told = [computed[section, name] for name in names if (section, name) in computed]
        numbers = {number for each, _ in told for number in each}
        if numbers:
            links.add(at, numbers, sure=all(sure for _, sure in told))
    return links.lines


def _kernels(
    side: _Side, its: _Kernels, computed: Mapping[tuple[int, str], tuple[list[int], bool]], groups: _Groups
) -> list[list[Any]]:
    links = _Links()
    wrote = authors.by_line(its.text, side.wrote)
    of_kernel = _of_kernels(side, its.pieces, computed, groups)
    called = {
        side.ids[name, line.name]: _operator(line.call)
        for name, function in side.functions.items()
        for line in function.lines
        if not line.is_result
    }
    lines, last = split_lines(its.text), ""
    for at, graph, kernel in places.kernels(its.form, its.text):
        numbers, sure = of_kernel.get((graph, kernel), (set(), False))
        author = wrote.get(at)
        by = None if author is None else side.authors.setdefault((author.function, author.where), len(side.authors))
        mine: set[int] = set()
        if f"{graph} {kernel}" != last or f"def {kernel}(" in lines[at]:
            # Its title, and where it begins, stand for the whole.
            last, mine = f"{graph} {kernel}", numbers
        elif author is not None:
            written = author.function.rpartition(".")[2].rstrip("_")
            mine = {number for number in numbers if called[number] == written}
            sure = sure and len(mine) == 1
        if numbers or by is not None:
            links.add(at, mine, mine or numbers, sure if mine else True, by)
    return links.lines


def _of_kernels(
    side: _Side,
    pieces: Iterable[Piece],
    computed: Mapping[tuple[int, str], tuple[list[int], bool]],
    groups: _Groups,
) -> dict[tuple[str, str], tuple[set[int], bool]]:
    """The numbers of the nodes of each kernel, by graph and name, and whether it is these and no others."""
    found: dict[tuple[str, str], tuple[set[int], bool]] = {}
    kernels: dict[str, list[str]] = {}
    for piece in pieces:
        if piece.kernel is not None:
            kernels.setdefault(piece.graph, []).append(piece.kernel)
    for graph, names in kernels.items():
        its = [
            (section, group.kind, [op for op, _ in groups[section][number]])
            for section, each in enumerate(side.sections)
            if each.label == graph
            for number, group in enumerate(each.groups)
            if group.kind and not _NO_KERNEL.search(group.kind)
        ]
        for at, name in enumerate(names):
            # In the order in which they run. One kernel may be of several groups: then of all, as far as can be said.
            mine = [its[at]] if len(its) == len(names) else [each for each in its if _fits(name, each[1])]
            told = [computed[section, op] for section, _, ops in mine for op in ops if (section, op) in computed]
            sure = all(each for _, each in told) and (len(mine) == 1 or len(names) == 1)
            found[graph, name] = {number for numbers, _ in told for number in numbers}, sure
    return found


def _fits(kernel: str, kind: str) -> bool:
    named = _TRITON.match(kernel)
    return named is None or _KINDS.get(named[1], kind) == kind


def _operator(call: str) -> str:
    """`mul` for `aten.mul.Tensor(a, b)`."""
    found = _OPERATOR.match(call)
    return found[1] if found else ""
