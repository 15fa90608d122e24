"""Costs are given to the changes whose kernels they are of, and what no change owns is said to be unexplained."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath
from typing import Literal

import pytest

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.changes.graphs import PassChanged
from pytest_compile_golden.changes.kernels import LeafChanged, ValueChanged
from pytest_compile_golden.changes.schedules import OperationsMoved
from pytest_compile_golden.changes.trail import (
    ContentsChanged,
    Decomposition,
    DecompositionsChanged,
)
from pytest_compile_golden.facts.costs import BufferLifetime, Liveness
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.arithmetic import same_everywhere
from pytest_compile_golden.formats.schedules.provenance import Kernel, Nodes
from pytest_compile_golden.formats.text import padding
from pytest_compile_golden.goldens.compare import Compared, change_edits, compare
from pytest_compile_golden.goldens.consequences import graph_differences, subjects
from pytest_compile_golden.goldens.distinct_changes import case_changes
from pytest_compile_golden.goldens.first_divergence import cause
from pytest_compile_golden.goldens.header import Header
from pytest_compile_golden.goldens.layout import GoldenPath
from pytest_compile_golden.goldens.store import StoredGolden
from pytest_compile_golden.messages.sentences import sentence
from pytest_compile_golden.report import overview
from pytest_compile_golden.report.case_groups import grouped, numbers_in, refuted
from pytest_compile_golden.report.cases import case_report
from pytest_compile_golden.report.counts import Counts
from pytest_compile_golden.report.model import (
    CaseReport,
    MetricReport,
    Outcome,
    Part,
    Report,
    ReportedChange,
    Side,
)
from pytest_compile_golden.stages import get_stage
from tests.trails import trail

# Forward stores what it only computed where it was used; backward copies what a library call reads. The graphs are the
# same but for a comparison, which moves nothing.
GRAPHS = """\
def graph_0_forward(primals_1: f32[64, 64]):
    log: f32[64, 64] = aten.log.default(primals_1)
    mm: f32[64, 64] = aten.mm.default(log, primals_1)
    sin: f32[64, 64] = aten.sin.default(log)
    return (mm, sin)


def graph_0_backward(tangents_1: f32[64, 64], primals_1: f32[64, 64]):
    {compares}: b8[64, 64] = aten.{compares}.Scalar(primals_1, 0)
    where: f32[64, 64] = aten.where.self({compares}, tangents_1, primals_1)
    cos: f32[64, 64] = aten.cos.default(tangents_1)
    convolution_backward: f32[64, 64] = aten.convolution_backward.default(cos)
    return (where, convolution_backward)
"""
FORWARD = """\
graph_0_forward:
  group 0: pointwise
{stored}    op1: pointwise
      buf1: f32[64, 64] cuda:0
      computes {computes}
      reads {reads}[c0]
      writes buf1[c0]
"""
STORED = """\
    op0: pointwise
      buf0: f32[64, 64] cuda:0
      computes aten.log.default
      reads primals_1[c0]
      writes buf0[c0]
"""
BACKWARD = """\

graph_0_backward:
  group 0: pointwise
    op0: pointwise
      buf0: f32[64, 64] cuda:0
      computes aten.{compares}.Scalar, aten.where.self
      reads primals_1[c0], tangents_1[c0]
      writes buf0[c0]
  group 1: pointwise
    op1: pointwise
      buf1: f32[64, 64] cuda:0
      computes aten.cos.default
      reads tangents_1[c0]
      writes buf1[c0]
{copied}  group 3: extern
    op3: extern ExternKernelOut extern_kernels.convolution_backward
      buf3: f32[64, 64] cuda:0
      computes aten.convolution_backward.default
      reads buf{of}
      writes buf3
"""
COPIED = """\
  group 2: pointwise
    op2: pointwise
      buf2: f32[64, 64] cuda:0
      computes aten.convolution_backward.default
      reads buf1[c0]
      writes buf2[c1 + 64*c0]
"""
COSTS = """\
graph_0_forward: launches 1, read 16384, written {written}, flops 0, peak_memory 1
  pointwise [{operators}]: launches 1, read 16384, written {written}, flops 0
graph_0_backward: launches 3, read 1, written 1, flops 0, peak_memory 1
  pointwise [{compares}, where]: launches 1, read 32768, written 16384, flops 0
  pointwise [cos]: launches 1, read 16384, written 16384, flops 0
{copied}  extern [convolution_backward]: launches 1, read 16384, written 16384, flops 0
"""
COPY = "  pointwise [convolution_backward]: launches 1, read 16384, written 16384, flops 0\n"
METRICS = "bytes_accessed = {}\nkernels = {}\n"


def artifacts(new: bool, bytes_accessed: int) -> dict[str, str]:
    """A case's texts on one side."""
    compares = "ge" if new else "gt"
    forward = FORWARD.format(
        stored=STORED * new,
        computes="aten.sin.default" if new else "aten.log.default, aten.sin.default",
        reads="buf0" if new else "primals_1",
    )
    backward = BACKWARD.format(
        compares=compares, copied=COPIED * new, of=2 if new else 1
    )
    costs = COSTS.format(
        compares=compares,
        written=32768 if new else 16384,
        operators="log, sin",
        copied=COPY * new,
    )
    return {
        "post_grad_graph": GRAPHS.format(compares=compares),
        "scheduler_nodes": forward + backward,
        "cost": costs,
        "metrics": METRICS.format(bytes_accessed, 3 + new),
    }


def differing(old: dict[str, str], new: dict[str, str]) -> list[Compared]:
    found = []
    for name, text in old.items():
        stage = get_stage(name)
        golden_path = GoldenPath(
            PurePosixPath("cases/test_a/test_b/cuda-sm90"), name, stage.extension
        )
        golden = StoredGolden(
            golden_path.versionless, Header(name, "2.13.0", None), text
        )
        found.append(compare(stage, golden_path, golden, new[name]))
    return found


def a_case(bytes_accessed: int, *without: str) -> CaseReport:
    sides = [
        {name: text for name, text in side.items() if name not in without}
        for side in (artifacts(False, 100_000), artifacts(True, bytes_accessed))
    ]
    return case_report(
        "cases/test_a.py::test_b[cuda-sm90]", "cuda-sm90", differing(*sides)
    )


