"""Names that a person gives: one that stands for nothing is an error, told with those that are near to it."""

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
    """`there is no stage 'metric'; did you mean 'metrics'? There are: ...`: what to say of a name that is not known."""
    names = tuple(dict.fromkeys(known))
    return f"there is no {kind} {name!r}{near(name, names)} There are: {listed(names)}."


def near(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'metrics'?` where a known name is like `name`, else a full stop."""
    folded: dict[str, str] = {}
    for candidate in known:
        folded.setdefault(candidate.casefold(), candidate)
    matches = [folded[match] for match in get_close_matches(name.casefold(), folded, n=_NEAR)]
    return f"; did you mean {' or '.join(map(repr, matches))}?" if matches else "."


def listed(names: Iterable[str]) -> str:
    """As many as a person reads."""
    every = tuple(names)
    more = f" and {len(every) - _LISTED} more" if len(every) > _LISTED else ""
    return ", ".join(every[:_LISTED]) + more if every else "none"
