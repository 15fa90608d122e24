"""What a case changes besides its first divergence is told where it cannot follow from that."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.graphs import GRAPH
from pytest_compile_golden.formats.graphs.equivalence import pairs
from pytest_compile_golden.formats.schedules.provenance import Kernel
from pytest_compile_golden.report.cases import case_report
from tests.test_attribution import differing, moved
from tests.trails import trail

RANKED = """\
def graph_0(x: f32[8], y: f32[8]):
    sort: f32[8] = aten.sort.default(x)
    sin: f32[8] = aten.sin.default(y)
{also}    compares: b8[8] = aten.{compares}.Scalar({of}, 0)
    any_1: b8[] = aten.any.default(compares)
    return (sort, any_1, {last})
"""


@pytest.mark.parametrize(
    ("compares", "of", "told"),
    [
        ("ge", "x", ["aten.ge reads an input instead of the result of aten.sort"]),
        ("gt", "sort", ["aten.ge -> aten.gt"]),
        ("ge", "sort", []),
        # What is given another value may follow from what makes that.
        ("ge", "sin_1", []),
    ],
)
def test_what_changes_among_nodes_that_are_the_same_follows_from_none(
    compares: str, of: str, told: list[str]
) -> None:
    sine = "    sin_1: f32[8] = aten.sin.default(sin)\n"
    graphs = (
        RANKED.format(also="", compares="ge", of="sort", last="sin"),
        RANKED.format(also=sine, compares=compares, of=of, last="sin_1"),
    )
    steps = "aot_graph        9 nodes  {}\n  # aten.sort, aten.sin{}, output\n"
    sides = [
        {"post_grad_graph": graph, "trail": trail(steps.format(digest, times))}
        for graph, digest, times in zip(
            graphs, ("aaaa", "bbbb"), ("", " x2"), strict=True
        )
    ]
    case = case_report("a[t]", "t", differing(*sides))
    first, *others = case.changes
    assert first.text == "aot_graph: aten.sin 1 -> 2"
    assert [change.text for change in others] == told


COMPARED = """\
def graph_0(x: f32[8], y: f32[8]):
    first: b8[8] = aten.gt.Scalar(y, 1)
    second: b8[8] = aten.{}.Scalar(x, 0)
    third: f32[8] = aten.{}.default({})
    return (first, second, third)
"""
KERNEL = """\
graph_0:
  group 0: pointwise
    op0: pointwise
      buf0: f32[8] cuda:0
      computes aten.{}.Scalar, aten.{}.default
      reads x[c0], y[c0]
      writes buf0[c0]
"""


def test_an_operator_in_the_place_of_another_is_told_once_and_costs_nothing() -> None:
    """Tracing counts it among what it traces no longer, where it traces the other anyway; the kernel that computes it
    computes more that is other."""
    steps = "aot_graph        9 nodes  {}\n  # {}, aten.full, output\ndecompositions:\n  aten.{} -> full.default\n"
    sides = []
    for second, third, of, read, *traced in (
        ("ge", "relu", "y", 64, "aaaa", "aten.gt.Scalar, aten.ge.Scalar", "zeros_like"),
        ("gt", "neg", "first", 96, "bbbb", "aten.gt.Scalar x2", "new_zeros"),
    ):
        moves = f"launches 1, read {read}, written 64, flops 0"
        sides.append(
            {
                "post_grad_graph": COMPARED.format(second, third, of),
                "scheduler_nodes": KERNEL.format(second, third),
                "cost": f"graph_0: {moves}, peak_memory 1\n  pointwise [{second}, {third}]: {moves}\n",
                "trail": trail(steps.format(*traced)),
                "metrics": f"bytes_accessed = {read + 64}\n",
            }
        )
    case = case_report("a[t]", "t", differing(*sides))
    traced_otherwise, compared, *_ = case.changes
    assert [traced_otherwise.text, compared.text] == [
        "AOTAutograd traces aten.new_zeros instead of aten.zeros_like",
        "aten.ge -> aten.gt",
    ]
    assert moved(case, "bytes_accessed") == {"operators-traced": 32}


def test_how_a_result_is_laid_out_follows_from_no_other_operator() -> None:
    graph = (
        "def graph_0(x: f32[4, 4]):\n"
        "    {0}: f32[4, 4][1, 4] = {1}\n"
        "    norm: f32[4, 4]{2} = torch.nn.functional.group_norm(x, 2)\n"
        "    gelu: f32[4, 4]{2} = torch.gelu(norm)\n"
        "    return ({0}, gelu)\n"
    )
    sides = [
        {"dynamo_graph": graph.format(*parts)}
        for parts in (
            ("getattr_1", "getattr(x, 'mT')", ""),
            ("mt", "aten.mT(x)", "[1, 4]"),
        )
    ]
    case = case_report("a[t]", "t", differing(*sides))
    # Of the second, whose operand is laid out so, that follows.
    assert [change.text for change in case.changes] == [
        "getattr -> aten.mT",
        "result of torch.nn.functional.group_norm: strides contiguous -> [1, 4]",
    ]


def test_inputs_of_which_there_are_more_are_known_by_their_names() -> None:
    graph = (
        "def graph_0_backward({}tangents_1: f32[8]):\n"
        "    cos: f32[8] = aten.cos.default(tangents_1)\n"
        "    mul: f32[8] = aten.mul.Tensor(cos, {})\n"
        "    return (mul,)\n"
    )
    ((old,), (new,)) = (
        GRAPH.document(graph.format(*parts))
        for parts in (
            ("primals_1: f32[8], ", "primals_1"),
            ("primals_1: f32[8], sub: f32[8], ", "sub"),
        )
    )
    found = pairs(old, new)
    assert found.values["tangents_1"] == "tangents_1"
    assert found.differ == ({"mul"}, {"mul"})
    # If one is left on both sides, it is another name for it.
    ((renamed,),) = (
        GRAPH.document(graph.format("add: f32[8], primals_2: f32[4], ", "add")),
    )
    assert pairs(old, renamed).differ == (set(), set())


def test_what_is_written_otherwise_everywhere_is_told_of_a_kernel_that_nothing_pairs() -> (
    None
):
    kernel = """\