def moved(case: CaseReport, name: str) -> dict[str, float]:
    """By how much each change moves a metric, by code."""
    codes = {change.key: change.code for change in case.changes}
    parts = next(metric.parts for metric in case.metrics if metric.name == name)
    return {codes.get(part.change, part.change): part.amount for part in parts}


def test_a_cost_belongs_to_the_change_whose_kernels_it_is_of() -> None:
    case = a_case(100_000 + 16384 + 32768)
    # The first divergence is a comparison; neither what is stored nor what is copied follows from it.
    assert [change.code for change in case.changes] == [
        "operators-changed",
        "results-stored",
        "inputs-copied-for",
    ]
    assert moved(case, "bytes_accessed") == {
        "results-stored": 16384,
        "inputs-copied-for": 32768,
    }
    assert moved(case, "kernels") == {"inputs-copied-for": 1}
    costs = {
        group.code: group.consequence.partition(",")[0] for group in grouped([case])
    }
    assert costs == {
        "operators-changed": "",
        "inputs-copied-for": "bytes_accessed +32.0 KiB of 97.7 KiB (+33 %)",
        "results-stored": "bytes_accessed +16.0 KiB of 97.7 KiB (+16 %)",
    }


def test_what_another_layout_costs_does_not_belong_to_a_decomposition() -> None:
    """Although the kernel computes what the operator is now decomposed into."""
    old, new = artifacts(False, 100_000), artifacts(True, 157_344)
    new["cost"] = new["cost"].replace("read 32768", "read 40960")
    steps = "dynamo_graph     3 nodes  {}\ndecompositions:\n  aten.mish.default -> aten.{}.Scalar, aten.where.self\n"
    program = "def graph_0(x: f32[64, 64]):\n    gelu: f32[64, 64]{} = torch.gelu(x)\n    return (gelu,)\n"
    for side, layout, compares in ((old, "", "gt"), (new, "[1, 64]", "ge")):
        side["dynamo_graph"] = program.format(layout)
        side["trail"] = trail(steps.format(compares * 2, compares))
    case = case_report("a[t]", "t", differing(old, new))
    assert {"type-changed", "decomposed-differently"} <= {
        change.code for change in case.changes
    }
    assert moved(case, "bytes_accessed") == {
        "type-changed": 8192,
        "results-stored": 16384,
        "inputs-copied-for": 32768,
    }


def test_a_copy_is_not_paired_with_the_call_that_it_is_for() -> None:
    """Although it has as much in common with the old call as the new call has."""
    sides = artifacts(False, 100_000), artifacts(True, 149_152)
    sides[0]["scheduler_nodes"] = sides[0]["scheduler_nodes"].replace(
        "reads buf1\n", "reads tangents_1\n"
    )
    for side, compares in zip(sides, ("gt", "ge"), strict=True):
        call, _, others = side["scheduler_nodes"].rpartition("computes ")
        side["scheduler_nodes"] = f"{call}computes aten.{compares}.Scalar, {others}"
        of = f"[{compares}, convolution_backward]"
        side["cost"] = side["cost"].replace(
            "extern [convolution_backward]", f"extern {of}"
        )
    case = case_report("a[t]", "t", differing(*sides))
    assert moved(case, "kernels") == {"inputs-copied-for": 1}
    assert moved(case, "bytes_accessed") == {
        "results-stored": 16384,
        "inputs-copied-for": 32768,
    }


def test_the_same_loads_and_stores_cost_the_same_however_torch_counts_them() -> None:
    old, new = artifacts(False, 100_000), artifacts(False, 116_384)
    old["post_grad_graph"] = old["post_grad_graph"].replace(
        "Scalar(primals_1, 0)", "Scalar(primals_1, 1)"
    )
    new["cost"] = new["cost"].replace(
        "[cos]: launches 1, read 16384", "[cos]: launches 1, read 32768"
    )
    case = case_report("a[t]", "t", differing(old, new))
    assert moved(case, "bytes_accessed") == {"counted otherwise": 16384}
    # What is read may be of another type than before.
    old["post_grad_graph"] = old["post_grad_graph"].replace(
        "tangents_1: f32", "tangents_1: f16"
    )
    case = case_report("a[t]", "t", differing(old, new))
    assert "counted otherwise" not in moved(case, "bytes_accessed")


def test_what_another_kernel_reads_now_is_stored_now() -> None:
    """A kernel that does the same as before leaves it in memory, instead of using it up itself."""
    sides = []
    for new in (False, True):
        texts = artifacts(False, 100_000 + 16384 * new)
        texts["post_grad_graph"] = texts["post_grad_graph"].replace(
            "Scalar(primals_1, 0)", f"Scalar(primals_1, {new:d})"
        )
        sine = OPERATION.format(number=9, computes="aten.sin.default", reads="buf1")
        texts["scheduler_nodes"] = texts["scheduler_nodes"].replace(
            "  group 3: extern", f"{sine}  group 3: extern"
        )
        texts["scheduler_nodes"] = texts["scheduler_nodes"].replace(
            "reads buf1\n", "reads buf1, buf9\n" if new else "reads buf9\n"
        )
        written = 32768 if new else 16384
        texts["cost"] = texts["cost"].replace(
            "[cos]: launches 1, read 16384, written 16384",
            f"[cos, sin]: launches 1, read 16384, written {written}",
        )
        sides.append(texts)
    case = case_report("a[t]", "t", differing(*sides))
    assert "counted otherwise" not in moved(case, "bytes_accessed")


def test_what_torch_counts_differently_is_no_cost() -> None:
    case = a_case(100_000 + 16384 + 32768 + 50_000)
    assert moved(case, "bytes_accessed")["counted otherwise"] == 50_000
    assert not case.why  # not only that is different
    # What only torch counts is left out of the verdict, and of the sums over cases.
    counts = Counts()
    counts.add_case(case)
    assert "bytes_accessed +48.0 KiB" in counts.headline()
    same = artifacts(False, 100_000)
    only = case_report(
        "a[t]", "t", differing(same, same | {"metrics": METRICS.format(150_000, 3)})
    )
    assert [
        metric.verdict for metric in only.metrics if metric.name == "bytes_accessed"
    ] == ["changed"]
    assert only.why == "the same runs; torch counts its bytes differently"


