"""How the arguments of operators changed, in graphs that call the same operators."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from pytest_compile_golden.changes.graphs import ArgumentsChanged
from pytest_compile_golden.formats.graph.form import Node
from pytest_compile_golden.formats.operators import short
from pytest_compile_golden.formats.text import arguments, with_times

_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_KEYWORD = re.compile(r"(\w+)=(?!=)|('\w+'): ")
_HOLE = "\0"
_WIDEST = 60
_DEEPEST = 4


def argument_edits(old: Node, new: Node) -> Iterator[ArgumentsChanged]:
    """The edits of one call; all values are treated alike."""
    before, after = (_inside(node.text) for node in (old, new))
    if before is None or after is None:
        return
    name = short(old.target)
    for gone, come, inside in _changed(before, after):
        yield ArgumentsChanged(name, _shown(gone), _shown(come), inside)


def _changed(
    old: Sequence[str], new: Sequence[str], within: str = "", depth: int = _DEEPEST
) -> Iterator[tuple[Sequence[str], Sequence[str], str]]:
    """What is gone and what is new; for a tuple in an argument, its elements, and the argument's name or position."""
    for kind, low, high, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        gone, come = list(old[low:high]), list(new[start:end])
        for old_argument, new_argument in _pairs(gone, come):
            gone.remove(old_argument)
            come.remove(new_argument)
            inner = [_inside(side) for side in (old_argument, new_argument)]
            if depth and inner[0] is not None and inner[1] is not None:
                named = _KEYWORD.match(old_argument)
                argument = named[1] or named[2] if named else str(list(old).index(old_argument) + 1)
                yield from _changed(inner[0], inner[1], within or argument, depth - 1)
            else:
                yield [old_argument], [new_argument], within
        if gone:
            yield gone, (), within
        if come:
            yield (), come, within


def _pairs(gone: Sequence[str], come: Sequence[str]) -> list[tuple[str, str]]:
    """Counterparts: one by one if there are as many on both sides, else by keyword or opening bracket."""
    if len(gone) == len(come):
        return list(zip(gone, come, strict=True))
    pairs = []
    unpaired = list(come)
    for old in gone:
        new = next((candidate for candidate in unpaired if _key(candidate) == _key(old)), None)
        if new is not None:
            unpaired.remove(new)
            pairs.append((old, new))
    return pairs


def _key(argument: str) -> str:
    """The keyword of an argument, or the bracket that it opens with."""
    match = _KEYWORD.match(argument)
    return match[0] if match is not None else argument[0] if argument[0] in _BRACKETS else argument


def _inside(text: str) -> list[str] | None:
    """The elements of a call, a tuple, a list or a dictionary; None for anything else."""
    keyword = _KEYWORD.match(text)
    value = text if keyword is None else text[keyword.end() :]
    opened = re.match(r"[\w.\0]*([(\[{])", value)
    if opened is None or not value.endswith(_BRACKETS[opened[1]]):
        return None
    return [element for element in arguments(value[opened.end() : -1]) if element]


def _shown(several: Sequence[str]) -> str:
    """`None x2`, `launch_kwargs=('BLOCK',)`."""
    text = ", ".join(with_times(argument, times) for argument, times in Counter(several).items())
    text = text.replace(_HOLE, "a value")
    return text if len(text) <= _WIDEST else f"{text[:_WIDEST]}…"
