"""The trail: what each step decided, and the first step to differ."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from pytest_compile_golden import capture
from pytest_compile_golden.changes.change import Divergence
from pytest_compile_golden.common.digest import digest
from pytest_compile_golden.facts.trail import StageDigest
from pytest_compile_golden.formats.trail import TRAIL as FORMAT
from pytest_compile_golden.formats.trail import compare
from pytest_compile_golden.messages.sentences import step
from tests.trails import trail

TRAIL = """\
dynamo_graph     6 nodes  7a7c2cfb58
pre_grad_graph   6 nodes  7a7c2cfb58
decompositions:
  aten.t.default -> permute.default [2]  # torch/_refs/__init__.py:4818
  aten.gelu.default -> add.Tensor, erf.default, mul.Tensor x3  # torch/_refs/nn/functional/__init__.py:1100
aot_graph        11 nodes  e00d324438
lowerings:
  aten.mm.default -> ExternKernelOut  # torch/_inductor/kernel/mm.py:313
  aten.erf.default -> Pointwise  # torch/_inductor/lowering.py:719
  aten.mul.Tensor -> Pointwise [2]  # torch/_inductor/lowering.py:7377
lowered_ir       2 operations  efc37ffd93
wrapper_code     23 lines  32f96df23e
launches:
  kernel_0 -> XBLOCK=512 num_warps=4 num_stages=1  # triton_poi_fused_gelu_0
"""


def divergences(old: str, new: str) -> list[Divergence]:
    return compare.divergences(compare.read(trail(old)), compare.read(trail(new)))


def canonical(text: str) -> object:
    return FORMAT.canonical(trail(text))


@pytest.mark.parametrize(
    ("old", "new", "phase", "text", "where"),
    [
        (
            "6 nodes  7a7c2cfb58\npre",
            "7 nodes  0123456789\npre",
            "dynamo_graph",
            "6 nodes -> 7 nodes",
            None,
        ),
        (
            "e00d324438",
            "e00d324439",
            "aot_graph",
            "same size, different contents",
            None,
        ),
        (
            "add.Tensor, erf.default, mul.Tensor x3",
            "tanh.default",
            "aot",
            "aot / aten.gelu is decomposed into tanh instead of add, erf, mul x3",
            "torch/_refs/nn/functional/__init__.py:1100",
        ),
        (
            "aten.mm.default -> ExternKernelOut",
            "aten.mm.default -> Reduction",
            "lowering",
            "lowering / aten.mm.default: Reduction instead of ExternKernelOut",
            "torch/_inductor/kernel/mm.py:313",
        ),
        (
            "[2]  # torch/_inductor",
            "[3]  # torch/_inductor",
            "lowering",
            "aten.mul.Tensor: 1 more, Pointwise",
            None,
        ),
        (
            "XBLOCK=512",
            "XBLOCK=256",
            "launch",
            "launch / kernel_0: was XBLOCK=512",
            "triton_poi_fused_gelu_0",
        ),
    ],
)
def test_the_step_that_decided_differently_is_named(
    old: str, new: str, phase: str, text: str, where: str
) -> None:
    assert TRAIL.count(old) == 1
    changed = TRAIL.replace(old, new)
    if phase in ("aot", "lowering"):
        assert divergences(TRAIL, changed) == [] and canonical(TRAIL) == canonical(
            changed
        )
        changed = _with_another_result(changed, phase)
    found = divergences(TRAIL, changed)
    assert found[0].phase == phase and (phase in ("aot", "lowering") or len(found) == 1)
    assert text in step(found[0].change)
    # Of a lowering it is not known whether it changed, or what it was given.
    told, defined = (None, where) if phase == "lowering" else (where, None)
    assert where is None or (found[0].where, found[0].change.defined) == (told, defined)
    assert canonical(TRAIL) != canonical(changed)


def _with_another_result(trail: str, phase: str) -> str:
    """With another digest after the decompositions, or the lowerings."""
    return trail.replace(
        {"aot": "e00d324438", "lowering": "efc37ffd93"}[phase], "0123456789"
    )


def test_decisions_count_where_their_result_is_not_recorded() -> None:
    old = "".join(
        line for line in TRAIL.splitlines(keepends=True) if "aot_graph" not in line
    )
    new = old.replace(
        "aten.t.default -> permute.default [2]", "aten.t.default -> permute.default [3]"
    )
    assert canonical(old) != canonical(new)
    assert [divergence.phase for divergence in divergences(old, new)] == ["aot"]


def test_a_changed_decision_is_named_before_one_that_is_made_more_often() -> None:
    changed = TRAIL.replace(
        "mul.Tensor -> Pointwise [2]", "mul.Tensor -> Pointwise [4]"
    )
    changed = changed.replace(
        "erf.default -> Pointwise", "erf.default -> FallbackKernel"
    )
    found = divergences(TRAIL, _with_another_result(changed, "lowering"))
    assert (
        step(found[0].change)
        == "lowering / aten.erf.default: FallbackKernel instead of Pointwise (and aten.mul)"
    )


def test_in_nested_decompositions_the_inner_one_is_named() -> None:
    nested = "  aten.hardswish.default -> clamp_min.default, mul.Tensor\n  aten.clamp.default -> clamp_min.default\n"
    old = TRAIL.replace("  aten.t.default", nested + "  aten.t.default")
    found = divergences(
        old, _with_another_result(old.replace("clamp_min.default", "where.self"), "aot")
    )
    assert step(found[0].change) == (
        "aot / aten.clamp is decomposed into where instead of clamp_min (aten.hardswish too)"
    )


def test_operators_in_which_something_else_is_exchanged_are_changes_of_their_own() -> (
    None
):
    """What is only asked of sizes is told of none of them."""
    lines = "  aten.{}.default -> {}, mul.Tensor\n"
    sides = [
        "".join(map(lines.format, ("hardswish", "clamp", "rand_like", "silu"), made))
        for made in (
            ("clamp_min.default", "clamp_min.default", "operator.eq", "exp.default"),
            ("where.self", "where.self", "operator.gt", "tanh.default"),
        )
    ]
    old, new = (
        TRAIL.replace("  aten.t.default", side + "  aten.t.default") for side in sides
    )
    found = divergences(old, _with_another_result(new, "aot"))
    assert [step(each.change) for each in found if each.phase == "aot"] == [
        "aot / aten.hardswish is decomposed into where instead of clamp_min (aten.clamp too)",
        "aot / aten.silu is decomposed into tanh instead of exp",
    ]


def test_another_order_of_nodes_is_not_a_change_but_may_cause_one() -> None:
    old = TRAIL.replace("e00d324438\n", "e00d324438  # order 1a2b\n")
    new = old.replace("order 1a2b", "order 3c4d")
    assert canonical(old) == canonical(new)
    later = new.replace("efc37ffd93", "0123456789")
    assert [step(divergence.change) for divergence in divergences(old, later)] == [
        "aot_graph: different order of nodes",
        "lowered_ir: same size, different contents",
    ]


SHOWN = "  differs: compile-golden diff OLD NEW --stages +"
HELD = """\
dynamo_graph     6 nodes  7a7c2cfb58
  # input x2 k2, torch.split 3a
