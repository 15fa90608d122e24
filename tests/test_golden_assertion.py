"""`== golden`: what passes, what fails, what is written, and what is refused."""

from __future__ import annotations

import pytest

from tests.paper import PaperProject

CASE = """
import os
def test_case(draw, golden):
    assert draw(ink=os.environ.get("INK", "a\\n"), press="b\\n", tally="kernels = 1\\n") == golden
"""


def test_missing_golden_fails_with_the_command_that_accepts_it(
    paper: PaperProject,
) -> None:
    paper.test(CASE)
    result = paper.run()
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        [
            "*missing * no golden yet for ink, press, tally",
            '*accept * pytest --compile-golden "cases/test_paper.py::test_case[[]paper-gpu[]]" --snapshot-update',
        ]
    )
    assert not paper.goldens.exists()


def test_missing_golden_in_ci_says_so(paper: PaperProject) -> None:
    paper.test(CASE)
    result = paper.run(CI="true")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["FAILED *missing golden in CI*"])
    assert "in CI" not in paper.run(CI="false").stdout.str()


def test_the_printed_command_accepts(paper: PaperProject) -> None:
    paper.test(CASE)
    command = next(line for line in paper.run().outlines if line.startswith("  accept"))
    nodeid = command.split('"')[1]
    paper.plain("--compile-golden", nodeid, "--snapshot-update").assert_outcomes(
        passed=1
    )
    paper.run(nodeid).assert_outcomes(passed=1)


def test_accepting_twice_changes_no_file(paper: PaperProject) -> None:
    paper.test(CASE)
    paper.update().assert_outcomes(passed=2)
    before = {path: path.stat().st_mtime_ns for path in paper.goldens.rglob("*")}
    assert len(paper.files()) == 6
    paper.run().assert_outcomes(passed=2)
    result = paper.update()
    result.assert_outcomes(passed=2)
    assert {
        path: path.stat().st_mtime_ns for path in paper.goldens.rglob("*")
    } == before
    result.stdout.fnmatch_lines(["2 cases: 2 unchanged, 0 changed."])


def test_change_fails_until_accepted(paper: PaperProject) -> None:
    paper.test(CASE)
    paper.update()
    result = paper.run("--full-trace", INK="c\n")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        ["E * == golden", "E *cases/test_paper/test_case/paper-gpu/ink.py: structural"]
    )
    assert "a\n" in paper.files()["cases/test_paper/test_case/paper-cpu/ink.py"]
    result = paper.update(INK="c\n")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["golden files: 2 updated."])
    paper.run(INK="c\n").assert_outcomes(passed=2)


def test_cosmetic_difference_passes_and_is_counted(paper: PaperProject) -> None:
    paper.test(CASE)
    paper.update()
    before = paper.files()
    result = paper.run(INK="a  # differs\n")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["2 cases: 2 unchanged, 0 changed."])
    assert paper.files() == before
    paper.update(INK="a  # differs\n")
    assert "# differs" in paper.files()["cases/test_paper/test_case/paper-cpu/ink.py"]


def test_newer_torch_writes_overlays_only_for_what_differs(paper: PaperProject) -> None:
    paper.test(CASE)
    paper.update("--compile-golden-target=paper-cpu", torch="2.13.0+cpu")
    paper.update("--compile-golden-target=paper-cpu", torch="2.15.0+cu130", INK="c\n")
    folder = "cases/test_paper/test_case/paper-cpu"
    names = [
        f"{folder}/{name}"
        for name in ("ink.py", "ink@torch-2.15.py", "press.txt", "tally.toml")
    ]
    assert list(paper.files()) == names
    paper.run("--compile-golden-target=paper-cpu").assert_outcomes(
        passed=1, deselected=1
    )
    paper.run(
        "--compile-golden-target=paper-cpu", torch="2.15.1", INK="c\n"
    ).assert_outcomes(passed=1, deselected=1)
    paper.run("--compile-golden-target=paper-cpu", torch="2.15.1").assert_outcomes(
        failed=1, deselected=1
    )


