"""How changes to kernels, C++ and machine code are described."""

from __future__ import annotations

import pytest

from pytest_compile_golden.changes.kernels import ValueChanged
from pytest_compile_golden.changes.known_rewrites import recognised
from pytest_compile_golden.formats.arithmetic import once
from pytest_compile_golden.formats.cpp_kernels import CPP
from pytest_compile_golden.formats.expression_edits import _value_change
from pytest_compile_golden.formats.schedules.form import numbered_index
from pytest_compile_golden.formats.triton import TRITON
from pytest_compile_golden.messages.message_table import in_place
from tests.test_grouping import labels
from tests.test_messages import schedule


def test_indices_are_written_as_people_write_them() -> None:
    text = """\
graph_0:
  group 0: pointwise
    op0: pointwise
      buf0: f32[8] cpu
      reads arg0_1[{}]
      writes buf0[c0]
"""
    nested = "16*(ModularIndexing(c0, 16, 4)) + (ModularIndexing(ModularIndexing(c0, 1, 64), 1, 16))"
    assert labels(
        text.format(nested),
        text.format("ModularIndexing(c0, 1, 64)"),
        "scheduler_nodes",
    ) == [
        "the same index, written differently: 16*(c0 // 16 % 4) + (c0 % 64 % 16) -> c0 % 64"
    ]


def test_an_index_is_compared_with_the_one_that_is_the_same() -> None:
    """Indices of one buffer stand sorted by how they are written, and so in another place if that differs."""
    # `(c1 - 32) % 32` is `c1 % 32`, too, but is read on both sides.
    text = """\
graph_0:
  group 0: pointwise
    op0: pointwise
      buf0: f32[64] cpu
      reads {}
      writes buf0[c0]
"""
    kept = "arg0_1[ModularIndexing((c1 - 32), 1, 32)]"
    before = "arg0_1[ModularIndexing((c1), 1, 32)]"
    after = "arg0_1[ModularIndexing(((c1)) + 32, 1, 32)]"
    assert labels(
        text.format(f"{kept}, {before}"),
        text.format(f"{after}, {kept}"),
        "scheduler_nodes",
        "txt",
    ) == [
        "the same index, written differently: "
        "c1 % 32 -> ModularIndexing(((c1)) + 32, 1, 32)"
    ]
    # One that is written otherwise stands in the place of another that changed.
    assert labels(
        text.format("arg0_1[2*c0 + c1], arg0_1[3*c0]"),
        text.format("arg0_1[4*c0], arg0_1[c1 + 2*c0]"),
        "scheduler_nodes",
        "txt",
    ) == [
        "the same index, written differently: 2*c0 + c1 -> c1 + 2*c0",
        "index computed differently: 3*c0 -> 4*c0",
    ]


BRANCH = """\
# graph_0: triton_for_fused_0
@triton.jit
def triton_for_fused_0(in_ptr0, out_ptr0):
    tmp0 = tl.load(in_ptr0, None)
{}
"""


def test_what_both_sides_compute_from_the_same_value_is_said_of_that() -> None:
    several = BRANCH.format(
        "    tl.store(out_ptr0, tl_math.exp(tl_math.abs(tmp0)) - 1, None)"
    )
    called = BRANCH.format(
        "    tl.store(out_ptr0, libdevice.expm1(tl_math.abs(tmp0)), None)"
    )
    assert labels(several, called) == [
        "a value is computed differently: tl_math.exp(a) - 1 -> libdevice.expm1(a)"
    ]


def test_values_of_a_template_in_another_language_are_letters() -> None:
    head = "# graph_0: library_gemm_0\ndef epilogue(tmp0, _kernel_val_0):\n"
    old = head + "    tmp1 = triton_helpers.maximum(tmp0, _kernel_val_0)\n"
    new = head + "    tmp1 = tl.maximum(tmp0, _kernel_val_0, tl.PropagateNan.ALL)\n"
    assert labels(old, new, "template_code") == [
        "Triton's own maximum and minimum in place of Inductor's: "
        "triton_helpers.maximum(a, b) -> tl.maximum(a, b, tl.PropagateNan.ALL)"
    ]


