"""Matmuls: epilogues, templates, training."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from pytest_compile_golden.typing import CompileStages, Golden


def test_linear_gelu(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        return F.gelu(F.linear(x, weight, bias))

    captured = compile_stages(f, torch.randn(256, 512), torch.randn(2048, 512), torch.randn(2048))
    assert captured == golden


def test_batched(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x, y: (x @ y).relu(), torch.randn(8, 128, 64), torch.randn(8, 64, 128))
    assert captured == golden


def test_mlp_training(compile_stages: CompileStages, golden: Golden) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(256, 1024), torch.nn.GELU(), torch.nn.Linear(1024, 256))
    captured = compile_stages(model, torch.randn(128, 256), train=True)
    assert captured == golden


def test_two_products_of_one_input(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor, gate: Tensor, up: Tensor) -> Tensor:
        return F.silu(x @ gate) * (x @ up)

    captured = compile_stages(f, torch.randn(128, 512), torch.randn(512, 1408), torch.randn(512, 1408))
    assert captured == golden


@pytest.mark.compile_golden(target="cuda-sm90", policy="triton", config={"max_autotune": True})
def test_max_autotune_template(compile_stages: CompileStages, golden: Golden) -> None:
    """A Triton template with the activation in its epilogue, instead of a library call."""

    def f(x: Tensor, weight: Tensor) -> Tensor:
        return F.relu(x @ weight)

    half = torch.float16
    captured = compile_stages(f, torch.randn(1024, 1024, dtype=half), torch.randn(1024, 1024, dtype=half))
    assert captured.metrics.extern_kernels == 0
    assert captured == golden
