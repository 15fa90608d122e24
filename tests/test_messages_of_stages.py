"""How changes to wrappers, graphs and schedules are described."""

from __future__ import annotations

import pytest

from pytest_compile_golden.changes.common_types import CountedNewOrGone
from pytest_compile_golden.changes.graphs import OperatorsChanged
from pytest_compile_golden.changes.numbers import CountedOtherwise
from pytest_compile_golden.changes.schedules import DimensionsChanged, GroupsChanged
from pytest_compile_golden.changes.trail import (
    not_unpacked,
)
from pytest_compile_golden.facts.trail import Item
from pytest_compile_golden.formats.graphs import GRAPH
from pytest_compile_golden.formats.graphs.equivalence import pairs
from pytest_compile_golden.formats.graphs.independent_edits import in_place
from pytest_compile_golden.formats.op_counts import difference
from pytest_compile_golden.goldens.first_divergence import cause
from pytest_compile_golden.goldens.severity import reason
from pytest_compile_golden.messages.sentences import as_example, sentence
from pytest_compile_golden.report.case_report import first_words
from tests.test_grouping import labels, structural
from tests.test_messages import BACKWARD, COPY, MUL, UNPACK, schedule
from tests.written_cases import METRICS, differing

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
    old, new = (
        CPP.format(first="", second=STREAM, last=""),
        CPP.format(first=STREAM, second="", last=", false"),
    )
    assert labels(old, new, "aot_wrapper", "cpp") == [
        "launchKernel is given 1 more argument: false",
    ]
    assert labels(
        old, CPP.format(first=STREAM, second="", last=""), "aot_wrapper", "cpp"
    ) == [f"a line is in another place: {STREAM}"]
    plain, wrapped = (
        CPP.format(first=line, second="", last="")
        for line in ("clone(arg0_1, &buf0);", "CHECK(clone(arg0_1, &buf0));")
    )
    assert labels(plain, wrapped, "aot_wrapper", "cpp") == [
        "a value is computed differently: clone(a, b) -> CHECK(clone(a, b))"
    ]
    checks = (
        "\n    ".join(f"check_input(arg{n}, {n}, kinds);" for n in (3, 4))
        + "\n    int a;\n    std::call_once(flag);"
    )
    longer = CPP.format(first=checks, second="", last="")
    assert labels(
        CPP.format(first="free_all();", second="", last=""),
        longer,
        "aot_wrapper",
        "cpp",
    ) == ["different calls: + check_input x2 + std::call_once - free_all"]


def test_added_and_removed_inputs_are_counted() -> None:
    old = "def graph_0(arg0_1: f32[8], arg1_1: i64[3], arg2_1: Sym(s0)):\n    return (arg0_1,)\n"
    more = old.replace(
        "arg1_1: i64[3], arg2_1",
        "arg1_1: Sym(s1), arg2_1: i64[3], arg3_1: Sym(s2), arg4_1",
    )
    assert labels(old, more, "post_grad_graph", "py") == ["inputs are added: size x2"]
    assert labels(more.replace("i64[3]", "f32[8]"), old, "post_grad_graph", "py") == [
        "inputs are added: i64[3]",
        "inputs are removed: f32[8], size x2",
    ]
    assert labels(old, old.replace("i64", "i32"), "post_grad_graph", "py") == [
        "different dtype of an input: i64 -> i32"
    ]
    moved = old.replace(
        "arg0_1: f32[8], arg1_1: i64[3], arg2_1: Sym(s0)",
        "arg0_1: Sym(s0), arg1_1: f32[8], arg2_1: i64[3]",
    )
    assert labels(
        old, moved.replace("(arg0_1,)", "(arg1_1,)"), "post_grad_graph", "py"
    ) == ["the same inputs in a different order"]


def test_results_whose_types_changed_alike_are_one_change() -> None:
    graph = """\
def graph_0(x: f32[8]):
    a: {0}[8] = aten.floor.default(x)
    b: {0}[8] = aten.clamp.default(a, 0)
    return (a, b)
"""
    assert labels(
        graph.format("i64"), graph.format("i32"), "post_grad_graph", "py"
    ) == ["different dtype of results of aten.floor, aten.clamp: i64 -> i32"]


