"""A short line diff of two texts."""

from __future__ import annotations

from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.report.lines import Line, printable
from pytest_compile_golden.report.texts import matched


def diff(old: str, new: str, *, limit: int | None = None, context: int = 2) -> list[Line]:
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
        lines = [*lines[:limit], ("dim", f"... {more} more line{'s' if more > 1 else ''}")]
    return lines


def _line(style: str, sign: str, text: str) -> Line:
    return style, f"{sign} {printable(text)}".rstrip()