def test_where_branches_changed_lines_say_more_than_values() -> None:
    plain = BRANCH.format("    tl.store(out_ptr0, tl_math.exp(tmp0 - tmp0), None)")
    branch = BRANCH.format(
        "    if tl.program_id(0) < 1:\n        tl.store(out_ptr0, tl_math.exp(tmp0), None)"
    )
    assert labels(plain, branch) == [
        "kernel has more statements: + if tl.program_id(0) < 1:"
    ]


def test_a_cast_to_the_type_that_a_value_has_is_no_other_type_beside_another_change() -> (
    None
):
    body = "    tmp1 = {0}\n    tmp2 = {1}.to(tl.int16).to(tl.uint8){2}\n    tl.store(out_ptr0, tmp2, None)"
    old, new = (
        BRANCH.format(body.format(*written))
        for written in (
            ("tl_math.exp(tmp0)", "tmp1", ""),
            ("tl_math.cos(tmp0)", "tmp1", ".to(tl.uint8)"),
        )
    )
    assert labels(old, new) == [
        "a value is computed by another function: tl_math.exp(a) -> tl_math.cos(a)"
    ]
    same = BRANCH.format(body.format("tl_math.exp(tmp0)", "tmp1", ".to(tl.uint8)"))
    assert labels(old, same) != []


def test_branches_that_share_a_body_are_told_as_that() -> None:
    head = BRANCH.replace(
        "in_ptr0, out_ptr0", "in_ptr0, in_ptr1, out_ptr0, out_ptr1"
    ).replace("    tmp0 = tl.load(in_ptr0, None)\n", "")
    own = "        tmp0 = tl.load(in_ptr{0}, None)\n        tl.store(out_ptr{0}, tl_math.exp(tmp0), None)"
    alias = "        foreach_arg0 = in_ptr{0}\n        foreach_arg1 = out_ptr{0}"
    branches = "    if tl.program_id(0) < 1:\n{}\n    else:\n{}"
    body = "\n    tmp0 = tl.load(foreach_arg0, None)\n    tl.store(foreach_arg1, tl_math.exp(tmp0), None)"
    each = head.format(branches.format(own.format(0), own.format(1)))
    one = head.format(branches.format(alias.format(0), alias.format(1)) + body)
    assert labels(each, one) == [
        "tensors that are computed alike share one body of a kernel"
    ]
    assert labels(one, each) == ["each tensor has a body of its own in a kernel"]


def test_how_a_kernel_is_launched_is_told_also_if_it_calls_a_function() -> None:
    scan = """\
# graph_0: triton_per_fused_cumsum_0
@triton.jit
def _triton_helper_fn_add0(arg0_0, arg1_0):
    tmp0 = arg0_0 + arg1_0
    return tmp0

@triton_heuristics.persistent_reduction(
    size_hints={'x': 64, 'r0_': 256},
    reduction_hint=ReductionHint.INNER,
    inductor_meta={
        'grid_type': 'Grid1D',
        'no_x_dim': False,
    },
)
@triton.jit
def triton_per_fused_cumsum_0(in_ptr0, out_ptr0):
    tmp0 = tl.load(in_ptr0, None)
    tl.store(out_ptr0, tl.associative_scan(tmp0, 0, _triton_helper_fn_add0), None)
"""
    assert labels(scan, scan.replace("'no_x_dim': False", "'no_x_dim': True")) == [
        "launch metadata no_x_dim: False -> True"
    ]


RESOURCES = """\
graph_0: triton_poi_fused_0, XBLOCK={block} num_warps=4  # Triton 3.7.1, ptxas 12.8 for sm90
  registers {registers}, spills {spills}, stack 0, shared 0, threads 128, occupancy 100
  instructions 105, load.global.64 1
"""


def test_numbers_of_machine_code_are_one_change() -> None:
    old = RESOURCES.format(block=32, registers=30, spills=0)
    assert labels(
        old,
        RESOURCES.format(block=32, registers=24, spills=2),
        "kernel_resources",
        "txt",
    ) == ["different machine code: spills 0 -> 2, registers 30 -> 24"]
    assert labels(
        old,
        RESOURCES.format(block=64, registers=24, spills=0),
        "kernel_resources",
        "txt",
    ) == ["launched differently: XBLOCK=32 num_warps=4 -> XBLOCK=64 num_warps=4"]


