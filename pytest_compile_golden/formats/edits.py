"""What changed between two texts, as a colleague would put it, regardless of the names of values."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from pytest_compile_golden.lines import split_lines

Topic = Literal[
    "lost", "program", "breaks", "library", "fusion", "memory", "operators", "arithmetic", "guards", "launch", "hints"
]
"""What an edit is about."""
TOPICS: tuple[str, ...] = get_args(Topic)
"""From most to least important."""

_COMMENTS = {"#": re.compile(r"(?:^|(?<=\s))#.*$"), "//": re.compile(r"(?:^|(?<=\s))//.*$")}
# Numbers, and numeric suffixes of values; a type keeps its width.
_TYPE = re.compile(r"\b(?:b?f|i|u|c|fp|u?int|b?float|complex|sm)\d+\w*")
_NUMBER = re.compile(r"(?<![A-Za-z])\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|(?<=[A-Za-z_])_*\d+(?:_\d+)*")
# Lines of both texts together. Beyond this a file was rewritten, and matching its lines takes seconds.
LONGEST = 4000
_WIDEST = 100


@dataclass(frozen=True)
class Edit:
    """One way in which a text changed."""

    label: str
    """In a few words, for people."""
    key: str
    """Equal for the same edit elsewhere: without the names, numbers and sizes particular to where it occurs."""
    topic: Topic = "arithmetic"
    follows: bool = False
    """Whether it accompanies another edit of the text or is mere bookkeeping; it is never asked about on its own."""
    anywhere: bool = False
    """Whether it is the same change no matter at which stage it first shows."""
    where: str | None = None
    """The torch function responsible, if the kind of edit determines it."""


def edit(
    label: str, topic: Topic = "arithmetic", *, key: str = "", follows: bool = False, anywhere: bool = False
) -> Edit:
    """An edit whose key, unless given, is its label without numbers."""
    return Edit(label, key or without_numbers(label), topic, follows, anywhere)


def without_numbers(text: str) -> str:
    """`text` without the numbers of values, sizes and constants."""
    marked = _TYPE.sub(
        lambda match: "".join(chr(ord(char) + 0x2050) if char.isdigit() else char for char in match[0]), text
    )
    return _NUMBER.sub("#", marked)


def distinct(edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Each edit once, those that follow from others last."""
    once: dict[str, Edit] = {}
    for change in edits:
        earlier = once.get(change.key)
        if earlier is None or (earlier.follows and not change.follows):
            once[change.key] = change
    return tuple(sorted(once.values(), key=lambda change: change.follows))


def line_edits(old: str, new: str, comment: str, topic: Topic = "arithmetic") -> tuple[Edit, ...]:
    """The first differing lines, verbatim, as one edit; for texts about which nothing more is known.

    `comment` is what starts a comment in this kind of text; comments and layout never count.
    """
    before, after = plain_lines(old, comment), plain_lines(new, comment)
    if len(before) + len(after) > LONGEST:
        label = f"rewritten, from {len(before)} to {len(after)} lines"
        return (Edit(label, f"{label} {_digest(old, new)}", topic),)
    blank = [[without_numbers(line) for line in lines] for lines in (before, after)]
    # SequenceMatcher's heuristics for long texts stay on here: without them, many equal lines would take minutes.
    blocks = [block for block in difflib.SequenceMatcher(None, blank[0], blank[1]).get_opcodes() if block[0] != "equal"]
    if blocks:
        _, low, high, start, end = blocks[0]
        # The removed and added lines identify an edit; the lines around them do not.
        gone = [line for _, low, high, _, _ in blocks for line in blank[0][low:high]]
        come = [line for _, _, _, start, end in blocks for line in blank[1][start:end]]
        key = "\n".join([*(f"- {line}" for line in gone), *(f"+ {line}" for line in come)])
        return (Edit(_change(before[low:high], after[start:end], len(blocks) - 1), _short(key), topic),)
    for old_line, new_line in zip(before, after, strict=True):
        if old_line != new_line:
            # The same operation on other values, which cannot be described without their names.
            return (Edit(_change([old_line], [new_line], 0), _short(f"- {old_line}\n+ {new_line}"), topic),)
    return ()


def _change(gone: Sequence[str], come: Sequence[str], more: int) -> str:
    start = _start(gone[0], come[0]) if gone and come else 0
    shown = [
        f"{sign} {'…' if start else ''}{lines[0][start : start + _WIDEST]}"
        for sign, lines in (("-", gone), ("+", come))
        if lines
    ]
    left_out = len(gone) + len(come) - len(shown)
    note = [f"{left_out} more line{'s' if left_out > 1 else ''}"] * (left_out > 0)
    note += [f"{more} more place{'s' if more > 1 else ''}"] * (more > 0)
    return "  ".join(shown) + (f" ({', '.join(note)})" if note else "")


def _start(one: str, other: str) -> int:
    """The column from which two lines are shown: near their first difference if that would otherwise be cut off."""
    same = next((at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), 0)
    return 0 if same < _WIDEST // 2 else max(one.rfind(" ", 0, same - 10), 0)


def _short(key: str) -> str:
    return key if len(key) < 2 * _WIDEST else f"{key[:_WIDEST]} {_digest(key)}"


def with_comments_of(old: str, new: str, comment: str) -> str:
    """`new` with the comments of `old` on lines that differ in nothing else, so that nobody has to read those."""
    pattern = _COMMENTS.get(comment, _COMMENTS["#"])
    before, after = split_lines(old), split_lines(new)
    old_code, new_code = ([pattern.sub("", line).rstrip() for line in lines] for lines in (before, after))
    for _, low, high, start, end in difflib.SequenceMatcher(None, old_code, new_code).get_opcodes():
        if old_code[low:high] == new_code[start:end]:
            after[start:end] = before[low:high]
    return "".join(f"{line}\n" for line in after)


def plain_lines(text: str, comment: str) -> list[str]:
    """The lines of `text` without comments and layout."""
    pattern = _COMMENTS.get(comment, _COMMENTS["#"])
    lines = (" ".join(pattern.sub("", line).split()) for line in split_lines(text))
    return [line for line in lines if line]


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]
