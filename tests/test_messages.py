"""How a change is described: only what is true, in the words of a colleague."""

from __future__ import annotations

import pytest

from pytest_compile_golden.changes.common_types import Replaced
from pytest_compile_golden.changes.guards import GuardsChanged
from pytest_compile_golden.changes.numbers import EntriesChanged
from pytest_compile_golden.changes.schedules import GroupsChanged, OperationsChanged
from pytest_compile_golden.changes.trail import not_unpacked
from pytest_compile_golden.formats.metrics.printed import changes as metric_changes
from pytest_compile_golden.formats.schedules.kind_edits import holds_of_all
from pytest_compile_golden.goldens.case_changes import case_changes
from pytest_compile_golden.goldens.change_groups import group
from pytest_compile_golden.goldens.compare_artifact import Compared
from pytest_compile_golden.goldens.distinct_change import DistinctChange
from pytest_compile_golden.goldens.first_divergence import cause
from pytest_compile_golden.goldens.severity import judged, reason
from pytest_compile_golden.messages.sentences import (
    as_example,
    first_divergence,
    sentence,
)
from pytest_compile_golden.report.case_report import first_words
from pytest_compile_golden.stages import get_stage
from tests.test_grouping import labels, structural


def schedule(*operations: str) -> str:
    """Each operation in a group of its own: `kind | outputs | computes | reads`."""
    lines = ["graph_0:"]
    for number, operation in enumerate(operations):
        kind, outputs, computes, reads = operation.split(" | ")
        lines += [f"  group {number}: {kind.split()[0]}", f"    op{number}: {kind}"]
        lines += [
            f"      {outputs}",
            f"      computes {computes}",
            f"      reads {reads}",
        ]
        lines += [f"      writes {outputs.partition(':')[0]}[c0]"]
    return "\n".join(lines) + "\n"


FOLDED = (
    "pointwise | buf0: f32[8] cpu | aten.full.default, aten.add.Tensor | arg0_1[c0]"
)
NOT_FOLDED = (
    "pointwise | buf0: f32[8] cpu | aten.mul.Tensor x2, aten.add.Tensor "
    "| arg0_1[c0], arg1_1[0]"
)
RETURNED = "pointwise | buf{0}: f32[8] cpu | aten.sin.default | arg0_1[c0]"
EFFECT = (
    "extern FallbackKernel torch.ops.aten.check.default | buf0: NoneLayout | {} | {}"
)
CALL = "torch.ops.aten.convolution_backward.default"
COPY = (
    "pointwise | buf0: f32[8, 8] cpu | aten.convolution_backward.default | arg0_1[c0]"
)
BACKWARD = f"extern FallbackKernel {CALL} | buf1: MultiOutputLayout | aten.convolution_backward.default | {{}}, arg1_1"
HALF = "reduction sum | buf0: f32[32] cuda:0 | aten.sum.default | arg0_1[c0]"
SUM = "reduction sum | buf1: f32[] cuda:0 | aten.sum.default | {}[c0]"
MUL = "extern FallbackKernel torch.ops.aten.mul.Tensor | buf0: {} | aten.mul.Tensor | arg0_1"
UNPACK = "unpack | buf1: c64[8] cpu | aten.mul.Tensor | buf0"
ADD = "pointwise | buf2: c64[8] cpu | aten.add.Tensor | {}[c0]"
UNPACKED = schedule(MUL.format("MultiOutputLayout"), UNPACK, ADD.format("buf1"))
DIRECT = schedule(MUL.format("c64[8] cpu"), ADD.format("buf0"))


ROOT = "pointwise | buf2: f32[] cuda:0 | aten.pow.Tensor_Scalar | buf0[c0]"
BRANCHES = "extern {} | buf3: MultiOutputLayout | aten.pow.Tensor_Scalar, higher_order.cond | arg0_1, buf2"
NORM = "reduction sum | buf0: f32[] cuda:0 | aten.pow.Tensor_Scalar, aten.sum.dim_IntList | arg0_1[c0]"


