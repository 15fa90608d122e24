"""The version of everything that turns a record into text, and the upgrades of older texts to it."""

from __future__ import annotations

from collections.abc import Callable

NORMALISER = 1
"""Recorded in every golden. Incremented whenever a renderer changes the text of an unchanged compile in a way that
`Stage.canonical` does not treat as cosmetic, together with an upgrade for each stage affected."""

UPGRADES: dict[tuple[int, str], Callable[[str], str]] = {}
"""By version and stage: turns the body of a golden of that version into that of the next version."""


def upgraded(stage: str, body: str, version: int) -> str:
    """A golden's `body`, written by normaliser `version`, as the current one would have written it."""
    for older in range(version, NORMALISER):
        if (older, stage) in UPGRADES:
            body = UPGRADES[older, stage](body)
    return body
