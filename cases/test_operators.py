"""Operators with lowerings of their own in Inductor: sorts, scans, histograms, pooling, resampling, complex."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from pytest_compile_golden.typing import CompileStages, Golden

GPU = pytest.mark.compile_golden(target="cuda-sm90")
CPU = pytest.mark.compile_golden(target="cpu-avx2")


@pytest.mark.parametrize("length", [64, 4096])
@GPU
def test_sort(length: int, compile_stages: CompileStages, golden: Golden) -> None:
    """A row that fits into a block is sorted in a kernel, a longer one by the library."""
    captured = compile_stages(lambda x: x.sort(-1), torch.randn(8, length))
    assert captured.metrics.extern_kernels == (0 if length == 64 else 1)
    assert captured["scheduler_nodes"] == golden


def test_stable_sort(compile_stages: CompileStages, golden: Golden) -> None:
    """On the GPU a kernel sorts a short row; on the CPU the library is called."""
    captured = compile_stages(lambda x: x.sort(dim=-1, stable=True, descending=True)[1], torch.randn(8, 16))
    assert captured.metrics.extern_kernels == (0 if captured.target.startswith("cuda") else 1)
    assert captured["scheduler_nodes"] == golden


def test_topk(compile_stages: CompileStages, golden: Golden) -> None:
    """topk has no lowering of its own: the library is called."""
    captured = compile_stages(lambda x: x.topk(4)[0] + 1, torch.randn(8, 64))
    assert captured.metrics.extern_kernels == 1
    assert captured["scheduler_nodes"] == golden


def test_argmin(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: (x * 2).argmin(-1), torch.randn(8, 64))
    assert captured.metrics.kernels == 1
    assert captured["scheduler_nodes"] == golden


@GPU
@pytest.mark.parametrize("name", ["cumsum", "cumprod", "logcumsumexp", "cummax"])
def test_scan(name: str, compile_stages: CompileStages, golden: Golden) -> None:
    """Each is a Triton scan over rows, with its input computed in the same kernel."""
    captured = compile_stages(lambda x: getattr(torch, name)(x * 2, -1), torch.randn(8, 64))
    assert "tl.associative_scan" in captured["triton_code"]
    assert captured.metrics.kernels == 1
    assert captured["scheduler_nodes"] == golden


@GPU
def test_long_scan_is_split(compile_stages: CompileStages, golden: Golden) -> None:
    """One long row: blocks look back at the sums of the blocks before them."""
    captured = compile_stages(lambda x: x.cumsum(-1), torch.randn(1 << 20))
    assert "exclusive_scan_decoupled_lookback" in captured["triton_code"]
    assert captured["scheduler_nodes"] == golden


@CPU
@pytest.mark.parametrize("name", ["histc", "bincount"])
def test_histogram(name: str, compile_stages: CompileStages, golden: Golden) -> None:
    """The library does the counting; the length of bincount's result is data-dependent."""
    config = {"dynamo.capture_dynamic_output_shape_ops": True}
    x = torch.randn(64) if name == "histc" else torch.arange(64)
    captured = compile_stages(lambda x: getattr(torch, name)(x) * 2, x, config=config)
    assert captured["post_grad_graph"].count(f"aten.{name}") == 1
    assert captured["post_grad_graph"] == golden


def test_bucketize(compile_stages: CompileStages, golden: Golden) -> None:
    """A binary search inside the kernel."""
    captured = compile_stages(lambda x, edges: torch.bucketize(x * 2, edges), torch.randn(64), torch.arange(8.0))
    assert captured.metrics.kernels == 1
    assert captured["scheduler_nodes"] == golden


def test_nonzero(compile_stages: CompileStages, golden: Golden) -> None:
    """Its length is an unbacked symbol, and what follows is compiled for any length."""
    config = {"dynamo.capture_dynamic_output_shape_ops": True}
    captured = compile_stages(lambda x: x.nonzero() * 2, torch.ones(64), config=config)
    assert "u0" in str(captured["post_grad_graph"])
    assert captured["post_grad_graph"] == golden


@pytest.mark.parametrize(
    "name", ["avg_pool2d", "max_pool2d", "adaptive_avg_pool2d", "adaptive_max_pool2d", "lp_pool2d"]
)
@CPU
def test_pooling(name: str, compile_stages: CompileStages, golden: Golden) -> None:
    """Windows are unrolled into one pointwise kernel."""
    arguments = (2.0, 2) if name == "lp_pool2d" else (2,)
    captured = compile_stages(lambda x: getattr(F, name)(x, *arguments), torch.randn(2, 4, 8, 8))
    assert captured.metrics.extern_kernels == 0
    assert captured["post_grad_graph"] == golden


@CPU
def test_pooling_of_large_windows(compile_stages: CompileStages, golden: Golden) -> None:
    """A window too large to be unrolled becomes a reduction."""
    captured = compile_stages(lambda x: F.max_pool2d(x, 7), torch.randn(2, 4, 28, 28))
    assert "reduction max" in str(captured["scheduler_nodes"])
    assert captured["scheduler_nodes"] == golden


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "bilinear", "bicubic", "area"])
@GPU
def test_interpolate(mode: str, compile_stages: CompileStages, golden: Golden) -> None:
    """Each is one pointwise kernel that computes the indices it reads from."""
    captured = compile_stages(lambda x: F.interpolate(x, size=(12, 12), mode=mode), torch.randn(2, 4, 8, 8))
    assert captured.metrics.kernels == 1
    assert captured["scheduler_nodes"] == golden


