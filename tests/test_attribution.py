"""Costs are given to the changes whose kernels they are of, and what no change owns is said to be unexplained."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath
from typing import Literal

import pytest

from pytest_compile_golden.facts.costs import BufferLifetime, Liveness
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.schedules.provenance import Kernel, Nodes
from pytest_compile_golden.goldens.compare_artifact import Compared, compare
from pytest_compile_golden.goldens.golden_header import Header
from pytest_compile_golden.goldens.golden_paths import GoldenPath
from pytest_compile_golden.goldens.golden_store import StoredGolden
from pytest_compile_golden.report import terminal_report
from pytest_compile_golden.report.case_groups import grouped, numbers_in, refuted
from pytest_compile_golden.report.case_report import case_report
from pytest_compile_golden.report.model import (
    CaseReport,
    MetricReport,
    Outcome,
    Part,
    Report,
    ReportedChange,
    Side,
)
from pytest_compile_golden.report.run_summary import Counts
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
    compares = "ge" if new else "ne"
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
    for side, layout, compares in ((old, "", "ne"), (new, "[1, 64]", "ge")):
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
    for side, compares in zip(sides, ("ne", "ge"), strict=True):
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
    report = Report("a", Side("old"), Side("new"), (case,), grouped([case]))
    shown = [text.strip() for _, text in terminal_report.render(report)]
    told = next(at for at, text in enumerate(shown) if "counted otherwise" in text)
    assert shown[told].startswith("1 case: counted otherwise: torch counts")
    assert shown[told + 1] == "bytes_accessed +48.8 KiB of 97.7 KiB (+50 %)"
    counted = [group for group in report.groups if group.is_of_no_change]
    assert [(group.verdict, group.worse) for group in counted] == [("", False)]
    assert f"({len(report.groups) - 1} distinct changes" in shown[-1]
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
    shown = "".join(text for _, text in terminal_report.render(report))
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


def test_what_removes_a_product_with_1_makes_nothing_more() -> None:
    graph = "def graph_0(x: f32[8]):\n{}    sin: f32[8] = aten.sin.default({})\n    return (sin,)\n"
    product = "    mul: f32[8] = aten.mul.Tensor(x, 1.0)\n"
    sides = []
    for line, of, removed, operators, read in (
        (product, "mul", "", "mul, sin", 32),
        ("", "x", "  -aten.mul.Tensor", "sin", 64),
    ):
        computes = ", ".join(
            f"aten.{name}.default" for name in operators.split(", ")
        ).replace("mul.default", "mul.Tensor")
        operation = OPERATION.format(number=0, computes=computes, reads="x")
        moves = f"launches 1, read {read}, written 32, flops 0"
        sides.append(
            {
                "post_grad_graph": graph.format(line, of),
                "passes": f"graph_0:\n  joint     fold  9 -> {8 - len(removed) // 9}\n      -aten.ne.Scalar{removed}\n",
                "scheduler_nodes": f"graph_0:\n  group 0: pointwise\n{operation}",
                "cost": f"graph_0: {moves}, peak_memory 1\n  pointwise [{operators}]: {moves}\n",
                "metrics": METRICS.format(read + 32, 1),
            }
        )
    case = case_report("a[t]", "t", differing(*sides))
    assert [change.code for change in case.changes] == ["pass-changed"]
    assert moved(case, "bytes_accessed") == {"unexplained": 32}


def test_a_guess_that_goes_the_other_way_than_what_is_unexplained_is_none() -> None:
    """A kernel that is gone, and two that came in its place in another graph: which of them a product with 1 has to do
    with, nothing says."""
    sides = []
    for removed, forward, backward in (
        ("", ["sin"], ["neg", "cos"]),
        ("  -aten.mul.Tensor", ["sin", "exp", "tan"], ["neg"]),
    ):
        texts = {"post_grad_graph": "", "scheduler_nodes": "", "cost": ""}
        for name, calls in (("forward", forward), ("backward", backward)):
            of, product = (
                ("x", "") if removed else ("mul", "    mul = aten.mul.Tensor(x, 1.0)\n")
            )
            lines = [f"    {call} = aten.{call}.default({of})\n" for call in calls]
            texts["post_grad_graph"] += (
                f"def graph_0_{name}(x: f32[8]):\n{product}{''.join(lines)}    return ({', '.join(calls)},)\n\n\n"
            )
            groups = [
                f"  group {number}: pointwise\n"
                + OPERATION.format(
                    number=number, computes=f"aten.{call}.default", reads="x"
                )
                for number, call in enumerate(calls)
            ]
            texts["scheduler_nodes"] += f"graph_0_{name}:\n{''.join(groups)}\n"
            kernels = [
                f"  pointwise [{call}]: launches 1, read 32, written 32, flops 0\n"
                for call in calls
            ]
            texts["cost"] += (
                f"graph_0_{name}: launches {len(calls)}, read 32, written 32, flops 0, peak_memory 1\n"
                + "".join(kernels)
            )
        texts["passes"] = (
            f"graph_0:\n  joint     fold  9 -> {8 - len(removed) // 9}\n      -aten.ne.Scalar{removed}\n"
        )
        texts["metrics"] = f"kernels = {len(forward + backward)}\n"
        sides.append(texts)
    case = case_report("a[t]", "t", differing(*sides))
    assert [change.code for change in case.changes] == ["pass-changed"]
    assert moved(case, "kernels") == {"unexplained": 1}


SIZED = """\
graph_0:
  group 0: pointwise
    op0: pointwise
      buf0: f32[s77, {size}] cuda:0
      computes aten.sin.default
      reads x[c0]
      writes buf0[c0]
{apart}    op1: pointwise
      buf1: f32[s77, {size}] cuda:0
      computes aten.cos.default
      reads buf0[c0]
      writes buf1[c0]