def test_what_no_change_owns_is_unexplained() -> None:
    # Without the graphs nothing shows that the schedule changed by itself, and the schedule is the first to differ.
    case = a_case(149_152, "post_grad_graph", "cost")
    assert (
        "unexplained" in moved(case, "bytes_accessed")
        or len(moved(case, "bytes_accessed")) == 1
    )
    lost = ReportedChange("scheduler_nodes", "2 kernels instead of 1", "lost", "fusion")
    parts = (Part("lost", 10.0), Part("unexplained", 20.0))
    metrics = (MetricReport("bytes_accessed", 100, 130, "REGRESSION", parts=parts),)
    cases = [CaseReport("a[t]", "t", "changed", changes=(lost,), metrics=metrics)]
    explained = {
        group.text.partition(":")[0]: group.consequence for group in grouped(cases)
    }
    assert explained == {
        "unexplained": "bytes_accessed +20 B of 100 B (+20 %)",
        "2 kernels instead of 1": "bytes_accessed +10 B of 100 B (+10 %)",
    }
    # A number of kernels is a whole one, also where it is a share of several.
    kernels = MetricReport(
        "kernels", 13, 11, "WIN", parts=(Part("lost", -1.0), Part("unexplained", -1.0))
    )
    cases = [replace(case, metrics=(*metrics, kernels)) for case in cases]
    report = Report("a", Side("old"), Side("new"), tuple(cases), grouped(cases))
    shown = "".join(text for _, text in overview.render(report))
    assert "(1 distinct change)" in shown
    assert [
        metric.new
        for metric in numbers_in(["lost"], cases[0])
        if metric.name == "kernels"
    ] == [12]
    assert "12.0" not in str(numbers_in(["lost"], cases[0]))


@pytest.mark.parametrize(
    ("guessed", "costs", "others", "owner"),
    [
        (True, 30, (0, 0), "unexplained"),
        (True, 30, (0, 10), "stored"),  # another case has it, too
        (True, 30, (), "stored"),  # no other case tells
        (False, 30, (0, 0), "stored"),  # its kernels show it
    ],
)
def test_a_cost_that_is_guessed_is_refuted_by_cases_with_the_change_alone(
    guessed: bool, costs: int, others: tuple[int, ...], owner: str
) -> None:
    def case(
        name: str, amount: int, guessed: bool, target: str = "cpu-avx2"
    ) -> CaseReport:
        change = ReportedChange(
            "scheduler_nodes", "results are stored", "stored", "fusion"
        )
        parts = (Part("stored", amount, guessed),) * bool(amount)
        metric = MetricReport(
            "bytes_accessed", 100, 100 + amount, "REGRESSION", parts=parts
        )
        return CaseReport(
            f"{name}[{target}]", target, "changed", changes=(change,), metrics=(metric,)
        )

    siblings = [
        case(f"other{number}", amount, False) for number, amount in enumerate(others)
    ]
    # For another target the change is another one.
    found = refuted(
        [case("a", costs, guessed), *siblings, case("a", 0, False, "cuda-sm90")]
    )
    assert [part.change for part in found[0].metrics[0].parts] == [owner]
    assert found[1:] == (*siblings, found[-1])


def test_what_only_one_change_is_left_for_is_guessed() -> None:
    def guessed(case: CaseReport) -> set[tuple[str, bool]]:
        return {
            (part.change, part.guessed)
            for metric in case.metrics
            for part in metric.parts
        }

    assert {known for _, known in guessed(a_case(149_152))} == {False}
    old, new = artifacts(False, 100_000), artifacts(True, 149_152)
    only = [
        {
            name: text
            for name, text in side.items()
            if name in ("post_grad_graph", "metrics")
        }
        for side in (old, new)
    ]
    assert {
        known for _, known in guessed(case_report("a[t]", "t", differing(*only)))
    } == {True}


def test_what_removes_a_product_with_1_reads_and_writes_nothing_less() -> None:
    """Also where nothing but passes says what changed, and what a wrapper checks moves nothing at all."""
    passes = "graph_0:\n  joint     constant_fold  {}\n      {}+aten.full.default\n"
    checks = "wrapper_code     9 lines  aaaa\n  # launch, {}\n"
    numbers = "bytes_accessed = {}\nflops = {}\n"
    old, new = (
        {
            "passes": passes.format(*did),
            "trail": trail(checks.format(checked)),
            "metrics": numbers.format(*moves),
        }
        for did, checked, moves in (
            (("9 -> 9", "-aten.scalar_tensor.default  "), "check_a", (4096, 900)),
            (
                ("9 -> 8", "-aten.mul.Tensor  -aten.scalar_tensor.default  "),
                "check_a, assert_tensor_metadata",
                (8192, 800),
            ),
        )
    )
    case = case_report("a[t]", "t", differing(old, new))
    assert moved(case, "bytes_accessed") == {"unexplained": 4096}
    assert moved(case, "flops") == {"pass-changed": -100}


def test_a_report_says_of_a_case_what_else_changed() -> None:
    case = a_case(100_000 + 16384 + 32768)
    report = Report("a", Side("old"), Side("new"), (case,), grouped([case]))
    lines = [text.strip() for _, text in overview.render(report)]
    also = [line for line in lines if line.startswith("also: ")]
    assert (
        "also: aten.gt -> aten.ge; results of aten.log are stored instead of inlined"
        in also
    )


