"""Distinct changes: each edit is one, described as a colleague would, with all cases that have it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePosixPath

import pytest

from pytest_compile_golden.changes.schedules import GroupsChanged
from pytest_compile_golden.formats.line_edits import with_comments_of
from pytest_compile_golden.formats.metrics.printed import changes as metric_changes
from pytest_compile_golden.goldens.attribution import parts
from pytest_compile_golden.goldens.case_changes import case_changes
from pytest_compile_golden.goldens.change_groups import Waiting, change_groups
from pytest_compile_golden.goldens.compare_artifact import (
    Compared,
    change_edits,
    own_edits,
)
from pytest_compile_golden.goldens.first_divergence import cause
from pytest_compile_golden.goldens.ranking import numbers_of, sums
from pytest_compile_golden.messages.sentences import sentence
from pytest_compile_golden.report.case_groups import grouped
from pytest_compile_golden.report.case_report import case_report
from pytest_compile_golden.report.failure_text import render_group
from pytest_compile_golden.report.model import (
    CaseReport,
    MetricReport,
    Part,
    ReportedChange,
)
from tests.trails import trail

KERNEL = """
# graph_0: triton_poi_fused_add_relu_0
@triton.jit
def triton_poi_fused_add_relu_0(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 4096
    x0 = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tl.load(in_ptr1 + (x0), None)
    tmp2 = tmp0 - tmp1
    tl.store(out_ptr0 + (x0), tmp2, None)
""".lstrip()


def structural(
    old: str, new: str, stage: str = "triton_code", suffix: str = "py"
) -> Compared:
    return Compared(
        stage, "structural", old, new, "2.13.0", PurePosixPath(f"x/{stage}.{suffix}")
    )


def labels(
    old: str, new: str, stage: str = "triton_code", suffix: str = "py"
) -> list[str]:
    return [
        sentence(edit)
        for edit in change_edits(structural(old, new, stage, suffix))
        if not edit.follows
    ]


def keys(old: str, new: str) -> set[str]:
    return {edit.key for edit in change_edits(structural(old, new)) if not edit.follows}


def other_kernel(text: str, start: int) -> str:
    """The same code in another kernel: other value numbers, names and sizes."""
    text = re.sub(r"\btmp(\d+)", lambda match: f"tmp{int(match[1]) + start}", text)
    return (
        text.replace("4096", str(64 * start))
        .replace("add_relu_0", f"mul_view_{start}")
        .replace("in_ptr0", f"in_ptr{start}")
    )


def evict(text: str) -> str:
    return text.replace(
        "(x0), None)\n    tmp", "(x0), None, eviction_policy='evict_first')\n    tmp", 1
    )


def test_forty_kernels_with_one_edit_are_one_change() -> None:
    kernels = [other_kernel(KERNEL, number) for number in range(2, 42)]
    waiting = [
        Waiting(((structural(text, evict(text)), number),))
        for number, text in enumerate(kernels)
    ]
    found, _ = change_groups(waiting)
    assert [len(each.members) for each in found] == [40]
    assert [sentence(change.what) for change in found[0].changes] == [
        "tl.load gains eviction_policy='evict_first'"
    ]


@pytest.mark.parametrize(
    ("old", "new", "label"),
    [
        (
            "tmp0 - tmp1",
            "tmp0 + tmp1",
            "a value is computed differently: a - b -> a + b",
        ),
        (
            "tmp2 = tmp0 - tmp1",
            "tmp2 = triton_helpers.maximum(tmp0, tmp1)",
            "a value is computed differently: a - b -> triton_helpers.maximum(a, b)",
        ),
        (
            "tmp0 - tmp1",
            "tl_math.sin(tmp0 - tmp1)",
            "a value is computed differently: a -> tl_math.sin(a)",
        ),
        (
            "tmp0 - tmp1",
            "tl.where(tl.abs(tmp0) == float('inf'), tmp1 * 2, tmp0 - tmp1)",
            "a value is computed differently: a - b -> tl.where(tl.abs(a) == float('inf'), b * 2, a - b)",
        ),
        (
            "(x0), tmp2, None)",
            "(x0), tmp2, xmask)",
            "different constant: None -> xmask",
        ),
        (
            "tmp0 - tmp1",
            "tmp1 - tmp0",
            "different lines: - tmp2 = tmp0 - tmp1  + tmp2 = tmp1 - tmp0",
        ),
        (
            "tmp0 - tmp1",
            "tmp0 - tmp0",
            "different lines: - tmp2 = tmp0 - tmp1  + tmp2 = tmp0 - tmp0",
        ),
        (
            "    tl.store",
            "    tl.debug_barrier()\n    tl.store",
            "threads wait for each other more often (debug_barrier), where nothing that was written is read",
        ),
        (
            "tmp2 = tmp0 - tmp1",
            "tmp2 = (tmp0 - tmp1).to(tl.float16)",
            "a value is cast differently: a -> a.to(tl.float16)",
        ),
    ],
)
def test_an_edit_says_what_changed_and_no_more(old: str, new: str, label: str) -> None:
    assert KERNEL.count(old) == 1
    changed = KERNEL.replace(old, new)
    assert labels(KERNEL, changed) == [label]
    # A kernel that changed in this way and in another has both.
    assert keys(KERNEL, evict(changed)) >= keys(KERNEL, evict(KERNEL))


def test_barriers_of_which_some_are_idle_are_told_once() -> None:
    waits = [
        text.replace("    tl.store", "    tl.debug_barrier()\n    tl.store")
        for text in (KERNEL, KERNEL.replace("relu_0", "relu_1").replace("out_", "in_"))
    ]
    old, new = (
        "\n\n".join(waits),
        "\n\n".join(waits).replace("    tl.debug_barrier()\n", ""),
    )
    case = case_report("a[t]", "t", [structural(old, new)])
    assert [change.text for change in case.changes] == [
        "threads wait for each other less often (debug_barrier)"
    ]


@pytest.mark.parametrize(
    ("check", "told"),
    [
        ('tl.device_assert((tmp0 < 9), "index out of bounds: tmp0 < 9")', []),
        (
            'tl.device_assert((tmp1 < 9), "an assertion of the program")',
            ["runtime-checks"],
        ),
    ],
)
def test_an_index_that_is_no_longer_wrapped_is_checked_for_itself(
    check: str, told: list[str]
) -> None:
    old = KERNEL.replace("tmp0 - tmp1", "tl.where(tmp0 < 0, tmp0 + 9, tmp0)")
    new = KERNEL.replace("tmp0 - tmp1", "tmp0").replace(
        "    tl.store", f"    {check}\n    tl.store"
    )
    case = case_report("a[t]", "t", [structural(old, new)])
    codes = {change.code for change in case.changes}
    assert codes == {"negative-index", *told}


def test_a_barrier_in_a_kernel_that_reads_what_it_writes_is_more_than_a_hint() -> None:
    in_place = KERNEL.replace("out_ptr0", "in_ptr0")
    waiting = in_place.replace("    tl.store", "    tl.debug_barrier()\n    tl.store")
    assert labels(in_place, waiting) == [
        "threads wait for each other more often (debug_barrier)"
    ]
    # Between stores, which all look alike: it must not shift those behind it.
    first = "    tl.store(in_ptr0 + (x0), tmp0, None)\n"
    last = "    tl.store(in_ptr1 + (x0), tmp1, None)\n    tl.store(in_ptr2 + (x0), tmp0, None)\n"
    stores = in_place.replace("    tl.store", f"{first}    tl.store") + last
    waiting = stores.replace(first, f"{first}    tl.debug_barrier()\n")
    assert labels(waiting, stores) == [
        "threads wait for each other less often (debug_barrier)"
    ]


def test_a_barrier_that_stands_between_no_two_accesses_of_a_tensor_is_a_hint() -> None:
    """Although the kernel reads what it writes; a helper computes, and accesses nothing."""
    helper = "@triton.jit\ndef helper(a, b):\n    return a + b\n\n\n"
    scanned = KERNEL.replace(
        "@triton.jit", f"{helper}@triton_heuristics.pointwise()\n@triton.jit"
    )
    scanned = scanned.replace("out_ptr0", "in_ptr0") + (
        "    tmp3 = tl.associative_scan(tmp2, 0, helper)\n"
        "    tl.store(out_ptr0 + (x0), tmp3, None)\n"
    )
    last = "    tl.store(out_ptr0"
    waiting = scanned.replace(last, f"    tl.debug_barrier()\n{last}")
    assert labels(waiting, scanned) == [
        "threads wait for each other less often (debug_barrier), where nothing that was written is read"
    ]
    # In a loop, what comes before it in the next round comes after it in this one.
    loop = scanned.replace(last, f"    for x1 in range(4):\n    {last}")
    waiting = loop.replace(f"    {last}", f"        tl.debug_barrier()\n    {last}")
    assert labels(waiting, loop) == [
        "threads wait for each other less often (debug_barrier)"
    ]


def test_a_value_that_is_loaded_again_is_more_than_its_hint() -> None:
    again = "tmp0 = tl.load(in_ptr0 + (x0), None)"
    new = evict(
        KERNEL.replace(
            f"    {again}", f"    {again}\n    {again.replace('tmp0', 'tmp9')}"
        )
    )
    new = new.replace("= tmp0 - tmp1", "= tmp9 - tmp1")
    assert labels(KERNEL, new)[-1] == "the same values are loaded more often"
    # What is checked of them is checked again.
    check = '    tl.device_assert(tmp{0} < 7, "index out of bounds: tmp{0} < 7")\n'
    store = "    tl.store"
    checked = [
        text.replace(store, check.format(0) + more + store)
        for text, more in ((KERNEL, ""), (new, check.format(9)))
    ]
    assert labels(*checked)[-1] == "the same values are loaded more often"
    assert not any("checks" in label for label in labels(*checked))


def test_a_result_that_no_longer_takes_the_place_of_what_is_read_is_said_to_be_that() -> (
    None
):
    in_place = KERNEL.replace("in_ptr1", "in_out_ptr0").replace(
        "in_ptr0, in_out", "in_out_ptr0, in"
    )
    in_place = in_place.replace(
        "out_ptr0 + (x0), tmp2", "in_out_ptr0 + (x0), tmp2"
    ).replace(", out_ptr0,", ",")
    assert labels(in_place, KERNEL) == [
        "kernel writes fewer results over what it reads: 1 -> 0"
    ]
    assert labels(KERNEL, in_place) == [
        "kernel writes more results over what it reads: 0 -> 1"
    ]
    # It follows from other arithmetic.
    other = KERNEL.replace("tmp0 - tmp1", "tmp0 * tmp1")
    assert labels(in_place, other) == labels(KERNEL, other)
    cpp = ("in_out_ptr0", ""), ("out_ptr0", ", float* out_ptr0")
    texts = [
        f'// graph_0: kernel\nextern "C" void kernel(float* in_out_ptr0{more})\n{{\n'
        f"    auto tmp0 = in_out_ptr0[static_cast<int64_t>(0)];\n    {to}[static_cast<int64_t>(0)] = tmp0;\n}}\n"
        for to, more in cpp
    ]
    texts[1] = texts[1].replace("in_out_ptr0", "in_ptr0")
    assert labels(texts[0], texts[1], "cpp_code", "cpp") == [
        "kernel writes fewer results over what it reads: 1 -> 0"
    ]


def test_an_index_that_its_names_hide_is_shown_as_it_is_computed() -> None:
    named = KERNEL.replace(
        "x0 = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]",
        "xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]\n    x0 = xindex",
    )
    (said,) = labels(named, named.replace("XBLOCK)[:]", "XBLOCK)[0:]"))
    assert (
        said
        == "index computed differently: tl.arange(0, XBLOCK)[:] -> tl.arange(0, XBLOCK)[0:]"
    )
    (said,) = labels(named, named.replace("XBLOCK + tl", "XBLOCK - tl"))
    start, block = "tl.program_id(0) * XBLOCK", "tl.arange(0, XBLOCK)[:]"
    assert said == f"index computed differently: {start} + {block} -> {start} - {block}"


@pytest.mark.parametrize("full", [False, True])
def test_what_a_trail_holds_is_shown_in_words_also_in_full(full: bool) -> None:
    steps = "wrapper_code     24 lines  e{0}\n  # allocation x2 c4, extern_kernels.mm x{0} 0d\n"
    change = structural(
        trail(steps.format(1)), trail(steps.format(2)), "trail", "jsonl"
    )
    (group,), _ = change_groups([Waiting(((change, change),))])
    shown = [
        text
        for _, text in render_group("group 1 of 1", group, [("a", change)], full=full)
    ]
    assert "    + wrapper_code     extern_kernels.mm x2" in shown


def test_names_and_temporaries_are_not_an_edit_beside_another() -> None:
    new = other_kernel(KERNEL, 5).replace("320", "4096").replace("in_ptr5", "in_ptr0")
    new = new.replace("tmp7 = tmp5 - tmp6", "tmp77 = tmp5\n    tmp7 = tmp77 - tmp6")
    assert labels(KERNEL, evict(new)) == ["tl.load gains eviction_policy='evict_first'"]


def test_a_value_is_in_the_place_of_another_only_if_a_kernel_has_fewer_of_one_and_more_of_the_other() -> (
    None
):
    """Statements are compared in their order, in which the same may be done of other values."""
    two = KERNEL.replace("(x0)", "({0} + 6 * x0)", 1).replace(
        "(x0)", "({1} + 6 * x0)", 1
    )
    two = two.replace("tmp0 - tmp1", "{2}(tmp0) - {3}(tmp1)")
    first, turned, other = (
        two.format(*given)
        for given in (
            (1, 3, "tl.sin", "tl.cos"),
            (3, 1, "tl.cos", "tl.sin"),
            (1, 5, "tl.sin", "tl.cos"),
        )
    )
    assert [said.partition(":")[0] for said in labels(first, turned)] == [
        "different lines"
    ]
    assert labels(first, other) == [
        "index computed differently: 3 + (6 * x0) -> 5 + (6 * x0)"
    ]


def test_the_same_operation_on_other_values_never_matches_by_accident() -> None:
    both = KERNEL.replace("tmp0 - tmp1", "tmp1 - tmp0")
    assert keys(KERNEL, both) != keys(both, KERNEL)
    assert keys(KERNEL, evict(KERNEL)) != keys(KERNEL, both)


def test_dtypes_and_devices_are_not_value_names() -> None:
    assert labels("add: f32[4] = f(x)\n", "add: f16[4] = f(x)\n", "ink", "txt") != []
    one, other = (
        structural("y = f(sm80)\n", f"y = f({new})\n", "ink", "txt")
        for new in ("sm90", "sm75")
    )
    assert {edit.key for edit in change_edits(one)} != {
        edit.key for edit in change_edits(other)
    }


def test_a_file_that_was_rewritten_matches_only_itself() -> None:
    old, new = (
        "".join(f"a = {n}\n" for n in range(3000)),
        "".join(f"b = {n}\n" for n in range(3000)),
    )
    one, other = (
        change_edits(structural(old, text, "dynamo_bytecode", "txt"))
        for text in (new, new + "c\n")
    )
    assert len(one) == len(other) == 1 and one[0].key != other[0].key


def test_the_diff_leaves_out_lines_that_differ_only_in_comments() -> None:
    old, new = (
        "a = 1  # x.py:1\nb = 2  # x.py:2\n",
        "a = 1  # x.py:7\nb = 3  # x.py:8\nc = 4\n",
    )
    assert (
        with_comments_of(old, new, "#") == "a = 1  # x.py:1\nb = 3  # x.py:8\nc = 4\n"
    )


def metric(old: int, new: int) -> Compared:
    numbers = metric_changes({"kernels": old}, {"kernels": new})
    return Compared("metrics", "metric", "", "", None, PurePosixPath("m.toml"), numbers)


def test_metrics_alone_group_by_direction_and_new_goldens_into_one_group() -> None:
    def own_keys(change: Compared) -> set[str]:
        return {each.key for each in case_changes([change], cause([change])).own}

    assert own_keys(metric(1, 2)) == own_keys(metric(3, 9)) != own_keys(metric(2, 1))
    new = [
        Compared(stage, "new", "", "x", None, PurePosixPath(stage))
        for stage in ("metrics", "passes")
    ]
    assert [
        len(each.members)
        for each in change_groups([Waiting(((each, each.stage),)) for each in new])[0]
    ] == [2]


def test_a_number_of_guards_is_a_separate_change_with_its_own_metrics() -> None:
    guarded = metric_changes(
        {"kernels": 1, "python_guards": 2}, {"kernels": 2, "python_guards": 1}
    )
    metrics = Compared(
        "metrics", "metric", "", "", None, PurePosixPath("m.toml"), guarded
    )
    kernel = structural(KERNEL, KERNEL.replace("tmp0 - tmp1", "tmp0 * tmp1"))
    found = case_changes([kernel, metrics], cause([kernel, metrics]))
    moved, own = parts([kernel, metrics], found, guarded), found.own
    assert [sentence(change.what) for change in own] == [
        "a value is computed differently: a - b -> a * b",
        "fewer guards that run Python: 2 -> 1",
    ]
    assert [each.name for each in numbers_of({own[0].key}, guarded, moved)] == [
        "kernels"
    ]
    assert [each.name for each in numbers_of({own[1].key}, guarded, moved)] == [
        "python_guards"
    ]


def test_why_one_case_costs_more_is_not_said_of_what_others_share() -> None:
    guard = ReportedChange("guards", "fewer guards", "guard", "guards")
    lost = ReportedChange("scheduler_nodes", "2 kernels instead of 1", "lost", "fusion")
    costs = (MetricReport("kernels", 1, 2, "REGRESSION", parts=(Part("lost", 1),)),)
    both = CaseReport(
        "a[t]",
        "t",
        "changed",
        changes=(lost, guard),
        metrics=costs,
        why="likely faster",
    )
    shared = CaseReport("b[t]", "t", "changed", changes=(guard,))
    whys = {each.text: each.why for each in grouped([both, shared])}
    assert whys == {"2 kernels instead of 1": "likely faster", "fewer guards": ""}
    other = CaseReport(
        "c[t]", "t", "changed", changes=(lost,), metrics=costs, why="likely faster"
    )
    assert {each.text: each.why for each in grouped([both, other])} == whys


def test_what_a_fused_kernel_accessed_explains_only_that_it_was_split() -> None:
    lost = ReportedChange(
        "scheduler_nodes", "2 kernels", "lost", "fusion", code="fusion-lost"
    )
    order = ReportedChange("scheduler_nodes", "another order", "order", "operators")
    parts = (Part("lost", 1), Part("order", -2))
    case = CaseReport(
        "a[t]",
        "t",
        "changed",
        changes=(lost, order),
        metrics=(MetricReport("kernels", 6, 5, "WIN", parts=parts),),
        why="likely faster",
        uncoalesced=("arg0_1[128*c0]",),
    )
    alone = CaseReport("b[t]", "t", "changed", changes=(order,))
    whys = {each.text: each.why for each in grouped([case, alone])}
    assert whys == {"2 kernels": "likely faster", "another order": ""}


SIGNED = KERNEL.replace(
    "    tmp2 = tmp0 - tmp1\n",
    "    tmp3 = tl.full([1], 3.14, tl.float32)\n"
    "    tmp4 = tl.full([1], 7, tl.int32)\n"
    "    tmp5 = (libdevice.signbit(tmp0) != 0) if (tmp0).dtype is tl.float32 else tmp0 < 0\n"
    "    tmp6 = tl.where(tmp5, tmp1, tmp3)\n"
    "    tmp2 = tmp6 - tmp4\n",
)
KNOWN = SIGNED.replace("is tl.float32", "is tl.float32 or (tmp0).dtype is tl.float64")
POST_GRAD = """def graph_0(arg0_1: f32[4], arg1_1: f32[4]):
    sin: f32[4] = aten.sin.default(arg0_1)
    add: f32[4] = aten.add.Tensor(sin, arg1_1)
    return [add]
"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("3.14", "3.140625", "constant is rounded differently: 3.14 -> 3.140625"),
        ("7, tl.int32", "8, tl.int32", "different constant: 7 -> 8"),
        (
            "tmp6 - tmp4",
            "tmp6 + tmp4",
            "a value is computed differently: a - b -> a + b",
        ),
        (
            "3.14, tl.float32",
            "3.14, tl.float16",
            "a value is of type tl.float16 instead of tl.float32",
        ),
        (
            "(x0), None)\n    tmp1",
            "(x0), None).to(tl.float32)\n    tmp1",
            "a value is cast differently: a -> a.to(tl.float32)",
        ),
    ],
)
def test_what_is_computed_otherwise_comes_before_what_is_written_otherwise(
    old: str, new: str, told: str
) -> None:
    """In one kernel; and in a kernel after a graph that is written otherwise."""
    kernel = structural(SIGNED, KNOWN.replace(old, new))
    case = case_report("a[t]", "t", [kernel])
    assert case.changes[0].text == told
    assert {change.code for change in case.changes[1:]} <= {"sign-of-double"}
    assert case.divergence is not None and told in case.divergence.text
    graph = structural(
        POST_GRAD,
        POST_GRAD.replace("(sin, arg1_1)", "(arg1_1, sin)"),
        "post_grad_graph",
    )
    case = case_report(
        "a[t]", "t", [graph, structural(SIGNED, SIGNED.replace(old, new))]
    )
    assert [change.text for change in case.changes] == [
        told,
        "the same graph, written differently",
    ]
    assert case.divergence is not None and told in case.divergence.text


