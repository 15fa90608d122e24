"""Which functions wrote which lines of generated code, in short form: the trail keeps this to attribute changes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from pytest_compile_golden.facts.code import Author
from pytest_compile_golden.facts.schedules import NotFused
from pytest_compile_golden.formats.digest import short
from pytest_compile_golden.formats.format import Format, Unreadable
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.record.code import Written

BY = "  # by "
REFUSED = "  # refused by "
_KEY = 2
_INDUCTOR = "torch/_inductor/"
# Numbered names; the numbers in types are significant.
_NUMBERED = re.compile(r"""(?<![\w.'"])(?!(?:u?int|b?float|bf|fp|half|complex|uchar)\d)([A-Za-z_]+)\d[\w]*\b(?!['"])""")
_KERNEL = re.compile(r"\b(?:triton|cpp)_\w+_\d+\b|\bKERNEL_NAME\b|\bDESCRIPTIVE_NAME\b")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_METADATA = re.compile(r"\s*(triton_meta|inductor_meta)=\{")
_WORD = re.compile(r"\w")
_NAME = re.compile(r"[A-Za-z_]{3,}\w*")
_ENTRY = re.compile(r"\s*'\w+': .*,$")
_HEAD = re.compile(r"  # (?:refused )?by (\S+): (.+)$")
_FUNCTION = re.compile(r"(\S+?)(?::(\d+))?(?: ([0-9a-v]+))?$")


@dataclass(frozen=True)
class Authorship:
    """A function and the lines it wrote."""

    author: Author
    lines: tuple[str, ...] = ()
    """A short digest of each distinct line, ignoring names."""


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


@lru_cache(maxsize=1 << 14)
def _key(line: str) -> str:
    return short(form(line), _KEY)


def wrote(sources: Iterable[str], written: Iterable[Written]) -> tuple[Authorship, ...]:
    """Who wrote the lines of kernels, as they are shown; functions are identified by file and name."""
    authors: dict[str, dict[Author, None]] = {}
    metadata: dict[str, dict[Author, None]] = {}
    for entry in written:
        authors.setdefault(form(entry.line), {})[entry.author] = None
        if metadata_start := _METADATA.match(entry.line):
            metadata.setdefault(metadata_start[1], {})[entry.author] = None
    keys: dict[tuple[str, str], set[str]] = {}
    sites: dict[tuple[str, str], Author] = {}
    for source in sources:
        for _, line in _lines(split_lines(source)):
            for author in metadata.get(line, authors.get(form(line), ())):
                site = (author.where or "").rpartition(":")[0], author.function
                keys.setdefault(site, set()).add(_key(line))
                sites[site] = min(author, sites.get(site, author), key=_number)
    return tuple(Authorship(sites[site], tuple(sorted(keys[site]))) for site in sorted(keys))


def _number(author: Author) -> int:
    """The line at which a function starts: functions nested in it share its name, and start later."""
    return int((author.where or "").rpartition(":")[2] or 0)


def _lines(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The lines with content, each with the key by which its author is looked up.

    The key is the line itself; for an entry of metadata, which is written as a whole, it is the name of the metadata.
    """
    inside = ""
    for line in lines:
        metadata_start = _METADATA.match(line)
        if metadata_start:
            inside = metadata_start[1]
        elif inside and not _ENTRY.match(line):
            inside = ""
        if _has_code(line):
            code = line.strip()
            yield code, inside or code


def _has_code(line: str) -> bool:
    """Whether a line is more than a comment or brackets."""
    return _WORD.search(line) is not None and not line.lstrip().startswith(("#", "//"))


def refused(pairs: Iterable[NotFused]) -> tuple[Authorship, ...]:
    """Who refused to fuse, each with digests of its reasons."""
    keys: dict[Author, set[str]] = {}
    for pair in pairs:
        if pair.author is not None:
            keys.setdefault(pair.author, set()).add(_reason(pair.reason))
    return tuple(
        Authorship(author, tuple(sorted(keys[author]))) for author in sorted(keys, key=lambda by: str(by.where))
    )


def refuser(reason: str, *tables: Sequence[Authorship]) -> Author | None:
    """Who gives this reason; None if no table knows."""
    return next((row.author for table in tables for row in table if _reason(reason) in row.lines), None)


def author_of_new_reason(old: Sequence[Authorship], new: Sequence[Authorship]) -> Author | None:
    """Who gives a reason that nobody gave before; None if nobody does."""
    known = {key for row in old for key in row.lines}
    return next((row.author for row in new if not known.issuperset(row.lines)), None)


def _reason(text: str) -> str:
    return _key(re.sub(r"\d+", "0", text))


def write(several: Iterable[Authorship], lead: str = BY) -> Iterator[str]:
    """A line per file, prefixed with `lead`. A function starts with a dot if it is of the previous one's class."""
    files: dict[str, list[str]] = {}
    last = ""
    for row in several:
        file, _, number = (row.author.where or "?:").rpartition(":")
        first, dot, method = row.author.function.partition(".")
        same = f"{file} {first}" == last and dot
        last = f"{file} {first}"
        name = f".{method}" if same else row.author.function
        shown = f"./{file.removeprefix(_INDUCTOR)}" if file.startswith(_INDUCTOR) else file
        lines = f" {''.join(row.lines)}" if row.lines else ""
        files.setdefault(shown, []).append(f"{name}{number and f':{number}'}{lines}")
    for file, functions in files.items():
        yield f"{lead}{file}: {', '.join(functions)}"


def read(line: str) -> Iterator[Authorship]:
    """The content of a line that `write` wrote. Raises Unreadable for any other line."""
    head = _HEAD.match(line)
    if head is None:
        raise Unreadable(line)
    file = _INDUCTOR + head[1][2:] if head[1].startswith("./") else head[1]
    first = ""
    for entry in head[2].split(", "):
        match = _FUNCTION.match(entry)
        if match is None:
            raise Unreadable(line)
        function = first + match[1] if match[1].startswith(".") else match[1]
        first = function.partition(".")[0]
        keys = match[3] or ""
        where = f"{file}:{match[2]}" if match[2] else None
        lines = tuple(keys[at : at + _KEY] for at in range(0, len(keys), _KEY))
        yield Authorship(Author(function, where), lines)


def blamed(
    form_of: Format,
    texts: tuple[str, str],
    tables: tuple[Sequence[Authorship], Sequence[Authorship]],
    names: Sequence[str] = (),
) -> Blamed | None:
    """Whose lines differ between two texts of kernels, each with its trail's table; None if nobody is known.

    A trail may be older than the kernels if nothing significant in it has changed: a line is looked up in both tables,
    and one that neither knows is attributed to whoever wrote its counterpart.
    Given the `names` of functions and operators that a change is about, the function whose lines have the most of them
    is chosen; None if no line has any.
    """
    changed = _changed(form_of, *texts)
    by_key = [_by_key(table) for table in tables]
    wrote = [
        [by_key[side].get(key, []) or by_key[1 - side].get(key, []) for _, key in lines]
        for side, lines in enumerate(changed)
    ]
    if len(wrote[0]) == len(wrote[1]):
        wrote = [[mine or other for mine, other in zip(*sides, strict=True)] for sides in (wrote, wrote[::-1])]
    shown: dict[str, tuple[list[str], list[str]]] = {}
    for side, lines in enumerate(changed):
        for (line, _), line_authors in zip(lines, wrote[side], strict=True):
            for author in line_authors:
                shown.setdefault(author.function, ([], []))[side].append(line)
    if not shown:
        return None
    words = {word for name in names for word in _NAME.findall(name)}
    shared = {
        name: max((len(words & set(_NAME.findall(line))) for line in chain(*lines)), default=0)
        for name, lines in shown.items()
    }
    if words and not any(shared.values()):
        return None
    # Prefer an author of both removed and added lines over an author of only one kind.
    ranked = sorted(shown, key=lambda name: (-shared[name], not all(shown[name]), -sum(map(len, shown[name]))))
    known = {row.author.function: row.author for table in tables for row in table}
    old, new = (next(iter(lines), "") for lines in shown[ranked[0]])
    return Blamed(known[ranked[0]], old, new, tuple(ranked[1:]))


def by_line(text: str, *tables: Sequence[Authorship]) -> dict[int, Author]:
    """The function that wrote each line of kernels, by line number from 0, as in the first table that knows the line.

    A line that more than one function writes, or that resembles lines of more than one, is left out.
    """
    known = [_by_key(table) for table in tables]
    numbered = [(at, line) for at, line in enumerate(split_lines(text))]
    by_number: dict[int, Author] = {}
    sites = [at for at, line in numbered if _has_code(line)]
    for at, (_, known_by) in zip(sites, _lines(line for _, line in numbered), strict=True):
        several = next((table[key] for table in known if (key := _key(known_by)) in table), [])
        if len(several) == 1:
            by_number[at] = several[0]
    return by_number


# Called once per edit of the same two texts.
@lru_cache(maxsize=8)
def _changed(form_of: Format, old: str, new: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """The lines that only one text has, ignoring names, each once and with its key.

    If there are none: the first line that reads other values than its counterpart, or the same in another order.
    """
    significant = form_of.significant(old, new)
    one, other = (
        (significant.old, significant.new)
        if significant is not None and significant.differ
        else map(split_lines, (old, new))
    )
    before, after = ([(line, _key(known_by)) for line, known_by in _lines(lines)] for lines in (one, other))
    counts = [Counter(form(line) for line, _ in lines) for lines in (before, after)]
    only = _only(before, counts[0] - counts[1]), _only(after, counts[1] - counts[0])
    if any(only):
        return only
    pairs = zip(before, after, strict=False)
    return next((([one], [other]) for one, other in pairs if one[1] == other[1] and one[0] != other[0]), ([], []))


def same_lines(old: str, new: str) -> bool:
    """Whether two texts of kernels hold the same lines, ignoring names and order."""
    before, after = (Counter(form(line) for line, _ in _lines(split_lines(text))) for text in (old, new))
    return before == after


def _only(lines: Sequence[tuple[str, str]], counted: Counter[str]) -> list[tuple[str, str]]:
    return list({form(line): (line, key) for line, key in reversed(lines) if counted[form(line)]}.values())[::-1]


def _by_key(table: Iterable[Authorship]) -> Mapping[str, list[Author]]:
    authors: dict[str, list[Author]] = {}
    for row in table:
        for key in row.lines:
            authors.setdefault(key, []).append(row.author)
    return authors