def test_what_changes_results_comes_first_then_errors_then_costs_by_size() -> None:
    def changed(
        name: str,
        topic: str,
        amount: int = 0,
        outcome: Outcome = "changed",
        wrong: Literal["", "old", "new"] = "",
        error: str | None = None,
    ) -> CaseReport:
        change = ReportedChange("triton_code", name, name, topic)
        metric = MetricReport(
            "bytes_accessed",
            100,
            100 + amount,
            "REGRESSION",
            parts=(Part(name, amount),),
        )
        return CaseReport(
            f"{name}[t]",
            "t",
            outcome,
            changes=(change,),
            metrics=(metric,) * bool(amount),
            wrong=wrong,
            error=error,
        )

    cases = [
        changed("little", "library", 10),
        changed("much", "arithmetic", 50),
        changed("seed", "random"),
        changed(
            "mended",
            "arithmetic",
            90,
            outcome="fixed",
            wrong="old",
            error="wrong before",
        ),
        CaseReport("fails[t]", "t", "error", error="ValueError"),
        changed("wrong", "arithmetic", outcome="error", wrong="new", error="wrong now"),
    ]
    order = [group.text for group in grouped(cases)]
    assert order == ["wrong", "mended", "seed", "ValueError", "much", "little"]


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
    compared = [
        replace(each, known=(known[0], known[1]))
        if each.stage == "scheduler_nodes"
        else each
        for each in differing(*sides)
    ]
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
    compared = [
        replace(each, known=(known[0], known[1]))
        if each.stage == "scheduler_nodes"
        else each
        for each in differing(*sides)
    ]
    codes = [change.code for change in case_report("a[t]", "t", compared).changes]
    assert codes == ["operators-changed", "wrapper-checks", *told]


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
        ("assert_size_stride x2", "assert_size_stride, assert_tensor_metadata", True),
        # The same check, of several things at once.
        ("assert_size_stride x2", "assert_size_stride_grouped", False),
        # What is allocated besides may be checked in another way.
        ("assert_size_stride", "assert_alignment, allocation", False),
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
                alone.replace("131*x0", "7*x0").replace(
                    "tmp1, None", "tmp1 + tmp0, None"
                ),
            ),
        )
    ]
    ((change,), others) = (cases[0].changes, cases[1].secondary)
    assert change.key in {other.key for other in others}


VECTORS = """\
// graph_0: cpp_fused_0
extern "C" void kernel(const float* in_ptr0, float* out_ptr0)
{{
    for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(20L); x0+=static_cast<int64_t>(8L))
    {{
        if(C10_LIKELY(x0 >= static_cast<int64_t>(0) && x0 < static_cast<int64_t>(16L)))
        {{
            auto tmp0 = at::vec::Vectorized<float>::loadu(in_ptr0 + static_cast<int64_t>(x0), static_cast<int64_t>(8));
            auto tmp1 = tmp0.sin();
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
    ("before", "after", "told"),
    [
        ("aten.mul.Tensor, aten.sin.default", "aten.sin.default", ["scalar-tail"]),
        # What is new may be what has no vectors.
        ("aten.sin.default", "aten.erfinv.default, aten.sin.default", []),
    ],
)
def test_a_tail_that_is_scalar_follows_only_from_what_is_computed_newly(
    before: str, after: str, told: list[str]
) -> None:
    graph = "def graph_0(x: f32[20]):\n    {0}: f32[20] = aten.{0}.default(x)\n    return ({0},)\n"
    sides, known = [], []
    for operator, computes, tail in (
        ("abs", before, MASKED),
        ("neg", after, ONE_BY_ONE),
    ):
        operation = OPERATION.format(number=0, computes=computes, reads="x")
        schedule = f"graph_0:\n  group 0: pointwise\n{operation}"
        sides.append(
            {
                "post_grad_graph": graph.format(operator),
                "scheduler_nodes": schedule,
                "cpp_code": VECTORS.format(tail=tail),
            }
        )
        known.append(evidence.write(schedule, [Kernel(0, 0, "cpp_fused_0")]))
    compared = [
        replace(each, known=(known[0], known[1]))
        if each.stage == "scheduler_nodes"
        else each
        for each in differing(*sides)
    ]
    codes = [change.code for change in case_report("a[t]", "t", compared).changes]
    assert codes == ["operators-changed", *told]


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
    for operator, place in (("ge", "c0 % 128 % 64"), ("gt", index)):
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
        for new, operator, became in ((0, "ge", "MultiOutput"), (1, "gt", now))
    ]
    codes = [
        change.code for change in case_report("a[t]", "t", differing(*sides)).changes
    ]
    assert codes == ["operators-changed", *["not-unpacked"] * told]


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


TWO_LOGARITHMS = """\
def graph_0(x: f32[64, 64], y: f32[64, 64]):
    {compares}: b8[64, 64] = aten.{compares}.Scalar(x, 0)
    log: f32[64, 64] = aten.log.default(x)
    where: f32[64, 64] = aten.where.self({compares}, log, x)
    log_1: f32[64, 64] = aten.log.default(y)
    exp: f32[64, 64] = aten.exp.default(log_1)
    sin: f32[64, 64] = aten.sin.default(log_1)
    return (where, exp, sin)
"""
OPERATION = """\
    op{number}: pointwise
      buf{number}: f32[64, 64] cuda:0
      computes {computes}
      reads {reads}[c0]
      writes buf{number}[c0]