def test_what_a_kernel_does_names_a_group_before_how_it_is_launched() -> None:
    """`(and 1 more)` then stands for the launch."""
    launched, does = (
        ReportedChange("triton_code", text, text, topic, kind="code")
        for text, topic in (("one entry more", "launch"), ("one body", "arithmetic"))
    )
    case = CaseReport("a[t]", "t", "changed", changes=(launched, does))
    (group,) = grouped([case])
    assert (group.text, group.edits) == ("one body", ("one entry more",))


MAXIMUM = KERNEL.replace("tmp0 - tmp1", "triton_helpers.maximum(tmp0, tmp1) - tmp1")
BY_TRITON = (
    "triton_helpers.maximum(tmp0, tmp1)",
    "tl.maximum(tmp0, tmp1, tl.PropagateNan.ALL)",
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (" - tmp1", " + tmp1"),
        (" - tmp1", ""),
        (", tl.PropagateNan.ALL", ""),
        ("tmp2 = ", "tmp2 = tl_math.cos("),
    ],
)
def test_a_maximum_written_otherwise_hides_nothing_else(old: str, new: str) -> None:
    """What a value is computed from may be written otherwise in an operation that is another: that is no notation."""
    assert [
        edit.code
        for edit in change_edits(structural(MAXIMUM, MAXIMUM.replace(*BY_TRITON)))
    ] == ["maximum-by-triton"]
    changed = MAXIMUM.replace(*BY_TRITON).replace(old, new)
    changed = (
        changed.replace(" - tmp1\n", " - tmp1)\n") if new.endswith("(") else changed
    )
    assert not any(
        edit.is_notation for edit in own_edits(structural(MAXIMUM, changed))[:1]
    )


