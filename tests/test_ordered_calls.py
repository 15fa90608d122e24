"""Calls that `control_deps` keeps in order are told as that, and not by what it takes to keep them there."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_compile_golden.formats.graphs import GRAPH
from pytest_compile_golden.formats.graphs.ordered_calls import without_order
from pytest_compile_golden.goldens.golden_header import parse_golden
from tests.test_grouping import labels
from tests.test_messages import schedule

GOLDENS = Path(__file__).parents[1] / "goldens" / "cases" / "test_streams"
KEPT = """\
def graph_0(arg0_1: f32[8]):
    subgraph_wait_event = self.subgraph_wait_event
    sin: f32[8] = aten.sin.default(arg0_1)
    cos: f32[8] = aten.cos.default(arg0_1)
    control_deps = higher_order.control_deps(({after}), subgraph_wait_event, {handed_on})
    getitem: f32[8] = control_deps[1]
    add: f32[8] = aten.{last}.Tensor({sum})
    return (add,)


def graph_0__subgraph_wait_event({inputs}):
    wait_event_default = streams.wait_event.default(1, 0)
    return (wait_event_default, {inputs})
"""
ONE = {
    "after": "cos, sin",
    "handed_on": "cos",
    "sum": "sin, getitem",
    "inputs": "dep_0: f32[8]",
}


def golden(test: str, release: str) -> str:
    path = GOLDENS / test / "cuda-sm90" / f"post_grad_graph{release}.py"
    return parse_golden(path.read_text(encoding="utf-8"), "#", path)[1]


def edits(old: str, new: str) -> list[str]:
    return labels(old, new, "post_grad_graph", "py")


def test_calls_of_streams_are_told_to_be_kept_in_order() -> None:
    """What is recorded of torch 2.12, 2.13 and 2.14."""
    before, between, after = (
        golden("test_stream_made_in_the_graph", release)
        for release in ("", "@torch-2.13", "@torch-2.14")
    )
    told = "kept in order with what is computed before and after (control_deps)"
    assert edits(before, between) == [f"streams.wait_stream x2 are {told}"]
    assert edits(between, before) == [f"streams.wait_stream x2 are no longer {told}"]
    assert edits(between, after) == ["streams.wait_stream runs after 2 more values"]
    before, after = (
        golden("test_event_between_streams", release) for release in ("", "@torch-2.14")
    )
    said = "streams.wait_event runs before 1 {} value is read"
    assert edits(before, after) == [said.format("more")]
    assert edits(after, before) == [said.format("fewer")]


def test_what_changes_beside_the_order_is_told_too() -> None:
    one = KEPT.format(**ONE, last="add")
    other = KEPT.format(**{**ONE, "after": "cos"}, last="mul")
    assert edits(one, other) == [
        "streams.wait_event runs after 1 fewer value",
        "graph calls aten.mul in place of aten.add",
    ]
    assert edits(one, KEPT.format(**ONE, last="mul")) == [
        "graph calls aten.mul in place of aten.add"
    ]


def test_a_call_stands_in_the_place_of_what_keeps_it_there() -> None:
    (graph,) = without_order(GRAPH.read(KEPT.format(**ONE, last="add")))
    assert GRAPH.write([graph]) == (
        "def graph_0(arg0_1: f32[8]):\n"
        "    sin: f32[8] = aten.sin.default(arg0_1)\n"
        "    cos: f32[8] = aten.cos.default(arg0_1)\n"
        "    control_deps = streams.wait_event.default(1, 0)\n"
        "    add: f32[8] = aten.add.Tensor(sin, cos)\n"
        "    return (add,)\n"
    )


@pytest.mark.parametrize(
    ("computes", "said"),
    [
        (
            "aten.cos.default, higher_order.control_deps, streams.wait_event.default",
            "streams.wait_event runs after 2 more values",
        ),
        (
            "aten.cos.default, streams.wait_event.default",
            "streams.wait_event reads 2 more values",
        ),
    ],
)
def test_what_an_ordered_call_is_said_to_read_is_what_it_waits_for(
    computes: str, said: str
) -> None:
    called = "extern FallbackKernel torch.ops.streams.wait_event.default"
    old, new = (
        schedule(f"{called} | buf3: NoneLayout | {computes} | {reads}")
        for reads in ("buf2", "buf0, buf1, buf2")
    )
    assert labels(old, new, "scheduler_nodes", "txt") == [said]


def test_a_call_that_a_token_of_effects_orders_is_told_by_its_name() -> None:
    old = "def graph_0(x: f32[8]):\n    sin: f32[8] = aten.sin.default(x)\n    return (sin,)\n"
    new = (
        "def graph_0(x: f32[8]):\n"
        "    token: f32[0] = prims._make_token.default()\n"
        "    sin: f32[8] = aten.sin.default(x)\n"
        "    with_effects = higher_order.with_effects(token, aten._linalg_check_errors.default, sin)\n"
        "    getitem: f32[0] = with_effects[0]\n"
        "    sink = prims._sink_tokens.default([getitem])\n"
        "    return (sin,)\n"
    )
    assert edits(old, new) == ["graph has 1 more call: aten._linalg_check_errors"]
    # Where there is nothing else, the token is told.
    assert edits(
        old,
        old.replace("    sin", "    token = prims._make_token.default()\n    sin", 1),
    ) == ["graph has 1 more call: prims._make_token"]
