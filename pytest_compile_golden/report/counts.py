"""How many cases came out how: counted here, and shown by every format in the same words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from pytest_compile_golden.report.case_groups import key
from pytest_compile_golden.report.model import Outcome, Report

_WORDS: dict[Outcome, str] = {"changed": "changed", "error": "failed", "new": "new", "missing": "gone"}
_ALIKE: dict[Outcome, str] = {"changed": "distinct change", "error": "distinct error"}


@dataclass
class Counts:
    """Filled case by case."""

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    keys: dict[Outcome, set[tuple[str, ...]]] = field(default_factory=dict)
    """Of the changed and the failed cases: as many as there are groups of them."""
    skipped: int = 0
    uncollected: int = 0
    """Test files."""

    @classmethod
    def of(cls, report: Report) -> Counts:
        counts = cls()
        for case in report.cases:
            if case.target:
                counts.add(case.outcome, key(case))
            else:
                counts.uncollected += 1
        return counts

    @property
    def cases(self) -> int:
        """Those that ran."""
        return sum(self.outcomes.values())

    @property
    def good(self) -> bool:
        return not (self.outcomes["changed"] or self.outcomes["error"] or self.uncollected)

    def add(self, outcome: Outcome, group: Sequence[str] | None) -> None:
        """One case; `group` is equal for cases that came out alike."""
        self.outcomes[outcome] += 1
        if group is not None:
            self.keys.setdefault(outcome, set()).add(tuple(group))

    def headline(self, before: str = "as before", cosmetic: bool = False) -> str:
        """`78 cases: 74 as before, 4 changed (1 distinct change)`.

        before: what became of those of which nothing is to be said. cosmetic: also tell how many differ in looks.
        """
        text = f"{count(self.cases, 'case')}: {self.outcomes['same'] + self.outcomes['cosmetic']} {before}"
        if cosmetic and self.outcomes["cosmetic"]:
            text += f" ({self.outcomes['cosmetic']} with cosmetic differences only)"
        # That none changed is news where goldens were compared.
        told = [each for each in _WORDS if self.outcomes[each] or (each == "changed" and before != "recorded")]
        parts = [text, *map(self._text, told)]
        parts += [f"{self.skipped} skipped"] if self.skipped else []
        parts += [f"{count(self.uncollected, 'file')} not collected"] if self.uncollected else []
        return ", ".join(parts)

    def _text(self, outcome: Outcome) -> str:
        alike = len(self.keys.get(outcome, ())) if outcome in _ALIKE else 0
        return f"{self.outcomes[outcome]} {_WORDS[outcome]}{f' ({count(alike, _ALIKE[outcome])})' if alike else ''}"


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