def test_what_is_computed_otherwise_does_not_follow_from_what_is_written_otherwise() -> (
    None
):
    changed = MAXIMUM.replace(*BY_TRITON).replace(" - tmp1", " - tl_math.cos(tmp1)")
    assert "a value is computed differently: a -> tl_math.cos(a)" in labels(
        MAXIMUM, changed
    )
    other = MAXIMUM.replace(
        "    tl.store", "    tmp5 = tmp2 * tmp0\n    tl.store"
    ).replace(", tmp2, N", ", tmp5, N")
    assert "a value is computed differently: a * b -> a + b" in labels(
        other, other.replace(*BY_TRITON).replace("tmp2 * tmp0", "tmp2 + tmp0")
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "tmp0 + tmp1",
            "static_cast<std::make_unsigned_t<int64_t>>(max_propagate_nan(tmp0, tmp1))",
        ),
        ("tmp0 + tmp1", "static_cast<std::make_unsigned_t<int64_t>>(tmp0 - tmp1)"),
        ("tmp0", "static_cast<std::make_unsigned_t<int64_t>>(tmp0 + tmp1)"),
    ],
)
def test_unsigned_arithmetic_hides_no_other_operation(old: str, new: str) -> None:
    kernel = """// graph_0: cpp_fused_0
extern "C"  void  kernel(const int64_t* in_ptr0, int64_t* out_ptr0)
{{
    auto tmp0 = in_ptr0[0];
    auto tmp1 = in_ptr0[1];
    out_ptr0[0] = int64_t({});
}}
"""
    change = structural(kernel.format(old), kernel.format(new), "cpp_code", "cpp")
    assert not own_edits(change)[0].is_notation and own_edits(change)[0].kind == "code"


