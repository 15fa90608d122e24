"""How much a change weighs, by its code: whether it fails a case, is noted, or is off."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from pytest_compile_golden import names
from pytest_compile_golden.changes.change import CODES, Kind

Severity = Literal["fail", "note", "off"]
ORDER: tuple[Severity, ...] = ("fail", "note", "off")
"""From most to least severe."""
NOTED: frozenset[Kind] = frozenset({"hint", "accounting", "spelling"})
"""The kinds of changes that leave what is decided, computed and accessed as it is."""


@dataclass(frozen=True)
class Severities:
    """What a project, and then a test, says about codes; by default the kind of a change decides."""

    rules: tuple[tuple[str, Severity], ...] = ()
    """Patterns of codes, each with the severity of those it matches; of several that match, the last counts."""
    strict: bool = False
    """Whether every change fails."""

    def of(self, code: str) -> Severity:
        """The severity of changes with this code."""
        if self.strict:
            return "fail"
        given = next((severity for pattern, severity in reversed(self.rules) if fnmatchcase(code, pattern)), None)
        return given or ("note" if code in CODES and CODES[code].kind in NOTED else "fail")

    def having(self, select: Sequence[str] = (), ignore: Sequence[str] = ()) -> Severities:
        """The same, but codes that match `select` fail, and others that match `ignore` are off."""
        added: list[tuple[str, Severity]] = [(pattern, "off") for pattern in ignore]
        added += [(pattern, "fail") for pattern in select]
        return Severities((*self.rules, *added), self.strict)


def check(patterns: Iterable[str]) -> None:
    """Raise UnknownName for a pattern that matches no code of a change."""
    for pattern in patterns:
        if not any(fnmatchcase(code, pattern) for code in CODES):
            names.check("code of a change", [pattern], sorted(CODES))


def worst(severities: Iterable[Severity]) -> Severity:
    """The most severe; `off` if there is none."""
    return min(severities, key=ORDER.index, default="off")