pre_grad_graph   6 nodes  7a7c2cfb58
aot_graph        20 nodes  e00d324438  # order 1a2b
  # input x2 k2, aten.split_with_sizes x3 9f, getitem x6, aten.slice.Tensor, aten.mul.Tensor x2 0b, output
joint_graph      19 nodes  0a0d324438
  # input x2 k2, aten.slice.Tensor, aten.mul.Tensor x2 0c, output
wrapper_code     23 lines  32f96df23e
  # assert_size_stride x2, allocation x2 c4, extern_kernels.mm 0d, reuse x2, launch x3 aa
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "20 nodes  e00d324438  # order 1a2b\n  # input x2 k2, aten.split_with_sizes x3 9f, getitem x6, aten.slice",
            "18 nodes  e00d324439  # order 1a2b\n  # input x2 k2, aten.split_with_sizes 9f, getitem x2, aten.slice",
            "AOTAutograd traces views differently: aten.split_with_sizes 3 -> 1, getitem 6 -> 2",
        ),
        (
            "20 nodes  e00d324438  # order 1a2b\n  # input x2 k2, aten.split_with_sizes x3 9f, getitem x6, aten.slice",
            "18 nodes  e00d324439  # order 1a2b\n  # input x2 k2, aten.mm 9f, getitem x2, aten.slice",
            "aot_graph calls aten.mm in place of aten.split_with_sizes x3",
        ),
        (
            "32f96df23e\n  # assert_size_stride x2, allocation x2 c4, extern_kernels.mm 0d, reuse x2",
            "32f96df23f\n  # assert_size_stride x5, allocation x3 c5, extern_kernels.mm 0d, reuse",
            "wrapper_code: 1 more allocation, 1 fewer reuse",
        ),
        (
            "32f96df23e\n  # assert_size_stride x2",
            "32f96df23f\n  # assert_size_stride x4",
            "wrapper_code: assert_size_stride 2 -> 4",
        ),
        (
            "0a0d324438\n  # input x2 k2, aten.slice.Tensor, aten.mul.Tensor x2 0c",
            "0a0d324439\n  # input x2 k2, aten.slice.Tensor bb, aten.mul.Tensor x2 0d",
            "joint_graph: the same calls, with different arguments or types at aten.slice, the first of 2",
        ),
        (
            "7a7c2cfb58\n  # input x2 k2, torch.split 3a\npre_grad_graph   6 nodes  7a7c2cfb58",
            "7a7c2cfb59\n  # input x2 k3, torch.split 3b\npre_grad_graph   6 nodes  7a7c2cfb59",
            "dynamo_graph: the same operators, with inputs of different types",
        ),
        (
            "7a7c2cfb58\n  # input x2 k2, torch.split 3a\npre_grad_graph   6 nodes  7a7c2cfb58",
            "7a7c2cfb59\n  # input x2 k2, torch.chunk x2 3b\npre_grad_graph   6 nodes  7a7c2cfb59",
            "dynamo_graph calls torch.chunk x2 in place of torch.split",
        ),
        (
            "e00d324438  # order 1a2b",
            "e00d324439  # order 3c4d",
            "aot_graph: the same operators and arguments, put together differently",
        ),
        (
            "e00d324438",
            "e00d324439",
            "aot_graph: the same operators and arguments, put together differently",
        ),
        # Against a golden from before this was recorded, and the other way round.
        (
            "32f96df23e\n  # assert_size_stride x2, allocation x2 c4, extern_kernels.mm 0d, reuse x2, launch x3 aa\n",
            "32f96df23f\n",
            "wrapper_code: same size, different contents",
        ),
    ],
)
def test_the_contents_of_a_step_show_how_it_differs(
    old: str, new: str, expected: str
) -> None:
    assert HELD.count(old) == 1
    changed = HELD.replace(old, new)
    assert step(divergences(HELD, changed)[0].change) == expected
    assert canonical(HELD) != canonical(changed)