def test_unsigned_arithmetic_is_told_as_that_however_much_there_is_of_it() -> None:
    """Also of what is computed so itself; beside another operation it is not all."""
    kernel = """// graph_0: cpp_fused_0
extern "C"  void  kernel(const int64_t* in_ptr0, int64_t* out_ptr0)
{{
    auto tmp0 = in_ptr0[0];
    auto tmp1 = {};
    auto tmp2 = mod(tmp1, tmp0);
    auto tmp3 = {};
    auto tmp4 = {};
    out_ptr0[0] = tmp4{};
}}
"""
    cast = "static_cast<std::make_unsigned_t<int64_t>>"
    pairs = [("tmp0", "tmp0"), ("tmp2", "tmp0"), ("tmp3", "tmp1")]
    signed = [f"int64_t({one} + {other})" for one, other in pairs]
    unsigned = [f"int64_t({cast}({one}) + {cast}({other}))" for one, other in pairs]
    for more, codes in (("", {"unsigned-addition"}), (" * tmp0", {"value-changed"})):
        change = structural(
            kernel.format(*signed, ""),
            kernel.format(*unsigned, more),
            "cpp_code",
            "cpp",
        )
        assert {edit.code for edit in own_edits(change)} == codes, more


def test_what_torch_is_known_to_write_otherwise_is_told_however_often_it_does() -> None:
    kernel = '// graph_0: cpp_fused_0\nextern "C"  void  kernel(const int64_t* in_ptr0, int64_t* out_ptr0)\n{\n'
    old = new = kernel
    for number in range(3):
        loaded = f"in_ptr0[{number}]"
        stored = f"    out_ptr0[{number}] = {{}};\n"
        old += stored.format(f"{loaded} - {loaded} / {number + 2} * {number + 2}")
        new += stored.format(f"remainder_integral({loaded}, {number + 2})")
    change = structural(f"{old}}}\n", f"{new}}}\n", "cpp_code", "cpp")
    assert {edit.code for edit in own_edits(change)} == {"integer-division"}


