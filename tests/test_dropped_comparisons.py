"""A case fails if a comparison in it did, whatever the test does with the result, and if it compares no golden."""

from __future__ import annotations

import sys

import pytest

from pytest_compile_golden.report import json_report
from tests.paper import INI, PaperProject

HEAD = """
import contextlib
import os
import threading

import pytest

INK = os.environ.get("INK", "a\\n")


def is_golden(drawn, golden):
    return drawn == golden


@pytest.fixture
def compared_before(draw, golden):
    draw(ink=INK) == golden


@pytest.fixture
def compared_after(draw, golden):
    yield
    draw(ink=INK) == golden


@pytest.fixture
def asserted_after(draw, golden):
    yield
    assert draw(ink=INK) == golden
"""
DROPPED = {
    "caught": """
def test_case(draw, golden):
    try:
        assert draw(ink=INK) == golden
    except AssertionError:
        pass
""",
    "suppressed": """
def test_case(draw, golden):
    with contextlib.suppress(AssertionError):
        assert draw(ink=INK) == golden
""",
    "or": """
def test_case(draw, golden):
    assert draw(ink=INK) == golden or True
""",
    "no assert": """
def test_case(draw, golden):
    draw(ink=INK) == golden
""",
    "tuple": """
def test_case(draw, golden):
    assert (draw(ink=INK) == golden, "is as before")
""",
    "returned": """
def test_case(draw, golden):
    is_golden(draw(ink=INK), golden)
""",
    "in a list": """
def test_case(draw, golden):
    assert (draw(ink=INK) == golden) in [True, False]
""",
    "in": """
def test_case(draw, golden):
    assert (draw(ink=INK) in [golden]) or "new"
""",
    "negated": """
def test_case(draw, golden):
    same = draw(ink=INK) == golden
    assert not same or INK == "a\\n"
""",
    "expected": """
def test_case(draw, golden):
    with contextlib.ExitStack() as stack:
        if INK != "a\\n":
            stack.enter_context(pytest.raises(AssertionError))
        assert draw(ink=INK) == golden
""",
    "in a thread": """
@pytest.mark.filterwarnings("ignore")
def test_case(draw, golden):
    def check():
        assert draw(ink=INK) == golden

    thread = threading.Thread(target=check)
    thread.start()
    thread.join()
""",
    "before another": """
def test_case(draw, golden):
    drawn = draw(ink=INK, press="b\\n")
    drawn["ink"] == golden
    assert drawn["press"] == golden
""",
    "skipped": """
def test_case(draw, golden):
    if not draw(ink=INK) == golden:
        pytest.skip("it is another one")
""",
    "in the setup": """
def test_case(compared_before):
    pass
""",
}
AFTER = {
    "dropped in the teardown": """
def test_case(compared_after):
    pass
""",
    "asserted in the teardown": """
def test_case(asserted_after):
    pass
""",
    "in a method": """
class TestIt:
    @pytest.fixture(autouse=True)
    def hold(self):
        yield
        self.drawn == self.golden

    def test_case(self, draw, golden):
        self.drawn, self.golden = draw(ink=INK), golden
""",
}
ON_ONE = ("--compile-golden-target=paper-cpu", "--compile-golden-pending=left")


def test_a_dropped_comparison_fails_its_case(paper: PaperProject) -> None:
    for number, body in enumerate(DROPPED.values()):
        paper.test(HEAD + body, f"cases/test_{number}.py")
    several = len(DROPPED)
    paper.update(*ON_ONE).assert_outcomes(passed=several, deselected=several)
    paper.run(*ON_ONE).assert_outcomes(passed=several, deselected=several)
    options = ("-n2", "--compile-golden-strict", "--compile-golden-report=r.json")
    for more in ((), options):
        result = paper.run(*ON_ONE, *more, INK="c\n")
        failed = {
            line.split(" - ")[0].partition("test_")[2].partition(".")[0]
            for line in result.outlines
            if "FAILED" in line
        }
        assert [
            way for number, way in enumerate(DROPPED) if str(number) not in failed
        ] == []
        assert result.ret == 1
        result.stdout.fnmatch_lines(
            [
                "cases/test_*.py::test_case[[]paper-cpu[]]  *",
                "  not asserted      a comparison with golden fails its case even *",
                "  first divergence  ink*",
                f"{several} cases: 0 unchanged, {several} changed (1 distinct change). compile-golden review*",
            ]
        )
    assert {case.outcome for case in json_report.read(paper.path / "r.json").cases} == {
        "changed"
    }
    assert paper.command("accept", "--pending=left").ret == 0
    assert all(
        text.endswith("c\n")
        for name, text in paper.files().items()
        if name.endswith("ink.py")
    )


