"""The table itself: a type of change and what is said about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from pytest_compile_golden.changes.change import Change

C = TypeVar("C", bound=Change)
Said = str | tuple[str, str]
"""A sentence; or what all such changes have in common, and what only this one says."""

ROWS: dict[type[Change], Callable[[Any], Said]] = {}
STEPS: dict[type[Change], Callable[[Any], str]] = {}
TITLES: dict[type[Change], Callable[[Any], Said]] = {}


def say(
    kind: type[C],
    sentence: Callable[[C], Said],
    *,
    step: Callable[[C], str] | None = None,
    several: Callable[[C], Said] | None = None,
) -> None:
    """A row of the table.

    step: what is said of it as the first divergence of a case, if that is not the sentence.
    several: what cases have in common that have such a change in different ways, and the example, if not the sentence.
    """
    ROWS[kind] = sentence
    if step is not None:
        STEPS[kind] = step
    if several is not None:
        TITLES[kind] = several


def said(change: Change) -> Said:
    """The row of the change's type or of the nearest type that it is derived from."""
    return next(ROWS[kind] for kind in type(change).__mro__ if kind in ROWS)(change)
