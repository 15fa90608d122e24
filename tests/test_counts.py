"""What is counted is the same in a run, its reports of every format, and a comparison of two recordings."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from pytest_compile_golden.formats.metrics.printed import changes
from pytest_compile_golden.goldens.ranking import case_verdict
from pytest_compile_golden.report import json_report
from pytest_compile_golden.report.html import page
from pytest_compile_golden.report.run_summary import Counts, headline
from tests.paper import PaperProject

CPU = "--compile-golden-target=paper-cpu"
CASES = """
import os
import pytest
LATER = "2.15" in os.environ["PAPER_TORCH"]
NUMBERS = {
    "same": ({"kernels": 1}, {"kernels": 1}),
    "worse": ({"kernels": 1, "bytes_accessed": 1000}, {"kernels": 2, "bytes_accessed": 2000}),
    "worse_too": ({"peak_memory": 1000}, {"peak_memory": 1600}),
    "better": ({"kernels": 3}, {"kernels": 2}),
    "mixed": ({"kernels": 1, "bytes_accessed": 1000}, {"kernels": 2, "bytes_accessed": 500}),
    "small": ({"peak_memory": 1000}, {"peak_memory": 1006}),
    "worse_and_small": ({"peak_memory": 1000, "kernels": 1}, {"peak_memory": 994, "kernels": 2}),
    "guards": ({"python_guards": 2}, {"python_guards": 1}),
}

@pytest.mark.parametrize("name", NUMBERS)
def test_numbers(draw, golden, name):
    tally = "".join(f"{key} = {value}\\n" for key, value in sorted(NUMBERS[name][LATER].items()))
    assert draw(ink="pow\\n" if LATER and name != "same" else "sqrt\\n", tally=tally) == golden

def test_compares_nothing(draw):
    assert draw(ink="sqrt\\n")["ink"].text

def test_skipped(draw, golden):
    pytest.skip("not today")

def test_fails(draw, golden):
    assert draw(ink="sqrt\\n") == golden
    if LATER:
        raise RuntimeError("no")

def test_new(draw, golden):
    assert not LATER or draw(ink="sqrt\\n") == golden
"""
VERDICTS = "3 regressions (bytes_accessed +1000 B, kernels +2, peak_memory +600 B), 1 win (kernels -1), "
VERDICTS += "1 mixed (kernels +1, bytes_accessed -500 B), 1 small, python_guards -1"
COUNTED = "11 cases: 1 unchanged, 7 changed (1 distinct change), 1 failed (1 distinct error), 1 new, "
COUNTED += f"{VERDICTS}, 1 with assertions only, 1 skipped, 1 file not collected"


def test_every_report_counts_alike(paper: PaperProject) -> None:
    paper.test(CASES)
    paper.update(CPU)
    paper.run(CPU, "--compile-golden-record=old")
    paper.run(CPU, "--compile-golden-record=new", torch="2.15.0")
    paper.test("raise RuntimeError('at import')", name="cases/test_broken.py")
    files = [
        f"--compile-golden-report=report.{suffix}" for suffix in ("json", "html", "md")
    ]
    run = paper.run(
        CPU, *files, "--continue-on-collection-errors", torch="2.15.0", COLUMNS="400"
    ).stdout.str()
    assert f"\n{COUNTED}." in run
    # A case of assertions alone is named only where everything is.
    assert "no golden comparison in" not in run

    report = json_report.read(paper.path / "report.json")
    assert headline(report) == COUNTED
    assert f"**{COUNTED}**" in (paper.path / "report.md").read_text().replace("\\", "")
    verdicts = Counter(
        case.get("verdict", "")
        for case in json.loads((paper.path / "report.json").read_text())["cases"]
    )
    assert {verdict: verdicts[verdict] for verdict in verdicts if verdict} == {
        verdict: number
        for verdict, number in Counts.of(report).verdicts.items()
        if verdict
    }
    assert verdicts["mixed"] == verdicts["small"] == 1
    index = page.index(report)
    assert (
        index["headline"] == COUNTED
        and COUNTED in (paper.path / "report.html").read_text()
    )
    rows = page.rows(report)
    assert Counter(row["verdict"] for row in rows) == verdicts
    of_cases = Counter(row["outcome"] for row in rows if row["target"])
    assert of_cases == Counts.of(report).outcomes and of_cases["unchecked"] == 1

    compared = (
        paper.command("diff", "./old", "./new", "--format", "markdown")
        .stdout.str()
        .replace("\\", "")
    )
    assert f", {VERDICTS}**" in compared


@pytest.mark.parametrize(
    ("name", "old", "new", "verdict"),
    [
        ("peak_memory", 1000, 1006, "small"),
        ("peak_memory", 1000, 1600, "REGRESSION"),
        ("bytes_accessed", 100_000, 99_500, "small"),
        ("bytes_accessed", 1000, 900, "WIN"),
        ("kernels", 1000, 1001, "REGRESSION"),
        ("python_guards", 2, 1, "changed"),
        ("flops", 1000, 2000, "changed"),
    ],
)
def test_a_verdict_weighs_how_far_a_number_moved(
    name: str, old: int, new: int, verdict: str
) -> None:
    (change,) = changes({name: old}, {name: new})
    assert change.verdict == verdict


def test_numbers_that_get_better_and_worse_are_mixed_and_small_ones_do_not_count_beside_others() -> (
    None
):
    def verdict(**numbers: tuple[int, int]) -> str:
        sides = (
            {name: both[side] for name, both in numbers.items()} for side in (0, 1)
        )
        return case_verdict(changes(*sides))

    assert verdict(kernels=(1, 2), bytes_accessed=(1000, 500)) == "mixed"
    assert verdict(kernels=(1, 2), bytes_accessed=(1000, 999)) == "REGRESSION"
    assert verdict(peak_memory=(1000, 1001), bytes_accessed=(1000, 999)) == "small"
    assert verdict(python_guards=(2, 1)) == ""
