"""What is known about an artifact but not printed: one fact a line, for machines, tied to the text by its digest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import msgspec

from pytest_compile_golden.lines import split_lines

_TEXT = "text"


def write(text: str, facts: Iterable[msgspec.Struct]) -> str:
    """The evidence of a text, a JSON array per line, sorted; empty if there are no facts."""
    lines = sorted(msgspec.json.encode(fact).decode() for fact in facts)
    return "".join(f"{line}\n" for line in [_digest(text), *lines]) if lines else ""


def fits(evidence: str, text: str) -> bool:
    """Whether evidence belongs to exactly this text, and not to what it was before somebody edited it."""
    return evidence.startswith(f"{_digest(text)}\n")


def read(evidence: str, text: str, kind: Any) -> list[Any]:
    """The facts, of the type `kind`, that are known about a text; none if the evidence does not fit or is damaged."""
    if not fits(evidence, text):
        return []
    try:
        return [msgspec.json.decode(line, type=kind) for line in split_lines(evidence)[1:]]
    except (ValueError, RecursionError):  # a later version may know other facts
        return []


def _digest(text: str) -> str:
    return f'["{_TEXT}","{hashlib.sha256(text.encode()).hexdigest()}"]'