def test_what_computes_the_operator_of_its_input_in_the_same_place_is_no_copy_for_a_call() -> (
    None
):
    """A norm is a root of a sum of squares, and both are `aten.pow`."""
    # As torch.cond is lowered up to torch 2.14, and from 2.15 on.
    old, new = (
        schedule(NORM, ROOT, BRANCHES.format(kind))
        for kind in ("Conditional", "Switch")
    )
    assert labels(old, new, "scheduler_nodes", "txt") == [
        "operations of other kinds: extern Conditional -> extern Switch"
    ]


def test_operations_that_do_the_same_are_counterparts_whatever_their_numbers() -> None:
    drawn = "pointwise | buf{}: f32[8] cpu | prims.inductor_random.default | seeds[{}]"
    others = [
        "pointwise | buf2: b8[8] cpu | aten.ge.Tensor | buf0[c0], buf1[c0]",
        "pointwise | buf0: b8[8] cpu | aten.lt.Tensor, aten.abs.default | x[c0]",
    ]
    old = schedule(drawn.format(0, 3), drawn.format(1, 2), others[0])
    new = schedule(others[1], drawn.format(1, 3), drawn.format(2, 2))
    assert labels(old, new, "scheduler_nodes", "txt") == [
        "pointwise operation reads 1 fewer value: "
        "computes aten.abs + aten.lt in place of aten.ge"
    ]


def test_what_goes_along_one_loop_shows_in_which_order_loops_run() -> None:
    before, after = (
        schedule(
            f"pointwise | buf0: f32[3, 2] cpu | aten.mul | x[{row}], y[{read}]"
        ).replace("buf0[c0]", f"buf0[{written}]")
        for row, read, written in (("c0", "c0 + 2*c1", "c0 + 2*c1"), ("c1", "c0", "c0"))
    )
    assert labels(before, after, "scheduler_nodes", "txt") == [
        "loops run in another order: c0 + 2*c1 -> c0"
    ]


def test_a_view_in_any_overload_that_is_written_for_a_call_is_a_copy_for_it() -> None:
    # What the view is of is listed all the same.
    product = (
        "extern ExternKernelOut extern_kernels.addmm | buf1: f32[8, 3] cpu "
        "| aten.addmm.default | arg0_1, {}arg1_1"
    )
    views = "aten.addmm.default, aten.permute.default, aten.select.int"
    copy = f"pointwise | buf0: f32[3] cpu | {views} | arg0_1[4*c0 + 3]"
    old, new = (
        schedule(product.format("")),
        schedule(copy, product.format("buf0, ")),
    )
    assert labels(old, new, "scheduler_nodes", "txt") == [
        "1 input of aten.addmm is copied for it"
    ]


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (
            ("c0", "8*c1 + c0 + 4*c2"),
            ["loops run in another order: 8*c0 + c1 + 4*c2 -> c0"],
        ),
        (
            ("8*c0 + 4*c1 + c2", "c0"),
            ["loops run in another order: 8*c0 + c1 + 4*c2 -> 8*c0 + 4*c1 + c2"],
        ),
        # What is laid out otherwise is reached by another index in the same loops.
        (
            ("8*c0 + c1 + 4*c2", "8*c0 + c1 + 2*c2"),
            ["index computed differently: c0 -> 8*c0 + c1 + 2*c2"],
        ),
        (
            ("8*c0 + c1", "c0"),
            ["loops run over 2 dimensions instead of 3: 8*c0 + c1 + 4*c2 -> 8*c0 + c1"],
        ),
    ],
)
def test_an_operation_has_as_many_loops_as_all_that_it_accesses(
    now: tuple[str, str], told: list[str]
) -> None:
    before, after = (
        schedule(f"pointwise | buf0: f32[2, 2, 4] cpu | aten.sin | x[{read}]").replace(
            "buf0[c0]", f"buf0[{written}]"
        )
        for read, written in (("8*c0 + c1 + 4*c2", "c0"), now)
    )
    assert labels(before, after, "scheduler_nodes", "txt") == told


