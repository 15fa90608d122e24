"""A script in several torch versions as text for an issue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.features.triage.script_runs import PARTS, Triage
from pytest_compile_golden.features.triage.triage_page import about_gpu, changed
from pytest_compile_golden.report.styled_lines import cut, printable
from pytest_compile_golden.stages import get_stage

_LONGEST = 140
_SHOWN = 10


def text(script: Path, found: Sequence[Triage], cause: Sequence[str]) -> str:
    """The script with a row for each environment, and where the problem began, as text for an issue."""
    breaks_in = get_stage("graph_breaks").format.document
    rows = []
    for one in found:
        cases = () if one.trace is None else one.trace.cases
        breaks = sum(len(breaks_in(case.text("graph_breaks") or "")) for case in cases)
        rows.append(
            {
                "torch": one.ran.torch or one.label,
                "runs": "yes"
                if one.ran.problem is None
                else split_lines(one.ran.problem)[0],
                "values": one.ran.verdicts or "not compared",
                "graph breaks": str(breaks),
                "due to": "" if one.part is None else PARTS[one.part].partition(":")[0],
                "the script prints": one.ran.printed,
            }
        )
    since = changed(found)
    between = ""
    if since is not None and cause:
        listed = "".join(
            f"- {cut(printable(line), _LONGEST)}\n" for line in cause[:_SHOWN]
        )
        between = f"\nBetween torch {since[0].ran.torch} and {since[1].ran.torch}:\n\n{listed}"
    source = script.read_text(encoding="utf-8", errors="replace").rstrip()
    device = "".join(f"\n{line}.\n" for line in about_gpu(found))
    return f"```python\n{source}\n```\n\n{versions_table(rows)}{device}{between}"


def versions_table(rows: Iterable[Mapping[str, str]]) -> str:
    """A table in Markdown with a row for each version that was tried."""
    listed = list(rows)
    names = list(listed[0]) if listed else []
    cells = [
        [
            cut(" ".join(row[name].split()), _LONGEST).replace("|", "\\|")
            for name in names
        ]
        for row in listed
    ]
    lines = [names, ["---"] * len(names), *cells] if names else []
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
