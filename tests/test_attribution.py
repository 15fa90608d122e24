"""Costs are given to the changes whose kernels they are of, and what no change owns is said to be unexplained."""

from __future__ import annotations

from dataclasses import replace

import pytest
from msgspec import structs

from pytest_compile_golden.changes.graphs import OperatorsChanged, PassChanged
from pytest_compile_golden.changes.kernels import ValueChanged
from pytest_compile_golden.changes.numbers import EntriesChanged
from pytest_compile_golden.changes.schedules import OperationsChanged
from pytest_compile_golden.changes.trail import ResultsStored, not_unpacked
from pytest_compile_golden.facts.costs import KernelShares
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.schedules.provenance import Nodes
from pytest_compile_golden.goldens import attribution
from pytest_compile_golden.goldens.attribution import net
from pytest_compile_golden.goldens.case_changes import CaseChanges, case_changes
from pytest_compile_golden.goldens.compare_artifact import Compared
from pytest_compile_golden.goldens.cost_owners import (
    COUNTED,
    NO_OWNER,
    CostOwners,
    Owner,
)
from pytest_compile_golden.goldens.distinct_change import distinct
from pytest_compile_golden.goldens.first_divergence import cause
from pytest_compile_golden.goldens.same_nodes import stored_instead
from pytest_compile_golden.goldens.value_costs import (
    GraphDifferences,
    LaunchDifference,
    ValueDifference,
    value_differences,
)
from pytest_compile_golden.report import terminal_report
from pytest_compile_golden.report.case_groups import grouped, numbers_in
from pytest_compile_golden.report.case_report import case_report
from pytest_compile_golden.report.model import (
    CaseReport,
    MetricReport,
    Part,
    Report,
    ReportedChange,
    Side,
)
from pytest_compile_golden.report.run_summary import Counts
from tests.trails import trail
from tests.written_cases import (
    METRICS,
    OPERATION,
    artifacts,
    differing,
    evidence_of,
    moved,
    shares_of,
    two_logarithms,
)

_Made = tuple[str, str, tuple[str, ...]]
"""An operation by what it computes, what it reads, and the nodes that it was made of."""


def a_case(bytes_accessed: int, *without: str) -> CaseReport:
    sides = [
        {name: text for name, text in side.items() if name not in without}
        for side in (artifacts(False, 100_000), artifacts(True, bytes_accessed))
    ]
    known = None if without else evidence_of(*sides)
    compared = differing(*sides, known=known)
    return case_report("cases/test_a.py::test_b[cuda-sm90]", "cuda-sm90", compared)


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
    compared = differing(old, new, known=evidence_of(old, new))
    case = case_report("a[t]", "t", compared)
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
    compared = differing(*sides, known=evidence_of(*sides))
    case = case_report("a[t]", "t", compared)
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
    known = evidence_of(old, new)
    shares = shares_of(new)
    of_cosine = next(at for at, share in enumerate(shares) if share.kernel == "op1")
    (name, nbytes), *_ = shares[of_cosine].moved
    counted = structs.replace(shares[of_cosine], counted=((name, nbytes + 16384),))
    read = structs.replace(
        shares[of_cosine],
        moved=((name, nbytes + 16384), *shares[of_cosine].moved[1:]),
    )
    for share, is_counted in ((counted, True), (read, False)):
        facts = [*shares[:of_cosine], share, *shares[of_cosine + 1 :]]
        known["cost"] = known["cost"][0], evidence.write(new["cost"], facts)
        case = case_report("a[t]", "t", differing(old, new, known=known))
        owners = moved(case, "bytes_accessed")
        assert ("counted otherwise" in owners) is is_counted


def test_what_a_kernel_only_waits_for_is_not_read_by_it() -> None:
    """Which torch counts all the same."""
    graph = (
        "def graph_0(x: f32[64, 64], y: f32[64, 64]):\n"
        "    log: f32[64, 64] = aten.log.default(x)\n"
        "    sin: f32[64, 64] = aten.sin.default(y)\n"
        "    return (log, sin)\n"
    )
    cost = (
        "graph_0: launches 2, read {0}, written 32768, flops 0, peak_memory 1\n"
        "  pointwise [log]: launches 1, read 16384, written 16384, flops 0\n"
        "  pointwise [sin]: launches 1, read {1}, written 16384, flops 0\n"
    )
    for reads, owner in (("buf0", COUNTED), ("buf0[c0]", NO_OWNER)):
        sides = [
            {
                "post_grad_graph": graph,
                "scheduler_nodes": "graph_0:\n"
                + "".join(
                    f"  group {number}: pointwise\n"
                    + OPERATION.format(number=number, computes=computes, reads=of)
                    for number, (computes, of) in enumerate(
                        [
                            ("aten.log.default", "x"),
                            ("aten.sin.default", f"{more}y"),
                        ]
                    )
                ),
                "cost": cost.format(16384 + nbytes, nbytes),
            }
            for more, nbytes in (("", 16384), (f"{reads}, ", 32768))
        ]
        owners = CostOwners(differing(*sides, known=evidence_of(*sides)), CaseChanges())
        assert [*owners.differences("bytes_accessed", "graph_0")] == [(owner, 16384)]