def test_what_is_made_for_a_call_reads_what_it_read_where_nothing_is_copied_any_more() -> (
    None
):
    """torch says of what is copied for a call that it computes the call."""
    sine = "pointwise | buf1: f32[8, 8] cpu | aten.{}sin.default | arg2_1[c0]"
    product = (
        "pointwise | buf2: f32[8, 8] cpu | aten.{}mul.Tensor | arg2_1[c0], arg3_1[c0]"
    )
    made_for = "convolution_backward.default, aten."
    old = schedule(
        COPY, product.format(""), sine.format(made_for), BACKWARD.format("buf0")
    )
    new = schedule(sine.format(""), product.format(made_for), BACKWARD.format("arg0_1"))
    assert labels(old, new, "scheduler_nodes", "txt") == [
        "1 input of aten.convolution_backward is no longer copied for it"
    ]


@pytest.mark.parametrize(
    ("size", "told"),
    [
        ("[2, 5500]", ["rows of a buffer are no longer padded: stride 5504 -> 5500"]),
        (
            "[2, 50, 1, 110]",
            ["rows of a buffer are no longer padded: stride 5504 -> 5500"],
        ),
        # No row of this one is as long as 5504 would be the padding of.
        ("[8, 1375]", ["loops run over 1 dimension instead of 2: 5504*c0 + c1 -> c0"]),
    ],
)
def test_rows_that_are_no_longer_padded_are_read_in_order(
    size: str, told: list[str]
) -> None:
    """With them, loops are merged into one."""
    product = f"extern mm | buf0: f32{size} cuda:0 | aten.mm.default | arg0_1"
    sine = f"pointwise | buf1: f32{size} cuda:0 | aten.sin.default | buf0[{{}}]"
    old, new = (schedule(product, sine.format(read)) for read in ("5504*c0 + c1", "c0"))
    assert labels(old, new, "scheduler_nodes", "txt") == told


def test_rows_that_are_no_longer_padded_are_told_beside_a_result_that_is_inlined() -> (
    None
):
    product = "extern mm | buf0: f32[2, 5500] cuda:0 | aten.mm.default | arg0_1"
    sine = "pointwise | buf1: f32[2, 5500] cuda:0 | aten.sin.default | buf0[{}]"
    exp = "pointwise | buf2: f32[8] cuda:0 | aten.exp.default | arg1_1[c0]"
    cosine = "pointwise | buf{}: f32[8] cuda:0 | {}aten.cos.default | {}[c0]"
    old = schedule(
        product, sine.format("5504*c0 + c1"), exp, cosine.format(3, "", "buf2")
    )
    new = schedule(
        product, sine.format("c0"), cosine.format(2, "aten.exp.default, ", "arg1_1")
    )
    assert labels(old, new, "scheduler_nodes", "txt") == [
        "results of aten.exp are inlined instead of stored",
        "rows of a buffer are no longer padded: stride 5504 -> 5500",
    ]


def test_what_a_graph_copies_itself_is_copied_for_no_call() -> None:
    exp = "pointwise | buf0: f32[8, 16] cuda:0 | aten.exp.default | arg0_1[c0]"
    clone = "pointwise | buf1: f32[8, 16] cuda:0 | aten.clone.default | buf0[c1 + 8*c0]"
    both = "pointwise | buf0: f32[8, 16] cuda:0 | aten.exp.default, aten.clone.default | arg0_1[c0]"
    product = "extern mm | buf{}: f32[8, 8] cuda:0 | aten.mm.default | buf{}, arg1_1"
    old = schedule(both, product.format(1, 0))
    new = schedule(exp, clone, product.format(2, 1))
    (label,) = labels(old, new, "scheduler_nodes", "txt")
    assert label == "results of aten.exp are stored instead of inlined"


def test_a_copy_for_a_call_is_no_other_operation_where_there_are_as_many_as_before() -> (
    None
):
    sine = "pointwise | buf1: f32[8, 8] cpu | aten.sin.default | arg2_1[c0]"
    old = schedule(sine, BACKWARD.format("arg0_1"))
    new = schedule(COPY, BACKWARD.format("buf0"))
    assert "1 input of aten.convolution_backward is copied for it" in labels(
        old, new, "scheduler_nodes", "txt"
    )


