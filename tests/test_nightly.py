"""The nightly job: how it manages its issue, and a torch whose internals have moved."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_compile_golden.report import json_report, reporters
from pytest_compile_golden.report.case_groups import grouped
from pytest_compile_golden.report.model import (
    CaseReport,
    FirstDivergence,
    Outcome,
    Report,
    Side,
)
from tests.nights import night, write

WORKFLOW = Path(__file__).parents[1] / ".github" / "workflows" / "nightly.yml"
MOVED = (
    "log_ir_pre_fusion",
    "get_and_maybe_log_recompilation_reasons",
    "apply_graph_pass",
)
# A torch in which three internals are renamed everywhere: it works, but the names that our hooks use are gone.
SITECUSTOMIZE = """
from importlib.machinery import SourceFileLoader

MOVED = {names}
cached = SourceFileLoader.get_code


def get_code(self, name):
    if name.startswith("torch."):
        source = self.get_data(self.get_filename(name)).decode()
        if any(moved in source for moved in MOVED):
            for moved in MOVED:
                source = source.replace(moved, moved + "_moved")
            return compile(source, self.get_filename(name), "exec", dont_inherit=True)
    return cached(self, name)


SourceFileLoader.get_code = get_code
"""
CASE = """
import pytest, torch

@pytest.mark.compile_golden(target="cpu-avx2")
def test_recompiled(compile_stages, golden):
    x = torch.randn(8, 8)
    assert compile_stages(lambda x: torch.relu(x).sum(), calls=[(x,), (x[:4],)]) == golden
