"""A report of many cases: each distinct change is told in full in some of them, and the others are listed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import scale
from pytest_compile_golden.cli.diff import diff
from pytest_compile_golden.recordings import recording
from pytest_compile_golden.report import cases_in_full, compare_recordings, json_report
from pytest_compile_golden.report.case_groups import grouped
from pytest_compile_golden.report.html import page
from pytest_compile_golden.report.model import Report, Side
from tests.html_reports import a_case


@pytest.fixture(scope="module")
def sides(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[recording.Recording, recording.Recording]:
    """Both sides of 40 cases, of which 20 changed."""
    root = tmp_path_factory.mktemp("project") / "made"
    scale.make(40, root)
    return recording.read(root / "old"), recording.read(root / "new")


def test_a_large_report_has_texts_for_each_distinct_change_and_lists_the_rest(
    sides: tuple[recording.Recording, recording.Recording],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = compare_recordings.report(*sides, "old", "new", only_examples=True)
    # No more cases than are told in full.
    assert whole == compare_recordings.report(*sides, "old", "new")
    monkeypatch.setattr(cases_in_full, "MOST", 12)
    short = compare_recordings.report(*sides, "old", "new", only_examples=True)
    assert short.groups == whole.groups
    told = [
        case
        for case in short.cases
        if case.ledger or any(stage.old for stage in case.stages)
    ]
    assert len(told) == 12
    by_id = {case.nodeid: case for case in whole.cases}
    assert all(case == by_id[case.nodeid] for case in told)
    # Each change has an example, as far as they go, the most important first.
    named = {case.nodeid for case in told}
    assert all(
        named & {*group.members} for group in short.groups[:12] if group.is_change
    )
    for case in short.cases:
        full = by_id[case.nodeid]
        assert (case.outcome, case.changes, case.secondary) == (
            full.outcome,
            full.changes,
            full.secondary,
        )
        if case.nodeid not in named:
            assert not any(
                stage.old or stage.new or stage.kind == "same" for stage in case.stages
            )
            assert not case.kernels and all(
                metric.old != metric.new for metric in case.metrics
            )
    changed = sum(not case.as_before for case in whole.cases)
    (note,) = cases_in_full.left_out(short.cases)
    assert (
        f"of the {changed} cases that changed, 12 are told with texts" in note
        and note in page.render(short)
    )
    assert not cases_in_full.left_out(whole.cases)
    assert len(json_report.render(short)) < len(json_report.render(whole)) * 0.8
    assert json_report.parse(json_report.render(short), "it") == short
    # What several cases have is written once, and no case is written on more than a line.
    lines = json_report.render(short).splitlines()
    everything = json.loads("\n".join(lines))
    written = everything["changes"]
    for name in (
        "divergences",
        "changes",
        "distinct",
        "stages",
        "ledger",
        "lines",
    ):
        told_once = [json.dumps(each) for each in everything[name]]
        assert len(told_once) == len({*told_once}) > 1
    have = [
        change for case in short.cases for change in (*case.changes, *case.secondary)
    ]
    assert len(written) == len({*have}) < len(have)
    # So is what a change is of which a case has another wording.
    one = next(case for case in short.cases if case.changes)
    worded = tuple(replace(each, text=f"{each.text}!") for each in one.changes)
    another = replace(one, nodeid="cases/test_other.py::test", changes=worded)
    more = replace(short, cases=(*short.cases, another))
    now = json.loads(json_report.render(more))
    assert len(now["changes"]) == len(written) + len(worded)
    assert now["distinct"] == everything["distinct"]
    assert json_report.parse(json_report.render(more), "it") == more
    assert not any(
        change.get("example") == f"{change['text']}, for example" for change in written
    )
    assert sum('"nodeid":' in line for line in lines) == len(short.cases)
    none = replace(short, cases=(), groups=())
    assert json_report.parse(json_report.render(none), "it") == none


def test_a_run_of_many_cases_tells_as_many_in_full() -> None:
    cases = [
        a_case(f"cases/test_norm.py::test_{number}[cuda-sm90]")
        for number in range(cases_in_full.MOST + 20)
    ]
    told = cases_in_full.with_examples(cases, grouped(cases))
    assert (
        sum(bool(case.ledger) for case in told) == cases_in_full.MOST
        and len(cases_in_full.left_out(told)) == 1
    )
    few = cases[: cases_in_full.MOST]
    assert cases_in_full.with_examples(few, grouped(few)) == tuple(few)


def test_while_a_run_goes_on_cases_are_kept_in_full_until_each_change_has_some() -> (
    None
):
    cases = [
        a_case(f"cases/test_norm.py::test_{number}[cuda-sm90]")
        for number in range(cases_in_full.MOST + 20)
    ]
    other = replace(
        cases[0],
        nodeid="cases/test_norm.py::test_other",
        changes=(replace(cases[0].changes[0], key="other"),),
    )
    kept = cases_in_full.Kept()
    held = [kept.of(case) for case in cases]
    assert held[: cases_in_full.MOST] == cases[: cases_in_full.MOST]
    assert not any(case.ledger for case in held[cases_in_full.MOST :])
    assert kept.of(other) == other
    # Only those can be told in full at the end.
    told = cases_in_full.with_examples([*held, other], grouped([*held, other]))
    assert (
        sum(bool(case.ledger) for case in told) == cases_in_full.MOST
        and told[-1] == other
    )


def test_shards_that_are_merged_tell_no_more_cases_in_full_than_one() -> None:
    side = Side("a")
    shards = []
    for shard in range(3):
        cases = [
            a_case(f"cases/test_{shard}.py::test_{number}[cuda-sm90]")
            for number in range(60)
        ]
        shards.append(
            Report(
                "run",
                side,
                side,
                tuple(cases),
                grouped(cases),
                shards=(f"{shard + 1}/3",),
            )
        )
    merged = json_report.merge(shards)
    assert (
        len(merged.cases) == 180
        and sum(bool(case.ledger) for case in merged.cases) == cases_in_full.MOST
    )


def test_cases_that_are_as_before_have_no_texts_in_a_large_report_and_nothing_is_said_of_it() -> (
    None
):
    changed = a_case("cases/test_norm.py::test_changed[cuda-sm90]")
    same = [
        replace(
            changed,
            nodeid=f"cases/test_norm.py::test_{number}",
            outcome="same",
            changes=(),
            divergence=None,
        )
        for number in range(cases_in_full.MOST)
    ]
    cases = [changed, *same]
    told = cases_in_full.with_examples(cases, grouped(cases))
    assert told[0] == changed and not cases_in_full.left_out(told)
    assert not any(case.ledger for case in told[1:])


def test_a_report_that_is_asked_for_everything_keeps_the_texts_of_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scale.make(8, tmp_path / "made")
    monkeypatch.chdir(tmp_path / "made")
    monkeypatch.setattr(cases_in_full, "MOST", 2)
    with_texts = []
    for option in ([], ["--full"]):
        with pytest.raises(SystemExit):
            diff.main(["old", "new", "--report", "report.json", *option])
        read = json_report.read(Path("report.json"))
        with_texts.append(
            sum(any(stage.old for stage in case.stages) for case in read.cases)
        )
    assert with_texts[0] == 2 < 4 <= with_texts[1]
