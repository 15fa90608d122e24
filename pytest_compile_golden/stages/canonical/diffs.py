"""The graphs before and after each pass; the text is the one that `stages/pass_diffs.py` writes."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator

from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.stages.canonical.graphs import graph
from pytest_compile_golden.stages.canonical.schedules import schedule

_TITLE = re.compile(r"@@ (\S+): (\S+) / (.+) @@$")


def pass_diffs(text: str) -> Hashable:
    """What counts: the passes, and for each the graphs before and after as the graph stages compare them."""
    return tuple(_forms(text))


def _forms(text: str) -> Iterator[Hashable]:
    title, before, after = "", "", ""
    for line in (*split_lines(text), "@@"):
        if line.startswith("@@"):
            form = schedule if _phase(title) == "scheduler" else graph
            if title or before or after:
                yield title, form(before), form(after)
            title, before, after = line, "", ""
        else:
            before += "" if line.startswith("+") else f"{line[1:]}\n"
            after += "" if line.startswith("-") else f"{line[1:]}\n"


def _phase(title: str) -> str | None:
    found = _TITLE.match(title)
    return found[2] if found else None
