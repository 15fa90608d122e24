"""Numbers that got worse or better for a known reason are neither a regression nor a win, and the report says why."""

from __future__ import annotations

from pathlib import PurePosixPath

import msgspec
import pytest

from pytest_compile_golden.formats.schedules.coalescing import is_apart
from pytest_compile_golden.goldens.case_files import StoredArtifact
from pytest_compile_golden.goldens.compare_artifact import compare
from pytest_compile_golden.goldens.golden_header import Header
from pytest_compile_golden.goldens.golden_paths import GoldenPath
from pytest_compile_golden.goldens.golden_store import StoredGolden
from pytest_compile_golden.goldens.severity import undone
from pytest_compile_golden.recordings import recording
from pytest_compile_golden.recordings.recording import (
    RecordedCase,
    Recording,
    read_elsewhere,
)
from pytest_compile_golden.report import terminal_report
from pytest_compile_golden.report.compare_recordings import report
from pytest_compile_golden.report.failure_text import render_unchecked
from pytest_compile_golden.report.model import CaseGroup, CaseReport
from pytest_compile_golden.stages import get_stage
from tests.paper import PaperProject

OPERATION = """    op{0}: {1}
      buf{0}: f32[128] cuda:0
      computes aten.{2}.default
      reads {3}
      writes buf{0}[c0]
"""
REDUCTION = OPERATION.format(0, "reduction sum", "sum", "arg0_1[128*c0 + c1]")
FAR, NEAR = (
    OPERATION.format(1, "pointwise", "sin", f"arg0_1[{index}], buf0[c1]")
    for index in ("128*c0", "c0")
)
FUSED, SPLIT = "graph_0:\n  group 0: reduction\n", "  group 1: pointwise\n"


def recorded(torch: str, schedule: str, metrics: str, **how: str | bool) -> Recording:
    texts = {"scheduler_nodes": schedule, "metrics": metrics}
    artifacts = tuple(
        StoredArtifact(stage, stage, get_stage(stage).extension, text)
        for stage, text in texts.items()
    )
    made = RecordedCase(
        PurePosixPath("m", "a", "t"), "m.py::a[t]", "t", "passed", None, 1.0, artifacts
    )
    case = msgspec.structs.replace(made, **how)
    return Recording(read_elsewhere(torch, [case], texts), (case,))


def only(old: Recording, new: Recording) -> tuple[CaseReport, CaseGroup]:
    found = report(old, new, "2.13.0", "2.14.1")
    (case,), (group,) = found.cases, found.groups
    return case, group


def verdicts(case: CaseReport) -> dict[str, str]:
    return {metric.name: metric.verdict for metric in case.metrics}


def test_of_a_kernel_that_was_split_the_report_says_that_its_accesses_were_far_apart() -> (
    None
):
    """What that costs is told all the same: how much faster it is instead is not known."""
    one = recorded("2.13.0", FUSED + REDUCTION + FAR, "kernels = 1\n")
    two = recorded("2.14.1", FUSED + REDUCTION + SPLIT + NEAR, "kernels = 2\n")
    case, group = only(one, two)
    assert verdicts(case) == {"kernels": "REGRESSION"} and case.outcome == "changed"
    assert (
        case.why
        == "likely faster: the fused kernel had accesses that were not coalesced"
    )
    assert case.uncoalesced == ("arg0_1[128*c0]",)
    (verdict,) = (
        line.split(maxsplit=1)[1]
        for _, line in render_unchecked(case)
        if "  verdict" in line
    )
    assert verdict == f"{case.why}: arg0_1[128*c0]"
    assert (group.why, group.worse, group.consequence) == (
        case.why,
        True,
        "kernels 1 -> 2",
    )
    back, _ = only(two, one)
    # Tiled otherwise, the access may be far apart in neither: fewer bytes are not said to take longer.
    assert verdicts(back) == {"kernels": "WIN"} and not back.why


