"""The first divergence: the first pass that behaved differently."""

from __future__ import annotations

import pytest

from pytest_compile_golden.changes.change import Divergence
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.pass_log import LEDGER as LEDGER_FORMAT
from pytest_compile_golden.formats.pass_log import compare as ledger
from pytest_compile_golden.formats.pass_log.compare import runs
from pytest_compile_golden.formats.pass_log.from_record import all_rows, facts
from pytest_compile_golden.formats.pass_log.printed import (
    NOTHING,
    REARRANGED,
    NodeCounts,
    OperatorCount,
    Pattern,
    read,
    write,
)
from pytest_compile_golden.formats.trail.compare import passes
from pytest_compile_golden.formats.trail.compare import read as read_steps
from pytest_compile_golden.messages.sentences import sentence, step
from tests.forked import RunInProject
from tests.trails import trail


def divergence(old: str, new: str) -> Divergence | None:
    return ledger.divergence(runs(old), runs(new))


LEDGER = """\
graph_0:
  pre_grad  group_batch_fusion_passes                .  # torch/_inductor/fx_passes/pre_grad.py:324
  joint     joint_graph.early_patterns               67 -> 63
      pattern pointless_view: matched 2  # torch/_inductor/fx_passes/joint_graph.py:861
      -aten.view.default x4
  post_grad remove_noop_ops                          63 -> 60  # torch/_inductor/fx_passes/post_grad.py:1225
      -aten.clone.default x3
  post_grad post_grad_custom_post_pass / my pass     .
  scheduler fuse_nodes                               5 -> 1  # torch/_inductor/scheduler.py:4986
"""


def test_a_written_ledger_is_read_back() -> None:
    rows = read(LEDGER)
    assert [row.name for row in rows] == [
        "group_batch_fusion_passes",
        "joint_graph.early_patterns",
        "remove_noop_ops",
        "post_grad_custom_post_pass / my pass",
        "fuse_nodes",
    ]
    assert rows[1].patterns == (
        Pattern("pointless_view", 2, "torch/_inductor/fx_passes/joint_graph.py:861"),
    )
    assert rows[2].nodes == NodeCounts(63, 60) and rows[2].operators == (
        OperatorCount("-", "aten.clone.default", 3),
    )
    assert rows[0].idle and not rows[1].idle


@pytest.mark.parametrize(
    ("old", "new", "text", "where"),
    [
        (
            "matched 2",
            "matched 1",
            "joint / joint_graph.early_patterns / pattern pointless_view: matched 2 -> 1",
            "torch/_inductor/fx_passes/joint_graph.py:861",
        ),
        (
            "63 -> 60  #",
            "63 -> 61  #",
            "post_grad / remove_noop_ops: was 63 -> 60 nodes, is now 63 -> 61 nodes",
            "torch/_inductor/fx_passes/post_grad.py:1225",
        ),
        (
            "5 -> 1  #",
            ".  #",
            "scheduler / fuse_nodes: was 5 -> 1 nodes, now does nothing",
            "torch/_inductor/scheduler.py:4986",
        ),
        (
            "my pass     .",
            "my pass     60 -> 59",
            "post_grad / post_grad_custom_post_pass / my pass: did nothing",
            None,
        ),
        (
            "-aten.clone.default x3",
            "-aten.view.default x3",
            "post_grad / remove_noop_ops: removes aten.view x3, keeps aten.clone x3",
            None,
        ),
    ],
)
def test_the_pass_that_changed_is_named_with_its_location(
    old: str, new: str, text: str, where: str
) -> None:
    assert LEDGER.count(old) == 1
    found = divergence(LEDGER, LEDGER.replace(old, new))
    assert found is not None and step(found.change).startswith(text)
    assert where is None or found.where == where


def test_passes_that_did_nothing_are_known_from_evidence_that_fits() -> None:
    rows = read(LEDGER)
    text = write(row for row in rows if not row.idle)
    known = evidence.write(text, facts(rows))
    places = {
        "pre_grad / group_batch_fusion_passes": "torch/_inductor/fx_passes/pre_grad.py:324"
    }
    assert all_rows(text, known, places) == rows
    assert (
        all_rows(text, evidence.write(LEDGER, facts(rows)), places)
        == read(text)
        == tuple(row for row in rows if not row.idle)
    )
    assert (
        write([]) == NOTHING and read(NOTHING) == () and all_rows(NOTHING, "", {}) == ()
    )
    started = LEDGER.replace("my pass     .", "my pass     60 -> 59")
    found = ledger.divergence(runs(text, known), runs(started))
    assert (
        found is not None
        and "post_grad_custom_post_pass / my pass: did nothing, now"
        in step(found.change)
    )


