"""Under xdist: the same verdicts, summary and files as in one process."""

from __future__ import annotations

from tests.paper import PaperProject

CASE = """
import os, pytest
@pytest.mark.parametrize("n", range(12))
def test_case(draw, golden, n):
    later = {3: "c\\n", 4: "a  # x\\n"} if os.environ.get("LATER") else {}
    ink = later.get(n, "a\\n")
    unavailable = {"press": "torch.press is gone"} if n < 2 else {}
    assert draw(unavailable=unavailable, ink=ink, tally="kernels = 1\\n") == golden
def test_error(draw, golden):
    assert "nothing" == golden
"""


def summary(lines: list[str]) -> list[str]:
    at = next(
        number for number, line in enumerate(lines) if " compile-golden --" in line
    )
    return lines[at + 1 : at + 4]


def test_same_verdicts_summary_and_files_as_in_one_process(paper: PaperProject) -> None:
    paper.test(CASE)
    alone = paper.update()
    files = paper.files()
    assert len(files) == 48
    for path in sorted(paper.goldens.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    spread = paper.update("-n2")
    assert paper.files() == files
    assert summary(spread.outlines) == summary(alone.outlines)
    assert summary(spread.outlines)[:2] == [
        "26 cases: 24 passed or accepted, 0 changed, 2 failed (1 distinct error).",
        "golden files: 48 new.",
    ]

    alone, spread = paper.run(LATER="1"), paper.run("-n2", LATER="1")
    for result in (alone, spread):
        result.assert_outcomes(passed=22, failed=4)
    assert summary(spread.outlines) == summary(alone.outlines)
    assert summary(spread.outlines)[:2] == [
        "26 cases: 22 unchanged, 2 changed (1 distinct change), 2 failed (1 distinct error).",
        "press is unavailable on torch 2.13.0+cpu: torch.press is gone (4 cases).",
    ]
    failures = [
        line
        for line in alone.outlines
        if line.startswith(("FAILED", "  first", "    -", "    +", "  accept"))
    ]
    assert sorted(failures) == sorted(
        line
        for line in spread.outlines
        if line.startswith(("FAILED", "  first", "    -", "    +", "  accept"))
    )


def test_usage_error_is_reported_once_by_the_controller(paper: PaperProject) -> None:
    paper.test(CASE)
    result = paper.run("-n2", "--compile-golden-target=paper-moon")
    assert result.ret == 4
    assert [line for line in result.errlines if "paper-moon" in line] == [
        result.errlines[0]
    ]