"""


ONE_LOOP = """\
// graph_0: cpp_fused_0
extern "C" void kernel(const float* in_ptr0, float* out_ptr0)
{{
    out_ptr0[{}] = in_ptr0[0];
}}
"""


def two_logarithms(
    read: int = 16384, *, exponential: bool = False, loops: bool = False
) -> tuple[list[dict[str, str]], dict[str, tuple[str, str]]]:
    """A case in which a logarithm is stored, and a comparison is another; and its evidence, by stage.

    read: bytes that the kernel with the comparison reads on the new side. exponential: whether that kernel computes the
    exponential of the logarithm, too. loops: whether both kernels are loops of one.
    """
    sides, known = [], []
    for compares, stored in (("gt", 0), ("ge", 1)):
        operations: list[tuple[str, str, tuple[str, ...]]]
        operations = [
            (
                f"aten.{compares}.Scalar, aten.log.default, aten.where.self",
                "x",
                (compares, "log", "where"),
            )
        ]
        if stored:
            operations += [
                ("aten.log.default", "y", ("log_1",)),
                ("aten.exp.default", "buf1", ("exp",)),
                ("aten.sin.default", "buf1", ("sin",)),
            ]
        else:
            operations += [
                ("aten.exp.default, aten.log.default", "y", ("exp", "log_1")),
                ("aten.log.default, aten.sin.default", "y", ("log_1", "sin")),
            ]
        names = [f"op{number}" for number in range(len(operations))]
        printed = [
            OPERATION.format(number=number, computes=computes, reads=reads)
            for number, (computes, reads, _) in enumerate(operations)
        ]
        schedule = "".join(
            [
                "graph_0:\n  group 0: pointwise\n",
                printed[0],
                "  group 1: pointwise\n",
                *printed[1:],
            ]
        )
        listed = "log, exp, sin" if stored else "exp, log, sin"
        written, peak = (49152, 65536) if stored else (32768, 49152)
        of_first = read if stored else 16384
        cost = (
            f"graph_0: launches 2, read {of_first + 16384}, written {written + 16384}, flops 0, peak_memory {peak}\n"
            f"  pointwise [{compares}, log, where]: launches 1, read {of_first}, written 16384, flops 0\n"
            f"  pointwise [{listed}]: launches 1, read 16384, written {written}, flops 0\n"
        )
        held = [
            BufferLifetime(f"buf{number}", 16384, 16384, min(number, 1), None)
            for number in range(len(operations))
        ]
        facts: list[Nodes | Kernel] = [
            Nodes(0, name, nodes)
            for name, (_, _, nodes) in zip(names, operations, strict=True)
        ]
        if exponential:
            first = printed.pop(1 + stored)
            schedule = "".join(
                [
                    "graph_0:\n  group 0: pointwise\n",
                    printed[0],
                    first,
                    "  group 1: pointwise\n",
                    *printed[1:],
                ]
            )
            cost = cost.replace(listed, "log, sin").replace("where]", "where, exp]")
        if loops:
            facts += [Kernel(0, group, "cpp_fused_0") for group in (0, 1)]
        moves = 100_000 + 16384 * stored + of_first
        metrics = METRICS.format(moves, 2) + f"peak_memory = {peak}\n"
        graph = TWO_LOGARITHMS.format(compares=compares)
        sides.append(
            {
                "post_grad_graph": graph,
                "scheduler_nodes": schedule,
                "cost": cost,
                "metrics": metrics,
            }
            | ({"cpp_code": ONE_LOOP.format(stored)} if loops else {})
        )
        liveness = [Liveness("graph_0", ("op0", "_".join(names[1:])), tuple(held))]
        known.append((evidence.write(schedule, facts), evidence.write(cost, liveness)))
    of_schedule, of_cost = zip(*known, strict=True)
    return sides, {"scheduler_nodes": of_schedule, "cost": of_cost}


def test_what_becomes_of_the_same_nodes_follows_from_no_other_node() -> None:
    """A logarithm is stored, and a comparison is another; that this is of another logarithm only the nodes show."""
    sides, known = two_logarithms()
    every = differing(*sides)
    compared = [
        replace(each, known=known.get(each.stage, each.known)) for each in every
    ]
    case = case_report("a[t]", "t", compared)
    assert [change.code for change in case.changes] == [
        "operators-changed",
        "results-stored",
    ]
    assert moved(case, "bytes_accessed") == {"results-stored": 16384}
    # Without that evidence, both are about logarithms, and the first may have made the second.
    assert [change.code for change in case_report("a[t]", "t", every).changes] == [
        "operators-changed"
    ]


@pytest.mark.parametrize(
    ("exponential", "loops", "owners"),
    [
        (True, False, {"results-stored": 32768}),
        (False, True, {"operators-changed": 16384, "results-stored": 16384}),
    ],
)
def test_what_one_side_alone_stores_is_a_cost_of_what_stores_it(
    exponential: bool, loops: bool, owners: dict[str, int]
) -> None:
    """Although a kernel that reads it computes what is another operator now, too; and of a kernel with several loops,
    each for itself."""
    sides, known = two_logarithms(32768, exponential=exponential, loops=loops)
    compared = [
        replace(each, known=known.get(each.stage, each.known))
        for each in differing(*sides)
    ]
    assert moved(case_report("a[t]", "t", compared), "bytes_accessed") == owners


def test_what_is_no_longer_stored_for_a_node_that_is_gone_follows_from_that() -> None:
    """Although the node that was stored, and the one that has been given it in a kernel of its own, are the same."""
    graph = (
        "def graph_0(x: f32[64, 64], y: f32[64, 64]):\n"
        "    add: f32[64, 64] = aten.add.Tensor(x, y)\n"
        "    sin: f32[64, 64] = aten.sin.default(add)\n"
        "{}    return (sin, {})\n"
    )
    reciprocal = "    reciprocal: f32[64, 64] = aten.reciprocal.default(add)\n"
    sigmoid = "    sigmoid: f32[64, 64] = aten.sigmoid.default(x)\n"
    old = [
        ("aten.add.Tensor", "x[c0], y", ("add",)),
        ("aten.sin.default", "buf0", ("sin",)),
        ("aten.reciprocal.default", "buf0", ("reciprocal",)),
    ]
    new = [
        ("aten.add.Tensor, aten.sin.default", "x[c0], y", ("add", "sin")),
        ("aten.sigmoid.default", "x", ("sigmoid",)),
    ]
    sides, known = [], []
    for line, returned, operations in (
        (reciprocal, "reciprocal", old),
        (sigmoid, "sigmoid", new),
    ):
        groups, costs = [], []
        for number, (computes, reads, _) in enumerate(operations):
            operation = OPERATION.format(number=number, computes=computes, reads=reads)
            groups.append(f"  group {number}: pointwise\n{operation}")
            names = ", ".join(part.split(".")[1] for part in computes.split(", "))
            costs.append(
                f"  pointwise [{names}]: launches 1, read 16384, written 16384, flops 0\n"
            )
        schedule = "graph_0:\n" + "".join(groups)
        moves = 32768 * len(operations)
        number = len(operations)
        moved_so = f"read {moves // 2}, written {moves // 2}"
        total = f"graph_0: launches {number}, {moved_so}, flops 0, peak_memory 1\n"
        sides.append(
            {
                "post_grad_graph": graph.format(line, returned),
                "scheduler_nodes": schedule,
                "cost": total + "".join(costs),
                "metrics": METRICS.format(moves, len(operations)),
            }
        )
        facts = [
            Nodes(0, f"op{number}", nodes)
            for number, (_, _, nodes) in enumerate(operations)
        ]
        known.append(evidence.write(schedule, facts))
    compared = [
        replace(each, known=(known[0], known[1]))
        if each.stage == "scheduler_nodes"
        else each
        for each in differing(*sides)
    ]
    case = case_report("a[t]", "t", compared)
    assert [change.code for change in case.changes] == ["operators-changed"]
    assert moved(case, "bytes_accessed") == {"operators-changed": -32768}


@pytest.mark.parametrize(
    ("told", "owner"), [("cost", "results-stored"), ("", "unexplained")]
)
def test_what_is_held_at_once_belongs_to_the_change_of_its_buffers(
    told: str, owner: str
) -> None:
    """Of two kernels that differ, only one makes a buffer that is held on one side alone."""
    sides, known = two_logarithms(read=32768)
    stages = {told, "scheduler_nodes"}
    compared = [
        replace(each, known=known.get(each.stage, each.known))
        if each.stage in stages
        else each
        for each in differing(*sides)
    ]
    case = case_report("a[t]", "t", compared)
    assert moved(case, "bytes_accessed") == {
        "operators-changed": 16384,
        "results-stored": 16384,
    }
    assert moved(case, "peak_memory") == {owner: 16384}


def test_one_value_in_another_buffer_is_not_held_less_and_more() -> None:
    """The old side is given as many bytes as the new one makes, and it is known only why the latter are held."""
    sides, known = two_logarithms()
    new_known = []
    for number, (side, text_known) in enumerate(zip(sides, known["cost"], strict=True)):
        peak, given = (49152, ("buf7", 16384)), ("buf8", 64)
        before, (name, nbytes) = (65536, given) if number else peak
        (facts,) = evidence.read(text_known, side["cost"], Liveness)
        buffers = (*facts.buffers, BufferLifetime(name, nbytes, nbytes, 0, None))
        for stage in ("cost", "metrics"):
            side[stage] = side[stage].replace(str(before), str(before + nbytes))
        held = Liveness(facts.graph, facts.steps, buffers)
        new_known.append(evidence.write(side["cost"], [held]))
    known["cost"] = (new_known[0], new_known[1])
    compared = [
        replace(each, known=known.get(each.stage, each.known))
        for each in differing(*sides)
    ]
    case = case_report("a[t]", "t", compared)
    assert moved(case, "peak_memory") == {"unexplained": 64}


def test_a_part_that_goes_the_other_way_than_its_case_is_neither_better_nor_worse() -> (
    None
):
    parts = {"a": 3000.0, "b": -1000.0, "c": 5.0}
    changes = tuple(
        ReportedChange("scheduler_nodes", f"change {key}", key, "fusion")
        for key in parts
    )
    peak = MetricReport(
        "peak_memory",
        10_000,
        12_005,
        "REGRESSION",
        parts=tuple(Part(key, amount) for key, amount in parts.items()),
    )
    cases = tuple(
        CaseReport(name, "t", "changed", changes=changes[number:], metrics=(peak,))
        for number, name in enumerate(("x[t]", "y[t]", "z[t]"))
    )
    (metric,) = numbers_in(["a"], cases[0])
    assert (metric.new, metric.verdict, metric.whole) == (13_000, "REGRESSION", False)
    assert [numbers_in([key], cases[0])[0].verdict for key in "bc"] == [
        "changed",
        "small",
    ]
    report = Report("a", Side("old"), Side("new"), cases, grouped(cases))
    shown = [text for _, text in overview.render(report)]
    # No number is printed that no case has, and what moves by a percent is told, whichever way the case goes.
    assert "  peak_memory +2.9 KiB of 9.8 KiB (+30 %)" in shown
    start = shown.index("changes that move no metric by 1 %:")
    assert any(line == "2 cases: change b" for line in shown[:start])
    assert "change c" in shown[start + 1]
    assert "12.7 KiB" not in "".join(shown) and "WIN" not in "".join(shown)


@pytest.mark.parametrize(
    ("traced", "told"),
    [("cccc", ["operators-changed", "pass-changed"]), ("dddd", ["operators-changed"])],
)
def test_a_pass_that_is_given_the_same_graph_follows_from_nothing_before_it(
    traced: str, told: list[str]
) -> None:
    """Dynamo writes a transposition otherwise, and a product by one is folded away."""
    passes = "graph_0:\n  joint     fold  4 -> 4\n      -aten.mul.Tensor  +aten.full.default\n"
    steps = "dynamo_graph     3 nodes  {}\n  # input, {}, output\naot_graph        3 nodes  {}\n"
    graph = "def graph_0(x: f32[8, 8]):\n    y: f32[8, 8][1, 8] = {}\n    return (y,)\n"
    compared = [
        Compared(stage, "structural", *texts, None, PurePosixPath(f"{stage}.txt"))
        for stage, texts in (
            (
                "dynamo_graph",
                (graph.format("getattr(x, 'T')"), graph.format("torch.aten.mT(x)")),
            ),
            (
                "passes",
                (
                    passes,
                    passes.replace("4 -> 4", "4 -> 3").replace(
                        "  +aten.full.default", ""
                    ),
                ),
            ),
            (
                "trail",
                (
                    trail(steps.format("aaaa", "getattr", "cccc")),
                    trail(steps.format("bbbb", "aten.mT", traced)),
                ),
            ),
        )
    ]
    assert [
        change.code for change in case_changes(compared, cause(compared)).own
    ] == told


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


FOLDED = """\
def graph_0(x: f32[8], y: f32[8]):
    {compares}: b8[8] = aten.{compares}.Scalar(x, 0)
    where: f32[8] = aten.where.self({compares}, x, y)
    neg: f32[8] = aten.neg.default({negated})
    return (where, neg)
