"""What a case changes besides its first divergence is told where it cannot follow from that."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

import pytest

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.changes.kernels import ValueChanged
from pytest_compile_golden.changes.schedules import (
    GroupsChanged,
    OperationsChanged,
    OperationsMoved,
    ReadsChanged,
)
from pytest_compile_golden.changes.trail import (
    ContentsChanged,
    Decomposition,
    DecompositionsChanged,
    ResultsStored,
)
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.graphs import GRAPH
from pytest_compile_golden.formats.graphs.equivalence import pairs
from pytest_compile_golden.formats.schedules.provenance import Nodes
from pytest_compile_golden.goldens.case_changes import _without_repeated, case_changes
from pytest_compile_golden.goldens.compare_artifact import Compared, change_edits
from pytest_compile_golden.goldens.consequences import graph_differences, subjects
from pytest_compile_golden.goldens.distinct_change import distinct
from pytest_compile_golden.goldens.first_divergence import Cause, cause
from pytest_compile_golden.goldens.same_nodes import in_memory
from pytest_compile_golden.messages.sentences import sentence
from pytest_compile_golden.report.case_report import case_report
from tests.trails import trail
from tests.written_cases import (
    FORWARD,
    GRAPHS,
    OPERATION,
    artifacts,
    differing,
)


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
        "graph calls aten.mT in place of getattr",
        "different strides of the result of torch.nn.functional.group_norm: contiguous -> [1, 4]",
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


@pytest.mark.parametrize(
    ("nested", "told"),
    [
        ("ModularIndexing(ModularIndexing(c0, 1, 128), 1, 2)", True),
        # Which is no remainder of the index itself.
        ("ModularIndexing(ModularIndexing(c0, 1, 127), 1, 2)", False),
    ],
)
def test_a_remainder_of_a_remainder_is_told_beside_an_operator(
    nested: str, told: bool
) -> None:
    sides = [
        {
            "post_grad_graph": GRAPHS.format(compares=compares),
            "scheduler_nodes": FORWARD.format(
                stored="", computes="aten.log.default", reads="x"
            ).replace("x[c0]", f"x[{index}]"),
        }
        for compares, index in (("ge", nested), ("ne", "ModularIndexing(c0, 1, 2)"))
    ]
    for first, second, words in (
        (0, 1, f"{nested} -> ModularIndexing(c0, 1, 2)"),
        (1, 0, f"ModularIndexing(c0, 1, 2) -> {nested}"),
    ):
        case = case_report("a[t]", "t", differing(sides[first], sides[second]))
        said = f"the same index, written differently: {words}"
        assert (said in [change.text for change in case.changes]) == told


def test_a_dimension_is_the_same_from_whichever_end_it_is_counted() -> None:
    """So what is scheduled of such nodes is of the same ones, although another node of their graph differs."""
    graph = (
        "def graph_0(x: f32[8, 4]):\n"
        "    sum_1: f32[8] = aten.sum.dim_IntList(x, [{}])\n"
        "    cos: f32[8] = aten.cos.default(sum_1)\n"
        "    sin: f32[8, 4] = aten.{}.default(x)\n"
        "    return (cos, sin)\n"
    )
    ((old,), (new,), (other,)) = (
        GRAPH.document(graph.format(*parts))
        for parts in ((-1, "sin"), (1, "tan"), (0, "tan"))
    )
    assert "sum_1" not in pairs(old, new).differ[0]
    assert "sum_1" in pairs(old, other).differ[0]


@pytest.mark.parametrize(
    ("backward", "told"),
    [
        ("aten.sin.default", ["lowered-differently", "regrouped"]),
        ("aten.sin.default x2", ["lowered-differently"]),
    ],
)
def test_what_another_graph_is_lowered_to_changes_nothing_in_one_with_the_same_operations(
    backward: str, told: list[str]
) -> None:
    """Although both graphs compute a sine."""
    first, second = "  group 0: pointwise\n", "  group 1: pointwise\n"
    sides = []
    for new in (False, True):
        operations = [
            OPERATION.format(number=number, computes=f"aten.{name}", reads="x")
            for number, name in enumerate(("sin.default", "cos.default", "exp.default"))
        ]
        if new:
            operations[0] = operations[0].replace("aten.sin.default", backward)
        split = 1 if new else 2
        grouped_so = [first, *operations[:split], second, *operations[split:]]
        stored = OPERATION.format(number=0, computes="aten.sin.default", reads="x")
        copied = stored.replace("reads x[c0]", "reads x[c0], y[c0]")
        schedule = "".join(
            [
                "graph_0_forward:\n",
                first,
                copied if new else stored,
                "\ngraph_0_backward:\n",
                *grouped_so,
            ]
        )
        became = "FallbackKernel" if new else "Pointwise"
        sides.append(
            {
                "scheduler_nodes": schedule,
                "trail": trail(
                    f"post_grad_graph  3 nodes  aaaa\nlowerings:\n  aten.sin.default -> {became} [2]\n"
                    f"lowered_ir       3 nodes  {'cc' if new else 'bb'}cc\n"
                ),
            }
        )
    codes = [
        change.code for change in case_report("a[t]", "t", differing(*sides)).changes
    ]
    assert codes == told


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("assert_size_stride", "assert_size_stride, assert_tensor_metadata", True),
        # The same check, of several things at once.
        ("assert_size_stride x2", "assert_size_stride_grouped", False),
        # What is allocated besides may be checked in another way.
        (
            "assert_size_stride",
            "assert_size_stride, assert_alignment, allocation",
            False,
        ),
    ],
)
def test_what_a_wrapper_checks_follows_from_no_kernel(
    before: str, after: str, told: bool
) -> None:
    sides = [
        artifacts(new, 100_000)
        | {
            "trail": trail(
                f"wrapper_code     9 lines  {new:d}aaa\n  # launch, {checks}\n"
            )
        }
        for new, checks in ((False, before), (True, after))
    ]
    case = case_report("a[t]", "t", differing(*sides))
    codes = [change.code for change in case.changes]
    assert ("wrapper-checks" in codes) == told
    assert ("checks-joined" in codes) == ("grouped" in after)
    # It counts if other cases have it alone.
    assert ("wrapper-checks" in [change.code for change in case.secondary]) == (
        "alignment" in after
    )


@pytest.mark.parametrize(("given", "told"), [("input x2", True), ("input x3", False)])
def test_which_inputs_a_wrapper_copies_follows_from_no_kernel(
    given: str, told: bool
) -> None:
    """If it is given as many."""
    steps = (
        "backward_graph   5 nodes  {0}\n  # {1}, output\n"
        "wrapper_code     9 lines  {0}c\n  # launch, copy_if_misaligned x{2}\n"
    )
    sides = [
        artifacts(new, 100_000) | {"trail": trail(steps.format(digest, inputs, copies))}
        for new, digest, inputs, copies in (
            (False, "aaaa", "input x2", 2),
            (True, "bbbb", given, 3),
        )
    ]
    case = case_report("a[t]", "t", differing(*sides))
    assert ("inputs-checked" in [change.code for change in case.changes]) == told
    assert ("inputs-checked" in [change.code for change in case.secondary]) != told


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (
            OperationsMoved(
                ("aten.mul",), "aten.var_mean.correction", touches=("aten.neg.default",)
            ),
            "mul neg var_mean",
        ),
        (
            ValueChanged(
                "random-numbers",
                "triton_helpers.rand4x(a)",
                "tl.rand(a)",
                where="torch/_inductor/x.py:f",
            ),
            "a rand rand4x",
        ),
        (
            DecompositionsChanged(
                Decomposition("gelu.default", (), (("erf.default", 2),))
            ),
            "erf gelu",
        ),
        (ContentsChanged("lowered_ir", counted=(("ops.pow", 0, 2),)), "lowered_ir pow"),
    ],
)
def test_a_change_is_about_what_its_fields_name(change: Change, names: str) -> None:
    # Neither its type, nor where torch makes it, nor what it says of nothing.
    assert subjects(change) == frozenset(names.split())


@pytest.mark.parametrize(("now", "told"), [("TensorBox", True), ("MultiOutput", False)])
def test_a_result_that_needs_no_unpacking_is_told_beside_other_operators(
    now: str, told: bool
) -> None:
    steps = (
        "post_grad_graph  3 nodes  {0}aaa\n  # aten.{1}, output\n"
        "lowerings:\n  aten.index_reduce.default -> {2}\nlowered_ir       3 nodes  {0}aaa\n"
    )
    sides = [
        {
            "post_grad_graph": GRAPHS.format(compares=operator),
            "trail": trail(steps.format(new, operator, became)),
        }
        for new, operator, became in ((0, "ge", "MultiOutput"), (1, "ne", now))
    ]
    codes = [
        change.code for change in case_report("a[t]", "t", differing(*sides)).changes
    ]
    assert codes == ["operators-changed", *["not-unpacked"] * told]


@pytest.mark.parametrize(
    ("calls", "told_so"),
    [
        (("getattr(x, 'mT')", "aten.mT(x)"), True),
        (("x.__eq__(x)", "operator.eq(x, x)"), True),
        (("torch.flip(x, [0])", "torch.flip(x, [1])"), False),
        (("torch.t(x)", "torch.flip(x, [1])"), False),
    ],
)
def test_a_size_that_is_no_constant_is_told_beside_what_is_captured_alike(
    calls: tuple[str, str], told_so: bool
) -> None:
    graph = (
        "def graph_0(x: f32[s0, s1]):\n    view: f32[s1, s0] = {}\n    return (view,)\n"
    )
    sizes = "graph_0:\n  symbol s0  # x.size()[0]\n  symbol s1  # x.size()[1]\n  guard s0 <= 9\n{}"
    constant = "  specialised s1 = 77; range_refined_to_singleton  # by torch/_inductor/kernel/conv.py: f\n"
    sides = [
        {"dynamo_graph": graph.format(call), "specialisations": sizes.format(made)}
        for call, made in zip(calls, (constant, ""), strict=True)
    ]
    compared = differing(*sides)
    own = case_changes(compared, cause(compared)).own
    gone = "symbol that was made a constant gone: size1 = 77"
    assert (gone in [sentence(change.what) for change in own]) == told_so


def _lowerings(**became: str) -> str:
    """The lowerings of a trail: `mm="ExternKernelOut [3], Pointwise"`."""
    lines = [
        f"  aten.{name}.default -> {kind}\n"
        for name, kinds in became.items()
        for kind in kinds.split(", ")
    ]
    return f"lowerings:\n{''.join(lines)}"


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (
            "ExternKernelOut [3], Pointwise",
            "aten.mm is computed by a kernel instead of called in a library (1 of 4)",
        ),
        (
            "ComputedBuffer [4]",
            "aten.mm is computed by a kernel instead of called in a library",
        ),
        ("ExternKernelOut [3]", ""),
        ("ExternKernelAlloc [4]", ""),
    ],
)
def test_a_product_that_no_library_computes_is_told_beside_other_operators(
    now: str, said: str
) -> None:
    sides = [
        {
            "post_grad_graph": GRAPHS.format(compares=operator),
            "trail": trail(
                f"post_grad_graph  3 nodes  {new}aaa\n  # aten.{operator}, output\n"
                f"{_lowerings(mm=product, view=view)}lowered_ir       3 nodes  {new}aaa\n"
            ),
        }
        for new, operator, product, view in (
            (0, "ge", "ExternKernelOut [4]", "ReinterpretView [2]"),
            (1, "ne", now, "ReinterpretView, View"),
        )
    ]
    found = case_report("a[t]", "t", differing(*sides)).changes
    # The view of its result is another one for that.
    assert [change.text for change in found[1:]] == [said] * bool(said)


def test_what_computes_is_named_before_views_of_it() -> None:
    sides = [
        {
            "trail": trail(
                f"{_lowerings(reshape=view, mm=product)}lowered_ir       3 nodes  {new}aaa\n"
            )
        }
        for new, view, product in (
            (0, "ReinterpretView [2]", "ExternKernelOut [2]"),
            (1, "ReinterpretView, View", "ExternKernelOut, Pointwise"),
        )
    ]
    (change,) = case_report("a[t]", "t", differing(*sides)).changes
    assert change.text.startswith(
        "aten.mm is computed by a kernel instead of called in a library (1 of 2)"
    )


MADE_FOR_A_CALL = """\
graph_0_backward:
  group 0: pointwise
    op0: pointwise
      buf0: f32[4, 16, 32, 32] cpu
      computes aten.convolution_backward.default, aten.mul.Tensor
      reads primals_1[c0], tangents_1[c0]
      writes buf0[c0]
{copied}  group 4: extern
    op4: extern FallbackKernel torch.ops.aten.convolution_backward.default
      buf4: MultiOutputLayout
      computes aten.convolution_backward.default, aten.mul.Tensor
      reads {reads}, primals_2
      writes buf4
