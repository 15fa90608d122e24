"""How a text changed, in words: its edits, without those that do not count."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence

from pytest_compile_golden.formats.edits import Edit, edits, kernel_names
from pytest_compile_golden.formats.format import Format
from pytest_compile_golden.lines import split_lines

# Asking for each edit whether it counts parses the text once per edit: beyond this many, seconds.
_MOST_ASKED = 40
_DEVICE = re.compile(r"\s*\b(?:cpu|cuda)\b(?:: ?\d+)?")
_SHAPE = re.compile(r"\[[\d, #]*\]")


def labels(form: Format, comment: str, old: str, new: str, *, cosmetic: bool = False) -> tuple[str, ...]:
    """The edits that make `new` of `old`, each in a few words; never empty.

    `comment` is what starts a comment in these texts. Where they differ in what counts (not `cosmetic`), edits are left
    out that alone would not.
    """
    shown = None if cosmetic else form.significant(old, new)
    if shown is not None and shown.differ:
        old, new = _text(shown.old), _text(shown.new)
    found = edits(old, new, comment)
    said = tuple(edit.label for edit in found)
    if cosmetic:
        return said or ("names, comments or layout",)
    if len(found) <= _MOST_ASKED:
        # What alone would be cosmetic is not what changed, and often differs from file to file.
        aside = _cosmetic(found, split_lines(old), split_lines(new), form.canonical)
        said = tuple(label for label in said if label not in aside)
        if found and not said and kernel_names(old) != kernel_names(new):
            said = ("kernels are named otherwise",)
        said = said or tuple(edit.label for edit in found)
    if said:
        return said
    # It counts, and yet no edit shows it: then only the very same texts are the same change.
    digest = hashlib.sha256("\0".join((old, new)).encode()).hexdigest()[:12]
    return (f"differs as a whole ({digest})",)


def placeless(label: str) -> str:
    """A label without the shapes and the device of the case that it is from."""
    return _SHAPE.sub("[]", _DEVICE.sub("", label))


def _cosmetic(
    found: Sequence[Edit], old: Sequence[str], new: Sequence[str], canonical: Callable[[str], object]
) -> set[str]:
    """The labels of edits that, made alone, leave the text's behaviour as it is."""
    aside = set()
    whole: dict[int, object] = {}
    for edit in found:
        base = new if edit.old_line is None else old
        at = edit.new_line if edit.old_line is None else edit.old_line
        if at is None:
            continue
        put = [new[edit.new_line]] if edit.old_line is not None and edit.new_line is not None else []
        try:
            if id(base) not in whole:
                whole[id(base)] = canonical(_text(base))
            if canonical(_text([*base[:at], *put, *base[at + 1 :]])) == whole[id(base)]:
                aside.add(edit.label)
        except Exception:  # a user's canonical form may refuse half a change, and then it counts
            continue
    return aside


def _text(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
