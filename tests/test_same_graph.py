"""A graph that is spelled otherwise is noted; one that computes otherwise fails."""

from __future__ import annotations

from itertools import pairwise
from pathlib import PurePosixPath

import pytest

from pytest_compile_golden.changes.change import Severities, Severity
from pytest_compile_golden.goldens.compare_artifact import (
    Compared,
    change_edits,
    compare,
)
from pytest_compile_golden.goldens.golden_header import Header
from pytest_compile_golden.goldens.golden_paths import GoldenPath
from pytest_compile_golden.goldens.golden_store import StoredGolden
from pytest_compile_golden.goldens.severity import weighed
from pytest_compile_golden.stages import get_stage

GRAPH = """def graph_0(arg0_1: Sym(s77), arg1_1: f32[s77, 4], arg2_1: f32[s77, 4]):
    sin: f32[s77, 4] = aten.sin.default(arg1_1)
    {name}: f32[s77, 4] = aten.{call}
    cat: f32[{size}, 4] = aten.cat.default([{name}, arg1_1, arg2_1])
    return [cat]
"""
ATTENTION = """def graph_0(arg0_1: f32[4], arg1_1: f32[4]):
    sdpa = higher_order.flex_attention(arg0_1, arg1_1, (1, 2, {inside}), 0.5, {{'BLOCK': 4}}, (), ())
    getitem: f32[4] = sdpa[0]
    return [getitem]
"""
PROLOGUE = """def graph_0(arg0_1: f32[4], arg1_1: f32[4]):
    prologue = {called}
    getitem: f32[4] = prologue[0]
    return [getitem]
"""
CHOICE = """graph_0:
  group 0: template
    op0: template triton_mm
      buf0: f32[64, 64] cuda:0
      computes aten.mm.default
      reads arg0_1, arg1_1
      writes buf0[c0]
  autotuned (prefer templates):
    mm: triton_mm (BLOCK_K=16, {options}num_stages={stages}, num_warps=2) of {of} candidates
"""


def changed(stage: str, old: str, new: str) -> Compared:
    declared = get_stage(stage)
    path = GoldenPath(PurePosixPath("a"), stage, declared.extension)
    found = compare(
        declared,
        path,
        StoredGolden(path.versionless, Header(stage, "2.13.0", None), old),
        new,
    )
    assert found is not None
    return found


def graph(
    call: str = "add.Tensor(sin, arg2_1)", size: str = "3*s77", name: str = "add"
) -> str:
    return GRAPH.format(call=call, size=size, name=name)


@pytest.mark.parametrize(
    ("new", "severity"),
    [
        (graph("add.Tensor(arg2_1, sin)", name="sum_1"), "note"),
        (graph(size="s77 + 2*s77"), "note"),
        (graph("add.Tensor(arg2_1, sin)", size="s77*3"), "note"),
        (graph("add.Tensor(arg2_1, arg1_1)"), "fail"),
        (graph("add.Tensor(sin, arg2_1, alpha=2)"), "fail"),
        (graph("sub.Tensor(sin, arg2_1)"), "fail"),
        (graph(size="2*s77"), "fail"),
    ],
)
def test_operands_and_sizes(new: str, severity: Severity) -> None:
    assert weighed([changed("post_grad_graph", graph(), new)], Severities()) == [
        severity
    ]


def test_operands_of_what_does_not_commute() -> None:
    change = changed(
        "post_grad_graph",
        graph("sub.Tensor(sin, arg2_1)"),
        graph("sub.Tensor(arg2_1, sin)"),
    )
    assert weighed([change], Severities()) == ["fail"]


@pytest.mark.parametrize(
    ("inside", "severity"),
    [
        ("3, None, None", "note"),
        ("None, None, 3", "fail"),
        ("3, 4", "fail"),
        ("None", "fail"),
    ],
)
def test_what_a_higher_order_operator_is_given_besides(
    inside: str, severity: Severity
) -> None:
    old, new = ATTENTION.format(inside="3"), ATTENTION.format(inside=inside)
    change = changed("post_grad_graph", old, new)
    assert weighed([change], Severities()) == [severity]
    assert ({edit.code for edit in change_edits(change)} == {"same-graph"}) == (
        severity == "note"
    )


@pytest.mark.parametrize(
    ("old", "new", "severity"),
    [
        ("None, 7", "None, None, None, 7", "note"),
        ("None, 7, None", "None, None, 7", "fail"),
    ],
)
def test_none_in_a_row_of_them(old: str, new: str, severity: Severity) -> None:
    old, new = (ATTENTION.format(inside=inside) for inside in (old, new))
    assert weighed([changed("post_grad_graph", old, new)], Severities()) == [severity]


