"""How changes to wrappers, graphs, schedules and machine code are described, and which metrics belong to them."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest
from msgspec.structs import replace

from pytest_compile_golden.changes.decisions import (
    ContentsChanged,
    Decomposition,
    DecompositionsChanged,
    LoweringChanged,
    NotUnpacked,
    ResultsStored,
)
from pytest_compile_golden.facts.steps import Decomposed, Fact, Held, Item, Lowered, Made
from pytest_compile_golden.formats.inventory import difference
from pytest_compile_golden.formats.ledger.compare import divergence, runs
from pytest_compile_golden.formats.metrics.compare import changes as metric_changes
from pytest_compile_golden.formats.trail import TRAIL
from pytest_compile_golden.formats.trail.compare import divergences
from pytest_compile_golden.goldens.cause import cause
from pytest_compile_golden.goldens.compare import ArtifactDifference
from pytest_compile_golden.goldens.distinct import case_changes
from pytest_compile_golden.goldens.ranking import numbers_of
from pytest_compile_golden.report.cases import first_words
from pytest_compile_golden.words.sentences import as_example, sentence
from tests.test_grouping import labels, structural
from tests.test_words import BACKWARD, COPY, MUL, UNPACK, schedule

CPP = """\
void inductor_entry_impl(
    AtenTensorHandle* input_handles
) {{
    {first}
    auto inputs = steal_from_raw_handles_to_raii_handles(input_handles, 3);
    {second}
    auto buf0 = std::move(inputs[0]);
    launchKernel(triton_poi_fused_0, grid_0, result.num_warps{last});
}}
"""
STREAM = "cudaStream_t stream0;"


def test_changes_to_a_cpp_wrapper_are_described_by_its_calls() -> None:
    old, new = CPP.format(first="", second=STREAM, last=""), CPP.format(first=STREAM, second="", last=", false")
    assert labels(old, new, "aot_wrapper", "cpp") == [
        "launchKernel is given one argument more: false",
    ]
    assert labels(old, CPP.format(first=STREAM, second="", last=""), "aot_wrapper", "cpp") == [f"moved: {STREAM}"]
    checks = (
        "\n    ".join(f"check_input(arg{n}, {n}, kinds);" for n in (3, 4)) + "\n    int a;\n    std::call_once(flag);"
    )
    longer = CPP.format(first=checks, second="", last="")
    assert labels(CPP.format(first="free_all();", second="", last=""), longer, "aot_wrapper", "cpp") == [
        "different calls: + check_input x2 + std::call_once - free_all"
    ]


def test_added_and_removed_inputs_are_counted() -> None:
    old = "def graph_0(arg0_1: f32[8], arg1_1: i64[3], arg2_1: Sym(s0)):\n    return (arg0_1,)\n"
    more = old.replace("arg1_1: i64[3], arg2_1", "arg1_1: Sym(s1), arg2_1: i64[3], arg3_1: Sym(s2), arg4_1")
    assert labels(old, more, "post_grad_graph", "py") == ["inputs added: size x2"]
    assert labels(more.replace("i64[3]", "f32[8]"), old, "post_grad_graph", "py") == [
        "inputs added: i64[3]",
        "inputs removed: f32[8], size x2",
    ]
    assert labels(old, old.replace("i64", "i32"), "post_grad_graph", "py") == ["input: dtype i64 -> i32"]
    moved = old.replace(
        "arg0_1: f32[8], arg1_1: i64[3], arg2_1: Sym(s0)", "arg0_1: Sym(s0), arg1_1: f32[8], arg2_1: i64[3]"
    )
    assert labels(old, moved.replace("(arg0_1,)", "(arg1_1,)"), "post_grad_graph", "py") == [
        "the same inputs in another order"
    ]


def test_results_whose_types_changed_alike_are_one_change() -> None:
    graph = """\
def graph_0(x: f32[8]):
    a: {0}[8] = aten.floor.default(x)
    b: {0}[8] = aten.clamp.default(a, 0)
    return (a, b)