"""
ADDED = FOLDED.replace(
    "    neg:", "    add: f32[8] = aten.add.Tensor({added}, 0)\n    neg:"
)


@pytest.mark.parametrize(
    ("added", "told"),
    [("y", ["contents-changed", "pass-changed"]), ("where", ["contents-changed"])],
)
def test_a_pass_that_changes_other_nodes_follows_from_nothing_before_it(
    added: str, told: list[str]
) -> None:
    """Another comparison is traced, and a sum with zero is folded away: of another value, or of what is compared."""
    passes = "graph_0:\n  joint     fold  5 -> {}\n{}"
    graphs = (
        ADDED.format(compares="ge", added=added, negated="add"),
        FOLDED.format(compares="gt", negated=added),
    )
    compared = [
        Compared(stage, "structural", *texts, None, PurePosixPath(f"{stage}.txt"))
        for stage, texts in (
            ("joint_graph", graphs),
            (
                "passes",
                (passes.format(5, ""), passes.format(4, "      -aten.add.Tensor\n")),
            ),
            (
                "trail",
                (
                    trail(
                        "aot_graph        5 nodes  aaaa\n  # aten.ge, aten.where, output\n"
                    ),
                    trail(
                        "aot_graph        5 nodes  bbbb\n  # aten.gt, aten.where, output\n"
                    ),
                ),
            ),
        )
    ]
    assert [
        change.code for change in case_changes(compared, cause(compared)).own
    ] == told


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("aten.mul x4, aten.sub", "aten.mul x2, aten.addcmul", True),
        # Of more products, more may be ones with 1.
        ("aten.mul, aten.sub", "aten.mul x2, aten.addcmul", False),
    ],
)
@pytest.mark.parametrize("removed", ["-aten.mul.Tensor x2", "-aten.mul.Tensor"])
def test_a_pass_that_removes_what_it_left_before_follows_from_nothing_before_it(
    old: str, new: str, told: bool, removed: str
) -> None:
    """Although what is traced otherwise is about the same operator."""
    passes = "graph_0:\n  joint     fold  {}\n      {}\n"
    compared = [
        Compared(stage, "structural", *texts, None, PurePosixPath(f"{stage}.txt"))
        for stage, texts in (
            (
                "passes",
                (
                    passes.format("9 -> 9", "same operators, other order or arguments"),
                    passes.format("8 -> 6", removed),
                ),
            ),
            (
                "trail",
                (
                    trail(f"aot_graph        9 nodes  aaaa\n  # {old}, output\n"),
                    trail(f"aot_graph        8 nodes  bbbb\n  # {new}, output\n"),
                ),
            ),
        )
    ]
    own = case_changes(compared, cause(compared)).own
    assert [change.code for change in own] == [
        "contents-changed",
        *["pass-changed"] * told,
    ]


def test_a_pass_that_removes_what_has_no_effect_is_one_change_whatever_it_removes() -> (
    None
):
    def removes(*operators: str, name: str = "fold") -> PassChanged:
        return PassChanged(
            "joint", name, removed=tuple((operator, 1) for operator in operators)
        )

    assert removes("aten.mul").key == removes("aten.add", "aten.mul").key
    # One of torch's lists has many patterns.
    assert (
        removes("aten.mul", name="pass_pattern_0").key
        != removes("aten.add", name="pass_pattern_0").key
    )


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
        for digest, name in (("aaaa", "ge"), ("bbbb", "gt"))
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
        == "fused otherwise, in as many kernels: (sin, cos) + exp -> sin + (cos, exp)"
    )
    padded = [
        text.replace("x[c0]", f"x[{stride}*c0 + c1]")
        for text, stride in ((old, 130), (new, 160))
    ]
    edits = change_edits(
        Compared("scheduler_nodes", "structural", padded[0], padded[1], None, path)
    )
    assert ("rows-padded", False) in {(edit.code, edit.follows) for edit in edits}


def test_what_is_stored_is_told_of_each_graph() -> None:
    """A trail counts over all graphs; in the one that costs less, something else is inlined."""
    old, new = artifacts(True, 116_384), artifacts(False, 100_000)
    for side, lowered in ((old, "Pointwise"), (new, "ComputedBuffer")):
        side["post_grad_graph"] = GRAPHS.format(compares="ge")
        side["scheduler_nodes"] = side["scheduler_nodes"].replace(
            "aten.gt.", "aten.ge."
        )
        side["cost"] = side["cost"].replace("[gt, where]", "[ge, where]")
        side["trail"] = trail(f"lowerings:\n  aten.log.default -> {lowered} [2]\n")
    case = case_report("a[t]", "t", differing(old, new))
    stored = [change.text for change in case.changes if change.code == "results-stored"]
    assert len(stored) == 2 and "inlined" in stored[1], stored


def test_a_graph_differs_in_what_it_returns() -> None:
    texts = artifacts(False, 0)
    kept = texts | {
        "post_grad_graph": texts["post_grad_graph"].replace(
            "return (mm, sin)", "return (mm, log)"
        )
    }
    found = graph_differences(differing(texts, kept))
    assert found["graph_0_forward"].operators == {"sin", "log"}
    assert not found["graph_0_forward"].new
    assert not found["graph_0_backward"].operators


def test_what_a_partition_computes_again_depends_on_the_program() -> None:
    def partition(operator: str, after: int) -> PassChanged:
        nodes = ((10, 10), (10, after))
        return PassChanged(
            "partition",
            "min_cut_rematerialization_partition",
            made=((operator, 1),),
            nodes=nodes,
        )

    assert partition("aten.ne", 11).key == partition("aten.sub", 12).key
    assert partition("aten.ne", 11).key != partition("aten.ne", 9).key
    # Random numbers that are drawn again are another decision.
    assert (
        partition("aten.ne", 11).key
        != partition("higher_order.run_with_rng_state", 11).key
    )


MERGED = """\
def {name}(x: f32[8], y: f32[8]):
    sub: f32[8] = aten.sub.Tensor(x, y)
    sub_1: f32[8] = aten.sub.Tensor({of}, y)
    {operator}: f32[8] = aten.{operator}.default(sub)
    return (sub, sub_1, {operator})