def test_beside_other_operators_one_that_moved_within_torchs_sources_is_neither_gone_nor_new() -> (
    None
):
    graph = """\
def graph_0(x: f32[8]):
    y: f32[8] = torch._dynamo.{}.locals.pull(x)
    z: f32[8] = aten.{}.default(y)
    return (z,)
"""
    assert labels(
        graph.format("a", "sin"), graph.format("b", "cos"), "post_grad_graph"
    ) == ["graph calls aten.cos in place of aten.sin"]


def test_operators_that_have_nothing_to_do_with_each_other_are_several_changes() -> (
    None
):
    graph = """\
def graph_0(x: f32[8], y: f32[8]):
    {compare}: b8[8] = aten.{compare}.Scalar(x, 0)
    cos: f32[8] = aten.cos.default(y)
    {first}
    exp: f32[8] = aten.exp.default({of})
    where: f32[8] = aten.where.self({compare}, {then}, y)
    return (where, exp)
"""
    negated = "neg: f32[8] = aten.neg.default(cos)"
    old = graph.format(compare="gt", first=negated, of="neg", then="x")
    apart = graph.format(compare="ge", first="", of="cos", then="x")
    assert labels(old, apart, "post_grad_graph", "py") == [
        "graph calls aten.ge in place of aten.gt",
        "graph has 1 fewer call: aten.neg",
    ]
    # Where one reads what the other makes, be it through nodes that stay, they are one change.
    old, joined = (text.replace("(where, exp)", "(where,)") for text in (old, apart))
    old, joined = (
        text.replace("x, y)\n    return", "exp, y)\n    return")
        for text in (old, joined)
    )
    assert labels(old, joined, "post_grad_graph", "py") == [
        "graph calls aten.ge in place of aten.gt + aten.neg"
    ]


def test_what_is_gone_or_new_is_listed_with_the_sign_of_each() -> None:
    lines = (
        "    y1: f32[8] = aten.sin.default(x)\n    y2: f32[8] = aten.cos.default(y1)\n"
    )
    head = "def graph_0(x: f32[8]):\n    y: f32[8] = aten.exp.default(x)\n"
    more = head + lines + "    return (y,)\n"
    less = head + "    return (y,)\n"
    assert labels(more, less, "post_grad_graph") == [
        "graph has 2 fewer calls: aten.cos + aten.sin"
    ]
    assert labels(less, more, "post_grad_graph") == [
        "graph has 2 more calls: aten.cos + aten.sin"
    ]


def test_an_operator_called_once_more_in_place_of_one_that_is_gone_replaces_it() -> (
    None
):
    found = difference(
        "aot_graph", (Item("aten.ge", 1), Item("aten.gt", 1)), (Item("aten.gt", 2),)
    )
    assert (
        found is not None
        and sentence(found) == "aot_graph calls aten.gt in place of aten.ge"
    )
    back = difference(
        "aot_graph", (Item("aten.gt", 2),), (Item("aten.ge", 1), Item("aten.gt", 1))
    )
    assert (
        back is not None
        and sentence(back) == "aot_graph calls aten.ge in place of aten.gt"
    )


def test_operators_are_counted_as_they_are_named_with_all_their_overloads() -> None:
    kept = (Item("aten.gt.Tensor", 1), Item("aten.lt.Tensor", 1))
    old = (
        Item("aten.ge.Scalar", 1),
        Item("aten.le.Scalar", 1),
        Item("aten.lt.Scalar", 2),
    )
    new = (Item("aten.gt.Scalar", 1), Item("aten.lt.Scalar", 3))
    found = difference("aot_graph", (*kept, *old), (*kept, *new))
    assert found is not None and sentence(found) == (
        "aot_graph calls aten.gt + aten.lt in place of aten.ge + aten.le"
    )
    fewer = difference("aot_graph", (*kept, *old), (*kept, *new[1:]))
    assert fewer is not None
    assert sentence(fewer) == "aot_graph calls aten.lt in place of aten.ge + aten.le"
    # Another overload as often as before is none more of the operator.
    found = difference("aot_graph", kept, (Item("aten.gt.Scalar", 1), kept[1]))
    assert found is not None and sentence(found) == (
        "aot_graph calls aten.gt.Scalar in place of aten.gt.Tensor"
    )


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
    calls = [
        "    a: f32[8] = aten.pow.Tensor_Scalar(x, 2)\n",
        "    b: f32[8] = aten.pow.Tensor_Scalar(y, {})\n",
    ]
    sides = [
        SORTED.format(first, second, "values", "x")
        for first, second in (calls, calls[::-1])
    ]
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
    old = (
        "graph_0:\n"
        + sort
        + group.format(1, 1, "arg0_1", "b8[1]")
        + group.format(2, 2, "buf0", "b8[1]")
    )
    new = (
        "graph_0:\n"
        + sort
        + group.format(1, 2, "arg0_1", "b8[2]")
        + group.format(2, 1, "arg0_1", "b8[1]")
    )
    assert labels(old, new, "scheduler_nodes") == [
        "different shape of the result of a reduction any operation: [1] -> [2]",
        "reduction any reads an input instead of the result of aten.sort",
    ]