def test_what_a_function_in_a_kernel_returns_is_a_value() -> None:
    """Its name is another one wherever a statement before it is gone; a check that is gone is told as that."""
    kernel = """// graph_0: cpp_fused_0
extern "C"  void  kernel(const float* in_ptr0, float* out_ptr0)
{{
    auto tmp0 = in_ptr0[0];
{}    auto tmp2 = [&]
    {{
        auto tmp{number} = in_ptr0[1];
        return tmp{number};
    }}
    ;
    out_ptr0[0] = tmp2();
}}
"""
    check = '    TORCH_CHECK(tmp0 < 12, "index out of bounds: tmp0 < 12");\n'
    old, new = kernel.format(check, number=41), kernel.format("", number=33)
    (label,) = labels(old, new, "cpp_code", "cpp")
    assert label == (
        "fewer checks while the kernel runs: index out of bounds: index < 12"
    )


def test_the_same_values_in_another_order_are_told_as_that() -> None:
    kernel = """// graph_0: cpp_fused_0
extern "C"  void  kernel(const float* in_ptr0, float* out_ptr0)
{{
    auto tmp0 = {};
    auto tmp1 = {};
    out_ptr0[0] = tmp{} - tmp{};
}}
"""
    loads = "in_ptr0[0]", "static_cast<float>(1.0)"
    old, new = kernel.format(*loads, 0, 1), kernel.format(*reversed(loads), 1, 0)
    assert labels(old, new, "cpp_code", "cpp") == [
        "kernel computes the same values in another order"
    ]
    other = kernel.format(*reversed(loads), 0, 1)
    assert "another order" not in "".join(labels(old, other, "cpp_code", "cpp"))