WRAPPED = """\
# graph_0: triton_poi_fused_0
@triton.jit
def triton_poi_fused_0(in_ptr0, in_ptr1, out_ptr0, XBLOCK : tl.constexpr):
    x0 = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tl.where(tmp0 != -100, tmp0, 0)
    tmp2 = tl.where(tmp1 < 0, tmp1 + 1000, tmp1)
    tmp3 = tl.load(in_ptr1 + ({}), None)
    tl.store(out_ptr0 + (x0), tmp3, None)
"""


def test_an_index_that_is_no_longer_wrapped_is_reported_even_if_a_where_chose_it() -> (
    None
):
    # It is also loaded with another hint, but is the same value all the same.
    new = WRAPPED.format("tmp1").replace(
        "in_ptr0 + (x0), None)", "in_ptr0 + (x0), None, eviction_policy='a')"
    )
    assert (
        "negative index is no longer wrapped: tl.where(a < 0, a + 1000, a) -> a"
        in labels(WRAPPED.format("tmp2"), new)
    )


@pytest.mark.parametrize(
    ("before", "after", "is_index"),
    [
        ("decltype::blendv(a, a + …, ….cast<T, n>())", "a", True),
        ("int64_t(…) if a < 0 else a", "a", True),
        ("int64_t(…) if … < 0 else in_ptr0[…]", "in_ptr0[static_cast<T>(…)]", True),
        # A value that is chosen otherwise is no index that is wrapped.
        ("decltype::blendv(a, a / 2.0, ….cast<T, n>())", "a", False),
        ("tl.where(a < 0, b, a)", "a", False),
    ],
)
def test_only_an_index_to_which_a_size_is_added_was_wrapped(
    before: str, after: str, is_index: bool
) -> None:
    found = recognised(ValueChanged("value-changed", before, after))
    assert (found.code == "negative-index") == is_index


def test_a_position_added_to_a_loaded_one_is_an_index() -> None:
    old = (
        WRAPPED.format("tmp1")
        .replace("    tl.store", "    tmp4 = tmp3 + 14*x0\n    tl.store")
        .replace(", tmp3, N", ", tmp4, N")
    )
    new = old.replace("tmp4 = tmp3 + 14*x0", "tmp4 = (tmp3 + 14*x0).to(tl.int64)")
    assert labels(old, new) == [
        "index is cast where it is used: index -> index.to(tl.int64)"
    ]


COUNTED = """\
# graph_0: triton_poi_fused_0
@triton.jit
def triton_poi_fused_0(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0){0} * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]{0}
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = x0.to(tl.int32)
    tl.store(out_ptr0 + (x0), tmp0 + tmp1, None)
"""


def test_the_type_in_which_a_kernel_numbers_its_elements_is_no_cast_of_an_index() -> (
    None
):
    small, large = COUNTED.format(""), COUNTED.format(".to(tl.int64)")
    assert labels(small, large) == [
        "kernel numbers its elements by tl.int64 instead of tl.int32"
    ]
    # What is cast there follows from it.
    uncast = large.replace("x0.to(tl.int32)", "x0")
    assert labels(small, uncast)[0] == labels(small, large)[0]
    assert labels(large, uncast) == [
        "index is no longer cast where it is used: index.to(tl.int32) -> index"
    ]
    other = small.replace("x0.to(tl.int32)", "x0.to(tl.int64)")
    assert labels(small, other) == [
        "index is cast to another type where it is used: index.to(tl.int32) -> index.to(tl.int64)"
    ]


def test_threads_that_wait_and_checks_are_told_apart() -> None:
    lines = (
        "    tl.debug_barrier()\n    tl.device_assert(tmp0 < 4, 'too large: tmp0')\n"
    )
    store = "    tl.store(in_ptr0, tmp0, None)"
    assert labels(BRANCH.format(f"{lines}{store}"), BRANCH.format(store)) == [
        "threads wait for each other less often (debug_barrier)",
        "fewer checks while the kernel runs: - tl.device_assert(tmp0 < 4, 'too large: tmp0')",
    ]