"""
COPY_OF = """\
  group {number}: pointwise
    op{number}: pointwise
      buf{number}: f32[4, 16, 32, 32] cpu
      computes aten.convolution_backward.default, aten.mul.Tensor
      reads {of}[512*c0 + c1 + 16*c2]
      writes buf{number}[c0]
"""


def test_what_is_copied_for_a_call_is_no_result_that_is_stored() -> None:
    # An input of the graph, and a result that is copied twice; torch says of each what it says of the whole call.
    several = [("1", "primals_1"), ("2", "buf0"), ("3", "buf2")]
    copied = "".join(COPY_OF.format(number=number, of=of) for number, of in several)
    old = MADE_FOR_A_CALL.format(copied=copied, reads="buf1, buf3")
    new = MADE_FOR_A_CALL.format(copied="", reads="buf0, primals_1")
    path = PurePosixPath("scheduler_nodes.txt")
    (edit,) = change_edits(
        Compared("scheduler_nodes", "structural", old, new, None, path)
    )
    assert edit.code == "inputs-copied-for"
    assert (
        sentence(edit)
        == "inputs of aten.convolution_backward are no longer copied for it, 3 copies"
    )


def test_what_uses_a_stored_result_several_times_copies_nothing_for_a_call() -> None:
    copy = COPY_OF.format(number="1", of="buf0")
    smaller = MADE_FOR_A_CALL.replace("buf0: f32[4, 16, 32, 32]", "buf0: f32[16, 32]")
    path = PurePosixPath("scheduler_nodes.txt")
    for text, copies in ((MADE_FOR_A_CALL, True), (smaller, False)):
        old, new = (
            text.format(copied=copied, reads=f"{read}, primals_1")
            for copied, read in ((copy, "buf1"), ("", "buf0"))
        )
        edits = change_edits(
            Compared("scheduler_nodes", "structural", old, new, None, path)
        )
        assert ("inputs-copied-for" in {edit.code for edit in edits}) == copies


def test_a_view_by_strides_is_why_nothing_is_copied_for_a_call() -> None:
    several = [("1", "primals_1"), ("2", "buf0"), ("3", "buf2")]
    copies = "".join(COPY_OF.format(number=number, of=of) for number, of in several)
    sides = [
        {
            "trail": trail(
                "post_grad_graph  3 nodes  aaa\n"
                f"{_lowerings(reshape=view)}lowered_ir       3 nodes  {view}\n"
            ),
            "scheduler_nodes": MADE_FOR_A_CALL.format(copied=copied, reads=reads),
        }
        for view, copied, reads in (
            ("View", copies, "buf1, buf3"),
            ("ReinterpretView", "", "buf0, primals_1"),
        )
    ]
    (change,) = case_report("a[t]", "t", differing(*sides)).changes
    assert (
        change.text
        == "inputs of aten.convolution_backward are no longer copied for it, 3 copies"
    )
    # Without these, it is told how that is lowered.
    for side in sides:
        side["scheduler_nodes"] = sides[1]["scheduler_nodes"]
    (change,) = case_report("a[t]", "t", differing(*sides)).changes
    assert (
        change.text
        == "aten.reshape is lowered to a view by other strides instead of a view by another index"
    )


def test_what_other_kernels_compute_follows_from_what_is_copied_for_a_call() -> None:
    several = [("1", "primals_1"), ("2", "buf0"), ("3", "buf2")]
    copies = "".join(COPY_OF.format(number=number, of=of) for number, of in several)
    kernel = (
        "# graph_0: triton_poi_fused_0\n@triton.jit\ndef triton_poi_fused_0(in_ptr0, out_ptr0):\n"
        "    tmp0 = tl.load(in_ptr0 + (x0), None)\n    tmp1 = {}\n    tl.store(out_ptr0 + (x0), tmp1, None)\n"
    )
    sides = [
        {
            "trail": trail(
                f"post_grad_graph  3 nodes  aaa\nlowered_ir       3 nodes  {digest}\n"
            ),
            "scheduler_nodes": MADE_FOR_A_CALL.format(copied=copied, reads=reads),
            "triton_code": kernel.format(value),
        }
        for digest, copied, reads, value in (
            ("aaa", copies, "buf1, buf3", "tmp0 * 3.0"),
            ("bbb", "", "buf0, primals_1", "tl_math.exp(tmp0)"),
        )
    ]
    compared = differing(*sides)
    kernels = next(change for change in compared if change.stage == "triton_code")
    (edit,) = change_edits(kernels)
    assert edit.code == "value-changed"
    own = case_changes(compared, Cause("triton_code", edit, None, kernels)).own
    assert [change.code for change in own] == ["inputs-copied-for"]


def test_what_a_library_copies_is_copied() -> None:
    copied = COPY_OF.format(number="1", of="primals_1")
    by_call = copied.replace("      reads primals_1[512*c0 + c1 + 16*c2]\n", "") + (
        "  group 2: extern\n    op2: extern InplaceCopyFallback aten.copy_\n      buf2: NoneLayout\n"
        "      computes aten.convolution_backward.default\n      reads buf1, primals_1\n      writes buf2\n"
    )
    old, new = (
        MADE_FOR_A_CALL.format(copied=copy, reads=f"buf0, {read}")
        for copy, read in ((copied, "buf1"), (by_call, "buf2"))
    )
    path = PurePosixPath("scheduler_nodes.txt")
    edits = change_edits(
        Compared("scheduler_nodes", "structural", old, new, None, path)
    )
    assert "inputs-copied-for" not in {edit.code for edit in edits}


@pytest.mark.parametrize(
    ("kind", "told"), [("pointwise", False), ("extern FallbackKernel aten.sort", True)]
)
def test_an_operation_more_may_be_a_result_that_is_stored(
    kind: str, told: bool
) -> None:
    more = OperationsChanged(1, True, (), ((kind, 1),), ("aten.add",))
    reads = ReadsChanged("reads-changed", (("aten.add", 1),), (), "reduction", 1, False)
    stored = ResultsStored(("aten.mul",), 1, True)
    own = [
        distinct("lowered_ir", stored),
        *(distinct("scheduler_nodes", change) for change in (more, reads)),
    ]
    codes = [change.code for change in _without_repeated(own)]
    assert codes == ["results-stored", *(["operations-changed"] * told)]


MAXIMUM = """\
graph_0:
{exp}  group 2: reduction
    op{0}: reduction {1}
      buf{0}: f32[64] cuda:0
      computes aten.max.dim
      reads x[c0]
      writes buf{0}[c0]
  group 3: pointwise
    op{2}: pointwise
      buf{2}: f32[64, 64] cuda:0
      computes {3}aten.sin.default
      reads {4}[c0]
      writes buf{2}[c0]
