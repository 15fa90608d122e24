"""Graphs and fusion groups as boxes and arrows, read from a stage's text; what is only on one side is marked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.report.model import StageReport

_FUNCTION = re.compile(r"def (\w+)\((.*)")
_OUTER_COMMA = re.compile(r",\s*(?![^\[(]*[\])])")
_LINE = re.compile(r"    (\w+)(?:: ([^=]+?))? = (.+)")
_NAME = re.compile(r"(?<![\w.'\"])[A-Za-z_]\w*")
_CALL = re.compile(r"([\w.]+)\(")
_GROUP = re.compile(r"  group (\d+): (.+)")
_OPERATION = re.compile(r"    (\w+): (.+)")
_BUFFER = re.compile(r"[A-Za-z_]\w*")
_SHORT = re.compile(r"\baten\.(\w+)\.\w+")
_APART = re.compile(r"    (.+?) with (.+?): (.+)")
_LISTED = 3


@dataclass
class Box:
    """A node of a graph, or a group of the scheduler."""

    title: str
    kind: str
    """What it is drawn as: `input`, `output`, `node`, `extern`, or `group`."""
    lines: list[str] = field(default_factory=list)
    """What stands under the title."""
    sources: list[int] = field(default_factory=list)
    """The boxes it reads from."""
    key: str = ""
    """Equal for boxes of two texts that do the same."""
    only: bool = False
    """Whether the other text has no such box."""


@dataclass(frozen=True)
class Apart:
    """Two groups that were not fused."""

    pair: str
    reason: str
    """Torch's own."""
    key: str
    """Equal for pairs of two texts that do the same, whatever their numbers."""


Picture = dict[str, list[Box]]
"""The boxes of each graph in a text, by the graph's name."""


def of(each: StageReport) -> dict[str, Any] | None:
    """The picture of a stage, before and after; None for a stage that is none, or without text."""
    read = graphs if each.stage.endswith("_graph") else groups if each.stage == "scheduler_nodes" else None
    if read is None or (each.old is None and each.new is None):
        return None
    return picture(read, each.old, each.new)


def picture(read: Callable[[str], Picture], old: str | None, new: str | None) -> dict[str, Any]:
    before, after = (read(text) if text else {} for text in (old, new))
    if old is not None and new is not None:
        for name in {**before, **after}:
            _mark(before.get(name, []), after.get(name, []))
    found: dict[str, Any] = {"old": _plain(before), "new": _plain(after)}
    if read is groups:
        found["apart"] = _compared(*(not_fused(text) if text else None for text in (old, new)))
    return found


def graphs(text: str) -> Picture:
    """FX graphs, as `stages/graph.py` writes them."""
    found: Picture = {}
    boxes: list[Box] = []
    places: dict[str, int] = {}
    arguments = ""
    in_arguments = False
    for line in split_lines(text):
        if start := _FUNCTION.match(line):
            boxes, places = found.setdefault(start[1], []), {}
            arguments, in_arguments = start[2], True
        elif in_arguments:
            arguments += f" {line.strip()}"
        if in_arguments:
            if arguments.endswith("):"):
                in_arguments = False
                for argument in filter(None, _OUTER_COMMA.split(arguments.removesuffix("):").strip())):
                    name, _, kind = argument.partition(": ")
                    places[name] = len(boxes)
                    boxes.append(Box(name, "input", [kind] if kind else [], key=f"input {kind}"))
            continue
        if line.startswith("    return "):
            boxes.append(_box("output", None, line.removeprefix("    return "), places, "output"))
        elif made := _LINE.match(line):
            box = _box(made[1], made[2], made[3], places, "node")
            places[made[1]] = len(boxes)
            boxes.append(box)
    return {name: boxes for name, boxes in found.items() if boxes}


def _box(name: str, kind: str | None, code: str, places: dict[str, int], drawn: str) -> Box:
    sources = list(dict.fromkeys(places[word] for word in _NAME.findall(code) if word in places))
    shape = _NAME.sub(lambda found: "" if found[0] in places else found[0], code)
    if drawn == "output":
        return Box(name, drawn, [], sources, f"output {shape}")
    # A method's call starts with a value, which has a name on each side.
    called = _CALL.match(shape)
    title = called[1].lstrip(".") if called else "getitem" if code.endswith("]") else code
    return Box(title, drawn, [name, *([kind] if kind else [])], sources, f"{title} {shape} {kind}")


