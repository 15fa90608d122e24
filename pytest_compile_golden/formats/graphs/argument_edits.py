"""How the arguments of a call changed in a graph."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from pytest_compile_golden.changes.common_types import AttributeChanged
from pytest_compile_golden.formats.canonical_text import arguments, short, with_times
from pytest_compile_golden.formats.graphs.equivalence import Pairs
from pytest_compile_golden.formats.graphs.printed import HOLE, PrintedNode

_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_KEYWORD = re.compile(r"(\w+)=(?!=)|('\w+'): ")
_LITERAL = re.compile(r"(?:\w+=)?(?:-?[\d.e+-]+|True|False|None)(?: x\d+)?")
"""A setting, as a change shows it."""
_WIDEST = 60
_DEEPEST = 4


def argument_edits(old: PrintedNode, new: PrintedNode) -> Iterator[AttributeChanged]:
    """The edits of one call; all values are treated alike."""
    before, after = (elements(node.text) for node in (old, new))
    if before is None or after is None:
        return
    name = short(old.target)
    for gone, come, inside in _changed(before, after):
        yield AttributeChanged(
            "arguments-changed", name, inside, _shown(gone), _shown(come)
        )


def arguments_in_place(found: Pairs) -> Iterator[AttributeChanged]:
    """Which numbers and settings nodes are given otherwise beside the same values, for results of the same types."""
    for old, new in found.nodes:
        if (
            not (old.target and old.reads)
            or old.type != new.type
            or old.text == new.text
            or any(found.reconnected(old, new))
        ):
            continue
        for edit in argument_edits(old, new):
            given = [side for side in (edit.before, edit.after) if side]
            if all(map(_LITERAL.fullmatch, given)):
                yield edit


def _changed(
    old: Sequence[str], new: Sequence[str], within: str = "", depth: int = _DEEPEST
) -> Iterator[tuple[Sequence[str], Sequence[str], str]]:
    """What is gone and what is new; for a tuple in an argument, its elements, and the argument's name or position."""
    for kind, low, high, start, end in SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        if kind == "equal":
            continue
        gone, come = list(old[low:high]), list(new[start:end])
        for old_argument, new_argument in _pairs(gone, come):
            gone.remove(old_argument)
            come.remove(new_argument)
            inner = [elements(side) for side in (old_argument, new_argument)]
            if depth and inner[0] is not None and inner[1] is not None:
                named = _KEYWORD.match(old_argument)
                argument = (
                    named[1] or named[2]
                    if named
                    else str(list(old).index(old_argument) + 1)
                )
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
        new = next(
            (candidate for candidate in unpaired if _key(candidate) == _key(old)), None
        )
        if new is not None:
            unpaired.remove(new)
            pairs.append((old, new))
    return pairs


def _key(argument: str) -> str:
    """The keyword of an argument, or the bracket that it opens with."""
    match = _KEYWORD.match(argument)
    return (
        match[0]
        if match is not None
        else argument[0]
        if argument[0] in _BRACKETS
        else argument
    )


def elements(text: str) -> list[str] | None:
    """The elements of a call, a tuple, a list or a dictionary; None for anything else."""
    keyword = _KEYWORD.match(text)
    value = text if keyword is None else text[keyword.end() :]
    opened = re.match(r"[\w.\0]*([(\[{])", value)
    if opened is None or not value.endswith(_BRACKETS[opened[1]]):
        return None
    return [element for element in arguments(value[opened.end() : -1]) if element]


def _shown(several: Sequence[str]) -> str:
    """`None x2`, `launch_kwargs=('BLOCK',)`."""
    text = ", ".join(
        with_times(argument, times) for argument, times in Counter(several).items()
    )
    text = text.replace(HOLE, "a value")
    return text if len(text) <= _WIDEST else f"{text[:_WIDEST]}…"
