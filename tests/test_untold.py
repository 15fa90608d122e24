"""What no other change can be why of is told for itself, and a difference that nothing tells is counted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks import untold
from pytest_compile_golden.changes.graphs import OperatorsChanged, PassChanged
from pytest_compile_golden.changes.kernels import ValueChanged
from pytest_compile_golden.changes.trail import ContentsChanged
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.schedules.provenance import Kernel, Nodes
from pytest_compile_golden.goldens.case_changes import case_changes
from pytest_compile_golden.goldens.compare_artifact import Compared, change_edits
from pytest_compile_golden.goldens.first_divergence import cause
from pytest_compile_golden.messages.sentences import as_example, sentence
from pytest_compile_golden.report.case_groups import grouped
from pytest_compile_golden.report.case_report import case_report
from tests.trails import trail
from tests.written_cases import OPERATION, differing, shares_of

GRAPH = """\
def graph_0(x: f32[64, 64]):
    first: f32[64, 64] = aten.{}.default(x)
    sum_1: f32[64] = aten.sum.dim_IntList(x, [1])
    return (first, sum_1)
"""
KERNELS = """\
# graph_0: triton_poi_fused_0
@triton_heuristics.pointwise(
    size_hints={{'x': 4096}},
    triton_meta={{
        'signature': {{'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}},
    }},
    inductor_meta={{
        'grid_type': 'Grid1D',
    }},
)
@triton.jit
def triton_poi_fused_0(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    x0 = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tl_math.{}(tmp0)
    tl.store(out_ptr0 + (x0), tmp1, None)


# graph_0: triton_red_fused_1
@triton_heuristics.reduction(
    size_hints={{'x': 64, 'r0_': 64}},
    reduction_hint=ReductionHint.INNER,
    triton_meta={{
        'signature': {{'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}},
    }},
    inductor_meta={{
        'grid_type': 'Grid1D',
    }},
)
@triton.jit
def triton_red_fused_1(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    x0 = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tl.sum(tmp0, 1)
    tl.store(out_ptr0 + (x0), tmp1, None)
"""
REDUCTION = """\
    op1: reduction sum
      buf1: f32[64] cuda:0
      computes aten.sum.dim_IntList
      reads x[c0 + 64*c1]
      writes buf1[c1]
"""


def told(compared: list[Compared]) -> tuple[list[str], list[str]]:
    """The codes of what is told of a case, and the kinds of what is not."""
    changes = case_changes(compared, cause(compared)).own
    return [change.code for change in changes], [
        kind for kind, _ in untold.left(compared, changes)
    ]


def sides(*operators: str) -> list[dict[str, str]]:
    """A case in which an operator is another, and so one of its two kernels."""
    return [
        {
            "post_grad_graph": GRAPH.format(operator),
            "scheduler_nodes": "graph_0:\n  group 0: pointwise\n"
            + OPERATION.format(number=0, computes=f"aten.{operator}.default", reads="x")
            + f"  group 1: reduction\n{REDUCTION}",
            "triton_code": KERNELS.format(operator),
        }
        for operator in operators
    ]


def known(compared: list[Compared]) -> list[Compared]:
    """With what the compiler said of groups and kernels."""
    facts = [
        Kernel(0, 0, "triton_poi_fused_0"),
        Kernel(0, 1, "triton_red_fused_1"),
        Nodes(0, "op0", ("first",)),
        Nodes(0, "op1", ("sum_1",)),
    ]
    return [
        replace(
            each,
            known=(
                evidence.write(each.old, facts),
                evidence.write(each.new, facts),
            ),
        )
        if each.stage == "scheduler_nodes"
        else each
        for each in compared
    ]


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ("triton_heuristics.reduction", "triton_heuristics.persistent_reduction", "loop-nest"),
        ("ReductionHint.INNER", "ReductionHint.OUTER", "reduction-hint"),
        (
            "        'grid_type': 'Grid1D',\n    },\n)\n@triton.jit\ndef triton_red",
            "        'grid_type': 'Grid1D',\n        'store_cubin': True,\n    },\n)\n@triton.jit\ndef triton_red",
            "launch-metadata",
        ),
        (
            "None)\n    tmp1 = tl.sum",
            "None, eviction_policy='evict_first')\n    tmp1 = tl.sum",
            "hints-changed",
        ),
        ("tl.sum(tmp0, 1)", "tl.sum(tmp0.to(tl.float16), 1)", "value-changed"),
    ],
)  # fmt: skip
def test_what_a_kernel_of_the_same_groups_does_otherwise_follows_from_no_other_kernel(
    before: str, after: str, code: str
) -> None:
    old, new = sides("abs", "sin")
    assert before in new["triton_code"]
    new["triton_code"] = new["triton_code"].replace(before, after)
    compared = known(differing(old, new))
    assert told(compared) == (["operators-changed", code], [])
    # The measure has what is left where that is not told.
    first = case_changes(compared, cause(compared)).own[:1]
    assert f"triton_code {code}" in {kind for kind, _ in untold.left(compared, first)}


def test_what_a_template_is_no_longer_given_is_not_why_its_kernel_rounds() -> None:
    """Although the option was a type."""
    texts = sides("abs", "abs")
    options = "ACC_TYPE='tl.float32', BLOCK_K=16{}"
    for side, option in zip(texts, (", OUT_DTYPE='tl.float16'", ""), strict=True):
        side["scheduler_nodes"] += (
            "  autotuned (prefer templates):\n"
            f"    mm: triton_mm ({options.format(option)}) of 22 candidates\n"
        )
        side["triton_code"] = side["triton_code"].replace(
            "        'grid_type'",
            f"        'config_args': {{'BLOCK_K': 16{option.replace('OUT_DTYPE=', repr('OUT_DTYPE') + ': ')}}},\n"
            "        'grid_type'",
        )
    texts[1]["triton_code"] = texts[1]["triton_code"].replace(
        "tl.sum(tmp0, 1)", "tl.sum(tmp0.to(tl.float16), 1)"
    )
    codes, _ = told(known(differing(*texts)))
    assert codes == ["template-option-listed", "value-changed"]


def test_the_wrapper_of_an_exported_program_follows_from_no_kernel() -> None:
    """But how it starts one may."""
    old, new = sides("abs", "abs")
    new["triton_code"] = new["triton_code"].replace("tl.sum(tmp0", "tl.fsum(tmp0")
    calls = "void run_impl() {{\n    {}\n    call_triton_poi_fused_0(buf0{});\n}}\n"
    old["aot_wrapper"] = calls.format("clone(arg0_1, &buf0);", "")
    for first, last, more in (
        ("CHECK(clone(arg0_1, &buf0));", "", ["value-changed"]),
        ("clone(arg0_1, &buf0);", ", 1", []),
    ):
        new["aot_wrapper"] = calls.format(first, last)
        compared = known(differing(old, new))
        changes = case_changes(compared, cause(compared)).own
        assert [change.stage for change in changes] == [
            "triton_code",
            *(["aot_wrapper"] * len(more)),
        ]


@pytest.mark.parametrize(
    ("more", "said"),
    [("", ["more guards: 25 -> 26"]), ("python_guards = {}\n", [])],
)
def test_how_many_guards_there_are_is_told_beside_a_kernel(
    more: str, said: list[str]
) -> None:
    """Unless those that run Python are other ones."""
    old, new = sides("abs", "sin")
    old["metrics"] = f"guards = 25\n{more.format(2)}"
    new["metrics"] = f"guards = 26\n{more.format(1)}"
    compared = differing(old, new)
    _, *rest = case_changes(compared, cause(compared)).own
    assert [sentence(each.what) for each in rest][: len(said)] == said
    assert len(rest) == 1


def test_why_a_program_is_captured_once_is_said_by_what_is_no_longer_constant() -> None:
    graph = (
        "def graph_{}(x: f32[8]):\n    sin: f32[8] = torch.sin(x)\n    return (sin,)\n"
    )
    once = graph.format(0)
    constant = "  guard Eq(zf3, 3.5)  # f: x * y\n  specialised zf3 = 3.5  # f: x * y\n"
    old = {
        "dynamo_graph": f"{once}\n\n{graph.format(1)}",
        "specialisations": f"graph_0 f:\n  symbol zf3: L['y'], 3.5; dynamic=True\n{constant}",
    }
    new = {
        "dynamo_graph": once,
        "specialisations": old["specialisations"].replace(constant, ""),
    }
    compared = differing(old, new)
    told = case_changes(compared, cause(compared)).own
    assert [(each.stage, each.code) for each in told] == [
        ("dynamo_graph", "graphs-changed"),
        ("specialisations", "entries-changed"),
    ]


def test_how_streams_of_the_program_are_found_follows_from_nothing() -> None:
    old, new = sides("abs", "sin")
    wrapper = "def call(args):\n    stream1 = {}(1)\n    with stream1:\n        {}\n"
    old["wrapper_code"] = wrapper.format("get_external_object_by_index", "run(1)")
    new["wrapper_code"] = wrapper.format("_get_stream_by_index", "run(1, 2)")
    compared = differing(old, new)
    told = [sentence(each.what) for each in case_changes(compared, cause(compared)).own]
    assert (
        "a value is computed by another function: get_external_object_by_index(a) -> _get_stream_by_index(a)"
        in told
    )
    assert len(told) == 2


def test_guards_on_objects_follow_from_no_kernel() -> None:
    """And neither do the marks on tensors that are guarded, which are bookkeeping."""
    old, new = sides("abs", "sin")
    guards = "f:\n  G['torch'] is G['nn'].torch\n"
    old["guards"], new["guards"] = "f:\n  L['x'] is a tensor\n", guards
    codes, left = told(known(differing(old, new)))
    assert codes == ["operators-changed", "guards-changed", "guards-changed"]
    assert left == []


def test_an_operator_that_nothing_names_is_counted_beside_those_that_are_told() -> None:
    """And so is a part of a graph that has nothing to do with them."""
    texts = (
        "def graph_0(x: f32[64], y: f32[64]):\n"
        "    a: f32[64] = aten.{}.default(x)\n"
        "    b: f32[64] = aten.{}.default(a)\n"
        "    c: f32[64] = aten.{}.default(y)\n"
        "    return (b, c)\n"
    )
    old = {"post_grad_graph": texts.format("abs", "sin", "exp")}
    new = {"post_grad_graph": texts.format("neg", "cos", "log")}
    compared = differing(old, new)
    every = case_changes(compared, cause(compared)).own
    assert list(untold.left(compared, every)) == []
    of_one_part = replace(
        every[0],
        what=OperatorsChanged(
            "operators-changed",
            (("aten.abs.default", 1),),
            (("aten.neg.default", 1),),
        ),
    )
    assert sorted(untold.left(compared, [of_one_part])) == [
        ("post_grad_graph", "exp + log"),
        ("post_grad_graph (beside what is told)", "cos + sin"),
    ]


@pytest.mark.parametrize(
    ("type_", "traced", "told_so"),
    [("f32", 2, True), ("i64", 2, False), ("f32", 1, False)],
)
def test_a_product_with_0_that_is_computed_again_is_ranked_as_another_result(
    type_: str, traced: int, told_so: bool
) -> None:
    """Of whole numbers it is 0 in any case, and a product that was not traced may be computed for another reason."""
    ledger = (
        "graph_0:\n  joint     constant_fold_uniform_value              {}\n      {}\n"
    )
    steps = "aot_graph        4 nodes  {}aaa\n  # input, aten.mul.Tensor x{}, aten.add.Tensor x{}, output\n"
    graph = f"def graph_0(x: {type_}[8]):\n{{}}    add: {type_}[8] = aten.add.Tensor({{}}, x)\n    return (add,)\n"
    full = f"    full: {type_}[8] = aten.full.default([8], 0)\n"
    product = f"    mul: {type_}[8] = aten.mul.Tensor(x, 0)\n"
    old = {
        "post_grad_graph": graph.format(full, "full"),
        "passes": ledger.format("4 -> 4", "-aten.mul.Tensor  +aten.full.default"),
        "trail": trail(steps.format(0, traced, 1)),
    }
    new = {
        "post_grad_graph": graph.format(product, "mul"),
        "passes": ledger.format("4 -> 3", "-aten.add.Tensor"),
        "trail": trail(steps.format(1, 2, 1)),
    }
    compared = differing(old, new)
    case = case_report("a[t]", "t", compared)
    assert ("zero-folded" in [change.code for change in case.changes]) == told_so
    groups = grouped([case])
    assert (groups[0].code == "zero-folded") == told_so
    back = told(differing(new, old))[0]
    assert ("zero-folded" in back) == told_so


@pytest.mark.parametrize(("still_needed", "told_so"), [("", True), (", zeros", False)])
def test_what_is_done_in_place_is_told_beside_another_operator(
    still_needed: str, told_so: bool
) -> None:
    graph = (
        "def graph_0(x: f32[8], i: i64[2], y: f32[2]):\n"
        "    first: f32[8] = aten.{}.default(x)\n"
        "    zeros: f32[8] = aten.full.default([8], 0)\n"
        "    put: f32[8] = aten.index_put{}.default(zeros, [i], y)\n"
        "    return (first, put{})\n"
    )
    compared = differing(
        {
            "aot_graph": graph.format("abs", "", ""),
            "post_grad_graph": graph.format("abs", "", still_needed),
        },
        {
            "aot_graph": graph.format("sin", "", ""),
            "post_grad_graph": graph.format("sin", "_", ""),
        },
    )
    changes = case_changes(compared, cause(compared)).own
    said = "aten.index_put is done in place" in [sentence(one.what) for one in changes]
    assert said == told_so


def test_what_a_pass_removes_in_one_case_is_no_title_of_others() -> None:
    removed = [
        PassChanged(
            "joint", "constant_fold_uniform_value", removed=((f"aten.{name}", 1),)
        )
        for name in ("sub", "mul")
    ]
    assert removed[0].key == removed[1].key
    assert as_example(removed[0]) == (
        "joint / constant_fold_uniform_value removes arithmetic that has no effect, for example x - 0 (aten.sub)"
    )


def test_a_product_with_0_owns_what_is_computed_for_it_alone() -> None:
    """The pass that no longer makes zeros is the same change, and is not told beside it."""
    graph = (
        "def graph_0(x: f32[64, 64]):\n"
        "    mm: f32[64, 64] = aten.mm.default(x, x)\n"
        "{}    add: f32[64, 64] = aten.add.Tensor({}, x)\n"
        "    return (add,)\n"
    )
    call = (
        "  group 1: extern\n    op1: extern ExternKernelOut extern_kernels.mm\n      buf1: f32[64, 64] cuda:0\n"
        "      computes aten.mm.default\n      reads x\n      writes buf1\n"
    )
    cost = (
        "graph_0: launches {}, read {}, written 16384, flops 0, peak_memory 1\n"
        "  pointwise [add{}]: launches 1, read 16384, written 16384, flops 0\n{}"
    )
    called = "  extern [mm]: launches 1, read 16384, written 16384, flops 0\n"
    sides = [
        {
            "post_grad_graph": graph.format(*parts),
            "passes": f"graph_0:\n  joint     constant_fold_uniform_value              {effect}\n",
            "trail": trail(
                f"aot_graph        4 nodes  {new}aaa\n  # input, aten.mm, aten.mul, aten.add, output\n"
            ),
            "scheduler_nodes": "graph_0:\n  group 0: pointwise\n"
            + OPERATION.format(
                number=0,
                computes=f"aten.add.Tensor{', aten.mul.Tensor' * new}",
                reads="x",
            )
            + call * new,
            "cost": cost.format(
                1 + new, 16384 * (1 + new), ", mul" * new, called * new
            ),
            "metrics": f"bytes_accessed = {32768 * (1 + new)}\n",
        }
        for new, parts, effect in (
            (
                0,
                ("    full: f32[64, 64] = aten.full.default([64, 64], 0)\n", "full"),
                "4 -> 4\n      -aten.mul.Tensor  +aten.full.default",
            ),
            (
                1,
                ("    mul: f32[64, 64] = aten.mul.Tensor(mm, 0)\n", "mul"),
                "4 -> 3\n      -aten.sub.Tensor",
            ),
        )
    ]
    facts = [Nodes(0, "op0", ("add",)), Nodes(0, "op1", ("mm",))]
    of_schedule = [
        evidence.write(side["scheduler_nodes"], facts[: number + 1])
        for number, side in enumerate(sides)
    ]
    of_cost = [evidence.write(side["cost"], shares_of(side)) for side in sides]
    known = {"scheduler_nodes": of_schedule, "cost": of_cost}
    compared = differing(*sides, known=known)
    case = case_report("a[t]", "t", compared)
    folded = next(change for change in case.changes if change.code == "zero-folded")
    assert "aten.mm" in folded.text
    passes = [each.text for each in case.changes if each.code == "pass-changed"]
    assert passes == [
        "joint / constant_fold_uniform_value removes x - 0 (aten.sub) (-1 node)"
    ]
    (metric,) = [each for each in case.metrics if each.name == "bytes_accessed"]
    assert [(part.change, part.guessed) for part in metric.parts] == [
        (folded.key, False)
    ]


@pytest.mark.parametrize(
    ("calls", "told_calls"),
    [("", False), ("    torch.sort(arg0)\n", True)],
)
def test_calls_that_check_and_copy_are_told_once(calls: str, told_calls: bool) -> None:
    wrapper = "# graph_0\ndef call(args):\n    arg0, = args\n{}    kernel(arg0)\n    return (arg0, )\n"
    copies = (
        "    arg0 = copy_if_misaligned(arg0)\n"
        + "    assert_tensor_metadata(arg0)\n" * 3
    )
    steps = "wrapper_code     9 lines  {}c\n  # launch{}\n"
    old = {
        "wrapper_code": wrapper.format(""),
        "trail": trail(steps.format("aaaa", "")),
    }
    new = {
        "wrapper_code": wrapper.format(calls + copies),
        "trail": trail(
            steps.format("bbbb", ", copy_if_misaligned, assert_tensor_metadata x3")
        ),
    }
    changes = case_changes(compared := differing(old, new), cause(compared)).own
    codes = [change.code for change in changes]
    assert "wrapper-checks" in codes
    assert "inputs-checked" in codes
    of_calls = [sentence(one.what) for one in changes if one.code == "calls-changed"]
    assert of_calls == (["different calls: + sort"] if told_calls else [])


@pytest.mark.parametrize(("now", "told_so"), [("1", False), ("0", True), ("2", True)])
def test_a_dimension_follows_from_no_other_operator(now: str, told_so: bool) -> None:
    """Of two, the last and number 1 are the same."""
    graph = (
        "def graph_0(x: f32[8, 8]):\n"
        "    first: f32[8, 8] = aten.{}.default(x)\n"
        "    neg: f32[8, 8] = aten.neg.default(x)\n"
        "    sum_1: f32[8] = aten.sum.dim_IntList(neg, [{}])\n"
        "    return (first, sum_1)\n"
    )
    traced = "def graph_0(x: f32[8, 8]):\n    first: f32[8, 8] = aten.{}.default(x)\n    return (first,)\n"
    sides = [
        {"joint_graph": graph.format(*parts), "dynamo_graph": traced.format(parts[0])}
        for parts in (("abs", "-1"), ("sin", now))
    ]
    compared = differing(*sides)
    codes = [change.code for change in case_changes(compared, cause(compared)).own]
    assert ("arguments-changed" in codes) == told_so


def test_arguments_that_are_multiples_of_16_are_counted() -> None:
    configs = "        'configs': [{{({}): [['tt.divisibility', 16]]}}],\n    }},\n    inductor_meta"
    texts = sides("abs", "sin")
    for side, arguments in zip(texts, ("0,", "0,), (1,"), strict=True):
        side["triton_code"] = side["triton_code"].replace(
            "    },\n    inductor_meta",
            configs.format(arguments).replace(
                "(1,)", "[['tt.divisibility', 16]], (1,)"
            ),
        )
    texts[1]["triton_code"] = texts[1]["triton_code"].replace(
        "(0,), [['tt.divisibility', 16]], (1,)",
        "(0,): [['tt.divisibility', 16]], (1,)",
    )
    compared = known(differing(*texts))
    said = [sentence(one.what) for one in case_changes(compared, cause(compared)).own]
    assert said == [
        "graph calls aten.sin in place of aten.abs",
        "more arguments of a kernel are said to be multiples of 16: 1 -> 2",
    ]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("a", "a.to(tl.float16).to(tl.float32)", "rounded to float16 on the way"),
        ("a", "a.to(tl.bfloat16).to(tl.float32)", "rounded to bfloat16 on the way"),
        ("a", "a.to(tl.float16)", "cast differently"),
        ("a.to(tl.float16).to(tl.float32)", "a", "not rounded to float16 on the way"),
        ("a", "a.to(tl.float32)", "cast differently"),
        ("a", "b.to(tl.float16)", "computed differently"),
    ],
)
def test_a_value_that_is_rounded_on_the_way_is_said_to_be(
    before: str, after: str, said: str
) -> None:
    words = sentence(ValueChanged("value-changed", before, after))
    assert words == f"a value is {said}: {before} -> {after}"


@pytest.mark.parametrize(
    ("stage", "language"), [("triton_code", "Triton"), ("cpp_code", "C++")]
)
def test_kernels_are_counted_by_language(stage: str, language: str) -> None:
    sign = "#" if language == "Triton" else "//"
    kernel = "{} graph_0: {}_fused_{}_0\n{}"
    bodies = {
        "Triton": "@triton.jit\ndef triton_{0}(a):\n    tl.store(a, {0})\n",
        "C++": 'extern "C" void cpp_{0}(float* a)\n{{\n    {0}(a);\n}}\n',
    }
    pieces = [
        kernel.format(sign, language.lower(), name, bodies[language].format(name))
        for name in ("sin", "cos")
    ]
    ((change,)) = differing({stage: pieces[0]}, {stage: "\n\n".join(pieces)})
    assert sentence(change_edits(change)[0]) == (
        f"more kernels, besides cos (1 -> 2 {language} kernels)"
    )


def test_what_loops_compute_newly_is_said_first() -> None:
    counted = (("ops.constant", 1, 7), ("ops.isinf", 0, 2))
    assert sentence(ContentsChanged("lowered_ir", counted=counted)) == (
        "loop bodies have 2 more ops.isinf, 6 more constants"
    )


def test_what_loops_have_more_or_less_of_is_said_in_words() -> None:
    more = ContentsChanged("lowered_ir", counted=(("ops.index_expr", 0, 1),))
    assert sentence(more) == "loop bodies have 1 more index expression"
    fewer = ContentsChanged(
        "lowered_ir", (("ops.ge", 2),), counted=(("ops.index_expr", 3, 1),)
    )
    assert sentence(fewer) == (
        "loop bodies have 2 fewer ops.ge, 2 fewer index expressions"
    )
