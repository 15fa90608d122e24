"""What is said of the goldens and of planted changes is what the tables in `benchmarks/verdicts` say."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from benchmarks.price import VERSIONS
from benchmarks.verdicts import planted, table
from benchmarks.verdicts.__main__ import CAPTURES, OVERLAYS, PLANTED, main, overlays
from benchmarks.verdicts.table import Row, Table

ADVICE = "python -m benchmarks.verdicts shows all that differs; --write, if it is meant"


def kept(file: Path) -> Table:
    return table.parse(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("move", [*pairwise(VERSIONS)], ids="-".join)
def test_each_release_is_said_to_change_what_the_table_says(
    move: tuple[str, str],
) -> None:
    now = overlays([move])
    between = now.rows[0].between
    before = kept(OVERLAYS)
    assert len(now.rows) > 200
    of_move = Table(
        tuple(row for row in before.rows if row.between == between),
        tuple(
            summary for summary in before.summaries if summary.startswith(f"{between}:")
        ),
    )
    assert not [*table.differences(of_move, now)], ADVICE


def test_planted_changes_are_told_as_the_table_says() -> None:
    some = planted.read(CAPTURES)[::9]
    now = table.of_planted(some)
    keys = {row.key for row in now.rows}
    before = Table(tuple(row for row in kept(PLANTED).rows if row.key in keys))
    assert len({case.change for case in some}) > 5
    assert not [*table.differences(before, now)], ADVICE


def test_differences_are_counted_by_what_differs() -> None:
    first = Row(
        "test_it",
        "-",
        "2.12-2.13",
        "changed",
        "fusion-lost",
        "scheduler_nodes",
        "scheduler / fuse_nodes: gone",
    )
    artifact = Row(
        "test_it", "scheduler_nodes", "2.12-2.13", "structural fail", "fusion-lost"
    )
    old = Table((first, artifact), ("2.12-2.13: 1 changed",))
    reworded = replace(first, words="the scheduler no longer does fuse_nodes")
    assert [*table.differences(old, old)] == []
    lines = [*table.differences(old, Table((reworded, artifact), old.summaries))]
    assert lines[0].startswith("- test_it\t-\t2.12-2.13\tchanged") and lines[
        1
    ].startswith("+ test_it")
    assert lines[2:] == [
        "of 1 cases as before: verdict 1, stage 1, subject 1, words 0, codes 1",
        "of 1 artifacts as before: 1",
    ]
    (gone, *_, cases, artifacts) = table.differences(
        old, Table((replace(first, stage="triton_code"),), ("other",))
    )
    assert gone == "- # 2.12-2.13: 1 changed"
    assert "stage 0, subject 1" in cases and artifacts == "of 1 artifacts as before: 0"


def test_a_table_is_read_as_it_was_written() -> None:
    rows = (
        Row("test_it", "-", "no fusion, ever", "cosmetic"),
        Row(
            "test_it",
            "-",
            "2.12-2.13",
            "changed",
            "fusion-lost",
            "scheduler_nodes",
            "words",
        ),
        Row(
            "test_it",
            "-",
            "2.12-2.14",
            "changed",
            "fusion-lost",
            "scheduler_nodes",
            "words",
        ),
    )
    text = table.render(Table(rows, ("all",)))
    assert text.count("\n") == 3
    again = table.parse(text)
    assert {*again.rows} == {*rows} and again.summaries == ("all",)


def test_the_command_fails_if_anything_is_said_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from benchmarks.verdicts import __main__ as command

    some = planted.read(CAPTURES)[:2]
    planted.pack(some, tmp_path / "some.jsonl.xz")
    monkeypatch.setattr(command, "MOVES", ())
    monkeypatch.setattr(command, "OVERLAYS", tmp_path / "overlays.tsv")
    monkeypatch.setattr(command, "PLANTED", tmp_path / "planted.tsv")
    monkeypatch.setattr(
        "sys.argv", ["verdicts", "--write", f"--planted={tmp_path / 'some.jsonl.xz'}"]
    )
    assert main() == 0
    monkeypatch.setattr(
        "sys.argv", ["verdicts", f"--planted={tmp_path / 'some.jsonl.xz'}"]
    )
    assert main() == 0 and not capsys.readouterr().out
    file = tmp_path / "planted.tsv"
    file.write_text(re.sub(r"(\t-\t[^\t]*\t)\w+", r"\1other", file.read_text()))
    assert main() == 1
    assert f"of {len(some)} cases as before: verdict 0" in capsys.readouterr().out