@pytest.mark.parametrize(
    ("old", "new", "label"),
    [
        (
            schedule(BACKWARD.format("arg0_1")),
            schedule(COPY, BACKWARD.format("buf0")),
            "1 input of aten.convolution_backward is copied for it",
        ),
        (
            schedule(COPY, BACKWARD.format("buf0")),
            schedule(BACKWARD.format("arg0_1")),
            "1 input of aten.convolution_backward is no longer copied for it",
        ),
        (
            schedule(SUM.format("arg0_1")),
            schedule(HALF, SUM.format("buf0")),
            "aten.sum is reduced in two steps instead of one",
        ),
        (
            schedule(HALF, SUM.format("buf0")),
            schedule(SUM.format("arg0_1")),
            "aten.sum is reduced in one step instead of two",
        ),
        (UNPACKED, DIRECT, sentence(not_unpacked())),
        # Nothing takes out a result of which only the size is read.
        (
            schedule(MUL.format("MultiOutputLayout")),
            schedule(MUL.format("i64[u0, 2] cpu")),
            sentence(not_unpacked()),
        ),
        (
            schedule("reduction max | buf0: f32[8] cpu | aten.amax.default | arg0_1"),
            schedule(
                "reduction argmax_value | buf0: f32[8] cpu | aten.amax.default | arg0_1"
            ),
            "a maximum or minimum is computed with its index: reduction max -> reduction argmax_value",
        ),
        (
            schedule(
                "pointwise | buf0: f32[8] cpu | aten.sin.default, aten.add.Tensor | arg0_1[c0]"
            ),
            schedule(
                "pointwise | buf0: f32[8] cpu | aten.mul.Tensor, aten.add.Tensor | arg0_1[c0], arg1_1[0]"
            ),
            "pointwise operation reads 1 more value: computes aten.mul in place of aten.sin",
        ),
        (
            schedule(FOLDED),
            schedule(NOT_FOLDED),
            "aten.mul x2 are computed, no longer folded into a constant",
        ),
        (
            schedule(NOT_FOLDED),
            schedule(FOLDED),
            "aten.mul x2 are folded into a constant",
        ),
        # What it reads more has no value.
        *(
            (
                schedule(EFFECT.format(kept, "arg0_1")),
                schedule(EFFECT.format(kept, "arg0_1, arg1_1")),
                "aten.check runs after 1 more value",
            )
            for kept in ("higher_order.control_deps", "higher_order.with_effects")
        ),
        (
            schedule(EFFECT.format("aten.check.default", "arg0_1")),
            schedule(EFFECT.format("aten.check.default", "arg0_1, arg1_1")),
            "aten.check reads 1 more value",
        ),
        # No other operation computes it instead.
        (
            schedule(RETURNED.format(0), RETURNED.format(1)),
            schedule(RETURNED.format(0)),
            "1 fewer operation: pointwise of aten.sin",
        ),
    ],
)
def test_operations_are_described_by_what_they_are_for(
    old: str, new: str, label: str
) -> None:
    assert labels(old, new, "scheduler_nodes", "txt") == [label]


def test_bytes_that_torch_counts_differently_are_neither_better_nor_worse() -> None:
    numbers = metric_changes(
        {"bytes_accessed": 64, "kernels": 1}, {"bytes_accessed": 128, "kernels": 2}
    )

    def verdicts(new: str) -> list[str]:
        changes = [structural(UNPACKED, new, "scheduler_nodes", "txt")]
        return [
            each.verdict
            for each in judged(numbers, cause(changes), changes, reason(changes))
        ]

    assert verdicts(DIRECT) == ["changed", "REGRESSION"]
    assert verdicts(
        DIRECT.replace("aten.add.Tensor", "aten.add.Tensor x2").replace(
            "[c0]", "[2*c0]"
        )
    ) == [
        "REGRESSION",
        "REGRESSION",
    ]


GRAPH = """\
def graph_0(x: f32[8], n: i64[()]):
    # f: k = n.item()
    item: Sym(u0) = aten._local_scalar_dense.default(n)
{}    # f: return x[:k].sum()
    slice_1: f32[u0] = aten.slice.Tensor(x, 0, 0, item)
    sum_1: f32[()] = aten.sum.default(slice_1)
    return (sum_1,)
"""
CHECK = """\
    # f: torch._check(k >= 0)
    ge: Sym(u0 >= 0) = operator.ge(item, 0)
    _assert_scalar = aten._assert_scalar.default(ge, 'k >= 0')
"""
USED = "    # f: k = k + 1\n    add: Sym(u0 + 1) = operator.add(item, 1)\n"


