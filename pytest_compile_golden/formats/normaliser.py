"""The version of everything that turns a record into text, and how older texts are brought up to it."""

from __future__ import annotations

from collections.abc import Callable

NORMALISER = 1
"""Recorded in every golden. Raised whenever a renderer changes what an unchanged compile looks like in a way that
`Stage.canonical` does not take for cosmetic; with it comes a `register_upgrade` for each stage it touches."""

Upgrade = Callable[[str], str]
"""What a golden's body of one version would have been in the next."""

_upgrades: dict[tuple[int, str], Upgrade] = {}


def register_upgrade(version: int, stage: str, upgrade: Upgrade) -> None:
    """Bring goldens of `stage` that `version` wrote up to `version + 1`.

    A stage without one did not change in that version. Raises ValueError where there is one already.
    """
    if (version, stage) in _upgrades:
        raise ValueError(f"goldens of {stage} have an upgrade from normaliser {version} already.")
    _upgrades[version, stage] = upgrade


def unregister_upgrade(version: int, stage: str) -> None:
    """Forget an upgrade; nothing happens where there is none."""
    _upgrades.pop((version, stage), None)


def upgraded(stage: str, body: str, version: int) -> str:
    """A golden's `body`, written by normaliser `version`, as the current one would have written it."""
    for each in range(version, NORMALISER):
        upgrade = _upgrades.get((each, stage))
        if upgrade is not None:
            body = upgrade(body)
    return body