def test_what_a_graph_copies_itself_is_copied_for_no_call() -> None:
    graph = (
        "def graph_0(x: f32[64, 64]):\n"
        "    exp: f32[64, 64] = aten.exp.default(x)\n"
        "    clone: f32[64, 64] = aten.clone.default(exp)\n"
        "    mm: f32[64, 64] = aten.mm.default(clone, x)\n"
        "    return (mm,)\n"
    )
    call = (
        "  group {0}: extern\n"
        "    op{0}: extern ExternKernelOut extern_kernels.mm\n"
        "      buf{0}: f32[64, 64] cuda:0\n"
        "      computes aten.mm.default\n"
        "      reads buf{1}, x\n"
        "      writes buf{0}\n"
    )
    sides = []
    for operations in (
        [("aten.exp.default", "x"), ("aten.clone.default", "buf0")],
        [("aten.exp.default, aten.clone.default", "x")],
    ):
        number = len(operations)
        loops = "".join(
            f"  group {at}: pointwise\n"
            + OPERATION.format(number=at, computes=computes, reads=reads)
            for at, (computes, reads) in enumerate(operations)
        ).replace("buf0[c0]\n      writes buf1[c0]", "buf0[c0]\n      writes buf1[c1]")
        kernel = "  pointwise [exp]: launches 1, read 16384, written 16384, flops 0\n"
        sides.append(
            {
                "post_grad_graph": graph,
                "scheduler_nodes": f"graph_0:\n{loops}{call.format(number, number - 1)}",
                "cost": (
                    f"graph_0: launches {number + 1}, read 1, written 1, flops 0, "
                    f"peak_memory 1\n{kernel * number}"
                    "  extern [mm]: launches 1, read 32768, written 16384, flops 0\n"
                ),
            }
        )
    found = value_differences(differing(*sides, known=evidence_of(*sides)))
    assert {each.shown for each in found["graph_0"].nbytes} == {"stored"}


def test_what_is_taken_out_of_several_results_costs_what_takes_it_out() -> None:
    """What is taken out on both sides, and the call that makes them, are the same."""
    graph = (
        "def graph_0(x: f32[64, 64]):\n"
        "    eigh = aten.eigh.default(x)\n"
        "    getitem: f32[64, 64] = eigh[0]\n"
        "{}"
        "    return (getitem,{})\n"
    )
    call = (
        "graph_0:\n"
        "  group 0: extern\n"
        "    op0: extern FallbackKernel torch.ops.aten.eigh.default\n"
        "      buf0: MultiOutputLayout\n"
        "      computes aten.eigh.default\n"
        "      reads x\n"
        "      writes buf0\n"
    )
    taken = (
        "  group {0}: unpack\n"
        "    op{0}: unpack\n"
        "      buf{0}: {1} cuda:0\n"
        "      computes aten.eigh.default\n"
        "      reads buf0\n"
        "      writes buf{0}[c0]\n"
    )
    cost = (
        "graph_0: launches 1, read 16384, written {0}, flops 0, peak_memory 1\n"
        "  extern [eigh]: launches 1, read 16384, written {0}, flops 0\n"
    )
    first, second = taken.format(1, "f32[64, 64]"), taken.format(2, "i32[64]")
    sides = [
        {
            "post_grad_graph": graph.format(*more),
            "scheduler_nodes": call + schedule,
            "cost": cost.format(written),
        }
        for more, schedule, written in (
            (("", ""), first, 16384),
            (
                ("    getitem_1: i32[64] = eigh[1]\n", " getitem_1"),
                first + second,
                16640,
            ),
        )
    ]
    known: dict[str, list[str]] = {"scheduler_nodes": [], "cost": []}
    for number, side in enumerate(sides):
        made = ("x", 16384), ("buf0", 16384 + number * 256)
        nodes = [Nodes(0, f"op{each}", ("eigh",)) for each in range(2 + number)]
        known["scheduler_nodes"].append(evidence.write(side["scheduler_nodes"], nodes))
        known["cost"].append(
            evidence.write(side["cost"], [KernelShares("graph_0", "op0", made, ())])
        )
    found = value_differences(differing(*sides, known=known))
    costs = [each for each in found["graph_0"].nbytes if each.amount]
    assert [(each.amount, *each.nodes) for each in costs] == [(256, (1, "getitem_1"))]


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
    compared = differing(*sides, known=evidence_of(*sides))
    case = case_report("a[t]", "t", compared)
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
    sides = same, same | {"metrics": METRICS.format(150_000, 4)}
    compared = differing(*sides, known=evidence_of(*sides))
    only = case_report("a[t]", "t", compared)
    assert [
        metric.verdict for metric in only.metrics if metric.name == "bytes_accessed"
    ] == ["changed"]
    assert only.why == "the same runs; torch counts its bytes differently"


def test_what_is_unexplained_is_the_other_half_of_what_is_most_alike_in_size() -> None:
    """A value that is another one on each side: of that of one side, nothing shows whose it is."""
    stored, decomposed = Owner("stored"), Owner("decomposed")
    amounts = {stored: 137.0, decomposed: 543.0, NO_OWNER: -540.0}
    net(amounts)
    assert amounts == {stored: 137, decomposed: 3, NO_OWNER: 0}


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
    compared = differing(*sides, known=evidence_of(*sides))
    case = case_report("a[t]", "t", compared)
    assert moved(case, "bytes_accessed") == {owner: 64}
    assert moved(case, "kernels") == {owner: 1}


