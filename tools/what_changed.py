"""Write docs/what-changed.md: what torch.compile changed between versions, according to the committed goldens.

    python tools/what_changed.py

torch is not needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.recordings.from_goldens import Goldens
from pytest_compile_golden.report import comparing, markdown
from pytest_compile_golden.report.case_groups import verdicts
from pytest_compile_golden.report.model import Report
from pytest_compile_golden.report.words import headline

ROOT = Path(__file__).parents[1]
FILE = ROOT / "docs" / "what-changed.md"
VERSIONS = ("2.12.1", "2.13.0", "2.14.1", "2.15.0")
# Characters of the report for each step: the page is meant to be read, and `compile-golden diff` has the rest.
_LENGTH = 16_000

_HEAD = """# What torch.compile changed

What each version of torch did differently from the previous one on this repository's cases, according to its goldens.
Written by `python tools/what_changed.py`; `compile-golden diff goldens@2.13.0 goldens@2.15.0` compares any two of them,
with every diff, on a machine without torch.
"""


def text() -> str:
    """The whole page."""
    goldens = Goldens(ROOT / "goldens", find_project(ROOT).bases)
    sides = [(version, goldens.recording(version)) for version in VERSIONS]
    steps = [comparing.report(old, new, before, after) for (before, old), (after, new) in pairwise(sides)]
    parts = [_HEAD, "\n".join(_overview(steps)) + "\n", *(_step(step) for step in steps)]
    return "\n".join(parts)


def _overview(steps: Sequence[Report]) -> Iterator[str]:
    yield "| | cases changed | distinct changes | metrics better | metrics worse |"
    yield "|---|---|---|---|---|"
    for step in steps:
        counts = verdicts(metric for case in step.cases for metric in case.metrics)
        changed = f"{step.count('changed')} of {len(step.cases)}"
        distinct = sum(group.outcome == "changed" for group in step.groups)
        name = f"{step.old.label} to {step.new.label}"
        yield f"| [{name}](#{_anchor(name)}) | {changed} | {distinct} | {counts['WIN']} | {counts['REGRESSION']} |"


def _anchor(title: str) -> str:
    return title.replace(".", "").replace(" ", "-")


def _step(step: Report) -> str:
    head = f"## {step.old.label} to {step.new.label}\n\n**{headline(step)}**\n\n"
    return head + markdown.groups(step, _LENGTH).replace(": see the HTML report", "")


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