"""
    assert labels(graph.format("i64"), graph.format("i32"), "post_grad_graph", "py") == [
        "results of aten.floor, aten.clamp: dtype i64 -> i32"
    ]


def test_beside_other_operators_one_that_moved_within_torchs_sources_is_neither_gone_nor_new() -> None:
    graph = """\
def graph_0(x: f32[8]):
    y: f32[8] = torch._dynamo.{}.locals.pull(x)
    z: f32[8] = aten.{}.default(y)
    return (z,)
"""
    assert labels(graph.format("a", "sin"), graph.format("b", "cos"), "post_grad_graph") == ["aten.sin -> aten.cos"]


def test_what_is_gone_or_new_is_listed_with_the_sign_of_each() -> None:
    line = "    y{0}: f32[8] = aten.{1}.default(x)\n"
    head = "def graph_0(x: f32[8]):\n    y: f32[8] = aten.exp.default(x)\n"
    more = head + line.format(1, "sin") + line.format(2, "cos") + "    return (y,)\n"
    less = head + "    return (y,)\n"
    assert labels(more, less, "post_grad_graph") == ["- aten.cos - aten.sin"]
    assert labels(less, more, "post_grad_graph") == ["+ aten.cos + aten.sin"]


def test_an_operator_called_once_more_in_place_of_one_that_is_gone_replaces_it() -> None:
    found = difference("aot_graph", (Item("aten.ge", 1), Item("aten.gt", 1)), (Item("aten.gt", 2),))
    assert found is not None and sentence(found) == "aot_graph: aten.ge -> aten.gt"
    back = difference("aot_graph", (Item("aten.gt", 2),), (Item("aten.ge", 1), Item("aten.gt", 1)))
    assert back is not None and sentence(back) == "aot_graph: aten.gt -> aten.ge"


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
    assert labels(text.format(nested), text.format("ModularIndexing(c0, 1, 64)"), "scheduler_nodes") == [
        "index computed differently: 16*(c0 // 16 % 4) + (c0 % 64 % 16) -> c0 % 64"
    ]


BRANCH = """\
# graph_0: triton_for_fused_0
@triton.jit
def triton_for_fused_0(in_ptr0, out_ptr0):
    tmp0 = tl.load(in_ptr0, None)
{}
"""


def test_where_branches_changed_lines_say_more_than_values() -> None:
    plain = BRANCH.format("    tl.store(out_ptr0, tl_math.exp(tmp0 - tmp0), None)")
    branch = BRANCH.format("    if tl.program_id(0) < 1:\n        tl.store(out_ptr0, tl_math.exp(tmp0), None)")
    assert labels(plain, branch) == ["+ if tl.program_id(0) < 1:"]


def test_branches_that_share_a_body_are_told_as_that() -> None:
    head = BRANCH.replace("in_ptr0, out_ptr0", "in_ptr0, in_ptr1, out_ptr0, out_ptr1").replace(
        "    tmp0 = tl.load(in_ptr0, None)\n", ""
    )
    own = "        tmp0 = tl.load(in_ptr{0}, None)\n        tl.store(out_ptr{0}, tl_math.exp(tmp0), None)"
    alias = "        foreach_arg0 = in_ptr{0}\n        foreach_arg1 = out_ptr{0}"
    branches = "    if tl.program_id(0) < 1:\n{}\n    else:\n{}"
    body = "\n    tmp0 = tl.load(foreach_arg0, None)\n    tl.store(foreach_arg1, tl_math.exp(tmp0), None)"
    each = head.format(branches.format(own.format(0), own.format(1)))
    one = head.format(branches.format(alias.format(0), alias.format(1)) + body)
    assert labels(each, one) == ["tensors that are computed alike share one body of a kernel"]
    assert labels(one, each) == ["each tensor has a body of its own in a kernel"]


SORTED = """\
def graph_0(x: f32[8], y: f32[8]):
{}    sort = aten.sort.default(x)
    values: f32[8] = sort[0]
{}    nan: b8[8] = aten.isnan.default({})
    out: f32[8] = aten.where.self(nan, {}, y)
    return (out,)