def test_a_known_rewrite_alone_is_told_as_that() -> None:
    case = case_report("a[t]", "t", [structural(SIGNED, KNOWN)])
    assert [change.code for change in case.changes] == ["sign-of-double"]


def test_guards_follow_from_what_changed_in_dynamo() -> None:
    guarded = metric_changes({"python_guards": 2}, {"python_guards": 1})
    metrics = Compared(
        "metrics", "metric", "", "", None, PurePosixPath("m.toml"), guarded
    )
    broken = structural("no graph breaks\n", "1 graph break\n", "graph_breaks", "txt")
    assert len(case_changes([broken, metrics], cause([broken, metrics])).own) == 1


def test_an_edit_is_the_same_in_a_function_that_kernels_call() -> None:
    helper = "@triton.jit\ndef _triton_helper_fn_maximum0(arg0_0, arg1_0):\n    tmp0 = {}\n    return tmp0\n\n"
    kernel = (
        "@triton_heuristics.reduction(\n    size_hints={'x': 8},\n)\n@triton.jit\n"
        + KERNEL.partition("jit\n")[2]
    )
    old, new = (
        "triton_helpers.maximum({}, {})",
        "tl.maximum({}, {}, tl.PropagateNan.ALL)",
    )
    title = "# graph_0: triton_red_fused_0\n"
    inside = [
        title + helper.format(each.format("arg0_0", "arg1_0")) + kernel
        for each in (old, new)
    ]
    outside = [
        KERNEL.replace("tmp0 - tmp1", each.format("tmp0", "tmp1"))
        for each in (old, new)
    ]
    assert keys(*inside) == keys(*outside) != set()


