"""The table itself, the code of a change and what is said about it; and numbers, nouns and lists in English."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from string import Formatter
from typing import Any

from pytest_compile_golden.changes.change import Change, Counts
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.formats.canonical_text import with_times

Said = str | tuple[str, str]
"""A sentence; or what all such changes have in common, and what only this one says."""

ROWS: dict[str, Callable[[Any], Said]] = {}
STEPS: dict[str, Callable[[Any], str]] = {}
TITLES: dict[str, Callable[[Any], Said | None]] = {}


class _Template(Formatter):
    """Fills in the fields of a change: `{before} -> {after}`; several values are joined with commas.

    `{more:more|fewer}` is one or the other, as the field is true or false.
    """

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: object) -> Any:
        return getattr(args[0], str(key))

    def format_field(self, value: Any, format_spec: str) -> str:
        if "|" in format_spec:
            return format_spec.split("|")[0 if value else 1]
        return ", ".join(value) if isinstance(value, tuple) else str(value)


_filled = _Template().format


def say(
    code: str,
    sentence: str | Callable[[Any], Said],
    example: str = "",
    *,
    step: Callable[[Any], str] | None = None,
    several: Callable[[Any], Said | None] | None = None,
) -> None:
    """A row of the table: a template, or a function where one does not do.

    sentence: with an `example`, what all such changes have in common.
    step: what is said of it as the first divergence of a case, if that is not the sentence.
    several: what cases have in common that have such a change in different ways, and the example, if not the sentence;
    None of a change where the sentence does.
    """
    if not isinstance(sentence, str):
        ROWS[code] = sentence
    elif example:
        ROWS[code] = lambda change: (
            _filled(sentence, change),
            _filled(example, change),
        )
    else:
        ROWS[code] = lambda change: _filled(sentence, change)
    if step is not None:
        STEPS[code] = step
    if several is not None:
        TITLES[code] = several


def said(change: Change) -> Said:
    """What the row of the change's code says."""
    return ROWS[change.code](change)


def more_or_fewer(more: bool) -> str:
    """The word for a count that rose or fell."""
    return "more" if more else "fewer"


def new_or_gone(noun: str, new: bool) -> str:
    """`new guard`, `guard gone`."""
    return f"new {noun}" if new else f"{noun} gone"


def difference(times: int, noun: str, more: bool) -> str:
    """`1 more node`, `2 fewer nodes`."""
    return quantity(times, f"{more_or_fewer(more)} {noun}")


def is_or_are(counts: Counts) -> str:
    """The verb for one thing, or for several."""
    return "is" if sum(times for _, times in counts) == 1 else "are"


def and_more(times: int, noun: str) -> str:
    """` (and 2 other nodes)`; empty for none."""
    return f" (and {quantity(times, f'other {noun}')})" if times else ""


def counted(counts: Counts) -> list[str]:
    """`add`, `mul x2`."""
    return [with_times(name, times) for name, times in counts]


def summed(
    counts: Counts, most: int = 8, sign: str = "+", rest: str = "{} more"
) -> str:
    """`a + b x2 + 3 more`. rest: what is said of those that are not listed, with their number."""
    names = counted(counts)
    if len(names) > most:
        names = [*names[:most], rest.format(len(names) - most)]
    return f" {sign} ".join(names)


def in_place(gone: Counts, come: Counts, most: int = 8) -> str:
    """`a + b in place of c`; `a more often`, or `less often`, if there is only one side."""
    if gone and come:
        return f"{summed(come, most)} in place of {summed(gone, most)}"
    how = "more" if come else "less"
    # Beside that, "7 more" would be more often.
    return f"{summed(come or gone, most, rest='{} besides')} {how} often"


def parenthesised(parts: Iterable[str]) -> str:
    """` (a, b)`; empty without parts."""
    text = ", ".join(filter(None, parts))
    return f" ({text})" if text else ""