def test_a_check_that_torch_keeps_is_not_a_change_of_the_program() -> None:
    def first(new: str) -> str:
        found = cause([structural(GRAPH.format(""), new, "post_grad_graph")])
        assert found is not None
        return first_words(found)

    assert (
        first(GRAPH.format(CHECK))
        == "post_grad_graph: more checks while the graph runs: aten._assert_scalar + operator.ge"
    )
    assert (
        first(GRAPH.format(USED).replace("0, item)", "0, add)"))
        == "your program changed: +k = k + 1"
    )
    assert labels(GRAPH.format(""), GRAPH.format(CHECK), "post_grad_graph") == [
        "more checks while the graph runs: aten._assert_scalar + operator.ge"
    ]
    assert labels(GRAPH.format(CHECK), GRAPH.format(""), "post_grad_graph") == [
        "fewer checks while the graph runs: aten._assert_scalar + operator.ge"
    ]


@pytest.mark.parametrize(
    ("old", "new", "label"),
    [
        ("x, (4, None), 0.5", "x, (4, None, 7, 7), 0.5", "gains 7 x2 in argument 2"),
        ("x, mode='a'", "x, mode='a', launch=('BLOCK',)", "gains launch=('BLOCK',)"),
        ("x, [1], 2", "x, [1]", "loses 2"),
        ("x, 25.0", "x, 30.0", "is given 30.0 instead of 25.0"),
    ],
)
def test_changed_arguments_are_described_rather_than_the_line(
    old: str, new: str, label: str
) -> None:
    text = "def graph_0(x: f32[8]):\n    y: f32[8] = higher_order.flex_attention({})\n    return (y,)\n"
    label = f"higher_order.flex_attention {label}"
    assert labels(text.format(old), text.format(new), "post_grad_graph") == [label]


LOOP = """\
# graph_0: triton_red_fused_sum_0
@triton_heuristics.reduction(
    size_hints={'x': 4, 'r0_': 128},
    inductor_meta={
        'autotune_hints': {AutotuneHint.A},
    },
)
@triton.jit
def triton_red_fused_sum_0(in_ptr0, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    x0 = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        tmp0 = tl.load(in_ptr0 + (r0_index + 128*x0), None)
        tl.store(out_ptr0 + (r0_index + 128*x0), tmp0 * tmp0, None)
"""
PERSISTENT = """\
# graph_0: triton_per_fused_sum_0
@triton_heuristics.persistent_reduction(
    size_hints={'x': 4, 'r0_': 128},
    inductor_meta={
        'autotune_hints': (AutotuneHint.A,),
    },
)
@triton.jit
def triton_per_fused_sum_0(in_ptr0, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr):
    x0 = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    r0_index = tl.arange(0, 128)[None, :]
    tmp0 = tl.load(in_ptr0 + (r0_index + 128*x0), None)
    tl.store(out_ptr0 + (r0_index + 128*x0), tmp0 * tmp0, None)
"""


def test_of_many_groups_the_first_are_named() -> None:
    fused = GroupsChanged("fused", ("sin", "cos", "exp", "log", "neg"), 5, 1)
    assert (
        sentence(fused) == "sin + cos + exp + 2 more are fused into one kernel (5 -> 1)"
    )


def test_a_different_kind_of_reduction_is_all_that_is_reported() -> None:
    assert labels(LOOP, PERSISTENT) == [
        "reduction is persistent now (triton_heuristics.reduction -> persistent_reduction)"
    ]


def test_what_there_is_more_of_is_named() -> None:
    change = GuardsChanged(("hasattr(x)", "hasattr(y)"), new=True)
    assert (
        first_divergence(change, "guards", more=2)
        == "guards: new guards: hasattr(x) (and 1 other guard) (and 2 more)"
    )


