"""What code generation alone decides, and how places that kernels read and write are compared."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.changes.common_types import AttributeChanged, NewOrGone
from pytest_compile_golden.changes.kernels import LeafChanged, StatementsChanged
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.arithmetic import same_everywhere
from pytest_compile_golden.formats.canonical_text import padding
from pytest_compile_golden.formats.schedules.provenance import Kernel
from pytest_compile_golden.formats.triton import TRITON
from pytest_compile_golden.goldens import kernel_changes
from pytest_compile_golden.goldens.compare_artifact import Compared, change_edits
from pytest_compile_golden.messages.sentences import sentence
from pytest_compile_golden.report.case_report import case_report
from tests.trails import trail
from tests.written_cases import (
    FORWARD,
    GRAPHS,
    OPERATION,
    differing,
)


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
        (
            "triton_helpers.maximum(tmp0, 7)",
            "tl.maximum(tmp0, 7, tl.PropagateNan.ALL)",
            ["maximum-by-triton"],
        ),
        (
            "triton_helpers.max_with_index(tmp0, tmp1, 1)",
            "triton_helpers.max_with_first_index(tmp0, tmp1, 1)",
            ["index-of-reduced"],
        ),
        (
            "triton_helpers.max2(tmp0, 1)",
            "triton_helpers.max2_of_rows(tmp0, 1)",
            ["value-changed"],
        ),
        # What is called by another name computes something else.
        (
            "triton_helpers.max_with_index(tmp0, tmp1, 1)",
            "triton_helpers.min_with_index(tmp0, tmp1, 1)",
            [],
        ),
        # And so does what is called for another operator, or more often.
        ("libdevice.exp(tmp0)", "libdevice.exp_first(tmp0)", []),
        (
            "triton_helpers.max_with_index(tmp0, tmp1, 1)",
            "triton_helpers.max_with_first_index(tmp0, tmp1, 1)"
            " + triton_helpers.max_with_first_index(tmp0, tmp1, 1)",
            [],
        ),
    ],
)
def test_a_function_in_the_place_of_another_is_told_of_a_kernel_that_nothing_pairs(
    old: str, new: str, told: list[str]
) -> None:
    """Although its graph differs, and the kernel computes more than before."""
    operators = ("isnan", "isinf")
    graph = (
        "def graph_0(x: f32[8]):\n    y: b8[8] = aten.{}.default(x)\n    return (y,)\n"
    )
    kernels = (
        WRITTEN.format(old),
        WRITTEN.format(f"{new}\n    tmp2 = libdevice.sin(tmp1)").replace(
            "tmp1, None", "tmp2, None"
        ),
    )
    sides = [
        {"post_grad_graph": graph.format(operator), "triton_code": kernel}
        for operator, kernel in zip(operators, kernels, strict=True)
    ]
    case = case_report("a[t]", "t", differing(*sides))
    codes = [change.code for change in case.changes]
    assert codes == ["operators-changed", *told]


HINT = """\
@triton_heuristics.persistent_reduction(
    size_hints={{'x': 8, 'r0_': 8}},
    reduction_hint=ReductionHint.{},
    filename=__file__,
)
"""
HINTED = WRITTEN.format("tmp0").replace("@triton.jit", f"{HINT}@triton.jit")


def test_a_kernel_that_both_sides_have_is_no_change_wherever_it_stands() -> None:
    """Not even beside another one, whose name on the other side says that more is fused in it."""
    inner, default = (
        HINTED.format(hint).replace("poi_fused", "per_fused_view")
        for hint in ("INNER", "DEFAULT")
    )
    convolution = default.replace("view_0", "convolution_view_1")
    old = f"{inner}\n\n{convolution}"
    # What has no effect is written in another way.
    moved = inner.replace("view_0", "view_1").replace(
        "__file__,",
        "__file__,\n    inductor_meta={\n        'autotune_hints': (),\n    },",
    )
    new = f"{default}\n\n{moved}"
    assert TRITON.edits(old, new) == ()
    (edit,) = TRITON.edits(old, new.replace("tmp1 = tmp0", "tmp1 = -tmp0", 1))
    assert edit.code == "value-changed"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("tl.where(tmp0 < 0, tmp0 + 8, tmp0)", "tmp0", ["negative-index"]),
        ("INNER", "DEFAULT", ["reduction-hint"]),
        (
            "triton_helpers.maximum(tmp0, 7)",
            "tl.maximum(tmp0, 7, tl.PropagateNan.ALL)",
            ["maximum-by-triton"],
        ),
    ],
)
def test_a_known_rewrite_follows_from_no_operator_of_another_graph(
    old: str, new: str, told: list[str]
) -> None:
    graph = "def graph_{}(x: f32[8], y: f32[8]):\n    z: b8[8] = aten.{}.default(x)\n    return (z,)\n"
    sides, known = [], []
    for operator, value in (("isnan", old), ("isinf", new)):
        operation = OPERATION.format(number=0, computes="aten.relu.default", reads="x")
        schedule = f"graph_0:\n  group 0: pointwise\n{operation}"
        graphs = graph.format(0, "relu"), graph.format(1, operator)
        sides.append(
            {
                "post_grad_graph": "\n\n".join(graphs),
                "scheduler_nodes": schedule,
                "triton_code": HINTED.format(value)
                if value.isupper()
                else WRITTEN.format(value),
            }
        )
        known.append(evidence.write(schedule, [Kernel(0, 0, "triton_poi_fused_0")]))
    compared = differing(*sides, known={"scheduler_nodes": known})
    first, *others = case_report("a[t]", "t", compared).changes
    assert first.text == "graph calls aten.isinf in place of aten.isnan"
    assert [change.code for change in others] == told


@pytest.mark.parametrize(
    ("stores", "told"),
    [
        ("", ["value-changed"]),
        # Where a result is stored that others read newly, the stores have other counterparts.
        ("    tl.store(out_ptr1 + (x0), tmp0, None)\n", []),
    ],
)
def test_what_is_stored_for_others_follows_from_these(
    stores: str, told: list[str]
) -> None:
    graph = "def graph_{}(x: f32[8], y: f32[8]):\n    z: b8[8] = aten.{}.default(x)\n    return (z,)\n"
    operation = OPERATION.format(number=0, computes="aten.relu.default", reads="x")
    schedule = f"graph_0:\n  group 0: pointwise\n{operation}"
    kernels = (
        WRITTEN.format("libdevice.exp(tmp0) * 3.0"),
        WRITTEN.format("libdevice.exp(tmp0)") + stores,
    )
    sides = [
        {
            "post_grad_graph": "\n\n".join(
                (graph.format(0, "relu"), graph.format(1, operator))
            ),
            "scheduler_nodes": schedule,
            "triton_code": kernel,
        }
        for operator, kernel in zip(("isnan", "isinf"), kernels, strict=True)
    ]
    known = evidence.write(schedule, [Kernel(0, 0, "triton_poi_fused_0")])
    compared = differing(*sides, known={"scheduler_nodes": [known, known]})
    codes = [change.code for change in case_report("a[t]", "t", compared).changes]
    assert codes == ["operators-changed", *told]


@pytest.mark.parametrize(
    ("old", "new", "stride"),
    [
        ("131*c0 + c1", "160*c0 + c1", (131, 160)),
        ("c2 + 131*c1 + 8515*c0", "c2 + 160*c1 + 10400*c0", (131, 160)),
        ("160*c0 + c1", "131*c0 + c1", (160, 131)),
        ("131*c0 + c1", "132*c0 + c1", None),
        ("131*c0 + c1", "160*c0 + 2*c1", None),
        ("131*c0 + c1", "c0 + 160*c1", None),
        ("c2 + 131*c1 + 8515*c0", "c2 + 160*c1 + 8515*c0 + 1", None),
    ],
)
def test_padded_rows_are_no_other_index(
    old: str, new: str, stride: tuple[int, int] | None
) -> None:
    assert padding(old, new) == stride


KERNEL = """\
# graph_0: triton_poi_fused_0
@triton.jit
def triton_poi_fused_0(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    x0 = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    tmp0 = tl.load(in_ptr0 + (131*x0), None)
    tl.device_assert((tmp0 < 128) | ~(xmask), "index out of bounds: tmp0 < 128")
    tmp1 = triton_helpers.rand4x(tmp0, x0, XBLOCK)
    tl.store(out_ptr0 + (x0), tmp1, None)
"""


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ("131*x0", "16*(x0 // 16) + (x0 % 64 % 16) + 130*x0", "index-written"),
        ("131*x0", "16*(x0 // 16) + (x0 % 8) + 130*x0", "index-changed"),
    ],
)
def test_an_index_in_a_kernel_may_be_written_otherwise(
    before: str, after: str, code: str
) -> None:
    texts = KERNEL, KERNEL.replace(before, after)
    edits = change_edits(
        Compared(
            "triton_code", "structural", *texts, None, PurePosixPath("triton_code.py")
        )
    )
    assert {edit.code for edit in edits if edit.code.startswith("index")} == {code}


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        (
            "triton_helpers.rand4x(tmp0, x0, XBLOCK)",
            "tl.rand(tmp0, x0)",
            "random-numbers",
        ),
        (
            '    tl.device_assert((tmp0 < 128) | ~(xmask), "index out of bounds: tmp0 < 128")\n',
            "",
            "runtime-checks",
        ),
        ("131*x0", "160*x0", "rows-padded"),
    ],
)
def test_random_numbers_checks_and_padding_have_names(
    before: str, after: str, code: str
) -> None:
    texts = KERNEL, KERNEL.replace(before, after)
    (edit,) = change_edits(
        Compared(
            "triton_code", "structural", *texts, None, PurePosixPath("triton_code.py")
        )
    )
    assert edit.code == code


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (
            "triton_helpers.rand4x(tmp0, x0, XBLOCK)",
            "tl.rand(tmp0, x0)",
            ["operators-changed", "random-numbers"],
        ),
        (
            "triton_helpers.rand4x(tmp0, x0, XBLOCK)",
            "tl.randn(tmp0, x0)",
            ["operators-changed"],
        ),
    ],
)
def test_how_a_number_is_drawn_follows_from_no_graph(
    before: str, after: str, told: list[str]
) -> None:
    """Whichever graph draws it; but another distribution may be that of another operator."""
    graph = "def graph_0(x: f32[64, 64]):\n    y: f32[64, 64] = aten.{}.default(x)\n    return (y,)\n"
    sides, known = [], []
    for operator, draws in (("bernoulli", before), ("rand_like", after)):
        operation = OPERATION.format(
            number=0, computes=f"aten.{operator}.default", reads="x"
        )
        schedule = f"graph_0:\n  group 0: pointwise\n{operation}"
        kernel = KERNEL.replace(before, draws)
        sides.append(
            {
                "post_grad_graph": graph.format(operator),
                "scheduler_nodes": schedule,
                "triton_code": kernel,
            }
        )
        known.append(evidence.write(schedule, [Kernel(0, 0, "triton_poi_fused_0")]))
    compared = differing(*sides, known={"scheduler_nodes": known})
    assert [
        change.code for change in case_report("a[t]", "t", compared).changes
    ] == told


@pytest.mark.parametrize(
    ("line", "now", "told"),
    [
        # Threads wait where no thread waited before.
        ("    tmp3", "    tl.debug_barrier()\n    tmp3", ["statements-changed"]),
        # A function in the place of an operation that comes to the same.
        ("tl_math.exp(tmp1) - 1.0", "libdevice.expm1(tmp1)", ["function-called"]),
        # What is computed otherwise may follow from the operator that is gone.
        ("tl_math.exp(tmp1) - 1.0", "tmp1 - 1.0", []),
        # No operator has that name.
        ("tl_math.exp(tmp1) - 1.0", "libdevice.exp(tmp1) - 1.0", []),
    ],
)
def test_what_code_generation_alone_decides_follows_from_no_operator(
    line: str, now: str, told: list[str]
) -> None:
    """A product with 1 is gone, which its kernel shows in many ways; but not in these. The wrapper checks more, too."""
    graph = "def graph_0(x: f32[64, 64]):\n{}    expm1: f32[64, 64] = aten.expm1.default({})\n    return (expm1,)\n"
    product = "    mul: f32[64, 64] = aten.mul.Tensor(x, 1.0)\n"
    kernel = KERNEL.replace("tmp1, None", "tmp2, None").replace(
        "    tmp1 = triton_helpers.rand4x(tmp0, x0, XBLOCK)",
        "    tl.store(out_ptr0 + (x0), tmp0, None)\n"
        "    tmp3 = tl.load(out_ptr0 + (63 - x0), None)\n"
        "    tmp1 = tmp3 * 1.0\n"
        "    tmp2 = tl_math.exp(tmp1) - 1.0",
    )
    sides, known = [], []
    for before, of, computed, code, checks in (
        (product, "mul", "aten.expm1.default, aten.mul.Tensor", kernel, "launch"),
        (
            "",
            "x",
            "aten.expm1.default",
            kernel.replace(" * 1.0", "").replace(line, now),
            "launch, assert_tensor_metadata",
        ),
    ):
        operation = OPERATION.format(number=0, computes=computed, reads="x")
        schedule = f"graph_0:\n  group 0: pointwise\n{operation}"
        sides.append(
            {
                "post_grad_graph": graph.format(before, of),
                "scheduler_nodes": schedule,
                "triton_code": code,
                "trail": trail(f"wrapper_code     9 lines  aaaa\n  # {checks}\n"),
            }
        )
        known.append(evidence.write(schedule, [Kernel(0, 0, "triton_poi_fused_0")]))
    compared = differing(*sides, known={"scheduler_nodes": known})
    codes = [change.code for change in case_report("a[t]", "t", compared).changes]
    assert codes == ["operators-changed", "wrapper-checks", *told]


def test_a_function_for_another_counts_wherever_other_cases_have_it_alone() -> None:
    """In a kernel that does so much else that nothing says which value is which."""
    alone = KERNEL.replace("rand4x(tmp0, x0, XBLOCK)", "max2(tmp0, 1)")
    beside = alone.replace(
        "    tl.store(",
        "    tmp2 = tl_math.exp(tmp1)\n    tmp3 = tmp2 * tmp0\n    tl.store(",
    )
    cases = [
        case_report(
            "a[t]",
            "t",
            differing(
                {"post_grad_graph": graphs[0], "triton_code": old},
                {
                    "post_grad_graph": graphs[1],
                    "triton_code": new.replace("max2", "fmax2"),
                },
            ),
        )
        for graphs, old, new in (
            ((GRAPHS.format(compares="ge"),) * 2, alone, alone),
            (
                (GRAPHS.format(compares="ge"), GRAPHS.format(compares="gt")),
                beside.replace("tmp0 = tl.load", "tmp7 = tl.load"),
                alone.replace("131*x0", "7*x0")
                .replace("tmp1, None", "tmp1 + tmp0, None")
                .replace("def triton_poi_fused_", "def triton_poi_fused_max_"),
            ),
        )
    ]
    ((change,), others) = (cases[0].changes, cases[1].secondary)
    assert change.key in {other.key for other in others}
    # What a kernel is called says what is fused in it.
    assert not any("triton_poi" in other.text for other in others)


VECTORS = """\
// graph_0: cpp_fused_0
extern "C" void kernel(const float* in_ptr0, float* out_ptr0)
{{
    for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(20L); x0+=static_cast<int64_t>(8L))
    {{
        if(C10_LIKELY(x0 >= static_cast<int64_t>(0) && x0 < static_cast<int64_t>(16L)))
        {{
            auto tmp0 = at::vec::Vectorized<float>::loadu(in_ptr0 + static_cast<int64_t>(x0), static_cast<int64_t>(8));
            auto tmp1 = {vectors};
            tmp1.store(out_ptr0 + static_cast<int64_t>(x0));
        }}
        if(C10_UNLIKELY(x0 >= static_cast<int64_t>(16L) && x0 < static_cast<int64_t>(20L)))
        {{
{tail}
        }}
    }}
}}
"""
MASKED = """\
            auto tmp0 = at::vec::Vectorized<float>::loadu(in_ptr0 + static_cast<int64_t>(x0), static_cast<int64_t>(4L));
            auto tmp1 = tmp0.sin();
            tmp1.store(out_ptr0 + static_cast<int64_t>(x0), static_cast<int64_t>(4L));"""
ONE_BY_ONE = """\
            for (int64_t x0_tail = static_cast<int64_t>(16L);x0_tail < static_cast<int64_t>(20L); x0_tail++)
            {
                auto tmp0 = in_ptr0[static_cast<int64_t>(x0_tail)];
                auto tmp1 = std::sin(tmp0);
                out_ptr0[static_cast<int64_t>(x0_tail)] = tmp1;
            }"""


@pytest.mark.parametrize(
    ("before", "after", "vectors", "told"),
    [
        (
            "aten.mul.Tensor, aten.sin.default",
            "aten.sin.default",
            "tmp0.erfinv().sin()",
            ["scalar-tail"],
        ),
        # What is new may be what has no vectors, but for what another loop computes.
        (
            "aten.sin.default",
            "aten.erfinv.default, aten.sin.default",
            "tmp0.erfinv().sin()",
            [],
        ),
        (
            "aten.sin.default",
            "aten.erfinv.default, aten.sin.default",
            "tmp0.sin()",
            ["scalar-tail"],
        ),
    ],
)
def test_a_tail_that_is_scalar_follows_only_from_what_is_computed_newly(
    before: str, after: str, vectors: str, told: list[str]
) -> None:
    graph = "def graph_0(x: f32[20]):\n    {0}: f32[20] = aten.{0}.default(x)\n    return ({0},)\n"
    sides, known = [], []
    for operator, computes, tail, computed in (
        ("abs", before, MASKED, "tmp0.sin()"),
        ("neg", after, ONE_BY_ONE, vectors),
    ):
        operation = OPERATION.format(number=0, computes=computes, reads="x")
        schedule = f"graph_0:\n  group 0: pointwise\n{operation}"
        sides.append(
            {
                "post_grad_graph": graph.format(operator),
                "scheduler_nodes": schedule,
                "cpp_code": VECTORS.format(tail=tail, vectors=computed),
            }
        )
        known.append(evidence.write(schedule, [Kernel(0, 0, "cpp_fused_0")]))
    compared = differing(*sides, known={"scheduler_nodes": known})
    codes = [change.code for change in case_report("a[t]", "t", compared).changes]
    assert codes == ["operators-changed", *told]


def test_an_operator_that_has_no_vectors_is_not_said_to_have_lost_its_function() -> (
    None
):
    """`.neg()` is called of vectors alone."""
    graph = "def graph_0(x: f32[20]):\n    {0}: f32[20] = aten.{0}.default(x)\n    return ({0},)\n"
    operation = OPERATION.format(number=0, computes="aten.neg.default", reads="x")
    schedule = f"graph_0:\n  group 0: pointwise\n{operation}"
    known = evidence.write(schedule, [Kernel(0, 0, "cpp_fused_0")])
    vectors = MASKED.replace("tmp0.sin()", "tmp0.neg()")
    scalar = ONE_BY_ONE.replace("std::sin(tmp0)", "decltype(tmp0)(-tmp0)")
    sides = [
        {
            "post_grad_graph": graph.format(operator),
            "scheduler_nodes": schedule,
            "cpp_code": VECTORS.format(tail=tail, vectors="tmp0.sin()").replace(
                ".sin()", ".exp()"
            ),
        }
        for operator, tail in (("abs", vectors), ("erf", scalar))
    ]
    compared = differing(*sides, known={"scheduler_nodes": [known, known]})
    codes = [change.code for change in case_report("a[t]", "t", compared).changes]
    assert codes == ["operators-changed", "scalar-tail"]


TWO_LOOPS = """\
// graph_0: cpp_fused_0
extern "C" void kernel(const float* in_ptr0, float* out_ptr0, float* out_ptr1)
{{
{}{}}}
"""
LOOP = """\
    for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(64L); x0+=static_cast<int64_t>(1L))
    {{
        auto tmp0 = in_ptr0[static_cast<int64_t>(x0)];
        auto tmp1 = std::{}(tmp0);
        out_ptr{}[static_cast<int64_t>(x0)] = tmp1 * tmp{};
    }}
