"""Kinds of update, reasons, and pruning: what is accepted, and what is never deleted."""

from __future__ import annotations

import shutil

import pytest

from tests.paper import INI, PaperProject

CPU = "--compile-golden-target=paper-cpu"
CASE = """
import os
def test_case(draw, golden):
    later = bool(os.environ.get("LATER"))
    drawn = draw(
        ink="a  # later\\n" if later else "a\\n",
        press="c\\n" if later else "b\\n",
        tally="bytes = 5\\nkernels = %d\\n" % (2 if later else 1),
    )
    assert drawn["ink"] == golden
    if later:
        assert drawn["ink"] == golden(name="fresh")
    assert drawn["press"] == golden
    assert drawn["tally"] == golden
"""
FOLDER = "cases/test_paper/test_case/paper-cpu"


@pytest.mark.parametrize(
    ("kinds", "accepted", "message"),
    [
        ("new", ["ink.fresh.py"], "press"),
        ("cosmetic", ["ink.py"], "missing golden: ink"),
        ("new,structural", ["ink.fresh.py", "press.txt"], "tally: kernels 1 -> 2"),
        ("new,metric", ["ink.fresh.py"], "press"),
        (
            "new,cosmetic,metric,structural",
            ["ink.fresh.py", "ink.py", "press.txt", "tally.toml"],
            None,
        ),
    ],
)
def test_only_the_named_kinds_are_accepted(
    paper: PaperProject, kinds: str, accepted: list[str], message: str | None
) -> None:
    paper.test(CASE)
    paper.update(CPU)
    before = paper.files()
    result = paper.run(CPU, f"--compile-golden-update={kinds}", LATER="1")
    assert result.ret == (0 if message is None else 1)
    if message:
        result.stdout.fnmatch_lines([f"FAILED *{message}"])
    after = paper.files()
    assert (
        sorted(
            name.rpartition("/")[2] for name in after if after[name] != before.get(name)
        )
        == accepted
    )


@pytest.mark.parametrize("kinds", ["", "all", "new,strctural"])
def test_unknown_kind_is_a_usage_error(paper: PaperProject, kinds: str) -> None:
    result = paper.run(f"--compile-golden-update={kinds}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*--compile-golden-update takes new, cosmetic, metric, structural*"]
    )


def test_damaged_golden_is_replaced_only_by_an_update_of_everything(
    paper: PaperProject,
) -> None:
    paper.test(CASE)
    paper.update(CPU)
    path = paper.goldens / FOLDER / "ink.py"
    path.write_bytes(path.read_bytes() + b"\xff")
    paper.run(CPU, "--compile-golden-update=new,structural").assert_outcomes(
        failed=1, deselected=1
    )
    assert path.read_bytes().endswith(b"\xff")
    paper.update(CPU).assert_outcomes(passed=1, deselected=1)


def test_reason_stays_beside_its_metric_until_the_metric_changes_again(
    paper: PaperProject,
) -> None:
    paper.test(CASE)
    paper.update(CPU)
    paper.update(CPU, "--compile-golden-reason", "two passes\nfor accuracy", LATER="1")
    tally = f"{FOLDER}/tally.toml"
    body = "bytes = 5\nkernels = 2  # was 1: two passes for accuracy\n"
    assert paper.files()[tally].endswith(f"\n\n{body}")
    result = paper.run(CPU, LATER="1")
    # The comment is not a difference, not even a cosmetic one.
    result.stdout.fnmatch_lines(["1 case: 1 unchanged, 0 changed."])
    paper.update(CPU, LATER="1")
    assert paper.files()[tally].endswith(body)
    paper.update(CPU)
    assert paper.files()[tally].endswith("\n\nbytes = 5\nkernels = 1\n")


TWO = """
def test_kept(draw, golden):
    assert draw(ink="a\\n") == golden
def test_dropped(draw, golden):
    assert draw(ink="a\\n") == golden
"""
ONE = TWO.partition("def test_dropped")[0]
PRUNE = "--compile-golden-prune"


@pytest.fixture
def dropped(paper: PaperProject) -> PaperProject:
    """A project with goldens of a test and of a test file that are gone; another file is outside testpaths."""
    paper.pytester.makeini(INI + "testpaths = cases\n")
    header = "# golden of pytest-compile-golden; x\n# stage: ink, torch: 2.13.0, triton: 3.7.1, normaliser: 1\n\na\n"
    for case in (
        "cases/test_paper/test_kept",
        "cases/test_paper/test_dropped",
        "cases/test_gone/test_x",
        "more/test_y/y",
    ):
        for target in ("paper-gpu", "paper-cpu"):
            path = paper.goldens / case / target / "ink.py"
            path.parent.mkdir(parents=True)
            path.write_text(header)
    paper.test(ONE)
    paper.test(ONE, "more/test_y.py")
    return paper


GONE = ["cases/test_gone/test_x", "cases/test_paper/test_dropped"]


def cases(paper: PaperProject) -> list[str]:
    return sorted(
        {name.rpartition("/")[0].rpartition("/")[0] for name in paper.files()}
    )


UNUSED = [
    "goldens of 4 cases that no longer exist (--snapshot-update removes them):",
    "  goldens/cases/test_gone/test_x/paper-cpu",
    "  goldens/cases/test_gone/test_x/paper-gpu",
    "  goldens/cases/test_paper/test_dropped/paper-cpu",
]


