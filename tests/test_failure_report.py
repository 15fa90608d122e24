"""What a changed case looks like: order, first divergence, metrics, diff, colours, and the command that accepts it."""

from __future__ import annotations

from pytest_compile_golden.formats.metrics.printed import changes as metric_changes
from pytest_compile_golden.formats.metrics.printed import numbers as read_metrics
from pytest_compile_golden.goldens.compare_artifact import Compared, first_divergence
from pytest_compile_golden.report.metric_columns import table
from pytest_compile_golden.report.text_diff import diff
from tests.paper import PaperProject

CASE = """
import os
def test_case(draw, golden):
    later = bool(os.environ.get("LATER"))
    drawn = draw(
        ink="".join(f"line {n}\\n" for n in range(20)) + ("mm\\nadd\\n" if later else "addmm\\n") + "end\\n",
        press="fused\\n" if not later else "apart\\n",
        tally="bytes_accessed = %d\\nfused_nodes = %d\\nkernels = %d\\n"
        % ((25165824, 3, 2) if later else (16777216, 2, 1)),
    )
    assert drawn == golden
"""


def change(stage: str, kind: str) -> Compared:
    from pathlib import PurePosixPath

    return Compared(stage, kind, "a", "b", "2.13.0", PurePosixPath(stage))  # type: ignore[arg-type]


def test_report_of_a_changed_case(paper: PaperProject) -> None:
    paper.test(CASE)
    paper.update(torch="2.13.0+cpu")
    result = paper.run(
        "--compile-golden-target=paper-gpu", torch="2.15.0+cu130", LATER="1"
    )
    at = next(
        number
        for number, line in enumerate(result.outlines)
        if line.startswith("cases/test_paper.py::")
    )
    assert result.outlines[at : at + 14] == [
        "cases/test_paper.py::test_case[paper-gpu]          torch 2.15.0+cu130, golden since 2.13.0",
        "  first divergence  ink",
        "  then              press, tally",
        "  metrics           kernels         1 -> 2                        REGRESSION",
        "                    bytes_accessed  16.0 MiB -> 24.0 MiB (+50 %)  REGRESSION",
        "                    fused_nodes     2 -> 3                        neutral",
        "  ink.py",
        "      line 18",
        "      line 19",
        "    - addmm",
        "    + mm",
        "    + add",
        "      end",
        "  accept            pytest --compile-golden --compile-golden-target=paper-gpu "
        '"cases/test_paper.py::test_case[paper-gpu]" --snapshot-update',
    ]
    result.stdout.fnmatch_lines(
        ["FAILED cases/test_paper.py::test_case[[]paper-gpu[]] - ink"]
    )
    verdict = "1 changed (1 distinct change), 1 regression (bytes_accessed +8.0 MiB, kernels +1)."
    result.stdout.fnmatch_lines([f"1 case: 0 unchanged, {verdict}"])


def test_report_has_no_traceback_unless_asked_for(paper: PaperProject) -> None:
    paper.test(CASE)
    paper.update()
    assert "assert drawn == golden" not in paper.run(LATER="1").stdout.str()
    paper.run("--full-trace", LATER="1").stdout.fnmatch_lines(
        ["*assert drawn == golden*"]
    )


def test_plain_asserts_give_the_same_report(paper: PaperProject) -> None:
    paper.test(CASE)
    paper.update()
    paper.run("--assert=plain", LATER="1").stdout.fnmatch_lines(
        ["  first divergence  ink"]
    )


def test_verbose_shows_every_stages_diff(paper: PaperProject) -> None:
    paper.test(CASE)
    paper.update()
    assert "    + apart" not in paper.run(LATER="1").outlines
    assert "    + apart" in paper.run("-v", LATER="1").outlines


def test_colour_only_if_the_terminal_supports_it(paper: PaperProject) -> None:
    paper.test(CASE)
    paper.update()
    for arguments in (["--color=yes"], ["--color=yes", "-n1"]):
        text = paper.run(*arguments, LATER="1").stdout.str()
        assert "\x1b[31m    - addmm" in text and "\x1b[32m    + mm" in text
    assert "\x1b[" not in paper.run("--color=no", LATER="1").stdout.str()


def test_terminal_controls_in_a_golden_are_not_obeyed(paper: PaperProject) -> None:
    paper.test(
        'def test_case(draw, golden):\n    assert draw(ink="\\x1b]0;owned\\x07\\n") == golden\n'
    )
    paper.update()
    paper.test(
        'def test_case(draw, golden):\n    assert draw(ink="fine\\n") == golden\n'
    )
    assert "\x1b" not in paper.run().stdout.str()
    paper.run().stdout.fnmatch_lines(["*- *x1b]0;owned*"])


def test_junitxml_carries_the_report(paper: PaperProject) -> None:
    paper.test(CASE)
    paper.update()
    paper.run("--junitxml=out.xml", LATER="1")
    text = (paper.path / "out.xml").read_text()
    assert 'message="ink"' in text and "bytes_accessed" in text


