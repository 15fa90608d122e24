"""What it costs to review the move from one torch to the next: `python -m benchmarks.price [OLD NEW] [--goldens DIR]`.

For each pair of adjacent versions with goldens, or for the given one: how many cases fail and how many are only noted,
how many distinct changes are asked about, how many lines `review` shows for them (of the case that changed least), how
many change in what fails in that case, and in all goldens that fail; once with the severities of codes, once as a
strict run.

Nothing is compiled, so kernels with equal machine code count as failing, unless `--compile` takes both sides' Triton
kernels to machine code, as a run does, with the installed torch and Triton. `--proofs FILE` keeps what that found.
"""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_compile_golden.changes.change import Severities
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.common.garbage_collection import gc_paused
from pytest_compile_golden.goldens.compare_artifact import Compared, capture_of
from pytest_compile_golden.goldens.severity import may_be_same_machine_code, weighed
from pytest_compile_golden.recordings import compare_cases
from pytest_compile_golden.recordings.from_goldens import Goldens
from pytest_compile_golden.report.case_groups import grouped
from pytest_compile_golden.report.case_report import case_report
from pytest_compile_golden.report.model import CaseReport

if TYPE_CHECKING:
    from benchmarks.proofs import Proofs

VERSIONS = ("2.12.1", "2.13.0", "2.14.1", "2.15.0")


@dataclass(frozen=True)
class Price:
    """What a reviewer of one move is asked."""

    cases: int
    failing: int
    noted: int
    questions: int
    """Distinct changes of failing cases."""
    shown: int
    """Lines, removed and added, that `review` shows for them: of the stage where each shows first, in the case that
    changed least."""
    lines: int
    """Those of all artifacts that fail in that case."""
    all_lines: int
    """The same of every case that fails."""


def price(
    goldens: Goldens,
    old: str,
    new: str,
    severities: Severities,
    proofs: Proofs | None = None,
) -> Price:
    """The price of the move from torch `old` to `new`, as the goldens have it."""
    sides = [goldens.recording(version) for version in (old, new)]
    before, after = ({case.folder: case for case in side.cases} for side in sides)
    aside = compare_cases.not_in_both(sides[0].run, sides[1].run)
    both = sorted(before.keys() & after.keys())
    reports: list[CaseReport] = []
    lines: dict[str, dict[str, int]] = {}
    with gc_paused():
        for folder in both:
            case = after[folder]
            pairs = list(
                weighed_pairs(
                    compare_cases.compared(before[folder], case, old, aside),
                    severities,
                    case.target,
                    proofs,
                )
            )
            reports.append(case_report(case.nodeid, case.target, pairs, detail="brief"))
            lines[case.nodeid] = {
                pair.stage: _lines(pair) for pair in pairs if _is_read(pair)
            }
    asked = [group for group in grouped(reports) if group.is_change]
    outcomes = [report.outcome for report in reports]
    sizes = {
        report.nodeid: sum(lines[report.nodeid].values())
        for report in reports
        if report.outcome == "changed"
    }
    smallest = [
        (group, min(sizes.keys() & group.members, key=sizes.__getitem__))
        for group in asked
    ]
    return Price(
        len(both),
        outcomes.count("changed"),
        outcomes.count("noted"),
        len(asked),
        sum(
            lines[nodeid].get(group.stage) or next(iter(lines[nodeid].values()), 0)
            for group, nodeid in smallest
        ),
        sum(sizes[nodeid] for _, nodeid in smallest),
        sum(sizes.values()),
    )


def _is_read(pair: Compared) -> bool:
    """Whether it fails; a trail is a machine's record of what the other texts show."""
    return pair.red and pair.stage != "trail"


def weighed_pairs(
    pairs: Sequence[Compared],
    severities: Severities,
    target: str,
    proofs: Proofs | None = None,
) -> Iterator[Compared]:
    """The artifacts with the severities of their changes: those of one capture are weighed together."""
    if proofs is not None and not severities.strict:
        pairs = [_proved(pair, target, proofs) for pair in pairs]
    captures: dict[str, list[Compared]] = {}
    for pair in pairs:
        captures.setdefault(capture_of(pair), []).append(pair)
    for together in captures.values():
        changes = [pair for pair in together if pair.differs]
        same = [pair.stage for pair in together if not pair.fails]
        found = iter(weighed(changes, severities, same))
        for pair in together:
            yield replace(pair, severity=next(found)) if pair.differs else pair


def _proved(pair: Compared, target: str, proofs: Proofs) -> Compared:
    if pair.stage != "triton_code" or not may_be_same_machine_code(pair):
        return pair
    alike = proofs.alike(target, pair.old, pair.new)
    return replace(pair, alike=alike) if alike else pair


def _lines(pair: Compared) -> int:
    diff = difflib.unified_diff(
        pair.old.splitlines(), pair.new.splitlines(), n=0, lineterm=""
    )
    return sum(
        line[:1] in ("-", "+") and not line.startswith(("---", "+++")) for line in diff
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "pair", nargs="*", metavar="VERSION", help="the old and the new torch"
    )
    parser.add_argument(
        "--goldens", type=Path, help="the goldens folder (default: the project's)"
    )
    parser.add_argument(
        "--compile",
        action="store_true",
        help="prove with the installed torch which kernels are the same",
    )
    parser.add_argument("--proofs", type=Path, help="a file that keeps what was proved")
    given = parser.parse_args()
    if len(given.pair) not in (0, 2):
        parser.error("name two versions, the old and the new one, or none")
    project = find_project()
    goldens = Goldens(given.goldens or project.goldens, project.bases)
    print(
        "| move | | cases | fail | noted | distinct changes | shown | lines | all lines |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    proofs = None
    if given.compile:
        from benchmarks.proofs import Proofs  # imports torch

        proofs = Proofs(given.proofs)
    for old, new in [given.pair] if given.pair else pairwise(VERSIONS):
        for word, severities in (
            ("by code", Severities()),
            ("strict", Severities(strict=True)),
        ):
            found = price(goldens, old, new, severities, proofs)
            numbers = astuple(found)
            print(
                f"| {old} → {new} | {word} | {' | '.join(f'{number:,}' for number in numbers)} |"
            )


if __name__ == "__main__":
    main()
