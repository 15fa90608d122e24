"""Two recordings as a report: kinds of change, the pass that changed first, and what could not be compared."""

from __future__ import annotations

import dataclasses
import json
from pathlib import PurePosixPath

import msgspec
from msgspec.structs import replace

from pytest_compile_golden.errors import CompileGoldenError, SideFailed
from pytest_compile_golden.goldens.case_files import StoredArtifact
from pytest_compile_golden.recordings.compare_cases import recordings_differ
from pytest_compile_golden.recordings.recording import (
    Outcome,
    RecordedCase,
    Recording,
    read_elsewhere,
)
from pytest_compile_golden.report import terminal_report
from pytest_compile_golden.report import version_matrix as tables
from pytest_compile_golden.report.compare_recordings import report
from pytest_compile_golden.report.model import CaseReport, Report, ReportedChange, Side
from pytest_compile_golden.report.run_summary import Counts, headline, unavailable
from pytest_compile_golden.report.version_matrix import matrix
from pytest_compile_golden.stages import get_stage
from tests.trails import trail

LEDGER = """\
graph_0:
  joint     remove_noop_ops                          6 -> {}  # torch/_inductor/fx_passes/post_grad.py:1497
      -aten.clone.default x{}
"""
GRAPH = "def graph_0(arg0_1: f32[4]):\n    {0}: f32[4] = aten.sin.default(arg0_1)\n    return ({0},)\n"


def case(
    name: str,
    outcome: Outcome = "passed",
    message: str | None = None,
    hidden: str = "",
    **texts: str,
) -> RecordedCase:
    artifacts = tuple(
        StoredArtifact(stage, stage, get_stage(stage).extension, text)
        for stage, text in texts.items()
    )
    unavailable = {hidden: f"torch.{hidden} is gone"} if hidden else {}
    return RecordedCase(
        PurePosixPath("m", name, "t"),
        f"m.py::{name}[t]",
        "t",
        outcome,
        message,
        1.0,
        artifacts,
        unavailable,
    )


def run(torch: str, *cases: RecordedCase, stages: str = "passes,metrics") -> Recording:
    return Recording(read_elsewhere(torch, cases, stages.split(",")), cases)


def only(old: RecordedCase, new: RecordedCase) -> CaseReport:
    (found,) = report(run("2.13.0", old), run("2.15.0", new), "2.13.0", "2.15.0").cases
    return found


def test_the_pass_that_changed_is_the_first_divergence_and_numbers_have_verdicts() -> (
    None
):
    old = case(
        "a",
        post_grad_graph=GRAPH.format("sin"),
        passes=LEDGER.format(5, 1),
        metrics="kernels = 1\n",
    )
    new = case(
        "a",
        post_grad_graph=GRAPH.format("sin"),
        passes=LEDGER.format(3, 3),
        metrics="kernels = 2\n",
    )
    found = only(old, new)
    assert found.outcome == "changed" and found.divergence is not None
    assert found.divergence.text.startswith(
        "joint / remove_noop_ops: was 6 -> 5 nodes, is now 6 -> 3 nodes"
    )
    assert found.divergence.where == "torch/_inductor/fx_passes/post_grad.py:1497"
    assert [(metric.name, metric.verdict) for metric in found.metrics] == [
        ("kernels", "REGRESSION")
    ]


def test_numbers_counted_in_a_stage_that_one_torch_hides_are_not_a_change() -> None:
    whole = case("a", metrics="graphs = 1\nrecompiles = 0\n")
    hiding = case("a", metrics="graphs = 1\n", hidden="recompiles")
    assert only(whole, hiding).outcome == only(hiding, whole).outcome == "same"
    assert only(whole, case("a", metrics="graphs = 1\n")).outcome == "changed"


def test_cosmetic_differences_do_not_count() -> None:
    renamed = only(
        case("a", post_grad_graph=GRAPH.format("sin")),
        case("a", post_grad_graph=GRAPH.format("sin_7")),
    )
    assert renamed.outcome == "cosmetic"
    # A comment on a number is for readers only, and applies to the same number on the other side too.
    one, other = (
        case("a", metrics="kernels = 1  # why\n"),
        case("a", metrics="kernels = 1\n"),
    )
    assert only(one, other).outcome == "same"
    assert not recordings_differ(run("2.13.0", one), run("2.15.0", other))


