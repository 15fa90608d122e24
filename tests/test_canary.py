"""The canary: tiny programs with facts that hold for any torch, and what is told of a torch that does not show them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_compile_golden.api.compat_check import kept_readings
from pytest_compile_golden.api.compat_check.reading import Reading, UnreadStage, merged
from pytest_compile_golden.features.virtual_gpu.child_processes import variables
from pytest_compile_golden.report import markdown
from pytest_compile_golden.report.case_groups import grouped
from pytest_compile_golden.report.json_report import merge
from pytest_compile_golden.report.model import CaseReport, Report, Side
from pytest_compile_golden.report.run_summary import issue_title
from tests.forked import Forks
from tests.paper import PaperProject
from tests.test_nightly import SITECUSTOMIZE

ROOT = Path(__file__).parents[1]
UNREAD = Reading(
    "2.16.0",
    ("cuda-sm90", "cpu-avx2"),
    ("passes", "lowered_ir"),
    (UnreadStage("cpu-avx2", "passes", "torch.a.b is gone"),),
)


def doctor(
    folder: Path, *arguments: str, python: str | Path = sys.executable
) -> subprocess.CompletedProcess[str]:
    """`compile-golden doctor ARGUMENTS` in a process of its own, whose caches are in `folder`."""
    environment = {
        **os.environ,
        "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}",
        "XDG_CACHE_HOME": str(folder / "cache"),
    }
    command = [python, "-m", "pytest_compile_golden", "doctor", *arguments]
    return subprocess.run(
        command,
        env=environment,
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
        timeout=300,
    )


def test_the_installed_torch_can_be_read_and_the_answer_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forks_with_torch: Forks
) -> None:
    # No compiler here is for the latter.
    done = doctor(
        tmp_path, "--try", "cpu-avx2", "cpu-neon", python=forks_with_torch.python
    )
    assert "stages can be read on cpu-avx2, cpu-neon" in done.stdout
    assert done.returncode == 0
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    answer = kept_readings.known("cpu-avx2")
    assert (
        answer is not None
        and answer.unread == ()
        and {"lowered_ir", "guards", "cost"} <= {*answer.stages}
    )
    assert kept_readings.known("cuda-sm90") is None


@pytest.mark.wide
def test_a_torch_that_moved_an_internal_is_told_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        SITECUSTOMIZE.format(names=("log_ir_pre_fusion",))
    )
    done = doctor(tmp_path, "--try", "cpu-avx2")
    assert done.returncode == 1
    assert "this torch cannot be read yet: 1 of 25 stages (cpu-avx2)" in done.stdout
    assert (
        "    lowered_ir: torch._inductor.debug.log_ir_pre_fusion is gone" in done.stdout
    )


def test_a_run_on_a_virtual_gpu_tries_the_torch_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for name, value in variables("h100", 1, "graph", ROOT).items():
        monkeypatch.setenv(name, value)
    [asked] = kept_readings.ask(["cpu-avx2"])
    [reading] = asked.wait()
    assert reading.unread == ()


@pytest.mark.wide
def test_the_reasons_of_the_scheduler_are_tried_too() -> None:
    from pytest_compile_golden import capture
    from pytest_compile_golden.api.compat_check.__main__ import PIECES

    captured = capture(target="cpu-avx2", **PIECES.options())
    assert "not fused:" in str(captured["scheduler_nodes"])


def test_a_process_that_dies_leaves_no_stage_readable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nif 'pytest_compile_golden.api.compat_check' in sys.orig_argv: raise SystemExit('no such library')"
    )
    done = doctor(tmp_path, "--try", "cpu-avx2")
    assert done.returncode == 1 and "no such library" in done.stdout


def test_a_run_tells_what_an_earlier_one_found(
    paper: PaperProject, monkeypatch: pytest.MonkeyPatch, forks_with_torch: Forks
) -> None:
    paper.compiles(forks_with_torch)
    monkeypatch.setenv("XDG_CACHE_HOME", str(paper.path / "cache"))
    unread = Reading(UNREAD.torch, ("cpu-avx2",), UNREAD.stages, UNREAD.unread)
    kept_readings.write(unread, paper.path)
    path = kept_readings._kept_at("cpu-avx2")
    path.parent.mkdir(parents=True)
    (paper.path / "cpu-avx2.json").rename(path)
    paper.test(
        "def test_drawn(draw, golden):\n    assert draw(ink='black')['ink'] == golden"
    )
    arguments = (
        "-o",
        "compile_golden_target=cpu-avx2",
        "--compile-golden-report=r.json",
    )
    result = paper.update(*arguments)
    result.stdout.fnmatch_lines(
        ["this torch cannot be read yet: 1 of 2 stages", "  passes: torch.a.b is gone"]
    )
    title = paper.command("report", "title", "r.json")
    assert "this torch cannot be read yet: 1 of 2 stages" in title.stdout.str()


def test_only_a_torch_that_our_suite_did_not_run_with_is_tried(
    paper: PaperProject, monkeypatch: pytest.MonkeyPatch, forks_with_torch: Forks
) -> None:
    paper.compiles(forks_with_torch)
    monkeypatch.setenv("XDG_CACHE_HOME", str(paper.path / "cache"))
    monkeypatch.setenv("PYTHONPATH", str(paper.path), prepend=os.pathsep)
    paper.starts_afresh()  # what is forked does not read sitecustomize
    (paper.path / "sitecustomize.py").write_text(
        "import sys\nif 'pytest_compile_golden.api.compat_check' in sys.orig_argv: raise SystemExit('it was tried')"
    )
    paper.test(
        "def test_drawn(draw, golden):\n    assert draw(ink='black')['ink'] == golden"
    )
    target = ("-o", "compile_golden_target=cpu-avx2")
    paper.update(*target).stdout.no_fnmatch_line("*it was tried*")
    with (paper.path / "conftest.py").open("a", encoding="utf-8") as conftest:
        conftest.write(
            "\nfrom pytest_compile_golden.api.compat_check import kept_readings\nkept_readings.NEWEST_TORCH = '2.8'\n"
        )
    paper.run(*target).stdout.fnmatch_lines(["*it was tried*"])


def report(*cases: CaseReport, reading: Reading | None = None) -> Report:
    return Report(
        "t",
        Side("goldens"),
        Side("this run", "2.16.0"),
        cases,
        grouped(cases),
        reading=reading,
    )


def failed(
    number: int, target: str, error: str, raised_in: str = "torch/cuda/__init__.py:7"
) -> CaseReport:
    where = f", at test_a.py:{number}: x.cos()"
    nodeid = f"cases/test_a.py::test_{number}[{target}]"
    return CaseReport(
        nodeid, target, "error", error=f"{error}{where}\n  more", raised_in=raised_in
    )


def test_a_report_begins_with_what_cannot_be_read_and_needs_a_look() -> None:
    same = CaseReport("test_a[cpu-avx2]", "cpu-avx2", "same")
    made = merge([report(same, reading=UNREAD), report(same)])
    assert made.differs and not report(same).differs
    assert (
        issue_title(made)
        == "torch 2.16.0: this torch cannot be read yet: 1 of 2 stages"
    )
    assert (
        issue_title(report(same)) == "torch.compile behaves differently on torch 2.16.0"
    )
    assert "passes on cpu-avx2: torch.a.b is gone" in markdown.render(made).replace(
        "\\", ""
    )


def test_readings_of_targets_are_one() -> None:
    other = Reading(
        "2.16.0",
        ("cuda-sm80",),
        ("lowered_ir", "ptx"),
        (UnreadStage("cuda-sm80", "ptx", "torch.a.b is gone"),),
    )
    both = merged([UNREAD, other])
    assert both is not None
    assert both.title == "this torch cannot be read yet: 2 of 3 stages"
    assert both.reasons == ("passes, ptx on cpu-avx2, cuda-sm80: torch.a.b is gone",)


def test_most_cases_of_a_target_failing_alike_are_one_finding_about_the_target() -> (
    None
):
    error = "TypeError: lazy_init() takes 0 positional arguments"
    broken = [
        failed(number, "cuda-sm90", f"{error} <a at 0x7f28{number}>")
        for number in range(4)
    ]
    fine = CaseReport("test_a[cuda-sm90]", "cuda-sm90", "same")
    own = failed(9, "cpu-avx2", "RuntimeError: no")
    groups = grouped(
        [*broken, fine, own, CaseReport("test_b[cpu-avx2]", "cpu-avx2", "same")]
    )
    assert [group.text for group in groups] == [
        f"4 of 5 cases for cuda-sm90 fail with the same error, which was raised in torch: {error} <a> "
        "(torch/cuda/__init__.py:7)",
        "RuntimeError: no",
    ]
    assert {*groups[0].members} == {case.nodeid for case in broken}


def test_a_few_cases_failing_alike_are_their_own_affair() -> None:
    cases = [failed(number, "cpu-avx2", "RuntimeError: no") for number in range(2)]
    assert [group.text for group in grouped(cases)] == ["RuntimeError: no"]
    many = [CaseReport(f"test_{n}[cpu-avx2]", "cpu-avx2", "same") for n in range(9)]
    more = [failed(number, "cpu-avx2", "RuntimeError: no") for number in range(4)]
    assert [group.text for group in grouped([*more, *many])] == ["RuntimeError: no"]


def test_an_error_that_was_not_raised_in_torch_is_no_finding_about_it() -> None:
    cases = [
        failed(number, "cpu-avx2", "OSError: set HF_TOKEN", raised_in="")
        for number in range(4)
    ]
    assert [group.text for group in grouped(cases)] == ["OSError: set HF_TOKEN"]


BROKEN = """
import os, pytest
from pytest_compile_golden.errors import UnsupportedTorch
from pytest_compile_golden.common.lines import split_lines
def check(count):
    assert count == 3