"""


def step(name: str, workflow: Path = WORKFLOW) -> dict[str, Any]:
    jobs = yaml.safe_load(workflow.read_text())["jobs"]
    return next(
        step
        for job in jobs.values()
        for step in job["steps"]
        if step.get("name") == name
    )


def run(step: dict[str, Any], folder: Path, **environment: str) -> str:
    """What the step prints, with our command on its PATH, and `gh` if the folder contains one."""
    command = folder / "compile-golden"
    start = "from pytest_compile_golden.cli import main; main()"
    command.write_text(
        f'#!/bin/sh\nexec {sys.executable} -W ignore -c "{start}" "$@"\n'
    )
    command.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{folder}:/usr/bin:/bin",
        "GITHUB_OUTPUT": str(folder / "output"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        "PYTHONPATH": str(WORKFLOW.parents[2]),
        **environment,
    }
    done = ["bash", "-e", "-c", step["run"]]
    return subprocess.run(
        done,
        cwd=folder,
        env=environment,
        check=True,
        timeout=60,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout


@pytest.mark.parametrize(
    ("differs", "issue", "done"),
    [
        (
            "true",
            "",
            ["label create torch-nightly", "issue create --title what it is about"],
        ),
        ("true", "12", ["issue edit 12 --title what it is about"]),
        (
            "false",
            "12",
            ["issue close 12 --comment As before on torch 2.16.0.dev20270101"],
        ),
        ("false", "", []),
    ],
)
def test_one_issue_is_opened_updated_and_closed(
    tmp_path: Path, differs: str, issue: str, done: list[str]
) -> None:
    gh = tmp_path / "gh"
    gh.write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\n[ "$2" = list ] && echo "{issue}"\nexit 0\n'
    )
    gh.chmod(0o755)
    (tmp_path / "report.md").write_text("## what changed\n")
    environment = {
        "PATH": f"{tmp_path}:/usr/bin:/bin",
        "ISSUE_LABEL": "torch-nightly",
        "TORCH": "2.16.0.dev20270101",
        "DIFFERS": differs,
        "TITLE": "what it is about",
        "RUN": "the run",
    }
    script = step("Open, update or close the issue")["run"]
    subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=tmp_path,
        env=environment,
        check=True,
        timeout=60,
    )
    asked, *calls = (tmp_path / "calls").read_text().splitlines()
    assert asked.startswith("issue list --state open --label torch-nightly")
    assert len(calls) == len(done) and all(
        call.startswith(start) for call, start in zip(calls, done, strict=True)
    )
    body = (tmp_path / "body.md").read_text()
    assert body.startswith("## what changed") and "the run" in body


@pytest.mark.parametrize(
    ("shards", "differs"), [(("1/2", "2/2"), "false"), (("1/2",), "true")]
)
def test_shards_are_merged_and_the_summary_is_written(
    tmp_path: Path, shards: tuple[str, ...], differs: str
) -> None:
    for shard in shards:
        case = CaseReport(f"test_{shard}[cpu-avx2]", "cpu-avx2", "same")
        made = Report(
            "torch 2.16.0",
            Side("goldens"),
            Side("this run", "2.16.0"),
            (case,),
            shards=(shard,),
        )
        path = tmp_path / "shards" / f"report-{shard.replace('/', '-')}.json"
        reporters.write(made, path)
    run(step("Merge"), tmp_path)
    assert (tmp_path / "output").read_text().splitlines() == [
        "title=torch.compile behaves differently on torch 2.16.0",
        f"differs={differs}",
    ]
    run(step("Write the report"), tmp_path)
    assert f"{len(shards)} case" in (tmp_path / "summary").read_text()
    assert len(json_report.read(tmp_path / "report.json").cases) == len(shards)
    assert (tmp_path / "report.html").exists()


def test_a_site_is_published_every_night_as_a_single_commit(tmp_path: Path) -> None:
    repository = tmp_path / "repository.git"
    subprocess.run(["git", "init", "--quiet", "--bare", repository], check=True)
    for number in (1, 2):
        checkout, publisher = (
            tmp_path / str(number) / "checkout",
            tmp_path / str(number) / "publisher",
        )
        write(night(number), checkout / "shards/recorded/1")
        if number > 1:
            branch = ("--branch", "torch-compile-site")
            subprocess.run(
                ["git", "clone", "--quiet", *branch, repository, checkout / ".site"],
                check=True,
            )
        run(step("Add this night"), checkout, TORCH=f"night-{number}")
        # What is published is files: no hook or setting of git's comes with them.
        (checkout / ".site/.gitattributes").write_text("* filter=evil\n")
        shutil.copytree(checkout / ".site", publisher / "site")
        run(
            step("Publish"),
            publisher,
            TORCH=f"night-{number}",
            REPOSITORY=str(repository),
        )

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", "-C", repository, *arguments],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout

    assert git("log", "--format=%s", "torch-compile-site").splitlines() == [
        "torch night-2"
    ]
    published = git("ls-tree", "-r", "--name-only", "torch-compile-site").splitlines()
    assert {
        "torch-compile/index.html",
        "torch-compile/reports/1.html",
        "torch-compile/badge.svg",
    } <= {*published}
    assert not any(name.startswith(".") for name in published)
    assert "night-2: 4 cases: 2 unchanged" in git(
        "show", "torch-compile-site:torch-compile/feed.xml"
    )


def a_report(outcome: Outcome) -> Report:
    """A report of one case, with characters that a workflow command has to escape."""
    nodeid = "cases/test_norm.py::test_rsqrt[cuda-sm90]"
    first = (
        FirstDivergence("joint / fold, twice: 1 -> 2", "passes", "torch/fold.py:5")
        if outcome == "changed"
        else None
    )
    case = CaseReport(
        nodeid,
        "cuda-sm90",
        outcome,
        divergence=first,
        error="100 %\nlost" if outcome == "error" else None,
    )
    return Report(
        "torch 2.15.0",
        Side("goldens"),
        Side("this run", "2.15.0"),
        (case,),
        grouped([case]),
    )


@pytest.mark.parametrize(
    ("outcome", "asked", "mark"),
    [
        ("same", "pr comment 7 --edit-last --body-file body.md", None),
        (
            "changed",
            "pr comment 7 --edit-last --create-if-none --body-file body.md",
            "::warning file=cases/test_norm.py,title=joint / fold%2C twice%3A 1 -> 2   torch/fold.py%3A5::"
            "cases/test_norm.py::test_rsqrt[cuda-sm90]",
        ),
        (
            "error",
            "pr comment 7 --edit-last --create-if-none --body-file body.md",
            "::error file=cases/test_norm.py,title=100 %25::cases/test_norm.py::test_rsqrt[cuda-sm90]%0A100 %25%0Alost",
        ),
    ],
)
def test_a_pull_request_gets_one_comment_and_annotations_on_its_cases(
    tmp_path: Path, outcome: Outcome, asked: str, mark: str | None
) -> None:
    gh = tmp_path / "gh"
    gh.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\n')
    gh.chmod(0o755)
    for suffix in ("json", "md"):
        reporters.write(a_report(outcome), tmp_path / f"report.{suffix}")
    workflow = WORKFLOW.with_name("pull-request.yml")
    printed = run(step("Annotate", workflow), tmp_path)
    assert (tmp_path / "summary").read_text() == (tmp_path / "report.md").read_text()
    (differs,) = re.findall(r"^differs=(.*)$", (tmp_path / "output").read_text(), re.M)
    run(step("Comment", workflow), tmp_path, NUMBER="7", DIFFERS=differs, RUN="the run")
    assert (tmp_path / "calls").read_text().splitlines() == [asked]
    assert printed.splitlines() == ([] if mark is None else [mark])
    assert "the run" in (tmp_path / "body.md").read_text()


@pytest.mark.live
def test_a_torch_with_three_internals_moved_shows_all_other_stages(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.makepyfile(test_case=CASE)
    arguments = ("--compile-golden-stages=all", "test_case.py")
    # In a process like the one below: what it is started with may show in the notes of a text.
    project.runpytest_subprocess(
        "--compile-golden", *arguments, "--snapshot-update"
    ).assert_outcomes(passed=1)
    goldens = {path.name for path in project.path.glob("goldens/**/*.*")}

    moved = project.mkdir("moved")
    (moved / "sitecustomize.py").write_text(SITECUSTOMIZE.format(names=MOVED))
    monkeypatch.setenv("PYTHONPATH", f"{moved}{os.pathsep}{os.environ['PYTHONPATH']}")
    result = project.runpytest_subprocess(
        "--compile-golden", *arguments, "--compile-golden-report=r.json"
    )
    [case] = json_report.read(project.path / "r.json").cases
    hidden = {
        each.stage: each.reason for each in case.stages if each.kind == "unavailable"
    }
    assert (
        {"lowered_ir", "recompiles", "passes"}
        <= set(hidden)
        <= {"lowered_ir", "recompiles", "passes", "pass_diffs"}
    )
    for stage, name in zip(("lowered_ir", "recompiles", "passes"), MOVED, strict=True):
        assert name in (hidden[stage] or "")
        result.stdout.fnmatch_lines(
            [f"{stage} is unavailable on torch *{name}*(1 case)."]
        )
    others = {
        each.file: each.kind for each in case.stages if each.kind != "unavailable"
    }
    shown = {
        name for name in goldens if name.partition(".")[0] not in {*hidden, "evidence"}
    }
    shown.discard("decisions.txt")  # which is told as the stages that it is made of
    assert set(others) == {*shown, "trail.jsonl"}  # which is kept as evidence
    assert [name for name, kind in others.items() if kind != "same"] == []
    result.assert_outcomes(passed=1)


SUITES = WORKFLOW.with_name("suites.yml")


@pytest.mark.parametrize(
    ("result", "issue", "done"),
    [
        (
            "failure",
            "",
            [
                "label create suites-of-others",
                "issue create --title Suites of others fail",
            ],
        ),
        ("failure", "12", ["issue edit 12 --body-file body.md"]),
        ("success", "12", ["issue close 12 --comment All pass"]),
        ("success", "", []),
    ],
)
def test_one_issue_has_what_fails_in_suites_of_others(
    tmp_path: Path, result: str, issue: str, done: list[str]
) -> None:
    gh = tmp_path / "gh"
    gh.write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\n[ "$2" = list ] && echo "{issue}"\nexit 0\n'
    )
    gh.chmod(0o755)
    (tmp_path / "failed-liger.txt").write_text("liger: FAILED test_x.py::test_y\n")
    environment = {
        "ISSUE_LABEL": "suites-of-others",
        "RESULT": result,
        "RUN": "the run",
        "OWNER": "somebody",
    }
    run(step("Open, update or close the issue", SUITES), tmp_path, **environment)
    _, *calls = (tmp_path / "calls").read_text().splitlines()
    assert len(calls) == len(done) and all(
        call.startswith(start) for call, start in zip(calls, done, strict=True)
    )
    assert (
        not calls
        or "create --title" not in calls[-1]
        or calls[-1].endswith("--assignee somebody")
    )
    assert "liger: FAILED test_x.py::test_y" in (tmp_path / "body.md").read_text()


def test_tests_that_are_listed_as_flaky_are_left_out_of_their_suite(
    tmp_path: Path,
) -> None:
    pytest_of_the_suite = tmp_path / "pytest"
    pytest_of_the_suite.write_text(
        '#!/bin/sh\nprintf "%s\\n" "$@"\necho "FAILED test_b.py::test_d"\nexit 1\n'
    )
    pytest_of_the_suite.chmod(0o755)
    (tmp_path / "suite").mkdir()
    (tmp_path / ".github").mkdir()
    flaky = "# what\nliger\ttest_a.py::test_c[x y]\ttimes out\nother\ttest_b.py::test_d\tdraws sizes\n"
    (tmp_path / ".github" / "flaky.tsv").write_text(flaky)
    with pytest.raises(subprocess.CalledProcessError):
        run(step("Run", SUITES), tmp_path, SUITE="liger", TESTS="test_a.py test_b.py")
    said = (tmp_path / "said.txt").read_text().splitlines()
    assert (
        "--deselect=test_a.py::test_c[x y]" in said
        and "--deselect=test_b.py::test_d" not in said
    )
    assert {"test_a.py", "test_b.py", "--virtual-gpu"} <= set(said)
    assert (
        tmp_path / "failed-liger.txt"
    ).read_text() == "liger: FAILED test_b.py::test_d\n"


# What torchfuzz draws for the first seeds of a night; the others are all right.
DRAWN = """
PROGRAMS = [
    "print('eager success')  # disagrees",
    "raise RuntimeError('eager refuses it')",
    "print('eager success')  # is known",
    None,
]