def test_added_operations_are_described_by_their_operators() -> None:
    group = """
  group {0}: pointwise
    op{0}: pointwise
      buf{0}: f32[8] cpu
      computes {1}
      reads primals_1[c0]
      writes buf{0}[c0]
"""
    old = "graph_0" + group.format(0, "aten.relu.default").rstrip() + "\n"
    new = old + group.format(1, "aten.convolution_backward.default").lstrip("\n")
    assert labels(old, new, "scheduler_nodes", "txt") == [
        "1 more operation: pointwise of aten.convolution_backward"
    ]


def test_a_result_with_an_operation_of_its_own_is_stored() -> None:
    log, sub = (
        "pointwise | buf0: f32[6, 1] cpu | aten.log.default | arg0_1[c0]",
        "pointwise | buf1: f32[6, 9] cpu | {} | {}",
    )
    # Where it is defined, its module imports this one.
    from tests.test_messages import schedule

    inlined = schedule(
        sub.format("aten.log.default, aten.sub.Tensor", "arg0_1[c0], arg1_1[c0]")
    )
    stored = schedule(
        log, sub.format("aten.log.default, aten.sub.Tensor", "arg1_1[c0], buf0[c0]")
    )
    assert labels(inlined, stored, "scheduler_nodes", "txt") == [
        "results of aten.log are stored instead of inlined"
    ]
    assert labels(stored, inlined, "scheduler_nodes", "txt") == [
        "results of aten.log are inlined instead of stored"
    ]
    both = [
        text.replace("aten.log.default", "aten.exp.default, aten.log.default")
        for text in (inlined, stored)
    ]
    assert labels(both[0], both[1], "scheduler_nodes", "txt") == [
        "results of aten.exp + aten.log are stored instead of inlined"
    ]
    other = schedule(log, sub.format("aten.sub.Tensor", "arg1_1[c0]"))
    assert labels(
        schedule(sub.format("aten.sub.Tensor", "arg1_1[c0]")),
        other,
        "scheduler_nodes",
        "txt",
    ) == ["1 more operation: pointwise of aten.log"]


def test_groups_make_one_change_in_any_order() -> None:
    """It may be found among all operations, and among those of the same nodes."""
    one, other = (
        GroupsChanged("fusion-lost", groups, 1, 2)
        for groups in (("sum", "(div, mul)"), ("(div, mul)", "sum"))
    )
    assert one.key == other.key
    assert one.key != GroupsChanged("fusion-lost", ("sum", "div"), 1, 2).key


def test_mere_consequences_are_never_asked_about() -> None:
    old, new = map(
        trail,
        (
            "wrapper_code     3 lines  0123456789",
            "wrapper_code     4 lines  9876543210",
        ),
    )
    changes = (
        (structural(KERNEL, evict(KERNEL)), "kernel"),
        (structural(old, new, "trail", "jsonl"), "trail"),
        (metric(1, 2), "metrics"),
    )
    found, needed = change_groups([Waiting(changes)])
    assert [(len(each.changes), each.members) for each in found] == [
        (1, ("kernel", "trail", "metrics"))
    ]
    assert needed["metrics"] == found[0].digests


def test_a_case_with_two_changes_is_in_both_groups_and_waits_for_what_is_not_only_noted() -> (
    None
):
    subtracted = KERNEL.replace("tmp0 - tmp1", "tmp0 + tmp1")
    cases = [
        Waiting(((structural(KERNEL, evict(KERNEL)), "one"),)),
        Waiting(((structural(KERNEL, subtracted), "other"),)),
        Waiting(((structural(KERNEL, evict(subtracted)), "both"),)),
    ]
    found, needed = change_groups(cases)
    assert {sentence(each.changes[0].what): set(each.members) for each in found} == {
        "a value is computed differently: a - b -> a + b": {"other", "both"},
        "tl.load gains eviction_policy='evict_first'": {"one", "both"},
    }
    assert needed["both"] == needed["other"] and not needed["one"] & needed["other"]
    # What is already accepted is not asked about again.
    left, _ = change_groups([Waiting(cases[2].changes, frozenset(needed["one"]))])
    assert [[sentence(change.what) for change in group.changes] for group in left] == [
        ["a value is computed differently: a - b -> a + b"]
    ]