def test_a_copy_costs_the_same_whether_or_not_a_size_of_it_is_a_constant() -> None:
    old, new = artifacts(False, 100_000), artifacts(True, 149_152)
    old["specialisations"] = CONSTANT.format(MADE_CONSTANT.format("lower"))
    new["specialisations"] = CONSTANT.format("")
    new["scheduler_nodes"] = new["scheduler_nodes"].replace("[64, 64]", "[64, s53]")
    compared = differing(old, new, known=evidence_of(old, new))
    case = case_report("a[t]", "t", compared)
    assert "entries-changed" in [change.code for change in case.changes]
    assert moved(case, "kernels") == {"inputs-copied-for": 1}


def test_a_report_says_of_a_case_what_else_changed() -> None:
    case = a_case(100_000 + 16384 + 32768)
    report = Report("a", Side("old"), Side("new"), (case,), grouped([case]))
    lines = [text.strip() for _, text in terminal_report.render(report)]
    also = [line for line in lines if line.startswith("also: ")]
    assert (
        "also: graph calls aten.ge in place of aten.ne; results of aten.log are stored instead of inlined"
        in also
    )


def test_what_becomes_of_the_same_nodes_follows_from_no_other_node() -> None:
    """A logarithm is stored, and a comparison is another; that this is of another logarithm only the nodes show."""
    sides, known = two_logarithms()
    case = case_report("a[t]", "t", differing(*sides, known=known))
    assert [change.code for change in case.changes] == [
        "operators-changed",
        "results-stored",
    ]
    assert moved(case, "bytes_accessed") == {"results-stored": 16384}
    # Without that evidence, both are about logarithms, and the first may have made the second.
    without = case_report("a[t]", "t", differing(*sides))
    assert [change.code for change in without.changes] == ["operators-changed"]


@pytest.mark.parametrize(
    ("exponential", "loops", "owners"),
    [
        (True, False, {"results-stored": 16384}),
        (False, True, {"operators-changed": 16384, "results-stored": 16384}),
    ],
)
def test_what_one_side_alone_stores_is_a_cost_of_what_stores_it(
    exponential: bool, loops: bool, owners: dict[str, int]
) -> None:
    """Although a kernel that reads it computes what is another operator now, too; and of a kernel with several loops,
    each for itself."""
    sides, known = two_logarithms(
        with_y=not exponential, exponential=exponential, loops=loops
    )
    compared = differing(*sides, known=known)
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
    compared = differing(*sides, known={"scheduler_nodes": known})
    case = case_report("a[t]", "t", compared)
    assert [change.code for change in case.changes] == ["operators-changed"]
    assert moved(case, "bytes_accessed") == {"operators-changed": -32768}


def made_by(
    kernels: list[list[list[_Made]]],
    graphs: tuple[str, str],
    computed: tuple[int, int],
    others: tuple[dict[str, str], dict[str, str]] = ({}, {}),
    device: str = "cuda:0",
) -> CaseReport:
    """A case of these kernels before and after, each with an equal part of the FLOPs.

    others: other texts by stage, by side.
    """
    compared = compared_of(kernels, graphs, computed, others, device)
    return case_report("a[t]", "t", compared)


def compared_of(
    kernels: list[list[list[_Made]]],
    graphs: tuple[str, str],
    computed: tuple[int, int],
    others: tuple[dict[str, str], dict[str, str]] = ({}, {}),
    device: str = "cuda:0",
) -> list[Compared]:
    """The texts of such a case."""
    sides, known = [], []
    for graph, groups, flops, texts in zip(
        graphs, kernels, computed, others, strict=True
    ):
        schedule, costs = "graph_0:\n", ""
        read = written = 0
        facts: list[Nodes] = []
        for at, group in enumerate(groups):
            schedule += f"  group {at}: pointwise\n"
            names = []
            for computes, reads, nodes in group:
                number = len(facts)
                schedule += OPERATION.format(
                    number=number, computes=computes, reads=reads
                ).replace("cuda:0", device)
                facts.append(Nodes(0, f"op{number}", nodes))
                names += [part.split(".")[1] for part in computes.split(", ")]
            made = {f"buf{len(facts) - 1 - at}" for at in range(len(group))}
            accessed = {
                name.partition("[")[0]
                for _, reads, _ in group
                for name in reads.split(", ")
            }
            reads_of, writes_of = 16384 * len(accessed - made), 16384 * len(made)
            read, written = read + reads_of, written + writes_of
            numbers = f"launches 1, read {reads_of}, written {writes_of}, flops {flops // len(groups)}"
            costs += f"  pointwise [{', '.join(names)}]: {numbers}\n"
        total = f"launches {len(groups)}, read {read}, written {written}, flops {flops}"
        sides.append(
            {
                "post_grad_graph": graph,
                "scheduler_nodes": schedule,
                "cost": f"graph_0: {total}, peak_memory 1\n{costs}",
                "metrics": METRICS.format(read + written, len(groups))
                + f"flops = {flops}\n",
            }
            | texts
        )
        known.append(evidence.write(schedule, facts))
    of_cost = [evidence.write(side["cost"], shares_of(side)) for side in sides]
    return differing(*sides, known={"scheduler_nodes": known, "cost": of_cost})