def test_a_graph_on_which_nothing_was_done_is_like_one_that_is_not_listed() -> None:
    idle = "graph_1:\n  joint     remove_noop_ops                          .\n"
    reordered = f"graph_2:\n  joint     stable_sort                              9 -> 9\n      {REARRANGED}\n"
    assert LEDGER_FORMAT.canonical(idle) == LEDGER_FORMAT.canonical(NOTHING) == ()
    assert (
        LEDGER_FORMAT.canonical(f"{LEDGER}\n{idle}\n{reordered}")
        == LEDGER_FORMAT.canonical(LEDGER)
        != ()
    )


def test_the_earliest_of_several_is_named() -> None:
    later = LEDGER.replace("matched 2", "matched 3").replace("5 -> 1", "5 -> 2")
    found = divergence(LEDGER, later)
    assert found is not None and found.phase == "joint"


def test_a_removed_or_new_pass_counts_only_if_it_did_something() -> None:
    lines = LEDGER.splitlines(keepends=True)
    without_idle = "".join(line for line in lines if "group_batch" not in line)
    assert divergence(LEDGER, without_idle) is None
    without_noop = "".join(
        line for line in lines if "remove_noop" not in line and "clone" not in line
    )
    gone = divergence(LEDGER, without_noop)
    assert (
        gone is not None
        and step(gone.change) == "post_grad / remove_noop_ops: no longer runs"
    )
    new = divergence(without_noop, LEDGER)
    assert (
        new is not None and step(new.change) == "post_grad / remove_noop_ops: now runs"
    )


def test_a_graph_that_arrives_different_is_not_blamed_on_a_pass() -> None:
    other = LEDGER.replace("67 -> 63", "68 -> 64").replace("63 -> 60", "64 -> 62")
    assert divergence(LEDGER, other) is None


CASE = """
import torch

def test_clone(compile_stages, golden):
    assert compile_stages(lambda x: x.clone().sin().view(-1).view(-1) + 1, torch.randn(8, 8)) == golden
"""
BROKEN = """
import torch._inductor.fx_passes.post_grad as post_grad

post_grad.remove_noop_ops = lambda graph: None
"""


def test_a_broken_pass_is_named_in_the_report(
    project: pytest.Pytester, compiling: RunInProject
) -> None:
    project.makepyfile(test_case=CASE)
    options = ("--compile-golden-target=cuda-sm90",)
    compiling(*options, "--snapshot-update").assert_outcomes(passed=1)
    project.makeconftest(BROKEN)
    result = compiling(*options)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "  first divergence  * / remove_noop_ops: was * nodes, now does nothing   conftest.py:*"
        ]
    )


def test_among_several_patterns_the_missing_one_is_named() -> None:
    pair = "      pattern pointless_view_pair: matched 1\n"
    at = LEDGER.index("      -aten.view")
    found = divergence(
        LEDGER[:at] + pair + LEDGER[at:],
        LEDGER.replace("matched 2", "matched 3").replace("67 -> 63", "67 -> 65"),
    )
    assert found is not None and step(found.change).endswith(
        "pattern pointless_view_pair: matched 1 -> 0"
    )


def test_the_graph_a_pass_left_counts_if_its_edits_and_node_counts_are_the_same() -> (
    None
):
    steps = "passes:\n  graph_0: joint / joint_graph.early_patterns  {}\n  graph_0: post_grad / remove_noop_ops  {}\n"

    def rows(ledger_text: str, *left: str) -> list[ledger.PassRun]:
        return ledger.with_digests(
            runs(ledger_text), passes(read_steps(trail(steps.format(*left))))
        )

    old = rows(LEDGER, "0123456789", "abcdef0123")
    assert ledger.divergence(old, rows(LEDGER, "0123456789", "abcdef0123")) is None
    counted = LEDGER.replace("matched 2", "matched 7")
    assert ledger.divergence(old, rows(counted, "0123456789", "abcdef0123")) is None
    found = ledger.divergence(old, rows(LEDGER, "1111111111", "2222222222"))
    assert found is not None and step(found.change) == (
        "joint / joint_graph.early_patterns: same operators, with different arguments"
    )
    found = ledger.divergence(
        old, rows(LEDGER.replace("matched 2", "matched 1"), "1111111111", "2222222222")
    )
    assert found is not None and step(found.change).endswith(
        "pattern pointless_view: matched 2 -> 1"
    )
    found = ledger.divergence(
        old, rows(LEDGER.replace("5 -> 1", "5 -> 2"), "0123456789", "2222222222")
    )
    assert found is not None and found.phase == "post_grad"