"""
STORED = """\
  group 1: pointwise
    op0: pointwise
      buf0: f32[64, 64] cuda:0
      computes aten.exp.default
      reads y[c0]
      writes buf0[c0]
"""


def test_a_maximum_with_its_index_is_told_beside_a_result_that_is_inlined() -> None:
    old = MAXIMUM.format(1, "max", 2, "", "buf0", exp=STORED)
    new = MAXIMUM.format(0, "argmax_value", 1, "aten.exp.default, ", "y", exp="")
    path = PurePosixPath("scheduler_nodes.txt")
    edits = change_edits(
        Compared("scheduler_nodes", "structural", old, new, None, path)
    )
    assert [edit.code for edit in edits] == ["value-with-index", "results-stored"]


STEPS = """\
graph_0:
  group 0: reduction
{0}    op{1}: reduction sum
      buf{1}: f32[8] cuda:0
      computes aten.sum.dim_IntList
      reads {2}[c0]
      writes buf{1}[c0]
{3}    op{4}: pointwise
      buf{4}: f32[8] cuda:0
      computes aten.exp.default
      reads y[c0]
      writes buf{4}[c0]
"""
FIRST_STEP = """\
    op0: reduction sum
      buf0: f32[8, 4] cuda:0
      computes aten.sum.dim_IntList
      reads x[c0]
      writes buf0[c0]
  group 1: reduction
