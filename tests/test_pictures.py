"""Graphs and fusion groups read from a stage's text, as the report draws them."""

from __future__ import annotations

from pytest_compile_golden.report.html.pictures import (
    graphs,
    groups,
    not_fused,
    picture,
)

GRAPH = """\
def graph_0_forward(
    primals_1: f32[2, s0, 4][8, 4, 1] @ cpu,
    s0: Sym(s0),
    primals_2: f32[4],
):
    # f: return cond(x.sum() > 0, "primals_2")
    split = aten.split.Tensor(primals_1, 2, 1)
    getitem: f32[2, 2, 4] = split[0]
    attr = self._constant0
    moved: f32[4, 2] = getitem.permute([1, 0])
    add: f32[4, 2] = aten.add.Tensor(moved, attr, alpha="primals_2")
    return (add, getitem)


def graph_0_forward__true_graph_0(arg0_1: f32[4]):
    add: f32[4] = aten.add.Tensor(arg0_1, arg0_1)
    return add


graph_0_forward_saves = [getitem]
"""
GROUPS = """\
graph_0:
  group 0: reduction
    op0: reduction sum
      buf0: f32[8] cuda:0
      computes aten.sum.dim_IntList, aten.mul.Tensor x2
      reads arg0_1[8*c0 + c1]
      writes buf0[c0]
    op1: pointwise
      buf1: f32[8] cuda:0
      computes aten.exp.default
      reads buf0[c0]
      writes buf1[c0]
  group 1: extern
    op2: extern aten.mm.out
      buf2: f32[8, 8] cuda:0
      reads buf1, buf0
  autotuned (aten):
    mm: bias_addmm of 3 candidates
  not fused:
    op0_op1 with op2: template without epilogue: a, b

graph_1:
  group 0: pointwise
    op0: pointwise
      buf0: f32[8] cuda:0
      writes buf0[c0]
"""


def test_graph_is_read_with_inputs_calls_and_arrows() -> None:
    found = graphs(GRAPH)
    assert list(found) == ["graph_0_forward", "graph_0_forward__true_graph_0"]
    boxes = found["graph_0_forward"]
    assert [(box.title, box.kind, box.sources) for box in boxes] == [
        ("primals_1", "input", []),
        ("s0", "input", []),
        ("primals_2", "input", []),
        ("aten.split.Tensor", "node", [0]),
        ("getitem", "node", [3]),
        ("self._constant0", "node", []),
        ("permute", "node", [4]),
        ("aten.add.Tensor", "node", [6, 5]),
        ("output", "output", [7, 4]),
    ]
    assert boxes[0].lines == ["f32[2, s0, 4][8, 4, 1] @ cpu"] and boxes[4].lines == [
        "getitem",
        "f32[2, 2, 4]",
    ]
    assert [box.sources for box in found["graph_0_forward__true_graph_0"]] == [
        [],
        [0],
        [1],
    ]


def test_groups_are_read_with_what_they_compute_and_read() -> None:
    found = groups(GROUPS)
    assert [
        (box.title, box.kind, box.lines, box.sources) for box in found["graph_0"]
    ] == [
        ("0 reduction", "group", ["op0 sum, mul x2", "op1 exp"], []),
        ("1 extern", "extern", ["op2"], [0]),
    ]
    assert len(found["graph_1"]) == 1
    assert [(apart.pair, apart.reason) for apart in not_fused(GROUPS) or ()] == [
        (
            "op0_op1 (sum, mul x2, exp) with op2 (extern aten.mm.out)",
            "template without epilogue: a, b",
        )
    ]
    assert (
        not_fused(GROUPS.partition("  not fused:")[0] + "  not fused: unknown\n")
        is None
    )


def test_unfused_pairs_are_compared_by_what_they_do() -> None:
    def apart(old: str, new: str) -> list[str]:
        return [row[0] for row in picture(groups, old, new)["apart"]]

    # One more operation at the front renumbers all the others.
    renamed = (
        GROUPS.replace("op2", "op3")
        .replace("op1", "op2")
        .replace("buf2", "buf3")
        .replace("buf1", "buf2")
    )
    assert renamed != GROUPS and apart(GROUPS, renamed) == [""]
    assert apart(GROUPS, GROUPS.replace("aten.exp.default", "aten.tanh.default")) == [
        "removed",
        "added",
    ]
    assert apart(GROUPS, GROUPS.replace("without epilogue", "without prologue")) == [
        "removed",
        "added",
    ]
    # One of two identical pairs is gone.
    pair = "    op0_op1 with op2: template without epilogue: a, b\n"
    assert apart(GROUPS.replace(pair, 2 * pair), GROUPS) == ["removed", ""]


def test_what_only_one_side_has_is_marked_regardless_of_names() -> None:
    renamed = GRAPH.replace("getitem", "item").replace("moved", "turned")
    made = picture(graphs, GRAPH, renamed)
    assert not any(
        only
        for boxes in (*made["old"].values(), *made["new"].values())
        for *_, only in boxes
    )

    changed = renamed.replace("aten.add.Tensor(turned", "aten.mul.Tensor(turned")
    made = picture(graphs, GRAPH, changed)
    assert [box[0] for box in made["old"]["graph_0_forward"] if box[-1]] == [
        "aten.add.Tensor"
    ]
    assert [box[0] for box in made["new"]["graph_0_forward"] if box[-1]] == [
        "aten.mul.Tensor"
    ]
    # With nothing to compare with, nothing is marked.
    assert not any(
        box[-1] for box in picture(graphs, None, GRAPH)["new"]["graph_0_forward"]
    )


def test_texts_that_are_not_graphs_do_not_fail() -> None:
    for text in (
        "",
        "def",
        "def f(",
        "graph_0:",
        "  group 0: x",
        "    a = b",
        "def f(a):\n    return a",
    ):
        for read in (graphs, groups):
            picture(read, text, text)