@GPU
def test_interpolate_backward(compile_stages: CompileStages, golden: Golden) -> None:
    """The gradient of nearest neighbours is a sum per element read; the other modes use atomic additions."""
    x = torch.randn(2, 4, 8, 8, requires_grad=True)
    captured = compile_stages(lambda x: F.interpolate(x, scale_factor=2.0, mode="bilinear"), x, train=True)
    assert "tl.atomic_add" in captured["triton_code"]
    assert captured["backward_graph"] == golden


@CPU
def test_grid_sample(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(
        lambda x, grid: F.grid_sample(x, grid, align_corners=False), torch.randn(1, 2, 8, 8), torch.zeros(1, 4, 4, 2)
    )
    assert captured.metrics.extern_kernels == 0
    assert captured["scheduler_nodes"] == golden


@CPU
def test_pixel_shuffle(compile_stages: CompileStages, golden: Golden) -> None:
    """Views and one copy."""
    captured = compile_stages(lambda x: F.pixel_shuffle(x, 2) + 1, torch.randn(1, 8, 4, 4))
    assert captured.metrics.kernels == 1
    assert captured["scheduler_nodes"] == golden


@CPU
def test_complex_numbers(compile_stages: CompileStages, golden: Golden) -> None:
    """Inductor has no codegen for them: operators are called one by one."""
    captured = compile_stages(lambda x, y: x * y, *(torch.randn(8, dtype=torch.complex64) for _ in range(2)))
    assert captured.metrics.kernels == 0
    assert captured["scheduler_nodes"] == golden


@CPU
def test_fourier_transform(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: torch.fft.rfft(x).abs(), torch.randn(64))
    assert captured["post_grad_graph"].has("aten._fft_r2c")
    assert captured["post_grad_graph"] == golden


def test_bernoulli(compile_stages: CompileStages, golden: Golden) -> None:
    """The library draws a seed once per call; the numbers are derived from it and their index."""
    captured = compile_stages(lambda x: torch.bernoulli(x), torch.rand(64))
    assert captured["post_grad_graph"].has("prims.inductor_seeds")
    assert captured["post_grad_graph"] == golden


def test_quantised_by_hand(compile_stages: CompileStages, golden: Golden) -> None:
    """Scale, round, clamp and cast, and the way back, in one kernel."""

    def f(x: Tensor, scale: Tensor) -> Tensor:
        quantised = torch.clamp(torch.round(x / scale), -128, 127).to(torch.int8)
        return quantised.to(torch.float32) * scale

    captured = compile_stages(f, torch.randn(64), torch.ones(()))
    assert captured.metrics.kernels == 1
    assert captured["scheduler_nodes"] == golden


@GPU
@pytest.mark.parametrize("cell", ["LSTMCell", "GRUCell"])
def test_recurrent_cell(cell: str, compile_stages: CompileStages, golden: Golden) -> None:
    """CUDA computes all gates of a cell in one call, in forward and in backward; Inductor generates none of it."""
    state = torch.randn(32, 128)
    captured = compile_stages(
        getattr(torch.nn, cell)(64, 128),
        torch.randn(32, 64),
        (state, torch.randn(32, 128)) if cell == "LSTMCell" else state,
        train=True,
    )
    fused = f"aten._thnn_fused_{cell.removesuffix('Cell').lower()}_cell"
    assert captured["forward_graph"].count(f"{fused}.default") == 1
    assert f"{fused}_backward" in str(captured["backward_graph"])
    assert captured.metrics.kernels == 0
    assert captured == golden


@GPU
def test_fake_quantised_call(compile_stages: CompileStages, golden: Golden) -> None:
    """With a scalar scale, fake quantisation has no decomposition: it is a call between kernels."""
    captured = compile_stages(
        lambda x: torch.fake_quantize_per_tensor_affine(x, 0.1, 0, -128, 127).relu(), torch.randn(64)
    )
    assert captured.metrics.extern_kernels == 1
    assert captured["scheduler_nodes"] == golden


@CPU
def test_fake_quantised_training(compile_stages: CompileStages, golden: Golden) -> None:
    """Backward passes on the gradient of values that were in range."""
    x, scale, zero = torch.randn(8, requires_grad=True), torch.ones(1), torch.zeros(1, dtype=torch.int32)
    captured = compile_stages(lambda x: torch.fake_quantize_per_tensor_affine(x, scale, zero, -128, 127), x, train=True)
    assert captured["backward_graph"].count("aten.mul") == 1
    assert captured["backward_graph"] == golden


@CPU
def test_autocast_of_an_operator_that_stays_wide(compile_stages: CompileStages, golden: Golden) -> None:
    """Under autocast, matmuls are in low precision; a softmax after them is not."""

    def f(x: Tensor) -> Tensor:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return torch.softmax(x @ x, -1)

    captured = compile_stages(f, torch.randn(8, 8))
    assert "bf16[8, 8] = aten.mm" in str(captured["post_grad_graph"])
    assert captured["post_grad_graph"] == golden