def test_a_decorator_that_is_not_known_is_shown_and_says_nothing_about_loops() -> None:
    renamed = LOOP.replace("@triton_heuristics.", "@triton_launchers.")
    assert labels(LOOP, renamed) == [
        "different lines: - @triton_heuristics.reduction(  + @triton_launchers.reduction("
    ]
    rewritten = labels(LOOP, renamed.replace("tmp0 * tmp0", "tmp0 + tmp0"))
    assert rewritten == [
        "different lines: - @triton_heuristics.reduction(  + @triton_launchers.reduction(",
        "a value is computed differently: a * a -> a + a",
    ]


def test_a_set_of_hints_is_the_same_as_a_tuple() -> None:
    spelled = LOOP.replace("{AutotuneHint.A}", "(AutotuneHint.A,)")
    form = get_stage("triton_code").format
    assert form.canonical(LOOP) == form.canonical(spelled)
    assert form.canonical(LOOP) != form.canonical(spelled.replace("Hint.A", "Hint.B"))


def test_a_break_at_the_same_line_is_only_worded_differently() -> None:
    old = "0: f: y = str(x)\n   Failed to trace builtin operator\n"
    assert labels(
        old,
        old.replace("Failed to trace builtin operator", "repr() on tensor"),
        "graph_breaks",
        "txt",
    ) == [
        "the same graph break, reported as: repr() on tensor, previously as: Failed to trace builtin operator"
    ]
    assert labels(old, f"{old}   It is a builtin.\n", "graph_breaks", "txt") == [
        "the same graph break, reworded"
    ]


def test_stages_that_are_gone_are_one_change() -> None:
    changes = [
        Compared(each.stage, "absent", "x\n", "", "2.13.0", each.path)
        for each in (structural("", "", "post_grad_graph"), structural("", ""))
    ]
    (only,) = case_changes(changes, cause(changes)).own
    assert (
        sentence(only.what)
        == "gone: the compile has no post_grad_graph, nor triton_code"
        and only.topic == "lost"
    )


@pytest.mark.parametrize(
    ("wordings", "text"),
    [
        (("x1", "x1"), "different mask: x0 -> x1"),
        (("x1", "xindex"), "different mask, for example x0 -> x1"),
        (("x1", "x2"), "different mask, for example x0 -> x1"),
        (("x1", "x1", "xindex"), "different mask, for example x0 -> x1"),
    ],
)
def test_a_change_that_cases_have_in_different_ways_is_told_by_an_example(
    wordings: tuple[str, ...], text: str
) -> None:
    masks = [Replaced("mask-changed", "x0", each) for each in wordings]
    every = [DistinctChange("triton_code", mask, mask.key) for mask in masks]
    # Some cases have it as their own change, others behind another one.
    cases = [
        (0, [every[0]], ()),
        *((number, (), [each]) for number, each in enumerate(every[1:], 1)),
    ]
    ((changes, members),) = group(cases)
    words = as_example if changes[0].example else sentence
    assert words(changes[0].what) == text and members == [*range(len(wordings))]


_LISTED = """\
f:
  check_tensor(L['x'], Tensor, torch.float32, device=None, requires_grad=False, size=[None, 8], stride=[8, 1])
  2 <= L['x'].size()[0] <= 4096
"""


def test_guards_on_sizes_that_torch_did_not_list_are_not_new_guards() -> None:
    hidden = "".join(
        line for line in _LISTED.splitlines(keepends=True) if "<=" not in line
    )
    (label,) = labels(hidden, _LISTED, "guards", "txt")
    assert (
        label
        == "guards on sizes and strides are now listed and were checked before: 2 <= L['x'].size()[0] <= 4096"
    )
    (label,) = labels(_LISTED, hidden, "guards", "txt")
    assert label.startswith(
        "guards on sizes and strides are no longer listed but still checked: "
    )
    # If others are listed, or no size varies, it is an additional guard.
    more = _LISTED + "  L['x'].size()[0] % 2 == 0\n"
    assert labels(_LISTED, more, "guards", "txt") == [
        "new guards on sizes and strides: L['x'].size()[0] % 2 == 0"
    ]
    hidden, listed = (text.replace("None, 8", "4, 8") for text in (hidden, _LISTED))
    assert labels(hidden, listed, "guards", "txt") == [
        "new guards on sizes and strides: 2 <= L['x'].size()[0] <= 4096"
    ]