def test_a_block_of_another_shape_has_another_mask() -> None:
    kernel = """\
# graph_0: triton_red_fused_0
@triton.jit
def triton_red_fused_0(in_ptr0, out_ptr0, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    xindex = tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < 104
    x0 = xindex % 13
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_mask = r0_index < 120
    tmp0 = tl.load(in_ptr0 + (tl.broadcast_to(x0, [XBLOCK, {}])), {}xmask, eviction_policy='evict_last', other=0.0)
    tl.store(out_ptr0 + (x0), tmp0, xmask)
"""
    old, new = kernel.format("R0_BLOCK", "r0_mask & "), kernel.format("1", "")
    assert labels(old, new) == [
        "block of a different shape: [XBLOCK, R0_BLOCK] -> [XBLOCK, 1]"
    ]


HELPER = """\
# graph_0: triton_tem_fused_0
@triton.jit
def triton_tem_fused_0(in_ptr0, out_ptr0):
    INDEX_DTYPE : tl.constexpr = tl.int32
    tl.store(out_ptr0, loaded(in_ptr0, 4{}), None)

@triton.jit
def loaded(pointer, arg0_1{}):
    return tl.load(pointer + {}, None)
"""


def test_the_use_of_a_new_parameter_follows_from_it() -> None:
    old = HELPER.format("", "", "arg0_1 * 4")
    new = HELPER.format(", INDEX_DTYPE", ", INDEX_DTYPE", "arg0_1.to(INDEX_DTYPE) * 4")
    assert labels(old, new) == ["loaded gains parameter INDEX_DTYPE"]


MASKED = """\
# graph_0: triton_poi_fused_0
@triton.jit
def triton_poi_fused_0(in_ptr0, out_ptr0, XBLOCK : tl.constexpr):
    xmask = tl.program_id(0) < 8
    tmp0 = tl.load(in_ptr0 + tl.arange(0, XBLOCK), None)
    tmp1 = tl.broadcast_to(tmp0, [YBLOCK, XBLOCK])
    tl.device_assert({}, "a")
    tl.store(out_ptr0, {}, None)
"""


def test_lanes_without_a_value_and_the_shape_of_a_block_are_no_other_value() -> None:
    old = MASKED.format("(tmp1 < 4) | ~xmask", "tmp1")
    unmasked = MASKED.format("tmp1 < 4", "tmp1")
    assert labels(old, unmasked) == ["different mask: a | ~xmask -> a"]
    assert labels(old, MASKED.format("(tmp1 < 4) | ~xmask", "tmp0")) == [
        "block of a different shape: tl.broadcast_to(a, [YBLOCK, XBLOCK]) -> a"
    ]


VECTORISED = """\
// graph_0: cpp_fused_sum_where_0
extern "C" void kernel(const bool* in_ptr0, const float* in_ptr1, float* out_ptr0)
{{
    {{
        float tmp_acc0 = 0;
        at::vec::Vectorized<float> tmp_acc0_vec = at::vec::Vectorized<float>(0);
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(700L); x0+=static_cast<int64_t>(8L))
        {{
{}
        }}
        out_ptr0[0] = tmp_acc0 + at::vec::vec_reduce_all<float, 1>(tmp_acc0_vec);
    }}
}}
"""
MASKED_TAIL = """\
            auto tmp0 = at::vec::VecMask<float,1>::from(in_ptr0 + static_cast<int64_t>(x0), static_cast<int64_t>(4L));
            auto tmp1 = at::vec::Vectorized<float>::loadu(in_ptr1 + static_cast<int64_t>(x0), static_cast<int64_t>(4L));
            auto tmp2 = decltype(tmp1)::blendv(tmp1, tmp1, tmp0.template cast<float,1>());
            tmp_acc0_vec = sum_masked_reduce(tmp_acc0_vec, tmp2, static_cast<int64_t>(4L));"""
SCALAR_TAIL = """\
            for (int64_t x0_tail = static_cast<int64_t>(696L);x0_tail < static_cast<int64_t>(700L); x0_tail++)
            {
                auto tmp0 = in_ptr0[static_cast<int64_t>(x0_tail)];
                auto tmp1 = in_ptr1[static_cast<int64_t>(x0_tail)];
                auto tmp2 = tmp0 ? tmp1 : tmp1;
                tmp_acc0 = tmp_acc0 + tmp2;
            }"""