"""


def test_what_an_operator_reads_is_told_wherever_its_nodes_stand() -> None:
    neg = "    neg: f32[8] = aten.neg.default(y)\n"
    old = SORTED.format(neg, "", "values", "neg")
    assert labels(old, SORTED.format("", neg, "x", "neg"), "post_grad_graph") == [
        "aten.isnan reads an input instead of the result of aten.sort"
    ]
    assert labels(old, SORTED.format("", neg, "neg", "neg"), "post_grad_graph") == [
        "aten.isnan reads the result of aten.neg instead of the result of aten.sort"
    ]
    # An argument of one of two calls, which stand in another order.
    calls = ["    a: f32[8] = aten.pow.Tensor_Scalar(x, 2)\n", "    b: f32[8] = aten.pow.Tensor_Scalar(y, {})\n"]
    sides = [SORTED.format(first, second, "values", "x") for first, second in (calls, calls[::-1])]
    assert labels(sides[0].format(3), sides[1].format(4), "post_grad_graph") == [
        "aten.pow.Tensor_Scalar is given 4 instead of 3"
    ]


def test_an_operation_is_the_same_wherever_its_group_stands() -> None:
    group = """\
  group {0}: reduction
    op{1}: reduction any
      buf{1}: {3} cpu
      computes aten.isnan.default
      reads {2}[c0]
      writes buf{1}[c0]