def test_accept_command_is_for_the_folder_it_is_typed_in(paper: PaperProject) -> None:
    paper.test(CASE)
    (paper.path / "cases" / "conftest.py").write_text("")
    with paper.pytester._monkeypatch.context() as patch:
        patch.chdir(paper.path / "cases")
        result = paper.run()
        result.stdout.fnmatch_lines(
            ['*"test_paper.py::test_case[[]paper-gpu[]]" --snapshot-update']
        )
        nodeid = next(
            line.split('"')[1] for line in result.outlines if "  accept" in line
        )
        paper.update(nodeid).assert_outcomes(passed=1)


def test_first_divergence_is_the_earliest_text_in_pipeline_order() -> None:
    changes = [
        change("metrics", "metric"),
        change("wrapper_code", "structural"),
        change("passes", "structural"),
    ]
    changes.append(change("guards", "cosmetic"))
    assert first_divergence(changes) is changes[2]
    assert first_divergence(changes[:1]) is changes[0]
    later = change("a_users_stage_after_metrics", "structural")
    assert first_divergence([changes[0], later]) is later
    assert first_divergence(changes[3:]) is None


def test_long_diff_is_cut_and_says_by_how_much() -> None:
    old, new = (
        "".join(f"a{n}\n" for n in range(50)),
        "".join(f"b{n}\n" for n in range(50)),
    )
    lines = diff(old, new, limit=10)
    assert len(lines) == 11 and lines[-1] == ("dim", "... 90 more lines")
    assert len(diff(old, new)) == 100


def test_a_line_number_that_moved_is_not_a_change() -> None:
    old = "".join(
        f"aten.{n}.default -> Pointwise  # torch/_inductor/lowering.py:{n}\n"
        for n in range(10, 30)
    )
    new = old.replace("lowering.py:", "lowering.py:9")
    assert (
        diff(old, new) == [("dim", "only file line numbers changed")]
        and diff(old, old) == []
    )
    lines = diff(old, new.replace("aten.20.default", "aten.twenty.default"), context=1)
    assert [(style, text.partition(" -> ")[0]) for style, text in lines] == [
        ("", "  aten.19.default"),
        ("removed", "- aten.20.default"),
        ("added", "+ aten.twenty.default"),
        ("", "  aten.21.default"),
    ]
    message = 'stopped\n  File "program.py", line 3\n'
    assert diff(message, message.replace("line 3", "line 40")) == [
        ("dim", "only file line numbers changed")
    ]
    assert [style for style, _ in diff("x.py:a\nn: 3\n", "x.py:b\nn: 4\n")] == [
        "removed",
        "removed",
        "added",
        "added",
    ]


def test_metrics_without_a_direction_or_a_side() -> None:
    """A metric that the golden does not have is not a change."""
    old = read_metrics(
        "kernels = 1\nodd = 3\ngone_bytes = 2048\n[counters]\nhits = 1\n"
    )
    new = read_metrics("kernels = 1\nodd = 2\nfresh = 1\n[counters]\nhits = 2\n")
    assert old is not None and new is not None
    assert [text for _, text in table(metric_changes(old, new))] == [
        "counters.hits  1 -> 2           neutral",
        "gone_bytes     2.0 KiB -> none  neutral",
        "odd            3 -> 2           neutral",
    ]
    assert read_metrics("not toml") is None


def test_a_return_to_what_an_older_torch_did_is_said(paper: PaperProject) -> None:
    for torch, ink in (("2.13.0", "black"), ("2.14.0", "blue")):
        paper.test(
            f"def test_page(draw, golden):\n    assert draw(ink='{ink}\\n') == golden\n"
        )
        paper.update("--compile-golden-target=paper-gpu", torch=torch).assert_outcomes(
            passed=1
        )
    for ink, lines in (
        ("black", ["  undone            ink is as on 2.13.0 again"]),
        ("red", []),
    ):
        paper.test(
            f"def test_page(draw, golden):\n    assert draw(ink='{ink}\\n') == golden\n"
        )
        result = paper.run("--compile-golden-target=paper-gpu", torch="2.15.0")
        result.assert_outcomes(failed=1)
        assert [
            line for line in result.outlines if line.startswith("  undone")
        ] == lines


def test_another_assertion_that_says_golden_is_not_the_comparison(
    paper: PaperProject,
) -> None:
    paper.test(
        CASE.replace(
            "assert drawn == golden",
            "same = drawn == golden\n    assert same or later, 'a golden ratio'",
        )
        + "    assert not later, 'not the golden ratio'\n"
    )
    paper.update()
    result = paper.run("--compile-golden-target=paper-gpu", LATER="1")
    result.stdout.fnmatch_lines(
        [
            "FAILED cases/test_paper.py::test_case[[]paper-gpu[]] - AssertionError: not the golden*"
        ]
    )