def test_complete_run_under_xdist_fails_for_unused_goldens_too(
    dropped: PaperProject,
) -> None:
    before = dropped.files()
    for warn in ([], ["--snapshot-warn-unused"]):
        result = dropped.run("-n2", *warn)
        result.assert_outcomes(passed=2)
        result.stdout.fnmatch_lines(UNUSED)
        assert result.ret == (0 if warn else 1)
    assert dropped.files() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "2 snapshots passed. 4 unused snapshots deleted."),
        (["-n2"], "pruned 4 goldens of 4 cases."),
        (["--snapshot-no-cleanup"], "goldens of 4 cases that no longer exist *"),
    ],
)
def test_update_of_a_complete_passing_run_deletes_unused_goldens(
    dropped: PaperProject, arguments: list[str], message: str
) -> None:
    mine = dropped.goldens / "cases/test_paper/test_dropped/paper-gpu/notes.md"
    mine.write_text("not a golden\n")
    result = dropped.run("--snapshot-update", *arguments)
    assert result.ret == 0
    result.stdout.fnmatch_lines([message])
    kept = (
        set(GONE)
        if "--snapshot-no-cleanup" in arguments
        else {"cases/test_paper/test_dropped"}
    )
    assert set(cases(dropped)) == {"cases/test_paper/test_kept", "more/test_y/y", *kept}
    assert mine.read_text() == "not a golden\n"


@pytest.mark.parametrize("arguments", [[], ["-n2"]])
def test_prune_on_a_complete_passing_run(
    dropped: PaperProject, arguments: list[str]
) -> None:
    mine = dropped.goldens / "cases/test_paper/test_dropped/paper-gpu/notes.md"
    mine.write_text("not a golden\n")
    result = dropped.run(PRUNE, *arguments)
    result.stdout.fnmatch_lines(
        ["*notes.md is not a golden*", "pruned 4 goldens of 4 cases."]
    )
    mine.unlink()
    # A file that the run did not collect keeps its goldens, and emptied folders are gone.
    assert cases(dropped) == ["cases/test_paper/test_kept", "more/test_y/y"]
    assert not (dropped.goldens / "cases/test_gone").exists()


def test_goldens_under_names_no_longer_used_are_reported_and_pruned(
    paper: PaperProject,
) -> None:
    paper.pytester.makeini(INI + "testpaths = cases\n")
    named = "def test_case(draw, golden):\n    assert draw(ink='a\\n') == golden(name='NAME')\n"
    paper.test(named.replace("NAME", "prefill"))
    assert paper.update().ret == 0
    paper.test(
        named.replace("NAME", "decode")
        + "    assert draw(ink='b\\n') == golden(name='decode')\n"
    )
    result = paper.update("-n2", "--snapshot-no-cleanup")
    result.stdout.fnmatch_lines(
        [
            "2 goldens under names that their cases no longer use (--snapshot-update removes them):",
            "  goldens/cases/test_paper/test_case/paper-cpu/ink.prefill.py",
        ]
    )
    assert paper.run("--compile-golden-stages=press,ink", PRUNE).ret == 0
    assert {name.rpartition("/")[2] for name in paper.files()} == {
        "ink.decode.py",
        "ink.decode.2.py",
    }


FAILING = ONE + "def test_fails(): assert 0\n"
CRASHING = (
    ONE + "def test_crash(compile_target):\n    import os; os.kill(os.getpid(), 11)\n"
)
SKIPPING = ONE + "import pytest\ndef test_skip(compile_target): pytest.skip('no')\n"


@pytest.mark.parametrize(
    ("arguments", "source", "why"),
    [
        (["-k", "kept"], ONE, "-k was given"),
        (["cases"], ONE, "paths were given"),
        (["-m", "not slow"], ONE, "-m was given"),
        (["-o", "addopts=--import-mode=importlib", "--lf"], ONE, "--lf was given"),
        (["-x"], ONE, "-x or --maxfail was given"),
        (["--maxfail=3"], ONE, "-x or --maxfail was given"),
        (
            ["--compile-golden-target=paper-cpu"],
            ONE,
            "*target was given; cases were deselected; 1 case was not run",
        ),
        ([], FAILING, "it did not pass"),
        ([], SKIPPING, "2 cases were skipped"),
        (["-n2"], SKIPPING, "2 cases were skipped"),
        (["-n2"], CRASHING, "a worker crashed*"),
        (
            [],
            "import pytest\npytest.skip('all', allow_module_level=True)\n",
            "cases/test_paper.py was skipped; *",
        ),
        ([], "syntax error\n", "cases/test_paper.py could not be collected; *"),
        ([], "def test_plain(): pass\n", "it has no cases"),
    ],
)
def test_an_incomplete_run_prunes_nothing_and_says_why(
    dropped: PaperProject, arguments: list[str], source: str, why: str
) -> None:
    dropped.test(source)
    before = dropped.files()
    result = dropped.run(PRUNE, *arguments)
    assert dropped.files() == before
    result.stdout.fnmatch_lines(
        [f"not pruned, because this run is not complete: {why}*."]
    )


def test_ambiguous_and_unsafe_module_names_are_found_on_disk(
    paper: PaperProject,
) -> None:
    paper.pytester.makeini(INI + "testpaths = cases\n")
    paper.test(ONE, "other parts/test_ä.py")
    paper.test(ONE)
    paper.update("other parts", "cases")
    assert len(cases(paper)) == 2
    paper.run(PRUNE)
    assert len(cases(paper)) == 2
    shutil.rmtree(paper.path / "other parts")
    paper.run(PRUNE)
    assert cases(paper) == ["cases/test_paper/test_kept"]