def test_single_artifacts_numbers_and_names(paper: PaperProject) -> None:
    paper.test("""
def test_case(draw, golden):
    drawn = draw(ink="a\\n", press="b\\n")
    assert drawn["ink"] == golden
    assert golden == drawn["ink"]
    assert drawn["ink"] == golden(name="decode")
    assert drawn == golden(name="decode")
    assert drawn["press"] == golden
""")
    paper.update("--compile-golden-target=paper-cpu").assert_outcomes(
        passed=1, deselected=1
    )
    assert [name.rpartition("/")[2] for name in paper.files()] == [
        "ink.2.py",
        "ink.decode.2.py",
        "ink.decode.py",
        "ink.py",
        "press.decode.txt",
        "press.txt",
    ]
    paper.run("--compile-golden-target=paper-cpu").assert_outcomes(
        passed=1, deselected=1
    )


@pytest.mark.parametrize(
    "negated",
    ["drawn != golden", "golden != drawn", 'drawn["ink"] != golden(name="other")'],
)
def test_not_equal_is_an_error_and_writes_nothing(
    paper: PaperProject, negated: str
) -> None:
    paper.test(f"""
def test_case(draw, golden):
    drawn = draw(ink="a\\n")
    assert {negated}
""")
    for result in (
        paper.update("--compile-golden-target=paper-cpu"),
        paper.run("--compile-golden-target=paper-cpu"),
    ):
        result.assert_outcomes(failed=1, deselected=1)
        result.stdout.fnmatch_lines(["  golden is only compared with ==*"])
    assert paper.files() == {}


def test_comparison_outside_of_an_assert(paper: PaperProject) -> None:
    paper.test("""
def test_case(draw, golden):
    draw(ink="a\\n")["ink"] == golden
    assert 1 + 1 == 3
""")
    result = paper.run("--compile-golden-target=paper-cpu")
    result.assert_outcomes(failed=1, deselected=1)
    # The assertion that failed is the user's own, and is shown as such.
    result.stdout.fnmatch_lines(["*assert (1 + 1) == 3*"])
    assert "missing golden" not in result.stdout.str()


def test_stage_that_went_away_fails(paper: PaperProject) -> None:
    paper.test(CASE)
    paper.update()
    paper.test(CASE.replace('press="b\\n", ', ""))
    result = paper.run()
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        ["*first divergence  press (gone: this compile has none)"]
    )
    paper.update().stdout.fnmatch_lines(["golden files: * removed."])
    assert not any("press" in name for name in paper.files())
    paper.run().assert_outcomes(passed=2)


def test_unavailable_stage_is_reported_and_the_others_are_checked(
    paper: PaperProject,
) -> None:
    paper.test(CASE)
    paper.update()
    paper.test(
        CASE.replace(
            "draw(", "draw(unavailable={'press': 'torch._inductor.press is gone'}, "
        )
    )
    result = paper.run()
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        [
            "press is unavailable on torch 2.13.0+cpu: torch._inductor.press is gone (2 cases)."
        ]
    )
    paper.run(INK="c\n").assert_outcomes(failed=2)
    before = paper.files()
    paper.update()
    assert paper.files() == before


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "assert 3 == golden",
            "golden compares a stage's artifact or a whole capture, not a int.*",
        ),
        (
            "assert draw(ink='a')['ink'].text == golden",
            "golden compares *, not a str.*",
        ),
        (
            "assert draw(ink='a') == golden(index=2)",
            "golden() only takes name=, not index.",
        ),
        (
            "assert draw(ink='a') == golden(name='../x')",
            "golden(name='../x') cannot name a file*",
        ),
        ("assert draw(ink=' \\n') == golden", "stage ink rendered an empty text*"),
        (
            "assert draw(target='cuda-sm80', ink='a') == golden",
            "a capture for cuda-sm80 was compared in a case for*",
        ),
        (
            "assert draw(foil='a') == golden",
            "none of the stages to check (ink, press, tally) exists in this capture*",
        ),
    ],
)
def test_misuse_gives_one_message_at_the_case(
    paper: PaperProject, body: str, message: str
) -> None:
    paper.test(f"def test_case(draw, golden):\n    {body}\ndef test_fine(): pass\n")
    result = paper.run("--compile-golden-target=paper-cpu")
    result.assert_outcomes(failed=1, passed=1, deselected=1)
    result.stdout.fnmatch_lines(["  at *cases/test_paper.py:2", f"  {message}"])
    # Once, however many stages there are, and once more in pytest's own list.
    assert result.stdout.str().count("cannot name a file") <= 2
    assert (
        "Traceback" not in result.stdout.str()
        and "def test_case" not in result.stdout.str()
    )


