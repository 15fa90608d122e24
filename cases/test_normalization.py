"""Normalisation layers and the operations around them."""

import torch
import torch.nn.functional as F
from torch import Tensor

from pytest_compile_golden.typing import CompileStages, Golden


def test_layer_norm_gelu(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        return F.gelu(F.layer_norm(x, (1024,), weight, bias))

    captured = compile_stages(f, torch.randn(512, 1024), torch.randn(1024), torch.randn(1024))
    assert captured["scheduler_nodes"].fused("layer_norm", "gelu")
    assert captured == golden


def test_layer_norm_training(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(torch.nn.LayerNorm(768), torch.randn(256, 768), train=True)
    assert captured == golden


def test_rms_norm(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(torch.nn.RMSNorm(1024), torch.randn(256, 1024))
    assert captured == golden


def test_rms_norm_training(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(torch.nn.RMSNorm(1024), torch.randn(256, 1024), train=True)
    assert captured == golden


def test_residual_layer_norm(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor, residual: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, ...]:
        hidden = x + residual
        return hidden, F.layer_norm(hidden, (512,), weight, bias)

    captured = compile_stages(f, torch.randn(64, 512), torch.randn(64, 512), torch.randn(512), torch.randn(512))
    assert captured.metrics.kernels == 1
    assert captured == golden


def test_group_norm_silu(compile_stages: CompileStages, golden: Golden) -> None:
    norm = torch.nn.GroupNorm(8, 64)
    captured = compile_stages(lambda x: F.silu(norm(x)), torch.randn(2, 64, 32, 32))
    assert captured == golden
