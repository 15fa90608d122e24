"""diff, matrix and env: recordings, interpreters and versions as sides; what goes wrong is a side's result."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from pytest_compile_golden.cli import main
from pytest_compile_golden.common.installed_torch import torch_version
from pytest_compile_golden.recordings import recording
from pytest_compile_golden.report import json_report
from tests.forked import Forks
from tests.interpreters import index, interpreter, wheel
from tests.paper import INI, PaperProject

CPU = "--target=paper-cpu"
CASES = """
import os, time
from importlib import metadata
import pytest
from click.testing import CliRunner

BUILD = os.environ.get("BUILD", "0")

@pytest.mark.parametrize("n", range(3))
def test_alike(draw, golden, n):
    other = BUILD == "2" and n != 1
    tally = f"kernels = {2 if other else 1}\\nbytes_accessed = 2048\\n"
    assert draw(ink="b\\n" if other else "a\\n", tally=tally) == golden

def test_version(draw, golden):
    assert draw(press=f"{metadata.version('torch')}\\n" if BUILD == "pip" else "p\\n") == golden

def test_dies(draw, golden):
    if BUILD == "2":
        os._exit(3)
    assert draw(ink="a\\n") == golden

def test_hangs(draw, golden):
    if BUILD == "2":
        time.sleep(100)
    assert draw(ink="a\\n") == golden

def test_not_a_case():
    raise AssertionError("only cases are run")