@pytest.mark.parametrize("shared", [True, False])
def test_how_many_kernels_make_the_same_values_is_no_cost_of_what_is_stored(
    shared: bool,
) -> None:
    """A cosine is in a kernel of its own beside a sum that is stored. If both kernels read a value in common, that is
    told beside it; if not, the sum may be why they were one."""
    graph = (
        "def graph_0(x: f32[64, 64], y: f32[64, 64], z: f32[64, 64]):\n"
        "    add: f32[64, 64] = aten.add.Tensor(x, y)\n"
        "    sin: f32[64, 64] = aten.sin.default(add)\n"
        f"    cos: f32[64, 64] = aten.cos.default({'x' if shared else 'z'})\n"
        "    return (sin, cos)\n"
    )
    cosine: _Made = ("aten.cos.default", "x" if shared else "z", ("cos",))
    inlined: _Made = (
        "aten.add.Tensor, aten.sin.default",
        "x[c0], y",
        ("add", "sin"),
    )
    stored: list[_Made] = [
        ("aten.add.Tensor", "x[c0], y", ("add",)),
        ("aten.sin.default", "buf0", ("sin",)),
    ]
    kernels: list[list[list[_Made]]] = [[[inlined, cosine]], [stored, [cosine]]]
    case = made_by(kernels, (graph, graph), (12288, 12288))
    assert moved(case, "kernels") == {"fusion-lost" if shared else "unexplained": 1}


def test_loops_of_other_dimensions_are_fused_otherwise_because_of_what_is_stored() -> (
    None
):
    """A sum that is stored is read in one loop, where two ran over what it was computed of: on a GPU, no matter."""
    graph = (
        "def graph_0(x: f32[64, 64], y: f32[64, 64]):\n"
        "    add: f32[64, 64] = aten.add.Tensor(x, y)\n"
        "    sin: f32[64, 64] = aten.sin.default(add)\n"
        "    cos: f32[64, 64] = aten.cos.default(x)\n"
        "    return (sin, cos)\n"
    )
    cosine: _Made = ("aten.cos.default", "x[c0 + 64*c1]", ("cos",))
    inlined: _Made = (
        "aten.add.Tensor, aten.sin.default",
        "x[c0 + 64*c1], y",
        ("add", "sin"),
    )
    summed: _Made = ("aten.add.Tensor", "x[c0 + 64*c1], y", ("add",))
    sine: _Made = ("aten.sin.default", "buf0", ("sin",))
    kernels: list[list[list[_Made]]] = [
        [[inlined, cosine]],
        [[summed, sine], [cosine]],
    ]
    for device, is_told in (("cuda:0", True), ("cpu", False)):
        case = made_by(kernels, (graph, graph), (12288, 12288), device=device)
        told = {change.code for change in case.changes}
        assert "results-stored" in told
        assert ("fusion-lost" in told) is is_told


def test_kernels_become_one_although_what_reads_their_results_is_another_operator() -> (
    None
):
    graphs = tuple(
        "def graph_0(x: f32[64, 64]):\n"
        "    cos: f32[64, 64] = aten.cos.default(x)\n"
        "    sin: f32[64, 64] = aten.sin.default(x)\n"
        f"    other: f32[64, 64] = aten.{call}\n"
        "    return (cos, sin, other)\n"
        for call in ("neg.default(cos)", "atan2.default(cos, sin)")
    )
    cosine: _Made = ("aten.cos.default", "x", ("cos",))
    sine: _Made = ("aten.sin.default", "x", ("sin",))
    before: _Made = ("aten.neg.default", "buf0", ("other",))
    after: _Made = ("aten.atan2.default", "buf0[c0], buf1", ("other",))
    kernels: list[list[list[_Made]]] = [
        [[cosine], [sine], [before]],
        [[cosine, sine], [after]],
    ]
    case = made_by(kernels, (graphs[0], graphs[1]), (12288, 12288))
    assert [change.code for change in case.changes] == ["operators-changed", "fused"]
    assert moved(case, "kernels") == {"fused": -1}


def _in_both_graphs(
    lowered: tuple[str, str], stored: tuple[tuple[bool, bool], tuple[bool, bool]]
) -> CaseReport:
    """A case of the same nodes in forward and backward: a logarithm, and what reads it, in one kernel.

    lowered: what the trail says of lowering, by side. stored: by side, whether the logarithm of forward is stored, and
    whether that of backward is, which is half as large.
    """
    graphs = "\n\n".join(
        f"def graph_0_{name}(x: f32[64, 64]):\n"
        "    log: f32[64, 64] = aten.log.default(x)\n"
        f"    {reader}: f32[64, 64] = aten.{reader}.default(log)\n"
        f"    return ({reader},)\n"
        for name, reader in (("forward", "sin"), ("backward", "cos"))
    )
    sides, known = [], []
    for lowering, of_side in zip(lowered, stored, strict=True):
        schedule, costs, facts = "", "", []
        for at, (name, reader, is_stored) in enumerate(
            zip(("forward", "backward"), ("sin", "cos"), of_side, strict=True)
        ):
            operations: list[_Made] = [
                (f"aten.log.default, aten.{reader}.default", "x", ("log", reader))
            ]
            if is_stored:
                # torch says that what reads the logarithm computes it, too.
                operations = [
                    ("aten.log.default", "x", ("log",)),
                    (operations[0][0], "buf0", ("log", reader)),
                ]
            printed = "".join(
                OPERATION.format(number=number, computes=computes, reads=reads)
                for number, (computes, reads, _) in enumerate(operations)
            )
            schedule += f"graph_0_{name}:\n  group 0: pointwise\n{printed}\n"
            facts += [
                Nodes(at, f"op{number}", nodes)
                for number, (_, _, nodes) in enumerate(operations)
            ]
            written = (8192 if at else 16384) * len(operations)
            moves = f"launches 1, read 16384, written {written}, flops 0"
            costs += f"graph_0_{name}: {moves}, peak_memory 1\n  pointwise [log, {reader}]: {moves}\n"
        sides.append(
            {
                "post_grad_graph": graphs,
                "scheduler_nodes": schedule.removesuffix("\n"),
                "cost": costs,
                "trail": trail(lowering),
                "metrics": METRICS.format(
                    57344 + 16384 * of_side[0] + 8192 * of_side[1], 2
                ),
            }
        )
        known.append(evidence.write(sides[-1]["scheduler_nodes"], facts))
    of_cost = [evidence.write(side["cost"], shares_of(side)) for side in sides]
    compared = differing(*sides, known={"scheduler_nodes": known, "cost": of_cost})
    return case_report("a[t]", "t", compared)