"""


def test_in_how_many_steps_is_reduced_follows_from_no_fusion() -> None:
    old = STEPS.format("", 0, "x", "", 1)
    new = STEPS.format(FIRST_STEP, 1, "buf0", "  group 2: pointwise\n", 2)
    path = PurePosixPath("scheduler_nodes.txt")
    edits = change_edits(
        Compared("scheduler_nodes", "structural", old, new, None, path)
    )
    assert {edit.code: edit.follows for edit in edits} == {
        "fusion-lost": False,
        "reduction-steps": False,
    }


COPIED_TWICE = """\
graph_0:
{}  group 3: extern
    op4: extern ExternKernelOut extern_kernels.bmm
      buf4: f32[8, 16] cuda:0
      computes aten.bmm.default
      reads buf2, primals_2
      writes buf4
"""
STEP_OF_A_COPY = """\
    op{0}: pointwise
      buf{0}: f32[8, 16] cuda:0
      computes {1}
      reads {2}
      writes buf{0}[c0 + 8*c1]
"""


def test_a_copy_that_is_made_in_the_kernel_of_what_it_copies_is_told_as_that() -> None:
    """The kernel that is no longer needed for it is the one that was merged."""
    steps = [
        STEP_OF_A_COPY.format(1, "aten.sin.default", "primals_1[c0]"),
        STEP_OF_A_COPY.format(2, "aten.permute.default", "buf1[c0]"),
        STEP_OF_A_COPY.format(
            3, "aten.permute.default, aten.expand.default", "buf2[c1]"
        ),
    ]
    old = "".join(f"  group {at}: pointwise\n{step}" for at, step in enumerate(steps))
    made = STEP_OF_A_COPY.format(
        2, "aten.permute.default, aten.sin.default", "primals_1[c0]"
    )
    new = f"  group 0: pointwise\n{made}{steps[2]}"
    path = PurePosixPath("scheduler_nodes.txt")
    before, after = (COPIED_TWICE.format(groups) for groups in (old, new))
    edits = change_edits(
        Compared("scheduler_nodes", "structural", before, after, None, path)
    )
    assert [edit.code for edit in edits if not edit.follows] == ["fused"]
    assert [edit.code for edit in edits if edit.follows] == ["inputs-copied-for"]


def test_the_order_of_operations_is_told_beside_results_that_need_no_unpacking() -> (
    None
):
    group = "  group {0}: extern\n    op{0}: extern {1}\n      buf{0}: {2}\n      reads {3}\n      writes buf{0}\n"
    unpack = "  group {0}: unpack\n    op{0}: unpack\n      buf{0}: f32[8] cpu\n"
    unpack += "      reads {1}\n      writes buf{0}[c0]\n"
    call, other = (
        "FallbackKernel torch.ops.aten.cumsum.default",
        "ExternKernelOut extern_kernels.mm",
    )
    old = "graph_0:\n" + group.format(0, other, "f32[8] cpu", "x")
    old += group.format(1, call, "MultiOutputLayout", "y") + unpack.format(2, "buf1")
    new = (
        "graph_0:\n"
        + group.format(0, call, "f32[8] cpu", "y")
        + group.format(1, other, "f32[8] cpu", "x")
    )
    path = PurePosixPath("scheduler_nodes.txt")
    edits = change_edits(
        Compared("scheduler_nodes", "structural", old, new, None, path)
    )
    assert [edit.code for edit in edits] == ["operations-moved", "not-unpacked"]


def test_an_order_is_told_although_nothing_shows_which_operations_are_which() -> None:
    """What is written into is read by another name, and operations of other kinds stand in each other's place."""
    pointwise = (
        "  group {0}: pointwise\n    op{0}: pointwise\n      buf{0}: f32[8] cpu\n"
    )
    pointwise += "      computes aten.{1}.default\n      reads {2}[c0]\n      writes buf{0}[c0]\n"
    call = "  group {0}: extern\n    op{0}: extern FallbackKernel aten.inverse\n      buf{0}: {1}\n      reads {2}\n"
    call += "      writes buf{0}\n"
    unpack = "  group 2: unpack\n    op2: unpack\n      buf2: f32[8] cpu\n      reads buf1\n      writes buf2[c0]\n"
    old = (
        "graph_0:\n"
        + pointwise.format(0, "sin", "x")
        + call.format(1, "MultiOutputLayout", "y")
        + unpack
    )
    old += pointwise.format(3, "add", "buf0")
    new = (
        "graph_0:\n"
        + call.format(0, "f32[8] cpu", "y")
        + pointwise.format(1, "sin", "x")
    )
    new += pointwise.format(2, "add", "buf5")
    path = PurePosixPath("scheduler_nodes.txt")
    edits = change_edits(
        Compared("scheduler_nodes", "structural", old, new, None, path)
    )
    assert [edit.code for edit in edits] == ["operations-moved", "not-unpacked"]