def test_what_a_wrapper_checks_is_a_change_of_a_case_that_nothing_else_changes() -> (
    None
):
    def checking(checks: str) -> RecordedCase:
        # Its digest leaves checks out.
        wrapper = f"wrapper_code     9 lines  aaaa\n  # launch, {checks}\n"
        return case("a", metrics="kernels = 1\n", trail=trail(wrapper))

    old = checking("assert_size_stride x2")
    found = only(old, checking("assert_size_stride, assert_tensor_metadata"))
    assert found.outcome == "changed" and found.divergence is not None
    assert (
        found.divergence.text
        == "wrapper_code checks the same tensors by another function: assert_size_stride -> assert_tensor_metadata"
    )
    assert [change.code for change in found.changes] == ["checks-exchanged"]
    more = only(old, checking("assert_size_stride x2, assert_tensor_metadata"))
    assert more.divergence is not None
    assert more.divergence.text == "wrapper_code now checks with assert_tensor_metadata"
    # The same checks in other calls are none.
    joined = only(old, checking("assert_size_stride_grouped"))
    assert joined.outcome == "cosmetic" and not joined.changes


def test_an_added_or_removed_stage_is_a_change_and_an_unavailable_one_is_not() -> None:
    with_breaks = case("a", graph_breaks="one\n", metrics="graph_breaks = 1\n")
    without = case("a", metrics="graph_breaks = 0\n")
    came, went = only(without, with_breaks), only(with_breaks, without)
    assert came.outcome == went.outcome == "changed"
    assert came.divergence is not None and came.divergence.stage == "graph_breaks"
    assert went.divergence is not None and "gone" in went.divergence.text
    hidden = only(
        case("a", passes="x\n", metrics="kernels = 1\n"),
        case("a", hidden="passes", metrics="kernels = 1\n"),
    )
    assert hidden.outcome == "same"
    assert [
        (stage.stage, stage.reason)
        for stage in hidden.stages
        if stage.kind == "unavailable"
    ] == [("passes", "torch.passes is gone")]
    # The older torch may be the one that cannot show it.
    sides = [
        case("a", hidden="passes", metrics="kernels = 1\n"),
        case("a", passes="x\n", metrics="kernels = 1\n"),
    ]
    for torch, (before, after) in {"2.13.0": sides, "2.15.0": sides[::-1]}.items():
        compared = report(run("2.13.0", before), run("2.15.0", after), "old", "new")
        assert unavailable(compared) == [
            f"passes is unavailable on torch {torch}: torch.passes is gone (1 case)"
        ]


def test_goldens_are_silent_about_what_they_do_not_keep() -> None:
    golden = msgspec.structs.replace(
        case("a", metrics="kernels = 1\n"), keeps=("metrics", "specialisations")
    )
    ran = case(
        "a",
        metrics="kernels = 1\n",
        guards="x\n",
        specialisations="no symbolic sizes\n",
    )
    assert only(golden, ran).outcome == "same" == only(ran, golden).outcome
    sized = case(
        "a",
        metrics="kernels = 1\n",
        specialisations="graph_0:\n  specialised  s77 = 16\n",
    )
    assert only(golden, sized).outcome == "changed"


def test_a_run_that_did_not_end_is_silent_about_what_it_had_not_come_to() -> None:
    both, later = (case(name, metrics="kernels = 1\n") for name in ("a", "b"))
    old, ended = run("2.13.0", both, later), run("2.15.0", both)
    killed = dataclasses.replace(ended.run, exit_status=None)
    for new, outcomes in (
        (ended, ["same", "missing"]),
        (Recording(killed, ended.cases), ["same"]),
    ):
        found = report(old, new, "2.13.0", "2.15.0").cases
        assert [each.outcome for each in found] == outcomes


def test_that_there_is_nothing_says_as_much_as_no_text() -> None:
    said = case("a", metrics="kernels = 1\n", specialisations="no symbolic sizes\n")
    assert only(said, case("a", metrics="kernels = 1\n")).outcome == "same"
    assert only(case("a", metrics="kernels = 1\n"), said).outcome == "same"