def test_a_kernel_of_one_operation_had_nothing_fused_that_was_far_apart() -> None:
    far, near = (
        OPERATION.format(0, "pointwise", name, f"arg0_1[{index}]")
        for name, index in (("cat", "128*c0"), ("neg", "c0"))
    )
    first = "graph_0:\n  group 0: pointwise\n"
    more = SPLIT + OPERATION.format(1, "pointwise", "sin", "arg1_1[c0]")
    one = recorded("2.13.0", first + far, "kernels = 1\n")
    two = recorded("2.14.1", first + near + more, "kernels = 2\n")
    case, _ = only(one, two)
    assert not case.why and not case.uncoalesced


def test_a_number_is_told_once_and_guards_do_not_follow_from_kernels() -> None:
    numbers = "kernels = {0}\nleast_time = {0}000\nguards = {0}\n"
    one = recorded("2.13.0", FUSED + REDUCTION + FAR, numbers.format(1))
    other = recorded("2.14.1", FUSED + REDUCTION + SPLIT + NEAR, numbers.format(2))
    group, guards = report(one, other, "2.13.0", "2.14.1").groups
    assert group.consequence.split(", ") == [
        "kernels 1 -> 2",
        "least_time 1.0 us -> 2.0 us (+100 %)",
    ]
    assert guards.text == "more guards: 1 -> 2" and not guards.consequence


def test_a_kernel_that_was_split_for_nothing_is_a_regression() -> None:
    one = recorded("2.13.0", FUSED + REDUCTION + NEAR, "kernels = 1\n")
    case, group = only(
        one, recorded("2.14.1", FUSED + REDUCTION + SPLIT + NEAR, "kernels = 2\n")
    )
    assert verdicts(case) == {"kernels": "REGRESSION"} and not case.why and group.worse


def test_a_kernel_that_is_as_before_does_not_explain_what_another_costs() -> None:
    """One kernel accesses otherwise what it computes as before; another is split, of which nothing was far apart."""
    far, near = (
        "  group 2: pointwise\n" + OPERATION.format(2, "pointwise", "exp", access)
        for access in ("arg0_1[128*c0]", "arg0_1[c0]")
    )
    case, _ = only(
        recorded("2.13.0", FUSED + REDUCTION + NEAR + far, "kernels = 2\n"),
        recorded("2.14.1", FUSED + REDUCTION + SPLIT + NEAR + near, "kernels = 3\n"),
    )
    assert verdicts(case) == {"kernels": "REGRESSION"} and not case.why


def test_what_a_kernel_reads_for_several_operations_it_reads_once() -> None:
    first, *others = (
        OPERATION.format(at, "pointwise", name, "arg0_1[5*c0]")
        for at, name in enumerate(("sin", "cos", "exp"))
    )
    stored = OPERATION.format(1, "pointwise", "cos", "buf0[5*c0]")
    one = "graph_0:\n  group 0: pointwise\n" + first + "".join(others)
    two = "graph_0:\n  group 0: pointwise\n" + first + "  group 1: pointwise\n" + stored
    case, _ = only(
        recorded("2.13.0", one, "kernels = 1\n"),
        recorded("2.14.1", two, "kernels = 2\n"),
    )
    assert verdicts(case) == {"kernels": "REGRESSION"} and not case.why


def test_another_part_of_the_program_is_neither_better_nor_worse() -> None:
    numbers = "bytes_accessed = {0}000\ngraph_breaks = {1}\ngraphs = {0}\nkernels = {0}\nrecompiles = 0\n"
    two, three = (
        recorded("2.14.1", FUSED + REDUCTION + NEAR, numbers.format(graphs, 1))
        for graphs in (2, 3)
    )
    for old, new in ((two, three), (three, two)):
        case, _ = only(old, new)
        assert {*verdicts(case).values()} <= {"changed", "same"}
    assert (
        case.why
        == "2 graphs are captured instead of 3, at as many graph breaks and recompilations"
    )
    case, _ = only(
        three, recorded("2.14.1", FUSED + REDUCTION + NEAR, numbers.format(2, 0))
    )
    assert (
        verdicts(case)["kernels"] == verdicts(case)["graph_breaks"] == "WIN"
        and not case.why
    )


def test_what_explains_numbers_is_said_only_where_one_moved() -> None:
    one = recorded("2.13.0", FUSED + REDUCTION + FAR, "kernels = 1\n")
    case, group = only(
        one, recorded("2.14.1", FUSED + REDUCTION + SPLIT + NEAR, "kernels = 1\n")
    )
    assert case.outcome == "changed" and not case.why and not group.why


