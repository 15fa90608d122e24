"""The printed pass ledger, a row per pass followed by what it did: as plain data, written as text and read back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.formats.canonical_text import counted, with_times
from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.formats.outline import Outline

REARRANGED = "same operators, other order or arguments"
"""Said of a pass that changed its graph but no operators."""

NOTHING = "no pass changed its graph\n"

_ROW = re.compile(
    r"^  (?P<phase>\S+) +(?P<name>\S.*?) +(?P<nodes>\.|\d+ -> \d+)(?:  # (?P<where>.*))?$"
)
_DETAIL = "      "


@dataclass(frozen=True)
class NodeCounts:
    """How many nodes a pass found, and how many it left."""

    before: int
    after: int

    def __str__(self) -> str:
        return f"{self.before} -> {self.after}"

    @property
    def grown(self) -> int:
        """How many nodes more there are after the pass."""
        return self.after - self.before


@dataclass(frozen=True)
class Pattern:
    """How often a pattern matched in a pass, and where it is defined."""

    name: str
    count: int
    where: str | None = None


_PATTERNS = Outline(
    Pattern, _DETAIL + "pattern {name:line}: matched {count:int}<  # {where:line}>"
)


@dataclass(frozen=True)
class OperatorCount:
    """How many calls of an operator were added or removed."""

    sign: Literal["-", "+"]
    operator: str
    times: int = 1

    def __str__(self) -> str:
        return self.sign + with_times(self.operator, self.times)


@dataclass(frozen=True)
class PassRow:
    """One run of one pass over one graph."""

    graph: str
    phase: str
    name: str
    nodes: NodeCounts | None = None
    """None for a pass that did nothing."""
    where: str | None = None
    patterns: tuple[Pattern, ...] = ()
    operators: tuple[OperatorCount, ...] = ()
    rearranged: bool = False
    """Whether the ledger says that it changed the graph but no operators."""

    @property
    def idle(self) -> bool:
        """Whether the pass changed nothing and matched nothing."""
        return self.nodes is None and not self.patterns

    @property
    def operators_text(self) -> str:
        """The operators added and removed, on one line; empty if the ledger does not say."""
        return "  ".join(map(str, self.operators)) or (
            REARRANGED if self.rearranged else ""
        )


def write(document: Iterable[PassRow]) -> str:
    """The rows under the names of their graphs, with an empty line between graphs."""
    blocks = (
        "\n".join([f"{graph}:", *_lines(graph_rows)])
        for graph, graph_rows in groupby(document, key=lambda row: row.graph)
    )
    text = "\n\n".join(blocks)
    return f"{text}\n" if text else NOTHING


def _lines(rows: Iterable[PassRow]) -> Iterator[str]:
    for row in rows:
        where = f"  # {row.where}" if row.where else ""
        yield f"  {row.phase:<9} {row.name:<40} {'.' if row.nodes is None else row.nodes}{where}".rstrip()
        yield from split_lines(_PATTERNS.write(row.patterns))
        if row.operators_text:
            yield _DETAIL + row.operators_text


def read(text: str) -> tuple[PassRow, ...]:
    """The rows of a ledger in the order of the passes. Raises Unreadable for a line that `write` does not write."""
    rows: list[PassRow] = []
    graph = ""
    for line in split_lines("" if text == NOTHING else text):
        if not line.strip() or line.startswith("#"):
            continue
        if line.endswith(":") and " " not in line:
            graph = line[:-1]
        elif graph and (match := _ROW.match(line)):
            rows.append(
                PassRow(
                    graph,
                    match["phase"],
                    match["name"],
                    _nodes(match["nodes"]),
                    match["where"],
                )
            )
        elif rows and line.startswith(f"{_DETAIL}pattern "):
            rows[-1] = replace(
                rows[-1], patterns=(*rows[-1].patterns, *_PATTERNS.read(line))
            )
        elif rows and line == _DETAIL + REARRANGED:
            rows[-1] = replace(rows[-1], rearranged=True)
        elif rows and line.startswith(_DETAIL):
            rows[-1] = replace(
                rows[-1], operators=tuple(map(_operator, line.strip().split("  ")))
            )
        else:
            raise Unreadable(line)
    return tuple(rows)


def _nodes(text: str) -> NodeCounts | None:
    before, _, after = text.partition(" -> ")
    return NodeCounts(int(before), int(after)) if after else None


def _operator(text: str) -> OperatorCount:
    if text[:1] not in ("-", "+") or not text[1:]:
        raise Unreadable(text)
    return OperatorCount("-" if text[0] == "-" else "+", *counted(text[1:]))
