"""Evens out cosmetic differences between two texts, so that a diff of them shows only significant changes.

Done in two passes over the lines. The first matches lines that are equal but for names, and learns from them what each
name of the new text is called in the old one. The second, with the names replaced, takes over the old text's line
wherever the significant parts agree. A plain diff of the results then shows what counts, and nothing else.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Sequence, Set

from pytest_compile_golden.common.lines import split_lines

WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_LARGE = 2000
"""Lines."""


def align(
    texts: tuple[str, str],
    names: Callable[[str], Set[str]],
    key: Callable[[str], str | None],
    word: re.Pattern[str] = WORD,
) -> tuple[list[str], list[str]]:
    """The significant lines of two texts, those of the second with the names of the first.

    `names` finds the names that may differ, `word` matches where such a name can occur, and `key` gives the significant
    part of a line, or None if it has none.
    """
    old, new = texts
    keys = {
        line: line_key
        for line in split_lines(old)
        if (line_key := key(line)) is not None
    }
    before = [line for line in split_lines(old) if line in keys]
    after = [line for line in split_lines(new) if line in keys or key(line) is not None]
    renamed = _renaming(before, after, names(old), names(new), word)
    after = [
        word.sub(lambda match: renamed.get(match[0], match[0]), line) for line in after
    ]
    for block in _same(
        [keys[line] for line in before], [keys.get(line) or key(line) for line in after]
    ):
        after[block.b : block.b + block.size] = before[block.a : block.a + block.size]
    return before, after


def _same(
    one: Sequence[str | None], other: Sequence[str | None]
) -> Iterator[difflib.Match]:
    """The blocks that two lists of lines share. Common ends are matched directly: SequenceMatcher is slow on them.

    In large texts, lines that occur very often do not begin a block: looking at each pair of them takes seconds.
    """
    shorter = min(len(one), len(other))
    start = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    end = next(
        (at for at in range(shorter - start) if one[-1 - at] != other[-1 - at]),
        shorter - start,
    )
    yield difflib.Match(0, 0, start)
    middle = one[start : len(one) - end], other[start : len(other) - end]
    large = min(map(len, middle)) > _LARGE
    for block in difflib.SequenceMatcher(
        None, *middle, autojunk=large
    ).get_matching_blocks():
        yield difflib.Match(start + block.a, start + block.b, block.size)
    yield difflib.Match(len(one) - end, len(other) - end, end)


def _renaming(
    before: list[str],
    after: list[str],
    old: Set[str],
    new: Set[str],
    word: re.Pattern[str],
) -> dict[str, str]:
    """What each name of `new` is called in `old`, one to one, judging by lines that are equal except for names."""

    def blank(line: str, names: Set[str]) -> str:
        return word.sub(lambda match: "\0" if match[0] in names else match[0], line)

    blank_before, blank_after = (
        [blank(line, old) for line in before],
        [blank(line, new) for line in after],
    )
    renamed: dict[str, str] = {}
    taken: set[str] = set()
    for block in _same(blank_before, blank_after):
        for offset in range(block.size):
            old_names = [
                name for name in word.findall(before[block.a + offset]) if name in old
            ]
            new_names = [
                name for name in word.findall(after[block.b + offset]) if name in new
            ]
            for name, called in zip(new_names, old_names, strict=False):
                # The first match decides, and a name is given away once: two values must not become one.
                if name not in renamed and called not in taken:
                    renamed[name] = called
                    taken.add(called)
    # A new value must not be mistaken for the old one of that name. Sorted, as the order decides who gets a free name.
    for name in sorted(new - renamed.keys()):
        fresh = name
        while fresh in taken:
            fresh += "_"
        renamed[name] = fresh
        taken.add(fresh)
    return renamed


def without_comment(line: str) -> str | None:
    """A line without its comment; None if nothing else is left."""
    code = line.partition("  # ")[0].rstrip()
    return None if not code or code.lstrip().startswith("#") else code