@pytest.mark.parametrize(
    ("access", "apart"),
    [
        ("arg0_1[128*c0]", True),
        ("arg0_1[2*c0 + 1]", True),
        ("arg0_1[s77*d0]", True),
        ("arg0_1[128*c0 + 2*(ModularIndexing(c1, 1, 64))]", True),
        ("arg0_1[c0 + 128*c1]", False),
        ("arg0_1[8192*c0 + c1 + 64*c2]", False),
        ("arg0_1[128*c0 + (ModularIndexing(c1, 1, 64))]", False),
        ("arg0_1[((c1//8))]", False),
        ("arg0_1[3*c0 + ((c2//4))]", False),
        ("arg0_1[3*c0 + ((c2//64))]", False),
        ("arg0_1[3*c0 + 2*((c2//4))]", True),
        ("arg0_1[64*tmp0]", False),
        ("arg0_1[7]", False),
        ("arg0_1", False),
    ],
)
def test_accesses_that_are_far_apart(access: str, apart: bool) -> None:
    assert is_apart(access) is apart


def test_the_price_of_a_right_result() -> None:
    split = recorded("2.14.1", FUSED + REDUCTION + SPLIT + NEAR, "kernels = 2\n")
    texts = FUSED + REDUCTION + NEAR, "kernels = 1\n"
    case, group = only(
        recorded("2.13.0", *texts, outcome="failed", message="wrong", wrong=True), split
    )
    assert verdicts(case) == {"kernels": "changed"} and case.outcome == "fixed"
    assert (group.why, group.consequence) == (
        "fixes a wrong result, at this cost",
        "kernels 1 -> 2",
    )
    assert (group.outcome, group.stage, group.worse) == (
        "fixed",
        "scheduler_nodes",
        False,
    )
    free, _ = only(
        recorded("2.13.0", texts[0], texts[1], outcome="failed", wrong=True),
        recorded("2.14.1", FUSED, texts[1]),
    )
    assert free.why == "fixes a wrong result"
    cheaper = recorded("2.14.1", FUSED + REDUCTION + SPLIT + NEAR, "kernels = 0\n")
    saving, group = only(
        recorded("2.13.0", *texts, outcome="failed", wrong=True), cheaper
    )
    assert saving.why == group.why == "fixes a wrong result"
    case, _ = only(
        recorded("2.13.0", *texts, outcome="failed", message="no such file"), split
    )
    assert verdicts(case) == {"kernels": "REGRESSION"} and not case.why


def test_a_change_of_results_is_one_change_on_every_target_of_a_test() -> None:
    texts = {
        1: (FUSED + REDUCTION + NEAR, "kernels = 1\n"),
        2: (FUSED + REDUCTION + SPLIT + NEAR, "kernels = 2\n"),
    }

    def side(torch: str, kernels: int, wrong: bool = False) -> Recording:
        """A test of which only the GPU's results are computed, and another test."""
        made = []
        for test, target in (("a", "gpu"), ("a", "cpu"), ("b", "cpu")):
            (case,) = recorded(torch, *texts[kernels]).cases
            named = {
                "folder": PurePosixPath("m", test, target),
                "nodeid": f"m.py::{test}[{target}]",
                "target": target,
            }
            failed = {
                "outcome": "failed",
                "message": "WrongResult: 5 differ\n  output[0]",
                "wrong": True,
            }
            made.append(
                msgspec.structs.replace(
                    case, **named, **(failed if wrong and target == "gpu" else {})
                )
            )
        return Recording(recorded(torch, *texts[kernels]).run, tuple(made))

    mended = report(
        side("2.13.0", 1, wrong=True), side("2.14.1", 2), "2.13.0", "2.14.1"
    )
    whys = {
        case.nodeid: (case.outcome, verdicts(case)["kernels"], case.why)
        for case in mended.cases
    }
    assert whys == {
        "m.py::a[gpu]": ("fixed", "changed", "fixes a wrong result, at this cost"),
        "m.py::a[cpu]": ("changed", "changed", "fixes a wrong result on gpu"),
        "m.py::b[cpu]": ("changed", "REGRESSION", ""),
    }
    (group,) = mended.groups
    assert (
        group.outcome == "changed"
        and group.why == "fixes a wrong result in 1 of 3 cases, at this cost"
    )
    assert group.members[0] == "m.py::a[gpu]" and not any(
        "WrongResult" in line for _, line in terminal_report.render(mended)
    )

    broken = report(
        side("2.14.1", 2), side("2.13.0", 1, wrong=True), "2.14.1", "2.13.0"
    )
    whys = {
        case.nodeid: (case.outcome, verdicts(case)["kernels"], case.why)
        for case in broken.cases
    }
    assert whys == {
        "m.py::a[gpu]": ("error", "changed", "computes a wrong result now"),
        "m.py::a[cpu]": ("changed", "changed", "computes a wrong result now on gpu"),
        "m.py::b[cpu]": ("changed", "WIN", ""),
    }
    (group,) = broken.groups
    assert (group.outcome, group.why) == (
        "error",
        "computes a wrong result now in 1 of 3 cases",
    )
    lines = [line for _, line in terminal_report.render(broken)]
    at = lines.index("    m.py::a[gpu]")
    assert lines[at + 1] == "      failed on 2.13.0 only: WrongResult: 5 differ"