@pytest.mark.parametrize(
    ("new", "severity"),
    [
        (CHOICE.format(options="", stages=1, of=12), "note"),
        (
            CHOICE.format(
                options="OUT_DTYPE='tl.float32', ALLOW_TF32=True, ", stages=1, of=12
            ),
            "note",
        ),
        (CHOICE.format(options="OUT_DTYPE='tl.float16', ", stages=1, of=12), "fail"),
        (CHOICE.format(options="", stages=2, of=12), "fail"),
        (CHOICE.format(options="", stages=1, of=13), "note"),
        (CHOICE.format(options="", stages=2, of=13), "fail"),
        (
            CHOICE.format(options="", stages=1, of=13).replace("triton_mm (", "bmm ("),
            "fail",
        ),
        (CHOICE.format(options="", stages=1, of=11), "fail"),
        (
            CHOICE.format(options="", stages=1, of=12).replace(
                "reads arg0_1, arg1_1", "reads arg0_1"
            ),
            "fail",
        ),
    ],
)
def test_options_that_torch_lists_of_a_template(new: str, severity: Severity) -> None:
    old = CHOICE.format(options="OUT_DTYPE='tl.float32', ", stages=1, of=12)
    assert weighed([changed("scheduler_nodes", old, new)], Severities()) == [severity]


LEDGER = """graph_0:
  post_grad remove_noop_ops                          5 -> 4
      -aten.clone.default
  scheduler dead_node_elimination                    {found} -> {left}
"""


@pytest.mark.parametrize(
    ("found", "left", "severity"), [(14, 7, "note"), (11, 6, "fail"), (14, 8, "fail")]
)
def test_nodes_that_the_scheduler_finds(
    found: int, left: int, severity: Severity
) -> None:
    old = LEDGER.format(found=11, left=7)
    assert weighed(
        [changed("passes", old, LEDGER.format(found=found, left=left))], Severities()
    ) == [severity]


def test_nodes_that_a_pass_finds() -> None:
    old = LEDGER.format(found=11, left=7)
    for new in (
        old.replace("5 -> 4", "6 -> 4"),
        old.replace("-aten.clone", "-aten.alias").replace("11 ->", "14 ->"),
    ):
        assert weighed([changed("passes", old, new)], Severities()) == ["fail"]


def test_fewer_candidates_are_another_change() -> None:
    before, after = (
        CHOICE.format(options="", stages=1, of=number) for number in (12, 11)
    )
    codes = [
        [edit.code for edit in change_edits(changed("scheduler_nodes", *pair))]
        for pair in ((before, after), (after, before))
    ]
    assert codes == [["candidates-changed"], ["candidates-added"]]


@pytest.mark.parametrize(
    ("called", "severity"),
    [
        ("torch._dynamo.own.prologue((arg0_1,), [], (arg1_1,))", "note"),
        ("torch._dynamo.own.prologue((arg0_1,), [], (arg0_1,))", "fail"),
        ("torch._dynamo.own.prologue((arg0_1,), [], (arg1_1, arg1_1))", "fail"),
        ("torch._dynamo.own.prologue((arg0_1,), [], [arg1_1])", "fail"),
        ("torch._dynamo.other.Place.locals.prologue((arg0_1,), [], arg1_1)", "note"),
        ("torch._dynamo.own.epilogue((arg0_1,), [], arg1_1)", "fail"),
    ],
)
def test_what_dynamos_own_functions_are_given_in_a_tuple(
    called: str, severity: Severity
) -> None:
    place = "torch._dynamo.Own.locals." if "locals" in called else "torch._dynamo.own."
    old = PROLOGUE.format(called=f"{place}prologue((arg0_1,), [], arg1_1)")
    assert weighed(
        [changed("dynamo_graph", old, PROLOGUE.format(called=called))], Severities()
    ) == [severity]


def test_operands_that_follow_from_what_is_spelled_otherwise() -> None:
    def products(given: str, *, swapped: bool) -> str:
        lines = PROLOGUE.format(
            called=f"torch._dynamo.own.prologue((arg0_1,), [], {given})"
        ).splitlines()
        values = ["getitem", *(f"mul_{number}" for number in range(12))]
        for value, product in pairwise(values):
            operands = ("arg1_1", value) if swapped else (value, "arg1_1")
            lines.insert(
                -1, f"    {product}: f32[4] = aten.mul.Tensor({', '.join(operands)})"
            )
        return "\n".join(lines).replace("[getitem]", "[mul_11]") + "\n"

    old = products("arg1_1", swapped=False)
    for swapped in (False, True):
        change = changed("dynamo_graph", old, products("(arg1_1,)", swapped=swapped))
        assert weighed([change], Severities()) == ["note"]


def test_what_operators_are_given_in_a_tuple() -> None:
    old, new = (
        PROLOGUE.format(called=f"aten.cat.default({given})")
        for given in ("arg1_1", "(arg1_1,)")
    )
    assert weighed([changed("dynamo_graph", old, new)], Severities()) == ["fail"]


def test_a_compile_that_begins_in_another_function_is_weighed_by_what_it_decides() -> (
    None
):
    text = "compile {name}:\n  metrics:\n    kernels = {kernels}\n"
    old = text.format(name="inner", kernels=1)
    worse = changed("decisions", old, text.format(name="outer", kernels=2))
    assert weighed([worse], Severities()) == ["fail"]
    renamed = changed("decisions", old, text.format(name="outer", kernels=1))
    assert len(weighed([renamed], Severities())) == 1