def test_what_is_stored_in_one_graph_and_inlined_in_another_is_one_change() -> None:
    """A trail counts what is stored over all graphs; where lowering ends a chain of operators is one decision."""
    lowering = "lowerings:\n  aten.log.default -> {} [3]\n"
    case = _in_both_graphs(
        (lowering.format("Pointwise"), lowering.format("ComputedBuffer")),
        ((False, True), (True, False)),
    )
    parts = next(each.parts for each in case.metrics if each.name == "bytes_accessed")
    assert {part.change: part.amount for part in parts} == {
        "results-stored True within kernels": 16384 - 8192
    }


@pytest.mark.parametrize(("lowered", "is_stored"), [("tan", True), ("mul", False)])
def test_an_operator_that_is_lowered_otherwise_stores_nothing_away_from_it(
    lowered: str, is_stored: bool
) -> None:
    """A sum is inlined, and the product that reads it is stored: for their own sake, unless the product is lowered
    otherwise."""
    graph = (
        "def graph_0(x: f32[64, 64], y: f32[64, 64]):\n"
        "    exp: f32[64, 64] = aten.exp.default(x)\n"
        "    sum: f32[64, 64] = aten.sum.default(x)\n"
        "    mul: f32[64, 64] = aten.mul.Tensor(exp, sum)\n"
        "    sub: f32[64, 64] = aten.sub.Tensor(x, mul)\n"
        "    tan: f32[64, 64] = aten.tan.default(y)\n"
        "    return (sub, tan)\n"
    )
    tangent: _Made = ("aten.tan.default", "y", ("tan",))
    stored: _Made = ("aten.sum.default", "x", ("sum",))
    # torch says that what reads the sum computes it, too.
    reader: _Made = (
        "aten.exp.default, aten.mul.Tensor, aten.sub.Tensor, aten.sum.default",
        "x[c0], buf1",
        ("exp", "mul", "sub", "sum"),
    )
    product: _Made = (
        "aten.exp.default, aten.mul.Tensor, aten.sum.default",
        "x",
        ("exp", "mul", "sum"),
    )
    difference: _Made = ("aten.sub.Tensor", "x[c0], buf1", ("sub",))
    kernels: list[list[list[_Made]]] = [
        [[tangent], [stored], [reader]],
        [[tangent], [product, difference]],
    ]
    steps = f"lowerings:\n  aten.{lowered} -> "
    case = made_by(
        kernels,
        (graph, graph),
        (12288, 12288),
        (
            {"trail": trail(f"{steps}Pointwise [1]\n")},
            {"trail": trail(f"{steps}ExternKernelOut [1]\n")},
        ),
    )
    assert ("results-stored" in moved(case, "bytes_accessed")) is is_stored


def test_what_is_computed_less_costs_what_removes_it_where_nothing_else_differs() -> (
    None
):
    """A product with 1 is removed, and in another kernel a product and a difference are one operator now."""
    graph = (
        "def graph_0(x: f32[64, 64], y: f32[64, 64]):\n"
        "{}    sin: f32[64, 64] = aten.sin.default({})\n"
        "{}    return (sin, {})\n"
    )
    graphs = (
        graph.format(
            "    mul: f32[64, 64] = aten.mul.Tensor(x, 1.0)\n",
            "mul",
            "    mul_1: f32[64, 64] = aten.mul.Tensor(y, y)\n"
            "    sub: f32[64, 64] = aten.sub.Tensor(mul_1, y)\n",
            "sub",
        ),
        graph.format(
            "",
            "x",
            "    addcmul: f32[64, 64] = aten.addcmul.default(y, y, y)\n",
            "addcmul",
        ),
    )
    kernels: list[list[list[_Made]]] = [
        [
            [("aten.mul.Tensor, aten.sin.default", "x", ("mul", "sin"))],
            [("aten.mul.Tensor, aten.sub.Tensor", "y", ("mul_1", "sub"))],
        ],
        [
            [("aten.sin.default", "x", ("sin",))],
            [("aten.addcmul.default", "y", ("addcmul",))],
        ],
    ]
    steps = "aot_graph        5 nodes  {}\n  # {}, aten.sin, output\n"
    passes = "graph_0:\n  joint     fold  5 -> {}\n{}"
    case = made_by(
        kernels,
        graphs,
        (16384, 8192),
        (
            {
                "trail": trail(steps.format("aaaa", "aten.mul x2, aten.sub")),
                "passes": passes.format(5, ""),
            },
            {
                "trail": trail(steps.format("bbbb", "aten.mul, aten.addcmul")),
                "passes": passes.format(4, "      -aten.mul.Tensor\n"),
            },
        ),
    )
    assert moved(case, "flops") == {"contents-changed": -4096, "pass-changed": -4096}