@pytest.mark.parametrize(
    ("traced", "told"),
    [
        ("torch.aten.mT(x)", ["operators-changed", "decomposed-differently"]),
        ("aten.neg(s0)", ["operators-changed"]),
    ],
)
def test_a_decomposition_follows_from_no_other_operator(
    traced: str, told: list[str]
) -> None:
    """Unless it is what the other one is about."""
    graph = "def graph_0(x: f32[8, 8]):\n    y: f32[8, 8][1, 8] = {}\n    return (y,)\n"
    decomposed = (
        "decompositions:\n  aten.gelu.default -> aten.neg.default, aten.{}.default\n"
    )
    compared = [
        Compared(stage, "structural", *texts, None, PurePosixPath(f"{stage}.txt"))
        for stage, texts in (
            ("dynamo_graph", (graph.format("getattr(x, 'T')"), graph.format(traced))),
            (
                "trail",
                (
                    trail(
                        f"dynamo_graph     3 nodes  aaaa\n{decomposed.format('mul')}"
                    ),
                    trail(
                        f"dynamo_graph     3 nodes  bbbb\n{decomposed.format('exp')}"
                    ),
                ),
            ),
        )
    ]
    assert [
        change.code for change in case_changes(compared, cause(compared)).own
    ] == told


@pytest.mark.parametrize(
    ("called", "told"),
    [
        ("getattr(x, 'T')", ["operators-changed", "contents-changed"]),
        ("torch.relu(x)", ["operators-changed"]),
    ],
)
def test_what_is_traced_follows_from_no_attribute_that_is_read(
    called: str, told: list[str]
) -> None:
    """Unlike from another function: another comparison."""
    graph = "def graph_0(x: f32[8, 8]):\n    y: f32[8, 8][1, 8] = {}\n    return (y,)\n"
    steps = [
        f"dynamo_graph     3 nodes  {digest}\naot_graph        3 nodes  {digest}\n  # aten.{name}, output\n"
        for digest, name in (("aaaa", "ge"), ("bbbb", "ne"))
    ]
    compared = [
        Compared(stage, "structural", *texts, None, PurePosixPath(f"{stage}.txt"))
        for stage, texts in (
            ("dynamo_graph", (graph.format(called), graph.format("aten.mT(x)"))),
            ("trail", (trail(steps[0]), trail(steps[1]))),
        )
    ]
    found = case_changes(compared, cause(compared))
    assert [change.code for change in found.own] == told


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("mul", "exp", ["type-changed", "decomposed-differently"]),
        ("mul, aten.clone", "mul", ["type-changed"]),
    ],
)
def test_what_is_computed_follows_from_no_other_layout(
    old: str, new: str, told: list[str]
) -> None:
    """Unlike what is copied."""
    graph = "def graph_0(x: f32[8, 8]):\n    y: f32[8, 8]{} = torch.nn.functional.mish(x)\n    return (y,)\n"
    steps = [
        f"dynamo_graph     3 nodes  {digest}\ndecompositions:\n  aten.gelu.default -> aten.{operators}\n"
        for digest, operators in (("aaaa", old), ("bbbb", new))
    ]
    compared = [
        Compared(stage, "structural", *texts, None, PurePosixPath(f"{stage}.txt"))
        for stage, texts in (
            ("dynamo_graph", (graph.format(""), graph.format("[1, 8]"))),
            ("trail", (trail(steps[0]), trail(steps[1]))),
        )
    ]
    found = case_changes(compared, cause(compared))
    assert [change.code for change in found.own] == told


