"""The passes of a ledger that did nothing: its evidence names them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from pytest_compile_golden.facts.passes import Ran
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.ledger.printed import PassRow, read


def facts(rows: Sequence[PassRow]) -> Iterator[Ran]:
    """Every pass, in the order in which they ran."""
    for at, ((graph, phase), several) in enumerate(groupby(rows, key=lambda row: (row.graph, row.phase))):
        yield Ran(at, graph, phase, tuple(row.name if row.idle else "" for row in several))


def place(phase: str, name: str) -> str:
    """The name under which an artifact keeps where a pass is defined."""
    return f"{phase} / {name}"


def all_rows(text: str, known: str, places: Mapping[str, str]) -> tuple[PassRow, ...]:
    """The rows of a ledger, including those of passes that did nothing if its evidence names them. Raises Unreadable.

    places: where passes are defined, by `place`.
    """
    rows = read(text)
    merged: list[PassRow] = []
    at = 0
    for fact in sorted(evidence.read(known, text, Ran), key=lambda fact: fact.at):
        for name in fact.names:
            if name:
                merged.append(PassRow(fact.graph, fact.phase, name, where=places.get(place(fact.phase, name))))
            else:
                merged += rows[at : at + 1]
                at += 1
    return tuple(merged) if merged and at == len(rows) else rows


def names(text: str, known: str) -> frozenset[str]:
    """The passes that ran, whether or not they did anything, by `place`; empty if the evidence does not say."""
    if not evidence.read(known, text, Ran):
        return frozenset()
    return frozenset(place(row.phase, row.name) for row in all_rows(text, known, {}))