def test_what_an_operation_reads_is_the_same_whichever_number_comes_first() -> None:
    """Reads are listed by the numbers of buffers, which shift where there are fewer."""
    made = """\
  group {0}: pointwise
    op{1}: pointwise
      buf{1}: f32[8] cpu
      computes aten.{2}.default
      reads arg0_1[{3}]
      writes buf{1}[c0]
"""
    read = """\
  group 2: pointwise
    op9: pointwise
      buf9: f32[8] cpu
      computes aten.mul.Tensor
      reads {}, {}
      writes buf9[c0]
"""
    old = [
        made.format(0, 5, "sin", "c0"),
        made.format(1, 11, "cos", "c0"),
        read.format("buf11[2*c0]", "buf5[c0]"),
    ]
    new = [
        made.format(0, 5, "sin", "c0 + 1"),
        made.format(1, 8, "cos", "c0"),
        read.format("buf5[c0]", "buf8[2*c0]"),
    ]
    before, after = (f"graph_0:\n{''.join(groups)}" for groups in (old, new))
    assert labels(before, after, "scheduler_nodes") == [
        "index computed differently: c0 -> c0 + 1"
    ]


def test_what_is_reduced_otherwise_is_fused_otherwise_because_of_that() -> None:
    reduction = """\
  group {0}: reduction
    op{1}: {2}
      buf{1}: f32[8, 1] cuda:0
      computes prims.prepare_softmax_online.default
      reads {3}
      writes buf{1}[c0]
"""
    old = reduction.format(0, 0, "reduction max", "arg0_1[c0]")
    old += reduction.format(1, 1, "reduction sum", "arg0_1[c0], buf0[c0]")
    kind = "multioutputreduction online_softmax_reduce"
    new = reduction.format(0, 0, kind, "arg0_1[c0]")
    new += reduction.format(0, 1, kind, "arg0_1[c0]").partition("\n")[2]
    assert labels(f"graph_0:\n{old}", f"graph_0:\n{new}", "scheduler_nodes") == [
        "reductions of other kinds: max, sum -> online_softmax_reduce x2"
    ]


def test_branches_in_another_order_are_the_same_branches() -> None:
    branch = """\
graph_0:
  group 0: pointwise
    {0}_graph_0_op0: pointwise
      {0}_graph_0_buf0: f32[8] cpu
      computes aten.{1}.default
      reads {0}_graph_0_arg0_1[c0]
      writes {0}_graph_0_buf0[c0]
"""
    chooses = (
        branch.format("true", "sin")
        .replace("true_graph_0_", "")
        .replace("pointwise", "extern {}")
    )
    more = (
        branch.replace("group 0", "group 1")
        .replace("op0", "op1")
        .replace("buf0", "buf1")
        .partition("\n")[2]
    )
    branches = [
        branch.format("true", "sin") + more.format("true", "exp"),
        branch.format("false", "cos"),
    ]
    old = "\n".join([chooses.format("Conditional", "Conditional"), *branches])
    new = "\n".join([chooses.format("Switch", "Switch"), *branches[::-1]])
    assert labels(old, new, "scheduler_nodes") == [
        "operations of other kinds: extern Conditional -> extern Switch"
    ]


def test_what_is_made_of_a_result_is_laid_out_as_that_is() -> None:
    graph = """\
def graph_0(x: f32[2, 4]):
    y: f32[2, 4]{} = torch.nn.functional.softmax(x)
    z: f32[4, 2]{} = y.transpose(0, 1)
    other: f32[4, 2]{} = x.t()
    return (z, other)
"""
    old, new = graph.format("", "[1, 4]", "[1, 4]"), graph.format("[1, 2]", "", "")
    assert labels(old, new, "dynamo_graph") == [
        "different strides of the result of torch.nn.functional.softmax: contiguous -> [1, 2]",
        "different strides of the result of t: [1, 4] -> contiguous",
    ]