"""
CONSTANT = """\
graph_0 forward:
  symbol s53: L['x'].size()[1], 40 in [2, int_oo]; dynamic=True
{}"""
MADE_CONSTANT = (
    "  guard Eq(s53, 40)  # f: y, by torch/_inductor/kernel/conv.py: {0}\n"
    "  specialised s53 = 40; range_refined_to_singleton  # f: y, by torch/_inductor/kernel/conv.py: {0}\n"
)


@pytest.mark.parametrize(
    ("size", "owner"), [("s53", "entries-changed"), ("40", "fusion-lost")]
)
def test_what_a_size_costs_that_is_no_constant_belongs_to_what_made_it_one(
    size: str, owner: str
) -> None:
    """If results have that size now: kernels that are no longer fused follow from it."""
    graph = (
        "def graph_0(x: f32[s77, s53]):\n    sin: f32[s77, s53] = aten.sin.default(x)\n"
    )
    graph += "    cos: f32[s77, s53] = aten.cos.default(sin)\n    return (sin, cos)\n"
    sides = [
        {
            "post_grad_graph": graph,
            "specialisations": CONSTANT.format(constant),
            "scheduler_nodes": SIZED.format(size=size, apart=apart),
            "cost": f"graph_0: launches {len(kernels)}, read 64, written 64, flops 0, peak_memory 1\n"
            + "".join(
                f"  pointwise [{names}]: launches 1, read {read}, written 32, flops 0\n"
                for names, read in kernels
            ),
            "metrics": METRICS.format(64 * len(kernels), len(kernels)),
        }
        for size, constant, apart, kernels in (
            ("40", MADE_CONSTANT.format("lower"), "", [("sin, cos", 32)]),
            (size, "", "  group 1: pointwise\n", [("sin", 32), ("cos", 32)]),
        )
    ]
    case = case_report("a[t]", "t", differing(*sides))
    assert moved(case, "bytes_accessed") == {owner: 64}
    assert moved(case, "kernels") == {owner: 1}


def test_a_report_says_of_a_case_what_else_changed() -> None:
    case = a_case(100_000 + 16384 + 32768)
    report = Report("a", Side("old"), Side("new"), (case,), grouped([case]))
    lines = [text.strip() for _, text in terminal_report.render(report)]
    also = [line for line in lines if line.startswith("also: ")]
    assert (
        "also: aten.ne -> aten.ge; results of aten.log are stored instead of inlined"
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
    for compares, stored in (("ne", 0), ("ge", 1)):
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


ROW = """\
# graph_0: triton_red_fused_0
@triton_heuristics.{}(
    size_hints={{'x': 64}},
    filename=__file__,
)
@triton.jit
def triton_red_fused_0(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    tmp0 = tl.load(in_ptr0 + 0)
    tl.store(out_ptr0 + 0, tmp0)
"""


@pytest.mark.parametrize(
    ("operator", "nest", "read", "owner"),
    [
        ("maximum", "reduction", 16384, "operators-changed"),
        ("relu", "persistent_reduction", 0, "loop-nest"),
        ("relu", "reduction", 0, "unexplained"),
    ],
)
def test_what_no_buffer_shows_is_guessed_to_be_of_all_that_differs_in_its_graph(
    operator: str, nest: str, read: int, owner: str
) -> None:
    """Whatever the order in which the graph runs then; what a row that is held at once makes unneeded shows nowhere."""
    sides: list[dict[str, str]] = []
    known: list[dict[str, str]] = []
    for name, kind, more in (("relu", "reduction", 0), (operator, nest, read)):
        graph = (
            "def graph_0(x: f32[64, 64], y: f32[64, 64]):\n"
            f"    first: f32[64, 64] = aten.{name}.default(x{', y' if more else ''})\n"
            "    sin: f32[64, 64] = aten.sin.default(y)\n"
            "    return (first, sin)\n"
        )
        operations = [
            OPERATION.format(number=number, computes=f"aten.{of}.default", reads=reads)
            for number, (of, reads) in enumerate(
                ((name, "x[c0], y" if more else "x"), ("sin", "y"))
            )
        ]
        schedule = "graph_0:\n" + "".join(
            f"  group {number}: pointwise\n{operation}"
            for number, operation in enumerate(operations)
        )
        new = len(sides)
        # What is held besides is of no operation that differs.
        made = 16384 * (1 + new)
        held = (
            BufferLifetime("buf0", 16384, 16384, 0, None),
            BufferLifetime("buf1", made, made, 1, None),
        )
        peak = 16384 + made
        cost = (
            f"graph_0: launches 2, read {32768 + more}, written 32768, flops 0, peak_memory {peak}\n"
            f"  pointwise [{name}]: launches 1, read {16384 + more}, written 16384, flops 0\n"
            "  pointwise [sin]: launches 1, read 16384, written 16384, flops 0\n"
        )
        sides.append(
            {
                "post_grad_graph": graph,
                "scheduler_nodes": schedule,
                "cost": cost,
                "metrics": METRICS.format(65536 + more, 2) + f"peak_memory = {peak}\n",
            }
            | ({} if read else {"triton_code": ROW.format(kind)})
        )
        nodes = [Nodes(0, "op0", ("first",)), Nodes(0, "op1", ("sin",))]
        liveness = [Liveness("graph_0", ("op0", "op1"), held)]
        known.append(
            {
                "scheduler_nodes": evidence.write(schedule, nodes),
                "cost": evidence.write(cost, liveness),
            }
        )
    compared = [
        replace(each, known=(known[0][each.stage], known[1][each.stage]))
        if each.stage in known[0]
        else each
        for each in differing(*sides)
    ]
    case = case_report("a[t]", "t", compared)
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
    shown = [text for _, text in terminal_report.render(report)]
    # No number is printed that no case has, and what moves by a percent is told, whichever way the case goes.
    assert "  peak_memory +2.9 KiB of 9.8 KiB (+30 %)" in shown
    start = shown.index("changes that move no metric by 1 %:")
    assert any(line == "2 cases: change b" for line in shown[:start])
    assert "change c" in shown[start + 1]
    assert "12.7 KiB" not in "".join(shown) and "WIN" not in "".join(shown)


MERGED = """\
def {name}(x: f32[8], y: f32[8]):
    sub: f32[8] = aten.sub.Tensor(x, y)
    sub_1: f32[8] = aten.sub.Tensor({of}, y)
    {operator}: f32[8] = aten.{operator}.default(sub)
    return (sub, sub_1, {operator})
"""


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
    ("of", "owner"), [("primals_1", "saved-instead"), ("log", "operators-changed")]
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
        for compares, returned, saved in (("ne", "", 0), ("ge", ", log", 16384))
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


def test_an_example_is_of_the_case_that_a_change_costs() -> None:
    """Although more cases have it in another way."""

    def case(name: str, operator: str, flops: int) -> CaseReport:
        left = f"partition leaves aten.{operator} more"
        change = ReportedChange(
            "forward_graph",
            left,
            "partition",
            "operators",
            example=f"{left}, for example",
        )
        part = (Part("partition", float(flops - 100)),)
        metric = MetricReport("flops", 100, flops, "changed", parts=part)
        return CaseReport(name, "t", "changed", changes=(change,), metrics=(metric,))

    cases = (
        case("a", "full", 100),
        case("b", "full", 100),
        case("c", "sub", 102),
    )
    (group,) = grouped(cases)
    assert group.text == "partition leaves aten.sub more, for example"
    assert group.members[0] == "c"
    (group,) = grouped(cases[:2])
    assert group.text == "partition leaves aten.full more"