"""
    sort = group.format(0, 0, "arg0_1", "f64[8]").replace("isnan", "sort")
    old = "graph_0:\n" + sort + group.format(1, 1, "arg0_1", "b8[1]") + group.format(2, 2, "buf0", "b8[1]")
    new = "graph_0:\n" + sort + group.format(1, 2, "arg0_1", "b8[2]") + group.format(2, 1, "arg0_1", "b8[1]")
    assert labels(old, new, "scheduler_nodes") == [
        "result of a reduction any operation: shape [1] -> [2]",
        "reduction any reads an input instead of the result of aten.sort",
    ]


FOLDED = "def graph_0(x: f32[8]):\n    y: f32[()] = {}\n    return (y,)\n"


@pytest.mark.parametrize(
    ("old", "new", "label"),
    [
        (
            "aten.full.default([], 1.0)",
            "aten.add.Tensor(x, 1)",
            "aten.add is computed, no longer folded into a constant",
        ),
        ("aten.add.Tensor(x, 1)", "aten.full.default([], 1.0)", "aten.add is folded into a constant"),
        ("aten.sub.Tensor(x, 1)", "aten.add.Tensor(x, 1)", "aten.sub -> aten.add"),
        ("aten.add.Tensor(x, 1)", "aten.add.Scalar(x, 1)", "aten.add.Tensor -> aten.add.Scalar"),
        (
            "torch._VariableFunctionsClass.lerp(x)",
            "torch._dynamo.variables.a.B.locals.pull(x)",
            "torch.lerp -> pull",
        ),
        (
            "torch._dynamo.a.locals.pull(x)",
            "torch._dynamo.b.locals.pull(x)",
            "pull moved within torch's sources",
        ),
        (
            "torch._C._functorch.pybind11_detail_function_record_v1_abi_1._unwrap_for_grad(x)",
            "torch._functorch.predispatch._unwrap_for_grad(x)",
            "torch._functorch._unwrap_for_grad moved within torch's sources",
        ),
    ],
)
def test_operators_go_by_their_usual_names(old: str, new: str, label: str) -> None:
    assert labels(FOLDED.format(old), FOLDED.format(new), "post_grad_graph") == [label]


def test_a_graph_more_is_no_list_of_operators() -> None:
    one = FOLDED.format("aten.sin.default(x)")
    two = f"{one}\n\n{FOLDED.replace('graph_0', 'graph_1').format('aten.cos.default(x)')}"
    assert labels(one, two, "dynamo_graph") == ["2 graphs instead of 1: + aten.cos"]
    assert labels(two, one, "dynamo_graph") == ["1 graph instead of 2: - aten.cos"]


SORT = "{} | buf0: i64[8] cuda:0 | aten.sort.stable | arg0_1"
WAIT = (
    "extern _WaitKernel torch.ops.c10d.wait_tensor.default | buf{0}: NoneLayout | c10d.wait_tensor.default | arg{0}_1"
)
SEND = (
    "extern _CollectiveKernel torch.ops.c10d.all_reduce.default | buf5: f32[8] cpu | c10d.all_reduce.default | arg5_1"
)


def test_library_calls_and_changes_of_order_are_described() -> None:
    kernel = schedule(SORT.format("sort"), MUL.format("c64[8] cpu"))
    call = schedule(SORT.format("extern FallbackKernel torch.ops.aten.sort.stable"), MUL.format("c64[8] cpu"))
    assert labels(kernel, call, "scheduler_nodes", "txt") == [
        "aten.sort.stable is called in a library instead of computed by a kernel"
    ]
    assert labels(call, kernel, "scheduler_nodes", "txt") == [
        "aten.sort.stable is computed by a kernel instead of called in a library"
    ]
    waits = [WAIT.format(number) for number in (1, 2)]
    late, early = schedule(*waits, SEND), schedule(SEND, *waits)
    assert labels(late, early, "scheduler_nodes", "txt") == ["all_reduce runs earlier, ahead of wait_tensor"]
    assert labels(early, late, "scheduler_nodes", "txt") == ["all_reduce runs later, behind wait_tensor"]


def test_bookkeeping_of_calls_hides_no_other_change() -> None:
    old = schedule(MUL.format("MultiOutputLayout"), UNPACK, COPY.replace("buf0", "buf4"), BACKWARD.format("buf4"))
    new = schedule(MUL.format("c64[8] cpu"), BACKWARD.format("arg0_1"))
    assert labels(old, new, "scheduler_nodes", "txt") == [
        "1 input of aten.convolution_backward is no longer copied for it",
        sentence(NotUnpacked()),
    ]


PARTITION = """\
graph_0_joint:
  partition min_cut_rematerialization_partition      10 -> {}  # torch/_functorch/partitioners.py:9
{}"""


def test_a_partitioner_is_not_said_to_recompute_what_may_only_not_be_merged() -> None:
    saves = PARTITION.format(9, "      -aten.ne.Scalar\n")
    again = PARTITION.format(11, "      +aten.tanh.default\n")
    named = "partition / min_cut_rematerialization_partition leaves"
    for old, new, how in ((saves, again, "more"), (again, saves, "fewer")):
        found = divergence(runs(old), runs(new))
        assert found is not None
        grown = "+2" if how == "more" else "-2"
        assert (
            sentence(found.change)
            == f"{named} aten.tanh, aten.ne {how} in forward and backward together ({grown} nodes)"
        )


def test_an_input_of_backward_is_not_an_input_of_the_program() -> None:
    backward = "def graph_0_backward(saved: f32[{}]):\n    y: f32[8] = aten.neg.default(saved)\n    return (y,)\n"
    found = cause([structural(backward.format("8, 1"), backward.format(8), "backward_graph")])
    assert found is not None and not found.program
    forward = FOLDED.format("aten.neg.default(x)")
    found = cause([structural(forward, forward.replace("f32[8]", "f32[9]"), "post_grad_graph")])
    assert found is not None and first_words(found) == "your inputs changed: f32[8] -> f32[9]"


RESOURCES = """\
graph_0: triton_poi_fused_0, XBLOCK={block} num_warps=4  # Triton 3.7.1, ptxas 12.8 for sm90
  registers {registers}, spills {spills}, stack 0, shared 0, threads 128, occupancy 100
  instructions 105, load.global.64 1