def groups(text: str) -> Picture:
    """The scheduler's groups, as `stages/schedule.py` writes them."""
    found: Picture = {}
    boxes: list[Box] = []
    writers: dict[str, int] = {}
    for line in split_lines(text):
        if line.endswith(":") and not line.startswith(" "):
            boxes, writers = found.setdefault(line.removesuffix(":"), []), {}
        elif start := _GROUP.fullmatch(line):
            boxes.append(Box(f"{start[1]} {start[2]}", "extern" if "extern" in start[2] else "group", key=start[2]))
        elif line.startswith("  ") and not line.startswith("    "):
            # What follows the groups: choices of autotuning, and pairs that stayed apart.
            boxes, writers = [], {}
        elif boxes:
            _read_operation(line, boxes, writers)
    return {name: boxes for name, boxes in found.items() if boxes}


def _read_operation(line: str, boxes: list[Box], writers: dict[str, int]) -> None:
    box, own = boxes[-1], len(boxes) - 1
    words = line.split(None, 1)
    if operation := _OPERATION.fullmatch(line):
        box.lines.append(operation[1])
        box.key += f" / {operation[2]}"
    elif line.startswith("      computes "):
        computed = _SHORT.sub(r"\1", words[1])
        box.lines[-1:] = [f"{(box.lines or [''])[-1]} {computed}"]
        box.key += f" {words[1]}"
    elif line.startswith("      reads "):
        named = (_BUFFER.match(part) for part in words[1].split(", "))
        for writer in (writers[match[0]] for match in named if match and match[0] in writers):
            if writer != own and writer not in box.sources:
                box.sources.append(writer)
    elif line.startswith("      writes "):
        writers.update((match[0], own) for match in map(_BUFFER.match, words[1].split(", ")) if match)


def not_fused(text: str) -> list[Apart]:
    """The pairs that stayed apart, each with torch's reason."""
    found, inside = [], False
    graph = operation = ""
    does: dict[str, str] = {}
    for line in split_lines(text):
        if line.endswith(":") and not line.startswith(" "):
            graph, does, inside = line, {}, False
        elif line.startswith("  ") and not line.startswith("    "):
            inside = line.strip() == "not fused:"
        elif inside and (pair := _APART.fullmatch(line)):
            names = [each.split("_") for each in (pair[1], pair[2])]
            shown = " with ".join(_short(each, does) for each in names)
            key = [[does.get(name, name) for name in each] for each in names]
            found.append(Apart(shown, pair[3], f"{graph} {key} {pair[3]}"))
        elif begun := _OPERATION.fullmatch(line):
            operation = begun[1]
            does[operation] = begun[2]
        elif line.startswith("      computes "):
            does[operation] = _SHORT.sub(r"\1", line.split(None, 1)[1])
    return found


def _short(names: list[str], does: dict[str, str]) -> str:
    """`op0_op1 (sum, exp)`: a group by its operations and what they do."""
    group = "_".join(names) if len(names) <= _LISTED else f"{names[0]}_…_{names[-1]}"
    every = list(dict.fromkeys(does[name] for name in names if name in does))
    more = f" and {len(every) - _LISTED} more" if len(every) > _LISTED else ""
    return f"{group} ({', '.join(every[:_LISTED])}{more})" if every else group


def _compared(old: list[Apart] | None, new: list[Apart] | None) -> list[list[str]]:
    """Each pair with the side that alone has it: `removed`, `added`, or neither."""
    if old is None or new is None:
        return [["", each.pair, each.reason] for each in old or new or ()]
    gone, come = (
        Counter(each.key for each in one) - Counter(each.key for each in other)
        for one, other in ((old, new), (new, old))
    )
    rows = [["removed", each.pair, each.reason] for each in old if _taken(gone, each.key)]
    return rows + [["added" if _taken(come, each.key) else "", each.pair, each.reason] for each in new]


def _taken(left: Counter[str], key: str) -> bool:
    left[key] -= 1
    return left[key] >= 0


def _mark(old: list[Box], new: list[Box]) -> None:
    matcher = SequenceMatcher(None, [box.key for box in old], [box.key for box in new], autojunk=False)
    for kind, low, high, start, end in matcher.get_opcodes():
        if kind != "equal":
            for box in (*old[low:high], *new[start:end]):
                box.only = True


def _plain(picture: Picture) -> dict[str, Any]:
    return {name: [_row(box) for box in boxes] for name, boxes in picture.items()}


def _row(box: Box) -> Iterable[Any]:
    return [box.title, box.kind, box.lines, box.sources, int(box.only)]