def test_a_tail_that_is_scalar_now_is_told_once() -> None:
    said = labels(
        VECTORISED.format(MASKED_TAIL),
        VECTORISED.format(SCALAR_TAIL),
        "cpp_code",
        "cpp",
    )
    assert said == ["tail of a vectorised loop is scalar now: the last 4 of 700"]
    # How many are left over of a size that is not known is only known while the kernel runs.
    some = SCALAR_TAIL.replace("static_cast<int64_t>(700L)", "ks0")
    assert labels(
        VECTORISED.format(MASKED_TAIL), VECTORISED.format(some), "cpp_code", "cpp"
    ) == ["tail of a vectorised loop is scalar now"]


def test_a_loop_of_which_nothing_is_vectorised_any_more_has_no_tail() -> None:
    said = labels(
        VECTORISED.format(MASKED_TAIL),
        VECTORISED.format(SCALAR_TAIL.replace("696L", "0L")),
        "cpp_code",
        "cpp",
    )
    assert said == ["a loop is computed without vectors now: 700 rounds"]


SHARED = """\
// graph_0: cpp_fused_sum_0
extern "C"  void  kernel(const float* in_ptr0, float* out_ptr0)
{
    for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(64L); x0+=static_cast<int64_t>(1L))
    {
        float tmp_acc0 = 0;
        #pragma omp parallel num_threads(8)
        {
            #pragma omp for
            for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(64L); x1+=static_cast<int64_t>(1L))
            {
                tmp_acc0 = tmp_acc0 + in_ptr0[static_cast<int64_t>(x1 + 64L*x0)];
            }
        }
        out_ptr0[static_cast<int64_t>(x0)] = tmp_acc0;
    }
}
"""
OUTER_SHARED = """\
// graph_0: cpp_fused_sum_0
extern "C"  void  kernel(const float* in_ptr0, float* out_ptr0)
{
    #pragma omp parallel num_threads(8)
    {
        #pragma omp for
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(64L); x0+=static_cast<int64_t>(1L))
        {
            float tmp_acc0 = 0;
            for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(64L); x1+=static_cast<int64_t>(1L))
            {
                tmp_acc0 = tmp_acc0 + in_ptr0[static_cast<int64_t>(x1 + 64L*x0)];
            }
            out_ptr0[static_cast<int64_t>(x0)] = tmp_acc0;
        }
    }
}
"""


def test_where_threads_are_started_is_told_instead_of_its_lines() -> None:
    assert labels(SHARED, OUTER_SHARED, "cpp_code", "cpp") == [
        "threads are no longer started in each round of a loop"
    ]
    assert labels(OUTER_SHARED, SHARED, "cpp_code", "cpp") == [
        "threads are started in each round of a loop"
    ]


IN_A_BRANCH = """\
# graph_0: triton_poi_fused_{0}_0
@triton.jit
def triton_poi_fused_{0}_0(in_ptr0, out_ptr0):
    tl.store(out_ptr0, tl_math.{0}(tl.load(in_ptr0)))
"""


def test_kernels_in_another_order_are_compared_by_what_they_compute() -> None:
    sin, cos = IN_A_BRANCH.format("sin"), IN_A_BRANCH.format("cos")
    assert labels(
        f"{sin}\n\n{cos}",
        f"{cos}\n\n{sin}".replace("tl.load(in_ptr0)", "-tl.load(in_ptr0)", 1),
    ) == ["a value is computed differently: a -> -a"]


def test_kernels_that_compute_the_same_as_others_are_counted_one_by_one() -> None:
    product = "extern ExternKernelOut extern_kernels.{0} | buf0: f32[8, 8] cpu | aten.{0}.default | arg0_1, arg1_1"
    sine = "pointwise | buf5: f32[8, 8] cpu | aten.sin.default | arg0_1[c0]"
    old = schedule(sine, *[product.format("mm")] * 4)
    new = schedule(sine, *[product.format("mm")] * 3, product.format("addmm"))
    more = schedule(sine.replace("sin", "cos")).split("\n", 2)[2].replace("op0", "op9")
    new = new.replace("  group 1:", f"{more}  group 1:")
    # One product became another, and the first kernel computes more: nothing was fused that was not.
    assert more in new and "kernels of their own" not in str(
        labels(old, new, "scheduler_nodes", "txt")
    )


