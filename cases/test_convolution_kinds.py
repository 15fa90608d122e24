"""Convolutions of every kind: which layout is chosen, which become matmuls, what is folded, backward."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from pytest_compile_golden.typing import CompileStages, Golden

GPU = pytest.mark.compile_golden(target="cuda-sm90")
CPU = pytest.mark.compile_golden(target="cpu-avx2")


def test_depthwise(compile_stages: CompileStages, golden: Golden) -> None:
    """With as many groups as channels, the operator is called as is."""
    conv = nn.Conv2d(16, 16, 3, groups=16, bias=False)
    captured = compile_stages(conv, torch.randn(2, 16, 16, 16))
    assert captured.metrics.extern_kernels == 1
    assert captured["scheduler_nodes"] == golden


def test_transposed(compile_stages: CompileStages, golden: Golden) -> None:
    """The bias is a kernel after the convolution on the GPU, and part of the call on the CPU."""
    captured = compile_stages(nn.ConvTranspose2d(8, 4, 3, stride=2), torch.randn(2, 8, 8, 8))
    assert captured["post_grad_graph"].count("aten.convolution") == 1
    assert captured["scheduler_nodes"] == golden


def test_one_dimension(compile_stages: CompileStages, golden: Golden) -> None:
    """A 1-D convolution becomes 2-D, with one dimension of size 1."""
    captured = compile_stages(nn.Conv1d(8, 4, 3), torch.randn(2, 8, 32))
    assert captured["post_grad_graph"].count("aten.convolution") == 1
    assert captured["scheduler_nodes"] == golden


def test_three_dimensions(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(nn.Conv3d(4, 4, 3), torch.randn(2, 4, 8, 8, 8))
    assert captured["post_grad_graph"].count("aten.convolution") == 1
    assert captured["scheduler_nodes"] == golden


def test_padding_same(compile_stages: CompileStages, golden: Golden) -> None:
    """An even kernel size pads one side more than the other: a separate pad before the convolution."""
    captured = compile_stages(
        lambda x, w: F.conv2d(x, w, padding="same"), torch.randn(2, 4, 8, 8), torch.randn(4, 4, 2, 2)
    )
    assert captured["post_grad_graph"].count("aten.constant_pad_nd") == 1
    assert captured["post_grad_graph"] == golden


def test_strided_and_dilated(compile_stages: CompileStages, golden: Golden) -> None:
    conv = nn.Conv2d(4, 4, 3, stride=2, dilation=2, padding=1, bias=False)
    captured = compile_stages(conv, torch.randn(2, 4, 16, 16))
    assert "[2, 2], [1, 1], [2, 2]" in str(captured["post_grad_graph"])
    assert captured["post_grad_graph"] == golden


def test_input_in_channels_last(compile_stages: CompileStages, golden: Golden) -> None:
    """A channels-last input is not copied, and neither is the result."""
    x = torch.randn(2, 16, 16, 16).to(memory_format=torch.channels_last)
    model = nn.Conv2d(16, 16, 3, bias=False).to(memory_format=torch.channels_last)
    captured = compile_stages(model, x)
    assert captured.metrics.kernels == 0
    assert captured["scheduler_nodes"] == golden


def test_backward(compile_stages: CompileStages, golden: Golden) -> None:
    """The input and weight gradients are one call; the bias gradient is a sum on the GPU and part of it on the CPU."""
    captured = compile_stages(nn.Conv2d(4, 8, 3), torch.randn(2, 4, 8, 8, requires_grad=True), train=True)
    assert captured["backward_graph"].count("aten.convolution_backward") == 1
    assert captured["backward_graph"] == golden


@GPU
def test_template_of_one_pixel(compile_stages: CompileStages, golden: Golden) -> None:
    """Under max-autotune with templates, a 1x1 convolution is a Triton kernel that includes its activation."""
    config = {"max_autotune": True, "max_autotune_conv_backends": "TRITON"}
    inputs = torch.randn(2, 16, 8, 8), torch.randn(16, 16, 1, 1)
    captured = compile_stages(lambda x, w: F.conv2d(x, w).relu(), *inputs, config=config, policy="triton")
    assert captured.metrics.extern_kernels == 0
    assert captured["scheduler_nodes"] == golden


def block() -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(4, 8, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU()).eval()


@CPU
def test_batch_norm_folded_by_freezing(compile_stages: CompileStages, golden: Golden) -> None:
    """Freezing folds the normalisation into the weights: nothing of it is left in the graph."""
    captured = compile_stages(block(), torch.randn(2, 4, 8, 8), config={"freezing": True})
    assert not captured["post_grad_graph"].has("aten.sqrt")
    assert not captured["post_grad_graph"].has("aten.mul")
    assert captured["post_grad_graph"] == golden


@CPU
def test_linear_packed_by_freezing(compile_stages: CompileStages, golden: Golden) -> None:
    """Freezing packs a weight once, for the library that multiplies with it."""
    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU()).eval()
    captured = compile_stages(model, torch.randn(8, 32), config={"freezing": True})
    assert captured["post_grad_graph"].has("mkldnn._linear_pointwise") or captured["post_grad_graph"].has(
        "mkl._mkl_linear"
    )
    assert captured["post_grad_graph"] == golden


@CPU
def test_constants_folded_by_freezing(compile_stages: CompileStages, golden: Golden) -> None:
    """With freezing, whatever depends on weights alone is computed once."""
    model = nn.Linear(8, 8, bias=False).eval()
    captured = compile_stages(lambda x: x * (model.weight.exp().sum(0) + 1), torch.randn(8), config={"freezing": True})
    assert not captured["post_grad_graph"].has("aten.exp")
    assert captured["post_grad_graph"] == golden