def test_a_change_that_cases_pass_with_is_no_question_beside_another() -> None:
    subtracted = KERNEL.replace("tmp0 - tmp1", "tmp0 + tmp1")
    stored = subtracted.replace("(x0), tmp2, None)", "(x0), tmp2, xmask)")
    proved = Waiting(
        ((replace(structural(KERNEL, subtracted), severity="note"), "proved"),)
    )
    both = Waiting(((structural(KERNEL, stored), "both"),))
    found, needed = change_groups([proved, both])
    asked = [sentence(group.changes[0].what) for group in found if not group.noted]
    assert (
        asked == ["different constant: None -> xmask"]
        and needed["both"] == found[0].digests
    )
    # It is one where it fails alone.
    alone = Waiting(
        (
            (
                structural(other_kernel(KERNEL, 5), evict(other_kernel(subtracted, 5))),
                "alone",
            ),
        )
    )
    found, _ = change_groups([proved, both, alone])
    asked = [sentence(group.changes[0].what) for group in found if not group.noted]
    assert sorted(asked) == [
        "a value is computed differently: a - b -> a + b",
        "different constant: None -> xmask",
    ]


def test_a_failing_case_is_told_by_what_fails_in_it() -> None:
    noted = replace(structural("a\n", "b\n", "post_grad_graph"), severity="note")
    failing = structural(KERNEL, KERNEL.replace("tmp0 - tmp1", "tmp0 + tmp1"))
    found, _ = change_groups([Waiting(((noted, "graph"), (failing, "kernel")))])
    assert [
        ([sentence(change.what) for change in group.changes], group.members)
        for group in found
    ] == [(["a value is computed differently: a - b -> a + b"], ("graph", "kernel"))]
    report = case_report("a", "t", [noted, failing])
    assert [change.text for change in report.changes] == [
        "a value is computed differently: a - b -> a + b"
    ] and report.divergence is not None
    assert report.divergence.stage == "triton_code"


def test_what_is_more_in_one_case_and_less_in_another_is_not_summed() -> None:
    """Neither is better, so that both have one verdict."""
    numbers = [
        MetricReport("flops", 100, 150, "changed"),
        MetricReport("flops", 100, 20, "changed"),
        MetricReport("flops", 200, 210, "changed"),
    ]
    assert [(cost.old, cost.new, cost.cases) for cost in sums(numbers)] == [
        (300, 360, 2),
        (100, 20, 1),
    ]


def test_numbers_that_are_only_cast_newly_are_no_other_numbers() -> None:
    """Each is compared with the one in its place, which may be the other."""
    old = KERNEL.replace(
        "    tl.store(out_ptr0 + (x0), tmp2, None)",
        "    tmp3 = tl.full([XBLOCK], 7, tl.int32)\n    tmp4 = tl.full([XBLOCK], 1009, tl.int32)\n"
        "    tl.store(out_ptr0 + (x0), tmp2 + tmp3, None)\n    tl.store(out_ptr0 + (x0), tmp2 * tmp4, None)",
    )
    new = re.sub(r"tl\.full\(.*\)", r"(\g<0>).to(tl.int32)", old)
    turned = new.replace("tmp2 + tmp3", "tmp2 + tmp4").replace("* tmp4", "* tmp3")
    assert not any("7 -> 1009" in said for said in labels(old, turned))


def test_results_that_are_masked_where_they_are_read_are_told_as_that() -> None:
    masked = KERNEL.replace("tmp0 - tmp1", "tl.where(x0 < 5, tmp0 - tmp1, 0.0)")
    (said,) = labels(KERNEL, masked)
    assert said.startswith(
        "what a kernel reads of its own results under a mask is masked"
    )


def test_a_number_in_code_that_cannot_be_read_is_that_of_no_value() -> None:
    kernel = """// graph_0: cpp_fused_0
extern "C"  void  kernel(const int64_t* in_ptr0, int64_t* out_ptr0)
{{
    auto tmp0 = in_ptr0[0];
{}    if ({}.is_masked(x0))
    out_ptr0[0] = tmp0;
}}
"""
    one = "    auto tmp1 = in_ptr0[1];\n"
    two = "    auto tmp1 = in_ptr0[2];\n    auto tmp2 = in_ptr0[1];\n"
    said = labels(
        kernel.format(one, "tmp1"), kernel.format(two, "tmp2"), "cpp_code", "cpp"
    )
    assert not any("value is computed" in each or "statements" in each for each in said)