"""


def test_numbers_of_machine_code_are_one_change() -> None:
    old = RESOURCES.format(block=32, registers=30, spills=0)
    assert labels(old, RESOURCES.format(block=32, registers=24, spills=2), "kernel_resources", "txt") == [
        "different machine code: spills 0 -> 2, registers 30 -> 24"
    ]
    assert labels(old, RESOURCES.format(block=64, registers=24, spills=0), "kernel_resources", "txt") == [
        "launched otherwise: XBLOCK=32 num_warps=4 -> XBLOCK=64 num_warps=4"
    ]


def test_a_decomposition_is_described_by_its_result() -> None:
    silu = Decomposition("aten.silu_backward", (("add.Tensor, exp.default", 1),), (("sigmoid.default", 1),))
    assert sentence(DecompositionsChanged(silu)) == "aten.silu_backward is decomposed into sigmoid instead of add, exp"
    # Each of two overloads has its own news.
    gone = Decomposition("aten.fill.Tensor", (("copy.default", 1),), ())
    new = Decomposition("aten.fill.Scalar", (), (("full_like.default", 1),))
    assert sentence(DecompositionsChanged(gone, (new,))) == (
        "aten.fill.Tensor is no longer decomposed (aten.fill.Scalar is decomposed now)"
    )


def test_what_is_called_otherwise_is_not_decomposed_otherwise() -> None:
    # `x[0] = 4` and `z[:, 2:5] = 0` beside other operators that fill, as torch 2.14 and 2.15 trace them.
    for others in (0, 2):
        old: list[Fact] = [
            Decomposed(4, "aten.fill.Tensor", "copy.default", 1, "torch/_decomp/decompositions.py:180"),
            Made(5, "aot_graph", "9 nodes", "a", ""),
        ]
        new: list[Fact] = [
            Decomposed(4, "aten.fill.Scalar", "full.default", 1 + others, None),
            Decomposed(5, "aten.full_like.default", "full.default", 1 + others, None),
            Made(6, "aot_graph", "8 nodes", "b", ""),
        ]
        if others:
            old[:0] = [
                Decomposed(2, "aten.fill.Scalar", "full.default", others, None),
                Decomposed(3, "aten.full_like.default", "full.default", others, None),
            ]
        first, *_ = divergences(TRAIL.write(old), TRAIL.write(new))
        assert first.where is None
        assert (
            sentence(first.change) == "AOTAutograd traces aten.fill.Scalar + aten.full_like instead of aten.fill.Tensor"
        )


def test_what_is_called_as_it_is_is_traced_too() -> None:
    # `x[x < 0] = 0` is masked_fill as torch 2.15 traces it, and was index_put, which has no decomposition.
    held = [
        Held("a", (Item("aten.index_put", 1, "c"), Item("aten.select.int", 1, "e"))),
        Held("b", (Item("aten.where.self", 1, "d"),)),
    ]
    both = Decomposed(3, "aten.t.default", "permute.default", 1, None)
    old: list[Fact] = [both, Made(5, "aot_graph", "9 nodes", "a", ""), held[0]]
    masked = Decomposed(4, "aten.masked_fill.Scalar", "scalar_tensor.default, where.self", 1, None)
    new: list[Fact] = [both, masked, Made(5, "aot_graph", "9 nodes", "b", ""), held[1]]
    first, *_ = divergences(TRAIL.write(old), TRAIL.write(new))
    assert sentence(first.change) == "AOTAutograd traces aten.masked_fill.Scalar instead of aten.index_put"


def test_whether_results_are_stored_is_not_decided_by_a_lowering() -> None:
    sides = [
        TRAIL.write([Lowered(1, "aten.mul.Tensor", became, 1, f"torch/_inductor/lowering.py:{line}")])
        for became, line in (("ComputedBuffer", 7019), ("Pointwise", 7377))
    ]
    (only,) = divergences(*sides)
    assert isinstance(only.change, ResultsStored) and only.where is None


def test_a_step_with_the_same_inventory_is_only_said_to_be_put_together_differently() -> None:
    item = Held("a", (Item("ops.index_expr", 1, "c"),))
    sides = [
        TRAIL.write((Made(1, "lowered_ir", "4 operations", each, ""), replace(item, digest=each))) for each in "ab"
    ]
    (only,) = divergences(*sides)
    assert sentence(only.change) == "lowered_ir: the same operators and arguments, put together differently"


def test_of_results_that_are_stored_or_not_the_most_come_first_and_the_others_are_named() -> None:
    old = {"aten.add": {"ComputedBuffer": 10, "Pointwise": 5}, "aten.tanh": {"ComputedBuffer": 5, "Pointwise": 6}}
    new = {"aten.add": {"ComputedBuffer": 9, "Pointwise": 6}, "aten.tanh": {"ComputedBuffer": 8, "Pointwise": 3}}
    sides = [
        TRAIL.write(
            [
                *(Lowered(1, name, kind, times, "") for name, kinds in side.items() for kind, times in kinds.items()),
                Made(2, "lowered_ir", "15 operations", digest, ""),
            ]
        )
        for side, digest in ((old, "a"), (new, "b"))
    ]
    found, *_ = divergences(*sides)
    assert sentence(found.change) == (
        "results of aten.tanh are stored instead of inlined, of aten.add inlined instead of stored"
    )
    assert as_example(found.change) == "results are stored instead of inlined, for example of aten.tanh"


def test_views_of_what_is_stored_follow_from_that() -> None:
    # Each operator with how many of its results are kept as what.
    old = {"aten.reshape": {"View": 14, "ReinterpretView": 4}, "aten.add": {"ComputedBuffer": 2, "Pointwise": 1}}
    new = {"aten.reshape": {"View": 18}, "aten.add": {"Pointwise": 3}}
    sides = [
        TRAIL.write(
            [
                Lowered(1, f"{name}.default", kind, times, "torch/_inductor/lowering.py:1446")
                for name, kinds in side.items()
                for kind, times in kinds.items()
            ]
        )
        for side in (old, new)
    ]
    (only,) = divergences(*sides)
    assert sentence(only.change) == "results of aten.add are inlined instead of stored" and only.where is None
    (other,) = divergences(sides[0], sides[1].replace("Pointwise", "ExternKernelOut"))
    assert isinstance(other.change, LoweringChanged)


def test_the_last_of_a_kind_makes_no_other_change() -> None:
    # Optimizers of which one adds products for another reason too.
    rest = (("torch.full_like", 2),)
    one = ContentsChanged("dynamo_graph", (*rest, ("torch._foreach_addcmul_", 1)), (("torch._foreach_lerp_", 1),))
    other = ContentsChanged("dynamo_graph", rest, one.come, (("torch._foreach_addcmul_", 2, 1),))
    assert one.key == other.key != ContentsChanged("dynamo_graph", rest, one.come).key


def test_the_pattern_is_named_and_not_the_list_of_patterns_that_it_is_in() -> None:
    list_of_patterns = """\
