"""How far a run has got, live on a terminal: programs done, what became of them, and how long the rest will take."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from pytest_compile_golden.features.crater.compile_row import Job
from pytest_compile_golden.recordings.corpus_rows import Row

_EVERY_S = 30.0
"""How often a line is written where there is no terminal."""


class RunProgress:
    """A bar on stderr, or a line now and then."""

    def __init__(self, jobs: Sequence[Job], seconds: Mapping[str, float]) -> None:
        """`seconds`: how long each program is expected to take."""
        self._seconds = [seconds[job.program.id] for job in jobs]
        self._done = 0.0
        self._count = 0
        self._outcomes: Counter[str] = Counter()
        self._began = self._said = time.monotonic()
        self._to = Console(stderr=True, soft_wrap=True, highlight=False)
        columns = (
            BarColumn(),
            TextColumn("{task.completed}/{task.total}  {task.description}"),
        )
        self._bar = Progress(
            *columns, console=self._to, transient=True, disable=not self._to.is_terminal
        )
        self._task = self._bar.add_task("", total=len(jobs))

    def __enter__(self) -> RunProgress:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
        self._say()

    def done(self, number: int, row: Row) -> None:
        """Count a program that has ended."""
        self._count += 1
        self._done += self._seconds[number]
        self._outcomes[row.outcome] += 1
        self._bar.update(self._task, completed=self._count, description=self._text())
        if time.monotonic() - self._said > _EVERY_S:
            self._say()

    def _say(self) -> None:
        self._said = time.monotonic()
        if not self._to.is_terminal and self._seconds:
            self._to.print(
                f"{self._count}/{len(self._seconds)}  {self._text()}", markup=False
            )

    def _text(self) -> str:
        outcomes = ", ".join(
            f"{number} {outcome}" for outcome, number in self._outcomes.most_common()
        )
        left = sum(self._seconds) - self._done
        if self._count == len(self._seconds) or not self._done:
            return outcomes
        seconds = (time.monotonic() - self._began) * left / self._done
        return (
            f"{outcomes}; about {seconds / 60:.0f} min left"
            if seconds > 90
            else f"{outcomes}; {seconds:.0f} s left"
        )