@pytest.mark.parametrize(
    ("old", "new", "removed", "added"),
    [
        (
            "20 nodes  e00d324438  # order 1a2b\n  # input x2 k2, aten.split_with_sizes x3 9f, getitem x6, aten.slice",
            "18 nodes  e00d324439  # order 1a2b\n  # input x2 k2, aten.split_with_sizes 9f, getitem x2, aten.slice",
            [
                "aot_graph        aten.split_with_sizes x3",
                "aot_graph        getitem x6",
            ],
            ["aot_graph        aten.split_with_sizes", "aot_graph        getitem x2"],
        ),
        (
            "32f96df23e\n  # assert_size_stride x2, allocation x2 c4, extern_kernels.mm 0d, reuse x2",
            "32f96df23f\n  # assert_size_stride x5, allocation x2 c4, extern_kernels.mm 0e, reuse x2",
            [],
            [f"wrapper_code     extern_kernels.mm{SHOWN}wrapper_code shows how"],
        ),
        (
            "32f96df23e\n  # assert_size_stride x2",
            "32f96df23f\n  # assert_size_stride x4",
            ["wrapper_code     assert_size_stride x2"],
            ["wrapper_code     assert_size_stride x4"],
        ),
        (
            "e00d324438",
            "e00d324439",
            [],
            [f"aot_graph        20 nodes{SHOWN}aot_graph shows how"],
        ),
    ],
)
def test_a_diff_shows_the_contents_of_steps_and_where_only_digests_differ_what_shows_more(
    old: str, new: str, removed: list[str], added: list[str]
) -> None:
    shown = FORMAT.significant(trail(HELD), trail(HELD.replace(old, new)))
    assert shown is not None
    come = "\n".join(shown.new)
    assert [line for line in shown.old if line not in come] == removed
    assert [line for line in shown.new if line not in shown.old] == added
    # Which is unchanged.
    assert not any(line.startswith("dynamo_graph") for line in shown.old)


