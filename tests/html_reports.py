"""Reports for tests of their HTML: a case of every kind, with texts that try to inject markup."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

import msgspec

from pytest_compile_golden.formats import evidence
from pytest_compile_golden.goldens.compare_artifact import Compared, compare
from pytest_compile_golden.goldens.golden_header import Header
from pytest_compile_golden.goldens.golden_paths import GoldenPath
from pytest_compile_golden.goldens.golden_store import StoredGolden
from pytest_compile_golden.report.case_groups import grouped
from pytest_compile_golden.report.case_report import cannot_show, case_report
from pytest_compile_golden.report.model import CaseReport, Point, Report, Side
from pytest_compile_golden.stages import get_stage

TITLE = "document.title='owned'"
HOSTILE = f"""</script><script>{TITLE}</script><!--<img src=x onerror="{TITLE}">{{{{ 7*7 }}}}&lt;"""
ERROR = f"broke\n{HOSTILE}{'long' * 100}"
# A tree: each value is read by three others.
NAMES = ["arg0_1", *(f"mul_{n}" for n in range(60))]
FILLER = "".join(
    f"    {NAMES[n + 1]}: f32[8] = aten.mul.Tensor({NAMES[n // 3]}, {n})\n"
    for n in range(60)
)
GRAPH = "def graph_0(arg0_1: f32[8, s0], arg1_1: f32[8]):\n{filler}{sqrt}    return (out,)\n"
SQRT = "    sqrt: f32[8] = aten.sqrt.default(mul_59)\n    out: f32[8] = aten.reciprocal.default(sqrt)\n"
RSQRT = "    out: f32[8] = aten.rsqrt.default(mul_59)\n"
PASSES = """graph_0:
  pre_grad  idle_pass                                .
  joint     remove_noop_ops                          7 -> {after}  # torch/_inductor/fx_passes/post_grad.py:1225
      -aten.clone.default
  scheduler fuse_nodes                               2 -> 1
"""
SCHEDULE = """graph_0:
  group 0: pointwise
    op0: pointwise
      buf0: f32[8] cuda:0
      computes aten.mul.Tensor
      reads arg0_1[c0]
      writes buf0[c0]
  group 1: {kind}
    op1: {kind}
      buf1: f32[8] cuda:0
      computes aten.sum.default
      reads buf0[c0]
      writes buf1[c0]
  not fused:
    op0 with op1: {reason}
"""
METRICS = "bytes_accessed = {bytes}\nkernels = {kernels}\n"


def compared(
    stage_name: str, old: str, new: str, *, facts: Sequence[msgspec.Struct] = ()
) -> Compared:
    stage = get_stage(stage_name)
    path = GoldenPath(
        PurePosixPath("cases/test_a/test_b/cuda-sm90"), stage_name, stage.extension
    )
    golden = StoredGolden(path.versionless, Header(stage_name, "2.13.0", None), old)
    known = evidence.write(old, facts), evidence.write(new, facts)
    return replace(compare(stage, path, golden, new), known=known)


def a_case(
    nodeid: str = "cases/test_norm.py::test_rsqrt[cuda-sm90]", kernel: str = "tmp0 = x"
) -> CaseReport:
    texts = [
        (
            "post_grad_graph",
            GRAPH.format(filler=FILLER, sqrt=SQRT),
            GRAPH.format(filler=FILLER, sqrt=RSQRT),
        ),
        ("passes", PASSES.format(after=5), PASSES.format(after=6)),
        (
            "scheduler_nodes",
            SCHEDULE.format(kind="pointwise", reason="no shared data"),
            SCHEDULE.format(kind="reduction", reason=HOSTILE),
        ),
        (
            "triton_code",
            "def triton_poi_fused_0(x):\n    tmp0 = x\n",
            f"def triton_poi_fused_0(x):\n    {kernel}\n",
        ),
        (
            "metrics",
            METRICS.format(bytes=1 << 20, kernels=3),
            METRICS.format(bytes=3 << 20, kernels=2),
        ),
    ]
    history = {"kernels": [Point("2.12", 4), Point("2.13", 3)]}
    run = f'pytest --compile-golden "{nodeid}"'
    case = case_report(
        nodeid,
        "cuda-sm90",
        [compared(*entry) for entry in texts],
        unavailable=cannot_show({"guards": f"torch.gone {HOSTILE}"}),
        history=history,
        reproduce=run,
        accept=f"{run} --snapshot-update",
        seconds=0.2,
    )
    assert case.outcome == "changed"
    return case


def a_report(*more: CaseReport) -> Report:
    cases = (
        CaseReport("cases/test_norm.py::test_same[cpu-avx2]", "cpu-avx2", "same"),
        CaseReport("cases/test_norm.py::test_rsqrt[cpu-avx2]", "cpu-avx2", "cosmetic"),
        a_case(),
        CaseReport(
            "cases/test_loss.py::test_fails[cuda-sm90]",
            "cuda-sm90",
            "error",
            error=ERROR,
        ),
        *more,
    )
    return Report(
        "torch 2.15.0 against the goldens",
        Side("goldens"),
        Side("run", "2.15.0"),
        cases,
        grouped(cases),
    )