def test_a_call_of_a_library_costs_what_calls_it() -> None:
    """Although more of what it is listed to compute is that of operations that there are more of."""
    graph = (
        "def graph_0(x: f32[64, 64]):\n"
        "    sin: f32[64, 64] = aten.sin.default(x)\n"
        "    cos: f32[64, 64] = aten.cos.default(sin)\n"
        "    sort: f32[64, 64] = aten.sort.stable(cos)\n"
        "    return (sort,)\n"
    )
    computes = "aten.cos.default, aten.sin.default, aten.sort.stable"
    group = "  group {}: {}\n"
    old = group.format(0, "sort") + OPERATION.format(
        number=0, computes=computes, reads="x"
    ).replace("op0: pointwise", "op0: sort")
    new = (
        group.format(0, "pointwise")
        + OPERATION.format(
            number=0, computes="aten.cos.default, aten.sin.default", reads="x"
        )
        + group.format(1, "extern")
        + (
            "    op1: extern FallbackKernel torch.ops.aten.sort.stable\n"
            f"      buf1: f32[64, 64] cuda:0\n      computes {computes}\n      reads buf0\n      writes buf1\n"
        )
    )
    moves = "launches 1, read 16384, written 16384, flops 0"
    sides = [
        {
            "post_grad_graph": graph,
            "scheduler_nodes": f"graph_0:\n{schedule}",
            "cost": f"graph_0: {moves}, peak_memory 1\n{kernels}",
            "metrics": f"kernels = 1\nextern_kernels = {calls}\n",
        }
        for schedule, kernels, calls in (
            (old, f"  sort [cos, sin, sort]: {moves}\n", 0),
            (
                new,
                f"  pointwise [cos, sin]: {moves}\n  extern [cos, sin, sort]: {moves}\n",
                1,
            ),
        )
    ]
    nodes: list[list[tuple[str, tuple[str, ...]]]] = [
        [("op0", ("sin", "cos", "sort"))],
        [("op0", ("sin", "cos")), ("op1", ("sin", "cos", "sort"))],
    ]
    before, after = (
        evidence.write(
            side["scheduler_nodes"], [Nodes(0, name, made) for name, made in of_side]
        )
        for side, of_side in zip(sides, nodes, strict=True)
    )
    known = {"scheduler_nodes": (before, after)}
    compared = differing(*sides, known=known)
    (library,) = case_changes(compared, cause(compared)).own
    more = OperationsChanged(1, True, (), (("pointwise", 1),), ("aten.cos", "aten.sin"))
    other = replace(distinct("scheduler_nodes", more), apart=True)
    found = CaseChanges((other, library))
    metrics = [metric for each in compared for metric in each.metrics]
    owners = attribution.parts(compared, found, metrics)
    assert owners["extern_kernels"] == {library.key: 1}


def test_what_is_unexplained_is_less_what_another_part_has_of_it() -> None:
    """A value that is another one on each side is both gone and new: of one half it may be known whose it is."""
    amounts = {Owner("a"): -300.0, Owner("b"): 50.0, NO_OWNER: 400.0}
    net(amounts)
    assert amounts == {Owner("a"): 0.0, Owner("b"): 50.0, NO_OWNER: 100.0}
    amounts = {Owner("a"): -300.0, NO_OWNER: 100.0, COUNTED: -70.0}
    net(amounts)
    assert amounts == {Owner("a"): -200.0, NO_OWNER: 0.0, COUNTED: -70.0}


def test_a_text_of_kernels_that_nobody_can_read_leaves_costs_unexplained() -> None:
    """As one that a later version of this package has written."""
    sides, known = two_logarithms()
    for side in sides:
        side["cost"] += "what comes after\n"
    compared = differing(*sides, known={"scheduler_nodes": known["scheduler_nodes"]})
    case = case_report("a[t]", "t", compared)
    assert moved(case, "bytes_accessed") == {"unexplained": 16384}


def test_a_graph_of_which_nothing_is_left_costs_what_its_nodes_are_gone_for() -> None:
    """Backward only multiplied by 1, and no longer reaches Inductor."""
    joint = (
        "def graph_0_joint(x: f32[64, 64], tangents_1: f32[64, 64]):\n"
        "    sin: f32[64, 64] = aten.sin.default(x)\n{}    return [sin, {}]\n"
    )
    forward = (
        "def graph_0_forward(x: f32[64, 64]):\n"
        "    sin: f32[64, 64] = aten.sin.default(x)\n    return (sin,)\n"
    )
    backward = "def graph_0_backward(tangents_1: f32[64, 64]):\n{}    return ({},)\n"
    product = "    mul: f32[64, 64] = aten.mul.Tensor(tangents_1, 1)\n"
    schedule = "graph_0_forward:\n  group 0: pointwise\n"
    schedule += OPERATION.format(number=0, computes="aten.sin.default", reads="x")
    of_backward = "\ngraph_0_backward:\n  group 0: pointwise\n"
    of_backward += OPERATION.format(
        number=0, computes="aten.mul.Tensor", reads="tangents_1"
    )
    cost = (
        "graph_0_{}: launches 1, read 16384, written 16384, flops 4096, peak_memory 1\n"
        "  pointwise [{}]: launches 1, read 16384, written 16384, flops 4096\n"
    )
    old, new = (
        {
            "joint_graph": joint.format(lines, returned),
            "forward_graph": forward,
            "backward_graph": backward.format(lines, returned),
            "post_grad_graph": "\n\n".join([forward, *of_graph]),
            "scheduler_nodes": schedule + scheduled,
            "cost": cost.format("forward", "sin") + costs,
            "metrics": METRICS.format(moves, kernels),
        }
        for lines, returned, of_graph, scheduled, costs, moves, kernels in (
            (
                product,
                "mul",
                [backward.format(product, "mul")],
                of_backward,
                cost.format("backward", "mul"),
                65536,
                2,
            ),
            ("", "tangents_1", [], "", "", 32768, 1),
        )
    )
    compared = differing(old, new, known=evidence_of(old, new))
    case = case_report("a[t]", "t", compared)
    assert [change.code for change in case.changes] == ["operators-changed"]
    assert moved(case, "kernels") == {"operators-changed": -1}
    assert moved(case, "bytes_accessed") == {"operators-changed": -32768}
    assert not any(part.guessed for metric in case.metrics for part in metric.parts)


