"""Names that a user gives: an unknown one is an error, reported with the names that are close to it."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from pytest_compile_golden.errors import UnknownName

_LISTED = 24
_NEAR = 3


def check(kind: str, wanted: Iterable[str], known: Iterable[str]) -> None:
    """Raises UnknownName for the first of `wanted` that is not in `known`."""
    names = tuple(dict.fromkeys(known))
    for name in wanted:
        if name not in names:
            raise UnknownName(unknown(kind, name, names))


def unknown(kind: str, name: str, known: Iterable[str]) -> str:
    """The message for an unknown name: `there is no stage 'metric'; did you mean 'metrics'? Available: ...`."""
    names = tuple(dict.fromkeys(known))
    return f"there is no {kind} {name!r}{near(name, names)} Available: {joined(names)}."


def near(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'metrics'?` if a known name is similar to `name`, else a full stop."""
    folded: dict[str, str] = {}
    for candidate in known:
        folded.setdefault(candidate.casefold(), candidate)
    matches = [folded[match] for match in get_close_matches(name.casefold(), folded, n=_NEAR)]
    return f"; did you mean {' or '.join(map(repr, matches))}?" if matches else "."


def joined(names: Iterable[str]) -> str:
    """The names, cut off after as many as a person would read."""
    every = tuple(names)
    more = f" and {len(every) - _LISTED} more" if len(every) > _LISTED else ""
    return ", ".join(every[:_LISTED]) + more if every else "none"
