"""The significant lines of two graphs, spelled alike, so that they differ where the graphs do."""

from __future__ import annotations

from dataclasses import replace

from pytest_compile_golden.formats.align import align, without_comment
from pytest_compile_golden.formats.format import Significant, Unreadable
from pytest_compile_golden.formats.graph import printed
from pytest_compile_golden.formats.graph.dimensions import from_the_front
from pytest_compile_golden.formats.graph.form import nodes


def significant(old: str, new: str) -> Significant:
    """The significant lines, those of `new` with the names of `old`; dimensions are counted from the front if one side
    counts them from the end."""
    if old.count("-") != new.count("-"):
        old, new = map(_from_the_front, (old, new))
    return align(old, new, _names, without_comment)


def _names(text: str) -> frozenset[str]:
    """The names that may differ in another graph that does the same."""
    try:
        return frozenset(name for function in printed.read(text) for name in function.values)
    except Unreadable:
        return frozenset()


def _from_the_front(text: str) -> str:
    try:
        return printed.write(map(_counted, printed.read(text)))
    except Unreadable:
        return text


def _counted(function: printed.Function) -> printed.Function:
    types = {argument.name: argument.type for argument in function.inputs} | {
        line.name: line.type for line in function.lines
    }
    lines = []
    for node, line in zip(nodes(function), function.lines, strict=True):
        text = from_the_front(node.target, node.text, types.get(node.reads[0], "")) if node.reads else node.text
        reads = iter(node.reads)
        lines.append(replace(line, call="".join(next(reads) if sign == "\0" else sign for sign in text)))
    return replace(function, lines=tuple(lines))
