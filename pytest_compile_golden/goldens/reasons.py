"""Why a metric changed, kept as a comment beside it: an unchanged metric keeps its reason, a changed one gets a new."""

from __future__ import annotations

import re

from pytest_compile_golden.lines import split_lines

_LINE = re.compile(r"(?P<fact>[^#\"'\n]+?)\s+# (?P<reason>.*)")


def kept(golden: str, text: str, reason: str | None = None) -> str:
    """`text` with the comments that `golden` has on lines that say the same, and `reason` on lines that changed.

    Both are metrics files, one number a line.
    """
    before = {}
    for line in split_lines(golden):
        said = _LINE.fullmatch(line)
        before[said["fact"] if said else line.rstrip()] = said["reason"] if said else None
    names = {fact.partition(" = ")[0]: fact.partition(" = ")[2] for fact in before}
    lines = []
    for line in split_lines(text):
        name, _, value = line.partition(" = ")
        if before.get(line):
            line = f"{line}  # {before[line]}"
        elif reason and value and line not in before and "#" not in line:
            was = f"was {names[name]}" if name in names else "new"
            line = f"{line}  # {was}: {_one_line(reason)}"
        lines.append(line)
    return "".join(f"{line}\n" for line in lines)


def _one_line(reason: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in reason).split())
