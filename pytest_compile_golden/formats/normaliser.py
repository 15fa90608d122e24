"""The version of everything that turns a record into text, and how older texts are brought up to it."""

from __future__ import annotations

from collections.abc import Callable

NORMALISER = 1
"""Recorded in every golden. Raised whenever a renderer changes what an unchanged compile looks like in a way that
`Stage.canonical` does not take for cosmetic; with it comes an upgrade for each stage it touches."""

UPGRADES: dict[tuple[int, str], Callable[[str], str]] = {}
"""By version and stage: makes of a golden's body of that version what it would have been in the next."""


def upgraded(stage: str, body: str, version: int) -> str:
    """A golden's `body`, written by normaliser `version`, as the current one would have written it."""
    for older in range(version, NORMALISER):
        if (older, stage) in UPGRADES:
            body = UPGRADES[older, stage](body)
    return body