graph_0:
  post_grad pass_pattern_2                           {}  # torch/_inductor/fx_passes/post_grad.py:216
"""
    matched = """\
      pattern addmm: matched 1  # torch/_inductor/fx_passes/post_grad.py:2013
      -aten.add.Tensor  -aten.mm.default  +aten.addmm.default
"""
    found = divergence(runs(list_of_patterns.format(".")), runs(list_of_patterns.format("5 -> 4") + matched))
    assert found is not None and found.where == "torch/_inductor/fx_passes/post_grad.py:2013"
    assert sentence(found.change) == (
        "post_grad / pattern addmm now matches, turns aten.add, aten.mm into aten.addmm (-1 node)"
    )


def test_time_does_not_follow_from_guards_nor_guards_from_another_graph() -> None:
    numbers = metric_changes({"python_guards": 2, "least_time": 5}, {"python_guards": 1, "least_time": 4})
    metrics = ArtifactDifference("metrics", "metric", "", "", None, PurePosixPath("m.toml"), numbers)
    (only,) = case_changes([metrics], cause([metrics])).own
    assert only.topic == "guards"
    assert [each.name for each in numbers_of({only.key}, [only], numbers)] == ["python_guards"]
    graph = structural(FOLDED.format("aten.neg.default(x)"), FOLDED.format("aten.sin.default(x)"), "dynamo_graph")
    its = case_changes([graph, metrics], cause([graph, metrics]))
    assert only.key in {change.key for change in its.secondary}
    # If other cases have it on its own, it is reported there.
    assert [each.name for each in numbers_of({only.key}, its.own, numbers, [only.key])] == ["python_guards"]
    assert "python_guards" not in [e.name for e in numbers_of({its.own[0].key}, its.own, numbers, [only.key])]


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


def test_an_index_that_is_no_longer_wrapped_is_reported_even_if_a_where_chose_it() -> None:
    # It is also loaded with another hint, but is the same value all the same.
    new = WRAPPED.format("tmp1").replace("in_ptr0 + (x0), None)", "in_ptr0 + (x0), None, eviction_policy='a')")
    assert "negative index is no longer wrapped: tl.where(a < 0, a + 1000, a) -> a" in labels(
        WRAPPED.format("tmp2"), new
    )


def test_a_position_added_to_a_loaded_one_is_an_index() -> None:
    old = (
        WRAPPED.format("tmp1")
        .replace("    tl.store", "    tmp4 = tmp3 + 14*x0\n    tl.store")
        .replace(", tmp3, N", ", tmp4, N")
    )
    new = old.replace("tmp4 = tmp3 + 14*x0", "tmp4 = (tmp3 + 14*x0).to(tl.int64)")
    assert labels(old, new) == ["index is cast where it is used: index -> index.to(tl.int64)"]


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
    said = labels(VECTORISED.format(MASKED_TAIL), VECTORISED.format(SCALAR_TAIL), "cpp_code", "cpp")
    assert len(said) == 1 and said[0].startswith("tail of a vectorised loop is scalar now: + for (int64_t x0_tail")


IN_A_BRANCH = """\
# graph_0: triton_poi_fused_{0}_0
@triton.jit
def triton_poi_fused_{0}_0(in_ptr0, out_ptr0):
    tl.store(out_ptr0, tl_math.{0}(tl.load(in_ptr0)))
