"""Renamed cases: their goldens are found and moved, along with their overlays."""

from __future__ import annotations

import json
import shlex

import pytest

from tests.paper import PaperProject

CPU = "--compile-golden-target=paper-cpu"
KEEP = "--compile-golden-pending=pending"
CASE = """
import os
def test_old(draw, golden):
    later = os.environ.get("PAPER_TORCH", "").startswith("2.15")
    ink = "".join("line %d\\n" % n for n in range(20)) + ("later\\n" if later else "earlier\\n")
    assert draw(ink=ink, press="b\\n", tally="kernels = 1\\n") == golden
def test_other(draw, golden):
    assert draw(ink="quite another\\n", press="c\\n", tally="kernels = 7\\n") == golden
"""
OLD, NEW = "cases/test_paper/test_old/paper-cpu", "cases/test_paper/test_new/paper-cpu"


@pytest.fixture
def renamed(paper: PaperProject) -> PaperProject:
    """A project with goldens and an overlay, in which a test has been renamed."""
    paper.test(CASE)
    paper.update(CPU).assert_outcomes(passed=2, deselected=2)
    paper.update(CPU, torch="2.15.0").assert_outcomes(passed=2, deselected=2)
    paper.test(CASE.replace("test_old", "test_new"))
    return paper


def test_goldens_move_with_their_overlays(renamed: PaperProject) -> None:
    before = renamed.files()
    assert f"{OLD}/ink@torch-2.15.py" in before
    result = renamed.run(CPU, KEEP, "--compile-golden-report=report.json")
    result.assert_outcomes(passed=1, failed=1, deselected=2)
    command = 'compile-golden accept --pending pending --moved --case "cases/test_paper.py::test_new[paper-cpu]"'
    result.stdout.fnmatch_lines(
        [
            f"  looks moved from  {OLD}",
            "  move              "
            + command.replace("[", "[[]").replace("-cpu]", "-cpu[]]"),
        ]
    )
    document = json.loads((renamed.path / "report.json").read_text())
    assert [
        (case.get("moved_from"), case.get("move")) for case in document["cases"]
    ] == [(OLD, command), (None, None)]

    arguments = shlex.split(command)[1:]
    done = renamed.command(*arguments)
    assert done.ret == 0
    done.stdout.fnmatch_lines([f"moved 4 goldens from goldens/{OLD} to goldens/{NEW}."])
    assert renamed.files() == {
        name.replace("test_old/", "test_new/"): text for name, text in before.items()
    }
    for torch in ("2.13.0+cpu", "2.15.0"):
        renamed.run(CPU, torch=torch).assert_outcomes(passed=2, deselected=2)
    assert not [
        path for path in (renamed.path / "pending").rglob("*") if path.is_file()
    ]
    assert renamed.command(*arguments).ret == 2  # nothing is pending any more


def test_a_slightly_changed_case_is_found_and_a_different_one_is_not(
    renamed: PaperProject,
) -> None:
    text = (renamed.path / "cases/test_paper.py").read_text()
    renamed.test(text.replace("earlier", "sooner"))
    renamed.run(CPU).stdout.fnmatch_lines([f"  looks moved from  {OLD}"])
    renamed.test(
        text.replace("range(20)", "range(50, 70)").replace('"b\\\\n"', '"z\\\\n"')
    )
    assert "looks moved" not in renamed.run(CPU).stdout.str()


def test_goldens_of_an_existing_case_are_not_offered_to_others(
    renamed: PaperProject,
) -> None:
    renamed.test(
        CASE + CASE.replace("test_old", "test_new").replace("test_other", "test_third")
    )
    assert "looks moved" not in renamed.run(CPU).stdout.str()
    renamed.test(CASE, name="cases/test_more.py")
    one = renamed.run(CPU, "cases/test_more.py::test_old")
    assert "looks moved" not in one.stdout.str()


def test_a_pending_manifest_cannot_move_arbitrary_goldens(
    renamed: PaperProject,
) -> None:
    renamed.run(CPU, KEEP).assert_outcomes(passed=1, failed=1, deselected=2)
    manifest = renamed.path / "pending" / NEW / "case.json"
    facts = json.loads(manifest.read_text())
    before = renamed.files()
    for folder in ("../outside", "/etc", "cases/test_paper/test_other/paper-cpu"):
        manifest.write_text(json.dumps({**facts, "moved_from": folder}))
        done = renamed.command("accept", "--moved", "--pending=pending")
        assert done.ret == 1 and "refused: " in done.stdout.str()
        assert renamed.files() == before


def test_a_golden_in_the_way_stops_the_move(renamed: PaperProject) -> None:
    renamed.run(CPU, KEEP).assert_outcomes(passed=1, failed=1, deselected=2)
    taken = renamed.goldens / NEW / "press.txt"
    taken.parent.mkdir(parents=True)
    taken.write_bytes((renamed.goldens / OLD / "press.txt").read_bytes())
    before = renamed.files()
    done = renamed.command("accept", "--moved", "--pending=pending")
    assert done.ret == 1 and "already exists; nothing was moved" in done.stdout.str()
    assert renamed.files() == before
