"""Metrics of speed that bytes do not show: parameters, threads, spills of blocks on offer, reference kernels."""

from __future__ import annotations

import re
from typing import Literal

import pytest
import torch
import triton
import triton.language as tl
from packaging.version import Version

from pytest_compile_golden import capture
from pytest_compile_golden.formats.metrics import METRICS_FORMAT
from pytest_compile_golden.formats.metrics.printed import MetricChange, changes
from tests.forked import RunInProject
from tests.paper import PaperProject

FIXED = Version(torch.__version__).release >= (2, 15)
"""Of what these metrics count, torch 2.15 mended two."""


def test_parameters_are_counted_as_ptx_declares_them() -> None:
    def program(x: torch.Tensor, y: torch.Tensor, scale: float) -> torch.Tensor:
        return (x.t() + y * scale).sum(-1)

    captured = capture(
        program, torch.randn(64, 3), torch.randn(3, 64), 0.3, target="cuda-sm90"
    )
    declared = re.findall(r"^\s*\.param \.[a-z](\d+)", captured["ptx"].text, re.M)
    assert (
        captured.metrics.parameter_bytes == sum(int(bits) // 8 for bits in declared) > 0
    )
    assert "parameter_bytes" not in captured.metrics.text


@pytest.mark.wide
def test_more_parameters_than_cuda_takes() -> None:
    def cat(count: int) -> str:
        tensors = [torch.randn(8) for _ in range(count)]
        settings = {"max_pointwise_cat_inputs": 1000}
        captured = capture(
            lambda tensors: torch.cat(tensors) + 1,
            tensors,
            target="cuda-sm90",
            config=settings,
        )
        assert captured.kernels == 1
        return captured.metrics.text

    before, after = cat(20), cat(520)
    assert "parameter_bytes" not in before and "\nparameter_bytes = 4192\n" in after
    found = changes(
        METRICS_FORMAT.numbers(before) or {}, METRICS_FORMAT.numbers(after) or {}
    )
    assert MetricChange("parameter_bytes", 4096, 4192, "REGRESSION") in found


CASE = """
import torch

def test_softmax(compile_stages, golden):
    captured = compile_stages(torch.softmax, torch.randn(64, 4096, {heads}), 1)
    assert captured == golden
"""


def test_threads_that_are_started_in_a_loop_are_a_regression(
    project: pytest.Pytester, compiling: RunInProject
) -> None:
    options = "--compile-golden-target=cpu-avx2", "--compile-golden-stages=metrics"
    project.makepyfile(test_case=CASE.format(heads=8))
    compiling(*options, "--snapshot-update").assert_outcomes(passed=1)
    (golden,) = project.path.glob("goldens/**/metrics.toml")
    assert "thread_starts" not in golden.read_text()
    project.makepyfile(test_case=CASE.format(heads=4))
    shown = compiling(*options).stdout.str()
    assert (
        ("thread_starts" not in shown)
        if FIXED
        else re.search(r"thread_starts +0 -> 128 .*REGRESSION", shown)
    )


def test_threads_are_started_in_a_loop_for_long_sums() -> None:
    captured = capture(lambda x: x.sum(-1), torch.randn(16, 1 << 18), target="cpu-avx2")
    (loop, parallel) = (
        captured["cpp_code"].text.index(text)
        for text in ("for(", "#pragma omp parallel")
    )
    assert loop < parallel
    assert captured.metrics.thread_starts == 0


@triton.autotune(
    [triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1 << 14}, num_warps=1)],
    key=["count"],
)
@triton.jit
def softmax_kernel(source, out, count, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.exp(tl.load(source + index, mask=index < count, other=0.0))
    tl.store(out + index, values / tl.sum(values, 0), mask=index < count)


@pytest.mark.parametrize("configs", ["first", "all"])
def test_spills_of_blocks_on_offer(configs: Literal["first", "all"]) -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x)
        softmax_kernel[lambda given: (triton.cdiv(x.numel(), given["BLOCK"]),)](
            x, out, x.numel()
        )
        return out

    watch = ["kernel_resources"]
    captured = capture(
        program,
        torch.randn(1 << 14),
        target="cuda-sm90",
        watch=watch,
        kernel_configs=configs,
    )
    assert captured.metrics.spills == 0
    if configs == "first":
        assert "spills_on_offer" not in captured.metrics.values
    else:
        assert (
            captured.metrics.spills_on_offer
            == captured["kernel_resources"]["spills"]
            > 0
        )
        assert "\nspills_on_offer = " in captured.metrics.text


@pytest.mark.parametrize(
    ("target", "dtype"),
    [
        ("cpu-neon", torch.bfloat16),
        ("cpu-neon", torch.float32),
        ("cpu-avx512", torch.bfloat16),
    ],
)
def test_reference_implementations_of_onednn(target: str, dtype: torch.dtype) -> None:
    layer = torch.nn.Linear(64, 64).to(dtype).eval()
    with torch.no_grad():
        captured = capture(
            layer,
            torch.randn(64, 64, dtype=dtype),
            target=target,
            config={"freezing": True},
        )
    slow = target == "cpu-neon" and dtype == torch.bfloat16 and not FIXED
    assert captured.metrics.values.get("reference_calls", 0) == slow
    assert ("reference_calls" in captured.metrics.text) == slow


def test_a_metric_with_a_limit_is_compared_with_goldens_that_lack_it(
    paper: PaperProject,
) -> None:
    case = "def test_case(draw, golden): assert draw(tally={!r}) == golden"
    few, many = "kernels = 1\n", "kernels = 1\nthread_starts = 64\n"
    paper.test(case.format(few))
    paper.run("--snapshot-update")
    paper.test(case.format(many))
    result = paper.run()
    result.assert_outcomes(failed=2)
    assert re.search(r"thread_starts +0 -> 64 .*REGRESSION", result.stdout.str())
    paper.run("--snapshot-update")
    paper.run().assert_outcomes(passed=2)
    paper.test(case.format(few))
    result = paper.run()
    result.assert_outcomes(failed=2)
    assert re.search(r"thread_starts +64 -> 0 .*WIN", result.stdout.str())


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ({}, {"parameter_bytes": 4100}, "REGRESSION"),
        ({"parameter_bytes": 4104}, {}, "WIN"),
        ({}, {"kernels": 2}, None),
    ],
)
def test_passing_a_limit_is_never_small(
    old: dict[str, int], new: dict[str, int], verdict: str | None
) -> None:
    assert [change.verdict for change in changes(old, new)] == (
        [] if verdict is None else [verdict]
    )
