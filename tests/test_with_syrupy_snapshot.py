"""Goldens are snapshots to syrupy, counted with its own; neither side touches the other's files."""

from __future__ import annotations

import pytest

from tests.paper import PaperProject

BOTH = """
import os
def test_ours(draw, golden):
    assert draw(ink=os.environ.get("INK", "a\\n")) == golden
def test_theirs(snapshot):
    assert os.environ.get("THEIRS", "x") == snapshot
def test_both(draw, golden, snapshot):
    assert draw(ink=os.environ.get("INK", "a\\n")) == golden
    assert "y" == snapshot
"""


def snapshots(paper: PaperProject) -> dict[str, str]:
    return {path.name: path.read_text() for path in paper.path.rglob("__snapshots__/*") if path.is_file()}


@pytest.fixture
def mixed(paper: PaperProject) -> PaperProject:
    paper.test(BOTH)
    result = paper.update()
    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines(["7 snapshots generated."])
    return paper


def test_both_pass_and_are_counted_together(mixed: PaperProject) -> None:
    assert len(mixed.files()) == 4 and len(snapshots(mixed)) == 1
    result = mixed.run()
    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines(["7 snapshots passed."])
    result.stdout.fnmatch_lines(["4 cases: 4 as before, 0 changed."])
    assert "unused" not in result.stdout.str()


def test_their_failure_is_theirs(mixed: PaperProject) -> None:
    result = mixed.run(THEIRS="z")
    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*assert [[]+ received[]] == [[]- snapshot[]]",
            "1 snapshot failed. 6 snapshots passed.",
            "4 cases: 4 as before, 0 changed.",
        ]
    )


def test_our_failure_is_ours(mixed: PaperProject) -> None:
    result = mixed.run(INK="c\n")
    result.assert_outcomes(passed=1, failed=4)
    # test_both did not get as far as its own snapshots.
    result.stdout.fnmatch_lines(
        ["4 snapshots failed. 1 snapshot passed. 2 snapshots unused.", "4 cases: 0 as before, 4 changed."]
    )
    assert "received" not in result.stdout.str()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--compile-golden"],
        ["--compile-golden", "--compile-golden-target=paper-cpu"],
        ["--compile-golden", "-k", "theirs"],
        [],
        ["-n2", "--compile-golden"],
    ],
)
def test_update_of_any_part_deletes_nothing(mixed: PaperProject, arguments: list[str]) -> None:
    ours, theirs = mixed.files(), snapshots(mixed)
    result = mixed.plain(*arguments, "--snapshot-update")
    assert result.ret == 0
    assert mixed.files() == ours
    assert snapshots(mixed) == theirs


def test_their_unused_snapshots_are_still_found_and_deleted(mixed: PaperProject) -> None:
    mixed.test(BOTH.replace("def test_theirs(snapshot)", "def test_renamed(snapshot)"))
    mixed.run().stdout.fnmatch_lines(["*1 snapshot unused*"])
    ours = mixed.files()
    mixed.update().stdout.fnmatch_lines(["*1 unused snapshot deleted*"])
    assert "test_theirs" not in "".join(snapshots(mixed).values())
    assert mixed.files() == ours
