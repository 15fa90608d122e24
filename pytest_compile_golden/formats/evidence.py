"""What is known about an artifact but not printed: one fact a line, for machines, tied to the text by its digest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import msgspec

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.formats.format import Unreadable

_TEXT, _TORCH = "text", '["torch",'


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
    facts = "".join(
        f"{line}\n" for line in split_lines(evidence)[1:] if not line.startswith(_TORCH)
    )
    try:
        return list(parsed(facts, kind))
    except Unreadable:  # a later version may know other facts
        return []


def of_torch(evidence: str, version: str) -> str:
    """Evidence of a text that another torch wrote than the one that is reported on: its locations are that torch's."""
    known = not version or _TORCH in evidence
    return (
        evidence
        if known
        else f"{evidence}{_TORCH}{msgspec.json.encode(version).decode()}]\n"
    )


def placed(where: str | None, evidence: str) -> str | None:
    """A location that is read from a text or its evidence, with the torch that it is of: `torch/a.py:12@2.14.1`."""
    # Not for the stage table.
    from pytest_compile_golden.torch_source.installed_sources import at_version

    _, known, version = evidence.rpartition(_TORCH)
    return (
        at_version(where, version.split('"')[1])
        if where is not None and known
        else where
    )


def _digest(text: str) -> str:
    return f'["{_TEXT}","{hashlib.sha256(text.encode()).hexdigest()}"]'