"""


def test_loops_that_run_in_another_order_are_not_compared_with_each_other() -> None:
    graph = "def graph_0(x: f32[64]):\n    sin: f32[64] = aten.sin.default(x)\n"
    graph += "    exp: f32[64] = aten.exp.default(x)\n"
    graph += "    {0}: f32[64] = aten.{0}.default(x)\n    return (sin, exp, {0})\n"
    loops = LOOP.format("sin", 0, 1), LOOP.format("exp", 1, 0)
    operations = [
        OPERATION.format(number=at, computes=f"aten.{name}.default", reads="x").replace(
            "cuda:0", "cpu"
        )
        for at, name in enumerate(("sin", "exp"))
    ]
    sides, known = [], []
    for operator, order in (("abs", (0, 1)), ("neg", (1, 0))):
        schedule = "graph_0:\n" + "".join(
            f"  group {at}: pointwise\n{operations[number]}"
            for at, number in enumerate(order)
        )
        code = TWO_LOOPS.format(*(loops[number] for number in order))
        sides.append(
            {
                "post_grad_graph": graph.format(operator),
                "scheduler_nodes": schedule,
                "cpp_code": code,
            }
        )
        known.append(
            evidence.write(schedule, [Kernel(0, at, "cpp_fused_0") for at in order])
        )
    compared = differing(*sides, known={"scheduler_nodes": known})
    case = case_report("a[t]", "t", compared)
    told = (*case.changes, *case.secondary)
    assert "cpp_code" not in {change.stage for change in told}


COMBINED = """\
# graph_0: triton_for_fused_0
@triton.jit
def triton_for_fused_0(in_ptr0, in_ptr1, out_ptr0, out_ptr1, XBLOCK : tl.constexpr):
    if tl.program_id(0) < 1:
{0}
    else:
{1}
"""
OWN_BODY = "        tmp{0} = tl.load(in_ptr{0}, None)\n        tl.store(out_ptr{0}, tl_math.exp(tmp{0}), None)"
ARGUMENTS = "        foreach_arg0 = in_ptr{0}\n        foreach_arg1 = out_ptr{0}"
SHARED_BODY = "    tmp0 = tl.load(foreach_arg0, None)\n    tl.store(foreach_arg1, tl_math.exp(tmp0), None)\n"


def test_a_body_that_tensors_share_follows_from_no_operator() -> None:
    graph = "def graph_0(x: f32[20]):\n    {0}: f32[20] = aten.{0}.default(x)\n    return ({0},)\n"
    each = COMBINED.format(OWN_BODY.format(0), OWN_BODY.format(1))
    shared = COMBINED.format(ARGUMENTS.format(0), ARGUMENTS.format(1)) + SHARED_BODY
    sides = [
        {"post_grad_graph": graph.format(operator), "triton_code": code}
        for operator, code in (("abs", each), ("neg", shared))
    ]
    codes = [
        change.code for change in case_report("a[t]", "t", differing(*sides)).changes
    ]
    assert codes == ["operators-changed", "body-shared"]


TEMPLATE = """\
// graph_0: cpp_fused_mm_0
inline void kernel_micro_gemm(float* C) {{
    {outside}
}}
extern "C" void kernel(const float* in_ptr0, float* out_ptr0)
{{
    auto tmp0 = in_ptr0[static_cast<int64_t>(0L)];
    auto tmp1 = {inside};
    out_ptr0[static_cast<int64_t>(0L)] = tmp1;
}}
"""


@pytest.mark.parametrize(
    ("outside", "inside", "codes"),
    [
        ("C[0] = C[4];", "tmp0 + tmp0", set()),
        ("prefetch(C); C[0] = C[2];", "tmp0 + tmp0", {"template-rewritten"}),
        ("C[0] = C[2];", "std::exp(tmp0)", {"value-changed"}),
    ],
)
def test_what_a_template_has_around_the_loops_is_one_change(
    outside: str, inside: str, codes: set[str]
) -> None:
    old = TEMPLATE.format(outside="C[0] = C[2];", inside="tmp0 + tmp0")
    texts = old, TEMPLATE.format(outside=outside, inside=inside)
    edits = change_edits(
        Compared("cpp_code", "structural", *texts, None, PurePosixPath("cpp_code.cpp"))
    )
    assert {edit.code for edit in edits} & {
        "template-rewritten",
        "value-changed",
        "statements-changed",
    } == codes


@pytest.mark.parametrize(
    ("constants", "same"),
    [
        (
            (("1e-07", "1.0011717677116394e-07"), ("0.1", "0.10009765625")),
            True,
        ),  # in another type
        ((("0.5", "0.25"), ("0.1", "0.10009765625")), False),
        (
            (("64", "128"), ("9", "27")),
            True,
        ),  # sizes that follow from how it is compiled
        ((("0.1", "0.7"), ("64", "128")), False),
    ],
)
def test_a_constant_that_is_rounded_is_another_change_than_a_size_or_another_constant(
    constants: tuple[tuple[str, str], ...], same: bool
) -> None:
    keys = {LeafChanged(before, after, "number").key for before, after in constants}
    assert (len(keys) == 1) is same


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("64*c1 + 16*(c0 // 16 % 4) + (c0 % 64 % 16)", "64*c1 + (c0 % 64)", True),
        ("c0 + 2*c1", "2*c1 + c0", True),
        ("ModularIndexing((c0 % 16 % 4) + 2, 1, 8)", "((c0 % 4) + 2) % 8", True),
        ("ModularIndexing(c0 + 2, 2, 8)", "(c0 + 2) % 8", False),
        ("(c0 // 2) + 50*(c0 % 2)", "c0", False),
        ("c0 % 64", "c0", False),
        ("c0 // s0", "c0 // s1", False),
        ("tmp0.to(tl.int32)", "tmp0.to(tl.int32)", False),
    ],
)
def test_indices_are_compared_by_their_values(old: str, new: str, same: bool) -> None:
    assert same_everywhere(old, new) is same


def test_an_index_is_shown_with_the_brackets_that_it_needs() -> None:
    (edit,) = kernel_edits("x0 % 2", "(4*x0 + (x0 % 4)) % 2")
    assert sentence(edit).endswith("x0 % 2 -> ((4 * x0) + (x0 % 4)) % 2")


def kernel_edits(old: str, new: str) -> list[Change]:
    """Of two kernels that load from these indices."""
    texts = (
        KERNEL.replace("(131*x0)", f"({index})").replace("x0 = ", "x0 = xindex = ")
        for index in (old, new)
    )
    old_text, new_text = texts
    path = PurePosixPath("triton_code.py")
    compared = Compared("triton_code", "structural", old_text, new_text, None, path)
    return [edit for edit in change_edits(compared) if not edit.follows]


USERS = """\
# graph_0: scale_0
@triton_heuristics.user_autotune(
    configs=[{{'num_warps': 4}}],
    triton_meta={{
        'signature': {{'x_ptr': '*fp32', 'scale': '{0}', 'eps': '{0}', 'B': 'constexpr'}},
    }},
    filename=__file__,
)
@triton.jit
def scale_0(x_ptr, scale, eps, B : tl.constexpr):
    tl.store(x_ptr, tl.load(x_ptr) * scale + eps)
