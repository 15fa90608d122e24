"""Graphs and fusion groups as boxes and arrows, parsed from a stage's text; boxes on only one side are marked."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from pytest_compile_golden.common.quantity import listed
from pytest_compile_golden.common.surplus import surplus
from pytest_compile_golden.facts.schedules import NotFused, Schedule, buffer
from pytest_compile_golden.formats.format import Format, Unreadable
from pytest_compile_golden.formats.graphs import GRAPH, GraphFormat
from pytest_compile_golden.formats.graphs.printed import (
    CALL,
    GraphLine,
    PrintedGraph,
    holes,
)
from pytest_compile_golden.formats.schedules import GROUPS, GroupsFormat
from pytest_compile_golden.report.model import StageReport
from pytest_compile_golden.stages import stage_of

# `aten.mul.Tensor` is drawn as `mul`.
_SHORT = re.compile(r"\baten\.(\w+)\.\w+")
_OPERATOR = r"\1"
_LISTED = 3


@dataclass
class Box:
    """A node of a graph, or a group of the scheduler."""

    title: str
    kind: str
    """How it is drawn: `input`, `output`, `node`, `extern`, or `group`."""
    lines: list[str] = field(default_factory=list)
    """The lines below the title."""
    sources: list[int] = field(default_factory=list)
    """The indices of the boxes it reads from."""
    key: str = ""
    """Equal for boxes of two texts that do the same."""
    only: bool = False
    """Whether the other text has no such box."""


@dataclass(frozen=True)
class Apart:
    """Two groups that were not fused."""

    pair: str
    reason: str
    """In torch's words."""
    key: str
    """Equal for pairs in two texts that do the same, whatever their numbers."""


Picture = dict[str, list[Box]]
"""The boxes of each graph in a text, by the graph's name."""


def of(stage: StageReport) -> dict[str, Any] | None:
    """The picture of a stage, before and after; None if the format is not drawn or there is no text."""
    if stage.old is None and stage.new is None:
        return None
    form = stage_of(stage.stage, "").format
    read = next((read for kind, read in _DRAWN.items() if isinstance(form, kind)), None)
    return None if read is None else picture(read, stage.old, stage.new)


def picture(
    read: Callable[[str], Picture], old: str | None, new: str | None
) -> dict[str, Any]:
    """Both sides as the page draws them, with a mark on what only one has. read: makes a picture of a text."""
    before, after = (read(text) if text else {} for text in (old, new))
    if old is not None and new is not None:
        for name in {**before, **after}:
            _mark(before.get(name, []), after.get(name, []))
    drawn: dict[str, Any] = {"old": _plain(before), "new": _plain(after)}
    if read is groups:
        drawn["apart"] = _compared(
            *(not_fused(text) if text else None for text in (old, new))
        )
    return drawn


def graphs(text: str) -> Picture:
    """FX graphs; empty if the text is not a graph."""
    try:
        return {function.name: boxes_of(function) for function in GRAPH.read(text)}
    except Unreadable:
        return {}


def boxes_of(function: PrintedGraph) -> list[Box]:
    """A box for each input and each line, in order."""
    indices: dict[str, int] = {}
    boxes: list[Box] = []
    for argument in function.inputs:
        indices[argument.name] = len(boxes)
        boxes.append(
            Box(
                argument.name,
                "input",
                [argument.type] if argument.type else [],
                key=f"input {argument.type}",
            )
        )
    for line in function.lines:
        box = _box(line, indices)
        if not line.is_result:
            indices[line.name] = len(boxes)
        boxes.append(box)
    return boxes


def _box(line: GraphLine, indices: dict[str, int]) -> Box:
    shape, reads = holes(line.call, indices)
    sources = list(dict.fromkeys(indices[name] for name in reads))
    shape = shape.replace("\0", "")
    if line.is_result:
        return Box("output", "output", [], sources, f"output {shape}")
    # A method call starts with a value, which may have a different name on each side.
    called = CALL.match(shape)
    title = (
        called[1].lstrip(".")
        if called
        else "getitem"
        if line.call.endswith("]")
        else line.call
    )
    lines = [line.name, *([line.type] if line.type else [])]
    return Box(title, "node", lines, sources, f"{title} {shape} {line.type or None}")