"""


@pytest.fixture
def project(paper: PaperProject, monkeypatch: pytest.MonkeyPatch) -> PaperProject:
    monkeypatch.setenv("XDG_CACHE_HOME", str(paper.path / "cache"))
    monkeypatch.delenv("TERM", raising=False)
    paper.test(CASES)
    return paper


def test_two_interpreters(project: PaperProject, forks: Forks) -> None:
    one, two = (
        interpreter(project.path, f"python{build}", forks.python, BUILD=build)
        for build in "12"
    )
    arguments = ["--timeout=6", "--keep=kept", "--report=report.json", CPU]
    result = project.command("diff", str(one), str(two), *arguments)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "1 case: error on *python2 only: the process that ran it crashed*",
            "1 case: failed on *python2 only: Failed: no result after 6 s*",
            "2 cases: different line: - a  + b",
            "  kernels 2 -> 4 in 2 cases",
            "    cases/test_paper.py::test_alike[[]0-paper-cpu]",
            "      kernels  1 -> 2  REGRESSION",
            "6 cases: 2 unchanged, 2 changed (1 distinct change), 2 failed (2 distinct errors)*.",
        ]
    )
    result.stderr.fnmatch_lines(
        [f"{one}: running the suite", f"{one}: 6 cases on torch * in * s"]
    )
    assert (
        not project.goldens.exists() and not (project.path / ".pytest_cache").exists()
    )
    report = json.loads((project.path / "report.json").read_text())
    assert {case["outcome"] for case in report["cases"]} == {"changed", "error", "same"}

    # Kept recordings are sides like any other, and both are read without running anything.
    again = project.command(
        "diff", "kept/1", "kept/2", "--case=*test_alike*", "--format=markdown"
    )
    assert again.ret == 1 and "running the suite" not in again.stderr.str()
    again.stdout.fnmatch_lines(
        ["*3 cases: 1 unchanged, 2 changed (1 distinct change)*"]
    )
    assert project.command("diff", "kept/1", "kept/1").ret == 0
    full = project.command("diff", "kept/1", "kept/2", "--full", "--case=test_hangs")
    full.stdout.fnmatch_lines(
        [
            "cases/test_paper.py::test_hangs[[]paper-cpu[]]",
            "  failed on kept/2 only: *",
            "*time.sleep(100)*",
        ]
    )

    # Recordings may be of a torch that is not here.
    for number in (1, 2):
        run = json.loads((project.path / f"kept/{number}/run.json").read_text())
        (project.path / f"kept/{number}/run.json").write_text(
            json.dumps({**run, "torch": f"2.{number}.0+cpu"})
        )
    absent = project.command(
        "diff", "kept/1", "kept/2", "--sources", "--case=*test_alike*"
    )
    absent.stdout.fnmatch_lines(
        [
            "  what torch's authors changed is not shown: kept/1 is from torch 2.1.0, which is not installed here: "
            "`compile-golden env create 2.1.0`",
            "*kept/2 is from torch 2.2.0, which *",
        ]
    )
    assert (
        "authors"
        not in project.command(
            "diff", "kept/1", "kept/2", "--case=*test_alike*"
        ).stdout.str()
    )

    table = project.command("matrix", "kept/1", "kept/2")
    assert table.ret == 1
    table.stdout.fnmatch_lines(
        [
            "6 cases on 2 versions: 2 the same on all, 4 changed.",
            "case *2.1.0 *2.2.0  first divergence*",
            "*test_dies[[]paper-cpu[]] * failed *2.2.0: *crashed*",
            "*test_alike[[]0-paper-cpu[]] * 1 2.0 KiB - * 2 2.0 KiB -[*]  2.2.0: ink*",
            "kernels, bytes_accessed, graph_breaks; [*] differs from the previous version",
            "2 cases the same on every version; use --all to show them",
            "2.1.0 -> 2.2.0: 6 cases: 2 unchanged, 2 changed (1 distinct change), 2 failed *",
            "    2 cases  different line: - a  + b*",
            "6 cases on 2 versions: 2 the same on all, 4 changed.",
        ]
    )
    assert "test_alike[1-" not in table.stdout.str()


def test_the_texts_of_many_cases_are_there_until_the_command_ends(
    project: PaperProject, forks: Forks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "_MANY", 1)
    monkeypatch.chdir(project.path)
    several = [
        str(interpreter(project.path, f"python{build}", forks.python, BUILD=build))
        for build in "12"
    ]
    result = CliRunner().invoke(main, ["diff", *several, CPU, "--case=*test_alike*"])
    assert (
        result.exit_code == 1 and "2 cases: different line: - a  + b" in result.output
    ), result


def test_the_goldens_of_two_versions_are_sides(project: PaperProject) -> None:
    project.test(
        "def test_case(draw, golden):\n    assert draw(ink='x = 1\\n', press='a\\n') == golden\n"
    )
    project.update(torch="2.13.0+cpu")
    alone = project.command("diff", "goldens@2.13.0", "goldens@2.15.0")
    alone.stderr.fnmatch_lines(
        [
            "*nothing about torch 2.15.0: they were accepted on 2.13.0 alone. Accept them on *"
        ]
    )
    project.test(
        "def test_case(draw, golden):\n    assert draw(ink='x = 2\\n') == golden\n"
    )
    project.update(torch="2.15.0")
    for old, new, code, message in (
        ("2.13.0", "2.14.1", 0, "2 cases: 2 unchanged, 0 changed"),
        ("2.14.1", "2.15.0", 1, "2 cases: 0 unchanged, 2 changed (2 distinct changes)"),
        ("2.15.0", "2.15.0", 0, "2 cases: 2 unchanged, 0 changed"),
    ):
        result = project.command(
            "diff", f"goldens@{old}", f"goldens@{new}", "--report=r.json"
        )
        assert result.ret == code
        result.stdout.fnmatch_lines([f"{message}."])
        # Nothing ran, so nothing took time.
        assert [
            case.seconds for case in json_report.read(project.path / "r.json").cases
        ] == [None, None]
    for sides, options, error in (
        (
            ("goldens@2.13.0", "goldens@9.9"),
            (),
            "*nothing about torch 9.9: they were accepted from 2.13.0 to 2.15.0. *",
        ),
        (("goldens@1.0", "goldens@2.15.0"), (), "*nothing about torch 1.0: *"),
        (
            ("golden@2.13.0", "goldens@2.15.0"),
            (),
            "*no folder 'golden'; did you mean 'goldens'*",
        ),
        (
            ("goldens@2.13.0", "goldens@2.15.0"),
            ("--case=test_csae",),
            "*no case in goldens@2.13.0 matches 'test_csae'; *",
        ),
        (
            ("goldens@2.13.0", "goldens@2.15.0"),
            ("--target=h100",),
            "*no target in goldens@2.13.0 'h100'.*",
        ),
        (
            ("goldens@2.13.0", "goldens@2.15.0"),
            ("--stages=inks",),
            "*no stage in goldens@2.13.0 'inks'; *'ink'*",
        ),
        (
            ("goldens@2.13.0", "goldens@2.15.0"),
            ("--metric=kernel",),
            "*no metric 'kernel'*",
        ),
    ):
        wrong = project.command(
            "matrix" if "--metric=kernel" in options else "diff", *sides, *options
        )
        assert wrong.ret == 2
        wrong.stderr.fnmatch_lines([f"Error: {error}"])
    ink = project.command("diff", "goldens@2.13.0", "goldens@2.15.0", "--stages=press")
    assert ink.ret == 1 and "ink" not in ink.stdout.str()


def test_a_run_that_its_goldens_accept_differs_from_them_in_nothing(
    project: PaperProject,
) -> None:
    """Recordings have stages, and cases, that goldens say nothing about."""
    source = """
