"""What CASE means is the same in every command, and a name of no case is one error, before anything is run."""

from __future__ import annotations

import pytest

from pytest_compile_golden.cli import find_cases
from pytest_compile_golden.errors import UnknownName
from tests.paper import INI, PaperProject

CASES = """
import os, pytest

def test_ink(draw, golden):
    assert draw(ink=os.environ.get("INK", "a\\n")) == golden

@pytest.mark.parametrize("n", [1, 2])
def test_inks(draw, golden, n):
    assert draw(ink=os.environ.get("INK", "a\\n")) == golden
"""
FOLDER = "cases/test_paper/test_ink/paper-cpu"
WITHOUT_GOLDENS = (
    "class TestPress:\n    def test_own(self, draw):\n        assert draw(press='a')\n"
)


@pytest.fixture
def named(paper: PaperProject, monkeypatch: pytest.MonkeyPatch) -> PaperProject:
    paper.pytester.makeini(
        INI.replace("paper-gpu, paper-cpu", "paper-cpu, paper-gpu")
        + "compile_golden_dir = kept\n"
    )
    paper.test(CASES)
    paper.update().assert_outcomes(passed=6)
    paper.test(WITHOUT_GOLDENS, "cases/test_own.py")
    paper.run("--compile-golden-pending=pending", INK="b\n", torch="2.15.0")
    monkeypatch.chdir(paper.path)
    return paper


@pytest.mark.parametrize(
    "name",
    [
        f"kept/{FOLDER}",
        "cases/test_paper.py::test_ink[paper-cpu]",
        FOLDER,
        "test_ink[paper-cpu]",
        "test_ink/paper-cpu",
        "*::test_ink[[]paper-cpu]".replace("[[]", "["),
        "*test_ink/*cpu",
        "k[paper-cpu]",
    ],
)
def test_a_name_means_the_same_case_in_every_command(
    named: PaperProject, name: str
) -> None:
    assert find_cases.resolved(name) == "cases/test_paper.py::test_ink[paper-cpu]"
    shown = [line for line in named.command("history", name).outlines if "/" in line]
    assert shown == [f"kept/{FOLDER}"]
    pending = named.command(
        "show", "--pending=pending", f"--case={name}", "--full"
    ).stdout.str()
    assert (
        "test_ink[paper-cpu]" in pending
        and "paper-gpu" not in pending
        and "test_inks" not in pending
    )
    accepted = named.command("accept", "--pending=pending", f"--case={name}")
    accepted.stdout.fnmatch_lines(
        [f"new * kept/{FOLDER}/ink@torch-2.15.py", "accepted 1 artifact*"]
    )
    changed = named.command(
        "diff", "goldens@2.13.0", "goldens@2.15.0", f"--case={name}", "--full"
    ).stdout.str()
    assert "test_ink[paper-cpu]" in changed and "test_inks" not in changed


def test_of_a_test_with_several_cases_the_first_is_run(named: PaperProject) -> None:
    assert find_cases.resolved("test_ink") == "cases/test_paper.py::test_ink[paper-cpu]"
    assert (
        find_cases.resolved("test_inks")
        == "cases/test_paper.py::test_inks[1-paper-cpu]"
    )
    assert (
        find_cases.resolved("test_inks[2")
        == "cases/test_paper.py::test_inks[2-paper-cpu]"
    )
    assert find_cases.resolved("test_own") == "cases/test_own.py::TestPress::test_own"
    with pytest.raises(
        UnknownName,
        match=r"'test_in' names several tests: .*::test_ink, .*::test_inks. Name one",
    ):
        find_cases.resolved("test_in")
    inside = named.path / "cases"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(inside)
        assert (
            find_cases.resolved("test_ink")
            == "../cases/test_paper.py::test_ink[paper-cpu]"
        )


@pytest.mark.parametrize(
    "command",
    [
        ("history", "test_inc"),
        *(
            (verb, "--pending=pending", "--case=test_inc")
            for verb in ("show", "accept", "reject")
        ),
        ("bisect", "test_inc", "--good=2.13.0", "--bad=2.15.0"),
        ("bisect", "test_inc", "2.13.0", "2.15.0"),
        ("bisect", "--numerics", "test_inc"),
        ("prove", "test_inc", "--old=2.13.0"),
        ("trace", "test_inc"),
        ("eject", "test_inc", "--stage=fusion"),
        ("fuzz", "test_inc"),
        ("diff", "2.13.0", "2.15.0", "--case=test_inc"),
        ("diff", "goldens@2.13.0", "goldens@2.15.0", "--case=test_inc"),
        ("matrix", "2.13.0", "2.15.0", "--case=test_inc"),
        ("fidelity", "--target=native-cpu", "--case=test_inc"),
    ],
)
def test_a_name_of_no_case_is_one_error_before_anything_is_run(
    named: PaperProject, command: tuple[str, ...]
) -> None:
    named.command("accept", "--pending=pending", "--case=test_ink")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", "/nowhere")  # neither pip nor a Python is found
        result = named.command(*command)
    assert result.ret == 2 and result.outlines == []
    assert len(result.errlines) == 1, result.errlines
    result.stderr.fnmatch_lines(
        ["Error: no case * matches 'test_inc'; did you mean 'test_ink*"]
    )


def test_a_case_without_goldens_is_no_mistake(named: PaperProject) -> None:
    known = [
        "TestPress",
        "test_own",
        "cases/test_own.py::TestPress::test_own[paper-gpu]",
        "*test_own*",
        "test_own[x9]",
    ]
    find_cases.require([*known, "*cuda-sm90*", "test_ink"])
    for name in (
        "test_onw",
        "cases/test_won.py::TestPress::test_own",
        "*test_onw*",
        "cases/test_paper.py::test_own_",
    ):
        with pytest.raises(UnknownName):
            find_cases.require([name])
