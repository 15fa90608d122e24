"""The suite on eight machines: pytest-split distributes the cases, and the results of each are merged."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_compile_golden.recordings import recording
from pytest_compile_golden.report import json_report
from tests.paper import PaperProject

SHARDS = 8
EVENLY = "--splitting-algorithm=least_duration"
CASES = """
import os
import pytest

@pytest.mark.parametrize("n", range(5))
def test_case(draw, golden, n):
    later = n in (1, 4) and "LATER" in os.environ
    assert draw(ink="b\\n" if later else "a\\n") == golden

class TestNamed:
    def test_two(self, draw, golden):
        for name in ("prefill", "decode"):
            assert draw(ink=f"{name}\\n") == golden(name=name)

def test_plain(): ...
"""


@pytest.fixture
def suite(paper: PaperProject) -> PaperProject:
    """26 tests in two files, 24 of them cases, and the goldens of a case that no longer exists."""
    for name in ("one", "two"):
        paper.test(CASES, f"cases/test_{name}.py")
    paper.test(
        "def test_gone(draw, golden):\n    assert draw(ink='a\\n') == golden\n",
        "cases/test_old.py",
    )
    paper.update().assert_outcomes(passed=28)
    (paper.path / "cases/test_old.py").unlink()
    return paper


def shard(paper: PaperProject, number: int, *arguments: str) -> pytest.RunResult:
    return paper.run(
        f"--splits={SHARDS}", f"--group={number}", "-v", *arguments, LATER="1"
    )


def ran(result: pytest.RunResult) -> list[str]:
    lines = [
        line
        for line in result.outlines
        if re.search(r"PASSED|FAILED", line) and line[:6] != "FAILED"
    ]
    return [
        nodeid for line in lines for nodeid in re.findall(r"cases/\S+::\S+", line)[:1]
    ]


def verdicts(path: Path) -> list[tuple[str, str]]:
    return sorted((case.nodeid, case.outcome) for case in json_report.read(path).cases)


def test_eight_shards_make_up_the_whole_run(suite: PaperProject) -> None:
    whole = suite.run("-v", "--compile-golden-report=whole.json", LATER="1")
    files = suite.files()
    parts = []
    for number in range(1, SHARDS + 1):
        kept = (
            "--compile-golden-pending=pending",
            f"--compile-golden-report={number}.json",
        )
        result = shard(suite, number, EVENLY, *kept)
        parts.append(ran(result))
        # A part of the suite cannot tell which goldens have no case.
        assert "no longer exist" not in result.stdout.str()
    every = [nodeid for part in parts for nodeid in part]
    assert (
        all(parts)
        and len(every) == len(set(every)) == 26
        and set(every) == set(ran(whole))
    )
    assert suite.files() == files
    whole.stdout.fnmatch_lines(["goldens of 2 cases that no longer exist *"])

    # Workers run the same part, in whatever order.
    assert sorted(ran(shard(suite, 3, EVENLY, "-n2"))) == sorted(parts[2])

    reports = [f"{number}.json" for number in range(1, SHARDS + 1)]
    assert suite.command("report", "merge", *reports, "-o", "all.json").ret == 0
    assert verdicts(suite.path / "all.json") == verdicts(suite.path / "whole.json")
    merged = json_report.read(suite.path / "all.json")
    assert merged.shards == tuple(
        f"{number}/{SHARDS}" for number in range(1, SHARDS + 1)
    )
    assert merged.missing_shards == () and len(merged.groups) == 1

    # The pending changes of all shards are one store.
    assert suite.command("accept", "--pending=pending").ret == 0
    result = suite.run(LATER="1")
    result.stdout.fnmatch_lines(["24 cases: 24 unchanged, 0 changed."])


def test_recordings_of_eight_shards_are_one_side(suite: PaperProject) -> None:
    suite.run("--compile-golden-record=whole", LATER="1")
    # In chunks, the last of which is empty.
    for number in range(1, SHARDS + 1):
        result = shard(suite, number, f"--compile-golden-record=recorded/{number}")
    assert result.ret == 5
    whole, merged = (
        recording.read(suite.path / "whole"),
        recording.read(suite.path / "recorded"),
    )
    assert merged.run.cases == whole.run.cases == 24 and merged.partial is None
    artifacts = [
        {case.nodeid: case.artifacts for case in each.cases} for each in (whole, merged)
    ]
    assert artifacts[0] == artifacts[1] and len(artifacts[0]) == 24


def test_no_shard_removes_goldens_that_another_may_use(suite: PaperProject) -> None:
    files = suite.files()
    assert "cases/test_old/test_gone/paper-cpu/ink.py" in files
    for arguments in (("--snapshot-update",), ("--compile-golden-prune",)):
        result = suite.run("--splits=8", "--group=2", *arguments)
        assert result.ret == 0
        assert suite.files() == files
    result.stdout.fnmatch_lines(
        ["not pruned, because this run is not complete: cases were deselected*"]
    )