def test_one_stage(draw, golden):
    assert draw(ink='x = {0}\\n', press='a\\n') == golden
def test_all_stages(draw, golden):
    assert draw(ink='x\\n', press='b\\n') == golden
def test_own_assert(draw):
    assert draw(ink='x\\n')
"""
    project.test(source.format(1))
    project.update("--compile-golden-stages=ink", "-k", "one_stage")
    project.update("-k", "all_stages")
    for number in (1, 2):
        project.test(source.format(number))
        assert project.run(f"--compile-golden-record=run-{number}").ret == 0
    same = project.command("diff", "goldens@2.13.0", "run-1")
    same.stdout.fnmatch_lines(["4 cases: 4 unchanged, 0 changed."])
    assert same.ret == 0 and "policy" not in same.stdout.str()
    same.stdout.fnmatch_lines(["  not compared, because only run-1 has them: 2 cases"])
    assert project.command("diff", "run-1", "goldens@2.13.0").ret == 0
    changed = project.command("diff", "goldens@2.13.0", "run-2")
    changed.stdout.fnmatch_lines(
        ["4 cases: 2 unchanged, 2 changed (1 distinct change)."]
    )


def test_a_side_that_cannot_run_is_a_result_of_its_own(
    project: PaperProject, forks: Forks
) -> None:
    good = interpreter(project.path, "good", forks.python)
    bare = project.path / "bare"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S -E "$@"\n')
    bare.chmod(0o755)
    installed = (torch_version() or "").partition("+")[0]
    result = project.command(
        "matrix", str(good), str(bare), CPU, "--case=*version*", "--all"
    )
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [f"case *{installed} *{bare} *", "*test_version[[]paper-cpu] * - - - * - *"]
    )
    result.stdout.fnmatch_lines([f"{bare}: the suite did not run (exit status 1):*"])
    result.stderr.fnmatch_lines(
        ["*No module named pytest*", "*Install pytest-compile-golden*"]
    )
    result = project.command("diff", str(good), str(bare), CPU, "--case=test_versoin")
    assert result.ret == 2
    result.stderr.fnmatch_lines(
        ["Error: no case *matches 'test_versoin'; did you mean 'test_version'*"]
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["goldens", "2.13.0"], "is a folder, but neither a recorded run"),
        (
            ["yesterday", "2.13.0"],
            "neither a recorded folder, nor an interpreter, nor a torch version",
        ),
        (["pytest.ini", "2.13.0"], "is not executable"),
        (["2.13.0"], "Missing argument 'NEW'"),
        (
            ["2.13.0", "2.15.0", "--report=x.pdf"],
            "a report file must end in one of .json",
        ),
        (["2.13.0", "2.15.0", "--keep=cases"], "is not empty"),
    ],
)
def test_invalid_sides_and_options_are_usage_errors(
    project: PaperProject, arguments: list[str], message: str
) -> None:
    project.goldens.mkdir()
    (project.path / "pytest.ini").write_text(INI)
    result = project.command("diff", *arguments)
    assert result.ret == 2 and message in result.stderr.str()


def test_versions_are_installed_once_listed_and_removed(
    project: PaperProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    ini = INI + "compile_golden_requirements = paper_cases\n"
    project.pytester.makeini(ini)
    pip = f"--pip={index(project.path / 'wheels', '9.1.0')}"
    # A uv that sees none of the wheels: pip has to do.
    binaries = project.path / "bin"
    binaries.mkdir()
    (binaries / "uv").write_text(f'#!/bin/sh\necho "$@" >> {binaries}/asked\nexit 1\n')
    (binaries / "uv").chmod(0o755)
    monkeypatch.setenv("PATH", f"{binaries}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("BUILD", "pip")
    arguments = [CPU, "--case=*version*", pip]

    result = project.command("diff", "9.1.0", "9.3.0", *arguments)
    assert result.ret == 1
    asked = (binaries / "asked").read_text().splitlines()
    assert asked and all("--compile-bytecode" in line for line in asked), (
        "as pip does: torch starts sooner"
    )
    result.stderr.fnmatch_lines(
        ["9.1.0: installing torch 9.1.0 with pip, because uv failed"]
    )
    result.stderr.fnmatch_lines(["9.1.0: 1 case on torch 9.1.0 in *"])
    result.stdout.fnmatch_lines(
        ["  9.3.0: incomplete: torch 9.3.0 could not be installed: No matching *"]
    )
    listed = project.command("env", "list").stdout
    listed.fnmatch_lines(["torch-9.1.0-py3.*  9.1.0 * GiB  ????-??-??  *"])
    assert "9.3.0" not in listed.str()

    # A package other than the one torch requires: an environment of its own.
    wheel(project.path / "wheels", "triton", "3.8.0", {"triton/__init__.py": ""})
    pinned = project.command("diff", "9.1.0", "9.1.0 triton==3.8.0", *arguments)
    assert pinned.ret == 0
    pinned.stderr.fnmatch_lines(
        ["9.1.0 triton==3.8.0: installing triton==3.8.0 with pip, because uv failed"]
    )
    pinned.stdout.fnmatch_lines(["  9.1.0 triton==3.8.0: torch 9.1.0, triton 3.8.0, *"])
    refused = project.command("diff", "9.1.0", "9.1.0 =3", *arguments)
    assert (
        refused.ret == 2
        and "'=3' is not a requirement such as triton==3.8.0" in refused.stderr.str()
    )

    made = project.command("env", "create", "9.1.0", pip)
    python = Path(made.outlines[-1])
    assert python.exists() and made.ret == 0 and "installing" not in made.stderr.str()
    outside = project.command("env", "remove", "../../cases")
    assert (
        outside.ret == 2
        and "there is no environment" in outside.stderr.str()
        and (project.path / "cases").exists()
    )
    (project.path / "requirements.txt").write_text(
        "what the project needs may have changed"
    )
    again = project.command("env", "create", "9.1.0", pip)
    assert again.ret == 0 and "installing paper_cases" in again.stderr.str()
    assert "installing torch" not in again.stderr.str()
    (python.parents[1] / "environment.json").unlink()  # as a killed install leaves it
    project.command("env", "list").stdout.fnmatch_lines(
        ["torch-9.1.0-* never finished*"]
    )
    assert project.command("env", "remove", "--all").ret == 0
    assert not [path for path in python.parents[2].iterdir() if path.is_dir()]


PASSES = """
import pytest
from click.testing import CliRunner
from pytest_compile_golden.facts.graphs import GraphKey, Pass