def test_how_a_case_ended_counts_even_if_nothing_else_differs() -> None:
    shown = case(
        "a",
        "skipped",
        "guards is unavailable",
        hidden="guards",
        metrics="kernels = 1\n",
    )
    assert (
        only(case("a", guards="x\n", metrics="kernels = 1\n"), shown).outcome == "same"
    )
    assert only(case("a"), case("a", "skipped", "not today")).outcome == "error"
    broken = only(case("a"), case("a", "failed", "AssertionError: not fused"))
    assert (
        broken.outcome == "error"
        and broken.error == "failed on 2.15.0 only: AssertionError: not fused"
    )
    reason = "CaptureFailed: ValueError: 100 is no power of two, at model.py:15: return bad(y)"
    both = [case(name, "failed", f"{reason}\n  in {name}") for name in "ab"]
    apart = case("c", "failed", reason.replace("100", "200"))
    failing = report(
        run("2.13.0", *map(case, "abc")),
        run("2.15.0", *both, apart),
        "2.13.0",
        "2.15.0",
    )
    assert [(group.text, len(group.members)) for group in failing.groups] == [
        ("failed on 2.15.0 only: CaptureFailed: ValueError: 100 is no power of two", 2),
        ("failed on 2.15.0 only: CaptureFailed: ValueError: 200 is no power of two", 1),
    ]
    assert (
        headline(failing)
        == "3 cases: 0 unchanged, 0 changed, 3 failed (2 distinct errors)"
    )
    mended = only(case("a", "error", "crashed"), case("a"))
    assert (mended.outcome, mended.error) == (
        "fixed",
        "fixed: error on 2.13.0 only: crashed",
    )
    assert recordings_differ(
        run("2.13.0", case("a")), run("2.15.0", case("a", "failed", "x"))
    )
    same = report(
        run("2.13.0", case("a", "failed", "x")),
        run("2.15.0", case("a", "failed", "y")),
        "2.13.0",
        "2.15.0",
    )
    assert (
        same.cases[0].outcome == "failing"
        and "1 case failed on both sides" in same.notes[0]
    )


def test_failed_now_failed_before_too_and_fixed_are_told_apart() -> None:
    old = [
        case("a"),
        case("b", "failed", "x 1"),
        case("c", "failed", "x"),
        case("d", "failed", "x"),
        case("e"),
    ]
    new = [
        case("a", "failed", "x"),
        case("b", "failed", "x 2"),
        case("c", "failed", "y"),
        case("d"),
        case("e"),
    ]
    found = report(run("2.13.0", *old), run("2.15.0", *new), "2.13.0", "2.15.0")
    assert headline(found) == (
        "5 cases: 1 unchanged, 0 changed, 1 failed (1 distinct error), 2 failed before too, 1 fixed"
    )
    assert [(group.outcome, group.text) for group in found.groups] == [
        ("error", "failed on 2.15.0 only: x"),
        ("failing", "fails on both sides: x 2"),
        ("failing", "fails on both sides, now with another error: y"),
        ("fixed", "fixed: failed on 2.13.0 only: x"),
    ]
    # Another message of one kind, at the same line: torch only words it otherwise.
    reworded = [
        case(
            "a",
            "failed",
            f"CaptureFailed: RuntimeError: {said}, at m.py:3: f(x)\n  more",
        )
        for said in (
            "expected a tensor on cuda but got cpu",
            "expected tensors on cuda but got a cpu one",
        )
    ]
    (same,) = report(
        run("2.13.0", reworded[0]), run("2.15.0", reworded[1]), "2.13.0", "2.15.0"
    ).cases
    assert same.as_before and str(same.error).startswith(
        "fails on both sides, with the same error in other words: "
    )
    elsewhere = replace(
        reworded[1], message=str(reworded[1].message).replace("f(x)", "g(x)")
    )
    assert not only(reworded[0], elsewhere).as_before
    assert not only(
        reworded[0],
        case("a", "failed", "CaptureFailed: ValueError: expected, at m.py:3: f(x)"),
    ).as_before
    styles = {
        text.partition(": ")[2]: style
        for style, text in terminal_report.render(found)
        if text.startswith("1 case: ")
    }
    assert [styles[group.text] for group in found.groups] == [
        "bad",
        "title",
        "title",
        "good",
    ]
    assert [each.nodeid for each in found.cases if each.as_before] == [
        "m.py::b[t]",
        "m.py::e[t]",
    ]