def test_as_many_kernels_may_be_fused_otherwise() -> None:
    """What is read at other places then follows; how a buffer is laid out does not."""
    operations = [
        OPERATION.format(number=number, computes=f"aten.{name}.default", reads="x")
        for number, name in enumerate(("sin", "cos", "exp"))
    ]
    first, second = "  group 0: pointwise\n", "  group 1: pointwise\n"
    old = "".join(
        ["graph_0:\n", first, operations[0], operations[1], second, operations[2]]
    )
    moved = operations[1].replace("x[c0]", "x[64*c0]")
    new = "".join(["graph_0:\n", first, operations[0], second, moved, operations[2]])
    path = PurePosixPath("scheduler_nodes.txt")
    edits = change_edits(
        Compared("scheduler_nodes", "structural", old, new, None, path)
    )
    assert [(edit.code, edit.follows) for edit in edits] == [
        ("regrouped", False),
        ("index-changed", True),
    ]
    assert (
        sentence(edits[0])
        == "fused differently, into as many kernels: (sin, cos) + exp -> sin + (cos, exp)"
    )
    padded = [
        text.replace("x[c0]", f"x[{stride}*c0 + c1]")
        for text, stride in ((old, 130), (new, 160))
    ]
    edits = change_edits(
        Compared("scheduler_nodes", "structural", padded[0], padded[1], None, path)
    )
    assert ("rows-padded", False) in {(edit.code, edit.follows) for edit in edits}


def test_a_copy_for_a_library_call_is_not_that_call() -> None:
    """torch says of a copy that it computes what is called; what is fused with another kernel is the copy alone."""
    copied = (
        "    op1: pointwise\n      buf1: f32[8, 8] cuda:0\n"
        "      computes aten.bmm.default, aten.permute.default\n"
        "      reads y[8*c0 + c1]\n      writes buf1[c0 + 8*c1]\n"
    )
    called = (
        "  group {}: extern\n    op2: extern ExternKernelOut extern_kernels.bmm\n"
        "      buf2: f32[8, 8] cuda:0\n      computes aten.bmm.default\n      reads buf1\n      writes buf2\n"
    )
    sine = OPERATION.format(number=0, computes="aten.sin.default", reads="x")
    first, second = "graph_0:\n  group 0: pointwise\n", "  group 1: pointwise\n"
    old = first + sine + second + copied + called.format(2)
    new = first + sine + copied + called.format(1)
    edits = change_edits(
        Compared(
            "scheduler_nodes", "structural", old, new, None, PurePosixPath("a.txt")
        )
    )
    assert (
        sentence(edits[0]) == "sin + a copy for bmm are fused into one kernel (2 -> 1)"
    )


def test_a_call_that_is_fused_with_nothing_is_no_kernel_that_is_fused() -> None:
    """Inductor says that it computes something else besides, and one of its results is taken out of it."""
    call = (
        "  group 2: extern\n    op2: extern FallbackKernel torch.ops.aten.topk.default\n"
        "      buf2: MultiOutputLayout\n      computes aten.topk.default, {}\n      reads buf1\n      writes buf2\n"
        "  group 3: unpack\n    op3: unpack\n      buf3: f32[8, 8] cuda:0\n      computes aten.topk.default, {}\n"
        "      reads buf2\n      writes buf3[c0]\n"
    )
    sine = OPERATION.format(number=0, computes="aten.sin.default", reads="x")
    cosine = OPERATION.format(number=1, computes="aten.cos.default", reads="buf0")
    first, second = "graph_0:\n  group 0: pointwise\n", "  group 1: pointwise\n"
    old = first + sine + second + cosine + call.format(*["aten.cos.default"] * 2)
    new = first + sine + cosine + call.format(*["aten.sin.default"] * 2)
    path = PurePosixPath("scheduler_nodes.txt")
    edits = change_edits(
        Compared("scheduler_nodes", "structural", old, new, None, path)
    )
    assert sentence(edits[0]) == "sin + cos are fused into one kernel (2 -> 1)"


def _schedule(*groups: Sequence[tuple[int, str, str]]) -> str:
    """Groups of operations: the number, what it computes and what it reads of each."""
    text = "graph_0:\n"
    for number, group in enumerate(groups):
        text += f"  group {number}: pointwise\n"
        for at, computes, reads in group:
            text += OPERATION.format(number=at, computes=computes, reads=reads)
    return text