"""


def test_arguments_of_a_kernel_of_the_users_have_types() -> None:
    old, new = USERS.format("fp64"), USERS.format("fp32")
    path = PurePosixPath("triton_code.py")
    edits = change_edits(Compared("triton_code", "structural", old, new, None, path))
    assert [sentence(edit) for edit in edits] == [
        "a kernel of yours is given arguments as fp32 instead of fp64: scale, eps"
    ]


@pytest.mark.parametrize(
    ("subject", "same"), [("higher_order.wrapped", True), ("aten.sum", False)]
)
def test_what_a_higher_order_operator_newly_takes_is_one_change(
    subject: str, same: bool
) -> None:
    """Whatever value the program gives it."""
    keys = {
        AttributeChanged(
            "arguments-changed", subject, "", "", f"launch_kwargs={value}"
        ).key
        for value in ("('B',)", "('N', 'B')")
    }
    assert (len(keys) == 1) is same


def test_an_index_that_is_written_otherwise_is_no_other_index() -> None:
    forward = FORWARD.format(stored="", computes="aten.sin.default", reads="primals_1")
    parted, whole, other = (
        forward.replace("primals_1[c0]", f"primals_1[{index}]")
        for index in (
            "64*c1 + 16*(ModularIndexing(c0, 16, 4)) + (ModularIndexing(ModularIndexing(c0, 1, 64), 1, 16))",
            "64*c1 + (ModularIndexing(c0, 1, 64))",
            "32*c1 + (ModularIndexing(c0, 1, 32))",
        )
    )
    path = PurePosixPath("scheduler_nodes.txt")
    for old, new, code in (
        (parted, whole, "index-written"),
        (whole, other, "index-changed"),
    ):
        (edit,) = change_edits(
            Compared("scheduler_nodes", "structural", old, new, None, path)
        )
        assert edit.code == code


@pytest.mark.parametrize(
    ("index", "told"),
    [("c0 % 64", ["index-written"]), ("63 - c0", [])],
)
def test_the_same_place_follows_from_no_operator(index: str, told: list[str]) -> None:
    """A comparison changes, of which the sine is taken that reads there; another place may follow from that."""
    graph = "def graph_0(x: f32[64]):\n    {0}: b8[64] = aten.{0}.Scalar(x, 0)\n"
    graph += "    sin: f32[64] = aten.sin.default({0})\n    return (sin,)\n"
    sides = []
    for operator, place in (("ge", "c0 % 128 % 64"), ("ne", index)):
        first = OPERATION.format(
            number=0, computes=f"aten.{operator}.Scalar", reads="x"
        )
        second = OPERATION.format(number=1, computes="aten.sin.default", reads="x")
        schedule = f"graph_0:\n  group 0: pointwise\n{first}  group 1: pointwise\n"
        schedule += second.replace("x[c0]", f"x[{place}]")
        sides.append(
            {"post_grad_graph": graph.format(operator), "scheduler_nodes": schedule}
        )
    case = case_report("a[t]", "t", differing(*sides))
    codes = [change.code for change in case.changes]
    assert codes == ["operators-changed", *told]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "triton_helpers.rand4x(tmp0, (x0).to(tl.uint32), XBLOCK) < 0.5",
            "tl.rand(tmp0, (x0).to(tl.uint32)) * tmp0",
            ["triton_helpers.rand4x(a, b, XBLOCK) -> tl.rand(a, b)"],
        ),
        # Another distribution is that of another operator.
        ("triton_helpers.rand4x(tmp0, x0, XBLOCK) < 0.5", "tl.randn(tmp0, x0)", []),
    ],
)
def test_a_number_is_drawn_otherwise_whatever_is_made_of_it(
    old: str, new: str, told: list[str]
) -> None:
    """Also where another kernel has drawn by that function before."""
    graph = "def graph_0(x: f32[64, 64]):\n    y: f32[64, 64] = aten.{}.default(x)\n    return (y,)\n"
    drawn = (
        "    tmp2 = tl.rand(tmp0, x0)\n    tl.store(out_ptr0 + (9*x0), tmp2, None)\n"
    )
    sides = [
        {
            "post_grad_graph": graph.format(operator),
            "triton_code": WRITTEN.format(value) + drawn,
        }
        for operator, value in (("bernoulli", old), ("rand_like", new))
    ]
    first, *others = case_report("a[t]", "t", differing(*sides)).changes
    words = "random numbers come from another function: "
    assert first.code == "operators-changed"
    assert [change.text.removeprefix(words) for change in others] == told


def test_checks_of_several_inputs_at_once_are_the_same_checks() -> None:
    """Of a wrapper that differs in so much that the functions that it calls say more than its lines."""
    wrapper = "def call(args):\n{}    buf0 = empty_strided_cuda((8, ), (1, ), torch.float32)\n    return (buf0, )\n"
    old = [
        f"    assert_size_stride(arg{at}_1, (8, ), (1, ), 'input')\n" for at in (0, 1)
    ]
    new = [
        "    assert_size_stride_grouped((arg0_1, arg1_1), ((8, ), (8, )), ((1, ), (1, )), 'input')\n",
        *(f"    arg{at}_1 = copy_if_misaligned(arg{at}_1)\n" for at in (0, 1)),
    ]
    sides = [{"wrapper_code": wrapper.format("".join(lines))} for lines in (old, new)]
    (compared,) = differing(*sides)
    codes = [change.code for change in change_edits(compared) if not change.follows]
    assert codes == ["checks-joined", "calls-changed"]


def test_what_follows_from_accumulators_of_rows_is_not_told_beside_them() -> None:
    """As torch 2.15 writes a loop around an online softmax, instead of one accumulator for each element."""
    kernel = """\
