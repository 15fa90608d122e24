"""What many cases cost grows with their number, not with its square: counted in calls of functions, not in seconds."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType

import pytest
from click.testing import CliRunner

from benchmarks import scale
from pytest_compile_golden.cli.accept import accept_all
from pytest_compile_golden.cli.choose_pending import Filters, Pending
from pytest_compile_golden.cli.console import group_lines
from pytest_compile_golden.cli.review import review
from pytest_compile_golden.common import disk_cache
from pytest_compile_golden.formats.line_edits import labels
from pytest_compile_golden.goldens import golden_store
from pytest_compile_golden.recordings import recording
from pytest_compile_golden.report import (
    cases_in_full,
    compare_recordings,
    terminal_report,
)
from pytest_compile_golden.report.case_report import Detail
from pytest_compile_golden.report.model import Report

FEW, MANY = 16, 96
_MORE = MANY
"""So many calls more are one for each case, which only many cases may need: whether a text is searched for numbers of
thousands of digits depends on what is at its 4,300th character."""


@pytest.fixture(autouse=True)
def nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process of its own: commands that other tests have run in this one keep what they find."""
    monkeypatch.setattr(disk_cache, "_current", None)
    labels.cache_clear()
    golden_store._same_behaviour.cache_clear()


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Projects with so many cases, half of which changed, all in the same two ways."""
    roots = {
        cases: tmp_path_factory.mktemp("project") / "made" for cases in (FEW, MANY)
    }
    for cases, root in roots.items():
        scale.make(cases, root, kinds=2)
    return roots


def calls(work: Callable[[], object]) -> Counter[str]:
    """How often each function is called, in Python and in C."""
    counts: Counter[str] = Counter()

    def called(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            counts[
                f"{frame.f_code.co_filename}:{frame.f_code.co_firstlineno} {frame.f_code.co_name}"
            ] += 1
        elif event == "c_call":
            counts[getattr(argument, "__qualname__", repr(argument))] += 1

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        work()
    finally:
        sys.setprofile(before)
    return counts


def grows_faster(few: Counter[str], many: Counter[str]) -> dict[str, tuple[int, int]]:
    """The functions whose calls grow faster than the cases do; sorting may, a little."""
    times = MANY / FEW
    return {
        name: (few[name], many[name])
        for name in many
        if many[name] > 1.5 * times * few[name] + _MORE
    }


def opened(root: Path) -> Pending:
    return Pending(root / "pending", root / "before")


def test_what_is_pending_is_chosen_by_as_many_calls_for_each_case_however_many_there_are(
    projects: dict[int, Path],
) -> None:
    counts: dict[int, Counter[str]] = {}
    for cases, root in projects.items():
        waiting = opened(root)
        assert len({entry.case.folder for entry in waiting.entries}) == cases // 2
        counts[cases] = calls(partial(waiting.choose, Filters(case="*test_made*")))
    assert not grows_faster(counts[FEW], counts[MANY])


def test_what_is_pending_is_accepted_by_as_many_calls_for_each_case_however_many_there_are(
    projects: dict[int, Path], tmp_path: Path
) -> None:
    counts: dict[int, Counter[str]] = {}
    for cases, project in projects.items():
        root = tmp_path / str(cases)
        shutil.copytree(project, root)
        waiting = opened(root)

        def accept(waiting: Pending = waiting) -> None:
            # As a review does it: each group is decided on alone.
            for group in waiting.groups():
                accept_all(waiting, waiting.decided([group]))

        counts[cases] = calls(accept)
        assert not waiting.entries and not waiting.errors
    assert not grows_faster(counts[FEW], counts[MANY])


def test_a_review_without_a_terminal_says_so_before_it_reads_what_is_pending(
    projects: dict[int, Path],
) -> None:
    def reviewed() -> None:
        result = CliRunner().invoke(
            review, ["--pending", str(projects[MANY] / "pending")]
        )
        assert result.exit_code == 1 and "review needs a terminal" in result.output

    assert not [name for name in calls(reviewed) if "goldens/case_files.py" in name]


def test_what_differs_is_found_once_for_what_is_accepted_too(
    projects: dict[int, Path], tmp_path: Path
) -> None:
    shutil.copytree(projects[FEW], tmp_path / "made")
    waiting = opened(tmp_path / "made")

    def accept() -> None:
        accept_all(waiting, waiting.decided(waiting.groups()))

    labels.cache_clear()  # opening has compared them, too
    counts = calls(accept)  # Overlays say in their headers what they change.
    (compared,) = (times for name, times in counts.items() if name.endswith(" labels"))
    failing = [
        entry
        for entry in opened(projects[FEW]).entries
        if entry.change is not None and entry.change.fails
    ]
    assert 0 < compared <= len(failing)
    # Nor is any golden written twice. What a trail says is among what is known about the others.
    assert called(counts, "_write_file") == len(
        [entry for entry in failing if entry.artifact.stage != "trail"]
    )


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found is kept, and found in two forks."""
    monkeypatch.setattr(
        disk_cache, "_current", disk_cache.Results(tmp_path / "comparisons.sqlite")
    )
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})