REDUCED = """\
// graph_0: cpp_fused_amax_0
extern "C"  void  kernel(const float* in_ptr0, float* out_ptr0)
{{
    auto tmp0 = at::vec::Vectorized<float>::loadu(in_ptr0, 8);
    auto tmp1 = at::vec::VecMask<float,1>(tmp0 > 0);
    auto tmp2 = {}(tmp1);
    tmp_acc0_vec = at::vec::maximum(tmp_acc0_vec, tmp2);
    tmp_acc0 = at::vec::vec_reduce_all<float, 1>([](auto& x, auto& y) {{ return maximum(x, y); }}, tmp_acc0_vec);
    out_ptr0[0] = tmp_acc0;
}}
"""


def test_what_a_reduction_by_a_lambda_reads_is_compared() -> None:
    assert labels(REDUCED.format("a"), REDUCED.format("b"), "cpp_code", "cpp") == [
        "a value is computed by another function: a(a) -> b(a)"
    ]


REMAINDER = """\
# graph_0: triton_poi_fused_0
@triton.jit
def triton_poi_fused_0(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    x0 = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    tmp0 = tl.load(in_ptr0 + (4*({})), None)
    tmp1 = exp(tmp0)
    tl.store(out_ptr0 + (x0), tmp1, None)
"""


REMAINDER_IN_CPP = """\
// graph_0: cpp_fused_exp_0
extern "C"  void  kernel(const float* in_ptr0, float* out_ptr0)
{{
    auto tmp0 = in_ptr0[static_cast<int64_t>(16L*x2 + {} + 2048L*x1)];
    auto tmp1 = exp(tmp0);
    out_ptr0[static_cast<int64_t>(x0)] = tmp1;
}}
"""


def test_a_remainder_of_a_remainder_that_takes_nothing_away_is_no_change() -> None:
    nested, plain, other = (
        REMAINDER.format(index)
        for index in ("(((x0 % 64)) % 16)", "(x0 % 16)", "(((x0 % 40)) % 16)")
    )
    assert (
        TRITON.canonical(nested) == TRITON.canonical(plain) != TRITON.canonical(other)
    )
    cast = "static_cast<int64_t>({})".format
    in_cpp = [
        REMAINDER_IN_CPP.format(f"(({index} % {cast('16L')}))")
        for index in (
            cast(f"({cast('x0 + x0_inner')} % {cast('64L')})"),
            cast("x0 + x0_inner"),
            cast("(x0 % 40L)"),
        )
    ]
    assert (
        CPP.canonical(in_cpp[0]) == CPP.canonical(in_cpp[1]) != CPP.canonical(in_cpp[2])
    )
    # Beside another change, too.
    for one, other, stage in (
        (nested, plain, "triton_code.py"),
        (*in_cpp[:2], "cpp_code.cpp"),
    ):
        assert labels(one.replace("exp(", "log("), other, *stage.split(".")) == [
            "a value is computed by another function: log(a) -> exp(a)"
        ]
    # What is added between the two stays, and the text can still be read.
    added = "tl.load(in_ptr0 + (((1 + (((2 + x0) % 3))) % 3)))"
    assert once(added) == added
    lowered = "ModularIndexing(ModularIndexing(c0, 4, 64), 2, {})"
    assert numbered_index(lowered.format(16)) == "ModularIndexing(c0, 8, 16)"
    assert numbered_index(lowered.format(48)) == lowered.format(48)