def test_a_launch_is_blamed_on_the_heuristic_that_offers_it() -> None:
    by = "pointwise in torch/_inductor/runtime/triton_heuristics.py:2414"
    old = TRAIL.replace("triton_poi_fused_gelu_0", by)
    assert canonical(old) == canonical(TRAIL)
    found = divergences(old, old.replace("XBLOCK=512", "XBLOCK=256"))
    assert [step(each.change) for each in found] == [
        "launch / kernel_0 / pointwise: was XBLOCK=512 num_warps=4 num_stages=1, "
        "is now XBLOCK=256 num_warps=4 num_stages=1"
    ]
    assert found[0].where == "torch/_inductor/runtime/triton_heuristics.py:2414"


def test_where_dynamo_stopped_explains_its_graph() -> None:
    stops = "graph_breaks:\n  Unsupported: gelu  # f: return F.gelu(x)\n"
    assert canonical(HELD) == canonical(stops + HELD)
    assert [
        step(divergence.change) for divergence in divergences(HELD, stops + HELD)
    ] == ["new graph break: Unsupported: gelu, at `f: return F.gelu(x)`"]
    assert (
        divergences(
            stops + HELD, stops.replace("f: return F.gelu(x)", "g: y = f(x)") + HELD
        )
        == []
    )
    # Nothing is known about a trail that is not there.
    assert divergences("", "graph_breaks:\n  gelu  # f: x\n") == []


def test_locations_and_the_order_of_decisions_do_not_count() -> None:
    lines = TRAIL.splitlines(keepends=True)
    lines[3], lines[4] = lines[4], lines[3]
    other = (
        "".join(lines)
        .replace("lowering.py:719", "lowering.py:819")
        .replace("fused_gelu_0", "fused_erf_0")
    )
    assert canonical(TRAIL) == canonical(other)
    unexplained = [
        "".join(
            line
            for line in each.splitlines(keepends=True)
            if not line.startswith(("aot_graph", "lowered_ir"))
        )
        for each in (TRAIL, other)
    ]
    assert canonical(unexplained[0]) == canonical(unexplained[1])
    assert divergences(TRAIL, other) == []


def test_a_compile_says_what_was_decomposed_lowered_and_launched() -> None:
    def f(x: Tensor, weight: Tensor) -> tuple[Tensor, ...]:
        return F.gelu(x @ weight), torch.cumsum(x, 0)

    text = str(
        capture(f, torch.randn(64, 128), torch.randn(128, 32), target="cuda-sm90")[
            "trail"
        ]
    )
    facts = FORMAT.read(text)
    steps = compare.Steps(facts)
    assert FORMAT.write(facts) == text and list(steps.facts) == [
        "dynamo_graph",
        "pre_grad_graph",
        "decompositions",
        "aot_graph",
        "post_grad_graph",
        "lowerings",
        "lowered_ir",
        "scheduler_nodes",
        "wrapper_code",
        "launches",
    ]
    assert (
        '"aten.gelu.default","add.Tensor, erf.default, mul.Tensor x3",1,"torch/_refs/nn/functional'
        in text
    )
    assert (
        '"aten.mm.default","ExternKernelOut",1,"torch/_inductor/kernel/mm.py:' in text
    )
    assert '"kernel_0","XBLOCK=' in text
    digests = {fact.digest for fact in facts if isinstance(fact, StageDigest)}
    assert {len(digest) for digest in digests} == {22}
    held = {
        name: {item.name: item.times for item in steps.items(name)}
        for name in steps.facts
    }
    assert (
        held["dynamo_graph"] == held["pre_grad_graph"]
        and held["dynamo_graph"]["operator.matmul"] == 1
    )
    assert (
        held["aot_graph"]["aten.mul.Tensor"] == 3 and held["lowered_ir"]["ops.erf"] == 1
    )
    assert (
        held["wrapper_code"]["extern_kernels.mm"] == held["wrapper_code"]["reuse"] == 1
    )
    assert held["wrapper_code"]["allocation"] == held["wrapper_code"]["launch"] == 2


def test_a_digest_is_the_same_in_every_process_and_regardless_of_order() -> None:
    form = (
        ("a", 1, None),
        frozenset({("x", 2), ("y", 3), ("z", 4)}),
        {"k": (1.5, True)},
    )
    script = f"from pytest_compile_golden.common.digest import digest; print(digest({form!r}))"
    done = [
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
        )
        for seed in ("1", "2")
    ]
    assert {result.stdout.strip() for result in done} == {digest(form)}
    assert digest((1, "1")) != digest(("1", 1))
    with pytest.raises(TypeError, match="plain values"):
        digest(object())
