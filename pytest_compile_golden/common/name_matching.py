"""Names as users give them: of cases, by part or pattern; an unknown one is an error that names those close to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import TypeVar

from pytest_compile_golden.common.quantity import listed
from pytest_compile_golden.errors import UnknownName

_LISTED = 24
_NEAR = 3
Case = TypeVar("Case")


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
    matches = [
        folded[match] for match in get_close_matches(name.casefold(), folded, n=_NEAR)
    ]
    return f"; did you mean {' or '.join(map(repr, matches))}?" if matches else "."


def joined(names: Iterable[str]) -> str:
    """The names, cut off after as many as a person would read."""
    every = tuple(names)
    return listed(every, _LISTED) if every else "none"


def chosen(
    patterns: Iterable[str], cases: Mapping[Case, Collection[str]], where: str = ""
) -> list[Case]:
    """Those of `cases`, each with its id and folder, that match one of `patterns`; all if there is no pattern.

    A pattern with `*` (any text) or `?` (one character) has to match the whole id or folder; brackets are literal. Any
    other pattern matches the cases that contain it as whole words (`test_softmax`, not `test_softmax_wide`), and only
    if there are none, those that contain it at all.
    Raises UnknownName for a pattern that matches no case; `where` completes the message, such as ` in recorded`.
    """
    matched: dict[Case, None] = {} if patterns else dict.fromkeys(cases)
    for pattern in patterns:
        named = _named(pattern, cases)
        if not named:
            parts = [
                part
                for names in cases.values()
                for name in names
                for part in _parts(name)
            ]
            there = (
                near(pattern.strip("*?"), parts) if cases else "; there are no cases."
            )
            raise UnknownName(
                f"no case{where} matches {pattern!r}{there} Wildcards: `*` for any text, `?` for one character."
            )
        matched.update(dict.fromkeys(named))
    return [case for case in cases if case in matched]


def _named(pattern: str, cases: Mapping[Case, Collection[str]]) -> list[Case]:
    def having(is_named: Callable[[str], object]) -> list[Case]:
        return [case for case, names in cases.items() if any(map(is_named, names))]

    if set(pattern) & set("*?"):
        text = "".join(
            {"*": ".*", "?": "."}.get(char) or re.escape(char) for char in pattern
        )
        return having(re.compile(text, re.S).fullmatch)
    word = re.compile(rf"(?<!\w){re.escape(pattern)}(?!\w)")
    return having(word.search) or having(lambda name: pattern in name)


def _parts(name: str) -> Sequence[str]:
    """The parts of an id that a user may have meant: the whole, the test with its parameters, and without them."""
    test = without_path(name)
    return name, test, test.partition("[")[0]


def without_path(nodeid: str) -> str:
    """The test of a node id, with its parameters, which may have colons: `test_x[a::b]`."""
    path, bracket, parameters = nodeid.partition("[")
    return path.rpartition("::")[2] + bracket + parameters
