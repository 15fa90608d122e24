"""What it costs to review the move from one torch to the next: `python -m benchmarks.price [OLD NEW] [--goldens DIR]`.

For each pair of adjacent versions with goldens, or for the given one: how many cases fail and how many are only noted,
how many distinct changes are asked about, and how many lines change in the goldens that fail; once with the severities
of codes, once as a strict run. Nothing is compiled, so kernels with equal machine code count as failing.
"""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from pytest_compile_golden.changes.severity import Severities
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.goldens.compare import Compared, capture_of
from pytest_compile_golden.goldens.weighing import weighed
from pytest_compile_golden.recordings import pairing
from pytest_compile_golden.recordings.from_goldens import Goldens
from pytest_compile_golden.report.case_groups import grouped
from pytest_compile_golden.report.cases import case_report
from pytest_compile_golden.report.comparing import all_kept

VERSIONS = ("2.12.1", "2.13.0", "2.14.1", "2.15.0")


@dataclass(frozen=True)
class Price:
    """What a reviewer of one move is asked."""

    cases: int
    failing: int
    noted: int
    questions: int
    """Distinct changes of failing cases."""
    lines: int
    """Lines, removed and added, of the artifacts that fail."""


def price(goldens: Goldens, old: str, new: str, severities: Severities) -> Price:
    """The price of the move from torch `old` to `new`, as the goldens have it."""
    sides = [goldens.recording(version) for version in (old, new)]
    before, after = ({case.folder: case for case in side.cases} for side in sides)
    aside = pairing.not_in_both(sides[0].run, sides[1].run)
    both = sorted(before.keys() & after.keys())
    reports, lines = [], 0
    with all_kept():
        for folder in both:
            pairs = list(_weighed(pairing.compared(before[folder], after[folder], old, aside), severities))
            reports.append(case_report(after[folder].nodeid, after[folder].target, pairs, brief=True))
            lines += sum(_lines(pair) for pair in pairs if pair.change is not None and pair.change.red)
    questions = sum(group.outcome == "changed" for group in grouped(reports))
    outcomes = [report.outcome for report in reports]
    return Price(len(both), outcomes.count("changed"), outcomes.count("noted"), questions, lines)


def _weighed(pairs: Sequence[Compared], severities: Severities) -> Iterator[Compared]:
    """The artifacts with the severities of their changes: those of one capture are weighed together."""
    captures: dict[str, list[Compared]] = {}
    for pair in pairs:
        captures.setdefault("" if pair.change is None else capture_of(pair.change), []).append(pair)
    for together in captures.values():
        changes = [pair.change for pair in together if pair.change is not None]
        found = iter(weighed(changes, severities))
        for pair in together:
            yield pair if pair.change is None else replace(pair, change=replace(pair.change, severity=next(found)))


def _lines(pair: Compared) -> int:
    diff = difflib.unified_diff(pair.old.splitlines(), pair.new.splitlines(), n=0, lineterm="")
    return sum(line[:1] in ("-", "+") and not line.startswith(("---", "+++")) for line in diff)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pair", nargs="*", metavar="VERSION", help="the old and the new torch")
    parser.add_argument("--goldens", type=Path, help="the goldens folder (default: the project's)")
    given = parser.parse_args()
    if len(given.pair) not in (0, 2):
        parser.error("name two versions, the old and the new one, or none")
    project = find_project()
    goldens = Goldens(given.goldens or project.goldens, project.bases)
    print("| move | | cases | fail | noted | questions | lines |\n|---|---|---|---|---|---|---|")
    for old, new in [given.pair] if given.pair else pairwise(VERSIONS):
        for word, severities in (("by code", Severities()), ("strict", Severities(strict=True))):
            found = price(goldens, old, new, severities)
            numbers = (found.cases, found.failing, found.noted, found.questions, found.lines)
            print(f"| {old} → {new} | {word} | {' | '.join(f'{number:,}' for number in numbers)} |")


if __name__ == "__main__":
    main()