def called(counts: Counter[str], function: str) -> int:
    return sum(times for name, times in counts.items() if name.endswith(f" {function}"))


def test_what_is_pending_is_grouped_from_what_is_kept(
    projects: dict[int, Path], request: pytest.FixtureRequest
) -> None:
    def shown() -> list[str]:
        return [
            repr(
                (
                    group.number,
                    group.kind,
                    group.noted,
                    group.changes,
                    [entry.case.folder for entry in group.members],
                )
            )
            for group in opened(projects[MANY]).groups()
        ]

    expected = shown()
    request.getfixturevalue("kept")
    verdicts = [
        entry.change and entry.change.metrics
        for entry in opened(projects[MANY]).entries
    ]
    assert shown() == expected
    found: list[object] = []
    counts = calls(lambda: found.append(shown()))
    assert found == [expected]
    assert (
        called(counts, "groups")
        and not called(counts, "case_changes")
        and not called(counts, "reason")
    )
    # No case is read again, nor any text but for what is shown of a group.
    assert not called(counts, "check") and not called(counts, "parse_bytes")
    (group, *_) = (waiting := opened(projects[MANY])).groups()
    found_again = calls(lambda: found.append(group_lines(group, 1)))
    assert called(found_again, "case") == 1 and waiting.entries
    assert [
        entry.change and entry.change.metrics
        for entry in opened(projects[MANY]).entries
    ] == verdicts


def test_what_has_been_run_again_since_it_was_read_is_not_accepted(
    projects: dict[int, Path], tmp_path: Path
) -> None:
    shutil.copytree(projects[FEW], tmp_path / "made")
    waiting = opened(tmp_path / "made")
    (*_, changed), entries = waiting.entries, [*waiting.entries]
    case = waiting.folder / changed.case.folder / "case.json"
    case.write_text(case.read_text() + "\n")
    goldens = waiting.store.root / changed.case.folder
    before = sorted(path.name for path in goldens.iterdir())
    _, failed = accept_all(waiting, entries)
    assert {entry.case.folder for entry in failed} == {changed.case.folder}
    assert all("since it was read here" in str(entry.refused) for entry in failed)
    assert sorted(path.name for path in goldens.iterdir()) == before
    assert {entry.case.folder for entry in waiting.entries} == {changed.case.folder}


def test_a_case_that_cannot_be_written_is_refused_alone(
    projects: dict[int, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(projects[FEW], tmp_path / "made")
    waiting = opened(tmp_path / "made")
    entries = [*waiting.entries]
    full = str(waiting.store.root / entries[0].case.folder)
    write_bytes = Path.write_bytes

    def written(path: Path, data: bytes) -> int:
        if str(path.parent) == full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write_bytes(path, data)

    monkeypatch.setattr(Path, "write_bytes", written)
    before = {path.name: path.read_bytes() for path in Path(full).iterdir()}
    _, failed = accept_all(waiting, entries)
    assert {entry.case.folder for entry in failed} == {entries[0].case.folder}
    assert all("No space left" in str(entry.refused) for entry in failed)
    assert {path.name: path.read_bytes() for path in Path(full).iterdir()} == before
    assert {entry.case.folder for entry in waiting.entries} == {entries[0].case.folder}
    assert not [*waiting.store.root.rglob("*.tmp")]
    changed = {path.parent for path in waiting.store.changed_files}
    assert changed == {each.case.folder for each in entries} - {entries[0].case.folder}


def test_a_large_report_is_made_from_what_is_kept(
    projects: dict[int, Path],
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cases_in_full, "MOST", 4)
    sides = [recording.read(projects[MANY] / side) for side in ("old", "new")]

    def reported() -> Report:
        return compare_recordings.report(
            sides[0], sides[1], "old", "new", only_examples=True
        )

    expected = reported()
    request.getfixturevalue("kept")
    assert reported() == expected
    found: list[Report] = []
    counts = calls(lambda: found.append(reported()))
    assert found == [expected] and called(counts, "case_report") == cases_in_full.MOST


def test_a_terminal_is_told_no_case_in_full(
    projects: dict[int, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cases_in_full, "MOST", 4)
    sides = [recording.read(projects[FEW] / side) for side in ("old", "new")]

    def reported(detail: Detail) -> Report:
        return compare_recordings.report(
            sides[0], sides[1], "old", "new", detail, only_examples=True
        )

    full, told = reported("full"), reported("terse")
    assert terminal_report.render(told) == terminal_report.render(full)
    texts = [
        [case for case in report.cases if any(stage.new for stage in case.stages)]
        for report in (full, told)
    ]
    assert len(texts[0]) == cases_in_full.MOST and not texts[1]