def test_a_guard_on_global_state_may_be_missing_on_one_side() -> None:
    state = '  ___check_global_state() against {"allow_tf32":0}\n'
    with_it, without = (f"f:\n{guard}  x is None\n" for guard in (state, ""))
    assert labels(with_it, without, "guards", "txt") == [
        "guard gone: ___check_global_state()"
    ]
    assert labels(without, with_it, "guards", "txt") == [
        "new guard: ___check_global_state()"
    ]


WELFORD = "welfordreduction {} | buf{}: f32[32] cuda:0 | aten.add.Tensor, aten.var_mean.correction | {}"


def test_means_and_variances_that_are_put_together_from_parts_are_reduced_in_two_steps() -> (
    None
):
    whole = schedule(
        *(WELFORD.format("welford_reduce", number, "arg0_1[c0]") for number in range(2))
    )
    parts = schedule(
        *(
            WELFORD.format("welford_reduce", number, "arg0_1[c0]")
            for number in range(3)
        ),
        *(
            WELFORD.format("welford_combine", number, "buf0[c0], buf1[c0], buf2[c0]")
            for number in (3, 4)
        ),
    )
    said = [
        labels(*texts, "scheduler_nodes", "txt")
        for texts in ((whole, parts), (parts, whole))
    ]
    assert said == [
        ["aten.var_mean.correction is reduced in two steps instead of one"],
        ["aten.var_mean.correction is reduced in one step instead of two"],
    ]


def test_what_is_fused_into_a_reduction_is_not_what_is_reduced() -> None:
    half, total = (
        each.replace("aten.sum", "aten.abs.default, aten.sum") for each in (HALF, SUM)
    )
    one, two = schedule(total.format("arg0_1")), schedule(half, total.format("buf0"))
    assert labels(one, two, "scheduler_nodes", "txt") == [
        "aten.sum is reduced in two steps instead of one"
    ]


def test_long_conditions_are_told_by_their_sizes() -> None:
    condition = "Eq(size1*size0, (size1//2)*((size1*size0)//(size1//2)))"
    assert sentence(EntriesChanged(False, "condition on sizes:", condition)) == (
        "condition on size0, size1 gone: size1 * size0 == size1 // 2 * (size1 * size0 // (size1 // 2))"
    )
    assert sentence(
        EntriesChanged(False, "condition on sizes:", "Ne((size0//((size0//2))), 0)")
    ) == ("condition on sizes gone: size0 // (size0 // 2) != 0")
    assert (
        sentence(EntriesChanged(True, "condition on sizes:", "size0 < 4000"))
        == "new condition on sizes: size0 < 4000"
    )


def test_what_takes_out_the_only_result_of_a_call_is_known_in_each_graph() -> None:
    """Each graph numbers its buffers from 0."""
    plain = schedule(MUL.format("c64[8] cpu"), ADD.format("buf0"))
    old, new = (
        text + "\n" + text.replace("graph_0:", "graph_1:") for text in (UNPACKED, plain)
    )
    new = new.replace("reads buf0[c0]", "reads buf0[c0], arg1_1[c0]")
    assert labels(old, new, "scheduler_nodes", "txt") == [
        "pointwise operation reads 1 more value",
        sentence(not_unpacked()),
    ]


def test_operations_that_are_more_in_two_places_are_counted_together() -> None:
    sine = "pointwise | buf{0}: f32[8] cpu | aten.sin.default | arg{0}_1[c0]"
    cosine = "pointwise | buf2: f32[8] cpu | aten.cos.default | arg2_1[c0]"
    old = schedule(cosine.replace("buf2", "buf0"))
    new = schedule(sine.format(0), sine.format(1), cosine)
    (said,) = labels(old, new, "scheduler_nodes", "txt")
    assert said.startswith("2 more operations")


