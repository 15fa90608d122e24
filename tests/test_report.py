"""A run's report: what is in it, whatever processes the run used, and what its JSON and Markdown say."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

import jsonschema
import pytest

from pytest_compile_golden.errors import ReportError
from pytest_compile_golden.goldens.golden_paths import GoldenPath
from pytest_compile_golden.goldens.golden_store import Store
from pytest_compile_golden.report import json_report, model, reporters
from pytest_compile_golden.report.case_groups import changes_of, grouped
from pytest_compile_golden.report.case_report import metric_history
from pytest_compile_golden.report.json_report import merge, schema
from pytest_compile_golden.report.model import (
    CaseReport,
    FirstDivergence,
    Point,
    Report,
    ReportedChange,
    Side,
)
from pytest_compile_golden.report.run_summary import Summary, headline, names
from pytest_compile_golden.stages import get_stage
from tests import html_reports
from tests.paper import PaperProject

CASES = """
import os, pytest
LATER = bool(os.environ.get("LATER"))

@pytest.mark.parametrize("n", range(3))
def test_changed(draw, golden, n):
    ink = f"keep {n}\\n" + ("rsqrt\\n" if LATER else "sqrt\\n")
    assert draw(ink=ink, press="flat\\n", tally="kernels = %d\\n" % (3 if LATER else 2)) == golden

def test_cosmetic(draw, golden):
    assert draw(ink="same" + ("  # other\\n" if LATER else "\\n")) == golden

def test_new(draw, golden):
    if LATER:
        assert draw(ink="fresh\\n") == golden

def test_unavailable(draw, golden):
    assert draw(unavailable={"press": "torch.press is gone"} if LATER else {}, ink="a\\n") == golden

def test_fails(draw, golden):
    drawn = draw(ink="dark\\n" if LATER else "light\\n")
    assert not LATER, "the <invariant> broke"
    assert drawn == golden

def test_crashes(draw, golden):
    if LATER and os.environ.get("CRASH"):
        os._exit(3)
    assert draw(ink="a\\n") == golden
