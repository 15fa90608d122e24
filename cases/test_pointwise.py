"""Pointwise chains: one kernel, whatever the mix of shapes and dtypes."""

import torch
import torch.nn.functional as F
from torch import Tensor

from pytest_compile_golden.typing import CompileStages, Golden


def test_chain(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor, y: Tensor) -> Tensor:
        return (x * y + 1).relu().sigmoid() - y

    captured = compile_stages(f, torch.randn(512, 1024), torch.randn(512, 1024))
    assert captured.metrics.kernels == 1
    assert captured == golden


def test_broadcast(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor, row: Tensor, column: Tensor) -> Tensor:
        return F.silu(x * row) + column

    captured = compile_stages(f, torch.randn(256, 512), torch.randn(512), torch.randn(256, 1))
    assert captured == golden


def test_where_mask(compile_stages: CompileStages, golden: Golden) -> None:
    def f(scores: Tensor, mask: Tensor) -> Tensor:
        return torch.where(mask, scores, float("-inf")).exp()

    captured = compile_stages(f, torch.randn(128, 128), torch.randn(128, 128) > 0)
    assert captured == golden


def test_mixed_dtypes(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor, scale: Tensor) -> Tensor:
        return (x.float() * scale).to(torch.bfloat16) + x

    captured = compile_stages(f, torch.randn(64, 256, dtype=torch.bfloat16), torch.randn(256))
    assert captured.metrics.kernels == 1
    assert captured == golden


def test_gated_training(compile_stages: CompileStages, golden: Golden) -> None:
    def swiglu(gate: Tensor, up: Tensor) -> Tensor:
        return F.silu(gate) * up

    x = torch.randn(256, 1024, requires_grad=True)
    y = torch.randn(256, 1024, requires_grad=True)
    captured = compile_stages(swiglu, x, y, train=True)
    assert captured == golden


def test_mish_training(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(F.mish, torch.randn(256, 1024, requires_grad=True), train=True)
    assert captured == golden