"""


def test_kernels_in_another_order_are_compared_by_what_they_compute() -> None:
    sin, cos = IN_A_BRANCH.format("sin"), IN_A_BRANCH.format("cos")
    assert labels(f"{sin}\n\n{cos}", f"{cos}\n\n{sin}".replace("tl.load(in_ptr0)", "-tl.load(in_ptr0)", 1)) == [
        "a -> -a"
    ]


def test_kernels_that_compute_the_same_as_others_are_counted_one_by_one() -> None:
    product = "extern ExternKernelOut extern_kernels.{0} | buf0: f32[8, 8] cpu | aten.{0}.default | arg0_1, arg1_1"
    sine = "pointwise | buf5: f32[8, 8] cpu | aten.sin.default | arg0_1[c0]"
    old = schedule(sine, *[product.format("mm")] * 4)
    new = schedule(sine, *[product.format("mm")] * 3, product.format("addmm"))
    more = schedule(sine.replace("sin", "cos")).split("\n", 2)[2].replace("op0", "op9")
    new = new.replace("  group 1:", f"{more}  group 1:")
    # One product became another, and the first kernel computes more: nothing was fused that was not.
    assert more in new and "kernels of their own" not in str(labels(old, new, "scheduler_nodes", "txt"))


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
    assert labels(REDUCED.format("a"), REDUCED.format("b"), "cpp_code", "cpp") == ["a(a) -> b(a)"]