def test_a_case_that_fails_on_one_side_changed_in_nothing_that_the_other_did_not_reach() -> (
    None
):
    whole = case("a", graph_breaks="no graph breaks\n", metrics="kernels = 1\n")
    for old, new in (
        (case("a", "failed", "x"), whole),
        (whole, case("a", "failed", "x")),
    ):
        found = only(old, new)
        assert found.divergence is None and not found.changes and not found.stages
    gained = only(case("a", metrics="kernels = 1\n"), whole)
    assert gained.changes and "reworded" not in gained.changes[0].text


def test_guards_stand_apart_from_regressions_and_wins() -> None:
    old = [case(name, metrics="kernels = 2\npython_guards = 2\n") for name in "ab"]
    new = [
        case("a", metrics="kernels = 2\npython_guards = 1\n"),
        case("b", metrics="kernels = 3\npython_guards = 1\n"),
    ]
    found = report(run("2.13.0", *old), run("2.15.0", *new), "2.13.0", "2.15.0")
    assert headline(found).endswith(", 1 regression (kernels +1), python_guards -2")
    # In one case more and in another fewer: what is left of both.
    mixed = [
        case("a", metrics="symbolic_guards = 2\n"),
        case("b", metrics="symbolic_guards = 5\n"),
    ]
    after = [
        case("a", metrics="symbolic_guards = 4\n"),
        case("b", metrics="symbolic_guards = 2\n"),
    ]
    assert headline(
        report(run("2.13.0", *mixed), run("2.15.0", *after), "2.13.0", "2.15.0")
    ).endswith(", symbolic_guards -1")
    # What no number that weighs follows from has no effect; an effect is told as a share too, if it is a quantity.
    assert [(group.consequence, group.worse) for group in found.groups] == [
        ("kernels 2 -> 3", True),
        ("", False),
    ]
    assert found.groups[0].members == ("m.py::b[t]",)
    assert Counts.of(found).verdicts == {"REGRESSION": 1, "": 1}


def test_how_often_a_condition_was_counted_is_no_difference() -> None:
    """Recordings say it of the conditions themselves; where these are others, their number is, too."""
    symbol = "  symbol s{0}: L['x'].size()[{0}], 8 in [2, int_oo]\n"
    text = f"graph_0:\n{symbol.format(0)}{symbol.format(1)}"
    one, again = "  guard s0*s1 < 9\n", "  guard s1*s0 < 9\n"
    cases = [
        case(
            "a",
            specialisations=text + lines,
            metrics=f"kernels = 1\nsymbolic_guards = {number}\n",
        )
        for lines, number in ((one, 1), (one + again, 2), (one + "  guard s0 < 9\n", 2))
    ]
    before, after, other = (run("2.13.0", each) for each in cases)
    found = report(before, after, "2.13.0", "2.13.0")
    assert headline(found) == "1 case: 1 unchanged, 0 changed"
    assert headline(report(before, other, "2.13.0", "2.13.0")).endswith(
        ", symbolic_guards +1"
    )


def test_changes_of_accounting_and_spelling_only_are_counted_apart() -> None:
    def changed(name: str, kind: str, code: str) -> CaseReport:
        change = ReportedChange(
            "triton_code", code, code, "hints", code=code, kind=kind
        )
        return CaseReport(f"m.py::{name}[t]", "t", "changed", changes=(change,))

    cases = [
        changed("a", "spelling", "mask-cast"),
        changed("b", "accounting", "read-listed-again"),
    ]
    cases.append(changed("c", "decision", "fusion-lost"))
    # A number that changed may be the only sign of something that runs otherwise.
    cases.append(changed("d", "accounting", "metric-changed"))
    found = Report("this", Side("old"), Side("new"), tuple(cases))
    assert headline(found) == (
        "4 cases: 0 unchanged, 4 changed (4 distinct changes, 2 in bookkeeping or notation only)"
    )