def test_scheduler_steps_before_fusion_precede_lowered_ir() -> None:
    text = LEDGER.replace(
        "  scheduler fuse",
        "  scheduler dead_node_elimination                    6 -> 5\n  scheduler fuse",
    )
    assert [run.phase for run in runs(text)][-2:] == ["pre_fusion", "scheduler"]
    stays = text.replace("6 -> 5", ".").replace("5 -> 1", "6 -> 1")
    found = divergence(text, stays)
    assert found is not None and found.phase == "pre_fusion"
    assert (
        step(found.change)
        == "scheduler / dead_node_elimination: was 6 -> 5 nodes, now does nothing"
    )


def test_a_pre_fusion_step_that_receives_more_nodes_is_not_blamed_for_removing_them() -> (
    None
):
    idle = LEDGER.replace(
        "  scheduler fuse", "  scheduler dead_node_elimination .\n  scheduler fuse"
    )
    assert divergence(idle, idle.replace("elimination .", "elimination 6 -> 5")) is None


SCALE = """
import os
import torch

def scale(graph):
    for node in graph.find_nodes(op="call_function", target=torch.ops.aten.mul.Tensor):
        node.args = (node.args[0], float(os.environ["SCALE"]))

def test_scaled(compile_stages, golden):
    config = {"post_grad_custom_post_pass": scale}
    assert compile_stages(lambda x: x.sin() * 2 + 1, torch.randn(8, 8), config=config) == golden
"""


def test_a_pass_that_only_changes_arguments_is_named(
    project: pytest.Pytester, compiling: RunInProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.makepyfile(test_case=SCALE)
    options = ("--compile-golden-target=cuda-sm90",)
    monkeypatch.setenv("SCALE", "3")
    compiling(*options, "--snapshot-update").assert_outcomes(passed=1)
    monkeypatch.setenv("SCALE", "5")
    result = compiling(*options)
    result.assert_outcomes(failed=1)
    name = "post_grad / post_grad_custom_post_pass / scale"
    result.stdout.fnmatch_lines(
        [
            f"  first divergence  {name}: same operators, with different arguments   test_case.py:4"
        ]
    )


def test_a_renamed_pass_runs_in_place_of_the_old_one() -> None:
    renamed = LEDGER.replace("remove_noop_ops", "remove_no_ops  ").replace(
        "post_grad.py:1225", "post_grad.py:1300"
    )
    found = divergence(LEDGER, renamed)
    assert (
        found is not None
        and step(found.change)
        == "post_grad / remove_no_ops: runs in place of remove_noop_ops"
    )
    assert found.where == "torch/_inductor/fx_passes/post_grad.py:1300"
    found = divergence(LEDGER, renamed.replace("5 -> 1", "5 -> 2"))
    assert found is not None and step(found.change).startswith(
        "scheduler / fuse_nodes: "
    )
    found = divergence(LEDGER, renamed.replace("63 -> 60", "63 -> 59"))
    assert (
        found is not None
        and step(found.change) == "post_grad / remove_noop_ops: no longer runs"
    )


def test_an_unattributed_change_names_the_pass_before_it() -> None:
    old = LEDGER + "  scheduler reorder_for_peak_memory                  .\n"
    new = old + "  scheduler (unobserved)                             1 -> 1\n"
    first, back = divergence(old, new), divergence(new, old)
    named = "scheduler / (after reorder_for_peak_memory): nodes are"
    assert (
        first is not None
        and step(first.change) == f"{named} reordered outside any known pass"
    )
    assert (
        back is not None
        and step(back.change) == f"{named} no longer reordered outside any known pass"
    )
    assert sentence(first.change).startswith(
        "scheduler / (after reorder_for_peak_memory): "
    )
