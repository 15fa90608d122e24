"""Which functions wrote which lines of generated code, and whose lines differ between two texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pytest_compile_golden.facts.code import Author, Written, Wrote
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.format import Format
from pytest_compile_golden.lines import split_lines

# Numbered names; the numbers in types are significant.
_NUMBERED = re.compile(r"""(?<![\w.'"])(?!(?:u?int|b?float|bf|fp|half|complex|uchar)\d)([A-Za-z_]+)\d[\w]*\b(?!['"])""")
_KERNEL = re.compile(r"\b(?:triton|cpp)_\w+_\d+\b|\bKERNEL_NAME\b|\bDESCRIPTIVE_NAME\b")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_METADATA = re.compile(r"\s*(triton_meta|inductor_meta)=\{")
_WORD = re.compile(r"\w")
_NAME = re.compile(r"[A-Za-z_]{3,}\w*")
_ENTRY = re.compile(r"\s*'\w+': .*,$")

Authors = Mapping[int, tuple[Author, ...]]
"""The functions that wrote each line of a text, by the line's number from 0."""
_Line = tuple[str, "int | None"]
"""A line, and its number in the whole text."""


@dataclass(frozen=True)
class Blamed:
    """The function whose lines changed."""

    author: Author
    old: str
    """A line as it was; empty if there was none."""
    new: str
    others: tuple[str, ...] = ()
    """Other functions whose lines changed."""


@lru_cache(maxsize=1 << 14)
def form(line: str) -> str:
    """A line without layout, kernel names and numeric suffixes, so that mere renumbering makes no difference."""
    return " ".join(_TOKEN.findall(_NUMBERED.sub(r"\1", _KERNEL.sub("KERNEL", line))))


def wrote(text: str, written: Iterable[Written]) -> tuple[Wrote, ...]:
    """Who wrote the lines of a text; functions are told apart by file and name.

    written: the lines as they were written, before kernels got their names.
    """
    authors: dict[str, dict[Author, None]] = {}
    metadata: dict[str, dict[Author, None]] = {}
    for entry in written:
        authors.setdefault(form(entry.line), {})[entry.author] = None
        if start := _METADATA.match(entry.line):
            metadata.setdefault(start[1], {})[entry.author] = None
    files: dict[str, dict[str, tuple[int, set[int]]]] = {}
    for at, line, inside in _lines(text):
        for author in metadata.get(inside, authors.get(form(line), ())):
            file, _, number = (author.where or "").rpartition(":")
            # Functions nested in one share its name, and start later.
            first, lines = files.setdefault(file, {}).get(author.function, (int(number or 0), set()))
            files[file][author.function] = min(first, int(number or 0)), lines | {at}
    return tuple(
        Wrote(file, tuple((name, start, _ranges(sorted(lines))) for name, (start, lines) in sorted(functions.items())))
        for file, functions in sorted(files.items())
    )


def read(text: str, known: str) -> Authors:
    """The authors of a text's lines according to its evidence."""
    authors: dict[int, tuple[Author, ...]] = {}
    for fact in evidence.read(known, text, Wrote):
        for function, start, lines in fact.functions:
            author = Author(function, evidence.placed(f"{fact.file}:{start}" if fact.file else None, known))
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
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def _numbers(ranges: str) -> Iterator[int]:
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        if first.isdigit():
            yield from range(int(first), int(last if last.isdigit() else first) + 1)


def _lines(text: str) -> Iterator[tuple[int, str, str]]:
    """The lines with code, each with its number and, within metadata, which is written as a whole, that one's name."""
    inside = ""
    for at, line in enumerate(split_lines(text)):
        start = _METADATA.match(line)
        if start:
            inside = start[1]
        elif inside and not _ENTRY.match(line):
            inside = ""
        if _has_code(line):
            yield at, line.strip(), inside


def _has_code(line: str) -> bool:
    """Whether a line is more than a comment or brackets."""
    return _WORD.search(line) is not None and not line.lstrip().startswith(("#", "//"))


def blamed(
    form_of: Format, texts: tuple[str, str], wrote: tuple[Authors, Authors], names: Sequence[str] = ()
) -> Blamed | None:
    """Whose lines differ between two texts; None if nobody is known.

    wrote: the authors of each text's lines. names: those of the functions and operators that a change is about; then
    only lines that have such a name count.
    """
    shown: dict[str, tuple[list[str], list[str]]] = {}
    known: dict[str, Author] = {}
    for side, lines in enumerate(_changed(form_of, *texts)):
        for line, at in lines:
            for author in wrote[side].get(at, ()) if at is not None and _has_any(line, names) else ():
                shown.setdefault(author.function, ([], []))[side].append(line)
                known[author.function] = author
    if not shown:
        return None
    # An author of both removed and added lines comes before an author of only one kind.
    ranked = sorted(shown, key=lambda name: (not all(shown[name]), -sum(map(len, shown[name]))))
    old, new = (next(iter(lines), "") for lines in shown[ranked[0]])
    # Of a function that only wrote lines that are gone, the newer torch's place says more, if it is known.
    there = (author for several in wrote[1].values() for author in several if author.function == ranked[0])
    author = known[ranked[0]] if new else next(there, known[ranked[0]])
    return Blamed(author, old, new, tuple(ranked[1:]))


def _has_any(line: str, names: Sequence[str]) -> bool:
    words = frozenset(_NAME.findall(line))
    return not names or any(found and words.issuperset(found) for found in map(_NAME.findall, names))


# Called once per edit of the same two texts.
@lru_cache(maxsize=8)
def _changed(form_of: Format, old: str, new: str) -> tuple[list[_Line], list[_Line]]:
    """The lines that only one text has, ignoring names, each once.

    If there are none: the first line that reads other values than its counterpart, or the same in another order.
    """
    significant = form_of.significant(old, new)
    shown = (
        (significant.old, significant.new)
        if significant is not None and significant.differ
        else (split_lines(old), split_lines(new))
    )
    before, after = (_numbered(lines, text) for lines, text in zip(shown, (old, new), strict=True))
    counts = [Counter(form(line) for line, _ in lines) for lines in (before, after)]
    only = _only(before, counts[0] - counts[1]), _only(after, counts[1] - counts[0])
    if any(only):
        return only
    pairs = zip(before, after, strict=False)
    alike = ((one, other) for one, other in pairs if form(one[0]) == form(other[0]) and one[0] != other[0])
    return next((([one], [other]) for one, other in alike), ([], []))


def _numbered(lines: Sequence[str], text: str) -> list[_Line]:
    """The lines with code of a text as comparisons show it, each with its number in the text itself."""
    following = [(form(line), at) for at, line in enumerate(split_lines(text))]
    numbered: list[_Line] = []
    start = 0
    for line in filter(_has_code, lines):
        wanted = form(line)
        found = next((index for index in range(start, len(following)) if following[index][0] == wanted), None)
        numbered.append((line.strip(), None if found is None else following[found][1]))
        start = start if found is None else found + 1
    return numbered


def same_lines(old: str, new: str) -> bool:
    """Whether two texts of kernels hold the same lines, ignoring names and order."""
    before, after = (Counter(form(line) for _, line, _ in _lines(text)) for text in (old, new))
    return before == after


def _only(lines: Sequence[_Line], counted: Counter[str]) -> list[_Line]:
    return list({form(line[0]): line for line in reversed(lines) if counted[form(line[0])]}.values())[::-1]
