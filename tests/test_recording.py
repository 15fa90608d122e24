"""A recording run: every artifact as text, the outcome of each case, and reading it back from untrusted folders."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path, PurePosixPath

import msgspec
import pytest

from pytest_compile_golden.errors import GoldenError, UnknownSide
from pytest_compile_golden.goldens.case_files import ArtifactOnDisk, StoredArtifact
from pytest_compile_golden.recordings import recording
from pytest_compile_golden.recordings.from_goldens import Goldens
from pytest_compile_golden.recordings.recording import RecordedCase, Recording
from tests.paper import PaperProject

GOLDENS = Path(__file__).parents[1] / "goldens"
RECORD = "--compile-golden-record=recorded"
CPU = "--compile-golden-target=paper-cpu"
CASES = """
import os, time
import pytest

def test_compared(draw, golden):
    assert draw(ink="a\\n", press="b\\n", tally="kernels = 1\\n") == golden
    assert draw(ink="c\\n")["ink"] == golden

@pytest.fixture
def drawn(draw, monkeypatch):
    monkeypatch.setattr("pytest_compile_golden.api.capture", lambda fn, **options: draw(ink="seen\\n"))

def test_invariant(drawn, compile_stages, golden):
    captured = compile_stages(len)
    assert "gone" in captured["ink"].text
    assert captured == golden

def test_hidden(draw, golden):
    assert draw(unavailable={"press": "torch.press is gone"}, ink="a\\n") == golden

@pytest.mark.skip(reason="not today")
def test_skipped(draw, golden): ...

@pytest.mark.xfail(reason="known")
def test_known(draw, golden):
    assert False

def test_broken(draw, golden, missing): ...

def test_crash(draw, golden):
    if "CRASH" in os.environ:
        os._exit(7)

def test_other():
    pass
