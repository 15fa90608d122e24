"""How generated code changed: which kernels were added or removed, and how the others changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from pytest_compile_golden.changes.change import Change, distinct
from pytest_compile_golden.changes.kernels import KernelsChanged
from pytest_compile_golden.formats.code import Piece
from pytest_compile_golden.formats.edits import line_edits

_FUSED = re.compile(r"(?:triton|cpp)_(?:[a-z]+_)*?fused_")
_NUMBER = re.compile(r"_\d+$")


def code_edits(
    old: Sequence[Piece],
    new: Sequence[Piece],
    comment: str,
    of_kernel: Callable[[Piece, Piece], list[Change] | None],
) -> tuple[Change, ...]:
    """The edits between two artifacts, each once; `of_kernel` finds those of a kernel, or None if it cannot read it."""
    edits: list[Change] = []
    pairs = list(_pairs(old, new))
    gone = [before for before, after in pairs if before is not None and after is None]
    come = [after for before, after in pairs if before is None and after is not None]
    if gone or come:
        edits.append(_fusion(gone, come, len(old), len(new)))
    for before, after in pairs:
        if before is not None and after is not None and before.source != after.source:
            kernel_edits = of_kernel(before, after)
            if kernel_edits is None:
                kernel_edits = list(line_edits(before.source, after.source, comment))
            # If kernels were added or removed, the others changed because they share the work with these.
            edits += [replace(change, follows=change.follows or bool(gone or come)) for change in kernel_edits]
    return distinct(edits)


def _fusion(gone: Sequence[Piece], come: Sequence[Piece], before: int, after: int) -> KernelsChanged:
    names = [tuple(dict.fromkeys(map(_stem, side))) for side in (gone, come)]
    return KernelsChanged(names[0], names[1], len(gone), len(come), before, after)


def kind(piece: Piece) -> str:
    """A kernel's name without its number."""
    return _NUMBER.sub("", piece.kernel or piece.title)


def _stem(piece: Piece) -> str:
    return _FUSED.sub("", kind(piece))


def _pairs(old: Sequence[Piece], new: Sequence[Piece]) -> Iterator[tuple[Piece | None, Piece | None]]:
    """Each kernel with the one that it became; None on the side that has no counterpart."""
    if [piece.graph for piece in old] == [piece.graph for piece in new]:
        yield from zip(old, new, strict=True)
        return
    keys = [[(piece.graph, _stem(piece)) for piece in pieces] for pieces in (old, new)]
    for tag, low, high, start, end in SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_opcodes():
        gone, come = old[low:high], new[start:end]
        if tag == "equal" or len(gone) == len(come):
            yield from zip(gone, come, strict=True)
        else:
            yield from ((piece, None) for piece in gone)
            yield from ((None, piece) for piece in come)
