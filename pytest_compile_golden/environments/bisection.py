"""Finds the first of many candidates that differs from the good one, in as few runs as possible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Bisection:
    """Candidates are known by number, from 0, the good one, to `last`, the bad one."""

    last: int
    differs: dict[int, bool] = field(default_factory=dict)
    """The known results between the ends."""
    failed: set[int] = field(default_factory=set)
    """Candidates that could not be run, so nothing is known about them."""

    @property
    def good(self) -> int:
        """The last that is known to be the same as the good one."""
        return max((number for number, differs in self.differs.items() if not differs), default=0)

    @property
    def bad(self) -> int:
        """The first that is known to differ."""
        return min((number for number, differs in self.differs.items() if differs), default=self.last)

    @property
    def undecided(self) -> list[int]:
        """Those between the last good and the first bad one that could not be run: the change may be in any."""
        return sorted(number for number in self.failed if self.good < number < self.bad)

    def next(self) -> int | None:
        """The candidate that halves what is left; None if there is nothing left to learn."""
        left = [number for number in range(self.good + 1, self.bad) if number not in self.failed]
        middle = (self.good + self.bad) // 2
        return min(left, key=lambda number: (abs(number - middle), number)) if left else None

    def run(self, probe: Callable[[int], bool | None]) -> None:
        """Run until the first that differs is known. `probe` says whether one differs; None if it could not be run."""
        while (number := self.next()) is not None:
            differs = probe(number)
            if differs is None:
                self.failed.add(number)
            else:
                self.differs[number] = differs