"""


def by_name(found: Recording) -> dict[str, RecordedCase]:
    return {case.folder.parts[2].removeprefix("test_"): case for case in found.cases}


@pytest.fixture
def recorded(paper: PaperProject) -> PaperProject:
    paper.test(CASES)
    return paper


def test_everything_is_written_and_nothing_compared(recorded: PaperProject) -> None:
    golden = recorded.goldens / "cases/test_paper/test_compared/paper-cpu/ink.py"
    golden.parent.mkdir(parents=True)
    golden.write_text("not even a golden")
    result = recorded.run(CPU, RECORD)
    result.assert_outcomes(
        passed=4, failed=1, skipped=1, xfailed=1, errors=1, deselected=7
    )
    result.stdout.fnmatch_lines(
        [
            "compile-golden: *, recording into: recorded",
            "5 cases: 3 recorded, 2 failed (2 distinct errors), 1 skipped.",
        ]
    )
    assert recorded.files() == {
        "cases/test_paper/test_compared/paper-cpu/ink.py": "not even a golden"
    }
    root = recorded.path / "recorded"
    # The same layout as the goldens, as bare text.
    assert (
        root / "cases/test_paper/test_compared/paper-cpu/tally.toml"
    ).read_text() == "kernels = 1\n"

    found = recording.read(root)
    assert found.partial is None
    run = found.run
    assert (run.cases, run.exit_status, run.targets) == (7, 1, ("paper-cpu",))
    assert {"dynamo_graph", "cost"} <= {*run.options["stages"].split(",")}
    assert run.options["stages"].endswith("ink,press,tally")
    assert CPU in run.options["arguments"]
    assert (
        run.torch
        and run.python == sys.version.partition(" ")[0]
        and run.seconds
        and run.seconds > 0
    )
    cases = by_name(found)
    assert {name: case.outcome for name, case in cases.items()} == {
        "compared": "passed",
        "invariant": "failed",
        "hidden": "passed",
        "skipped": "skipped",
        "known": "skipped",
        "broken": "error",
        "crash": "passed",
    }
    names = [
        artifact.name
        for artifact in cases["compared"].artifacts
        if artifact.stage in ("ink", "press", "tally")
    ]
    assert names == ["ink.py", "press.txt", "tally.toml", "ink.2.py"]
    # What was captured is kept, although the test did not get as far as comparing it.
    assert cases["invariant"].text("ink") == "seen\n"
    assert "assert 'gone' in 'seen" in str(cases["invariant"].message)
    assert cases["hidden"].unavailable == {"press": "torch.press is gone"}
    assert (
        cases["skipped"].message == "not today"
        and cases["known"].message == "expected to fail: known"
    )
    assert "fixture 'missing' not found" in str(cases["broken"].message)


def test_crash_and_collection_error_are_results_under_xdist(
    recorded: PaperProject,
) -> None:
    recorded.test("import nothing_of_this_name\n", "cases/test_gone.py")
    recorded.run("-n2", CPU, RECORD, "--continue-on-collection-errors", CRASH="1")
    found = recording.read(recorded.path / "recorded")
    cases = by_name(found)
    assert (
        len(cases) == 7
        and cases["crash"].outcome == "error"
        and "process that ran it crashed" in str(cases["crash"].message)
    )
    assert (
        cases["crash"].target == "paper-cpu" and cases["compared"].outcome == "passed"
    )
    assert found.run.cases == 7
    assert "nothing_of_this_name" in found.run.errors["cases/test_gone.py"]
    assert found.partial == (
        "cases/test_gone.py could not be collected: "
        "ModuleNotFoundError: No module named 'nothing_of_this_name'"
    )


def test_killed_run_keeps_what_it_had_and_says_so(recorded: PaperProject) -> None:
    recorded.run(CPU, RECORD, CRASH="1")  # without xdist the crash ends the run
    found = recording.read(recorded.path / "recorded")
    assert found.run.torch and found.run.exit_status is None
    assert sorted(by_name(found)) == [
        "broken",
        "compared",
        "hidden",
        "invariant",
        "known",
        "skipped",
    ]
    assert found.partial == "the run did not end; 6 of 7 cases were recorded"


def test_only_requested_cases_are_recorded(recorded: PaperProject) -> None:
    result = recorded.run(
        RECORD,
        "--compile-golden-case=*test_compared[*",
        "--compile-golden-case=hidden/paper-gpu",
    )
    result.assert_outcomes(passed=3, deselected=12)
    found = recording.read(recorded.path / "recorded")
    assert [case.folder.parts[2:] for case in found.cases] == [
        ("test_compared", "paper-cpu"),
        ("test_compared", "paper-gpu"),
        ("test_hidden", "paper-gpu"),
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--compile-golden-record=cases"], "already exists"),
        (["--compile-golden-record=goldens/x"], "must not contain each other"),
        ([RECORD, "--snapshot-update"], "nothing to accept"),
        (
            [RECORD, "--compile-golden-report=x.md"],
            "nothing to accept, prune or report",
        ),
    ],
)
def test_wrong_options_are_refused(
    recorded: PaperProject, arguments: list[str], message: str
) -> None:
    result = recorded.run(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert any(message in line for line in result.errlines)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    artifact = StoredArtifact("ink", "ink", "py", "a\n")
    cases = [
        RecordedCase(
            PurePosixPath("m", name, "t"),
            f"m.py::{name}[t]",
            "t",
            "passed",
            None,
            1,
            (artifact,),
        )
        for name in ("one", "two")
    ]
    run = recording.read_elsewhere("2.13.0", cases, ["ink"])
    recording.write_run(tmp_path / "r", run)
    for case in cases:
        recording.write_case(tmp_path / "r", case)
    return tmp_path / "r"


def test_texts_of_many_cases_are_read_when_they_are_asked_for(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = recording.read(folder)
    monkeypatch.setattr(recording, "_MANY", 1)
    found = recording.read(folder)
    assert dict(recording.packed(found)) == dict(recording.packed(plain))
    for case in found.cases:
        (artifact,) = case.artifacts
        assert isinstance(artifact, ArtifactOnDisk)
        assert (artifact.text, case.text("ink")) == ("a\n", "a\n")
        recording.write_case(tmp_path / "again", case)
    assert recording.read_case(tmp_path / "again", case.folder) in plain.cases


@pytest.mark.parametrize("change", ["other text", "no text", "no case"])
def test_a_text_that_is_no_longer_what_was_read_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    monkeypatch.setattr(recording, "_MANY", 1)
    (artifact,) = recording.read(folder).cases[0].artifacts
    text = folder / "m" / "one" / "t" / "ink.py"
    if change == "other text":
        text.write_text("b\n")
    elif change == "no text":
        text.unlink()
    else:
        shutil.rmtree(text.parent)
    with pytest.raises(GoldenError, match="was changed while it was being read"):
        _ = artifact.text


def test_reads_back_what_was_written(folder: Path) -> None:
    found = recording.read(folder)
    assert [case.nodeid for case in found.cases] == ["m.py::one[t]", "m.py::two[t]"]
    assert found.partial is None and found.cases[0].text("ink") == "a\n"
    recording.write_run(folder, replace(found.run, cases=5))  # as with --maxfail
    assert recording.read(folder).partial == "3 of 5 cases were not run"


def test_a_part_of_a_recording_is_not_a_run_that_did_not_finish(
    recorded: PaperProject,
) -> None:
    recorded.run(CPU, RECORD)
    whole, part = recorded.path / "recorded", recorded.path / "part"
    shutil.copytree(whole, part)
    shutil.rmtree(part / "cases/test_paper/test_compared")
    found = recording.read(part)
    assert (found.run.recorded, found.left_out, found.partial) == (7, 1, None)
    for sides in (("recorded", "part"), ("part", "recorded")):
        diff = recorded.command("diff", *sides)
        diff.stdout.fnmatch_lines(
            [
                "*part has only 6 of the 7 cases that its run recorded; the others are not compared*"
            ]
        )
        assert (
            "incomplete" not in diff.stdout.str()
            and "test_compared" not in diff.stdout.str()
        )
        assert diff.ret == 0


@pytest.mark.parametrize(
    ("fact", "value"),
    [
        ("format", 99),
        ("case", "../out"),
        ("case", "m/two/t"),
        ("outcome", "splendid"),
        ("seconds", float("inf")),
        ("nodeid", 3),
        ("message", "a\0b"),
        ("unavailable", [1]),
        (
            "artifacts",
            [{"stage": "ink", "stem": "../ink", "extension": "py", "text_sha256": "0"}],
        ),
        (
            "artifacts",
            [{"stage": "ink", "stem": "ink", "extension": "py", "text_sha256": None}],
        ),
        (
            "artifacts",
            [
                {
                    "stage": "conftest",
                    "stem": "conftest",
                    "extension": "py",
                    "text_sha256": "0",
                }
            ],
        ),
    ],
)
def test_damaged_case_does_not_affect_others(
    folder: Path, fact: str, value: object
) -> None:
    manifest = folder / "m/one/t/case.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), fact: value}))
    found = recording.read(folder)
    assert [case.nodeid for case in found.cases] == ["m.py::two[t]"]
    assert len(found.damaged) == 1 and "m/one/t" in found.damaged[0]
    assert found.partial == "1 of 2 cases cannot be read"


def test_altered_text_and_symlinks_are_not_read(folder: Path, tmp_path: Path) -> None:
    (folder / "m/one/t/ink.py").write_text("b\n")
    (tmp_path / "secret").write_text("a\n")
    (folder / "m/two/t/ink.py").unlink()
    (folder / "m/two/t/ink.py").symlink_to(tmp_path / "secret")
    found = recording.read(folder)
    assert found.cases == () and len(found.damaged) == 2


def test_a_message_with_undecodable_bytes_is_read_back(folder: Path) -> None:
    case = msgspec.structs.replace(
        recording.read(folder).cases[0],
        outcome="failed",
        message="caf\udce9 \u2026 \\udce9",
    )
    recording.write_case(folder, case)
    assert recording.read(folder).cases[0].message == "caf\\udce9 \u2026 \\udce9"


def test_missing_and_damaged_recordings(folder: Path) -> None:
    with pytest.raises(GoldenError, match=r"not a recorded run: it has no run\.json"):
        recording.read(folder / "m")
    facts = json.loads((folder / "run.json").read_text())
    del facts["exit_status"]
    (folder / "run.json").write_text(json.dumps(facts))
    with pytest.raises(GoldenError, match=r"is damaged \(.*exit_status"):
        recording.read(folder)
    (folder / "run.json").write_text("[" * 100000)
    with pytest.raises(GoldenError, match="damaged"):
        recording.read(folder)


def test_shards_merge_into_one_run(folder: Path, tmp_path: Path) -> None:
    whole = recording.read(folder)
    for number, case in enumerate(whole.cases):
        recording.write_run(tmp_path / f"down/{number}", replace(whole.run, cases=1))
        recording.write_case(tmp_path / f"down/{number}", case)
    assert recording.read(tmp_path / "down").cases == whole.cases
    shards = [
        Recording(replace(whole.run, cases=1, seconds=2.0), (case,))
        for case in whole.cases
    ]
    merged = recording.merge(shards)
    assert merged.cases == whole.cases and merged.partial is None
    assert (merged.run.cases, merged.run.seconds) == (2, 4.0)
    killed = Recording(
        replace(whole.run, exit_status=None, cases=None), shards[1].cases
    )
    assert "did not end" in str(recording.merge([shards[0], killed]).partial)
    with pytest.raises(GoldenError, match="in two of the shards"):
        recording.merge([whole, shards[0]])
    other = Recording(replace(whole.run, torch="2.15.0"), ())
    with pytest.raises(
        GoldenError, match=r"the same torch, but these have 2\.13\.0 and 2\.15\.0"
    ):
        recording.merge([whole, other])


def test_goldens_are_read_once_however_many_versions_are_compared(
    tmp_path: Path,
) -> None:
    module = tmp_path / "cases" / "test_operators" / "test_bucketize"
    shutil.copytree(GOLDENS / "cases" / "test_operators" / "test_bucketize", module)
    goldens = Goldens(tmp_path)
    old = goldens.recording("2.13.0")
    shutil.rmtree(module)
    new = goldens.recording("2.14.1")
    assert new.cases and [case.folder for case in new.cases] == [
        case.folder for case in old.cases
    ]
    assert new.cases != old.cases
    with pytest.raises(UnknownSide, match="there are no goldens"):
        Goldens(tmp_path).recording("2.14.1")