def test_groups_that_have_no_operation_in_common_are_fused_for_themselves() -> None:
    sin, cos = (0, "aten.sin.default", "x"), (1, "aten.cos.default", "buf0")
    twice = [(2, "aten.sin.default", "y"), (3, "aten.exp.default", "buf2")]
    old = _schedule([sin], [cos], twice[:1], twice[1:], [(4, "aten.mul.Tensor", "z")])
    new = _schedule([sin, cos], twice, [(4, "aten.neg.default", "z")])
    path = PurePosixPath("a.txt")
    edits = change_edits(
        Compared("scheduler_nodes", "structural", old, new, None, path)
    )
    assert [sentence(edit) for edit in edits if isinstance(edit, GroupsChanged)] == [
        "sin + cos are fused into one kernel (2 -> 1)",
        "sin + exp are fused into one kernel (2 -> 1)",
    ]


def test_what_the_inputs_of_a_call_are_copied_for_follows_from_no_fusion() -> None:
    copied = COPY_OF.format(number=1, of="buf0")
    old = MADE_FOR_A_CALL.format(copied="", reads="buf0, primals_1")
    new = MADE_FOR_A_CALL.format(copied=copied, reads="buf1, primals_1")
    sine = OPERATION.format(number=7, computes="aten.sin.default", reads="x")
    cosine = OPERATION.format(number=8, computes="aten.cos.default", reads="buf7")
    old += f"  group 8: pointwise\n{sine}{cosine}"
    new += f"  group 8: pointwise\n{sine}  group 9: pointwise\n{cosine}"
    path = PurePosixPath("scheduler_nodes.txt")
    edits = change_edits(
        Compared("scheduler_nodes", "structural", old, new, None, path)
    )
    assert {edit.code: edit.follows for edit in edits} == {
        "fusion-lost": False,
        "inputs-copied-for": False,
    }


def test_what_is_stored_in_one_graph_and_inlined_in_another_is_told_as_one() -> None:
    """A trail counts over all graphs; in the one that costs less, something else is inlined."""
    old, new = artifacts(True, 116_384), artifacts(False, 100_000)
    for side, lowered in ((old, "Pointwise"), (new, "ComputedBuffer")):
        side["post_grad_graph"] = GRAPHS.format(compares="ge")
        side["scheduler_nodes"] = side["scheduler_nodes"].replace(
            "aten.ne.", "aten.ge."
        )
        side["cost"] = side["cost"].replace("[gt, where]", "[ge, where]")
        side["trail"] = trail(f"lowerings:\n  aten.log.default -> {lowered} [2]\n")
    case = case_report("a[t]", "t", differing(old, new))
    stored = [change.text for change in case.changes if change.code == "results-stored"]
    assert stored == [
        "results of aten.log are stored instead of inlined, of others inlined instead of stored"
    ]


def test_a_graph_differs_in_what_it_returns() -> None:
    texts = artifacts(False, 0)
    kept = texts | {
        "post_grad_graph": texts["post_grad_graph"].replace(
            "return (sin, exp)", "return (log, exp)"
        )
    }
    found = graph_differences(differing(texts, kept))
    assert found["graph_0_forward"].operators == {"sin", "log"}
    assert not found["graph_0_forward"].new
    assert not found["graph_0_backward"].operators


def test_one_of_several_results_is_that_of_no_other_operator() -> None:
    """A softmax that is computed by other operators now comes before the largest values, and both have two results."""
    whole = (
        "def graph_0(x: f32[64, 32]):\n"
        "{}"
        "    topk = aten.topk.default(div, 2)\n"
        "    {}: f32[64, 2] = {}\n"
        "    return ({},)\n"
    )
    old = whole.format(
        "    softmax = prims.prepare_softmax_online.default(x, -1)\n"
        "    getitem: f32[64, 1] = softmax[0]\n"
        "    div: f32[64, 32] = aten.div.Tensor(x, getitem)\n",
        "getitem_1",
        "topk[0]",
        "getitem_1",
    )
    new = whole.format(
        "    amax: f32[64, 1] = aten.amax.default(x, [-1], True)\n"
        "    div: f32[64, 32] = aten.div.Tensor(x, amax)\n",
        "getitem",
        "topk[0]",
        "getitem",
    )
    (before,), (after,) = GRAPH.read(old), GRAPH.read(new)
    found = pairs(before, after)
    assert found.values["getitem_1"] == "getitem"
    assert found.differ[0] == {"softmax", "getitem", "div"}


@pytest.mark.parametrize(
    ("old_groups", "new_groups", "told"),
    [
        # Operations of one group hand values on without memory.
        (
            [["mul sin", "mul cos"]],
            [["mul", "sin", "cos"]],
            "results of aten.mul are computed by operations of their own in a fused kernel instead of inlined",
        ),
        (
            [["mul", "sin", "cos"]],
            [["mul sin", "mul cos"]],
            "results of aten.mul are inlined instead of computed by operations of their own in a fused kernel",
        ),
        (
            [["mul sin"], ["mul cos"]],
            [["mul"], ["sin", "cos"]],
            "results of aten.mul are stored instead of inlined",
        ),
    ],
)
def test_what_is_stored_is_what_kernels_write_to_memory(
    old_groups: list[list[str]], new_groups: list[list[str]], told: str
) -> None:
    case = case_report("a[t]", "t", scheduled(old_groups, new_groups))
    assert [change.text for change in case.changes] == [told]


