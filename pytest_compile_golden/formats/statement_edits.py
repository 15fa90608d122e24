"""What a kernel does, statement by statement, and which statements of two kernels correspond."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from pytest_compile_golden.changes.kernels import StatementsChanged
from pytest_compile_golden.formats.expression_edits import Comparison
from pytest_compile_golden.formats.expressions import Expression


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
        """The keys by which statements are matched: the function, and what it is applied to."""
        return [f"{statement.function}({statement.args[0].head if statement.args else ''}" for statement in self.does]


def unmatched(old: Statements, new: Statements, comparison: Comparison) -> tuple[list[str], list[str]]:
    """The lines of `old` and of `new` without a counterpart; statements with one are passed to `comparison`."""
    gone: list[str] = []
    come: list[str] = []
    before, after = old.heads(), new.heads()
    for kind, low, high, start, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal" or _functions(before[low:high]) == _functions(after[start:end]):
            for old_statement, new_statement in zip(old.does[low:high], new.does[start:end], strict=True):
                comparison.compare(old_statement, new_statement)
            continue
        gone += old.written[low:high]
        come += new.written[start:end]
    return gone, come


def statements_changed(
    gone: Sequence[str], come: Sequence[str], outline: Callable[[str], str], *, follows: bool
) -> StatementsChanged:
    """One change for all statements added or removed; `outline` reduces a line to what it has in common with others."""
    shapes = [
        f"{sign} {shape}" for sign, lines in (("-", gone), ("+", come)) for shape in sorted(set(map(outline, lines)))
    ]
    return StatementsChanged(tuple(gone), tuple(come), tuple(shapes), follows=follows)


def _functions(heads: Sequence[str]) -> list[str]:
    return [head.partition("(")[0] for head in heads]