def test_of_equal_calls_the_one_that_is_read_alike_is_still_there() -> None:
    """Of two sorts of one value, the other sorts something else; what reads the result of the one says which it is."""
    graph = """\
def graph_0(x: f32[8], y: i64[8]):
{}    second = aten.sort.default(x)
    sorted: f32[8] = second[0]
    nan: b8[8] = aten.isnan.default({})
    picked: f32[8] = aten.gather.default(sorted, 0, y)
    return (view, nan, picked)
"""
    first = [
        """\
    first = aten.sort.default(x)
    values: f32[8] = first[0]
    view: f32[1, 8] = aten.reshape.default(values, [1, 8])
""",
        """\
    values: f32[1, 8] = aten.reshape.default(x, [1, 8])
    first = aten.sort.default(values)
    view: f32[1, 8] = first[0]
""",
    ]
    old, new = (
        GRAPH.document(graph.format(lines, of))[0]
        for lines, of in zip(first, ("sorted", "x"), strict=True)
    )
    assert [sentence(edit) for edit in in_place(pairs(old, new))] == [
        "aten.isnan reads an input instead of the result of aten.sort"
    ]


def test_inputs_in_another_order_are_those_of_the_same_type() -> None:
    """What reads one of them reads no other one."""
    graph = """\
def graph_0({}):
    y: f32[4] = aten.sin.default({})
    z: i64[] = aten.select.int({}, 0, -1)
    return (y, z)
"""
    inputs = ["arg0_1: f32[4]", "arg1_1: i64[4]"]
    old = graph.format(", ".join(inputs), "arg0_1", "arg1_1")
    new = graph.format("arg0_1: i64[4], arg1_1: f32[4]", "arg1_1", "arg0_1")
    assert labels(old, new, "post_grad_graph") == [
        "the same inputs in a different order"
    ]
    ((before,), (after,)) = map(GRAPH.document, (old, new))
    assert not list(in_place(pairs(before, after)))


def test_checks_in_another_order_are_the_same_checks() -> None:
    """What a check says if it fails names the node that it is of, which is no change."""
    check = """    {0}: Sym({1}) = operator.{2}(u0, {3})
    check_{0} = aten._assert_scalar.default({0}, "Runtime assertion failed for expression {1} on node '{0}'")
"""
    checks = [
        ("ge_1", "u0 >= 2", "ge", 2),
        ("le", "u0 <= 9", "le", 9),
    ]
    head, tail = "def graph_0(u0: Sym(u0)):\n", "    return (u0,)\n"
    first, second = (check.format(*each) for each in checks)
    renamed = check.format("ge", *checks[0][1:])
    old = head + first + second + tail
    same, moved = (
        head + several + tail for several in (renamed + second, second + renamed)
    )
    assert GRAPH.canonical(old) == GRAPH.canonical(same)
    assert labels(old, moved, "dynamo_graph") == ["operations run in a different order"]


FOLDED = "def graph_0(x: f32[8]):\n    y: f32[()] = {}\n    return (y,)\n"


