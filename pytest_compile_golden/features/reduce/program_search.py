"""Tries smaller and smaller programs, until none of the ways to make one smaller gives one that still shows it."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import msgspec

from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.features.reduce import simplifications
from pytest_compile_golden.features.reduce.interestingness import Question
from pytest_compile_golden.features.reduce.reduce_protocol import (
    Describe,
    TriedProgram,
    TryProgram,
)
from pytest_compile_golden.features.reduce.small_program import SmallProgram
from pytest_compile_golden.features.reduce.torch_process import TorchProcess

Say = Callable[[str], None]


class SearchTimeOver(Exception):
    """The time for a search is over; what was found until then is kept."""


class TriedBefore:
    """Which programs were tried, and whether they show it: one line of a file each, so that a search can go on."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._known: dict[str, bool] = {}
        self._lock = threading.Lock()
        if file.is_file():
            for line in file.read_text(encoding="ascii", errors="replace").split("\n"):
                key, _, value = line.partition(" ")
                # A line that was being written when the process ended has no value.
                if value in ("0", "1"):
                    self._known[key] = value == "1"

    def get(self, key: str) -> bool | None:
        """Whether a program held what is kept; None if it was not tried."""
        return self._known.get(key)

    def keep(self, key: str, holds: bool) -> None:
        """Remember it, also for a search that goes on from this one."""
        with self._lock:
            self._known[key] = holds
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("a", encoding="ascii") as file:
                file.write(f"{key} {int(holds)}\n")


@dataclass
class ProgramSearch:
    """One program that is made smaller while a question holds."""

    sides: Sequence[TorchProcess]
    question: Question
    target: str
    stages: tuple[str, ...]
    memory: TriedBefore
    until: float
    """By `time.monotonic`."""
    at_once: int = 1
    """How many programs are tried at a time, each in every version at once."""
    seconds: int = 60
    """For one compile."""
    say: Say = lambda _: None
    tries: int = 0
    """Programs that were compiled, not counting those that were remembered."""
    began: float = field(default_factory=time.monotonic)
    _types: dict[str, dict[str, str]] = field(default_factory=dict)

    def reduced(self, program: SmallProgram) -> tuple[SmallProgram, bool]:
        """The smallest program that was found, and whether the search came to its end. `program` shows it."""
        self._best = program
        try:
            while True:
                before = self._best.text
                if self._best.body:
                    self._repeat(simplifications.OF_GRAPHS)
                self._repeat(simplifications.OF_DETAILS)
                if self._best.text == before:
                    break
            if not self._best.body:
                self._source()
            self._take_first([simplifications.tidied(self._best)])
        except SearchTimeOver:
            return self._best, False
        return self._best, True

    def _repeat(self, several: Sequence[simplifications.Step]) -> None:
        """Each step, from where it made the program smaller on, until it has been through all that it gives."""
        for step in (
            several
            if self._best.body
            else [step for step in several if step in simplifications.OF_DETAILS]
        ):
            done: int | None = 0
            while done is not None:
                types = (
                    self._types_of(self._best)
                    if step in simplifications.OF_GRAPHS
                    else {}
                )
                taken = self._take_first(islice(step(self._best, types), done, None))
                if taken is not None:
                    self.say(
                        f"{self._best.lines} lines, {self._best.operators} operators ({self.tries} tries)"
                    )
                # Of statements, those before it were tried already; a size may have several that are smaller.
                done = (
                    None
                    if taken is None
                    else done + taken
                    if step in simplifications.OF_GRAPHS
                    else 0
                )

    def _take_first(self, candidates: Iterable[SmallProgram]) -> int | None:
        """How many programs come before the first one that shows it, which is then the best; None if none does."""
        for place, found in enumerate(self._shown(candidates)):
            if found is not None:
                self._best = found
                return place
        return None

    def _shown(
        self, candidates: Iterable[SmallProgram]
    ) -> Iterator[SmallProgram | None]:
        """Each program if it shows it, else None, in the order given; several are tried at a time."""
        waiting = iter(candidates)
        known = {self._best.text}
        with ThreadPoolExecutor(self.at_once) as pool:
            running: list[tuple[SmallProgram, Future[bool]]] = []
            while True:
                running += [
                    (program, pool.submit(self._fresh, program, known))
                    for program in islice(waiting, self.at_once - len(running))
                ]
                if not running:
                    return
                program, future = running.pop(0)
                yield program if future.result() else None

    def _fresh(self, program: SmallProgram, known: set[str]) -> bool:
        """Whether a program that is not among the known ones shows it."""
        text = program.text
        if text in known:
            return False
        known.add(text)
        return self.holds(program)

    def holds(self, program: SmallProgram) -> bool:
        """Whether the program shows it. Raises SearchTimeOver instead of trying one that is not remembered."""
        text = program.text
        versions = " ".join(str(side.python) for side in self.sides)
        key = hashlib.sha256(
            f"{self.question.name}\0{self.target}\0{versions}\0{text}".encode()
        ).hexdigest()[:24]
        known = self.memory.get(key)
        if known is None:
            if time.monotonic() > self.until:
                raise SearchTimeOver
            known = self.question.holds(self.tried(text))
            self.memory.keep(key, known)
        return known

    def tried(self, text: str) -> list[TriedProgram]:
        """What becomes of the program in each version, all at the same time.

        Raises SearchTimeOver if the search's time ended before they answered.
        """
        self.tries += 1
        left = self.until - time.monotonic()
        seconds = (
            max(1, min(self.seconds, int(left) + 1))
            if left < self.seconds
            else self.seconds
        )
        request = TryProgram(
            text,
            self.target,
            self.stages,
            seconds,
            self.question.values,
            self.question.matches,
        )
        with ThreadPoolExecutor(len(self.sides)) as pool:
            answers = list(pool.map(lambda side: side.ask(request), self.sides))
        if any(answer.error for answer in answers) and time.monotonic() > self.until:
            raise SearchTimeOver  # it was cut short, which says nothing of the program
        return [
            TriedProgram(error=answer.error) if answer.error else answer.tried
            for answer in answers
        ]

    def _types_of(self, program: SmallProgram) -> dict[str, str]:
        text = program.text
        if text not in self._types:
            self._types[text] = (
                self.sides[-1].ask(Describe(text, self.target, self.seconds)).types
            )
        return self._types[text]

    def _source(self) -> None:
        """Make a function smaller that is kept as its author wrote it."""
        try:
            from pysource_minimize import minimize
        except ImportError:
            raise CompileGoldenError(
                "Only Dynamo sees this change, so the program's own source is reduced, which pysource-minimize does: "
                "pip install 'pytest-compile-golden[reduce]'."
            ) from None

        def shows(source: str) -> bool:
            smaller = msgspec.structs.replace(self._best, definitions=source)
            if not self.holds(smaller):
                return False
            self.say(f"{smaller.lines} lines ({self.tries} tries)")
            found.append(smaller)
            return True

        found: list[SmallProgram] = []
        try:
            minimize(self._best.definitions, shows, retries=0)
        finally:
            self._best = min(
                found, key=lambda program: len(program.definitions), default=self._best
            )