@pytest.mark.compile_golden(stages=["passes"])
@pytest.mark.parametrize("name", ["more", "gone"])
def test_pass(name, draw, golden):
    drawn = draw()
    for ran, less, line in {rows}[name]:
        where = f"torch/_inductor/a.py:{{line}}"
        row = Pass(GraphKey(0), "joint", ran, where, 9, 9 - less, True, {{}}, {{"aten.mul": less}})
        drawn.record.add("passes", row)
    assert drawn == golden
"""


def test_a_location_is_a_link_to_the_torch_that_has_the_line(
    project: PaperProject,
) -> None:
    """Each golden was written by the version that changed it: what it says about lines is true of that version."""
    for torch, more, gone in (
        ("2.13.0", [("one", 1, 100)], [("one", 1, 100), ("two", 1, 110)]),
        ("2.14.1", [("one", 2, 200)], [("one", 1, 200), ("two", 1, 210)]),
        ("2.15.0", [("one", 2, 300)], [("one", 1, 300)]),
    ):
        project.test(PASSES.format(rows={"more": more, "gone": gone}))
        project.update("--compile-golden-target=paper-cpu", torch=torch)
    found = {}
    for new in ("2.14.1", "2.15.0"):
        assert (
            project.command(
                "diff", "goldens@2.13.0", f"goldens@{new}", "--report=r.json"
            ).ret
            == 1
        )
        for case in json_report.read(project.path / "r.json").cases:
            if case.divergence is not None:
                found[new, case.nodeid.partition("[")[2].partition("-")[0]] = (
                    case.divergence.where
                )
    assert found == {
        ("2.14.1", "more"): "torch/_inductor/a.py:200",
        ("2.15.0", "more"): "torch/_inductor/a.py:200@2.14.1",
        ("2.15.0", "gone"): "torch/_inductor/a.py:110@2.13.0",
    }
    assert (
        project.command("diff", "goldens@2.13.0", "goldens@2.15.0", "--report=r.md").ret
        == 1
    )
    links = (project.path / "r.md").read_text()
    assert (
        "/blob/v2.14.1/torch/_inductor/a.py#L200)" in links
        and "/blob/v2.13.0/torch/_inductor/a.py#L110)" in links
    )
    # A run names the lines of its own torch; only what is gone has none there.
    project.test(
        PASSES.format(rows={"more": [("one", 3, 400)], "gone": [("one", 1, 400)]})
    )
    output = project.run(
        "--compile-golden-target=paper-cpu", torch="2.15.0"
    ).stdout.str()
    assert (
        "torch/_inductor/a.py:400\n" in output
        and "torch/_inductor/a.py:300@" not in output
    )