def test_all_bad_goldens_of_a_case_are_named_and_kept(paper: PaperProject) -> None:
    paper.test(CASE)
    paper.update()
    folder = paper.goldens / "cases/test_paper/test_case/paper-cpu"
    (folder / "ink.py").write_text("print('mine')\n")
    (folder / "press.txt").write_bytes(b"\xff")
    tally = folder / "tally.toml"
    whole = tally.read_text()
    tally.write_text(f"<<<<<<< HEAD\n{whole}=======\n{whole}>>>>>>> theirs\n")
    for run in (paper.run, paper.update):
        result = run()
        if run == paper.run:
            result.stdout.fnmatch_lines(
                [
                    "*tally.toml is damaged: it contains merge conflict markers. Take one side*"
                ]
            )
        result.assert_outcomes(failed=1, passed=1)
        result.stdout.fnmatch_lines(
            ["*ink.py is not a golden*", "*press.txt is not a golden*"]
        )
    assert (
        folder / "ink.py"
    ).read_text() == "print('mine')\n" and tally.read_text() == whole


def test_late_request_of_a_fixture_is_explained(paper: PaperProject) -> None:
    paper.test("def test_late(request):\n    request.getfixturevalue('golden')\n")
    result = paper.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*Make the fixture (or compile_target) an argument of the test.*"]
    )


def test_a_unittest_test_case_is_refused(paper: PaperProject) -> None:
    paper.test(
        "import unittest\n"
        "import pytest\n"
        "class TestOld(unittest.TestCase):\n"
        "    @pytest.fixture(autouse=True)\n"
        "    def prepare(self, golden):\n"
        "        self.golden = golden\n"
        "    def test_one(self):\n"
        "        pass\n"
    )
    result = paper.run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            "*test_one belongs to a unittest.TestCase*Write it as a function*or derive*unittest.CompileGoldenTestCase*"
        ]
    )


def test_partial_update_deletes_nothing(paper: PaperProject) -> None:
    paper.test(CASE)
    paper.test(CASE, "cases/test_second.py")
    paper.update()
    before = paper.files()
    paper.update("-k", "second", "--compile-golden-target=paper-gpu")
    paper.update("cases/test_paper.py", "-x", INK="  \n")
    (paper.path / "cases/test_second.py").unlink()
    paper.update(INK="  \n").assert_outcomes(failed=2)
    assert paper.files() == before


def test_case_is_counted_once_whatever_phase_fails(paper: PaperProject) -> None:
    paper.test("""
import pytest
from pytest_compile_golden import CompileGoldenError
@pytest.fixture
def before(compile_target):
    raise CompileGoldenError("nothing to set up; try another.")
@pytest.fixture
def after(compile_target):
    yield
    raise CompileGoldenError("nothing to tear down; try another.")
def test_setup(before, draw, golden): ...
def test_teardown(after, draw, golden):
    assert draw(ink="a") == golden
""")
    result = paper.update("--compile-golden-target=paper-cpu")
    result.assert_outcomes(passed=1, errors=2, deselected=2)
    result.stdout.fnmatch_lines(
        [
            "  nothing to set up; try another.",
            "  nothing to tear down; try another.",
            "2 cases: 1 *, 0 changed, 1 failed (1 distinct error).",
        ]
    )
    assert (
        "Traceback" not in result.stdout.str()
        and "def after" not in result.stdout.str()
    )
