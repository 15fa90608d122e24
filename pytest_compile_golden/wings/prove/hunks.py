"""Which lines of a function make a change, found by undoing only some of them."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import msgspec

from pytest_compile_golden.wings.prove.definitions import Function, lines
from pytest_compile_golden.wings.prove.messages import Edit
from pytest_compile_golden.wings.prove.search import smallest

_MOST = 40
"""Functions with more hunks than this are shown whole."""


@dataclass(frozen=True)
class Hunks:
    """The old and the new lines of a function, and where they differ."""

    old: Sequence[str]
    new: Sequence[str]

    @property
    def differing(self) -> list[tuple[str, int, int, int, int]]:
        return [
            code
            for code in difflib.SequenceMatcher(None, self.old, self.new, False).get_opcodes()
            if code[0] != "equal"
        ]

    def undone(self, hunks: Collection[tuple[str, int, int, int, int]]) -> str:
        """The new function with these hunks as in the old one; empty if that is no function."""
        result: list[str] = []
        at = 0
        for hunk in sorted(hunks, key=lambda hunk: hunk[3]):
            _, i1, i2, j1, j2 = hunk
            result += [*self.new[at:j1], *self.old[i1:i2]]
            at = j2
        text = "\n".join([*result, *self.new[at:]])
        try:
            return text if len(ast.parse(text).body) == 1 else ""
        except SyntaxError:
            return ""


def smaller(edit: Edit, old: Function, new: Function, enough: Callable[[Edit], bool]) -> Edit:
    """The edit with only the hunks without which the change comes back; the edit itself if it needs all of them."""
    hunks = Hunks(lines(old), lines(new))
    differing = hunks.differing
    if not 1 < len(differing) <= _MOST:
        return edit

    def with_some(part: Collection[tuple[str, int, int, int, int]]) -> Edit | None:
        text = hunks.undone(part)
        return msgspec.structs.replace(edit, text=text) if text else None

    def part_is_enough(part: Sequence[tuple[str, int, int, int, int]]) -> bool:
        some = with_some(part)
        return some is not None and enough(some)

    found = smallest(differing, part_is_enough)
    return (with_some(found) if len(found) < len(differing) and part_is_enough(found) else None) or edit
