"""What a move between versions is said to cost."""

from __future__ import annotations

from benchmarks.price import Price, price
from pytest_compile_golden.changes.change import Severities
from pytest_compile_golden.recordings.from_goldens import Goldens
from pytest_compile_golden.report.case_groups import grouped
from pytest_compile_golden.report.model import CaseReport, Outcome, ReportedChange
from tests.paper import PaperProject

CASE = """
import os
def test_page(draw, golden):
    new = os.environ["PAPER_TORCH"] > "2.14"
    assert draw(tally="fused_nodes = %d\\nkernels = 1\\n" % (2 if new else 1)) == golden


def test_other(draw, golden):
    new = os.environ["PAPER_TORCH"] > "2.14"
    assert draw(ink="black\\nred\\n" if new else "black\\n") == golden
"""


def test_what_fails_is_asked_about_and_what_is_noted_is_not(
    paper: PaperProject,
) -> None:
    paper.test(CASE)
    for torch in ("2.13.0+cpu", "2.14.0+cpu"):
        paper.update("--compile-golden-target=paper-gpu", torch=torch).assert_outcomes(
            passed=2
        )
    goldens = Goldens(paper.goldens)
    found = price(goldens, "2.13.0", "2.14.0", Severities())
    assert found == Price(
        cases=2, failing=1, noted=1, questions=1, shown=1, lines=1, all_lines=1
    )
    strict = price(goldens, "2.13.0", "2.14.0", Severities(strict=True))
    assert strict == Price(
        cases=2, failing=2, noted=0, questions=2, shown=3, lines=3, all_lines=3
    )


def test_what_a_case_passes_with_is_asked_about_where_a_case_fails_for_nothing_else() -> (
    None
):
    proved, other = (
        ReportedChange("triton_code", text, text, "arithmetic")
        for text in ("proved", "other")
    )

    def case(name: str, outcome: Outcome, *changes: ReportedChange) -> CaseReport:
        return CaseReport(name, "cuda-sm90", outcome, changes=changes)

    def asked(*cases: CaseReport) -> set[str]:
        return {group.text for group in grouped(cases) if group.outcome == "changed"}

    passes, both = case("a", "noted", proved), case("b", "changed", proved, other)
    assert asked(passes, both) == {"other"}
    assert asked(passes, both, case("c", "changed", proved)) == {"proved", "other"}
    # Two sides of a comparison: nothing is noted, and everything counts.
    assert asked(case("a", "changed", proved), both) == {"proved", "other"}