def test_a_reduction_of_what_another_has_reduced_is_no_second_step_if_both_sides_have_it() -> (
    None
):
    """It reads the sum itself, or what has been stored that was computed from it."""
    total = "reduction sum | buf0: f32[8] cpu | aten.sum.dim_IntList | arg0_1[c0]"
    add = "pointwise | buf{}: f32[8, 8] cpu | aten.add.Tensor | arg1_1[c0], buf0[c1]"
    again = "reduction sum | buf{}: f32[8] cpu | {}aten.sum.dim_IntList | {}"
    half = "pointwise | buf3: f32[8, 8] cpu | aten.mul.Tensor | arg2_1[c0]"
    inlined = again.format(1, "aten.add.Tensor, ", "arg1_1[c0], buf0[c1]")
    old = schedule(total, inlined, add.format(2), half)
    new = schedule(total, add.format(1), again.format(2, "", "buf1[c0]"))
    assert not any(
        "step" in said for said in labels(old, new, "scheduler_nodes", "txt")
    )


def test_what_is_made_for_a_call_on_both_sides_is_no_copy_on_one() -> None:
    """Although one of them computes nothing that has not been computed already."""
    made = "pointwise | buf{}: i64[8] cpu | {} | {}"
    call = "extern FallbackKernel torch.ops.aten.cumsum.default | buf2: i64[8] cpu | aten.cumsum.default | buf1"
    sine = "pointwise | buf3: f32[8] cpu | aten.sin.default | arg1_1[c0]"
    old = schedule(
        made.format(0, "aten.eq.Scalar", "arg0_1[c0]"),
        made.format(1, "aten.bitwise_not.default, aten.cumsum.default", "buf0[c0]"),
        call,
        sine,
    )
    new = schedule(
        made.format(0, "aten.bitwise_not.default, aten.eq.Scalar", "arg0_1[c0]"),
        made.format(1, "aten.cumsum.default", "buf0[c0]"),
        call,
        sine.replace("arg1_1[c0]", "arg1_1[c0], arg2_1[c0]"),
    )
    assert not any("cop" in said for said in labels(old, new, "scheduler_nodes", "txt"))


def test_operations_are_fewer_if_all_of_a_schedule_has_fewer() -> None:
    """Of parts of two schedules, one may have the counterpart of what is gone from the other."""
    sine, cosine = (
        schedule(f"pointwise | buf0: f32[8] cpu | aten.{name}.default | arg0_1[c0]")
        for name in ("sin", "cos")
    )
    read = get_stage("scheduler_nodes").format.document
    operations = [
        [operation for section in read(text) for operation in section.operations]
        for text in (sine, cosine)
    ]
    fewer = OperationsChanged(1, False, (("pointwise", 1),), (), ("aten.sin",))
    assert not holds_of_all(fewer, *operations)
    assert holds_of_all(fewer, operations[0], [])


READS = "pointwise | buf{}: f32[2, 5063] cpu | aten.sin.default | {}"


def test_an_index_within_the_rounds_of_its_loop_is_the_same() -> None:
    nested = "arg0_1[ModularIndexing(ModularIndexing(40*c0 + c1, 1, 160), 1, 40)]"
    old, new = (schedule(READS.format(0, read)) for read in (nested, "arg0_1[c1]"))
    assert labels(old, new, "scheduler_nodes", "txt") == [
        "the same index, written differently: ((40*c0 + c1) % 160) % 40 -> c1"
    ]


def test_two_values_that_are_listed_in_another_order_have_no_other_index() -> None:
    one, other = "c0", "c1 + 48*tmp1"
    old, new = (
        schedule(READS.format(0, f"arg0_1[{first}], arg1_1[{second}]"))
        for first, second in ((one, other), (other, one))
    )
    assert not any(
        "index" in said for said in labels(old, new, "scheduler_nodes", "txt")
    )


def test_rows_that_are_padded_are_told_once_whatever_reads_them() -> None:
    old, new = (
        schedule(
            READS.format(0, "arg0_1[c0]"),
            READS.format(1, f"buf0[{index}]"),
            READS.format(2, f"buf0[{index} + tmp0]"),
        )
        for index in ("5088*c0 + c1", "c0")
    )
    assert labels(old, new, "scheduler_nodes", "txt") == [
        "rows of a buffer are no longer padded: stride 5088 -> 5063"
    ]