def load():
    raise OSError("set HF_TOKEN")
@pytest.mark.parametrize("n", range(4))
def test_broken(draw, golden, n):
    assert draw(ink="black") == golden
    if "2.13" not in os.environ["PAPER_TORCH"]:
        {statement}
"""


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        (
            "split_lines(None)",
            "raised in pytest-compile-golden: *AttributeError: * (pytest_compile_golden/common/lines.py:*)",
        ),
        ("raise UnsupportedTorch('torch.a is gone')", ""),
        ("raise RuntimeError('no such thing')", ""),
        ("load()", ""),
        ("check(4)", ""),
        ("import einops_that_is_missing", ""),
        ("from pytest_compile_golden.common.lines import einops", ""),
    ],
)
def test_only_an_error_raised_in_torch_or_this_package_is_one_finding(
    paper: PaperProject, statement: str, found: str
) -> None:
    """In the summary of a run, and in a comparison of two recordings."""
    paper.test(BROKEN.format(statement=statement))
    target = "--compile-golden-target=paper-cpu"
    paper.update(target).assert_outcomes(passed=4, deselected=4)
    paper.run(target, "--compile-golden-record=old").assert_outcomes(
        passed=4, deselected=4
    )
    run = paper.run(target, torch="2.15.0")
    run.assert_outcomes(failed=4, deselected=4)
    paper.run(target, "--compile-golden-record=new", torch="2.15.0").assert_outcomes(
        failed=4, deselected=4
    )
    compared = paper.command("diff", "old", "new")
    for result in (run, compared):
        if found:
            result.stdout.fnmatch_lines(
                [
                    f"*4 of 4 cases for paper-cpu fail with the same error, which was {found}*"
                ]
            )
        else:
            assert "fail with the same error" not in result.stdout.str()
