"""Cases as users name them: by id, folder or test, by part of one, or by a pattern."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeVar

from pytest_compile_golden.errors import UnknownName
from pytest_compile_golden.names import near

Case = TypeVar("Case")


def chosen(patterns: Iterable[str], cases: Mapping[Case, Collection[str]], where: str = "") -> list[Case]:
    """Those of `cases`, each with its id and folder, that match one of `patterns`; all if there is no pattern.

    A pattern with `*` or `?`, which stand for any text, has to match the whole id or folder; brackets are literal. Any
    other pattern matches the cases that contain it as whole words (`test_softmax`, not `test_softmax_wide`), and only
    if there are none, those that contain it at all.
    Raises UnknownName for a pattern that matches no case; `where` completes the message, such as ` in recorded`.
    """
    matched: dict[Case, None] = {} if patterns else dict.fromkeys(cases)
    for pattern in patterns:
        named = _named(pattern, cases)
        if not named:
            parts = [part for names in cases.values() for name in names for part in _parts(name)]
            there = near(pattern.strip("*?"), parts) if cases else "; there are no cases."
            raise UnknownName(f"there is no case like {pattern!r}{where}{there} `*` and `?` stand for any text.")
        matched.update(dict.fromkeys(named))
    return [case for case in cases if case in matched]


def _named(pattern: str, cases: Mapping[Case, Collection[str]]) -> list[Case]:
    if set(pattern) & set("*?"):
        text = "".join({"*": ".*", "?": "."}.get(char) or re.escape(char) for char in pattern)
        return [case for case, names in cases.items() if any(re.fullmatch(text, name, re.S) for name in names)]
    word = re.compile(rf"(?<!\w){re.escape(pattern)}(?!\w)")
    words = [case for case, names in cases.items() if any(word.search(name) for name in names)]
    return words or [case for case, names in cases.items() if any(pattern in name for name in names)]


def _parts(name: str) -> Sequence[str]:
    """The parts of an id that a user may have meant: the whole, the test with its parameters, and without them."""
    test = name.rpartition("::")[2]
    return name, test, test.partition("[")[0]
