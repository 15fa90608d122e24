"""How a text changed of which only lines are known: each line for itself, in words where it is a statement."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator

from pytest_compile_golden.formats.edits import LONGEST, Edit, distinct, edit, line_edits, placeless, plain_lines
from pytest_compile_golden.formats.expression_edits import Comparison
from pytest_compile_golden.formats.expressions import Values

# Beyond this many lines that differ a text was rewritten, and no line of it says anything.
_MOST = 60


def edits(old: str, new: str, comment: str) -> tuple[Edit, ...]:
    """The edits between two texts; `comment` is what starts a comment in them."""
    before, after = plain_lines(old, comment), plain_lines(new, comment)
    if len(before) + len(after) > LONGEST:
        return line_edits(old, new, comment)
    blank = [[placeless(line) for line in lines] for lines in (before, after)]
    found: list[Edit] = []
    for kind, low, high, start, end in difflib.SequenceMatcher(None, blank[0], blank[1]).get_opcodes():
        if kind == "equal":
            continue
        if high - low + end - start > _MOST:
            return line_edits(old, new, comment)
        if high - low == end - start:
            for one, other in zip(before[low:high], after[start:end], strict=True):
                found += _line(one, other)
        else:
            found += [edit(f"- {line}") for line in before[low:high]] + [edit(f"+ {line}") for line in after[start:end]]
    return distinct(found) if found else line_edits(old, new, comment)


def _line(old: str, new: str) -> Iterator[Edit]:
    """What a line has become; as it stands where it is no statement, or more than an operation changed."""
    before, after = _value(old), _value(new)
    if before is not None and after is not None:
        one, other = (Values(lambda name: (placeless(name), False)).value(each, {}) for each in (before, after))
        comparison = Comparison()
        comparison.compare(one, other)
        if comparison.found and not comparison.rewritten and not all(each.follows for each in comparison.found):
            yield from (each for each in comparison.found if not each.follows)
            return
    yield edit(f"- {old}  + {new}")


def _value(line: str) -> ast.expr | None:
    try:
        node = ast.parse(line.strip()).body
    except (SyntaxError, ValueError):
        return None
    if len(node) == 1 and isinstance(node[0], (ast.Assign, ast.Expr)):
        return node[0].value
    return None