def groups(text: str) -> Picture:
    """The scheduler's groups; empty if the text is not a schedule."""
    try:
        sections = GROUPS.read(text)
    except Unreadable:
        return {}
    boxes_by_graph: Picture = {}
    for section in sections:
        if any(group.kind for group in section.groups):
            # A graph called by another, in a branch or a loop, is scheduled under the same name.
            _add_groups(section, boxes_by_graph.setdefault(section.label, []))
    return boxes_by_graph


def _add_groups(section: Schedule, boxes: list[Box]) -> None:
    writers: dict[str, int] = {}
    for number, group in enumerate(section.groups):
        index = len(boxes)
        box = Box(
            f"{number} {group.kind}",
            "extern" if "extern" in group.kind else "group",
            key=group.kind,
        )
        for operation in group.operations:
            computes = ", ".join(map(str, operation.computes))
            box.lines.append(
                f"{operation.name} {_SHORT.sub(_OPERATOR, computes)}".rstrip()
            )
            box.key += f" / {operation.kind}" + (f" {computes}" if computes else "")
            for name in map(buffer, operation.reads):
                writer = writers.get(name, index)
                if writer != index and writer not in box.sources:
                    box.sources.append(writer)
            writers.update((buffer(written), index) for written in operation.writes)
        boxes.append(box)


def not_fused(text: str) -> list[Apart] | None:
    """The pairs that were not fused, each with torch's reason; None if the text does not say."""
    try:
        sections = GROUPS.read(text)
    except Unreadable:
        return []
    if any(section.apart is None for section in sections):
        return None
    return [
        _apart(section.label, pair, _does(section))
        for section in sections
        for pair in section.apart or ()
    ]


def _does(section: Schedule) -> dict[str, str]:
    """What each operation computes, or else its kind."""
    return {
        operation.name: _SHORT.sub(_OPERATOR, ", ".join(map(str, operation.computes)))
        or operation.kind
        for operation in section.operations
    }


def _apart(label: str, pair: NotFused, does: dict[str, str]) -> Apart:
    names = [parts.split("_") for parts in (pair.first, pair.second)]
    shown = " with ".join(_short(name, does) for name in names)
    key = [[does.get(name, name) for name in parts] for parts in names]
    return Apart(shown, pair.reason, f"{label} {key} {pair.reason}")


_DRAWN: dict[type[Format], Callable[[str], Picture]] = {
    GraphFormat: graphs,
    GroupsFormat: groups,
}


def _short(names: list[str], does: dict[str, str]) -> str:
    """`op0_op1 (sum, exp)`: a group by its operations and what they do."""
    group = "_".join(names) if len(names) <= _LISTED else f"{names[0]}_…_{names[-1]}"
    every = list(dict.fromkeys(does[name] for name in names if name in does))
    return f"{group} ({listed(every, _LISTED)})" if every else group


def _compared(old: list[Apart] | None, new: list[Apart] | None) -> list[list[str]]:
    """Each pair, with `removed` or `added` if only one side has it, and an empty string otherwise."""
    if old is None or new is None:
        return [["", apart.pair, apart.reason] for apart in old or new or ()]

    def key(apart: Apart) -> str:
        return apart.key

    come = set(map(id, surplus(new, old, key)))
    return [
        *(["removed", apart.pair, apart.reason] for apart in surplus(old, new, key)),
        *(
            ["added" if id(apart) in come else "", apart.pair, apart.reason]
            for apart in new
        ),
    ]


def _mark(old: list[Box], new: list[Box]) -> None:
    matcher = SequenceMatcher(
        None, [box.key for box in old], [box.key for box in new], autojunk=False
    )
    for kind, low, high, start, end in matcher.get_opcodes():
        if kind != "equal":
            for box in (*old[low:high], *new[start:end]):
                box.only = True


def _plain(picture: Picture) -> dict[str, Any]:
    return {
        name: [
            [box.title, box.kind, box.lines, box.sources, int(box.only)]
            for box in boxes
        ]
        for name, boxes in picture.items()
    }