// graph_0: cpp_fused_0
extern "C" void kernel(const float* in_ptr0, float* out_ptr0)
{{
    for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>({0}L); x0+=static_cast<int64_t>(8L))
    {{
{1}
    }}
}}
"""
    old = """\
        auto tmp0 = at::vec::Vectorized<float>::loadu(in_ptr0 + static_cast<int64_t>(x0));
        auto tmp1 = tmp0 != tmp0;
        auto tmp2 = tmp1.template cast<float,1>();
        tmp2.store(out_ptr0 + static_cast<int64_t>(x0));"""
    new = """\
        auto tmp0 = at::vec::Vectorized<float>::loadu(in_ptr0 + static_cast<int64_t>(7L*x0));
        auto tmp1 = tmp0.sin();
        auto tmp2 = tmp1 * tmp0;
        auto tmp3 = tmp2 > tmp1;
        auto tmp4 = {}(tmp3) & tmp0.abs();
        tmp4.store(out_ptr0 + static_cast<int64_t>(3L*x0));"""
    for function, told in (
        ("inductor_vec_mask_cast<float,1>", True),
        ("other_cast<float,1>", False),
    ):
        sides = [
            {"cpp_code": kernel.format(16, old)},
            {"cpp_code": kernel.format(64, new.format(function))},
        ]
        case = case_report("a[t]", "t", differing(*sides))
        # In the words that are said of it where a value shows it.
        words = "mask is cast by a function: a.cast<T, n>() -> inductor_vec_mask_cast<T, n>(a)"
        every = (*case.changes, *case.secondary)
        assert (words in {change.text for change in every}) == told


WRITTEN = """\
# graph_0: triton_poi_fused_0
@triton.jit
def triton_poi_fused_0(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    x0 = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = {}
    tl.store(out_ptr0 + (x0), tmp1, None)
"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("tl.where(tmp0 < 0, tmp0 + 8, tmp0)", "tmp0", ["negative-index"]),
        # What is only written otherwise stands in the entry of cases that have it alone.
        (
            "triton_helpers.maximum(tmp0, 7)",
            "tl.maximum(tmp0, 7, tl.PropagateNan.ALL)",
            [],
        ),
    ],
)
def test_a_known_rewrite_follows_from_no_operator_of_another_graph(
    old: str, new: str, told: list[str]
) -> None:
    graph = "def graph_{}(x: f32[8], y: f32[8]):\n    z: b8[8] = aten.{}.default(x)\n    return (z,)\n"
    sides, known = [], []
    for operator, value in (("isnan", old), ("isinf", new)):
        schedule = KERNEL.format("sin", "relu")
        graphs = graph.format(0, "relu"), graph.format(1, operator)
        sides.append(
            {
                "post_grad_graph": "\n\n".join(graphs),
                "scheduler_nodes": schedule,
                "triton_code": WRITTEN.format(value),
            }
        )
        known.append(evidence.write(schedule, [Kernel(0, 0, "triton_poi_fused_0")]))
    compared = [
        replace(each, known=(known[0], known[1]))
        if each.stage == "scheduler_nodes"
        else each
        for each in differing(*sides)
    ]
    first, *others = case_report("a[t]", "t", compared).changes
    assert first.text == "aten.isnan -> aten.isinf"
    assert [change.code for change in others] == told