def test_so_does_one_in_a_teardown(paper: PaperProject) -> None:
    for number, body in enumerate(AFTER.values()):
        paper.test(HEAD + body, f"cases/test_{number}.py")
    several = len(AFTER)
    paper.update(*ON_ONE).assert_outcomes(passed=several, deselected=several)
    paper.run(*ON_ONE).assert_outcomes(passed=several, deselected=several)
    for more in ((), ("-n2",)):
        result = paper.run(*ON_ONE, *more, INK="c\n")
        result.assert_outcomes(
            passed=several, errors=several, deselected=0 if more else several
        )
        assert (
            sum(line.startswith("  first divergence  ink") for line in result.outlines)
            == several
        )
        # One of them was asserted.
        assert (
            sum(line.startswith("  not asserted ") for line in result.outlines)
            == several - 1
        )
        result.stdout.fnmatch_lines(
            [
                f"{several} cases: 0 unchanged, {several} changed (1 distinct change). compile*"
            ]
        )
    assert paper.command("accept", "--pending=left").ret == 0
    paper.run(*ON_ONE, INK="c\n").assert_outcomes(passed=several, deselected=several)


def test_a_failure_that_is_told_is_not_told_again(paper: PaperProject) -> None:
    paper.test(
        HEAD
        + """
@pytest.fixture
def asserted_before(draw, golden):
    assert draw(ink=INK) == golden

def test_in_the_setup(asserted_before): ...

def test_in_the_call(draw, golden):
    assert draw(ink=INK) == golden

def test_by_another_assert(draw, golden):
    draw(ink=INK) == golden
    assert INK == "a\\n"

@pytest.mark.xfail
def test_expected(draw, golden):
    assert draw(ink=INK) == golden

@pytest.mark.xfail(raises=AssertionError, strict=True, condition=INK != "a\\n", reason="")
def test_expected_and_dropped(draw, golden):
    draw(ink=INK) == golden

def test_expected_later(draw, golden):
    if not draw(ink=INK) == golden:
        pytest.xfail("it is another one")
"""
    )
    paper.update(*ON_ONE).assert_outcomes(passed=5, xpassed=1, deselected=6)
    result = paper.run(*ON_ONE, INK="c\n")
    result.assert_outcomes(errors=1, failed=2, xfailed=3, deselected=6)
    assert not any("not asserted" in line for line in result.outlines)


def test_what_an_update_accepts_has_not_failed(paper: PaperProject) -> None:
    paper.test(
        HEAD
        + """
def test_case(draw, golden):
    draw(ink=INK, tally=f"kernels = {len(INK)}\\n") == golden
"""
    )
    paper.update(*ON_ONE)
    result = paper.run("--compile-golden-update=metric", *ON_ONE, INK="cc\n")
    result.assert_outcomes(failed=1, deselected=1)
    result.stdout.fnmatch_lines(["  first divergence  ink*"])
    paper.update(*ON_ONE, INK="cc\n").assert_outcomes(passed=1, deselected=1)


def test_an_error_in_a_comparison_fails_its_case_too(paper: PaperProject) -> None:
    paper.test(
        HEAD
        + """
def test_damaged(draw, golden):
    with contextlib.suppress(Exception):
        assert draw(ink=INK) == golden

def test_negated(draw, golden):
    with contextlib.suppress(Exception):
        assert draw(ink=INK) != golden

def test_of_text(draw, golden):
    with contextlib.suppress(Exception):
        assert "ink" == golden
"""
    )
    paper.run("--snapshot-update", "-k", "damaged", *ON_ONE)
    (golden,) = paper.goldens.rglob("ink.py")
    golden.write_bytes(golden.read_bytes() + b"\xff")
    result = paper.run(*ON_ONE)
    result.assert_outcomes(failed=3, deselected=3)
    result.stdout.fnmatch_lines(
        [
            "  at                cases/test_paper.py:33",
            "  *ink.py is damaged: it is not UTF-8*",
            "  golden is only compared with ==*",
            "  golden compares a stage's artifact or a whole capture, not a str.*",
        ]
    )