def test_the_matrix_shows_where_each_case_changed() -> None:
    one, two = (
        case("a|b", metrics="kernels = 1\nbytes_accessed = 2048\n"),
        case("a|b", metrics="kernels = 2\n"),
    )
    results: list[tuple[str, Recording | CompileGoldenError]] = [
        ("2.12", run("2.12.1", one)),
        ("2.13", SideFailed("no wheel\nat all")),
        ("2.14", run("2.14.0", one, case("c", metrics="kernels = 3\n"))),
        ("2.15", run("2.15.0", two, case("c", "failed", "x", metrics="kernels = 3\n"))),
    ]
    found = matrix(results)
    assert found.labels == ("2.12.1", "2.13", "2.14.0", "2.15.0")
    assert [[cell.status for cell in row.cells] for row in found.rows] == [
        ["absent", "absent", "first", "failed"],
        ["first", "absent", "same", "changed"],
    ]
    names = ("kernels", "bytes_accessed")
    assert tables.legend(found, names)[1:] == ["2.13: no wheel"]
    assert (
        tables.steps(found)[0]
        == "2.12.1 -> 2.14.0: 2 cases: 1 unchanged, 0 changed, 1 new"
    )
    shown = tables.markdown(found, names).splitlines()
    cells = (
        "1 2.0 KiB | **-** | 1 2.0 KiB | **2 -\\*** | 2.15.0: metrics: kernels 1 -\\> 2"
    )
    assert f"| m.py::a\\|b\\[t\\] | {cells} |" in shown
    rows = json.loads(tables.as_json(found))["rows"]
    assert [cell["metrics"].get("kernels") for cell in rows[1]["cells"]] == [
        1,
        None,
        1,
        2,
    ]


def test_the_matrix_says_when_a_case_is_as_on_an_earlier_version_again() -> None:
    def numbers(
        torch: str, **kernels: int
    ) -> tuple[str, Recording | CompileGoldenError]:
        return f"recorded/{torch}", run(
            torch,
            *(case(name, metrics=f"kernels = {n}\n") for name, n in kernels.items()),
        )

    results = [
        numbers("2.12.1", a=3, b=1),
        numbers("2.13.0", a=2, b=2),
        numbers("2.15.0", a=1, b=1),
    ]
    found = matrix(results)
    assert found.labels == ("2.12.1", "2.13.0", "2.15.0")
    assert {row.nodeid: [cell.again for cell in row.cells] for row in found.rows} == {
        "m.py::b[t]": ["", "", "2.12.1"],
        "m.py::a[t]": ["", "", ""],
    }
    # A regression comes before what only got better.
    assert [row.nodeid for row in found.rows] == ["m.py::b[t]", "m.py::a[t]"]
    # What returns to an earlier version is neither.
    assert [
        (case.nodeid, case.why, case.metrics[0].verdict)
        for case in found.steps[1].cases
    ] == [
        ("m.py::a[t]", "", "WIN"),
        ("m.py::b[t]", "as on 2.12.1 again", "changed"),
    ]
    row = next(
        line
        for line in tables.markdown(found, ("kernels",)).splitlines()
        if "::b" in line
    )
    assert "| **1\\* as on 2.12.1 again** |" in row
    # Two of one torch cannot be told apart by its version.
    assert matrix([*results[:2], ("mine", run("2.13.0+cu130"))]).labels == (
        "2.12.1",
        "recorded/2.13.0",
        "mine",
    )


def test_the_matrix_says_which_stages_of_a_case_are_as_on_an_earlier_version_again() -> (
    None
):
    texts = {"2.12.1": ("a", 1), "2.13.0": ("b", 2), "2.15.0": ("a", 3)}
    found = matrix(
        [
            (v, run(v, case("a", guards=f"{g}\n", metrics=f"kernels = {k}\n")))
            for v, (g, k) in texts.items()
        ]
    )
    (row,) = found.rows
    assert [(cell.again, cell.undone) for cell in row.cells] == [
        ("", {}),
        ("", {}),
        ("", {"guards": "2.12.1"}),
    ]
    assert "guards as on 2.12.1 again" in tables.markdown(found, ("kernels",))


def test_cases_and_stages_on_one_side_only() -> None:
    old = run("2.13.0", case("a", metrics="kernels = 1\n"), case("b"))
    new = run(
        "2.15.0",
        case("a", metrics="kernels = 1\n", guards="x\n"),
        case("c"),
        stages="passes,metrics,guards",
    )
    found = report(old, new, "2.13.0", "2.15.0")
    assert [(each.nodeid, each.outcome) for each in found.cases] == [
        ("m.py::a[t]", "same"),
        ("m.py::b[t]", "missing"),
        ("m.py::c[t]", "new"),
    ]
    assert found.notes == ("not compared, because one side did not record it: guards",)
    failed = report(old, SideFailed("no torch"), "2.13.0", "2.15.0")
    assert failed.new.error == "no torch" and failed.differs
