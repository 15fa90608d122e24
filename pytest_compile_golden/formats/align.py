"""Two texts made alike where they differ cosmetically, so that a diff of them shows what counts and nothing else."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Set

from pytest_compile_golden.formats.format import Significant
from pytest_compile_golden.lines import split_lines

_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*")


def align(
    old: str,
    new: str,
    names: Callable[[str], Set[str]],
    key: Callable[[str], str | None],
    word: re.Pattern[str] = _WORD,
) -> Significant:
    """The lines of both that count, those of `new` in the names of `old`.

    `names` finds what may be called otherwise, `word` where such a name can stand, and `key` what counts of a line,
    None for a line that does not.
    """
    before = [line for line in split_lines(old) if key(line) is not None]
    after = [line for line in split_lines(new) if key(line) is not None]
    renamed = _renaming(before, after, names(old), names(new), word)
    after = [word.sub(lambda found: renamed.get(found[0], found[0]), line) for line in after]
    matcher = difflib.SequenceMatcher(None, [key(line) for line in before], [key(line) for line in after], False)
    for block in matcher.get_matching_blocks():
        after[block.b : block.b + block.size] = before[block.a : block.a + block.size]
    return Significant(before, after)


def _renaming(
    before: list[str], after: list[str], old: Set[str], new: Set[str], word: re.Pattern[str]
) -> dict[str, str]:
    """What each name of `new` is called in `old`, as lines that are equal but for names tell; one to one."""

    def blank(line: str, known: Set[str]) -> str:
        return word.sub(lambda found: "\0" if found[0] in known else found[0], line)

    blank_before, blank_after = [blank(line, old) for line in before], [blank(line, new) for line in after]
    renamed: dict[str, str] = {}
    taken: set[str] = set()
    for block in difflib.SequenceMatcher(None, blank_before, blank_after, False).get_matching_blocks():
        for offset in range(block.size):
            one = [name for name in word.findall(before[block.a + offset]) if name in old]
            other = [name for name in word.findall(after[block.b + offset]) if name in new]
            for name, called in zip(other, one, strict=False):
                if name not in renamed and called not in taken:
                    renamed[name] = called
                    taken.add(called)
    # A new value must not be taken for the old one of that name. In one order: which of two gets a free name first.
    for name in sorted(new - renamed.keys()):
        fresh = name
        while fresh in taken:
            fresh += "_"
        renamed[name] = fresh
        taken.add(fresh)
    return renamed


def without_comment(line: str) -> str | None:
    """A line without its comment; None for one that is nothing else."""
    found = line.partition("  # ")[0].rstrip()
    return None if not found or found.lstrip().startswith("#") else found
