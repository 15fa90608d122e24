"""Plain text, and helpers shared by the canonical forms of all formats."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pytest_compile_golden.lines import split_lines

_COMMENT = re.compile(r"\s+# .*$|^# .*$")
_BRACKET_OR_COMMA = re.compile(r"""[\[\](){},]|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\"""")
_SYMBOL = re.compile(r"\b[su]\d+\b")


def plain(text: str) -> tuple[str, ...]:
    """The lines of `text` without comments and trailing space; empty lines are dropped."""
    lines = (_COMMENT.sub("", line).rstrip() for line in split_lines(text))
    return tuple(line for line in lines if line)


def with_times(name: str, times: int) -> str:
    """`name`, with the number of times it occurs if more than once: `aten.mul x3`."""
    return f"{name} x{times}" if times > 1 else name


def arguments(text: str) -> Iterator[str]:
    """`text` split at the commas that are outside all brackets."""
    depth, start = 0, 0
    for match in _BRACKET_OR_COMMA.finditer(text):
        char = match[0]
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "," and depth == 0:
            yield text[start : match.start()].strip()
            start = match.end()
    if text[start:].strip():
        yield text[start:].strip()


def sizes_by_appearance(texts: Iterable[str]) -> dict[str, str]:
    """Names for the symbolic sizes in `texts` (`s77`) by first appearance, since torch's numbers are arbitrary."""
    names: dict[str, str] = {}
    for text in texts:
        for name in _SYMBOL.findall(text):
            names.setdefault(name, f"size{len(names)}")
    return names


def with_sizes(text: str, names: dict[str, str]) -> str:
    """`text` with its symbolic sizes renamed; those not in `names` are kept."""
    return _SYMBOL.sub(lambda match: names.get(match[0], match[0]), text) if names else text