"""


@pytest.mark.parametrize(
    ("joint", "before", "told"),
    [
        ("x", "y", ["contents-changed", "pass-changed"]),
        # Both sides leave them.
        ("x", "x", ["contents-changed"]),
        # Nothing was to be merged.
        ("y", "y", ["contents-changed"]),
    ],
)
def test_equal_nodes_that_a_partitioner_leaves_follow_from_nothing_before_it(
    joint: str, before: str, told: list[str]
) -> None:
    """Also where another change is near to them."""
    passes = "graph_0:\n  partition min_cut  9 -> {}\n      -aten.sub.Tensor{}\n".format
    graphs = [
        [
            MERGED.format(name=name, of=of, operator=operator)
            for of, operator in ((old, "abs"), (new, "neg"))
        ]
        for name, old, new in (
            ("graph_0_joint", joint, joint),
            ("graph_0_forward", before, "x"),
        )
    ]
    compared = [
        Compared(stage, "structural", *texts, None, PurePosixPath(f"{stage}.txt"))
        for stage, texts in (
            ("joint_graph", (graphs[0][0], graphs[0][1])),
            ("forward_graph", (graphs[1][0], graphs[1][1])),
            ("passes", (passes(7, " x2"), passes(8, ""))),
            (
                "trail",
                (
                    trail("aot_graph        9 nodes  aaaa\n  # aten.abs, output\n"),
                    trail("aot_graph        9 nodes  bbbb\n  # aten.neg, output\n"),
                ),
            ),
        )
    ]
    own = case_changes(compared, cause(compared)).own
    assert [change.code for change in own] == told


@pytest.mark.parametrize(
    ("of", "owner"), [("x", "pass-changed"), ("y", "contents-changed")]
)
def test_what_is_computed_twice_costs_what_leaves_it_so(of: str, owner: str) -> None:
    """Although the kernel that does computes another operator, too."""
    sides, known = [], []
    for operator, second, read in (("abs", "y", 64), ("neg", of, 96)):
        graph = MERGED.format(name="graph_0_forward", of=second, operator=operator)
        schedule = "graph_0_forward:\n  group 0: pointwise\n" + "".join(
            OPERATION.format(number=number, computes=computes, reads="x[c0], y")
            for number, computes in enumerate(
                ("aten.sub.Tensor", f"aten.sub.Tensor, aten.{operator}.default")
            )
        )
        moves = f"launches 1, read {read}, written 64, flops 0"
        joint = MERGED.format(name="graph_0_joint", of="x", operator=operator)
        steps = (
            f"aot_graph        9 nodes  {operator * 2}\n  # aten.{operator}, output\n"
        )
        left = 8 if second == "x" else 7
        twice = "" if second == "x" else " x2"
        sides.append(
            {
                "joint_graph": joint,
                "forward_graph": graph,
                "post_grad_graph": graph,
                "passes": f"graph_0:\n  partition min_cut  9 -> {left}\n      -aten.sub.Tensor{twice}\n",
                "scheduler_nodes": schedule,
                "cost": f"graph_0_forward: {moves}, peak_memory 1\n  pointwise [sub, {operator}]: {moves}\n",
                "trail": trail(steps),
                "metrics": METRICS.format(read + 64, 1),
            }
        )
        nodes = Nodes(0, "op0", ("sub_1",)), Nodes(0, "op1", ("sub", operator))
        known.append(evidence.write(schedule, nodes))
    compared = [
        replace(each, known=(known[0], known[1]))
        if each.stage == "scheduler_nodes"
        else each
        for each in differing(*sides)
    ]
    case = case_report("a[t]", "t", compared)
    assert moved(case, "bytes_accessed") == {owner: 32}


JOINT = """\
def graph_0_joint(primals_1: f32[64, 64], tangents_1: f32[64, 64]):
    log: f32[64, 64] = aten.log.default(primals_1)
    mm: f32[64, 64] = aten.mm.default(log, primals_1)
    {compares}: b8[64, 64] = aten.{compares}.Scalar(primals_1, 0)
    where: f32[64, 64] = aten.where.self({compares}, tangents_1, {of})
    return (mm, where)