def test_what_a_function_is_given_to_write_to_depends_on_what_it_computes() -> None:
    """torch/_inductor/codegen/cpp.py: cascade_sum_combine adds to a helper, and cascade_sum_final reads that."""
    kernel = """\
// graph_0: kernel
extern "C" void kernel(const float* in_ptr0, float* out_ptr0)
{
    CascadeSumHelper<float, 4096> cascade_helper0(static_cast<int64_t>(320L));
    float tmp_acc0_local = 0;
    for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(16L); x0+=static_cast<int64_t>(8L))
    {
        auto tmp0 = at::vec::Vectorized<float>::loadu(in_ptr0 + static_cast<int64_t>(x0), static_cast<int64_t>(8));
        auto tmp1 = at::vec::VecMask<float,1>(tmp0 <= tmp0);
        auto tmp2 = decltype(tmp0)::blendv(tmp0, tmp0, {});
        tmp_acc0_local = cascade_sum_combine(tmp2, &cascade_helper0);
    }
    tmp_acc0_local = cascade_sum_final(&cascade_helper0);
    out_ptr0[static_cast<int64_t>(0L)] = static_cast<float>(tmp_acc0_local);
}
"""
    plain, method, function = (
        kernel.replace("{})", f"{cast})")
        for cast in (
            "tmp1",
            "tmp1.template cast<float,1>()",
            "inductor_vec_mask_cast<float,1>(tmp1)",
        )
    )
    # What has the wanted type already is cast by the function, too.
    for old in (method, plain):
        (said,) = labels(old, function, "cpp_code", "cpp")
        assert said.startswith("mask is cast by a function: ")
    # And so is what a masked body returns, where it is called.
    body = "auto tmp3 = [&]\n        {\n            return tmp1;\n        }\n        ;\n        "
    sides = [
        kernel.replace(
            "auto tmp2", f"{body}auto tmp4 = {called};\n        auto tmp2"
        ).replace("{})", f"{cast})")
        for called, cast in (
            ("tmp3()", "tmp4.template cast<float,1>()"),
            (
                "inductor_vec_mask_cast<float,1>(tmp3())",
                "inductor_vec_mask_cast<float,1>(tmp4)",
            ),
        )
    ]
    old, new = sides
    assert labels(old, new, "cpp_code", "cpp") == [
        "mask is cast by a function: a.cast<T, n>() -> inductor_vec_mask_cast<T, n>(a)"
    ]


DIFFERENCE = """\
# graph_0: triton_poi_fused_0
@triton.jit
def triton_poi_fused_0(in_ptr0, in_ptr1, out_ptr0, ks0, ks1, xnumel, XBLOCK : tl.constexpr):
    x0 = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tl.load(in_ptr1 + (x0), None)
    tmp2 = tmp0 * tmp1
    tmp3 = {}
    tmp4 = tmp3 * tmp1
    tl.store(out_ptr0 + (x0), tmp4, None)
"""


def test_a_value_minus_itself_may_be_written_without_a_subtraction() -> None:
    finite = "tl.where((libdevice.isnan(tmp2).to(tl.int1) | libdevice.isinf(tmp2).to(tl.int1)), tmp2 * 0.0, 0.0)"
    old, new = map(DIFFERENCE.format, ("tmp2 - tmp2", finite))
    assert labels(old, new) == [
        "a value minus itself is no longer subtracted: a - a -> tl.where(… | …, a * 0.0, 0.0)"
    ]


def test_a_size_that_a_helper_is_given_is_no_value() -> None:
    search = (
        "triton_helpers.bucketize_binary_search(tmp2, in_ptr1, {}, ks0, tl.int64, 64)"
    )
    old, new = (
        DIFFERENCE.format(search.format(size))
        for size in ("ks1, (-1) + ks0 + ks0*ks1", "ks1, ks0*ks1")
    )
    assert labels(old, new) == [
        "triton_helpers.bucketize_binary_search is given another size: (-1 + ks0) + (ks0 * ks1) -> ks0 * ks1"
    ]


def test_a_lambda_may_begin_on_the_line_of_its_name() -> None:
    kernel = """\
// graph_0: kernel
extern "C" void kernel(const float* in_ptr0, float* out_ptr0)
{
    auto tmp0 = in_ptr0[static_cast<int64_t>(x0)];
    auto tmp{0} = [&]
    {
        auto tmp{1} = std::exp(tmp0);
        return tmp{1};
    }
    ;
    auto tmp{2} = tmp{0}();
    out_ptr0[static_cast<int64_t>(x0)] = {3};
}
"""

    def written(first: int, result: str) -> str:
        text = kernel.replace("{3}", result)
        for number in range(3):
            text = text.replace(f"{{{number}}}", str(first + number))
        return text

    # The numbers of its values shift with what is computed before.
    assert labels(
        written(1, "tmp3"), written(4, "std::sin(tmp6)"), "cpp_code", "cpp"
    ) == ["a value is computed differently: a -> std::sin(a)"]