@pytest.mark.parametrize(
    ("old", "new", "label"),
    [
        (
            "aten.full.default([], 1.0)",
            "aten.add.Tensor(x, 1)",
            "aten.add is computed, no longer folded into a constant",
        ),
        (
            "aten.add.Tensor(x, 1)",
            "aten.full.default([], 1.0)",
            "aten.add is folded into a constant",
        ),
        (
            "aten.sub.Tensor(x, 1)",
            "aten.add.Tensor(x, 1)",
            "graph calls aten.add in place of aten.sub",
        ),
        (
            "aten.add.Tensor(x, 1)",
            "aten.add.Scalar(x, 1)",
            "graph calls aten.add.Scalar in place of aten.add.Tensor",
        ),
        (
            "torch._VariableFunctionsClass.lerp(x)",
            "torch._dynamo.variables.a.B.locals.pull(x)",
            "graph calls pull in place of torch.lerp",
        ),
        (
            "x.__eq__(y)",
            "operator.eq(x, y)",
            "operator.eq is called as a function instead of a method",
        ),
        (
            "operator.eq(x, y)",
            "x.__eq__(y)",
            "operator.eq is called as a method instead of a function",
        ),
        (
            "x.split(2)",
            "torch._VariableFunctionsClass.split(x, 2)",
            "torch.split is called as a function instead of a method",
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


def test_functions_that_moved_are_one_change_although_nothing_connects_them() -> None:
    graph = "def graph_0(x: f32[8]):\n    level = torch.{0}._enter_level()\n    y: f32[8] = aten.{1}.default(x)\n"
    graph += "    gone = torch.{0}._exit_level()\n    return (y,)\n"
    old, new = graph.format("_C", "sin"), graph.format("_functorch.predispatch", "cos")
    assert labels(old, new, "dynamo_graph") == [
        "graph calls aten.cos in place of aten.sin",
        "functions moved within torch's sources: torch._functorch._enter_level + torch._functorch._exit_level",
    ]


def test_what_becomes_of_many_operators_is_said_ahead_of_their_names() -> None:
    """Of a long list, a report shows the beginning."""
    names = [f"aten.{name}" for name in ("add", "mul", "neg")]
    for code, what in (
        ("constant-folded", "operators are folded into a constant"),
        ("done-in-place", "operators are done in place"),
        ("operator-renamed", "functions moved within torch's sources"),
    ):
        change = CountedNewOrGone(code, tuple((name, 1) for name in names), new=True)
        assert sentence(change) == f"{what}: {' + '.join(names)}"
        assert as_example(change) == f"{what}, for example {' + '.join(names)}"


def test_a_graph_more_is_no_list_of_operators() -> None:
    one = FOLDED.format("aten.sin.default(x)")
    two = (
        f"{one}\n\n{FOLDED.replace('graph_0', 'graph_1').format('aten.cos.default(x)')}"
    )
    assert labels(one, two, "dynamo_graph") == [
        "2 graphs instead of 1: aten.cos more often"
    ]
    assert labels(two, one, "dynamo_graph") == [
        "1 graph instead of 2: aten.cos less often"
    ]


def test_the_parts_of_a_kernel_are_named_unless_they_read_as_the_whole() -> None:
    whole = ("(div, sum)",)
    same = GroupsChanged("fusion-lost", whole, 1, 2, whole=whole)
    assert sentence(same) == "(div, sum): 2 kernels instead of 1"
    parts = GroupsChanged("fusion-lost", ("div", "sum"), 1, 2, whole=whole)
    assert sentence(parts) == "(div, sum): 2 kernels instead of 1 (div + sum)"


SORT = "{} | buf0: i64[8] cuda:0 | aten.sort.stable | arg0_1"
WAIT = (
    "extern _WaitKernel torch.ops.c10d.wait_tensor.default | buf{0}: NoneLayout | "
    "c10d.wait_tensor.default | arg{0}_1"
)
SEND = (
    "extern _CollectiveKernel torch.ops.c10d.all_reduce.default | buf5: f32[8] cpu | "
    "c10d.all_reduce.default | arg5_1"
)


def test_library_calls_and_changes_of_order_are_described() -> None:
    kernel = schedule(SORT.format("sort"), MUL.format("c64[8] cpu"))
    call = schedule(
        SORT.format("extern FallbackKernel torch.ops.aten.sort.stable"),
        MUL.format("c64[8] cpu"),
    )
    assert labels(kernel, call, "scheduler_nodes", "txt") == [
        "aten.sort.stable is called in a library instead of computed by a kernel"
    ]
    assert labels(call, kernel, "scheduler_nodes", "txt") == [
        "aten.sort.stable is computed by a kernel instead of called in a library"
    ]
    waits = [WAIT.format(number) for number in (1, 2)]
    late, early = schedule(*waits, SEND), schedule(SEND, *waits)
    assert labels(late, early, "scheduler_nodes", "txt") == [
        "all_reduce runs earlier, before wait_tensor"
    ]
    assert labels(early, late, "scheduler_nodes", "txt") == [
        "all_reduce runs later, after wait_tensor"
    ]
    # Which of two of one name runs later, the name does not say.
    again = SEND.replace("buf5", "buf6")
    several = schedule(SEND, again, *waits), schedule(SEND, *waits, again)
    assert labels(*several, "scheduler_nodes", "txt") == [
        "operations run in a different order"
    ]
    # An operator is called by its name, whatever its overload.
    total = SEND.replace("c10d.all_reduce.default", "aten.sum.dim_IntList")
    assert labels(
        schedule(*waits, total), schedule(total, *waits), "scheduler_nodes", "txt"
    ) == ["sum runs earlier, before wait_tensor"]


def test_cases_with_other_dimensions_are_not_said_to_have_those_of_one() -> None:
    change = DimensionsChanged((3, 1), "8*c0 + c1 + 4*c2", "(c0 // 8) + c0")
    assert sentence(change) == (
        "loops run over 1 dimension instead of 3: 8*c0 + c1 + 4*c2 -> (c0 // 8) + c0"
    )
    assert as_example(change) == (
        "loops run over another number of dimensions, "
        "for example 1 instead of 3: 8*c0 + c1 + 4*c2 -> (c0 // 8) + c0"
    )


def test_attributes_that_operators_stand_for_are_one_change_whichever_they_are() -> (
    None
):
    one, other = (
        OperatorsChanged("operators-changed", (("getattr", len(names)),), names)
        for names in (
            (("aten.numpy_T", 1),),
            (("aten.mT", 1), ("aten.numpy_T", 1)),
        )
    )
    assert one.key == other.key
    assert as_example(other) == (
        "attributes of tensors are read by operators, "
        "for example aten.mT + aten.numpy_T in place of getattr x2"
    )
    back = OperatorsChanged("operators-changed", one.come, one.gone)
    assert back.key != one.key
    assert as_example(back) == (
        "attributes of tensors are no longer read by operators, "
        "for example getattr in place of aten.numpy_T"
    )


def test_bookkeeping_of_calls_hides_no_other_change() -> None:
    old = schedule(
        MUL.format("MultiOutputLayout"),
        UNPACK,
        COPY.replace("buf0", "buf4"),
        BACKWARD.format("buf4"),
    )
    new = schedule(MUL.format("c64[8] cpu"), BACKWARD.format("arg0_1"))
    assert labels(old, new, "scheduler_nodes", "txt") == [
        "1 input of aten.convolution_backward is no longer copied for it",
        sentence(not_unpacked()),
    ]


def test_a_line_that_another_graph_quotes_is_still_in_the_program() -> None:
    """Backward may be given what it computed again before."""
    program = "def graph_0(x: f32[8]):\n    # f: y = x == 0\n    y: b8[8] = {}\n    return (y,)\n"
    backward = (
        "def graph_0_backward(saved: f32[8]):\n{}    # f: z = y * x\n"
        "    z: f32[8] = aten.neg.default({})\n    return (z,)\n"
    )
    again = "    # f: y = x == 0\n    y: f32[8] = aten.eq.Scalar(saved, 0)\n"
    found = cause(
        [
            structural(
                program.format("x.__eq__(0)"),
                program.format("operator.eq(x, 0)"),
                "dynamo_graph",
            ),
            structural(
                backward.format(again, "y"),
                backward.format("", "saved"),
                "backward_graph",
            ),
        ]
    )
    assert found is not None and not found.program


@pytest.mark.parametrize("kernels", [1, 2])
def test_the_same_runs_only_if_there_are_as_many_kernels(kernels: int) -> None:
    """In C++, what takes out a result stands between two kernels."""
    texts = (
        schedule(MUL.format("MultiOutputLayout"), UNPACK),
        schedule(MUL.format("c64[8] cpu")),
    )
    old, new = (
        {"scheduler_nodes": text, "metrics": METRICS.format(number, made)}
        for text, number, made in zip(texts, (64, 128), (1, kernels), strict=True)
    )
    why = reason(differing(old, new))
    assert (why == CountedOtherwise()) == (kernels == 1)


def test_an_input_of_backward_is_not_an_input_of_the_program() -> None:
    backward = "def graph_0_backward(saved: f32[{}]):\n    y: f32[8] = aten.neg.default(saved)\n    return (y,)\n"
    found = cause(
        [structural(backward.format("8, 1"), backward.format(8), "backward_graph")]
    )
    assert found is not None and not found.program
    forward = FOLDED.format("aten.neg.default(x)")
    found = cause(
        [structural(forward, forward.replace("f32[8]", "f32[9]"), "post_grad_graph")]
    )
    assert (
        found is not None
        and first_words(found) == "your inputs changed: f32[8] -> f32[9]"
    )
