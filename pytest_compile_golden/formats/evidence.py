"""What is known about an artifact but not printed: one fact a line, for machines, tied to the text by its digest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import msgspec

from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.lines import split_lines

_TEXT = "text"


def lines(facts: Iterable[msgspec.Struct]) -> str:
    """Facts as text: a JSON array per line, sorted."""
    return "".join(sorted(f"{msgspec.json.encode(fact).decode()}\n" for fact in facts))


@lru_cache(maxsize=64)
def parsed(text: str, kind: Any) -> tuple[Any, ...]:
    """The facts, of the type `kind`, in a text that `lines` wrote. Raises Unreadable for any other text."""
    try:
        return tuple(msgspec.json.decode(line, type=kind) for line in split_lines(text))
    except (ValueError, RecursionError) as error:
        raise Unreadable(text[:60]) from error


def write(text: str, facts: Iterable[msgspec.Struct]) -> str:
    """The evidence of a text; empty if there are no facts."""
    written = lines(facts)
    return f"{_digest(text)}\n{written}" if written else ""


def fits(evidence: str, text: str) -> bool:
    """Whether evidence belongs to exactly this text, and not to what it was before somebody edited it."""
    return evidence.startswith(f"{_digest(text)}\n")


def read(evidence: str, text: str, kind: Any) -> list[Any]:
    """The facts, of the type `kind`, that are known about a text; none if the evidence does not fit or is damaged."""
    if not fits(evidence, text):
        return []
    try:
        return [*parsed(evidence.partition("\n")[2], kind)]
    except Unreadable:  # a later version may know other facts
        return []


def _digest(text: str) -> str:
    return f'["{_TEXT}","{hashlib.sha256(text.encode()).hexdigest()}"]'