"""
KEPT = """\
def graph_0_forward(primals_1: f32[64, 64]):
    log: f32[64, 64] = aten.log.default(primals_1)
    mm: f32[64, 64] = aten.mm.default(log, primals_1)
    return (mm, primals_1{returned})


graph_0_forward_saves = [primals_1{returned}]
"""


@pytest.mark.parametrize(
    ("of", "owner"), [("primals_1", "unexplained"), ("log", "operators-changed")]
)
def test_what_forward_keeps_belongs_to_a_change_of_what_is_near_to_it(
    of: str, owner: str
) -> None:
    """A comparison does not make forward keep a logarithm, unless it is of that."""
    old, new = (
        {
            "joint_graph": JOINT.format(compares=compares, of=of).replace(
                "primals_1, 0", f"{of}, 0"
            ),
            "forward_graph": KEPT.format(returned=returned),
            "metrics": f"saved_bytes = {saved}\n",
        }
        for compares, returned, saved in (("gt", "", 0), ("ge", ", log", 16384))
    )
    case = case_report(
        "cases/test_a.py::test_b[cuda-sm90]", "cuda-sm90", differing(old, new)
    )
    assert moved(case, "saved_bytes") == {owner: 16384}


@pytest.mark.parametrize(
    ("holds_most", "owner"),
    [("forward", "results-stored"), ("backward", "inputs-copied-for")],
)
def test_what_is_held_at_once_belongs_to_what_changed_in_the_graph_that_holds_most(
    holds_most: str, owner: str
) -> None:
    sides = artifacts(False, 100_000), artifacts(True, 149_152)
    for side, peak in zip(sides, (60_000, 90_000), strict=True):
        lines = side["cost"].splitlines(keepends=True)
        graph = f"graph_0_{holds_most}:"
        held = [
            line.replace("peak_memory 1", f"peak_memory {peak}")
            if line.startswith(graph)
            else line
            for line in lines
        ]
        side |= {
            "cost": "".join(held),
            "metrics": f"{side['metrics']}peak_memory = {peak}\n",
        }
    case = case_report(
        "cases/test_a.py::test_b[cuda-sm90]", "cuda-sm90", differing(*sides)
    )
    assert moved(case, "peak_memory") == {owner: 30_000}