def test_where_arithmetic_is_only_removed_no_more_is_computed() -> None:
    """That a product with 1 is gone is not why a sum takes more operations."""
    graph = (
        "def graph_0(x: f32[64, 64], y: f32[64, 64]):\n"
        "    add: f32[64, 64] = aten.add.Tensor(x, y)\n{}    return ({},)\n"
    )
    product = "    mul: f32[64, 64] = aten.mul.Tensor(add, 1)\n"
    graphs = graph.format(product, "mul"), graph.format("", "add")
    before: _Made = ("aten.add.Tensor, aten.mul.Tensor", "x[c0], y", ("add", "mul"))
    after: _Made = ("aten.add.Tensor", "x[c0], y", ("add",))
    folds = "graph_0:\n  joint     fold  2 -> {}\n{}"
    passes = (
        {"passes": folds.format(2, "")},
        {"passes": folds.format(1, "      -aten.mul.Tensor\n")},
    )
    for computed, owner in ((4096, "pass-changed"), (12288, "unexplained")):
        case = made_by([[[before]], [[after]]], graphs, (8192, computed), passes)
        assert moved(case, "flops") == {owner: computed - 8192}


def test_what_cannot_move_a_number_does_not_own_it() -> None:
    """What only calls more reads and writes no less, and what only removes arithmetic runs in as many kernels."""
    called = distinct(
        "post_grad_graph",
        OperatorsChanged("operators-changed", (), (("aten._assert_async", 1),)),
    )
    removed = distinct(
        "joint_graph", PassChanged("joint", "fold", removed=(("aten.mul", 1),))
    )
    owners = CostOwners([], CaseChanges((called, removed)))
    assert owners.is_contrary(Owner(called.key), "bytes_accessed", -100)
    assert not owners.is_contrary(Owner(called.key), "bytes_accessed", 100)
    assert owners.is_contrary(Owner(removed.key), "kernels", -1)


def test_how_a_kernel_is_written_is_no_reason_that_there_is_another() -> None:
    written = distinct(
        "triton_code", ValueChanged("negative-index", "tl.where(a < 0, a + 3, a)", "a")
    )
    owners = CostOwners([], CaseChanges((written,)))
    moved = ValueDifference("graph_0", 1, "accessed", frozenset({"where"}))
    assert owners.of_values.owner(moved) == written
    assert owners.of_values.owner(replace(moved, shown="launched")) is None


@pytest.mark.parametrize(("stored", "is_known"), [("sin", True), ("mul", False)])
def test_what_is_stored_elsewhere_is_no_reason_to_compute_more_often(
    stored: str, is_known: bool
) -> None:
    """Beside nodes that differ, others are computed again for them, unless their results are stored otherwise."""
    added = distinct(
        "post_grad_graph",
        OperatorsChanged("operators-changed", (), (("aten.any", 1),)),
    )
    storing = distinct("lowered_ir", ResultsStored((f"aten.{stored}",), 1, False))
    moved = ValueDifference(
        "graph_0",
        1,
        "nodes",
        frozenset({"any"}),
        near=frozenset({"mul"}),
        near_stored=True,
        is_computed=True,
    )
    owners = CostOwners([], CaseChanges((added, storing)))
    assert owners.of_values.owner(moved) == (added if is_known else None)


def test_what_is_guarded_moves_nothing() -> None:
    stored = distinct("lowered_ir", ResultsStored(("aten.mul",), 1, True))
    guarded = distinct(
        "specialisations",
        EntriesChanged(True, "condition on sizes", "2 < size2"),
    )
    owners = CostOwners([], CaseChanges((stored, guarded)))
    moved = ValueDifference("graph_0", 1, "grouped", frozenset({"sum"}))
    assert owners.of_value(moved) == Owner(stored.key, guessed=True)


def test_loops_on_both_sides_of_what_takes_out_a_result_are_one_kernel_without_it() -> (
    None
):
    removed = distinct(
        "joint_graph", PassChanged("joint", "fold", removed=(("aten.mul", 1),))
    )
    unpacked = distinct("lowered_ir", not_unpacked())
    owners = CostOwners([], CaseChanges((removed, unpacked)))
    owners.edits = {"graph_0": (not_unpacked(),), "graph_1": ()}
    shown = ValueDifference("graph_0", 1, "launched", frozenset({"mul"}))
    launches = [
        LaunchDifference(graph, -1, 0, True, (replace(shown, graph=graph),))
        for graph in owners.edits
    ]
    owners.costs = {
        each.graph: GraphDifferences([], [], [each], True, {}) for each in launches
    }
    assert [*owners.differences("kernels", "")] == [
        (Owner(unpacked.key), -1),
        (Owner(removed.key, guessed=True), -1),
    ]