"""


def changed(
    paper: PaperProject, *arguments: str, torch: str = "2.15.0+cpu", **environment: str
) -> Report:
    """The report of a run in which CASES differed from their goldens."""
    paper.run(
        "--compile-golden-report=r.json",
        *arguments,
        torch=torch,
        LATER="1",
        **environment,
    )
    return json_report.read(paper.path / "r.json")


def test_a_rerun_case_counts_once_with_its_final_outcome() -> None:
    summary = Summary()
    for outcome in ("error", "error", "same"):
        failed = CaseReport("a", "t", "error", error="flaky")
        changes = (
            json_report.plain(replace(failed, changes=changes_of(failed)))
            if outcome == "error"
            else None
        )
        case: dict[str, Any] = {
            "torch": "2.13.0",
            "target": "paper-cpu",
            "outcome": outcome,
            "changes": changes,
            "pending": "",
            "written": {},
            "unavailable": {},
            "left_out": [],
            "weights": {},
            "remarks": [],
            "compared": True,
            "passes": {"more": [], "fewer": []},
        }
        summary.add("cases/test_a.py::test_a[paper-cpu]", case)
    assert summary.lines() == [("good", "1 case: 1 unchanged, 0 changed.")]


def case_of(report: Report, name: str) -> CaseReport:
    return next(
        case
        for case in report.cases
        if case.nodeid.startswith(f"cases/test_paper.py::{name}")
    )


def test_report_of_a_run(paper: PaperProject) -> None:
    paper.test(CASES)
    paper.update("--compile-golden-target=paper-gpu")
    paper.test("import gone", "cases/test_uncollected.py")
    one = ("--compile-golden-target=paper-gpu", "--continue-on-collection-errors")
    files = (
        "--compile-golden-report=r.json",
        "--compile-golden-report=out/r.md",
        "--compile-golden-report=r.html",
    )
    run = paper.run(*one, *files, "-v", torch="2.15.0+cpu", LATER="1")
    report = json_report.read(paper.path / "r.json")
    # The terminal counts as its report does; cosmetic differences are mentioned on request.
    run.stdout.fnmatch_lines([f"{headline(report, cosmetic=True)}.*"])
    assert "3 unchanged (1 with cosmetic differences only)" in headline(
        report, cosmetic=True
    )

    outcomes = {
        case.nodeid.rpartition("::")[2].partition("[")[0]: case.outcome
        for case in report.cases
    }
    assert outcomes == {
        "cases/test_uncollected.py": "error",
        "test_changed": "changed",
        "test_cosmetic": "cosmetic",
        "test_new": "new",
        "test_unavailable": "same",
        "test_fails": "error",
        "test_crashes": "same",
    }
    assert (report.new.torch, report.new.targets, report.old.label) == (
        "2.15.0+cpu",
        ("paper-gpu",),
        "goldens",
    )
    assert report.differs

    first = case_of(report, "test_changed[1-")
    assert first.divergence == FirstDivergence("ink", "ink", None, ("tally",))
    assert [(stage.stage, stage.kind) for stage in first.stages] == [
        ("ink", "structural"),
        ("press", "same"),
        ("tally", "metric"),
    ]
    ink = first.stages[0]
    assert (ink.old, ink.new, ink.since, ink.file) == (
        "keep 1\nsqrt\n",
        "keep 1\nrsqrt\n",
        "2.13.0",
        "ink.py",
    )
    assert ink.edits == ("different line: - sqrt  + rsqrt",)
    assert [(change.stage, change.text) for change in first.changes] == [
        ("ink", "different line: - sqrt  + rsqrt")
    ]
    assert [
        (metric.name, metric.old, metric.new, metric.verdict)
        for metric in first.metrics
    ] == [("kernels", 2, 3, "REGRESSION")]
    case = "cases/test_paper.py::test_changed[1-paper-gpu]"
    command = f'pytest --compile-golden --compile-golden-target=paper-gpu "{case}"'
    assert (first.reproduce, first.accept) == (command, f"{command} --snapshot-update")
    assert first.seconds is not None and first.seconds >= 0

    failed = case_of(report, "test_fails")
    assert (
        failed.error is not None
        and "the <invariant> broke" in failed.error
        and failed.accept is None
    )
    assert [stage.new for stage in case_of(report, "test_cosmetic").stages] == [None]
    gone = next(
        stage
        for stage in case_of(report, "test_unavailable").stages
        if stage.stage == "press"
    )
    assert (gone.kind, gone.reason) == ("unavailable", "torch.press is gone")
    assert [
        (group.outcome, group.text, len(group.members))
        for group in report.groups
        if group.outcome != "error"
    ] == [
        ("changed", "different line: - sqrt  + rsqrt", 3),
        ("new", "no golden yet", 1),
    ]

    rendered = (paper.path / "out" / "r.md").read_text()
    counted = (
        "8 cases: 3 unchanged, 3 changed (1 distinct change), 1 failed (1 distinct error), 1 new, "
        "3 regressions (kernels +3), 1 file not collected"
    )
    assert f"**{counted}**" in rendered
    assert (
        "press is unavailable on torch 2.15.0+cpu: torch.press is gone (1 case)"
        in rendered.replace("\\", "")
    )
    assert (
        "- sqrt\n+ rsqrt\n" in rendered
        and "| `kernels 2 -> 3 REGRESSION` |" in rendered
    )
    assert (paper.path / "r.html").stat().st_size > 10_000

    shown = paper.command("report", "r.json")
    assert shown.ret == 1
    shown.stdout.fnmatch_lines(
        [
            "torch 2.15.0+cpu against the goldens",
            f"{counted}.",
            "1 case: cannot be collected: *",
            "3 cases: different line: - sqrt  + rsqrt",
            "  kernels 6 -> 9 in 3 cases",
            "    cases/test_paper.py::test_changed[[]0-paper-gpu[]]",
            "      kernels  2 -> 3  REGRESSION",
            f"{counted}.",
        ]
    )

    validator = jsonschema.Draft202012Validator(json.loads(schema()))
    text = (paper.path / "r.json").read_text()
    validator.validate(json.loads(text))
    assert json_report.render(json_report.parse(text, "here")) == text
    for broken in damaged(text):
        assert not validator.is_valid(json.loads(broken))
        with pytest.raises(ReportError, match="is not a report"):
            json_report.parse(broken, "here")


def test_workers_and_shards_give_the_report_of_one_process(paper: PaperProject) -> None:
    paper.test(CASES)
    paper.update()
    whole, spread = changed(paper), changed(paper, "-n2", CRASH="1")
    crash = [
        case.nodeid for case in spread.cases if case.error and "crashed" in case.error
    ]
    assert crash == [
        f"cases/test_paper.py::test_crashes[{name}]"
        for name in ("paper-cpu", "paper-gpu")
    ]

    def plain(report: Report) -> object:
        kept = [case for case in report.cases if case.nodeid not in crash]
        return [
            (case.nodeid, case.outcome, case.stages, case.divergence, case.metrics)
            for case in kept
        ]

    assert plain(spread) == plain(whole)

    for shard in (1, 2):
        changed(
            paper,
            f"--compile-golden-report=s{shard}.json",
            "--splits=2",
            f"--group={shard}",
        )
    merged = paper.command(
        "report", "merge", "s1.json", "s2.json", "-o", "all.json", "-o", "all.md"
    )
    assert merged.ret == 0
    report = json_report.read(paper.path / "all.json")
    assert report.shards == ("1/2", "2/2") and report.missing_shards == ()
    assert plain(report) == plain(whole) and report.groups == whole.groups

    result = paper.command("report", "s2.json")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*missing shards: 1/2", "*cases: *"])
    alone = json_report.read(paper.path / "s2.json")
    assert alone.missing_shards == ("1/2",) and alone.differs
    with pytest.raises(ReportError, match="different runs"):
        merge([alone, replace(whole, new=replace(whole.new, torch="2.14.0"))])


def test_sides_are_named_by_what_tells_them_apart() -> None:
    def named(old: Side, new: Side) -> tuple[str, str]:
        return names(Report("", old, new, ()))

    run = Side("this run", "2.15.0+cpu")
    assert named(Side("goldens"), run) == ("golden", "this run")
    assert named(Side("goldens@2.13.0", "2.13.0"), run) == ("2.13.0", "2.15.0")
    assert named(Side("a", "2.15.0+cu130"), run) == ("2.15.0+cu130", "2.15.0+cpu")
    recording = Side("/a/long/path/to/a/recording/old", "2.15.0+cpu")
    assert named(recording, run) == ("…path/to/a/recording/old", "this run")
    assert named(run, run) == ("before", "after")


def test_what_an_update_accepts_becomes_the_golden(paper: PaperProject) -> None:
    paper.test(CASES.replace("assert not LATER", "assert True"))
    paper.update("--compile-golden-target=paper-gpu")
    report = changed(paper, "--compile-golden-target=paper-gpu", "--snapshot-update")
    assert {case.outcome for case in report.cases} == {"same"} and not report.differs


def test_metric_history_comes_from_the_versions_of_the_goldens(tmp_path: Path) -> None:
    stage, folder = get_stage("metrics"), PurePosixPath("test_a/test_b/cuda-sm90")
    for torch, kernels in (("2.13.0", 3), ("2.15.1", 2)):
        body = f"graphs = 1\nkernels = {kernels}\n"
        Store(tmp_path).accept(
            GoldenPath(folder, "metrics", "toml"), stage, body, torch, None
        )
    known = metric_history(tmp_path, folder)
    assert known["kernels"] == [Point("2.13.0", 3), Point("2.15", 2)]
    assert metric_history(tmp_path, PurePosixPath("test_a/test_c")) == {}


def damaged(text: str) -> Iterator[str]:
    """The same document, each time with one violation of the schema."""
    for damage in ({"outcome": "fine"}, {"stages": [{"stage": "ink"}]}, {"nodeid": 3}):
        broken = json.loads(text)
        broken["cases"][0].update(damage)
        yield json.dumps(broken)


def test_every_field_is_in_the_documentation() -> None:
    documentation = (Path(__file__).parents[1] / "docs" / "report.md").read_text()
    classes = [each for each in vars(model).values() if is_dataclass(each)]
    names = {field.name for class_ in classes for field in fields(class_)}
    assert (
        len(names) > 40
        and [
            name
            for name in sorted(names)
            if not re.search(rf"\b{name}\b", documentation)
        ]
        == []
    )


def test_schema_describes_the_fields(paper: PaperProject) -> None:
    printed = paper.command("report", "schema")
    assert printed.ret == 0
    defined = json.loads(printed.stdout.str())["$defs"]
    jsonschema.Draft202012Validator.check_schema(defined["Report"])
    assert (
        defined["CaseReport"]["properties"]["accept"]["description"]
        == "The command that makes the new side the golden."
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "not a report"),
        ("not json", "not a report"),
        ('{"format": 99, "title": "", "old": {}, "new": {}, "cases": []}', "format 99"),
        (
            '{"format": 8, "title": "", "old": {"label": ""}, "new": {"label": ""}, "cases": [], "shards": ["x"]}',
            "1/4",
        ),
        (
            '{"format": 8, "title": "", "old": {"label": ""}, "new": {"label": ""}, "cases": '
            '[{"nodeid": "a", "target": "", "outcome": "same"}, {"nodeid": "a", "target": "", "outcome": "same"}]}',
            "twice",
        ),
        (
            '{"format": 8, "title": "", "old": {"label": ""}, "new": {"label": ""}, "cases": '
            '[{"nodeid": "a", "target": "", "outcome": "changed", "changes": [0]}]}',
            "names more than it lists",
        ),
        (
            '{"format": 8, "title": "", "old": {"label": ""}, "new": {"label": ""}, "cases": '
            '[{"nodeid": "a", "target": "", "outcome": "changed", "divergence": 0}]}',
            "names more than it lists",
        ),
        (
            '{"format": 8, "title": "", "old": {"label": ""}, "new": {"label": ""}, "cases": [], '
            '"changes": [{"text": "", "distinct": 0}]}',
            "names more than it lists",
        ),
        (
            '{"format": 8, "title": "", "old": {"label": ""}, "new": {"label": ""}, "cases": [], "lines": ["a"], '
            '"stages": [{"stage": "cost", "file": "cost.txt", "kind": "same", "old": [0, 1]}]}',
            "names more than it lists",
        ),
        (
            '{"format": 8, "title": "", "old": {"label": ""}, "new": {"label": ""}, "cases": '
            '[{"nodeid": "a", "target": "", "outcome": "changed", "secondary": [-1]}]}',
            "at least 0|>= 0",
        ),
    ],
)
def test_invalid_reports_are_refused(text: str, message: str) -> None:
    with pytest.raises(ReportError, match=message):
        json_report.parse(text, "here")


def test_a_report_whose_texts_would_fill_the_memory_is_refused() -> None:
    line, named = "x" * (1 << 20), ",".join(["0"] * 2000)
    text = (
        '{"format": 8, "title": "", "old": {"label": ""}, "new": {"label": ""}, "cases": [], '
        f'"lines": ["{line}"], "stages": [{{"stage": "cost", "file": "cost.txt", "kind": "same", "old": [{named}]}}]}}'
    )
    with pytest.raises(ReportError, match="longer than any run writes"):
        json_report.parse(text, "here")


def test_unknown_report_formats_and_missing_reports_are_refused(
    paper: PaperProject,
) -> None:
    paper.test(CASES)
    result = paper.run("--compile-golden-report=r.pdf")
    assert result.ret == 4
    result.stderr.fnmatch_lines(
        ["*a report file must end in one of .json, .md, .html; 'r.pdf' does not*"]
    )
    missing = paper.command("report", "nothing.json")
    assert missing.ret == 2
    missing.stderr.fnmatch_lines(["*'nothing.json' does not exist*"])


def test_cases_are_in_the_groups_of_their_shared_changes_and_the_rest_are_one_group() -> (
    None
):
    def changed_case(
        name: str, *keys: str, secondary: tuple[str, ...] = ()
    ) -> CaseReport:
        own, more = (
            [ReportedChange("ink", key, key, "arithmetic") for key in each]
            for each in (keys, secondary)
        )
        return CaseReport(
            name, "t", "changed", changes=tuple(own), secondary=tuple(more)
        )

    cases = [
        changed_case("a", "x"),
        changed_case("b", "x", "y", "z"),
        changed_case("c", "w", secondary=("x", "v")),
    ]
    assert [(group.text, group.edits, group.members) for group in grouped(cases)] == [
        ("x", (), ("a", "b", "c")),
        ("y", ("z",), ("b",)),
        ("w", (), ("c",)),
    ]


def test_writing_the_same_report_gives_the_same_bytes(tmp_path: Path) -> None:
    for suffix in reporters.suffixes():
        for name in ("a", "b"):
            reporters.write(html_reports.a_report(), tmp_path / f"{name}{suffix}")
        assert (tmp_path / f"a{suffix}").read_bytes() == (
            tmp_path / f"b{suffix}"
        ).read_bytes()


def test_a_report_that_cannot_be_written_fails_the_run(paper: PaperProject) -> None:
    paper.test("def test_nothing(): ...")
    (paper.path / "taken").write_text("a file")
    result = paper.run("--compile-golden-report=taken/r.json")
    assert result.ret == pytest.ExitCode.INTERNAL_ERROR
    result.stdout.fnmatch_lines(["the report could not be written: cannot write *"])


def test_undecodable_bytes_do_not_keep_a_report_from_being_written() -> None:
    odd = Report(
        "t",
        Side("a"),
        Side("b"),
        (CaseReport("x\ud800", "t", "error", error="\udcff"),),
    )
    assert (
        json_report.parse(json_report.render(odd).encode(), "here").cases[0].outcome
        == "error"
    )