NOT_COMPARED = """
import os
import pytest
from helper import check

LEAVES = "LEAVES" in os.environ


@pytest.mark.parametrize("size", ["small", "large"])
def test_left_early(draw, golden, size):
    if size == "small" and LEAVES:
        return
    assert draw(ink="a") == golden


def test_behind_an_if(draw, golden):
    if not LEAVES:
        assert draw(ink="a")["ink"] == golden(name="decode")


@pytest.fixture
def compared_at_times(draw, golden):
    yield
    assert LEAVES or draw(ink="a") == golden


def test_in_the_teardown_at_times(compared_at_times): ...


@pytest.fixture
def compared_after(draw, golden):
    yield
    assert draw(ink="a") == golden


def test_in_the_teardown(compared_after): ...


class TestHeld:
    def teardown_method(self):
        assert self.drawn == self.golden

    def test_held(self, draw, golden):
        self.drawn, self.golden = draw(ink="a"), golden


def test_in_a_helper(draw, golden):
    check(draw(ink="a"), golden)


def test_on_one_target(draw, golden, compile_target):
    if compile_target == "paper-cpu":
        assert draw(ink="a") == golden


def test_without_goldens(draw): ...


def test_skipped(draw, golden):
    if LEAVES:
        pytest.skip("not here")
    assert draw(ink="a") == golden


def test_xfails(draw, golden):
    if LEAVES:
        pytest.xfail("not here")
    assert draw(ink="a") == golden


@pytest.mark.xfail(LEAVES, reason="it does")
def test_passes_unexpectedly(draw, golden):
    assert LEAVES or draw(ink="a") == golden
"""
PATH = ("-o", "pythonpath=.")
COMPARED_BY_NONE = (
    "test_left_early[small-{}]",
    "test_behind_an_if[{}]",
    "test_in_the_teardown_at_times[{}]",
)


@pytest.fixture
def leaving(paper: PaperProject) -> PaperProject:
    """Cases of which some compare nothing if told to, with their goldens."""
    paper.test(NOT_COMPARED)
    paper.test("def check(drawn, golden):\n    assert drawn == golden\n", "helper.py")
    paper.update(*PATH).assert_outcomes(passed=24)
    paper.run(*PATH).assert_outcomes(passed=24)
    return paper


def failed(result: pytest.RunResult) -> set[str]:
    lines = (
        line.split(" - ")[0]
        for line in result.outlines
        if line.startswith(("FAILED", "ERROR"))
    )
    return {line.rpartition("::")[2] for line in lines}


@pytest.mark.parametrize(
    "options",
    [(), ("-n2",), ("--snapshot-update",), ("--compile-golden-report=r.json",)],
)
def test_a_case_that_compares_none_of_its_goldens_fails(
    leaving: PaperProject, options: tuple[str, ...]
) -> None:
    before = leaving.files()
    result = leaving.run(*PATH, *options, LEAVES="1")
    result.assert_outcomes(
        passed=14, failed=4, errors=2, skipped=2, xfailed=2, xpassed=2
    )
    targets = ("paper-gpu", "paper-cpu")
    assert failed(result) == {
        case.format(target) for case in COMPARED_BY_NONE for target in targets
    }
    result.stdout.fnmatch_lines(
        [
            "cases/test_paper.py::test_left_early?small-paper-gpu?",
            "  the test made no comparison, but has 1 golden in goldens/cases/*early?small?/paper-gpu.",
            "  Write `assert ... == golden` where every run gets to it, * or delete * if they are no longer needed.",
            "20 cases: * 6 failed (* distinct error*), * with assertions only, 4 skipped*",
        ]
    )
    assert leaving.files() == before
    if "report" in str(options):
        errors = [
            case.error
            for case in json_report.read(leaving.path / "r.json").cases
            if case.outcome == "error"
        ]
        assert len(errors) == 6 and all(
            "made no comparison" in str(error) for error in errors
        )
    leaving.run(
        *PATH, "-k", "not (early or if or at_times)", LEAVES="1"
    ).assert_outcomes(passed=10, skipped=2, xfailed=2, xpassed=2, deselected=8)


def test_goldens_of_another_torch_or_without_a_stage_are_none(
    paper: PaperProject,
) -> None:
    case = """
import os

def test_newer(draw, golden):
    assert "OLDER" in os.environ or draw(ink="a") == golden
"""
    paper.test(case)
    paper.update(*ON_ONE, torch="2.13.0")
    folder = paper.goldens / "cases/test_paper/test_newer/paper-cpu"
    paper.run(*ON_ONE, OLDER="1").assert_outcomes(failed=1, deselected=1)
    # The installed torch is older.
    (folder / "ink.py").rename(folder / "ink@torch-99.0.py")
    paper.run(*ON_ONE, OLDER="1").assert_outcomes(passed=1, deselected=1)