def test_a_buffer_that_is_in_no_memory_may_be_why_another_is_written_no_longer() -> (
    None
):
    compared = scheduled([["abs"], ["mul sin", "mul cos"]], [["abs mul", "sin", "cos"]])
    lowered = ResultsStored(("aten.mul.Tensor",), 1, True)
    assert in_memory(lowered, compared) == ResultsStored(
        ("aten.abs.default",), 1, False
    )
    # What is said to be the other way round is, too, only if a kernel writes it.
    compared = scheduled([["mul sin"], ["mul cos"]], [["mul"], ["sin", "cos"]])
    stored = ResultsStored(("aten.mul.Tensor",), 1, True)
    lowered = ResultsStored(("aten.mul.Tensor",), 1, True, ("aten.sin.default",))
    assert in_memory(lowered, compared) == stored
    # What reads a value may be in the kernel that makes it: that does not inline it.
    compared = scheduled(
        [["abs"], ["mul sin"], ["mul cos"]], [["abs", "mul"], ["sin", "cos"]]
    )
    assert in_memory(lowered, compared) == stored
    compared = scheduled([["mul sin"], ["mul cos"]], [["mul"], ["sin", "cos"]])
    # And neither what is only computed on the way.
    computed = ResultsStored(("aten.cos.default", "aten.mul.Tensor"), 1, True)
    assert in_memory(computed, compared) == stored


def test_a_fusion_is_one_however_its_groups_are_named() -> None:
    one, other = (
        GroupsChanged("fused", (group, "(add, mul, …)"), 2, 1)
        for group in ("(add, rsqrt, var)", "(var, add, rsqrt)")
    )
    assert one.key == other.key


def scheduled(*sides_of: list[list[str]]) -> list[Compared]:
    """Two schedules of one graph, each by its groups, and these by the nodes of their operations."""
    graph = (
        "def graph_0(x: f32[64, 64]):\n"
        "    abs: f32[64, 64] = aten.abs.default(x)\n"
        "    mul: f32[64, 64] = aten.mul.Tensor(abs, abs)\n"
        "    sin: f32[64, 64] = aten.sin.default(mul)\n"
        "    cos: f32[64, 64] = aten.cos.default(mul)\n"
        "    return (sin, cos)\n"
    )
    reads = {"abs": "x", "mul": "abs", "sin": "mul", "cos": "mul"}
    sides, known = [], []
    for groups in sides_of:
        text, facts, made = "graph_0:\n", list[Nodes](), {"x": "x", "abs": "x"}
        for number, group in enumerate(groups):
            text += f"  group {number}: pointwise\n"
            for operation in group:
                nodes = operation.split()
                computes = [
                    f"aten.{node}.{'Tensor' if node == 'mul' else 'default'}"
                    for node in nodes
                ]
                text += OPERATION.format(
                    number=len(facts),
                    computes=", ".join(computes),
                    reads=made[reads[nodes[0]]],
                )
                facts.append(Nodes(0, f"op{len(facts)}", tuple(nodes)))
                made[nodes[-1]] = f"buf{len(facts) - 1}"
        sides.append({"post_grad_graph": graph, "scheduler_nodes": text})
        known.append(evidence.write(text, facts))
    return differing(*sides, known={"scheduler_nodes": known})


def test_branches_that_are_listed_in_another_order_run_in_none() -> None:
    """Which of them runs is decided by a value; beside a change that is in neither."""
    parts = {
        "": ("abs", "exp"),
        "true_graph_0_": ("sin",),
        "false_graph_0_": ("cos",),
    }
    sides, known = [], []
    for order, power in ((["", *list(parts)[1:]], "tan"), ([*parts][::-1], "tanh")):
        graph = "def graph_0(x: f32[64, 64]):\n" + "".join(
            f"    {node}: f32[64, 64] = aten.{node}.default(x)\n"
            for node in (*sum(parts.values(), ()), power)
        )
        graph += f"    return (abs, exp, sin, cos, {power})\n"
        text, facts = "", list[Nodes]()
        for section, prefix in enumerate(order):
            text += "graph_0:\n" if not section else "\ngraph_0:\n"
            nodes = (*parts[prefix], *(() if prefix else (power,)))
            for number, node in enumerate(nodes):
                operation = OPERATION.format(
                    number=number, computes=f"aten.{node}.default", reads="x"
                )
                for name in ("op", "buf"):
                    operation = operation.replace(
                        f"{name}{number}", f"{prefix}{name}{number}"
                    )
                text += f"  group {number}: pointwise\n{operation}"
                facts.append(Nodes(section, f"{prefix}op{number}", (node,)))
        sides.append({"post_grad_graph": graph, "scheduler_nodes": text})
        known.append(evidence.write(text, facts))
    compared = differing(*sides, known={"scheduler_nodes": known})
    case = case_report("a[t]", "t", compared)
    assert [change.code for change in case.changes] == ["operators-changed"]


def test_what_is_decomposed_otherwise_does_not_follow_from_a_function_that_moved() -> (
    None
):
    """That is how something is called; what is computed otherwise comes first."""
    dynamo = (
        "def graph_0(x: f32[8]):\n    level = torch.{}._unwrap_for_grad(x)\n"
        "    silu: f32[8] = torch.nn.functional.silu(level)\n    return (silu,)\n"
    )
    steps = "dynamo_graph     3 nodes  {}\ndecompositions:\n  aten.silu_backward.default -> {}\n"
    graph = "def graph_0(x: f32[8]):\n    silu: f32[8] = aten.{}.default(x)\n    return (silu,)\n"
    sides = [
        {
            "dynamo_graph": dynamo.format(module),
            "trail": trail(steps.format(module[:2] * 2, into)),
            "post_grad_graph": graph.format(into.split(".")[1]),
        }
        for module, into in (
            ("_C._functorch.pybind11_detail_function_record_v1_abi_1", "aten.exp"),
            ("_functorch.predispatch", "aten.sigmoid"),
        )
    ]
    case = case_report("a[t]", "t", differing(*sides))
    assert [change.code for change in case.changes] == [
        "decomposed-differently",
        "operator-renamed",
    ]