def convert_graph_to_python_code(graph, seed, template):
    return dict(enumerate(PROGRAMS)).get(seed % 50, "print('eager success')")[:]
"""
RUN = """#!/bin/sh
if grep -q -E 'disagrees|refuses|known' program.py; then
    sed 's/.*#/said:/' program.py
    exit 1
fi
"""


def test_programs_of_torchfuzz_that_fail_are_kept(tmp_path: Path) -> None:
    """A program that the operators refuse is the fuzzer's mistake; what flaky.tsv knows is no failure."""
    fuzzer = tmp_path / "suite" / "tools" / "experimental" / "torchfuzz"
    fuzzer.mkdir(parents=True)
    (fuzzer / "codegen.py").write_text(DRAWN)
    graphs = "fuzz_operation_graph = fuzz_spec = lambda *args, **options: None\n"
    (fuzzer / "ops_fuzzer.py").write_text(graphs)
    (fuzzer.parent / "torch.py").write_text("manual_seed = id\n")
    commands = tmp_path / "commands"
    commands.mkdir()
    (commands / "python").symlink_to(sys.executable)
    (commands / "compile-golden").write_text(RUN)
    (commands / "compile-golden").chmod(0o755)
    few = '#!/bin/sh\nexec /usr/bin/seq "$1" $(($1 + 4))\n'
    (commands / "seq").write_text(few)
    (commands / "seq").chmod(0o755)
    (tmp_path / ".github").mkdir()
    flaky = tmp_path / ".github" / "flaky.tsv"
    flaky.write_text("# what\ntorchfuzz\tsaid: is known\ttorch's\n")
    path = f"{commands}:/usr/bin:/bin"
    with pytest.raises(subprocess.CalledProcessError) as failed:
        run(step("Draw programs, and run each", SUITES), tmp_path, PATH=path)
    lines = failed.value.stdout.splitlines()
    seeds = [int(line.split()[1].rstrip(":")) for line in lines if "seed " in line]
    assert [seed % 50 for seed in seeds] == [1, 2, 3]
    first = seeds[0] - 1
    listed = (tmp_path / "failed-torchfuzz.txt").read_text()
    assert listed == f"torchfuzz: seed {first}: said: disagrees\n"
    assert "disagrees" in (tmp_path / f"failed-torchfuzz-{first}.py").read_text()
    flaky.write_text("torchfuzz\tdisagrees\tx\ntorchfuzz\tsaid: is known\tx\n")
    run(step("Draw programs, and run each", SUITES), tmp_path, PATH=path)