def test_what_an_older_torch_did_is_no_regression(paper: PaperProject) -> None:
    given = "ink='{}\\n', tally='kernels = {}\\nnodes_post_grad = {}\\n'"
    source = f"def test_page(draw, golden):\n    assert draw({given}) == golden\n"
    # What is only noted, such as a number of nodes, may be as on neither.
    for torch, ink, *numbers in (
        ("2.12.0", "black", 3, 5),
        ("2.13.0", "blue", 2, 5),
        ("2.14.0", "black", 3, 6),
    ):
        paper.test(source.format(ink, *numbers))
        paper.update(torch=torch)
    compared = paper.command(
        "diff", "goldens@2.13.0", "goldens@2.14.0", "--case=*paper-cpu*"
    ).outlines
    assert any("as on 2.12.0 again" in line for line in compared), compared
    assert not any("REGRESSION" in line for line in compared), compared


def test_kernels_that_take_no_more_than_older_ones_are_not_these_again() -> None:
    kernel = """graph_0: kernel, num_warps=4  # Triton {}, ptxas 12.8 for sm90
  registers {}, spills 0, stack 0, shared {}, threads 128, occupancy 100
  instructions {}
"""
    stage, path = (
        get_stage("kernel_resources"),
        GoldenPath(PurePosixPath("m", "a", "t"), "kernel_resources", "txt"),
    )
    first, second, third, now = (
        kernel.format(*facts)
        for facts in (
            ("3.7.0", 32, 0, 495),
            ("3.7.1", 32, 32, 269),
            ("3.8.0", 29, 32, 255),
            ("3.9.0", 32, 0, 497),
        )
    )
    change = compare(
        stage,
        path,
        StoredGolden(path.versionless, Header(stage.name, "2.14.1", None), third),
        now,
    )
    assert undone(change, path, [("2.13.0", second), ("2.12.1", first)]) == "2.12.1"
    assert undone(change, path, [("2.13.0", second)]) == ""


def test_a_recording_says_which_cases_are_wrong(paper: PaperProject) -> None:
    paper.test("""
from pytest_compile_golden.errors import WrongResult

def test_right(draw, golden):
    assert draw(ink="a\\n") == golden

def test_wrong(draw, golden):
    draw(ink="a\\n")
    raise WrongResult("the sum differs")

def test_broken(draw, golden):
    draw(ink="a\\n")
    raise ValueError("no such file")
""")
    paper.run("--compile-golden-record=recorded", "--compile-golden-target=paper-cpu")
    cases = recording.read(paper.path / "recorded").cases
    assert {
        case.nodeid.partition("::")[2]: (case.outcome, case.wrong) for case in cases
    } == {
        "test_right[paper-cpu]": ("passed", False),
        "test_wrong[paper-cpu]": ("failed", True),
        "test_broken[paper-cpu]": ("failed", False),
    }
