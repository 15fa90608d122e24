"""Two texts for people: side by side, as a short diff, and without cosmetic differences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.report.model import StageReport
from pytest_compile_golden.report.styled_lines import Line, printable
from pytest_compile_golden.stages import stage_of

Block = tuple[int, int, int, int]
"""Lines that differ: start and end in the old text, start and end in the new one."""
# `torch/_inductor/lowering.py:2396`, and Python's own notation: `lowering.py", line 2396`.
_LINE_NUMBER = re.compile(r"""(\.(?:pyi?|cpp|cu|h)(?::|['"], line ))\d+""")
# Above this many lines, difflib takes more than a second, so popular lines are ignored in matching.
_EXACT = 3000


@dataclass(frozen=True)
class Texts:
    """One view of a stage."""

    name: str
    old: str | None
    new: str | None
    blocks: tuple[Block, ...]


def texts(stage: StageReport) -> list[Texts]:
    """The views of a stage, starting with the one to show first; none if the report holds no text for it."""
    if stage.old is None and stage.new is None:
        return []
    if stage.old is None or stage.new is None:
        return [Texts("as written", stage.old, stage.new, ())]
    views = [Texts("as written", stage.old, stage.new, _blocks(stage.old, stage.new))]
    counting = aligned(stage.stage, stage.old, stage.new)
    if counting is not None:
        views.insert(0, Texts("significant lines", *counting, _blocks(*counting)))
    return views


def to_compare(stage: StageReport) -> tuple[str, str]:
    """The two texts to make a short diff from."""
    views = texts(stage)
    return (views[0].old or "", views[0].new or "") if views else ("", "")


def aligned(stage: str, old: str, new: str) -> tuple[str, str] | None:
    """The significant lines, with the new ones using the old names; None if the stage has no such form."""
    shown = stage_of(stage, "").format.significant(old, new)
    # If a change counts but no significant line shows it, only the whole texts do.
    return (
        ("\n".join(shown.old) + "\n", "\n".join(shown.new) + "\n")
        if shown is not None and shown.differ
        else None
    )


def matched(before: Sequence[str], after: Sequence[str]) -> SequenceMatcher[str]:
    """Which lines match. Lines that differ only in a file's line number match: the code above just moved."""
    old, new = (
        [_LINE_NUMBER.sub(r"\1", line) for line in lines] for lines in (before, after)
    )
    return SequenceMatcher(None, old, new, autojunk=len(old) + len(new) > _EXACT)


def _blocks(old: str, new: str) -> tuple[Block, ...]:
    opcodes = matched(split_lines(old), split_lines(new)).get_opcodes()
    return tuple(
        (low, high, start, end)
        for kind, low, high, start, end in opcodes
        if kind != "equal"
    )


def diff(
    old: str, new: str, *, limit: int | None = None, context: int = 2
) -> list[Line]:
    """Removed and added lines with some context; beyond `limit` lines, only how many more there are.

    A difference in a file's line number alone is not a change.
    """
    before, after = split_lines(old), split_lines(new)
    lines: list[Line] = []
    for hunk in matched(before, after).get_grouped_opcodes(context):
        if lines:
            lines.append(("dim", "..."))
        for kind, low, high, start, end in hunk:
            if kind == "equal":
                lines += [_line("", " ", line) for line in after[start:end]]
            else:
                lines += [_line("removed", "-", line) for line in before[low:high]]
                lines += [_line("added", "+", line) for line in after[start:end]]
    if not lines and before != after:
        return [("dim", "only file line numbers changed")]
    if limit is not None and len(lines) > limit:
        more = len(lines) - limit
        lines = [
            *lines[:limit],
            ("dim", f"... {quantity(more, 'more line')}"),
        ]
    return lines


def _line(style: str, sign: str, text: str) -> Line:
    return style, f"{sign} {printable(text)}".rstrip()
