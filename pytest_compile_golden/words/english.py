"""Numbers, nouns and lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_compile_golden.changes.change import Counts
from pytest_compile_golden.formats.text import with_times


def plural(noun: str) -> str:
    return f"{noun}es" if noun.endswith(("ch", "s")) else f"{noun}s"


def number(times: int, noun: str) -> str:
    """`1 node`, `2 nodes`, `2 switches`."""
    return f"{times} {noun if times == 1 else plural(noun)}"


def more_or_fewer(more: bool) -> str:
    return "more" if more else "fewer"


def and_more(times: int, noun: str) -> str:
    """` (2 more nodes)`; empty for none."""
    return f" ({number(times, f'more {noun}')})" if times else ""


def counted(counts: Counts) -> list[str]:
    """`add`, `mul x2`."""
    return [with_times(name, times) for name, times in counts]


def listed(names: Sequence[str], most: int) -> str:
    """`a, b and 3 more`."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def summed(counts: Counts, most: int = 8, sign: str = "+") -> str:
    """`a + b x2 + 3 more`."""
    names = counted(counts)
    return f" {sign} ".join([*names[:most], *[f"{len(names) - most} more"] * (len(names) > most)])


def arrow(before: Counts, after: Counts, most: int = 8) -> str:
    """`a + b -> c`; `- a - b` or `+ c` if there is only one side."""
    if before and after:
        return f"{summed(before, most)} -> {summed(after, most)}"
    return f"- {summed(before, most, '-')}" if before else f"+ {summed(after, most)}"


def parenthesised(parts: Iterable[str]) -> str:
    """` (a, b)`; empty without parts."""
    text = ", ".join(filter(None, parts))
    return f" ({text})" if text else ""
