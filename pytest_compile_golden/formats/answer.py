"""What an invariant is answered with: it explains itself in a failing assert."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_compile_golden.names import joined


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
