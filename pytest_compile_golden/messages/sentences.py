"""What is said about a change."""

from __future__ import annotations

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.messages import (
    graphs,
    guards,
    kernels,
    lines,
    numbers,
    schedules,
    trail,
)
from pytest_compile_golden.messages.message_table import STEPS, TITLES, said

TABLE = (graphs, guards, kernels, lines, numbers, schedules, trail)
"""The modules whose rows make up the table."""
_LONGEST = 120


def sentence(change: Change) -> str:
    """`graph calls aten.addmm in place of aten.add + aten.mm`: what changed, in a few words."""
    words = said(change)
    return words if isinstance(words, str) else f"{words[0]}: {words[1]}"


def only_an_example(words: str) -> str:
    """A sentence about one of several cases that have nothing else in common."""
    return f"{words}, for example"


def as_example(change: Change) -> str:
    """The sentence for a change that several cases have, each in its own way."""
    words = said(change)
    title = TITLES.get(change.code)
    common = None if title is None else title(change)
    if common is None:
        return (
            only_an_example(words)
            if isinstance(words, str)
            else ", for example ".join(words)
        )
    return ", for example ".join(
        (common, sentence(change)) if isinstance(common, str) else common
    )


def first_divergence(change: Change, stage: str = "", more: int = 0) -> str:
    """What is said of a change that is the first divergence of its case.

    stage: where it shows, for a change of a stage's own text. more: how many other changes the text has.
    """
    if not stage:
        return step(change)
    return f"{stage}: {_shortened(sentence(change))}{f' (and {more} more)' if more else ''}"


def step(change: Change) -> str:
    """What is said of a change that is the first divergence of its case."""
    return _shortened(STEPS.get(change.code, sentence)(change), 2 * _LONGEST)


def _shortened(text: str, longest: int = _LONGEST) -> str:
    return text if len(text) <= longest else f"{text[:longest]}..."