def test_what_is_stored_is_told_although_another_operation_is_said_to_compute_it() -> (
    None
):
    """Torch says so of each part of what is put together, which reads none of the others. Another operator elsewhere
    is no reason for it."""
    graph = (
        "def graph_0(x: f32[64, 64], y: f32[64, 64]):\n"
        "    log: f32[64, 64] = aten.log.default(x)\n"
        "    exp: f32[64, 64] = aten.exp.default(log)\n"
        "    sin: f32[64, 64] = aten.sin.default(log)\n"
        "    abs_1: f32[64, 64] = aten.abs.default(y)\n"
        "    {other}: f32[64, 64] = aten.{other}.default(y)\n"
        "    return (exp, sin, abs_1, {other})\n"
    )
    part: _Made = ("aten.log.default, aten.abs.default", "y[c0]", ("log", "abs_1"))
    inlined: list[list[_Made]] = [
        [("aten.log.default, aten.exp.default", "x[c0]", ("log", "exp"))],
        [("aten.log.default, aten.sin.default", "x[c0]", ("log", "sin"))],
        [part],
        [("aten.neg.default", "y[c0]", ("neg",))],
    ]
    stored: list[list[_Made]] = [
        [("aten.log.default", "x[c0]", ("log",))],
        [("aten.log.default, aten.exp.default", "buf0[c0]", ("log", "exp"))],
        [("aten.log.default, aten.sin.default", "buf0[c0]", ("log", "sin"))],
        [part],
        [("aten.cos.default", "y[c0]", ("cos",))],
    ]
    graphs = graph.format(other="neg"), graph.format(other="cos")
    told = stored_instead(compared_of([inlined, stored], graphs, (8192, 8192)))
    assert told is not None and told.operators == ("aten.log",) and told.stored


def test_what_is_stored_is_told_behind_a_buffer_that_both_sides_have() -> None:
    """Although what the buffer is computed from differs: from there on, all is lowered alike."""
    graph = (
        "def graph_0(x: f32[64, 64]):\n"
        "    {other}: f32[64, 64] = aten.{other}.default(x)\n"
        "    tanh: f32[64, 64] = aten.tanh.default({other})\n"
        "    log: f32[64, 64] = aten.log.default(tanh)\n"
        "    exp: f32[64, 64] = aten.exp.default(log)\n"
        "    sin: f32[64, 64] = aten.sin.default(log)\n"
        "    return (exp, sin)\n"
    )
    tanh: list[_Made] = [("aten.tanh.default", "buf0[c0]", ("tanh",))]
    inlined: list[list[_Made]] = [
        [("aten.neg.default", "x[c0]", ("neg",))],
        tanh,
        [("aten.log.default, aten.exp.default", "buf1[c0]", ("log", "exp"))],
        [("aten.log.default, aten.sin.default", "buf1[c0]", ("log", "sin"))],
    ]
    stored: list[list[_Made]] = [
        [("aten.cos.default", "x[c0]", ("cos",))],
        tanh,
        [("aten.log.default", "buf1[c0]", ("log",))],
        [("aten.log.default, aten.exp.default", "buf2[c0]", ("log", "exp"))],
        [("aten.log.default, aten.sin.default", "buf2[c0]", ("log", "sin"))],
    ]
    graphs = graph.format(other="neg"), graph.format(other="cos")
    told = stored_instead(compared_of([inlined, stored], graphs, (8192, 8192)))
    assert told is not None and told.operators == ("aten.log",) and told.stored


def test_what_is_stored_because_more_is_computed_of_it_is_no_change_of_its_own() -> (
    None
):
    """Also if another node is between them; what only it is computed of is inlined because of it."""
    graph = (
        "def graph_0(x: f32[64, 64]):\n"
        "    exp: f32[64, 64] = aten.exp.default(x)\n"
        "    log: f32[64, 64] = aten.log.default(exp)\n"
        "    mul: f32[64, 64] = aten.mul.Tensor(log, 2)\n"
        "{more}"
        "    sin: f32[64, 64] = aten.sin.default({read})\n"
        "    return (sin,)\n"
    )
    more = "    abs_1: f32[64, 64] = aten.abs.default(mul)\n"
    graphs = graph.format(more="", read="mul"), graph.format(more=more, read="abs_1")
    before: list[list[_Made]] = [
        [("aten.exp.default", "x[c0]", ("exp",))],
        [
            (
                "aten.log.default, aten.mul.Tensor, aten.sin.default",
                "buf0[c0]",
                ("log", "mul", "sin"),
            )
        ],
    ]
    after: list[list[_Made]] = [
        [("aten.exp.default, aten.log.default", "x[c0]", ("exp", "log"))],
        [
            (
                "aten.abs.default, aten.log.default, aten.mul.Tensor, aten.sin.default",
                "buf0[c0]",
                ("log", "mul", "abs_1", "sin"),
            )
        ],
    ]
    assert stored_instead(compared_of([before, after], graphs, (8192, 8192))) is None
