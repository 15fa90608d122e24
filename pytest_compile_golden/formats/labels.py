"""How a text changed, in words: its significant edits."""

from __future__ import annotations

from dataclasses import replace

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.changes.lines import DiffersAsAWhole, LooksDifferent
from pytest_compile_golden.formats.digest import digest
from pytest_compile_golden.formats.edits import line_edits
from pytest_compile_golden.formats.format import Format, Unreadable


def labels(form: Format, comment: str, old: str, new: str, *, cosmetic: bool = False) -> tuple[Change, ...]:
    """The edits that turn `old` into `new`, each in a few words; at least one does not follow from another.

    `comment` is what starts a comment in these texts. If no line shows the significant difference, only an identical
    pair of texts is the same change.
    """
    if cosmetic:
        return line_edits(old, new, comment) or (LooksDifferent(),)
    try:
        edits = form.edits(old, new)
    except (Unreadable, RecursionError):  # a text that torch did not write, or a value with a thousand operations
        edits = ()
    if any(not change.follows for change in edits):
        return edits
    shown = form.significant(old, new)
    pair = (old, new)
    if shown is not None and shown.differ:
        pair = "\n".join(shown.old), "\n".join(shown.new)
    lines = line_edits(*pair, comment)
    if edits and not lines:
        return (replace(edits[0], follows=False), *edits[1:])
    return (*lines, *edits) or (DiffersAsAWhole(digest((old, new))),)
