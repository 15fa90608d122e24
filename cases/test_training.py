"""What is saved for backward, what is recomputed, and in which order backward runs."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from pytest_compile_golden.typing import CompileStages, Golden


@pytest.mark.compile_golden(stages="+forward_graph,+backward_graph")
def test_saved_activations(compile_stages: CompileStages, golden: Golden) -> None:
    """Cheap pointwise operations are recomputed; matmuls and reductions are saved."""

    def f(x: Tensor, weight: Tensor) -> Tensor:
        hidden = torch.tanh(x @ weight).cos()
        return (hidden * hidden.sum(-1, keepdim=True)).sin()

    captured = compile_stages(f, torch.randn(128, 256), torch.randn(256, 256), train=True)
    assert captured == golden


def test_views_saved_or_recomputed(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor, weight: Tensor) -> Tensor:
        split = x.view(32, 8, 64).transpose(0, 1)
        return torch.bmm(split.exp(), weight).transpose(0, 1).reshape(32, -1).cos()

    captured = compile_stages(f, torch.randn(32, 512), torch.randn(8, 64, 64), train=True)
    assert captured == golden


def test_far_from_backward(compile_stages: CompileStages, golden: Golden) -> None:
    """A value used again at the end of a long forward: what is computed from it there is saved, not recomputed."""

    def f(x: Tensor, *weights: Tensor) -> Tensor:
        first = x.exp()
        x = first
        for weight in weights:
            x = F.gelu(x @ weight)
        return x * first.cos()

    captured = compile_stages(f, torch.randn(64, 64), *(torch.randn(64, 64) for _ in range(3)), train=True)
    assert captured == golden


def test_saved_before_it_is_widened(compile_stages: CompileStages, golden: Golden) -> None:
    """The low-precision matmul at the far end of a long chain is saved, not the wide value that backward needs."""

    def f(x: Tensor, weight: Tensor) -> Tensor:
        wide = (x @ weight).float()
        for step in range(10):
            wide = wide * 1.5 + step
        return wide.cos()

    captured = compile_stages(f, *(torch.randn(64, 64, dtype=torch.bfloat16) for _ in range(2)), train=True)
    assert captured == golden


def test_checkpointed(compile_stages: CompileStages, golden: Golden) -> None:
    """Activation checkpointing: the block is recomputed in backward."""
    layer = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.GELU(), torch.nn.Linear(256, 64))
    captured = compile_stages(
        lambda x: checkpoint(layer, x, use_reentrant=False) * 2, torch.randn(32, 64, requires_grad=True), train=True
    )
    assert captured == golden


def test_same_value_computed_twice(compile_stages: CompileStages, golden: Golden) -> None:
    """Common subexpressions are merged."""
    captured = compile_stages(
        lambda x, y: (torch.mm(x, y) + 1) * (torch.mm(x, y) - 1), torch.randn(64, 64), torch.randn(64, 64), train=True
    )
    assert captured == golden


def test_attention_block_with_dropout(compile_stages: CompileStages, golden: Golden) -> None:
    layer = torch.nn.TransformerEncoderLayer(64, 4, 128, dropout=0.1, batch_first=True)
    captured = compile_stages(layer, torch.randn(2, 32, 64), train=True)
    assert captured == golden


def test_batch_norm_and_pooling(compile_stages: CompileStages, golden: Golden) -> None:
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 16, 3, bias=False), torch.nn.BatchNorm2d(16), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1)
    )
    captured = compile_stages(model, torch.randn(2, 3, 16, 16), train=True)
    assert captured == golden
