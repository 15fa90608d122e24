"""Which functions wrote which lines of generated code."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.facts.generated_code import Author, EmittedBy, EmittedLine
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.kernel_metadata import section, sections

_TOKEN = re.compile(
    r"""(?P<kernel>\b(?:(?:triton|cpp)_\w+_\d+|KERNEL_NAME|DESCRIPTIVE_NAME)\b)"""
    # A numbered name; the numbers in types are significant.
    r"""|(?<![\w.'"])(?!(?:u?int|b?float|bf|fp|half|complex|uchar)\d)(?P<stem>[A-Za-z_]+)\d\w*\b(?!['"])|\w+|[^\w\s]"""
)
_PUNCTUATION = f"{string.punctuation} "

Authors = Mapping[int, tuple[Author, ...]]
"""The functions that wrote each line of a text, by the line's number from 0."""


@lru_cache(maxsize=1 << 14)
def form(line: str) -> str:
    """A line without layout, kernel names and numeric suffixes, so that mere renumbering makes no difference."""
    return " ".join(
        "KERNEL" if token["kernel"] else token["stem"] or token[0]
        for token in _TOKEN.finditer(line)
    )


def wrote(text: str, written: Iterable[EmittedLine]) -> tuple[EmittedBy, ...]:
    """Who wrote the lines of a text; functions are told apart by file and name.

    written: the lines as they were written, before kernels got their names.
    """
    authors: dict[str, dict[Author, None]] = {}
    metadata: dict[str, dict[Author, None]] = {}
    for entry in written:
        authors.setdefault(form(entry.line), {})[entry.author] = None
        if start := section(entry.line):
            metadata.setdefault(start, {})[entry.author] = None
    files: dict[str, dict[str, tuple[int, set[int]]]] = {}
    for at, line, inside in _lines(text):
        for author in metadata.get(inside, authors.get(form(line), ())):
            file, _, number = (author.where or "").rpartition(":")
            # Functions nested in one share its name, and start later.
            first, lines = files.setdefault(file, {}).get(
                author.function, (int(number or 0), set())
            )
            files[file][author.function] = min(first, int(number or 0)), lines | {at}
    return tuple(
        EmittedBy(
            file,
            tuple(
                (name, start, _ranges(sorted(lines)))
                for name, (start, lines) in sorted(functions.items())
            ),
        )
        for file, functions in sorted(files.items())
    )


def read(text: str, known: str) -> Authors:
    """The authors of a text's lines according to its evidence."""
    authors: dict[int, tuple[Author, ...]] = {}
    for fact in evidence.read(known, text, EmittedBy):
        for function, start, lines in fact.functions:
            author = Author(
                function,
                evidence.placed(f"{fact.file}:{start}" if fact.file else None, known),
            )
            for at in _numbers(lines):
                authors[at] = (*authors.get(at, ()), author)
    return authors


def _ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers in short: `0-3,7`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(
        str(first) if first == last else f"{first}-{last}" for first, last in runs
    )


def _numbers(ranges: str) -> Iterator[int]:
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        if first.isdigit():
            yield from range(int(first), int(last if last.isdigit() else first) + 1)


def _lines(text: str) -> Iterator[tuple[int, str, str]]:
    """The lines with code, each with its number and, within metadata, which is written as a whole, that one's name."""
    for at, (line, inside) in enumerate(sections(split_lines(text))):
        code = line.strip()
        # More than a comment or brackets.
        if code.strip(_PUNCTUATION) and not code.startswith(("#", "//")):
            yield at, code, inside


def same_lines(one: str, other: str) -> bool:
    """Whether two texts of kernels hold the same lines, ignoring names and order."""
    lines = [
        Counter(form(line) for _, line, _ in _lines(text)) for text in (one, other)
    ]
    return lines[0] == lines[1]