WRAPPED_IN_CPP = """\
// graph_0: kernel
extern "C" void kernel(const float* in_ptr0, float* out_ptr0)
{{
    auto tmp0 = at::vec::VectorizedN<int64_t,2>::loadu(in_ptr0 + static_cast<int64_t>(x0), static_cast<int64_t>(8));
    auto tmp1 = {remainder};
    auto tmp2 = at::vec::VecMask<int64_t,2>(tmp0 < tmp1);
    auto tmp3 = decltype(tmp0)::blendv(tmp0, tmp1, tmp2.template cast<int64_t,2>());
    auto tmp4 = at::vec::VectorizedN<int64_t,2>(static_cast<int64_t>(8));
    auto tmp5 = tmp3 + tmp4;
    auto tmp6 = at::vec::VecMask<int64_t,2>(tmp3 < at::vec::VectorizedN<int64_t,2>(static_cast<int64_t>(0)));
    auto tmp7 = decltype(tmp5)::blendv(tmp3, tmp5, tmp6.template cast<int64_t,2>());
    {stored}.store(out_ptr0 + static_cast<int64_t>(x0), static_cast<int64_t>(8));
}}
"""


def test_an_index_that_is_chosen_otherwise_may_be_wrapped_no_longer() -> None:
    old = WRAPPED_IN_CPP.format(remainder="tmp0 - tmp0 * tmp0", stored="tmp7")
    new = WRAPPED_IN_CPP.format(remainder="remainder_integral(tmp0, 8)", stored="tmp3")
    codes = {edit.split(": ")[0] for edit in labels(old, new, "cpp_code", "cpp")}
    assert codes == {
        "negative index is no longer wrapped",
        "integer // and % are calls",
    }


def test_a_value_of_indices_that_are_cast_may_be_rounded() -> None:
    kernel = """\
# graph_0: triton_poi_fused_0
@triton.jit
def triton_poi_fused_0(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    x0 = xindex % 16
    x1 = xindex // 16
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = (tmp0 == x0{}).to(tl.int64)
    tmp2 = (tmp0 == x1{}).to(tl.int64)
    tmp3 = tmp1 * tmp2
    tmp4 = tmp3.to(tl.float32){}
    tl.store(out_ptr0 + (x0), tmp4, None)
"""
    old = kernel.format("", "", "")
    new = kernel.format(*[".to(tl.int64)"] * 2, ".to(tl.bfloat16).to(tl.float32)")
    assert (
        "a value is cast differently: a -> a.to(tl.float32).to(tl.bfloat16)"
        in labels(old, new)
    )


def test_the_mask_of_a_block_is_no_value() -> None:
    for before, after in (("r0_mask & a", "a"), ("a", "r0_mask & xmask & a")):
        assert _value_change(before, after, False).code == "mask-changed"


def test_a_loop_of_which_each_round_does_more_is_computed_with_vectors() -> None:
    kernel = """\
// graph_0: kernel
extern "C" void kernel(const float* in_ptr0, float* out_ptr0)
{{
    for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(128L); x0+=static_cast<int64_t>({step}L))
    {{
        auto tmp0 = {load};
        {store};
    }}
}}
"""
    one = kernel.format(
        step=1,
        load="in_ptr0[static_cast<int64_t>(x0)]",
        store="out_ptr0[static_cast<int64_t>(x0)] = tmp0",
    )
    vectors = kernel.format(
        step=8,
        load="at::vec::Vectorized<float>::loadu(in_ptr0 + static_cast<int64_t>(x0), static_cast<int64_t>(8))",
        store="tmp0.store(out_ptr0 + static_cast<int64_t>(x0))",
    )
    edits = CPP.edits(one, vectors)
    assert [edit.code for edit in edits if not edit.follows] == ["vector-loop"]


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        (
            "libdevice.atan(… / …)",
            "tl.where(… <= …, ….to(tl.float32, bitcast=True), tl.where(…, …, …))",
            "arctangent-written-out",
        ),
        (
            "triton_helpers.maximum(triton_helpers.maximum(…, …), a)",
            "tl.where(… | …, tl.where(…, …, …), a)",
            "maximum-with-index",
        ),
        (
            "triton_helpers.maximum(…, a)",
            "tl.where(… > …, …, a)",
            "value-changed",
        ),
    ],
)
def test_what_torch_computes_by_its_steps_is_known(
    before: str, after: str, code: str
) -> None:
    assert recognised(ValueChanged("value-changed", before, after)).code == code


def test_operators_that_are_not_listed_are_no_more_often() -> None:
    names = tuple((f"aten.{name}", 1) for name in "abcdef")
    assert in_place((), names, 4) == (
        "aten.a + aten.b + aten.c + aten.d + 2 besides more often"
    )
