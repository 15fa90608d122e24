"""The first divergence: the pass that was the first to do something else."""

from __future__ import annotations

import pytest

from pytest_compile_golden.golden.ledger import divergence, read

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


def test_a_ledger_is_read_as_it_is_written():
    rows = read(LEDGER)
    assert [row.name for row in rows] == [
        "group_batch_fusion_passes",
        "joint_graph.early_patterns",
        "remove_noop_ops",
        "post_grad_custom_post_pass / my pass",
        "fuse_nodes",
    ]
    assert rows[1].patterns == {"pointless_view": (2, "torch/_inductor/fx_passes/joint_graph.py:861")}
    assert rows[2].nodes == (63, 60) and rows[2].operators == ["-aten.clone.default x3"]
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
            "post_grad / remove_noop_ops: 63 -> 60 nodes, now 63 -> 61 nodes",
            "torch/_inductor/fx_passes/post_grad.py:1225",
        ),
        ("5 -> 1  #", ".  #", "scheduler / fuse_nodes: 5 -> 1 nodes, now nothing", "torch/_inductor/scheduler.py:4986"),
        ("my pass     .", "my pass     60 -> 59", "post_grad / post_grad_custom_post_pass / my pass: nothing", None),
        ("-aten.clone.default x3", "-aten.view.default x3", "post_grad / remove_noop_ops: -aten.clone", None),
    ],
)
def test_the_pass_that_changed_is_named_with_its_place(old, new, text, where):
    assert LEDGER.count(old) == 1
    found = divergence(LEDGER, LEDGER.replace(old, new))
    assert found is not None and found.text.startswith(text)
    assert where is None or found.where == where


def test_the_earliest_of_several_is_named():
    later = LEDGER.replace("matched 2", "matched 3").replace("5 -> 1", "5 -> 2")
    found = divergence(LEDGER, later)
    assert found is not None and found.phase == "joint"


def test_a_pass_that_is_gone_or_new_counts_only_where_it_did_something():
    lines = LEDGER.splitlines(keepends=True)
    without_idle = "".join(line for line in lines if "group_batch" not in line)
    assert divergence(LEDGER, without_idle) is None
    without_noop = "".join(line for line in lines if "remove_noop" not in line and "clone" not in line)
    gone = divergence(LEDGER, without_noop)
    assert gone is not None and gone.text == "post_grad / remove_noop_ops: does not run any more"
    new = divergence(without_noop, LEDGER)
    assert new is not None and new.text == "post_grad / remove_noop_ops: runs now"


def test_a_graph_that_came_in_different_is_no_passs_fault():
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


def test_a_broken_pass_is_named_in_the_report(project: pytest.Pytester):
    project.makepyfile(test_case=CASE)
    options = ("--compile-golden", "--compile-golden-target=cuda-sm90")
    project.runpytest_subprocess(*options, "--snapshot-update").assert_outcomes(passed=1)
    project.makeconftest(BROKEN)
    result = project.runpytest_subprocess(*options)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["  first divergence  * / remove_noop_ops: * nodes, now nothing   conftest.py:*"])
