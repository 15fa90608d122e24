"""Settings that torch gained lately or that have no default use: what each changes in one program.

Of `triton.enable_host_side_tma` in templates there is no case: which template takes descriptors is up to the card's
measurements.
"""

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from pytest_compile_golden import Capture
from pytest_compile_golden.typing import CompileStages, Golden

pytestmark = pytest.mark.compile_golden(target="cuda-sm90")
SINCE_2_14, SINCE_2_15 = (
    pytest.mark.skipif(torch.__version__ < version, reason=f"the setting was added in torch {version}")
    for version in ("2.14", "2.15")
)


def with_and_without(compile_stages: CompileStages, setting: str, value: Any, *program: Any) -> tuple[Capture, Capture]:
    return compile_stages(*program), compile_stages(*program, config={setting: value})


def test_lite_mode(compile_stages: CompileStages, golden: Golden) -> None:
    """Nothing is decomposed or fused: each operator is a call, as in eager mode."""

    def f(x: Tensor, weight: Tensor) -> Tensor:
        return F.linear(F.rms_norm(x, (64,)), weight)

    captured = compile_stages(f, torch.randn(8, 64), torch.randn(32, 64), mode="lite")
    assert captured.kernels == 0
    assert captured["scheduler_nodes"] == golden


def test_partitioned_scatter(compile_stages: CompileStages, golden: Golden) -> None:
    """Many rows that are added up into few are added up in parts first, so that fewer atomic additions meet."""

    def f(values: Tensor, index: Tensor) -> Tensor:
        return torch.zeros(16, 64, device=values.device).index_put((index,), values, accumulate=True)

    inputs = torch.randn(8192, 64), torch.randint(0, 16, (8192,))
    off, on = with_and_without(compile_stages, "partitioned_scatter_enabled", True, f, *inputs)
    assert not off["passes"].changed("partitioned_scatter_optimization")
    assert on["passes"].changed("partitioned_scatter_optimization")
    assert on["post_grad_graph"] == golden


@SINCE_2_14
def test_strict_output_strides(compile_stages: CompileStages, golden: Golden) -> None:
    """A view that is returned has eager's strides, and not only their order, so it is copied."""

    def f(x: Tensor, weight: Tensor) -> Tensor:
        return F.conv2d(x, weight)[:, :1]

    channels_last = {"layout_optimization": True, "force_layout_optimization": True}
    inputs = torch.randn(2, 8, 9, 9), torch.randn(8, 8, 3, 3)
    order, strict = (
        compile_stages(f, *inputs, config={**channels_last, "strict_output_strides": strict})
        for strict in (False, True)
    )
    assert strict.kernels == order.kernels + 1
    assert strict["scheduler_nodes"] == golden


@SINCE_2_15
def test_fusion_within_peak_memory(compile_stages: CompileStages, golden: Golden) -> None:
    """Two results that share an input are not computed together if both would have to be kept at once."""

    def f(x: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
        return x.sin() @ weight, x.cos() @ weight

    inputs = torch.randn(1024, 1024), torch.randn(1024, 8)
    setting = "fusion_memory_timeline_peak_memory_pct_threshold"
    anyhow, within = with_and_without(compile_stages, setting, 0.0, f, *inputs)
    assert (anyhow.kernels, within.kernels) == (1, 2)
    assert within.metrics.peak_memory < 0.6 * anyhow.metrics.peak_memory
    assert within["scheduler_nodes"] == golden


@SINCE_2_15
@pytest.mark.compile_golden(policy="triton", config={"max_autotune": True})
def test_template_for_a_shared_matrix(compile_stages: CompileStages, golden: Golden) -> None:
    """A product of one matrix with each of a batch has more candidates: those that keep it for several of the batch."""

    def f(shared: Tensor, batch: Tensor) -> Tensor:
        return torch.bmm(shared.expand(64, 64, 64), batch)

    inputs = torch.randn(64, 64, dtype=torch.bfloat16), torch.randn(64, 64, 64, dtype=torch.bfloat16)
    off, on = (
        compile_stages(f, *inputs, config={"max_autotune": True, "bmm_shared_a": shared}) for shared in (False, True)
    )
    [without], [more] = (each["scheduler_nodes"].schedules[0].choices for each in (off, on))
    assert more.candidates > without.candidates
    assert on["scheduler_nodes"] == golden


@SINCE_2_15
def test_strict_numerics(compile_stages: CompileStages, golden: Golden) -> None:
    """Quotients are rounded as in eager mode, and products are not fused with sums."""

    def f(x: Tensor, y: Tensor) -> Tensor:
        return (x / y).sum(-1)

    default, strict = with_and_without(compile_stages, "numerics", "strict", f, torch.randn(8, 64), torch.randn(8, 64))
    assert "div_rn(" not in default["triton_code"]
    assert "div_rn(" in strict["triton_code"]
    assert strict["triton_code"] == golden


@SINCE_2_15
def test_host_side_descriptors(compile_stages: CompileStages, golden: Golden) -> None:
    """Tensor descriptors are made before a kernel is launched, and are its arguments."""

    def f(x: Tensor, y: Tensor) -> Tensor:
        return x + y.T

    config = {"assume_aligned_inputs": True, "triton.use_tensor_descriptor": True}
    inputs = torch.randn(256, 256), torch.randn(256, 256)
    inside, outside = (
        compile_stages(f, *inputs, config={**config, "triton.enable_host_side_tma": host}) for host in (False, True)
    )
    assert "tl.make_tensor_descriptor(" in inside["triton_code"]
    assert "tl.make_tensor_descriptor(" not in outside["triton_code"]
    assert outside["triton_code"] == golden