def test_goldens_of_the_targets_base_are_its_own(paper: PaperProject) -> None:
    with (paper.path / "conftest.py").open("a") as conftest:
        conftest.write('\nregister_target(Paper("paper-gpu-2", "cuda"))\n')
    paper.pytester.makeini(
        f"{INI}\ncompile_golden_target_base = paper-gpu-2: paper-gpu\n"
    )
    paper.test("""
def test_one(draw, golden, compile_target):
    if compile_target == "paper-gpu":
        assert draw(ink="a") == golden
""")
    on = ("--compile-golden-target=paper-gpu", "--compile-golden-target=paper-gpu-2")
    result = paper.update(*on)
    result.assert_outcomes(passed=1, failed=1, deselected=1)
    result.stdout.fnmatch_lines(
        [
            "  *or mark it with @pytest.mark.compile_golden(target=...) if it is not for paper-gpu-2."
        ]
    )


def test_without_asserts_the_run_says_what_that_does(leaving: PaperProject) -> None:
    pytest = [
        sys.executable,
        "-O",
        "-m",
        "pytest",
        "--compile-golden",
        "-k",
        "helper or early",
        *PATH,
    ]
    result = leaving.pytester.run(*pytest)
    result.assert_outcomes(passed=4, failed=2, deselected=18, warnings=1)
    assert failed(result) == {
        "test_in_a_helper[paper-gpu]",
        "test_in_a_helper[paper-cpu]",
    }
    result.stdout.fnmatch_lines(
        [
            "compile-golden: Python runs with -O, which leaves out asserts outside of test files, *",
            "  the test made no comparison (Python runs with -O, which leaves out asserts in helper modules), *",
        ]
    )
    result = leaving.pytester.run(*pytest, "--assert=plain")
    result.assert_outcomes(failed=6, deselected=18, warnings=1)
    result.stdout.fnmatch_lines(
        ["compile-golden: Python runs with -O, which leaves out asserts, with *"]
    )


LATER = (
    HEAD
    + """
threads = []


def test_leaves_a_thread(draw, golden):
    assert draw(press="1\\n") == golden
    drawn, ended = draw(ink=INK), threading.Event()
    threads.append(threading.Thread(target=lambda: ended.wait(60) and drawn == golden))
    threads[0].start()
    if INK == "a\\n":
        ended.set()
        threads[0].join()
    else:
        threads.append(ended)


def test_waits_for_it(draw, golden):
    for ended in threads[1:]:
        ended.set()
        threads[0].join()
    assert draw(ink="b\\n") == golden
"""
)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_comparison_after_the_end_of_its_test_fails_the_run(
    paper: PaperProject,
) -> None:
    """Also with workers, where the two tests are run by the same."""
    paper.test(LATER)
    paper.update(*ON_ONE).assert_outcomes(passed=2, deselected=2)
    paper.run(*ON_ONE).assert_outcomes(passed=2, deselected=2)
    late = (
        "*test_paper.py::test_leaves_a_thread[[]paper-cpu[]] compared with golden "
        "after its test had ended: join the*"
    )
    for more in ((), ("-n1",)):
        result = paper.run(*ON_ONE, *more, INK="c\n")
        result.stdout.fnmatch_lines([late])
        assert result.ret == 1 and result.parseoutcomes()["passed"] == 2


FORKED = (
    HEAD
    + """
def test_case(draw, golden):
    assert draw(press="1\\n") == golden
    drawn = draw(ink=INK)
    if INK == "a\\n":
        assert drawn == golden
        return
    child = os.fork()
    if not child:
        try:
            drawn == golden
        finally:
            os._exit(0)
    os.waitpid(child, 0)
"""
)


def test_a_comparison_in_a_process_that_the_test_forked_fails_its_case(
    paper: PaperProject,
) -> None:
    paper.test(FORKED)
    paper.update(*ON_ONE).assert_outcomes(passed=1, deselected=1)
    paper.run(*ON_ONE).assert_outcomes(passed=1, deselected=1)
    result = paper.run(*ON_ONE, INK="c\n")
    result.assert_outcomes(failed=1, deselected=1)
    result.stdout.fnmatch_lines(
        [
            "*a process that the test forked compared with golden, of which the run sees nothing*"
        ]
    )
