"""How generated code changed: kernels added and removed, and the statements of two kernels that correspond."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import count

from pytest_compile_golden.changes.change import NOTED, Change, distinct
from pytest_compile_golden.changes.common_types import NumberChanged
from pytest_compile_golden.changes.kernels import KernelsChanged, StatementsChanged
from pytest_compile_golden.common.surplus import surplus
from pytest_compile_golden.formats.expression_edits import ValueComparison
from pytest_compile_golden.formats.expressions import Expression
from pytest_compile_golden.formats.inductor_module import Piece
from pytest_compile_golden.formats.line_edits import line_edits
from pytest_compile_golden.formats.statements import BARRIER, MESSAGE, TEMPORARY

_LANGUAGES = {"#": "Triton", "//": "C++"}
"""By what starts a comment."""
# Triton's, and torch/headeronly/util/Exception.h.
_CHECK = re.compile(r"\bdevice_assert\(|\bTORCH_CHECK\(|\bAOTI_TORCH_CHECK\(")

_NAME = re.compile(r"[\w.:]+")
"""Of a function, and not of what has no form that is known."""


@dataclass
class Statements:
    """What a kernel does, in order: stores, checks, heads of loops, results."""

    does: list[Expression] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    """The line of each statement."""

    def add(self, statement: Expression, line: str) -> None:
        """Add a statement, which is on `line`."""
        self.does.append(statement)
        self.written.append(line)

    def drop(self, start: int) -> None:
        """Drop the statements from index `start` on."""
        del self.does[start:], self.written[start:]

    def heads(self) -> list[str]:
        """The keys by which statements are matched: the function, what it is applied to, and of a check of an index,
        what is said of one that does not pass."""
        return [
            f"{statement.function}({statement.args[0].head if statement.args else ''}"
            + TEMPORARY.sub(
                "index",
                next((arg.head for arg in statement.args if MESSAGE in arg.head), ""),
            )
            for statement in self.does
        ]


def unmatched(
    old: Statements, new: Statements, comparison: ValueComparison
) -> tuple[list[str], list[str]]:
    """The lines of `old` and of `new` without a counterpart; statements with one are passed to `comparison`."""
    # A function that only one side calls must not shift the other statements, which look alike.
    heads = old.heads(), new.heads()
    called = [_functions(side) for side in heads]
    alone = {name for name in set(called[0]) ^ set(called[1]) if _NAME.fullmatch(name)}
    left = [
        [at for at, function in enumerate(side) if function not in alone]
        for side in called
    ]
    gone, come = (
        [
            line
            for line, function in zip(side.written, functions, strict=True)
            if function in alone
        ]
        for side, functions in zip((old, new), called, strict=True)
    )
    # By their heads alone, since what is stored or checked is what may have changed. A run of statements that the
    # matcher would call replaced still corresponds, one by one, if the same functions do them in the same order.
    before, after = (
        [side[at] for at in places] for side, places in zip(heads, left, strict=True)
    )
    for kind, low, high, start, end in SequenceMatcher(
        None, before, after, autojunk=False
    ).get_opcodes():
        if kind == "equal" or _functions(before[low:high]) == _functions(
            after[start:end]
        ):
            for old_at, new_at in zip(
                left[0][low:high], left[1][start:end], strict=True
            ):
                comparison.compare(old.does[old_at], new.does[new_at])
            continue
        gone += [old.written[at] for at in left[0][low:high]]
        come += [new.written[at] for at in left[1][start:end]]
    return gone, come


def by_purpose(
    gone: Sequence[str], come: Sequence[str]
) -> Iterator[tuple[list[str], list[str]]]:
    """Lines of statements, those together that wait for threads, that check something, or that do anything else."""
    parts: dict[str, tuple[list[str], list[str]]] = {}
    for side, lines in enumerate((gone, come)):
        for line in lines:
            purpose = (
                "wait"
                if BARRIER in line
                else "check"
                if _CHECK.search(line)
                else "other"
            )
            parts.setdefault(purpose, ([], []))[side].append(line)
    yield from parts.values()


def statements_changed(
    gone: Sequence[str],
    come: Sequence[str],
    outline: Callable[[str], str],
    *,
    follows: bool,
) -> StatementsChanged:
    """One change for all statements added or removed; `outline` reduces a line to what it has in common with others."""
    shapes = [
        f"{sign} {shape}"
        for sign, lines in (("-", gone), ("+", come))
        for shape in sorted(set(map(outline, lines)))
    ]
    checks = all(_CHECK.search(line) for line in (*gone, *come)) and len(gone) != len(
        come
    )
    code = "runtime-checks" if checks else "statements-changed"
    return StatementsChanged(
        code, tuple(gone), tuple(come), tuple(shapes), follows=follows
    )


def _functions(heads: Sequence[str]) -> list[str]:
    return [head.partition("(")[0] for head in heads]


def code_edits(
    old: Sequence[Piece],
    new: Sequence[Piece],
    comment: str,
    form: Callable[[str], Hashable],
    of_kernel: Callable[[Piece, Piece], list[Change] | None],
) -> tuple[Change, ...]:
    """The edits between two artifacts, each once.

    form: what counts in a kernel's text. of_kernel: finds the edits of a kernel, or None if it cannot read it.
    """
    edits: list[Change] = []
    pairs = list(_pairs(old, new, form))
    gone = [before for before, after in pairs if before is not None and after is None]
    come = [after for before, after in pairs if before is None and after is not None]
    if gone or come:
        names = [tuple(dict.fromkeys(map(_stem, side))) for side in (gone, come)]
        edits.append(
            KernelsChanged(
                names[0],
                names[1],
                len(gone),
                len(come),
                len(old),
                len(new),
                _LANGUAGES.get(comment, ""),
            )
        )
    for before, after in pairs:
        if before is not None and after is not None and before.source != after.source:
            kernel_edits = of_kernel(before, after)
            if kernel_edits is None:
                kernel_edits = list(line_edits(before.source, after.source, comment))
            was, now = (_in_place(piece.source) for piece in (before, after))
            if was != now:
                otherwise = any(
                    change.kind not in NOTED and not change.follows
                    for change in kernel_edits
                )
                kernel_edits.append(
                    NumberChanged("written-in-place", was, now, follows=otherwise)
                )
            # If kernels were added or removed, the others changed because they share the work with these.
            edits += [change.following(bool(gone or come)) for change in kernel_edits]
    return distinct(edits)


def _in_place(source: str) -> int:
    """How many tensors a kernel reads and writes, which Inductor numbers from 0."""
    return next(number for number in count() if f"in_out_ptr{number}" not in source)


def _stem(piece: Piece) -> str:
    """What is fused in a kernel: its name without the start and the number."""
    name = piece.kernel or piece.title
    before, _, last = name.rpartition("_")
    name = before if last.isdigit() else name
    return name.partition("_fused_")[2] or name


def _pairs(
    old: Sequence[Piece], new: Sequence[Piece], form: Callable[[str], Hashable]
) -> Iterator[tuple[Piece | None, Piece | None]]:
    """Each kernel that is another now with the one that it became; None on the side that has no counterpart."""
    # Kernels are numbered in the order in which they are written, so that their numbers shift when one comes or goes;
    # the middle of a name says which operators are fused in it, and lasts longer.
    keys = [[(piece.graph, _stem(piece)) for piece in pieces] for pieces in (old, new)]
    if keys[0] != keys[1] and sorted(keys[0]) == sorted(keys[1]):  # in another order
        new = [new[at] for at in sorted(range(len(new)), key=keys[1].__getitem__)]
        old = [old[at] for at in sorted(range(len(old)), key=keys[0].__getitem__)]
    if [piece.graph for piece in old] == [piece.graph for piece in new]:
        # What both sides have may stand beside another kernel.
        def counts(piece: Piece) -> Hashable:
            return piece.graph, form(piece.source)

        yield from zip(
            surplus(old, new, counts), surplus(new, old, counts), strict=True
        )
        return
    for tag, low, high, start, end in SequenceMatcher(
        None, keys[0], keys[1], autojunk=False
    ).get_opcodes():
        gone, come = old[low:high], new[start:end]
        if tag == "equal" or len(gone) == len(come):
            yield from zip(gone, come, strict=True)
        else:
            yield from ((piece, None) for piece in gone)
            yield from ((None, piece) for piece in come)