# graph_0: triton_red_fused_amax_sum_0
@triton_heuristics.reduction(
    size_hints={{'x': 512, 'r0_': 8192}},
    inductor_meta={{
        'autotune_hints': {hints},
    }},
)
@triton.jit
def triton_red_fused_amax_sum_0(in_ptr0, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    xnumel = 512
    r0_numel = 5000
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    x0 = xindex
{setup}
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        tmp0 = tl.load(in_ptr0 + (r0_index + 5000*x0), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
{loop}
    tmp4 = {function}(tmp3)
    tl.store(out_ptr0 + (x0), tmp2, xmask)
    tl.store(out_ptr0 + (512 + x0), tmp4, xmask)
"""
    old = kernel.format(
        hints="set()",
        function="tl_math.log",
        setup="""\
    _tmp2_max = tl.full([XBLOCK, R0_BLOCK], float('-inf'), tl.float32)
    _tmp2_sum = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)""",
        loop="""\
        _tmp2_max_next, _tmp2_sum_next = triton_helpers.online_softmax_combine(
            _tmp2_max, _tmp2_sum, tmp1, False
        )
        _tmp2_max = tl.where(r0_mask & xmask, _tmp2_max_next, _tmp2_max)
        _tmp2_sum = tl.where(r0_mask & xmask, _tmp2_sum_next, _tmp2_sum)
    tmp2, tmp3 = triton_helpers.online_softmax_reduce(
        _tmp2_max, _tmp2_sum, 1, False)
    tmp2 = tmp2[:, None]
    tmp3 = tmp3[:, None]""",
    )
    by_row = {
        "hints": "(AutotuneHint.SCALAR_ACCUMULATORS,)",
        "setup": """\
    _tmp2_max = tl.full([XBLOCK], float('-inf'), tl.float32)
    _tmp2_sum = tl.full([XBLOCK], 0.0, tl.float32)""",
        "loop": """\
        _tmp2_max, _tmp2_sum = triton_helpers.online_softmax_reduce_scalar_combine(
            _tmp2_max, _tmp2_sum, tmp1, r0_mask & xmask, 1,
            False, False
        )
    tmp2 = _tmp2_max[:, None]
    tmp3 = _tmp2_sum[:, None]""",
    }
    told = "looped reduction has an accumulator for each row, and reduces each block within the loop"
    for function, more in (
        ("tl_math.log", []),
        # Which has nothing to do with how values are reduced.
        (
            "libdevice.log",
            [
                "a value is computed by another function: tl_math.log(a) -> libdevice.log(a)"
            ],
        ),
    ):
        new = kernel.format(function=function, **by_row)
        path = PurePosixPath("triton_code.py")
        edits = change_edits(
            Compared("triton_code", "structural", old, new, None, path)
        )
        said = [sentence(edit) for edit in edits if not edit.follows]
        assert said == [told, *more]


def test_an_index_that_is_looked_up_after_a_reduction_is_one_change() -> None:
    """Whichever of a maximum and a minimum is reduced."""
    path = PurePosixPath("triton_code.py")
    found = []
    for which in ("max", "min"):
        old, new = (
            WRITTEN.format(f"triton_helpers.{which}_{how}(tmp0, x0, 1)")
            for how in ("with_index", "with_first_index")
        )
        compared = Compared("triton_code", "structural", old, new, None, path)
        found.append(change_edits(compared))
    (largest,), (smallest,) = found
    assert largest.key == smallest.key
    assert sentence(largest).startswith(
        "maximum or minimum is reduced without its index, which is then looked up: triton_helpers.max_with_index("
    )


def test_a_check_that_is_new_is_told_by_what_it_says() -> None:
    """Not by what another says that both kernels have, whichever of them stands first."""
    kept = '    tl.device_assert(((0 <= tmp0) & (tmp0 < 9)) | ~(xmask), "index out of bounds: 0 <= tmp0 < 9")\n'
    come = '    tl.device_assert((0 <= tmp1) | ~(xmask), "index out of bounds: 0 <= tmp1")\n'
    store = "    tl.store"
    path = PurePosixPath("triton_code.py")
    old = WRITTEN.format("tmp0 + 1").replace(store, kept + store)
    for checks in (kept + come, come + kept):
        new = WRITTEN.format("tmp0 + 2").replace(store, checks + store)
        # The value that both check is loaded otherwise, too.
        new = new.replace("in_ptr0 + (x0)", "in_ptr0 + (7*x0)")
        for sides, how in (((old, new), "more"), ((new, old), "fewer")):
            compared = Compared("triton_code", "structural", *sides, None, path)
            said = {sentence(edit) for edit in change_edits(compared)}
            assert (
                f"{how} checks while the kernel runs: index out of bounds: 0 <= index"
                in said
            )
            assert not any("< 9" in each for each in said)


def test_statements_that_another_kernel_has_are_neither_new_nor_gone() -> None:
    loop = "for(int64_t x0=0L; x0<{}L; x0+=8L)\n"
    fewer = StatementsChanged("statements-changed", (loop.format(1365),), ())
    moved, gone = (
        Compared(
            "cpp_code", "structural", old, new, None, PurePosixPath("cpp_code.cpp")
        )
        for old, new in (
            (loop.format(7) + loop.format(1365), loop.format(1365) + loop.format(9)),
            (loop.format(7) + loop.format(1365), loop.format(7)),
        )
    )
    assert not kernel_changes.holds_of_text(fewer, moved)
    assert kernel_changes.holds_of_text(fewer, gone)
    called = NewOrGone("function-called", ("log",), True)
    assert not kernel_changes.holds_of_text(called, gone)
