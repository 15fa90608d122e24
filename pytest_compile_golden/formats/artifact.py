"""A stage's output for one case: normalised text, and facts about it for plain asserts, which explain themselves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.name_matching import joined


@dataclass(frozen=True, repr=False)
class Artifact:
    """One stage's output. `str()` is the normalised text; subclasses add facts specific to their kind of stage."""

    stage: str
    text: str
    """Ends with a newline, never empty."""
    unavailable: frozenset[str] = field(default=frozenset(), kw_only=True)
    """Names of the parts that this torch version cannot show."""
    omitted: frozenset[str] = field(default=frozenset(), kw_only=True)
    """Descriptions of what was left out because it carries no information; a run reports each one once."""
    name: str | None = field(default=None, kw_only=True)
    """Distinguishes several artifacts of one stage; the golden gets this name unless the test gives another."""

    facts: tuple[msgspec.Struct, ...] = field(default=(), kw_only=True)
    """What is known about it but not part of the text: kept as its evidence, and never compared."""

    @property
    def locations(self) -> tuple[tuple[str, str], ...]:
        """The locations of the user's lines that it quotes: line, `file:number`."""
        return ()

    @property
    def is_trivial(self) -> bool:
        """Whether it only says that there is nothing of its kind; `captured == golden` keeps no golden of that."""
        return False

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        # What pytest shows of a failing assert.
        return f"<{self.stage}: {len(split_lines(self.text))} lines>"


class Names(tuple[str, ...]):
    """Names or reasons, equal to a list of the same, too."""

    __slots__ = ()
    __hash__ = tuple.__hash__

    def __eq__(self, other: object) -> bool:
        return tuple.__eq__(self, tuple(other) if isinstance(other, list) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other


class Answer(int):
    """A number, or yes or no, of which a failing assert also shows what there is instead."""

    def __new__(cls, value: int, instead: str) -> Answer:
        self = super().__new__(cls, value)
        self._repr = f"{value!r} ({instead})"
        return self

    _repr: str

    def __repr__(self) -> str:
        return self._repr

    __str__ = int.__repr__


def of_those(value: int, there: Iterable[str]) -> Answer:
    """The answer to a question about some of the names in `there`."""
    return Answer(value, f"there are: {joined(there)}")
