"""How far a metric must move to count: by a project's own goldens where these are enough, else by one percent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_compile_golden.goldens.metric_history import ENOUGH, MOST, thresholds
from tests.paper import PaperProject

HEADER = "# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand\n"


def write(
    folder: Path, torch: str, peak: int, *, overlay: str = "", name: str = "metrics"
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / (f"{name}@torch-{overlay}.toml" if overlay else f"{name}.toml")
    lines = f"kernels = {peak}\npeak_memory = {peak}\n"
    file.write_text(
        f"{HEADER}# stage: metrics, torch: {torch}, triton: none, normaliser: 1\n\n{lines}"
    )


def history(root: Path, cases: int, moved: dict[int, int]) -> None:
    """Goldens of two releases. moved: by case, the number that both metrics go to from 1000."""
    for number in range(cases):
        folder = root / f"test_many/test_{number}/cpu-avx2"
        write(folder, "2.12.1", 1000)
        if number in moved:
            write(folder, "2.13.0", moved[number], overlay="2.13")


def test_what_moves_often_counts_from_where_it_becomes_rare(tmp_path: Path) -> None:
    history(tmp_path, ENOUGH, {0: 1500, 1: 800, 2: 1030, 3: 1020, 4: 1001})
    # Two of 200 pairs move by more; a count always counts.
    assert thresholds(tmp_path) == {"peak_memory": 0.03}


def test_what_is_rare_or_small_counts_from_one_percent(tmp_path: Path) -> None:
    history(tmp_path, ENOUGH, {0: 1500, 1: 800, 2: 1009})
    assert thresholds(tmp_path) == {}


def test_nothing_large_is_small(tmp_path: Path) -> None:
    history(tmp_path, ENOUGH, dict.fromkeys(range(50), 2000))
    assert thresholds(tmp_path) == {"peak_memory": MOST}


@pytest.mark.parametrize("cases", [0, 1, ENOUGH - 1])
def test_too_little_history_says_nothing(tmp_path: Path, cases: int) -> None:
    history(tmp_path, cases, dict.fromkeys(range(min(cases, 50)), 1040))
    assert thresholds(tmp_path) == {}


def test_one_release_is_no_history(tmp_path: Path) -> None:
    for number in range(2 * ENOUGH):
        write(
            tmp_path / f"test_many/test_{number}/cpu-avx2", f"2.13.{number % 3}", 1000
        )
    assert thresholds(tmp_path) == {}


def test_a_golden_that_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    history(tmp_path, ENOUGH, dict.fromkeys(range(50), 1040))
    (tmp_path / "test_many/test_60/cpu-avx2/metrics.toml").write_text("<<<<<<<")
    (tmp_path / "test_many/test_1/cpu-avx2/metrics@torch-nine.toml").write_text(HEADER)
    assert thresholds(tmp_path) == {}
    history(tmp_path, ENOUGH + 1, dict.fromkeys(range(50), 1040))
    assert thresholds(tmp_path) == {"peak_memory": 0.04}


DRAWN = """
def test_drawn(draw, golden):
    assert draw(tally="peak_memory = {}\\n") == golden
"""


@pytest.mark.parametrize(("known", "verdict"), [(0, "REGRESSION"), (ENOUGH, "small")])
def test_runs_reports_and_commands_agree(
    paper: PaperProject, known: int, verdict: str
) -> None:
    paper.test(DRAWN.format(1000))
    paper.update(torch="2.12.1")
    history(paper.goldens, known, dict.fromkeys(range(known // 50), 1040))
    paper.test(DRAWN.format(1020))
    run = paper.run(
        "--compile-golden-report=report.json",
        "--compile-golden-pending=pending",
        "-k",
        "paper-gpu",
    )
    # What is large enough to be told does not say what is large enough to fail.
    run.assert_outcomes(failed=1)
    run.stdout.fnmatch_lines([f"*peak_memory  1000 B -> 1020 B (+2 %)  {verdict}*"])
    reported = json.loads((paper.path / "report.json").read_text())
    (metric,) = [metric for case in reported["cases"] for metric in case["metrics"]]
    assert metric["verdict"] == verdict
    paper.command("show", "--pending=pending").stdout.fnmatch_lines(
        [f"*peak_memory*{verdict}*"]
    )
    accepted = paper.goldens / "test_accepted/test_it/cpu-avx2"
    write(accepted, "2.12.1", 1000)
    write(accepted, "2.13.0", 1020, overlay="2.13")
    paper.command("history", "test_accepted*").stdout.fnmatch_lines(
        [f"*peak_memory*{verdict}*"]
    )
    compared = paper.command(
        "diff",
        "goldens@2.12.1",
        "goldens@2.13.0",
        "--case=*test_accepted*",
        "--format=json",
    )
    found = json.loads(str(compared.stdout))["cases"][0]["metrics"]
    assert {metric["name"]: metric["verdict"] for metric in found} == {
        "kernels": "REGRESSION",
        "peak_memory": verdict,
    }
