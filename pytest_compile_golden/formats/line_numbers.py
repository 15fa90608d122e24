"""Line numbers in artifacts: which lines belong to a node of a graph, an operation of a schedule or a kernel."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_compile_golden.formats.code import KernelsFormat
from pytest_compile_golden.formats.graph import printed as graph
from pytest_compile_golden.formats.schedule import printed as schedule
from pytest_compile_golden.lines import split_lines


def nodes(text: str) -> Iterator[tuple[int, str, str]]:
    """Each line of a graph that assigns a value: its number from 0, its function and the value's name."""
    here = ""
    for at, line in enumerate(split_lines(text)):
        head = graph.HEAD.match(line)
        if head is not None:
            here = head[1]
        elif (match := graph.LINE.match(line)) is not None:
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
            section, group, inside = section + bool(line.strip() and not line.startswith("#")), -1, False
        elif schedule.GROUP.match(line):
            group, operation, inside = group + 1, None, True
        elif line.startswith("  ") and line[2:3] != " ":
            inside = False
        elif inside and line.startswith("    ") and line[4:5] != " ":
            match = schedule.OPERATION.match(line.lstrip())
            operation = None if match is None else match[1]
        if inside:
            yield at, section, group, operation


def kernels(form: KernelsFormat, text: str) -> Iterator[tuple[int, str, str]]:
    """Each line of a kernel: its number from 0, and the graph and name of the kernel."""
    at = 0
    for piece in form.read(text):
        lines = 1 + len(split_lines(piece.source))
        if piece.kernel is not None:
            yield from ((at + offset, piece.graph, piece.kernel) for offset in range(lines))
        # Pieces are separated by two empty lines.
        at += lines + 2
